// Implements <shoal/host.h> on top of host/host.h. Each function checks whether the call is allowed, calls the
// host, and stores the message of a failure.
#include "library/library.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "base/dynamic_library.h"
#include "base/files.h"
#include "base/handle_set.h"
#include "library/names.h"

#include <lauxlib.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- permission

static struct {
  handle_set_t handles;
  _Atomic(shoal_host *) made; // list of all hosts, newest first; never freed
  uint32_t alive;
  pthread_t thread;   // the only thread that may call hosts, until the last host is destroyed
  const char *inside; // name of the function being called; NULL outside of calls
  shoal_host *about;  // host of the current call; NULL while a host is being created
} library = {.handles = HANDLE_SET_INIT};

bool library_is_in_call(void) {
  return library.inside && pthread_equal(library.thread, pthread_self());
}

shoal_host *library_current_host(void) {
  shoal_host *h = library.inside ? library.about : atomic_load(&library.made);
  while (h && !h->host && !library.inside)
    h = h->next;
  return h;
}

const char *shoal_host_last_error(void) {
  return access_last_error()->text;
}

const char *shoal_host_version(void) {
  return SHOAL_VERSION;
}

bool library_fail(const char *function, const error_info_t *reason) {
  error_info_t copy = *reason;
  return error_set(access_last_error(), "%s: %.900s", function, copy.text);
}

static bool check_call(const char *function) {
  access_last_error()->text[0] = '\0';
  if (library.alive > 0 && !pthread_equal(library.thread, pthread_self()))
    return error_set(access_last_error(), "%s must be called on the thread that created the host", function);
  if (library.inside)
    return error_set(access_last_error(), "%s must not be called in a callback of %s: wait until %s has returned",
                     function, library.inside, library.inside);
  return true;
}

bool library_begin_call(shoal_host *h, const char *function) {
  access_last_error()->text[0] = '\0';
  if (!h)
    return error_set(access_last_error(), "%s: host must not be NULL: check the result of shoal_host_create", function);
  if (!handle_set_contains(&library.handles, h))
    return error_set(access_last_error(), "%s: host must be the result of shoal_host_create", function);
  if (library.alive > 0 && !check_call(function))
    return false;
  if (!h->host)
    return error_set(access_last_error(), "%s: the host was destroyed", function);
  if (h->access.open.count > 0 && strncmp(function, "shoal_host_", 11) == 0)
    return access_fail("%s: a query is open: call shoal_query_end first", function);
  library.inside = function;
  library.about = h;
  h->last_failure[0] = '\0';
  return true;
}

bool library_begin_call_while_running(shoal_host *h, const char *function) {
  if (!library_begin_call(h, function))
    return false;
  if (h->finished)
    return library_end_call(error_set(access_last_error(), "%s: the last frame has already been run", function));
  if (!host_game(h->host))
    return library_end_call(
        error_set(access_last_error(), "%s: the game could not start: fix the errors in the game's files", function));
  return true;
}

bool library_end_call(bool ok) {
  shoal_assert(library.inside, "library_end_call without library_begin_call");
  library.inside = NULL;
  return ok;
}

// --- callbacks

static void forward_log(void *context, log_level_t level, const char *line) {
  static const shoal_host_log_level LEVELS[] = {SHOAL_HOST_LOG_SILENT, SHOAL_HOST_LOG_ERROR, SHOAL_HOST_LOG_WARN,
                                                SHOAL_HOST_LOG_INFO, SHOAL_HOST_LOG_DEBUG};
  const shoal_host *h = context;
  shoal_assert((size_t)level < sizeof LEVELS / sizeof *LEVELS, "log level %d is out of range", (int)level);
  if (h->log)
    h->log(h->context, LEVELS[level], line);
}

static void forward_failure(void *context, const script_report_t *report) {
  shoal_host *h = context;
  ++h->failures;
  if (report->file[0] && report->line > 0)
    snprintf(h->last_failure, sizeof h->last_failure, "%s:%d: %.700s", report->file, report->line, report->message);
  else
    snprintf(h->last_failure, sizeof h->last_failure, "%.900s", report->message);
  shoal_host_failure failure = {.source = report->piece,
                                .message = report->message,
                                .file = report->file,
                                .line = report->line > 0 ? (uint32_t)report->line : 0,
                                .entity = report->entity,
                                .doc = report->about,
                                .traceback = report->traceback,
                                .tick = report->tick};
  if (h->failed)
    h->failed(h->context, &failure);
}

// --- creation and destruction of hosts

static bool is_folder_with_scripts(const char *root, char *out, size_t bytes) {
  snprintf(out, bytes, "%s/scripts/shoal", root);
  return file_is_folder(out);
}

