// Runs a game inside your own program: its worlds, scripts and time. Link with libshoal (`pkg-config shoal`, or
// shoal::shoal in CMake). `./shoal install --prefix DIR` installs it. C11, usable from C++17.
//
//   shoal_host_options options = shoal_host_default_options();
//   options.game = "mygame"; // a folder with game.lua
//   options.headless = true;
//   shoal_host *host = shoal_host_create(&options);
//   if (!host)
//     return fputs(shoal_host_last_error(), stderr), 2;
//   while (shoal_host_run_frame(host))
//     ; // read and change the world between two frames
//   shoal_host_destroy(host);
//
// Threads. All hosts of a program belong to the thread that creates the first host. Other threads may call only
// shoal_host_last_error, shoal_host_version and the functions of shoal_host_result. Callbacks run on the thread of the
// hosts, during a call to one of these functions, and must not call the host.
//
// Errors. A function that fails returns false, NULL or 0 and changes nothing. shoal_host_last_error returns the reason.
// Calls in the wrong order, on the wrong thread or with a destroyed host fail in the same way.
//
// Time. A world changes in ticks: in shoal_host_run_frame, shoal_host_step and the functions that say so. Between
// ticks, the program reads and changes the world with the functions of <shoal/world.h>. These changes, and changes made
// by shoal_host_exec_lua, are recorded and replayed. Direct writes to columns and SQL statements that write are not
// recorded. Such statements, and queries that may write columns, fail while a recording is made or played.
#ifndef SHOAL_HOST_H
#define SHOAL_HOST_H

#include "shoal/types.h"
#include "shoal/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHOAL_HOST_VERSION 2u

#if defined(__GNUC__)
#define SHOAL_HOST_API __attribute__((visibility("default")))
#else
#define SHOAL_HOST_API
#endif

typedef struct shoal_host shoal_host;

// --- creating a host

typedef enum shoal_host_log_level {
  SHOAL_HOST_LOG_DEFAULT, // same as SHOAL_HOST_LOG_INFO
  SHOAL_HOST_LOG_ERROR,
  SHOAL_HOST_LOG_WARN,
  SHOAL_HOST_LOG_INFO,
  SHOAL_HOST_LOG_DEBUG,
  SHOAL_HOST_LOG_SILENT
} shoal_host_log_level;

// A failure of a script, a plugin or one of the game's files. Strings are "" if unknown and valid only during the
// callback.
typedef struct shoal_host_failure {
  const char *source;    // source of the failure: "system movement", "components.lua"
  const char *message;   // message of the failure: a sentence without file and line
  const char *file;      // file of the failure, relative to the game's folder
  uint32_t line;         // line number; 0 if unknown
  const char *entity;    // current entity, as written in messages
  const char *doc;       // descriptions of the entity's assemblage and of the names in the message, one per line
  const char *traceback; // Lua stack, one call per line
  uint64_t tick;
} shoal_host_failure;

typedef void shoal_host_log_fn(void *context, shoal_host_log_level level, const char *line);
typedef void shoal_host_failure_fn(void *context, const shoal_host_failure *failure);

// Options of a host. Start from shoal_host_default_options(); 0, NULL and false are the defaults. The host copies all
// options, except the objects to which `window` and `context` point.
typedef struct shoal_host_options {
  uint32_t size;    // size of this struct, set by shoal_host_default_options()
  uint32_t version; // SHOAL_HOST_VERSION, set by shoal_host_default_options()
  const char *game; // a folder with game.lua, or the name of an installed game
  const char *root; // folder that contains scripts/shoal (default: $SHOAL_ROOT, or found from the library's location)

  bool headless;       // true to run without a window and without sound
  bool external_clock; // true: uses shoal_host_run_frame_at; false: uses a clock or, headless, one tick per frame
  bool watch;          // true to reload the game's files when they change
  bool strict;         // true to end the game at the first failure
  bool has_seed;       // true to use `seed` (default: 1 headless, a random seed with a window)
  bool no_stderr;      // true to write the log only to `on_log`, not to stderr
  uint64_t seed;
  uint32_t history_mb; // megabytes for shoal_host_rewind (default: the value in game.lua with a window, 0 headless)
  uint32_t workers;    // number of threads (default: one per core, at most 8)

  void *window;          // the program's SDL_Window, with an OpenGL 3.3 core context (see shoal_host_set_viewport)
  int32_t width, height; // size of the host's own window in pixels (default: the game's size)

  const char *load;   // path of a save to start from
  const char *record; // path of the recording to write
  const char *replay; // path of a recording to play

  const char *const *argv; // up to 64 more arguments for the command line of `shoal run`: {"--memory", "64"}
  uint32_t argc;

  void *context; // first argument of the callbacks
  shoal_host_log_fn *on_log;
  shoal_host_failure_fn *on_failure;
  shoal_host_log_level log_level;

  // Existing folder for reports of crashes that occur, on any thread, in calls to these functions or in plugins. The
  // library handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT until the last host is destroyed. After a report, the
  // library calls the program's own handlers. NULL: no handlers are installed.
  const char *crash_folder;
} shoal_host_options;

