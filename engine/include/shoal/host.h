// A game inside a program of your own: its worlds, its scripts, its time. The library is libshoal (`pkg-config shoal`,
// or shoal::shoal in CMake; `./shoal install --prefix DIR` puts it there). C11, usable from C++17.
//
//   shoal_host_options options = shoal_host_defaults();
//   options.game = "mygame"; // a folder with game.lua
//   options.headless = true;
//   shoal_host *host = shoal_host_create(&options);
//   if (!host)
//     return fputs(shoal_host_error(), stderr), 2;
//   while (shoal_host_frame(host))
//     ; // between two frames the world can be asked and changed
//   shoal_host_destroy(host);
//
// Threads: all hosts of a program live on one thread, the one that creates the first of them; any other may call
// shoal_host_error alone. Callbacks are called on that thread, in the middle of a call, and may not call the host.
//
// Failures: a function that fails returns false, NULL or 0, and shoal_host_error says why in one sentence: also of a
// call in the wrong order, on the wrong thread, or of a host that was destroyed. Then nothing has changed.
//
// Time: a world changes in ticks, and only inside shoal_host_frame, shoal_host_step and the functions that say so.
// Between two of them the program reads and changes the world with the functions of <shoal/world.h>. Those changes and
// shoal_host_exec are part of a recording and of replayed ticks; what is written in place or by SQL is not, and is
// refused while a recording is made or played.
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

#define SHOAL_HOST_VERSION 1u

#if defined(__GNUC__)
#define SHOAL_HOST_API __attribute__((visibility("default")))
#else
#define SHOAL_HOST_API
#endif

typedef struct shoal_host shoal_host;

// ------------------------------------------------------------------------------------------------- creating a host

typedef enum shoal_host_level {
  SHOAL_HOST_LOG_DEFAULT, // info
  SHOAL_HOST_LOG_ERROR,
  SHOAL_HOST_LOG_WARN,
  SHOAL_HOST_LOG_INFO,
  SHOAL_HOST_LOG_DEBUG,
  SHOAL_HOST_LOG_SILENT
} shoal_host_level;

// What failed in a script, a plugin or a file of the game. Texts are "" where nothing is known; valid for the call.
typedef struct shoal_host_failure {
  const char *piece;     // "system movement", "components.lua"
  const char *message;   // a sentence, without the place
  const char *file;      // below the game's folder
  uint32_t line;         // 0: unknown
  const char *entity;    // the one that was at hand, as it prints
  const char *about;     // what the game's files say of it
  const char *traceback; // lines
  uint64_t tick;
} shoal_host_failure;

typedef void shoal_host_log_function(void *context, shoal_host_level level, const char *line);
typedef void shoal_host_failed_function(void *context, const shoal_host_failure *failure);

// Begin with shoal_host_defaults(): 0, NULL and false are the defaults. Everything is copied, but for what `window` and
// `context` point to.
typedef struct shoal_host_options {
  uint32_t size;    // of this struct, as the program was compiled with it
  uint32_t version; // SHOAL_HOST_VERSION, the same
  const char *game; // a folder with game.lua, or the name of one that is installed
  const char *root; // holds scripts/shoal (default: $SHOAL_ROOT, or where the library lies)

  bool headless;   // no window, no sound
  bool own_clock;  // shoal_host_frame_at says the time; else the clock does, and headless every frame is a tick
  bool watch;      // changed files of the game are taken over as they are saved
  bool strict;     // the first failure ends it
  bool has_seed;   // else 1 headless, and any in a window
  bool keep_quiet; // lines of the log go to `log` alone, and not to the standard error
  uint64_t seed;
  uint32_t history_mb; // of the past, for shoal_host_rewind (default: game.lua's in a window, none headless)
  uint32_t workers;    // threads (default: one for each core, at most 8)

  void *window;          // an SDL_Window with an OpenGL 3.3 core context, of the program's own (shoal_host_place)
  int32_t width, height; // of the host's own window (default: the game's)

  const char *load;   // a save to begin with
  const char *record; // a file that takes a recording
  const char *replay; // a file of one, which is played

  const char *const *words; // more, as `shoal run` has it: {"--memory", "64"}
  uint32_t word_count;

  void *context; // of the callbacks
  shoal_host_log_function *log;
  shoal_host_failed_function *failed;
  shoal_host_level log_level;

  // Where a crash leaves its report: in a call of these functions, or in a plugin, on whichever thread. Handlers for
  // SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT are set then until the last host is gone, and the program's own hear of
  // each signal after them. NULL: none is set.
  const char *crash_folder;
} shoal_host_options;

static inline shoal_host_options shoal_host_defaults(void) {
  shoal_host_options options;
  memset(&options, 0, sizeof options);
  options.size = (uint32_t)sizeof options;
  options.version = SHOAL_HOST_VERSION;
  return options;
}

// NULL when there is no such game, no window can be opened, or headless when the game cannot start; in a window the
// reason is shown, and saving the file that is mended starts it.
SHOAL_HOST_API shoal_host *shoal_host_create(const shoal_host_options *options);
// NULL is fine. The host is gone then: every later call with it fails and says so.
SHOAL_HOST_API void shoal_host_destroy(shoal_host *host);

// Why the last call on this thread failed; "" when it did not. Valid until the next call.
SHOAL_HOST_API const char *shoal_host_error(void);
SHOAL_HOST_API const char *shoal_host_version(void); // "0.1.0"