// Finds the folder with Shoal's scripts: $SHOAL_ROOT, or the nearest folder above the library that contains share/shoal
// or, in a source tree, scripts/shoal. Falls back to the installation prefix, because the static library may be linked
// into a program that is installed anywhere.
static bool find_root(char *out, size_t bytes) {
  char path[FILE_PATH_BYTES], scripts[PATH_MAX_BYTES * 3];
  const char *root = getenv("SHOAL_ROOT");
  if (root && root[0])
    return (size_t)snprintf(out, bytes, "%s", root) < bytes;
  const char *library_path = dynamic_library_path((const void *)(uintptr_t)find_root);
  if (!library_path)
    return false;
  if (!path_resolve(library_path, path))
    path[0] = '\0';
  for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
    *slash = '\0';
    snprintf(out, bytes, "%s/share/shoal", path);
    if (is_folder_with_scripts(out, scripts, sizeof scripts))
      return true;
    snprintf(out, bytes, "%s", path);
    if (is_folder_with_scripts(out, scripts, sizeof scripts))
      return true;
  }
  snprintf(out, bytes, "%s/share/shoal", library_prefix);
  return is_folder_with_scripts(out, scripts, sizeof scripts);
}

enum { MAX_ARGUMENTS = 128 };

typedef struct command_t {
  const char *arguments[MAX_ARGUMENTS];
  uint32_t argument_count;
  char numbers[6][32];
  uint32_t number_count;
} command_t;

static void add_argument(command_t *c, const char *argument) {
  if (c->argument_count < MAX_ARGUMENTS)
    c->arguments[c->argument_count++] = argument;
}

static void add_number_argument(command_t *c, const char *option, uint64_t number) {
  shoal_assert(c->number_count < sizeof c->numbers / sizeof *c->numbers, "too many number options: cannot add %s",
               option);
  char *text = c->numbers[c->number_count++];
  snprintf(text, sizeof c->numbers[0], "%llu", (unsigned long long)number);
  add_argument(c, option);
  add_argument(c, text);
}

static void add_text_argument(command_t *c, const char *option, const char *text) {
  if (text)
    add_argument(c, option), add_argument(c, text);
}

// Converts options to the arguments of `shoal run` or `shoal play`, so that the same code checks them.
static void write_arguments(command_t *c, const shoal_host_options *options) {
  shoal_assert(options->game && c->argument_count == 0, "the command must be empty, and options.game must be set");
  bool is_name = !strchr(options->game, '/') && !file_is_folder(options->game);
  add_argument(c, "shoal");
  add_argument(c, is_name ? "play" : "run");
  add_argument(c, options->game);
  if (options->headless)
    add_argument(c, "--headless");
  add_argument(c, options->watch ? "--watch" : "--no-watch");
  add_argument(c, "--no-cockpit");
  if (options->strict)
    add_argument(c, "--strict");
  if (options->has_seed)
    add_number_argument(c, "--seed", options->seed);
  if (options->history_mb > 0)
    add_number_argument(c, "--history", options->history_mb);
  if (options->workers > 0)
    add_number_argument(c, "--workers", options->workers);
  add_text_argument(c, "--load", options->load);
  add_text_argument(c, "--record", options->record);
  add_text_argument(c, "--replay", options->replay);
  for (uint32_t i = 0; i < options->argc; ++i)
    add_argument(c, options->argv[i]);
}

static bool read_options(const shoal_host_options *source, shoal_host_options *options) {
  static const char function[] = "shoal_host_create";
  if (!source)
    return error_set(access_last_error(), "%s: options must not be NULL: start from shoal_host_default_options()",
                     function);
  if (source->version != SHOAL_HOST_VERSION)
    return error_set(access_last_error(), "%s: options.version must be %u, got %u: %s", function, SHOAL_HOST_VERSION,
                     source->version,
                     !source->version ? "start from shoal_host_default_options()"
                     : source->version < SHOAL_HOST_VERSION
                         ? "rename the words of the program "
                           "(engine/docs/stability.md#from-api-8-to-9), and compile it again"
                         : "compile with the <shoal/host.h> of this library");
  if (source->size < offsetof(shoal_host_options, headless) || source->size > sizeof *options)
    return error_set(access_last_error(),
                     "%s: options.size must be %zu, got %u: compile with the <shoal/host.h> of this library", function,
                     sizeof *options, source->size);
  memset(options, 0, sizeof *options);
  memcpy(options, source, source->size);
  if (!options->game || !options->game[0])
    return error_set(access_last_error(), "%s: options.game is missing: set it to a folder with game.lua", function);
  if (options->headless && options->window)
    return error_set(access_last_error(), "%s: options.headless and options.window must not both be set", function);
  if (options->argc > 0 && !options->argv)
    return error_set(access_last_error(), "%s: options.argv must not be NULL (options.argc is %u)", function,
                     options->argc);
  if (options->argc > 64)
    return error_set(access_last_error(), "%s: too many options.argv: %u (at most 64)", function, options->argc);
  return true;
}

