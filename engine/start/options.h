// The command line as data. Parsing touches nothing outside: no file is opened, nothing is printed.
#ifndef SHOAL_START_OPTIONS_H
#define SHOAL_START_OPTIONS_H

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>

#define SHOAL_VERSION "0.1.0"
#define OPTIONS_MAX_EXEC 64
#define OPTIONS_MAX_PLUGINS 16

typedef struct package_t package_t; // start/package.h
struct script_report_t;             // script/script.h

typedef enum options_word_t {
  OPTIONS_NONE,
  OPTIONS_PLAY,
  OPTIONS_RUN,
  OPTIONS_SQL,
  OPTIONS_CRASH, // `crash-report FILE`, for this program itself (crash_report/crash_report.h)
  OPTIONS_HELP,
  OPTIONS_VERSION
} options_word_t;
typedef enum options_watch_t {
  FILE_WATCH_DEFAULT,
  FILE_WATCH_ON,
  FILE_WATCH_OFF
} options_watch_t; // default: on in a window

typedef enum options_cockpit_t {
  OPTIONS_COCKPIT_DEFAULT,
  OPTIONS_COCKPIT_ON,
  OPTIONS_COCKPIT_OFF
} options_cockpit_t; // default: on in a window that watches files and is to stay open

// Texts point into argv, which outlives the host.
typedef struct options_t {
  options_word_t word;
  const char *program; // argv[0], to find the installation
  const char *target;  // PLAY: a game's name; RUN: a game folder; SQL: either; "" for the menu
  const char *sql;     // SQL: what to ask when the last tick is over
  bool headless, fullscreen, strict, stats, trust, metadata, no_jit;
  const char *native;  // a mode (native/loop.h); NULL: on
  const char *explain; // a system, or "all"; NULL for none
  bool every_tick;     // a tick each frame, whatever the clock says
  bool debug_draw;     // from the beginning, without a key
  options_watch_t watch;
  bool has_ticks; // stop when the world's tick reaches `ticks`
  uint64_t ticks;
  bool has_seed; // else 1 headless, the clock's in a window
  uint64_t seed;
  bool hash;               // print the world's hash
  uint64_t hash_every;     // ticks between two hashes (default: 0, once at the end)
  const char *save, *load; // files; NULL for none
  const char *scene;       // --export: a file; NULL for none
  bool accept_edits;       // of a save that somebody has changed
  bool write;              // SQL: a save may be changed
  const char *screenshot;  // NULL for none
  bool has_screenshot_at;  // else at the end; without --ticks the run ends with the picture
  uint64_t screenshot_at;
  int width, height;       // of the window (default: the game's own)
  log_level_t log_level;   // default: LOG_INFO
  const char *log_file;    // NULL for none
  uint32_t check_rollback; // ticks that are lived again after each; 0: none
  bool has_history;        // else game.lua's in a window, and none headless
  uint64_t history_mb;
  bool has_budget; // else game.lua's
  uint64_t budget_ms;
  uint64_t memory_mb;          // of each VM; 0: the default
  const char *record, *replay; // files; NULL for none
  uint32_t workers;            // 1 … JOBS_MAX_WORKERS; 0: one for each core, at most WORKERS_DEFAULT
  const char *exec[OPTIONS_MAX_EXEC];
  uint32_t exec_count;
  const char *plugins[OPTIONS_MAX_PLUGINS]; // libraries, or folders of them
  uint32_t plugin_count;
  options_cockpit_t cockpit;
  uint16_t cockpit_port;    // 0: the first free one of COCKPIT_PORT and those behind it
  bool cockpit_reads;       // nothing can be changed from there
  const char *editor;       // a command with %f and %l in it; NULL for none
  const char *types;        // a file for the definitions of what the game's plugins add; NULL for none
  const package_t *package; // that the program is part of: somebody plays. NULL: somebody is at work
  bool portable;            // of a package

  // No words of the command line:
  void *window;            // see host_event
  const char *root;        // holds scripts/shoal (default: it is looked for, see platform/paths.h)
  bool own_clock;          // the caller says the time (host_set_clock), also of a headless run
  bool no_terminal;        // lines of the log go to the listener alone
  log_listener_t listener; // of the log; NULL for none
  void *listener_context;
  void (*failed)(void *context, const struct script_report_t *report); // what has failed; may be NULL
  void *failed_context;
} options_t;

// False with one sentence when a word or an option means nothing, lacks its value, or cannot be granted.
bool options_parse(int argc, const char *const *argv, options_t *out, error_t *error);
const char *options_help(void);

// The same for the program of a package, which has few words: for players, and for those who help them.
bool options_parse_package(int argc, const char *const *argv, const package_t *package, options_t *out, error_t *error);
const char *options_package_help(void);

#endif
