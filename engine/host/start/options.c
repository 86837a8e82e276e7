// The options of the program and of packages: table, commands, combinations and help text.
#include "start/options.h"

#include "base/assert.h"
#include "base/file_path.h"
#include "base/limits.h"
#include "process/jobs.h"
#include "native/loop.h"
#include "base/nearest_name.h"
#include "base/option_table.h"
#include "base/utf8.h"
#include "link/link_sim.h"
#include "platform/host_keys.h"
#include "platform/player_name.h"
#include "start/package.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Bits of option_t.programs: the developer's program, packages, whose help text lists SUPPORT options separately, and
// processes of rooms (INTERNAL).
enum { DEVELOPER = 1, PLAYER = 2, SUPPORT = 4, PACKAGED = PLAYER | SUPPORT, INTERNAL = 8 };

// --- values that need more than the table's rules

// Accepts `--hash`, `--hash every=K` and `--hash=every=K`.
static bool read_hash(void *out, const char *name, const char *value, error_info_t *error) {
  options_t *o = out;
  o->hash = true;
  if (value && strncmp(value, "every=", 6) != 0)
    return error_set(error, "%s: expected every=K, got “%s”", name, value);
  return !value || option_parse_integer("--hash: every", value + 6, 1, INT64_MAX, &o->hash_every, error);
}

static bool read_name(void *out, const char *name, const char *value, error_info_t *error) {
  char clean[PLAYER_NAME_BYTES];
  (void)out;
  player_name_clean(value, strlen(value), clean);
  if (!clean[0])
    return error_set(error, "%s requires a name in UTF-8, without control characters", name);
  const char *rest = value + strspn(value, " ") + strlen(clean);
  return rest[strspn(rest, " ")] == '\0' ||
         error_set(
             error, "%s: the name has %u characters and %zu bytes, but at most %u characters and %u bytes fit: try %s",
             name, utf8_count_characters(value), strlen(value), PLAYER_NAME_CHARACTERS, PLAYER_NAME_BYTES - 1, clean);
}

static bool read_net_sim(void *out, const char *name, const char *value, error_info_t *error) {
  link_sim_conditions_t conditions;
  error_info_t reason = {0};
  (void)out;
  return link_sim_parse(value, &conditions, &reason) || error_set(error, "%s: %s", name, reason.text);
}

static bool read_log(void *out, const char *name, const char *value, error_info_t *error) {
  if (log_level_parse(value, &((options_t *)out)->log_level))
    return true;
  static const char *const LEVELS[] = {"debug", "error", "info", "none", "warn"};
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, value);
  for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; ++i)
    nearest_name_offer(&nearest, LEVELS[i]);
  return error_set(error, "%s: unknown level “%s” (error, warn, info, debug or none)%s", name, value,
                   nearest_name_hint(&nearest, hint, sizeof hint));
}

static bool read_cockpit(void *out, const char *name, const char *value, error_info_t *error) {
  options_t *o = out;
  uint64_t port = 0;
  (void)name;
  o->cockpit = OPTIONS_COCKPIT_ON;
  if (value && !option_parse_integer("--cockpit: the port", value, 1024, UINT16_MAX, &port, error))
    return false;
  o->cockpit_port = value ? (uint16_t)port : o->cockpit_port;
  return true;
}

static bool read_editor(void *out, const char *name, const char *value, error_info_t *error) {
  (void)out;
  return value[0] || error_set(error, "%s requires a command, for example %s \"code -g %%f:%%l\"", name, name);
}

static bool read_native(void *out, const char *name, const char *value, error_info_t *error) {
  (void)out, (void)name;
  return native_mode_check(value, error);
}

// --- the table

// Limits shown in the help text.
#define WATCHED_MS LIMITS_TEXT(BUDGET_SYSTEM_DEVELOPMENT_MS)
#define ALONE_MS LIMITS_TEXT(BUDGET_SYSTEM_MS)
#define START_MS LIMITS_TEXT(BUDGET_START_MS)

#define MEMBER(member) .offset = offsetof(options_t, member), .bytes = sizeof((options_t *)0)->member
#define GIVEN(member) .given = offsetof(options_t, member)
#define SET(member, value) .kind = OPTION_SET, MEMBER(member), .min = (value)
#define FLAG(member) SET(member, true)
#define INTEGER(member, min_, max_) .kind = OPTION_INTEGER, MEMBER(member), .min = (min_), .max = (max_)
#define TEXT(member, what) .kind = OPTION_TEXT, MEMBER(member), .required = (what)
#define LIST(member, count_, max_, what)                                                                               \
  .kind = OPTION_LIST, MEMBER(member), .count = offsetof(options_t, count_), .max = (max_), .required = (what)
