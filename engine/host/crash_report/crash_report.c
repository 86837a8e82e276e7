// Writes crash reports and recordings from a signal handler, in parts.
#include "crash_report/crash_report.h"

#include "base/archive.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/standard_streams.h"
#include "components/name.h"
#include "crash/allocator_frame.h"
#include "crash/call_stack.h"
#include "crash/code_location.h"
#include "crash/report_file.h"
#include "crash/report_stage.h"
#include "process/foreign_call.h"
#include "process/signals.h"
#include "process/supervised_program.h"
#include "session/session.h"
#include "start/crash_summary.h"
#include "start/package.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct crash_t {
  const crash_desc_t *desc;
  session_t *session; // session of the host; NULL until the session is created
  char report[PATH_MAX_BYTES + 64], recording[PATH_MAX_BYTES + 64];
} crash_t;

// --- parts of the report (crash/report_stage.h)

// Like dprintf, but does not allocate memory, and ends the part if writing fails.
__attribute__((format(printf, 2, 3))) static void write_line(int file, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  int bytes = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t length = bytes < 0 ? 0 : (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1;
  if (!report_file_write(file, text, length))
    crash_fail_stage();
}

static void write_entity(const game_o *g, int file) {
  char label[NAME_DESCRIPTION_MAX];
  shoal_entity e = vm_current_entity(g->vm);
  if (!world_is_alive(g->world, e))
    return;
  uint32_t assemblage = world_entities(g->world)->assemblage[shoal_entity_index(e)];
  write_line(file, "entity: %s\n", name_describe(g->world, e, label, sizeof label));
  write_line(file, "assemblage: %s\n", strings_text(world_strings(g->world), assemblage));
}

static void write_signal(const crash_desc_t *d, int file) {
  char piece[256];
  if (d->signal)
    write_line(file, "signal: %d (%s, %s)", d->signal, signals_name(d->signal), signals_description(d->signal));
  else
    write_line(file, "reason: %s", d->reason);
  if (d->signal && !signals_is_abort(d->signal))
    write_line(file, ", at %p", d->address);
  write_line(file, "\n");
  if (d->signal && archive_has_address(d->address))
    write_line(file, "damaged: %s was changed while the program was running\n", archive_path());
  if (foreign_describe_call(piece, sizeof piece)[0])
    write_line(file, "running: %s\n", piece);
  if (d->signal && !signals_is_abort(d->signal) &&
      foreign_describe_missing_component(d->address, piece, sizeof piece)[0])
    write_line(file, "cause%s\n", piece);
}

static void write_summary(const void *context) {
  const crash_t *c = context;
  const game_o *g = c->session ? c->session->game : NULL;
  int file = report_file_open(c->report, true);
  write_line(file, "Shoal " SHOAL_VERSION " was terminated by %s.\n\n",
             c->desc->signal ? "a crash" : "a plugin that did not return");
  write_signal(c->desc, file);
  if (!g) {
    write_line(file, "game: %s (while opening or closing it)\n",
               c->desc->options->target ? c->desc->options->target : "");
    return;
  }
  write_line(file, "game: %s\nfolder: %s\n", g->config.title, g->folder);
  write_line(file, "tick: %llu\nseed: %llu\n", (unsigned long long)world_tick(g->world),
             (unsigned long long)g->desc.seed);
  if (g->running_system[0])
    write_line(file, "system: %s\n", g->running_system);
  write_entity(g, file);
}

// Writes the position in the game's Lua code if it can be determined, even for a VM that is still being opened.
static void write_location(const void *context) {
  const crash_t *c = context;
  script_report_t report;
  script_parse_location(&report);
  int file = report_file_open(c->report, false);
  if (report.file[0])
    write_line(file, "place: %s:%d\n", report.file, report.line);
  if (report.traceback[0])
    write_line(file, "lua:\n%s\n", report.traceback);
}

// Writes an excerpt of the recording. Before the first tick after a start or a reload, the excerpt contains only the
// newest snapshot.
static bool write_excerpt(const crash_t *c, recorder_o *recorder, history_o *history) {
  error_info_t error = {0};
  uint64_t tick = 0;
  if (recorder_write_excerpt(recorder, history, NULL, c->recording, &error))
    return true;
  const snapshot_o *newest = history ? history_find_snapshot(history, UINT64_MAX, &tick, &error) : NULL;
  return newest && recorder_write_excerpt(recorder, history, newest, c->recording, &error);
}

// Writes the recording. Uses spare memory and repairs the history first, because the crash may have happened inside
// malloc, or while a tick was added to the history or recording.
static void write_recording(const void *context) {
  const crash_t *c = context;
  session_t *s = c->session;
  if (!s || !s->game || !s->recording.recorder)
    crash_fail_stage();
  alloc_use_spare_memory(&s->memory);
  if (s->time.timelines.current.snapshots)
    history_recover(s->time.timelines.current.snapshots);
  if (!write_excerpt(c, s->recording.recorder, s->time.timelines.current.snapshots))
    crash_fail_stage();
  write_line(report_file_open(c->report, false), "recording: %s\nreplay it: shoal run %s --replay %s\n", c->recording,
             s->game->folder, c->recording);
}

// Shows a dialog to the player from a new process, which outlives the crashed process.
static void show_dialog(const crash_t *c) {
  const package_t *package = c->desc->options->package;
  char text[PATH_MAX_BYTES + 512];
  if (archive_has_address(c->desc->address))
    snprintf(text, sizeof text,
             "%.100s had to stop: its files were changed while the game was running.\n\nStart the game again; if that "
             "fails, "
             "install the game again. Your saved games are not affected.",
             package->title);
  else
    snprintf(text, sizeof text, "%.100s has crashed.\n\nYour saved games are not affected.%s%s", package->title,
             package->reports[0] ? "\nPlease send the report in this folder to the developers of the "
                                   "game:\n"
                                 : "",
             package->reports);
  const char *const arguments[] = {package->program, CRASH_DIALOG_OPTION, text, NULL};
  crash_start_program(arguments);
}

static void print_crash_line(const char *what, const char *name) {
  char line[700];
  int bytes = snprintf(line, sizeof line, "crash: %s %s\n", what, name);
  if (bytes > 0)
    standard_error_write(line, (size_t)bytes < sizeof line ? (size_t)bytes : sizeof line - 1);
}

static void write_stack(const void *context) {
  const crash_t *c = context;
  void *frames[64];
  uint32_t count = call_stack_capture(frames, 64);
  int file = report_file_open(c->report, false);
  write_line(file, "c:\n");
  for (uint32_t i = 0; i < count; ++i) {
    code_location_t location;
    char text[512];
    bool is_return_address = frames[i] != c->desc->code; // all other frames hold return addresses
    if (code_location_find((const char *)frames[i] - is_return_address, &location))
      write_line(file, "plugin %s: %s\n", location.plugin, code_location_format(&location, text, sizeof text));
    else
      call_stack_write_frame(file, frames[i]);
  }
}

// Writes the plugin function that crashed, or that called into a library that crashed. On a thread of a plugin, the
// line `system` of the report does not identify the plugin.
static void write_code(const void *context) {
  const crash_t *c = context;
  code_location_t location;
  char text[512], line[640];
  if (!code_location_find_on_stack(c->desc->code, &location))
    return;
  int file = report_file_open(c->report, false);
  write_line(file, "code: plugin %s, %s\nlibrary: %s\nlibrary hash: %016llx\n", location.plugin,
             code_location_format(&location, text, sizeof text), location.library,
             (unsigned long long)hash_bytes(location.bytes, location.size, 0));
  snprintf(line, sizeof line, "plugin %s,", location.plugin);
  print_crash_line(line, text);
}

// Lists all plugins if the allocator crashed. In this case memory was overwritten, possibly including the state of the
// game, and any plugin may have overwritten it much earlier.
static void write_heap(const void *context) {
  const crash_t *c = context;
  const char *function = allocator_frame_find(c->desc->code);
  int file = report_file_open(c->report, false);
  char line[256];
  if (!function)
    return;
  write_line(file, "heap: damaged, found by %s\n", function);
  const crash_library_t *library = crash_library_get(0);
  for (uint32_t i = 0; library; library = crash_library_get(++i))
    if (library->loaded_tick > 0)
      write_line(file, "loaded plugin: %s, %s, reloaded in tick %llu\n", library->name, library->path,
                 (unsigned long long)library->loaded_tick);
    else
      write_line(file, "loaded plugin: %s, %s, since the start\n", library->name, library->path);
  if (!crash_library_get(0))
    return;
  write_line(file, "find the write: run make sanitize in the folder of each plugin\n");
  snprintf(line, sizeof line,
           "the heap was damaged earlier (found by %s), perhaps by a plugin: the report lists them:", function);
  print_crash_line(line, "run make sanitize in their folders");
}

// Writes the command that continues the game, and notifies the supervisor. Does nothing unless a plugin crashed, or the
// allocator found damage while plugins were loaded. The continued game runs without the plugin that crashed, if this
// plugin is known.
static void offer_restart(const void *context) {
  const crash_t *c = context;
  code_location_t location;
  if (!c->session || !c->session->game)
    return;
  int file = report_file_open(c->report, false);
  if (code_location_find_on_stack(c->desc->code, &location))
    write_line(file, "resume it without plugin %s: shoal run %s --resume %s\n", location.plugin,
               c->session->game->folder, c->report);
  else if (crash_library_get(0) && allocator_frame_find(c->desc->code))
    write_line(file, "resume it: shoal run %s --resume %s\n", c->session->game->folder, c->report);
  else
    return;
  supervised_send(c->report);
}

// Runs `shoal crash-report`, which loads the game again and adds its metadata to the report.
static void write_metadata(const crash_t *c) {
  const options_t *o = c->desc->options;
  const char *arguments[2 * OPTIONS_MAX_PLUGINS + 5] = {o->program, "crash-report", c->report};
  uint32_t count = 3;
  if (c->session && c->session->game && c->session->game->desc.trust)
    arguments[count++] = "--trust";
  for (uint32_t i = 0; i < o->plugin_count; ++i) {
    arguments[count++] = "--plugin";
    arguments[count++] = o->plugins[i];
  }
  crash_run_program(arguments);
}

// --- functions called in the crashing process

static void print_reason(const crash_desc_t *d) {
  char piece[256], line[512];
  snprintf(line, sizeof line, "%s: %s: the program exits,", foreign_describe_call(piece, sizeof piece), d->reason);
  print_crash_line(line, "and unsaved progress is lost");
}

void crash_write_report(const crash_desc_t *desc) {
  crash_t crash = {.desc = desc, .session = desc->session};
  unsigned long long tick = crash.session && crash.session->game ? world_tick(crash.session->game->world) : 0;
  // A packaged game is run by a player, who does not know the working directory.
  const package_t *package = desc->options->package;
  const char *folder = desc->folder ? desc->folder : package ? package->reports : "";
  snprintf(crash.report, sizeof crash.report, "%s%sshoal-%llu.crash.txt", folder, folder[0] ? "/" : "", tick);
  snprintf(crash.recording, sizeof crash.recording, "%s%sshoal-%llu.replay", folder, folder[0] ? "/" : "", tick);
  if (!desc->signal)
    print_reason(desc);
  bool reported = crash_run_stage(write_summary, &crash);
  if (reported)
    crash_run_stage(write_code, &crash);
  if (reported && !desc->brief)
    crash_run_stage(write_location, &crash);
  if (!desc->brief && crash_run_stage(write_recording, &crash))
    print_crash_line("recording of the last seconds:", crash.recording);
  if (!reported)
    return;
  if (!desc->brief && !package && !desc->embedded)
    write_metadata(&crash);
  crash_run_stage(write_stack, &crash);
  if (!desc->brief && desc->signal)
    crash_run_stage(write_heap, &crash);
  if (!desc->brief && !desc->embedded && options_restart_after_crash(desc->options))
    crash_run_stage(offer_restart, &crash);
  if (package && !desc->options->headless && !desc->options->has_ticks)
    show_dialog(&crash);
  print_crash_line("report:", crash.report);
}

// --- `shoal crash-report`, run in a new process

// Loads the game to read the metadata of an assemblage. Returns true on success, or false if the game can no longer be
// loaded, for example because a plugin was removed.
static bool read_metadata(const options_t *o, const char *folder, const char *assemblage, char *out, size_t bytes) {
  paths_t paths;
  error_info_t error;
  script_report_t report;
  assets_t assets = {.game = ""};
  if (!paths_find_installation(&paths, o->program, &error))
    return false;
  log_o *log = log_create(LOG_NONE);
  game_desc_t desc = {
      .folder = folder, .engine_folder = paths.engine, .trust = o->trust, .log = log, .assets = &assets};
  desc.shipped_plugins = paths.plugins;
  desc.plugins = o->plugins;
  desc.plugin_count = o->plugin_count;
  desc.in_fork = true;
  desc.draw = draw_create();
  desc.audio = audio_create(true, &assets, log);
  game_o *g = game_create(&desc, true, &report);
  bool found = g && vm_write_metadata(g->vm, assemblage, out, bytes);
  game_destroy(g);
  audio_destroy(desc.audio);
  draw_destroy(desc.draw);
  log_destroy(log);
  return found;
}

bool crash_run_command(const options_t *o, int *exit_code) {
  char folder[PATH_MAX_BYTES], assemblage[256], lines[4096];
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0;
  if (o->command != OPTIONS_CRASH_REPORT)
    return false;
  char *text = file_read(&memory, o->target, &size, &error);
  crash_summary_find_line(text, "folder: ", folder, sizeof folder);
  crash_summary_find_line(text, "assemblage: ", assemblage, sizeof assemblage);
  file_free(&memory, text, size);
  *exit_code = 1;
  if (!assemblage[0] || !read_metadata(o, folder, assemblage, lines, sizeof lines) || !lines[0])
    return true;
  FILE *file = file_open(o->target, true, NULL);
  if (file) {
    fprintf(file, "metadata:\n%s\n", lines);
    *exit_code = fclose(file);
  }
  return true;
}
