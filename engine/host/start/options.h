// Command-line options as data. Parsing has no side effects: it opens no files and prints nothing.
#ifndef SHOAL_START_OPTIONS_H
#define SHOAL_START_OPTIONS_H

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SHOAL_VERSION "0.1.0"
#define OPTIONS_MAX_EXEC 64
#define OPTIONS_MAX_PLUGINS 16
#define OPTIONS_MAX_DROPPED 32
#define OPTIONS_MAX_BUDGET_MS 3600000
#define OPTIONS_MIN_MEMORY_MB 16
#define OPTIONS_MAX_MEMORY_MB 1048576
#define MATCH_PORT 47110 // default UDP port of a match's host

typedef struct package_t package_t; // defined in start/package.h
struct script_report_t;             // defined in script/script.h

typedef enum options_command_t {
  OPTIONS_NONE,
  OPTIONS_PLAY,
  OPTIONS_RUN,
  OPTIONS_SQL,
  OPTIONS_CRASH_REPORT, // `crash-report FILE`, for internal use (crash_report/crash_report.h)
  OPTIONS_HELP,
  OPTIONS_VERSION
} options_command_t;
typedef enum options_watch_t {
  FILE_WATCH_DEFAULT,
  FILE_WATCH_ON,
  FILE_WATCH_OFF
} options_watch_t; // FILE_WATCH_DEFAULT: on if there is a window

typedef enum options_cockpit_t {
  OPTIONS_COCKPIT_DEFAULT,
  OPTIONS_COCKPIT_ON,
  OPTIONS_COCKPIT_OFF
} options_cockpit_t; // OPTIONS_COCKPIT_DEFAULT: on if there is a window, files are watched and the program stays open

// Values of the options. Strings point into argv, which outlives the host.
typedef struct options_t {
  options_command_t command;
  const char *program; // value of argv[0], used to locate the installation
  // PLAY: name of a game, "" for the menu; RUN: folder of a game; SQL: name or folder of a game, or a save
  const char *target;
  const char *sql; // SQL: statements to run on the save, or on the game after the last tick; NULL: no statements
  bool headless, fullscreen, strict, stats, trust, metadata, no_jit;
  bool temporary_saves; // true if --temporary-saves is given; see options_use_temporary_saves
  const char *native;   // mode of native code (native/loop.h); NULL: native systems are enabled
  const char *explain;  // name of a system, or "all"; NULL: not given
  bool every_tick;      // true if each frame runs one tick, at full speed
  bool real_time;       // true if ticks follow the clock, even when headless
  bool debug_draw;      // true if debug drawing is enabled from the start
  options_watch_t watch;
  bool has_ticks; // true if the run stops when the world's tick reaches `ticks`
  uint64_t ticks;
  bool has_seed; // true if --seed is given; false: the seed is 1 if headless, otherwise taken from the clock
  uint64_t seed;
  // Number of local players, 1 to 8. With `host` or `net_sim`, number of players for which the match waits. 0: the
  // minimum of the game.
  uint32_t players;
  // Matches (host/match_play.h)
  bool host;             // true if this machine is the host of a match
  bool has_port;         // true if --port is given; false: the port is MATCH_PORT
  uint16_t port;         // port of the host; 0: any free port
  const char *join;      // address of the host or the world to join; NULL: not given
  const char *world;     // address of the served world to join, which `join` contains, too; NULL: not given
  const char *code;      // code that invites to a served world or resets an account; NULL: not given
  const char *room;      // name of a room of a served world; NULL: any room
  bool accept;           // host: true if all machines may join without a question to the user
  const char *name;      // name of this machine's first player in a match; NULL: the name in the last match
  const char *key;       // code of the key that the joined host must have; NULL: unknown
  const char *password;  // file with the password of the match in its first line; NULL: no password
  uint32_t local;        // number of players on this machine in a match, 1 to 8; 0 means 1
  const char *net_sim;   // conditions of the simulated network (link_sim_parse); NULL: the real network
  bool share_code;       // true if a match accepts changed code from all machines, and shares this machine's changes
  bool continue_as_host; // --continue: true if this machine continues the match when the host is lost
  // Room of a served world (room/room.h), for internal use
  const char *db;           // database of the world; with `room`, this process runs the room
  int64_t owner;            // number of the supervisor as the world's owner in the database
  bool accept_loss;         // true if the room starts even if its last rows are malformed or missing
  bool has_beat_fd;         // true if `beat_fd` is set: the room reports to its supervisor
  uint32_t beat_fd;         // file descriptor for these reports
  uint64_t committed_hash;  // number of ticks between printed hashes of committed ticks; 0: prints no hashes
  uint32_t snapshot_s;      // maximum number of seconds between snapshots; 0: the default
  uint32_t snapshot_cpu_ms; // CPU time of ticks after which a snapshot is due; 0: the default
  uint32_t snapshot_bytes;  // size of records after which a snapshot is due; 0: the default
  const char *try_code;     // file of changed code that this process tries instead of running a room; NULL: not given
  const char *check_items;  // file of edited items that this process checks instead of running a room; NULL: not given
  bool rows;                // true if this process rewrites, or tries with `try_code`, the rows of players in no room
  bool has_prove;           // true if this process verifies the snapshot `prove` instead of running the room
  uint64_t prove;
  bool trace_desyncs;      // true if the room names the differences when a client's state differs
  bool hash;               // true if the world's hash is printed
  uint64_t hash_every;     // ticks between two hashes (default: 0, once at the end)
  const char *save, *load; // file names of --save and --load; NULL: not given
  const char *scene;       // file name of --export; NULL: not given
  bool accept_edits;       // true if `sql` applies edits that other programs have made to the save
  bool write;              // SQL: true if statements may change a save
  const char *screenshot;  // file name of the screenshot; NULL: no screenshot
  // True if --at is given. Otherwise, the screenshot is taken at the end. Without --ticks, the run stops after the
  // screenshot.
  bool has_screenshot_at;
  uint64_t screenshot_at;
  int width, height;       // size of the window in pixels (default: from game.lua)
  log_level_t log_level;   // lowest severity that is logged (default: LOG_INFO; SQL: LOG_WARN; packages: LOG_ERROR)
  const char *log_file;    // file name of the log; NULL: no log file
  uint32_t check_rollback; // number of ticks to simulate again after each tick; 0: disabled
  bool has_history;        // true if `history_mb` applies; false: game.lua sets the size, 0 if headless
  uint64_t history_mb;
  bool has_budget; // true if --budget is given; false: game.lua sets the budget
  uint64_t budget_ms;
  uint64_t memory_mb;          // memory limit of each VM in MiB; 0: default
  const char *record, *replay; // file names of --record and --replay; NULL: not given
  const char *resume;          // crash report of the game to continue (start/crash_summary.h); NULL: starts a new game
  uint32_t workers;            // number of threads, 1 … JOBS_MAX_WORKERS; 0: one per core, at most WORKERS_DEFAULT
  const char *exec[OPTIONS_MAX_EXEC];
  uint32_t exec_count;
  const char *drop_addons[OPTIONS_MAX_DROPPED]; // --drop-addon: not loaded from saves
  uint32_t drop_addon_count;
  const char *plugins[OPTIONS_MAX_PLUGINS]; // plugin libraries, or folders that contain them
  uint32_t plugin_count;
  options_cockpit_t cockpit;
  uint16_t cockpit_port; // port of the cockpit; 0: the first free port from COCKPIT_PORT on
  bool cockpit_read_only;
  const char *editor;       // command that opens a file in an editor, with %f and %l; NULL: no editor
  const char *types;        // output file for type definitions of the game and its plugins; NULL: not given
  const package_t *package; // package that contains this program; NULL: not packaged
  bool portable;            // true if --portable is given; packages only

  // Not set on the command line:
  void *window;            // window of an embedding program (host_handle_event)
  const char *root;        // folder that contains scripts/shoal (default: located automatically, see platform/paths.h)
  bool captured;           // true if the caller reads frames and sound (tools/clip): no sound device is opened
  bool own_clock;          // true if the caller sets the time (host_set_clock), even when headless
  bool no_terminal;        // true if log lines are passed only to the listener
  log_listener_t listener; // listener of log lines; may be NULL
  void *listener_context;
  void (*failed)(void *context, const struct script_report_t *report); // callback for each script error; may be NULL
  void *failed_context;
} options_t;