#define A_FILE "a file name"

// clang-format off
static const option_t OPTIONS[] = {
  {"--headless", NULL, "run without a window or sound, at full speed", DEVELOPER | SUPPORT, FLAG(headless)},
  {"--real-time", NULL, "with --headless: run at the game's tick rate instead of full speed", DEVELOPER,
   FLAG(real_time)},
  {"--debug-draw", NULL, "overlay bodies, solid tiles, lights, paths and names, as F3 does", DEVELOPER,
   FLAG(debug_draw)},
  {"--every-tick", NULL, "draw every tick, at full speed instead of real time: for videos and benchmarks",
   DEVELOPER | SUPPORT, FLAG(every_tick)},
  {"--ticks", "N", "stop at tick N", DEVELOPER | SUPPORT, INTEGER(ticks, 0, INT64_MAX), GIVEN(has_ticks)},
  {"--seed", "N", "seed of the world's random numbers (default: 1 if headless, else from the clock)",
   DEVELOPER | SUPPORT, INTEGER(seed, 0, UINT64_MAX), GIVEN(has_seed)},
  {"--players", "N", "number of players on this machine, in games that declare players (default: the minimum)",
   DEVELOPER | PLAYER, INTEGER(players, 1, PLAYER_MAX_LOBBY)},
  {"--host", NULL,
   "be the host of a match over a network, in games that declare players; it begins in a\n"
   "lobby or, with --players N, when N players have joined; prints “listening: ADDRESS:PORT”\n"
   "and a key", DEVELOPER | PLAYER, FLAG(host)},
  {"--port", "P", "UDP port of the host (default: " LIMITS_TEXT(MATCH_PORT) "; 0: any free one)", DEVELOPER | PLAYER,
   INTEGER(port, 0, UINT16_MAX), GIVEN(has_port)},
  {"--join", "ADDRESS[:PORT]", "join the match of a host; --join lan: of one in the local network", DEVELOPER | PLAYER,
   TEXT(join, "the address of a host, such as 192.168.1.5")},
  {"--world", "ADDRESS[:PORT]", "join a served world", DEVELOPER | PLAYER,
   TEXT(world, "the address of a served world, such as play.example.org")},
  {"--code", "CODE", "with --world: code of an invitation or of a reset, which the world's operator has given you",
   DEVELOPER | PLAYER, TEXT(code, "a code such as abcd-efgh-jkmn")},
  {"--room", "NAME", "with --world: join this room (default: the room of the last visit)", DEVELOPER | PLAYER,
   TEXT(room, "the name of a room")},
  {"--key", "CODE", "with --join or --world: require the key that the host has printed", DEVELOPER | PLAYER,
   TEXT(key, "the code that the host prints")},
  {"--continue", NULL, "with --join: if the host is lost, continue the match as the host", DEVELOPER | PLAYER,
   FLAG(continue_as_host)},
  {"--accept", NULL, "as the host, let every machine join without a question", DEVELOPER | PLAYER, FLAG(accept)},
  {"--password", "FILE",
   "the first line of this file is the password: as the host, ask for it instead of the\n"
   "question; with --join, send it to a host whose key is known or given by --key", DEVELOPER | PLAYER,
   TEXT(password, "the name of a file with the password in its first line")},
  {"--name", "NAME", "name of this machine's player in a match (default: as in the last match)", DEVELOPER | PLAYER,
   .kind = OPTION_TEXT, MEMBER(name), .read = read_name},
  {"--share-code", NULL, "in a match, reload changed code on all machines; all must have this option", DEVELOPER,
   FLAG(share_code)},
  {"--local", "N", "players on this machine in a match (default: 1)", DEVELOPER | PLAYER,
   INTEGER(local, 1, PLAYER_MAX_LOBBY)},
  {"--net-sim", "RTT,JITTER,LOSS",
   "simulate a network, such as 120ms,40ms,5%; without --host and --join, host and peer\n"
   "run in this process", DEVELOPER | SUPPORT, .kind = OPTION_TEXT, MEMBER(net_sim), .read = read_net_sim},
  {"--hash", "[every=K]", "print “tick T hash H” every K ticks, or once at the end", DEVELOPER | SUPPORT,
   .read = read_hash},
  {"--screenshot", "FILE", "write a PNG at the end", DEVELOPER | SUPPORT, TEXT(screenshot, A_FILE)},
  {"--at", "TICK", "write the screenshot at this tick instead; without --ticks, also stop there", DEVELOPER | SUPPORT,
   INTEGER(screenshot_at, 0, INT64_MAX), GIVEN(has_screenshot_at)},
  {"--save", "FILE", "save the world at the end", DEVELOPER | SUPPORT, TEXT(save, A_FILE)},
  {"--load", "FILE", "load a saved world", DEVELOPER | PLAYER, TEXT(load, A_FILE)},
  {"--drop-addon", "NAME",
   "load saves without the parts of this add-on, which the game no longer uses; may be repeated", DEVELOPER | PLAYER,
   LIST(drop_addons, drop_addon_count, OPTIONS_MAX_DROPPED, "the name of an add-on")},
  {"--temporary-saves", NULL,
   "write saves and settings to a temporary folder instead of the user's (always with\n"
   "--replay, --check-rollback and sql, and headless with --export or --types)", DEVELOPER | SUPPORT,
   FLAG(temporary_saves)},
  {"--export", "FILE", "write the entities as JSON at the end (the format of scenes/*.json)", DEVELOPER,
   TEXT(scene, A_FILE)},
  {"--exec", "LUA", "run Lua code after the start and print its result; may be repeated", DEVELOPER,
   LIST(exec, exec_count, OPTIONS_MAX_EXEC, NULL)},
  {"--plugin", "PATH", "load a plugin, or all plugins of a folder; may be repeated", DEVELOPER,
   LIST(plugins, plugin_count, OPTIONS_MAX_PLUGINS, "a library or a folder of libraries")},
  {"--cockpit", "[PORT]",
   "serve the cockpit to browsers on this machine, and to shoal ask and attach (default: in\n"
   "a window with --watch)", DEVELOPER, .read = read_cockpit},
  {"--cockpit-read-only", NULL, "clients of the cockpit cannot change anything", DEVELOPER, FLAG(cockpit_read_only)},
  {"--no-cockpit", NULL, "do not serve the cockpit", DEVELOPER, SET(cockpit, OPTIONS_COCKPIT_OFF)},
  {"--editor", "COMMAND", "command with which the cockpit opens files, such as \"code -g %f:%l\"", DEVELOPER,
   .kind = OPTION_TEXT, MEMBER(editor), .read = read_editor},
  {"--types", "FILE", "write type definitions of the game and its plugins, for editors", DEVELOPER,
   TEXT(types, A_FILE)},
  {"--watch", NULL, "reload when a file is saved (default: on in a window)", DEVELOPER, SET(watch, FILE_WATCH_ON)},
  {"--no-watch", NULL, "do not reload files", DEVELOPER, SET(watch, FILE_WATCH_OFF)},
  {"--width", "N", "width of the window in pixels (default: from game.lua)", DEVELOPER | PLAYER,
   INTEGER(width, 64, 16384)},
  {"--height", "N", "height of the window in pixels (default: from game.lua)", DEVELOPER | PLAYER,
   INTEGER(height, 64, 16384)},
  {"--fullscreen", NULL, "start in fullscreen", DEVELOPER | PLAYER, FLAG(fullscreen)},
  {"--portable", NULL, "keep saves and settings in saved/, next to the program", PLAYER, FLAG(portable)},
  {"--trust", NULL, "allow “native = true” in a game outside scripts/games", DEVELOPER, FLAG(trust)},
  {"--check-rollback", "N",
   "after every tick, rewind N ticks and simulate them again; if the results differ,\n"
   "report entities, fields and systems, and exit with code 1", DEVELOPER,
   INTEGER(check_rollback, 1, ROLLBACK_MAX_TICKS)},
  {"--no-jit", NULL, "interpret scripts: same results, many times slower", DEVELOPER, FLAG(no_jit)},
  {"--metadata", NULL, "load components declared with t.metadata", DEVELOPER, FLAG(metadata)},
  {"--strict", NULL, "exit with code 1 on any script error", DEVELOPER, FLAG(strict)},
  {"--budget", "MS",
   "time limit of a script function (overrides game.lua); 30 times as long for\n"
   "`start`, 10 times for loading; 0: no limit (default: game.lua's, else\n"
   WATCHED_MS ", or " ALONE_MS " without a window or --watch; " START_MS " for `start` and for loading)", DEVELOPER,
   INTEGER(budget_ms, 0, OPTIONS_MAX_BUDGET_MS), GIVEN(has_budget)},
  {"--memory", "MB", "memory limit for scripts (default: " LIMITS_TEXT(SCRIPT_MEMORY_MB) ")", DEVELOPER,
   INTEGER(memory_mb, OPTIONS_MIN_MEMORY_MB, OPTIONS_MAX_MEMORY_MB)},
  {"--log", "LEVEL", "log this level and above: error, warn, info, debug or none (default: info)", DEVELOPER | SUPPORT,
   .read = read_log},
  {"--log-file", "FILE", "also write the log to this file", DEVELOPER | SUPPORT, TEXT(log_file, A_FILE)},
  {"--workers", "N",
   "number of threads, including the main thread; results do not depend on it\n"
   "(default: one per core, at most " LIMITS_TEXT(WORKERS_DEFAULT) ")", DEVELOPER | SUPPORT,
   INTEGER(workers, 1, JOBS_MAX_WORKERS)},
  {"--record", "FILE", "record the input, including external input, for --replay", DEVELOPER | SUPPORT,
   TEXT(record, A_FILE)},
  {"--replay", "FILE", "replay a recording; exit with code 1 at the first tick that differs", DEVELOPER | SUPPORT,
   TEXT(replay, A_FILE)},
  {"--resume", "FILE",
   "continue the game of this crash report from its last state, without the plugin that crashed", DEVELOPER,
   TEXT(resume, "a crash report, such as shoal-90.crash.txt")},
  {"--history", "MB", "memory for the history (rewinding); 0: none (default: game.lua's in a window, else 0)",
   DEVELOPER, INTEGER(history_mb, 0, 65536), GIVEN(has_history)},
  {"--explain", "SYSTEM",
   "print at the end whether the system runs as native code, or why not; all: every system", DEVELOPER,
   TEXT(explain, "the name of a system, or “all”")},
  {"--native", "MODE",
   "on, off, now (wait for compilation), or sse2, avx2, avx512 (at most these instructions)", DEVELOPER,
   .kind = OPTION_TEXT, MEMBER(native), .read = read_native},
  {"--stats", NULL, "print ticks per second, time per system and allocations at the end", DEVELOPER | SUPPORT,
   FLAG(stats)},
  {"--accept-edits", NULL, "sql: apply edits of other programs to a save", DEVELOPER, FLAG(accept_edits)},
  {"--write", NULL, "sql: statements may change the save", DEVELOPER, FLAG(write)},
  {"--db", "FILE", "database of the world", INTERNAL, TEXT(db, A_FILE)},
  {"--owner", "N", "number of the world's owner", INTERNAL, INTEGER(owner, 1, INT64_MAX)},
  {"--accept-loss", NULL, "drop the room's rows from the first malformed one on", INTERNAL, FLAG(accept_loss)},
  {"--fd", "N", "file descriptor of the supervisor", INTERNAL, INTEGER(beat_fd, 0, INT32_MAX), GIVEN(has_beat_fd)},
  {"--snapshots", "S", "seconds between snapshots", INTERNAL, INTEGER(snapshot_s, 1, 86400)},
  {"--snapshot-cpu", "MS", "CPU time between snapshots", INTERNAL, INTEGER(snapshot_cpu_ms, 1, 86400000)},
  {"--snapshot-bytes", "N", "size of records between snapshots", INTERNAL, INTEGER(snapshot_bytes, 1, INT32_MAX)},
  {"--prove", "N", "prove the snapshot after this record", INTERNAL, INTEGER(prove, 1, INT64_MAX), GIVEN(has_prove)},
  {"--committed-hash", "K", "print the hash of every Kth tick once it is committed", INTERNAL,
   INTEGER(committed_hash, 1, INT64_MAX)},
  {"--try", "FILE", "try the changed code in this file in a copy of the room", INTERNAL, TEXT(try_code, A_FILE)},
  {"--check-items", "FILE", "check the edited items in this file with the world's code", INTERNAL,
   TEXT(check_items, A_FILE)},
  {"--rows", NULL, "rewrite the rows of players in no room, or try the changed code with them", INTERNAL, FLAG(rows)},
  {"--trace-desyncs", NULL, "name the differences of clients whose state differs", INTERNAL, FLAG(trace_desyncs)},
  {"--help", NULL, "show this text", DEVELOPER | PLAYER, SET(command, OPTIONS_HELP)},
  {"--version", NULL, "show the version", DEVELOPER | PLAYER, SET(command, OPTIONS_VERSION)},
};
// clang-format on

