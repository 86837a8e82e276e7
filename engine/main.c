// Entry point: parses arguments, creates the host, runs its frames, returns the exit code.
#include "addons/add_command.h"
#include "process/foreign_call.h"
#include "base/interrupt.h"
#include "process/signals.h"
#include "process/supervised_program.h"
#include "base/nearest_name.h"
#include "base/system_note.h"
#include "clip/clip.h"
#include "cockpit/client.h"
#include "cockpit/cockpit.h"
#include "crash/signal_handler.h"
#include "crash_report/crash_report.h"
#include "crash_report/supervisor.h"
#include "saves/sql_command.h"
#include "host/host_tools.h"
#include "packing/packing.h"
#include "room/room.h"
#include "start/package.h"
#include "host/program_tasks.h"
#include "platform/paths.h"
#include "luajit/code_file.h"
#include "script/sources.h"
#include "serve/serve_command.h"
#include "serve/world_command.h"
#include "platform/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const options_t *program_options;
static session_t *running; // session that runs; NULL before the first frame and after the last frame

// Called when a plugin's function does not return.
static void on_plugin_lost(foreign_reason_t reason) {
  if (!crash_claim_first_thread()) // another failure is already being reported
    return;
  crash_write_report(&(crash_desc_t){.options = program_options,
                                     .session = running,
                                     .reason = foreign_reason_text(reason),
                                     .brief = reason == FOREIGN_INTERRUPT});
  _Exit(1);
}

// Writes a crash report; the signal is raised again afterwards.
static void on_crash(const crash_signal_t *s) {
  crash_write_report(&(crash_desc_t){
      .options = program_options, .session = running, .signal = s->number, .address = s->address, .code = s->code});
}

// `shoal similar WORD NAME…`, for ./shoal: prints ": did you mean NAME?", or nothing.
static int print_similar_name(int argc, char **argv) {
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t meant;
  nearest_name_init(&meant, argv[2]);
  for (int i = 3; i < argc; ++i)
    nearest_name_offer(&meant, argv[i]);
  fputs(nearest_name_hint(&meant, hint, sizeof hint), stdout);
  return 0;
}

// `shoal compile FILE`, for the build: compiles the engine's scripts to bytecode, so that startup does not have to
// parse them.
static int compile_scripts(char **argv) {
  paths_t places;
  error_info_t error = {0};
  if (paths_find_installation(&places, argv[0], &error) &&
      code_file_write(places.engine, SOURCES_ENGINE, argv[2], &error))
    return 0;
  fprintf(stderr, "shoal: %s\n", error.text);
  return 1;
}

static void catch_crashes(const options_t *options) {
  program_options = options;
  foreign_set_lost_callback(on_plugin_lost);
  crash_install_handler(on_crash);
}

static package_t package; // package that contains this program

// Prints the message. A package also shows it in a dialog, because players have no terminal.
static void report_failure(const options_t *options, const char *text) {
  char words[2048];
  if (!options->package) {
    fprintf(stderr, "shoal: %s\n", text);
    return;
  }
  const char *window = "";
  if (strstr(text, "no display found"))
    window = "\nStart the game from a desktop.";
  else if (strncmp(text, "cannot open a window", 20) == 0 || strncmp(text, "cannot create an OpenGL", 23) == 0)
    window = "\nThe game needs OpenGL 3.3: install a newer driver for the graphics card.";
  const char *aside = strstr(text, ": use --headless");
  int bytes = aside ? (int)(aside - text) : (int)strnlen(text, 1800);
  bool has_end = bytes > 0 && strchr(".?", text[bytes - 1]); // such as "did you mean --fullscreen?"
  snprintf(words, sizeof words, "%.100s cannot start: %.*s%s%s", package.title, bytes, text, has_end ? "" : ".",
           window);
  fprintf(stderr, "%s\n", words);
  if (!options->headless && !options->has_ticks)
    platform_show_message(package.title, words);
}

static int end_host(host_o *host, int code) {
  running = NULL;
  host_destroy(host);
  crash_remove_handler();
  return code;
}