// Returns the default options, with `size` and `version` set.
static inline shoal_host_options shoal_host_default_options(void) {
  shoal_host_options options;
  memset(&options, 0, sizeof options);
  options.size = (uint32_t)sizeof options;
  options.version = SHOAL_HOST_VERSION;
  return options;
}

// Creates a host and starts its game. Returns the host, or NULL if an option is invalid, a file named by an option
// cannot be opened, the game does not exist, no window can be opened or, in a headless run, the game cannot start. With
// a window, a game that cannot start shows its error in the window and starts once its files are fixed.
SHOAL_MUST_USE SHOAL_HOST_API shoal_host *shoal_host_create(const shoal_host_options *options);
// Destroys a host. Accepts NULL. Later calls with the destroyed host fail with a message.
SHOAL_HOST_API void shoal_host_destroy(shoal_host *host);

// Returns the reason why the last call on this thread failed, or "" if the call succeeded. Valid until the next call.
SHOAL_HOST_API const char *shoal_host_last_error(void);
// Returns the version of the library, "0.1.0".
SHOAL_HOST_API const char *shoal_host_version(void);

// --- ticks and frames

// Runs one frame: reads input, simulates the ticks that are due, and draws. Returns true if the game continues. Returns
// false after the last frame, with an empty shoal_host_last_error(), and on errors.
SHOAL_HOST_API bool shoal_host_run_frame(shoal_host *host);
// Like shoal_host_run_frame, for hosts with options.external_clock. `now_s` is the time in seconds since an arbitrary
// start, 0 … 1e9, and must not decrease. The first frame is one tick. Later frames run the ticks that are due, at most
// 5. Time beyond one second between two frames is dropped.
SHOAL_HOST_API bool shoal_host_run_frame_at(shoal_host *host, double now_s);
// Pauses the game (true) or resumes it (false). Frames of a paused game run no ticks.
SHOAL_HOST_API bool shoal_host_pause(shoal_host *host, bool on);
// Pauses the game and runs `ticks` ticks immediately.
SHOAL_HOST_API bool shoal_host_step(shoal_host *host, uint32_t ticks);
// Pauses the game and rewinds it by `ticks` ticks. Fails if the history is disabled or does not reach that far.
SHOAL_HOST_API bool shoal_host_rewind(shoal_host *host, uint32_t ticks);
// Reloads the game's changed files immediately. Fails if the new files are invalid. The game then continues with the
// old code.
SHOAL_HOST_API bool shoal_host_reload(shoal_host *host);
// Restarts the game. Fails if the game reports a failure while it restarts.
SHOAL_HOST_API bool shoal_host_restart(shoal_host *host);
// Ends the run after the next frame.
SHOAL_HOST_API bool shoal_host_stop(shoal_host *host);
// Returns the exit code: 0 on success; 1 if the run failed, for example because a script failed in a headless or strict
// run; 2 after a usage error (such as an unknown game) or an error in --sql, and if this call fails.
SHOAL_HOST_API int shoal_host_exit_code(shoal_host *host);

typedef struct shoal_host_state {
  uint32_t size;       // must be sizeof(shoal_host_state) before the call
  uint32_t entities;   // number of living entities
  uint64_t tick;       // tick of the world
  uint64_t first_tick; // oldest tick that shoal_host_rewind reaches
  double dt_s;         // duration of a tick in seconds
  uint64_t failures;   // number of failures since the host was created
  bool paused;         // true if paused by shoal_host_pause, _step or _rewind, or by a key of the host (F6, F9, F10)
  bool game_paused;    // true if paused by the game's scripts, or by a watched query that returned a row
  bool finished;       // true after the last frame
} shoal_host_state;