static bool create_host(shoal_host *h, const shoal_host_options *o) {
  static const log_level_t LEVELS[] = {LOG_INFO, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_NONE};
  command_t command = {.argument_count = 0};
  options_t options;
  error_info_t error = {0};
  char root[PATH_MAX_BYTES * 2];
  write_arguments(&command, o);
  if (!options_parse((int)command.argument_count, command.arguments, &options, &error))
    return library_fail("shoal_host_create", &error);
  options.window = o->window;
  options.width = o->width > 0 ? o->width : options.width;
  options.height = o->height > 0 ? o->height : options.height;
  options.own_clock = o->external_clock;
  options.no_terminal = o->no_stderr;
  options.log_level = o->log_level == SHOAL_HOST_LOG_DEFAULT                  ? options.log_level
                      : (size_t)o->log_level < sizeof LEVELS / sizeof *LEVELS ? LEVELS[o->log_level]
                                                                              : LOG_INFO;
  options.listener = forward_log;
  options.failed = forward_failure;
  options.listener_context = options.failed_context = h;
  options.root = o->root ? o->root : find_root(root, sizeof root) ? root : NULL;
  h->host = library_install_crash_handler(o->crash_folder, &options, &error) ? host_create(&options, &error) : NULL;
  library_clear_crash_options();
  if (h->host && o->headless && !host_game(h->host)) {
    snprintf(error.text, sizeof error.text, "the game could not start: %.900s", h->last_failure);
    host_destroy(h->host);
    h->host = NULL;
  }
  return h->host || library_fail("shoal_host_create", &error);
}

shoal_host *shoal_host_create(const shoal_host_options *options) {
  static const char function[] = "shoal_host_create";
  shoal_host_options host_options;
  if (!check_call(function) || !read_options(options, &host_options))
    return NULL;
  shoal_host *h = calloc(1, sizeof *h);
  if (!h)
    return error_set(access_last_error(), "%s: out of memory", function), NULL;
  *h = (shoal_host){.own_clock = host_options.external_clock,
                    .context = host_options.context,
                    .log = host_options.on_log,
                    .failed = host_options.on_failure};
  library.inside = function;
  library.about = NULL;
  library.thread = pthread_self();
  ++library.alive;
  bool ok = create_host(h, &host_options);
  library.inside = NULL;
  if (!ok) {
    if (--library.alive == 0)
      library_remove_crash_handler();
    free(h);
    return NULL;
  }
  library_init_world(h);
  handle_set_add(&library.handles, h);
  h->next = atomic_load(&library.made);
  atomic_store(&library.made, h);
  return h;
}

void shoal_host_destroy(shoal_host *h) {
  access_last_error()->text[0] = '\0';
  if (!h || !library_begin_call(h, "shoal_host_destroy"))
    return;
  library_close_world(h);
  host_destroy(h->host);
  h->host = NULL;
  library_end_call(true);
  if (--library.alive > 0)
    return;
  library_remove_crash_handler();
}

// --- ticks

static bool run_frame(shoal_host *h, const char *function) {
  shoal_assert(h->host, "the host was destroyed");
  if (h->finished)
    return error_set(access_last_error(), "%s: the last frame has already been run", function);
  h->finished = !host_frame(h->host);
  return !h->finished;
}

bool shoal_host_run_frame(shoal_host *h) {
  static const char function[] = "shoal_host_run_frame";
  if (!library_begin_call(h, function))
    return false;
  if (h->own_clock)
    return library_end_call(
        error_set(access_last_error(), "%s: options.external_clock is set: use shoal_host_run_frame_at", function));
  return library_end_call(run_frame(h, function));
}

bool shoal_host_run_frame_at(shoal_host *h, double now_s) {
  static const char function[] = "shoal_host_run_frame_at";
  if (!library_begin_call(h, function))
    return false;
  if (!h->own_clock)
    return library_end_call(
        error_set(access_last_error(), "%s: options.external_clock is not set: use shoal_host_run_frame", function));
  if (!(now_s >= 0.0 && now_s <= 1e9)) // ensures that the time in nanoseconds fits in 64 bits
    return library_end_call(
        error_set(access_last_error(), "%s: time must be from 0 to 1e9 s, got %g s", function, now_s));
  if (now_s < h->clock_s)
    return library_end_call(error_set(access_last_error(), "%s: time must not decrease, got %.9g s after %.9g s",
                                      function, now_s, h->clock_s));
  if (!h->finished)
    host_set_clock(h->host, h->clock_s = now_s);
  return library_end_call(run_frame(h, function));
}