// Parses the arguments. Returns true on success, or false with a message if an option or argument is unknown or
// invalid, lacks its value, or cannot be combined with the other options.
bool options_parse(int argc, const char *const *argv, options_t *out, error_info_t *error);
// Writes the help text of the program.
void options_print_help(FILE *out);
// Returns true if this process runs a room of a served world.
bool options_run_room(const options_t *o);
// Returns true if a match accepts changed code from other machines: with --share-code, and with --world, because only
// the host of a room changes its code.
bool options_accept_code(const options_t *o);
// Returns true if the run is a match: with --host, --join, --world or --net-sim, or a room.
bool options_start_match(const options_t *o);
// Checks the options of matches. Returns true if they can be combined. Returns false with a message if they exclude
// each other, or if a different option excludes a match.
bool options_check_match(const options_t *o, error_info_t *error);
// Disables the history, because in a match, a rewind would change one machine only.
void options_disable_history(options_t *o);
// Returns true if the run must not change the user's saves and settings (game/temporary_saves.h), because no player
// plays it. This applies to --temporary-saves, --replay, --check-rollback and `sql`, and to --export and --types in
// headless runs.
bool options_use_temporary_saves(const options_t *o);

// Returns true if the program must start again without the plugin when a plugin crashes (crash_report/supervisor.h).
// This applies during development: in a window, while files are watched. Returns false in packages, embedding programs
// and matches, with --strict, --replay and --check-rollback, and in continuous integration (the variable CI is set).
// Also returns false with --resume, because the program starts again only once.
bool options_restart_after_crash(const options_t *o);

// Parses the arguments of a packaged program, which accepts only the options for players and for support. Returns true
// on success, or false with a message.
bool options_parse_package(int argc, const char *const *argv, const package_t *package, options_t *out,
                           error_info_t *error);
// Writes the options of packaged programs.
void options_print_package_help(FILE *out);

#endif