static const option_table_t DEVELOPERS = {OPTIONS, sizeof OPTIONS / sizeof *OPTIONS, DEVELOPER | INTERNAL, "--help"};
static const option_table_t PACKAGES = {OPTIONS, sizeof OPTIONS / sizeof *OPTIONS, PACKAGED, "--help"};

// --- commands

// Sets the options that the command `sql` implies: no window, no tick unless --ticks is given, and warnings only.
static void set_sql_defaults(options_t *o) {
  o->command = OPTIONS_SQL;
  o->headless = o->has_ticks = true;
  o->log_level = LOG_WARN;
}

static bool reject_command(const char *argument, error_info_t *error) {
  static const char *const COMMANDS[] = {"ask", "attach", "clip", "help",    "play",
                                         "run", "serve",  "sql",  "version", "world"};
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, argument);
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; ++i)
    nearest_name_offer(&nearest, COMMANDS[i]);
  const char *suggestion = argument[0] == '-' ? option_table_hint(&DEVELOPERS, argument, hint, sizeof hint)
                                              : nearest_name_hint(&nearest, hint, sizeof hint);
  return error_set(error, "unknown %s “%s” (see --help)%s", argument[0] == '-' ? "option" : "command", argument,
                   suggestion);
}

static bool parse_command(options_t *o, const char *argument, error_info_t *error) {
  if (strcmp(argument, "play") == 0)
    o->command = OPTIONS_PLAY;
  else if (strcmp(argument, "run") == 0)
    o->command = OPTIONS_RUN;
  else if (strcmp(argument, "sql") == 0)
    set_sql_defaults(o);
  else if (strcmp(argument, "crash-report") == 0)
    o->command = OPTIONS_CRASH_REPORT;
  else if (strcmp(argument, "help") == 0 || strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
    o->command = OPTIONS_HELP;
  else if (strcmp(argument, "version") == 0 || strcmp(argument, "--version") == 0)
    o->command = OPTIONS_VERSION;
  else
    return reject_command(argument, error);
  return true;
}

// Checks that a room has the options that it requires, and that the options of rooms are not used elsewhere.
static bool check_room(const options_t *o, error_info_t *error) {
  if (!options_run_room(o))
    return !(o->owner || o->accept_loss || o->has_beat_fd || o->committed_hash || o->trace_desyncs || o->db) ||
           error_set(error, "--db, --owner, --accept-loss, --fd, --committed-hash and --trace-desyncs belong to a "
                            "room: start rooms with ./shoal serve");
  if (o->command != OPTIONS_RUN || !o->headless || o->owner == 0)
    return error_set(error, "--room and --db require run, --headless and --owner: start rooms with ./shoal serve");
  return !(o->host || o->join || o->world || o->net_sim || o->load) ||
         error_set(error, "--room cannot be used with --host, --join, --world, --net-sim and --load: remove them");
}

static bool check_world(const options_t *o, error_info_t *error) {
  const struct {
    bool is_given;
    const char *name;
  } refused[] = {{o->host, "--host"},
                 {o->join && o->join != o->world, "--join"},
                 {o->continue_as_host, "--continue"},
                 {o->share_code, "--share-code"},
                 {o->password != NULL, "--password"}};
  if (o->code && !o->world)
    return error_set(error, "--code requires --world");
  if (o->room && !o->world && !o->db)
    return error_set(error, "--room requires --world");
  for (size_t i = 0; i < sizeof refused / sizeof *refused && o->world; ++i)
    if (refused[i].is_given)
      return error_set(error, "%s cannot be used with --world: remove one of them", refused[i].name);
  return true;
}

bool options_check_match(const options_t *o, error_info_t *error) {
  bool joins = o->join || o->world;
  const struct {
    bool is_given;
    const char *name;
  } refused[] = {{o->check_rollback > 0, "--check-rollback"},
                 {o->every_tick, "--every-tick"},
                 {o->record != NULL, "--record"},
                 {o->resume != NULL, "--resume"},
                 {o->sql != NULL, "sql"},
                 {joins && o->load, "--load"},
                 {joins && o->players > 0, "--players"},
                 {o->has_history, "--history"}};
  if (!check_world(o, error))
    return false;
  if (o->host && o->join)
    return error_set(error, "--host cannot be used with --join: remove one of them");
  if (o->has_port && !o->host && !options_run_room(o))
    return error_set(error, "--port requires --host");
  if (o->accept && !o->host && !o->continue_as_host)
    return error_set(error, "--accept requires --host, or --join with --continue");
  if ((o->name || o->password) && !o->host && !joins)
    return error_set(error,
                     o->name ? "--name requires --host, --join or --world" : "--password requires --host or --join");
  if ((o->key || o->continue_as_host) && !joins)
    return error_set(error, o->key ? "--key requires --join or --world" : "--continue requires --join");
  if (o->share_code && !o->host && !o->join)
    return error_set(error, "--share-code requires --host or --join");
  if (o->local > 0 && !options_start_match(o))
    return error_set(error, "--local requires --host, --join, --world or --net-sim: without them, use --players");
  for (size_t i = 0; i < sizeof refused / sizeof *refused && options_start_match(o); ++i)
    if (refused[i].is_given)
      return error_set(error, "%s cannot be used in a match: remove it, or %s", refused[i].name,
                       options_run_room(o) ? "--db"
                       : o->host           ? "--host"
                       : o->world          ? "--world"
                       : o->join           ? "--join"
                                           : "--net-sim");
  return true;
}

static bool check_options(const options_t *o, error_info_t *error) {
  if (o->command == OPTIONS_RUN && !o->target[0])
    return error_set(error, "run requires a game folder: run DIR");
  if (o->command == OPTIONS_SQL && (!o->target[0] || (!o->sql && !o->accept_edits)))
    return error_set(error, "sql requires a game or a save, and a query: sql GAME \"SELECT …\"");
  if (o->write && o->command != OPTIONS_SQL)
    return error_set(error, "--write requires a save: sql FILE \"…\" --write");
  if (o->accept_edits && o->command != OPTIONS_SQL)
    return error_set(error, "--accept-edits requires a save: run ./shoal sql FILE --accept-edits --write first, which "
                            "applies the edits, then load the file");
  if (o->resume && o->replay)
    return error_set(error, "--resume cannot be used with --replay: remove one of them");
  if (o->real_time && (!o->headless || o->every_tick))
    return error_set(error, o->every_tick
                                ? "--real-time cannot be used with --every-tick: remove one of them"
                                : "--real-time requires --headless: a game in a window always runs in real time");
  if (o->screenshot && o->headless)
    return error_set(error, "--screenshot cannot be used with --headless, which draws nothing: without a display, set "
                            "SDL_VIDEODRIVER=offscreen");
  if (o->has_screenshot_at && !o->screenshot)
    return error_set(error, "--at requires --screenshot FILE");
  if (o->has_screenshot_at && o->has_ticks && o->screenshot_at > o->ticks)
    return error_set(error, "--at must be at most %llu, the last tick (--ticks), got %llu",
                     (unsigned long long)o->ticks, (unsigned long long)o->screenshot_at);
  return check_room(o, error) && options_check_match(o, error);
}

// Checks combinations of options, and sets options that other options imply. Returns true on success, or false with a
// message if options exclude each other, or lack an option that they require.
static bool finish_options(options_t *o, error_info_t *error) {
  if (!check_options(o, error))
    return false;
  o->join = o->world ? o->world : o->join; // --world implies --join
  if (o->has_screenshot_at && !o->has_ticks) {
    o->has_ticks = true;
    o->ticks = o->screenshot_at;
  }
  return true;
}

bool options_parse(int argc, const char *const *argv, options_t *out, error_info_t *error) {
  shoal_assert(argv && out && error, "argv, out and error must not be NULL");
  *out = (options_t){.program = argc > 0 ? argv[0] : "", .target = "", .log_level = LOG_INFO};
  // A start without arguments, for example from a file manager, shows the menu.
  if (!parse_command(out, argc < 2 ? "play" : argv[1], error))
    return false;
  bool has_target = false;
  for (int i = 2; i < argc; ++i) {
    if (argv[i][0] == '-' && argv[i][1]) {
      if (!option_table_parse(&DEVELOPERS, out, argc, argv, &i, error))
        return false;
      if (out->command == OPTIONS_HELP || out->command == OPTIONS_VERSION)
        return true;
    } else if (has_target && out->command == OPTIONS_SQL && !out->sql) {
      out->sql = argv[i];
    } else if (has_target || out->command == OPTIONS_HELP || out->command == OPTIONS_VERSION) {
      return error_set(error, "unexpected argument “%s” (see --help)", argv[i]);
    } else {
      has_target = true;
      path_use_slashes((char *)(uintptr_t)argv[i]);
      out->target = argv[i];
    }
  }
  return finish_options(out, error);
}

bool options_accept_code(const options_t *o) {
  return o->share_code || o->world;
}

bool options_run_room(const options_t *o) {
  return o->room && o->db;
}

bool options_start_match(const options_t *o) {
  return o->host || o->join || o->world || o->net_sim || options_run_room(o);
}

void options_disable_history(options_t *o) {
  o->has_history = true;
  o->history_mb = 0;
}

bool options_use_temporary_saves(const options_t *o) {
  return o->temporary_saves || o->replay || o->sql || o->check_rollback > 0 || (o->headless && (o->scene || o->types));
}

bool options_restart_after_crash(const options_t *o) {
  const char *ci = getenv("CI");
  bool is_development = (o->command == OPTIONS_PLAY || o->command == OPTIONS_RUN) && !o->package && !o->window &&
                        !o->headless && o->watch != FILE_WATCH_OFF;
  return is_development && !options_start_match(o) && !o->strict && !o->replay && !o->resume &&
         o->check_rollback == 0 && !(ci && ci[0]);
}

// --- programs of packages

bool options_parse_package(int argc, const char *const *argv, const package_t *package, options_t *out,
                           error_info_t *error) {
  shoal_assert(package->game[0], "package has no game folder");
  *out = (options_t){.command = OPTIONS_RUN,
                     .program = argc > 0 ? argv[0] : "",
                     .target = package->game,
                     .trust = package->trusted,
                     .log_level = LOG_ERROR, // warnings are for the game's developers
                     .watch = FILE_WATCH_OFF,
                     .package = package};
  for (int i = 1; i < argc && out->command == OPTIONS_RUN; ++i)
    if (!option_table_parse(&PACKAGES, out, argc, argv, &i, error))
      return false;
  return out->command != OPTIONS_RUN || finish_options(out, error);
}

// --- help text

void options_print_help(FILE *out) {
  fputs("usage: shoal                         open the menu of games\n"
        "       shoal play [GAME] [options]   play a game from scripts/games; without GAME, open the menu\n"
        "       shoal run DIR [options]       run a game from any folder\n"
        "       shoal sql GAME \"SELECT …\"    query a game's world after --ticks N (default: 0); GAME is a name or a "
        "folder\n"
        "       shoal sql FILE \"SELECT …\"    query a save; with --write, statements may change it\n"
        "       shoal sql FILE --accept-edits --write   apply edits of other programs to a save\n"
        "       shoal ask PORT \"SELECT …\"    query a running game (--cockpit), --all: without a limit of rows;\n"
        "                                  attach PORT: interactive SQL and Lua\n"
        "       shoal add PATH [--to GAME]    copy an add-on into a game; --replace overwrites an edited copy\n"
        "       shoal serve GAME [options]    serve the rooms of a game; see shoal serve --help\n"
        "       shoal world DB status         show the rooms of a served world\n"
        "       shoal clip GAME --replay FILE --from S --to S --out FILE.webp   write a clip; see shoal clip --help\n"
        "       shoal --help | --version\n\n",
        out);
  option_table_print(&DEVELOPERS, DEVELOPER, out);
#define KEY_HELP(action, key, scancode, modifier, help) "  " key ": " help "\n"
  fputs("\nkeys in a window:\n" HOST_KEYS(
            KEY_HELP) "exit status: 0 success, 1 a script failed (headless or --strict), 2 usage error\n",
        out);
}

void options_print_package_help(FILE *out) {
  option_table_print(&PACKAGES, PLAYER, out);
  fputs("\nto report problems to the developers:\n", out);
  option_table_print(&PACKAGES, SUPPORT, out);
}