// -------------------------------------------------------------------------------------------------------- its time

// One frame: input, the ticks that are due, a picture. False when it was the last one (shoal_host_error is "" then).
SHOAL_HOST_API bool shoal_host_frame(shoal_host *host);
// The same with options.own_clock: `now_s` counts from any beginning and never goes back. The first frame is a tick;
// then as many are due as fit into the time, at most 5 in a frame and one second between two.
SHOAL_HOST_API bool shoal_host_frame_at(shoal_host *host, double now_s);
// No tick passes in a frame, until it is called with false.
SHOAL_HOST_API bool shoal_host_pause(shoal_host *host, bool on);
// Pauses it, and these ticks pass now.
SHOAL_HOST_API bool shoal_host_step(shoal_host *host, uint32_t ticks);
// Pauses it, and goes back these ticks; false when the past that is kept does not reach so far.
SHOAL_HOST_API bool shoal_host_rewind(shoal_host *host, uint32_t ticks);
// Takes over what has changed in the game's files, now. False when they are refused: the world goes on with the old.
SHOAL_HOST_API bool shoal_host_reload(shoal_host *host);
// The game begins anew.
SHOAL_HOST_API bool shoal_host_restart(shoal_host *host);
// The next frame is the last one.
SHOAL_HOST_API bool shoal_host_stop(shoal_host *host);
// 0 fine; 1 a script failed in a headless or strict run; 2 wrong use.
SHOAL_HOST_API int shoal_host_exit_code(shoal_host *host);

typedef struct shoal_host_state {
  uint32_t size;       // set before the call: sizeof(shoal_host_state)
  uint32_t entities;   // alive
  uint64_t tick;       // of the world
  uint64_t first_tick; // that can be gone back to
  double dt_s;         // of a tick
  uint64_t failures;   // since the host was created
  bool paused;         // by shoal_host_pause
  bool game_paused;    // by the game
  bool over;           // the last frame has been
} shoal_host_state;

SHOAL_HOST_API bool shoal_host_look(shoal_host *host, shoal_host_state *out);
// With options.window: the context is current in every call. A frame draws into this part of the bound framebuffer (all
// of it until this is called; pixels from the top left), changes OpenGL's state, and swaps nothing.
SHOAL_HOST_API bool shoal_host_place(shoal_host *host, int x, int y, int width, int height);
// The program takes SDL's events, and hands on those that are the game's. A const SDL_Event *, copied.
SHOAL_HOST_API bool shoal_host_event(shoal_host *host, const void *event);

// ------------------------------------------------------------------------------------------------ asking and changing

// The world of the host, for the functions of <shoal/world.h>; the same pointer as long as the host exists. A reload
// closes no query: frames and reloads are refused while one is open. shoal_save and shoal_load write and read files
// that the game saves. NULL only if `host` is NULL.
SHOAL_HOST_API shoal_world *shoal_host_world(shoal_host *host);

// Lua, as the console of the game has it; `out` (may be NULL) gets what it returns, as text, cut to fit.
SHOAL_HOST_API bool shoal_host_exec(shoal_host *host, const char *lua, char *out, size_t out_bytes);

typedef enum shoal_host_kind {
  SHOAL_HOST_NULL,
  SHOAL_HOST_INTEGER, // also truths (0, 1) and entities
  SHOAL_HOST_REAL,
  SHOAL_HOST_TEXT, // UTF-8, `size` bytes with a 0 behind them
  SHOAL_HOST_BLOB
} shoal_host_kind;

typedef struct shoal_host_value {
  shoal_host_kind kind;
  uint32_t size; // of text and blob. As a parameter, 0 with a text: up to its end
  int64_t integer;
  double real;
  const char *text; // of text and blob
} shoal_host_value;

static inline shoal_host_value shoal_host_integer(int64_t integer) {
  shoal_host_value v = {SHOAL_HOST_INTEGER, 0, integer, 0, NULL};
  return v;
}
static inline shoal_host_value shoal_host_real(double real) {
  shoal_host_value v = {SHOAL_HOST_REAL, 0, 0, real, NULL};
  return v;
}
static inline shoal_host_value shoal_host_text(const char *text) {
  shoal_host_value v = {SHOAL_HOST_TEXT, 0, 0, 0, text};
  return v;
}

typedef struct shoal_host_rows shoal_host_rows;

// One statement; `values` stand for its ?, in order. Returns its rows, which are the caller's and outlive the host;
// NULL when it fails. What a statement writes happens as a whole, or not at all.
SHOAL_HOST_API shoal_host_rows *shoal_host_sql(shoal_host *host, const char *sql, const shoal_host_value *values,
                                               uint32_t value_count);
SHOAL_HOST_API void shoal_host_rows_free(shoal_host_rows *rows); // NULL is fine
SHOAL_HOST_API uint32_t shoal_host_row_count(const shoal_host_rows *rows);
SHOAL_HOST_API uint32_t shoal_host_column_count(const shoal_host_rows *rows);
SHOAL_HOST_API uint64_t shoal_host_rows_changed(const shoal_host_rows *rows); // by a statement that writes
SHOAL_HOST_API const char *shoal_host_column_name(const shoal_host_rows *rows, uint32_t column); // "" past the last
SHOAL_HOST_API shoal_host_value shoal_host_row(const shoal_host_rows *rows, uint32_t row, uint32_t column);

#ifdef __cplusplus
}
#endif

#endif