// Writes the state of the host to `out`, whose `size` must be set.
SHOAL_HOST_API bool shoal_host_get_state(shoal_host *host, shoal_host_state *out);
// Sets the area of the framebuffer to draw into, in pixels from the top left (default: the whole framebuffer). For
// hosts with options.window, whose OpenGL context must be current in every call. A frame draws into the bound
// framebuffer, changes the state of OpenGL, and does not swap buffers.
SHOAL_HOST_API bool shoal_host_set_viewport(shoal_host *host, int x, int y, int width, int height);
// Passes an event, a const SDL_Event *, to the game. The event is copied. For hosts with options.window: the program
// polls SDL's events and passes on the game's events.
SHOAL_HOST_API bool shoal_host_process_event(shoal_host *host, const void *event);

// --- reading and changing the world

// Returns the world of the host, for the functions of <shoal/world.h>: always the same pointer while the host exists.
// While a query is open, all other functions that take a host fail, including shoal_host_destroy: call shoal_query_end
// first. shoal_save and shoal_load use files in the format of the game's saves. Returns NULL only if `host` is NULL.
SHOAL_HOST_API shoal_world *shoal_host_world(shoal_host *host);

// Runs Lua code as in the game's console. `out` (may be NULL) receives the result as text. A result that does not fit
// in `out_bytes` bytes, including the final '\0', is truncated and ends with "…". Error messages contain the line in
// `lua`, or the file and line in the game's code. Fails if the code raises an error, and during a replay.
SHOAL_HOST_API bool shoal_host_exec_lua(shoal_host *host, const char *lua, char *out, size_t out_bytes);

typedef enum shoal_host_type {
  SHOAL_HOST_NULL,
  SHOAL_HOST_INTEGER, // an integer, a boolean (0 or 1) or an entity
  SHOAL_HOST_REAL,
  SHOAL_HOST_STRING, // UTF-8: `size` bytes, followed by a '\0'
  SHOAL_HOST_BLOB
} shoal_host_type;

typedef struct shoal_host_value {
  shoal_host_type type;
  uint32_t size; // number of bytes of a string or blob; 0 for a string parameter: up to its '\0'
  int64_t integer;
  double real;
  const char *string; // contents of a string or blob
} shoal_host_value;

// Create the value of an SQL parameter. `string` is not copied.
static inline shoal_host_value shoal_host_integer_value(int64_t integer) {
  shoal_host_value v = {SHOAL_HOST_INTEGER, 0, integer, 0, NULL};
  return v;
}
static inline shoal_host_value shoal_host_real_value(double real) {
  shoal_host_value v = {SHOAL_HOST_REAL, 0, 0, real, NULL};
  return v;
}
static inline shoal_host_value shoal_host_string_value(const char *string) {
  shoal_host_value v = {SHOAL_HOST_STRING, 0, 0, 0, string};
  return v;
}

typedef struct shoal_host_result shoal_host_result;

// Runs one SQL statement. `values` are the values of its ? placeholders in order, at most 64. Returns the result, which
// the caller must free and which outlives the host, or NULL if the statement fails. Writes are atomic: applied
// completely or not at all. Statements that write fail while a recording is made or played.
SHOAL_HOST_API shoal_host_result *shoal_host_query(shoal_host *host, const char *sql, const shoal_host_value *values,
                                                   uint32_t value_count);
// Frees a result. Accepts NULL.
SHOAL_HOST_API void shoal_host_result_free(shoal_host_result *result);
// Return the number of rows and columns, the number of rows that a statement changed, the name of a column and a value.
// For NULL and for out-of-range indices, the functions return 0, "" or a value of type SHOAL_HOST_NULL. Strings are
// valid until the result is freed. Any thread.
SHOAL_HOST_API uint32_t shoal_host_result_row_count(const shoal_host_result *result);
SHOAL_HOST_API uint32_t shoal_host_result_column_count(const shoal_host_result *result);
SHOAL_HOST_API uint64_t shoal_host_result_changes(const shoal_host_result *result);
SHOAL_HOST_API const char *shoal_host_result_column_name(const shoal_host_result *result, uint32_t column);
SHOAL_HOST_API shoal_host_value shoal_host_result_value(const shoal_host_result *result, uint32_t row, uint32_t column);

#ifdef __cplusplus
}
#endif

#endif