static int run_host(const options_t *options) {
  error_info_t error = {0};
  int answered = 0;
  if (!options->package && (sql_command_try_run(options, &answered) || crash_run_command(options, &answered)))
    return answered;
  signals_catch_termination();
  if (options_run_room(options))
    interrupt_defer_exit(); // an interrupted tick would differ from its record
  if (options->save || options->scene || options_run_room(options))
    signals_begin_save(); // without an end, because these files are written last
  catch_crashes(options);
  host_o *host = host_create(options, &error);
  if (!host) {
    report_failure(options, error.text);
    return 2;
  }
  running = host_session(host);
  if (options_run_room(options))
    return end_host(host, room_run(host));
  cockpit_o *cockpit = cockpit_create(host, &error);
  if (error.text[0]) {
    fprintf(stderr, "shoal: --cockpit: %s\n", error.text);
    host_destroy(host);
    return 2;
  }
  for (bool more = true; more;) {
    host_begin_frame(host);
    cockpit_draw(cockpit);
    more = host_end_frame(host);
    if (more && interrupt_is_requested())
      host_stop(host);
    if (more)
      cockpit_frame(cockpit);
  }
  int code = host_exit_code(host);
  cockpit_destroy(cockpit);
  return end_host(host, code);
}

static int play_package(int argc, char **argv) {
  static options_t options; // static: reports read it after a plugin has terminated the main thread
  error_info_t error = {0};
  if (argc == 3 && strcmp(argv[1], CRASH_DIALOG_OPTION) == 0) {
    platform_show_message(package.title, argv[2]);
    return 0;
  }
  bool ok = options_parse_package(argc, (const char *const *)argv, &package, &options, &error) &&
            (!options.portable || package_use_portable_folder(&package, &error));
  if (!ok) {
    options.headless = false;
    report_failure(&options, error.text);
    return 2;
  }
  if (options.command == OPTIONS_HELP) {
    printf("%s %s\n\n", package.title, package.version);
    options_print_package_help(stdout);
  } else if (options.command == OPTIONS_VERSION)
    printf("%s %s, with Shoal %s\n", package.title, package.version, package.shoal);
  if (options.command != OPTIONS_RUN)
    return 0;
  if (!package_create_report_folder(&package, &error))
    fprintf(stderr, "%s: %s\n", package.program, error.text);
  return run_host(&options);
}

int main(int argc, char **argv) {
  static options_t options; // static: reports read it after a plugin has terminated the main thread
  error_info_t error = {0};
  int code = 0;
  switch (package_find_and_mount(argv[0], &package, &error)) {
  case PACKAGE_FOUND:
    if (task_run_command(PROGRAM_TASKS, argc, (const char *const *)argv, &code))
      return code;
    if (argc > 1 && strcmp(argv[1], "clip") == 0) // F12 starts this command
      return clip_run(argc, (const char *const *)argv, &package);
    return play_package(argc, argv);
  case PACKAGE_DAMAGED:
    fprintf(stderr, "%s\n", error.text);
    platform_show_message("This game cannot start", error.text);
    return 2;
  default: break;
  }
  if (task_run_command(PROGRAM_TASKS, argc, (const char *const *)argv, &code))
    return code;
  supervised_connect();
  if (argc > 1 && strcmp(argv[1], "supervise") == 0)
    supervisor_run(argc, argv);
  if (argc > 2 && strcmp(argv[1], "similar") == 0)
    return print_similar_name(argc, argv);
  if (argc == 3 && strcmp(argv[1], "compile") == 0)
    return compile_scripts(argv);
  if (argc > 1 && (strcmp(argv[1], "pack") == 0 || strncmp(argv[1], "pack-", 5) == 0))
    return packing_run(argc, (const char *const *)argv);
  if (argc > 1 && strcmp(argv[1], "serve") == 0)
    return serve_command_run(argc, (const char *const *)argv);
  if (argc > 1 && strcmp(argv[1], "world") == 0)
    return world_command_run(argc, (const char *const *)argv);
  if (argc > 1 && strcmp(argv[1], "add") == 0)
    return add_command_run(argc, (const char *const *)argv);
  if (argc > 1 && strcmp(argv[1], "clip") == 0)
    return clip_run(argc, (const char *const *)argv, NULL);
  if (client_run_command(argc, argv, &code))
    return code;
  if (!options_parse(argc, (const char *const *)argv, &options, &error)) {
    fprintf(stderr, "shoal: %s\n", error.text);
    return 2;
  }
  if (options.command == OPTIONS_HELP) {
    options_print_help(stdout);
    return 0;
  }
  if (options.command == OPTIONS_VERSION) {
    puts("shoal " SHOAL_VERSION);
    if (system_note())
      puts(system_note());
    return 0;
  }
  return run_host(&options);
}