bool shoal_host_pause(shoal_host *h, bool paused) {
  if (!library_begin_call_while_running(h, "shoal_host_pause"))
    return false;
  host_set_paused(h->host, paused);
  return library_end_call(true);
}

bool shoal_host_step(shoal_host *h, uint32_t ticks) {
  if (!library_begin_call_while_running(h, "shoal_host_step"))
    return false;
  host_step(h->host, ticks);
  return library_end_call(true);
}

bool shoal_host_rewind(shoal_host *h, uint32_t ticks) {
  static const char function[] = "shoal_host_rewind";
  error_info_t error = {0};
  host_state_t state;
  if (!library_begin_call_while_running(h, function))
    return false;
  host_get_state(h->host, &state);
  bool ok = true;
  if (!state.has_history)
    ok = error_set(&error, "the history is disabled: set options.history_mb");
  else if (ticks > state.tick - state.first_tick)
    ok = error_set(&error, "cannot rewind %u tick%s from tick %llu: the history begins at tick %llu", ticks,
                   ticks == 1 ? "" : "s", (unsigned long long)state.tick, (unsigned long long)state.first_tick);
  else
    ok = host_seek(h->host, state.tick - ticks, &error);
  return library_end_call(ok || library_fail(function, &error));
}

static bool change_code(shoal_host *h, const char *function, void (*request)(host_o *h)) {
  if (!library_begin_call(h, function))
    return false;
  if (h->finished)
    return library_end_call(error_set(access_last_error(), "%s: the last frame has already been run", function));
  uint64_t old_failures = h->failures;
  shoal_assert(request, "%s: `request` must not be NULL", function);
  request(h->host);
  host_apply_game_switch(h->host);
  bool ok = h->failures == old_failures;
  return library_end_call(ok || error_set(access_last_error(), "%s: refused: %.900s", function, h->last_failure));
}

bool shoal_host_reload(shoal_host *h) {
  return change_code(h, "shoal_host_reload", host_request_reload);
}

bool shoal_host_restart(shoal_host *h) {
  return change_code(h, "shoal_host_restart", host_request_restart);
}

bool shoal_host_stop(shoal_host *h) {
  if (!library_begin_call(h, "shoal_host_stop"))
    return false;
  host_stop(h->host);
  return library_end_call(true);
}

int shoal_host_exit_code(shoal_host *h) {
  if (!library_begin_call(h, "shoal_host_exit_code"))
    return 2;
  int code = host_exit_code(h->host);
  library_end_call(true);
  return code;
}

bool shoal_host_get_state(shoal_host *h, shoal_host_state *out) {
  static const char function[] = "shoal_host_get_state";
  host_state_t state;
  if (!library_begin_call(h, function))
    return false;
  if (!out || out->size < sizeof(uint32_t) || out->size > sizeof *out)
    return library_end_call(error_set(access_last_error(), "%s: out->size must be sizeof(shoal_host_state)", function));
  host_get_state(h->host, &state);
  world_o *w = host_world(h->host);
  shoal_host_state s = {.size = out->size,
                        .entities = w ? world_entities(w)->alive_count : 0,
                        .tick = state.tick,
                        .first_tick = state.first_tick,
                        .dt_s = w ? world_dt_s(w) : 0,
                        .failures = h->failures,
                        .paused = state.session_paused,
                        .game_paused = state.game_paused,
                        .finished = h->finished};
  memcpy(out, &s, s.size);
  return library_end_call(true);
}

// --- the embedding program's window

bool shoal_host_set_viewport(shoal_host *h, int x, int y, int width, int height) {
  static const char function[] = "shoal_host_set_viewport";
  if (!library_begin_call(h, function))
    return false;
  if (width < 1 || height < 1 || !host_options(h->host)->window)
    return library_end_call(
        width < 1 || height < 1
            ? error_set(access_last_error(), "%s: width and height must be at least 1 pixel, got %d × %d", function,
                        width, height)
            : error_set(access_last_error(), "%s: options.window is not set: the host positions its own window",
                        function));
  host_set_viewport(h->host, x, y, width, height);
  return library_end_call(true);
}

bool shoal_host_process_event(shoal_host *h, const void *event) {
  static const char function[] = "shoal_host_process_event";
  if (!library_begin_call(h, function))
    return false;
  if (!event || !host_options(h->host)->window)
    return library_end_call(error_set(access_last_error(), "%s: %s", function,
                                      event ? "options.window is not set: the host reads the events of its own window"
                                            : "event must not be NULL"));
  host_handle_event(h->host, event);
  return library_end_call(true);
}
