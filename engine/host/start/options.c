// Parses the command line with a table of options: name, whether a value follows, and a function that stores it.
// `--name value` and `--name=value` are equivalent.
#include "start/options.h"

#include "base/assert.h"
#include "base/limits.h"
#include "process/jobs.h"
#include "native/loop.h"
#include "base/nearest_name.h"
#include "base/utf8.h"
#include "link/link_sim.h"
#include "platform/player_name.h"
#include "start/package.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Determines whether a value follows an option. VALUE_OPTIONAL_NUMBER: the next argument is the value if it is a
// number.
typedef enum value_t { VALUE_NONE, VALUE_REQUIRED, VALUE_OPTIONAL_NUMBER } value_t;

typedef struct option_t {
  const char *name;
  value_t value;
  bool (*store)(options_t *o, const char *name, const char *value, error_info_t *error);
  size_t flag; // offset of the bool to set; used if `store` is NULL
} option_t;

static bool parse_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *out,
                         error_info_t *error) {
  char *end = NULL;
  errno = 0;
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  unsigned long long number = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, base) : 0;
  if (!end || *end || errno == ERANGE || number < min || number > max)
    return error_set(error, "%s must be an integer from %llu to %llu, got “%s”", name, (unsigned long long)min,
                     (unsigned long long)max, text);
  *out = number;
  return true;
}

static bool store_watch(options_t *o, const char *name, const char *value, error_info_t *error) {
  (void)value, (void)error;
  o->watch = strcmp(name, "--watch") == 0 ? FILE_WATCH_ON : FILE_WATCH_OFF;
  return true;
}

static bool store_ticks(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->has_ticks = true;
  return parse_number(name, value, 0, INT64_MAX, &o->ticks, error);
}

static bool store_seed(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->has_seed = true;
  return parse_number(name, value, 0, UINT64_MAX, &o->seed, error);
}

static bool store_screenshot(options_t *o, const char *name, const char *value, error_info_t *error) {
  (void)name, (void)error;
  o->screenshot = value;
  return true;
}

static bool store_screenshot_at(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->has_screenshot_at = true;
  return parse_number(name, value, 0, INT64_MAX, &o->screenshot_at, error);
}

static bool store_size(options_t *o, const char *name, const char *value, error_info_t *error) {
  uint64_t number = 0;
  if (!parse_number(name, value, 64, 16384, &number, error))
    return false;
  *(strcmp(name, "--width") == 0 ? &o->width : &o->height) = (int)number;
  return true;
}

static bool store_save(options_t *o, const char *name, const char *value, error_info_t *error) {
  *(strcmp(name, "--save") == 0 ? &o->save : strcmp(name, "--load") == 0 ? &o->load : &o->scene) = value;
  return value[0] || error_set(error, "%s requires a file name", name);
}

// Parses a number in [1, max]. Returns true on success, or false with a message.
static bool parse_count(const char *name, const char *value, uint32_t max, uint32_t *out, error_info_t *error) {
  uint64_t number = 0;
  if (!parse_number(name, value, 1, max, &number, error))
    return false;
  *out = (uint32_t)number;
  return true;
}

static bool store_workers(options_t *o, const char *name, const char *value, error_info_t *error) {
  return parse_count(name, value, JOBS_MAX_WORKERS, &o->workers, error);
}

static bool store_players(options_t *o, const char *name, const char *value, error_info_t *error) {
  return parse_count(name, value, PLAYER_MAX, &o->players, error);
}

static bool store_local(options_t *o, const char *name, const char *value, error_info_t *error) {
  return parse_count(name, value, PLAYER_MAX, &o->local, error);
}

static bool store_port(options_t *o, const char *name, const char *value, error_info_t *error) {
  uint64_t port = 0;
  o->has_port = true;
  if (!parse_number(name, value, 0, UINT16_MAX, &port, error))
    return false;
  o->port = (uint16_t)port;
  return true;
}

static bool store_join(options_t *o, const char *name, const char *value, error_info_t *error) {
  *(strcmp(name, "--join") == 0 ? &o->join : &o->key) = value;
  return value[0] || error_set(error, "%s requires %s", name,
                               strcmp(name, "--join") == 0 ? "the address of a host, such as 192.168.1.5"
                                                           : "the code that the host prints");
}

static bool store_password(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->password = value;
  return value[0] || error_set(error, "%s requires the name of a file with the password in its first line", name);
}

static bool store_name(options_t *o, const char *name, const char *value, error_info_t *error) {
  char clean[PLAYER_NAME_BYTES];
  player_name_clean(value, strlen(value), clean);
  o->name = value;
  if (!clean[0])
    return error_set(error, "%s requires a name in UTF-8, without control characters", name);
  const char *rest = value + strspn(value, " ") + strlen(clean);
  return rest[strspn(rest, " ")] == '\0' ||
         error_set(
             error, "%s: the name has %u characters and %zu bytes, but at most %u characters and %u bytes fit: try %s",
             name, utf8_count_characters(value), strlen(value), PLAYER_NAME_CHARACTERS, PLAYER_NAME_BYTES - 1, clean);
}

static bool store_net_sim(options_t *o, const char *name, const char *value, error_info_t *error) {
  link_sim_conditions_t conditions;
  error_info_t reason = {0};
  o->net_sim = value;
  return link_sim_parse(value, &conditions, &reason) || error_set(error, "%s: %s", name, reason.text);
}

static bool store_history(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->has_history = true;
  return parse_number(name, value, 0, 65536, &o->history_mb, error);
}

static bool store_check_rollback(options_t *o, const char *name, const char *value, error_info_t *error) {
  return parse_count(name, value, ROLLBACK_MAX_TICKS, &o->check_rollback, error);
}

static bool store_record(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->record = value;
  return value[0] || error_set(error, "%s requires a file name", name);
}

static bool store_resume(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->resume = value;
  return value[0] || error_set(error, "%s requires a crash report, such as shoal-90.crash.txt", name);
}

static bool store_replay(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->replay = value;
  return value[0] || error_set(error, "%s requires a file name", name);
}

static bool store_budget(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->has_budget = true;
  return parse_number(name, value, 0, 3600000, &o->budget_ms, error);
}

static bool store_memory(options_t *o, const char *name, const char *value, error_info_t *error) {
  return parse_number(name, value, 16, 1048576, &o->memory_mb, error);
}

static bool store_log(options_t *o, const char *name, const char *value, error_info_t *error) {
  if (log_level_parse(value, &o->log_level))
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

// Appends the value of an option that may be repeated to its list of at most `max` values.
static bool append_option(const char **list, uint32_t *count, uint32_t max, const char *name, const char *value,
                          error_info_t *error) {
  if (*count == max)
    return error_set(error, "too many %s options (at most %u)", name, max);
  list[(*count)++] = value;
  return true;
}

static bool store_exec(options_t *o, const char *name, const char *value, error_info_t *error) {
  return append_option(o->exec, &o->exec_count, OPTIONS_MAX_EXEC, name, value, error);
}

static bool store_cockpit(options_t *o, const char *name, const char *value, error_info_t *error) {
  uint64_t port = 0;
  o->cockpit = strcmp(name, "--no-cockpit") == 0 ? OPTIONS_COCKPIT_OFF : OPTIONS_COCKPIT_ON;
  if (value && !parse_number("--cockpit: the port", value, 1024, UINT16_MAX, &port, error))
    return false;
  o->cockpit_port = value ? (uint16_t)port : o->cockpit_port;
  return true;
}

static bool store_plugin(options_t *o, const char *name, const char *value, error_info_t *error) {
  if (!value[0])
    return error_set(error, "%s requires a library or a folder of libraries", name);
  return append_option(o->plugins, &o->plugin_count, OPTIONS_MAX_PLUGINS, name, value, error);
}

static bool store_dropped_addon(options_t *o, const char *name, const char *value, error_info_t *error) {
  if (!value[0])
    return error_set(error, "%s requires the name of an add-on", name);
  return append_option(o->drop_addons, &o->drop_addon_count, OPTIONS_MAX_DROPPED, name, value, error);
}

static bool store_types(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->types = value;
  return value[0] || error_set(error, "%s requires a file name", name);
}

static bool store_editor(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->editor = value;
  return value[0] || error_set(error, "%s requires a command, for example %s \"code -g %%f:%%l\"", name, name);
}

static bool store_log_file(options_t *o, const char *name, const char *value, error_info_t *error) {
  o->log_file = value;
  return value[0] || error_set(error, "%s requires a file name", name);
}

static bool store_native(options_t *o, const char *name, const char *value, error_info_t *error) {
  *(strcmp(name, "--native") == 0 ? &o->native : &o->explain) = value;
  return strcmp(name, "--native") == 0
             ? native_mode_check(value, error)
             : value[0] || error_set(error, "%s requires the name of a system, or “all”", name);
}

static const option_t OPTIONS[] = {
    {"--headless", VALUE_NONE, .flag = offsetof(options_t, headless)},
    {"--debug-draw", VALUE_NONE, .flag = offsetof(options_t, debug_draw)},
    {"--every-tick", VALUE_NONE, .flag = offsetof(options_t, every_tick)},
    {"--real-time", VALUE_NONE, .flag = offsetof(options_t, real_time)},
    {"--ticks", VALUE_REQUIRED, .store = store_ticks},
    {"--seed", VALUE_REQUIRED, .store = store_seed},
    {"--players", VALUE_REQUIRED, .store = store_players},
    {"--host", VALUE_NONE, .flag = offsetof(options_t, host)},
    {"--port", VALUE_REQUIRED, .store = store_port},
    {"--join", VALUE_REQUIRED, .store = store_join},
    {"--key", VALUE_REQUIRED, .store = store_join},
    {"--accept", VALUE_NONE, .flag = offsetof(options_t, accept)},
    {"--password", VALUE_REQUIRED, .store = store_password},
    {"--name", VALUE_REQUIRED, .store = store_name},
    {"--local", VALUE_REQUIRED, .store = store_local},
    {"--net-sim", VALUE_REQUIRED, .store = store_net_sim},
    {"--share-code", VALUE_NONE, .flag = offsetof(options_t, share_code)},
    {"--continue", VALUE_NONE, .flag = offsetof(options_t, continue_as_host)},
    {"--screenshot", VALUE_REQUIRED, .store = store_screenshot},
    {"--at", VALUE_REQUIRED, .store = store_screenshot_at},
    {"--exec", VALUE_REQUIRED, .store = store_exec},
    {"--watch", VALUE_NONE, .store = store_watch},
    {"--no-watch", VALUE_NONE, .store = store_watch},
    {"--trust", VALUE_NONE, .flag = offsetof(options_t, trust)},
    {"--width", VALUE_REQUIRED, .store = store_size},
    {"--height", VALUE_REQUIRED, .store = store_size},
    {"--fullscreen", VALUE_NONE, .flag = offsetof(options_t, fullscreen)},
    {"--strict", VALUE_NONE, .flag = offsetof(options_t, strict)},
    {"--check-rollback", VALUE_REQUIRED, .store = store_check_rollback},
    {"--temporary-saves", VALUE_NONE, .flag = offsetof(options_t, temporary_saves)},
    {"--no-jit", VALUE_NONE, .flag = offsetof(options_t, no_jit)},
    {"--native", VALUE_REQUIRED, .store = store_native},
    {"--explain", VALUE_REQUIRED, .store = store_native},
    {"--metadata", VALUE_NONE, .flag = offsetof(options_t, metadata)},
    {"--log", VALUE_REQUIRED, .store = store_log},
    {"--log-file", VALUE_REQUIRED, .store = store_log_file},
    {"--stats", VALUE_NONE, .flag = offsetof(options_t, stats)},
    {"--workers", VALUE_REQUIRED, .store = store_workers},
    {"--history", VALUE_REQUIRED, .store = store_history},
    {"--record", VALUE_REQUIRED, .store = store_record},
    {"--replay", VALUE_REQUIRED, .store = store_replay},
    {"--resume", VALUE_REQUIRED, .store = store_resume},
    {"--save", VALUE_REQUIRED, .store = store_save},
    {"--load", VALUE_REQUIRED, .store = store_save},
    {"--export", VALUE_REQUIRED, .store = store_save},
    {"--accept-edits", VALUE_NONE, .flag = offsetof(options_t, accept_edits)},
    {"--drop-addon", VALUE_REQUIRED, .store = store_dropped_addon},
    {"--write", VALUE_NONE, .flag = offsetof(options_t, write)},
    {"--plugin", VALUE_REQUIRED, .store = store_plugin},
    {"--cockpit", VALUE_OPTIONAL_NUMBER, .store = store_cockpit},
    {"--no-cockpit", VALUE_NONE, .store = store_cockpit},
    {"--cockpit-read-only", VALUE_NONE, .flag = offsetof(options_t, cockpit_read_only)},
    {"--editor", VALUE_REQUIRED, .store = store_editor},
    {"--types", VALUE_REQUIRED, .store = store_types},
    {"--budget", VALUE_REQUIRED, .store = store_budget},
    {"--memory", VALUE_REQUIRED, .store = store_memory},
};

// Returns ": did you mean OPTION?", or "" if no option is similar.
static const char *format_option_hint(const char *argument, char *out, uint32_t out_bytes) {
  char name[NEAREST_NAME_MAX_BYTES];
  nearest_name_t nearest;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
  nearest_name_init(&nearest, name);
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; ++i)
    nearest_name_offer(&nearest, OPTIONS[i].name);
  nearest_name_offer(&nearest, "--hash");
  return nearest_name_hint(&nearest, out, out_bytes);
}

// Returns the option named by `argument`, with or without "=value", or NULL if it is unknown. Sets *value to the text
// after '=', or to NULL if there is no '='.
static const option_t *find_option(const char *argument, const char **value) {
  const char *equals = strchr(argument, '=');
  size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
  *value = equals ? equals + 1 : NULL;
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; ++i)
    if (strlen(OPTIONS[i].name) == length && memcmp(OPTIONS[i].name, argument, length) == 0)
      return &OPTIONS[i];
  return NULL;
}

// Parses `--hash`, `--hash every=K` or `--hash=every=K`.
static bool parse_hash(options_t *o, const char *argument, const char *next_argument, int *index, error_info_t *error) {
  shoal_assert(strncmp(argument, "--hash", 6) == 0, "%s is not --hash", argument);
  const char *setting = argument[6] == '=' ? argument + 7 : next_argument;
  o->hash = true;
  if (!setting || strncmp(setting, "every=", 6) != 0)
    return argument[6] == 0 || error_set(error, "--hash: expected every=K, got “%s”", argument + 7);
  *index += argument[6] == 0;
  return parse_number("--hash: every", setting + 6, 1, INT64_MAX, &o->hash_every, error);
}

static bool parse_option(options_t *o, int argc, const char *const *argv, int *index, error_info_t *error) {
  const char *argument = argv[*index], *next_argument = *index + 1 < argc ? argv[*index + 1] : NULL, *value = NULL;
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  if (strcmp(argument, "--hash") == 0 || strncmp(argument, "--hash=", 7) == 0)
    return parse_hash(o, argument, next_argument, index, error);
  const option_t *option = find_option(argument, &value);
  if (!option)
    return error_set(error, "unknown option “%s” (see --help)%s", argument,
                     format_option_hint(argument, hint, sizeof hint));
  if (option->value == VALUE_NONE && value)
    return error_set(error, "%s does not accept a value: remove =%s", option->name, value);
  if (option->value == VALUE_REQUIRED && !value) {
    if (!next_argument)
      return error_set(error, "%s requires a value", option->name);
    value = next_argument;
    ++*index;
  }
  if (option->value == VALUE_OPTIONAL_NUMBER && !value && next_argument && next_argument[0] >= '0' &&
      next_argument[0] <= '9') {
    value = next_argument;
    ++*index;
  }
  return option->store ? option->store(o, option->name, value, error) : (*(bool *)((char *)o + option->flag) = true);
}

// Sets the options that the command `sql` implies: no window, no tick unless --ticks is given, and warnings only.
static void set_sql_defaults(options_t *o) {
  o->command = OPTIONS_SQL;
  o->headless = o->has_ticks = true;
  o->log_level = LOG_WARN;
}

static bool reject_command(const char *argument, error_info_t *error) {
  static const char *const COMMANDS[] = {"ask", "attach", "clip", "help", "play", "run", "sql", "version"};
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  nearest_name_init(&nearest, argument);
  for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; ++i)
    nearest_name_offer(&nearest, COMMANDS[i]);
  const char *suggestion = argument[0] == '-' ? format_option_hint(argument, hint, sizeof hint)
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

bool options_check_match(const options_t *o, error_info_t *error) {
  const struct {
    bool is_given;
    const char *name;
  } refused[] = {{o->check_rollback > 0, "--check-rollback"},
                 {o->every_tick, "--every-tick"},
                 {o->record != NULL, "--record"},
                 {o->resume != NULL, "--resume"},
                 {o->sql != NULL, "sql"},
                 {o->join && o->load, "--load"},
                 {o->join && o->players > 0, "--players"},
                 {o->has_history, "--history"}};
  if (o->host && o->join)
    return error_set(error, "--host cannot be used with --join: remove one of them");
  if (o->has_port && !o->host)
    return error_set(error, "--port requires --host");
  if (o->accept && !o->host && !o->continue_as_host)
    return error_set(error, "--accept requires --host, or --join with --continue");
  if ((o->name || o->password) && !o->host && !o->join)
    return error_set(error, "%s requires --host or --join", o->name ? "--name" : "--password");
  if ((o->key || o->continue_as_host) && !o->join)
    return error_set(error, "%s requires --join", o->key ? "--key" : "--continue");
  if (o->share_code && !o->host && !o->join)
    return error_set(error, "--share-code requires --host or --join");
  if (o->local > 0 && !options_start_match(o))
    return error_set(error, "--local requires --host, --join or --net-sim: without them, use --players");
  for (size_t i = 0; i < sizeof refused / sizeof *refused && options_start_match(o); ++i)
    if (refused[i].is_given)
      return error_set(error, "%s cannot be used in a match: remove it, or %s", refused[i].name,
                       o->host   ? "--host"
                       : o->join ? "--join"
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
  if (o->screenshot && !o->screenshot[0])
    return error_set(error, "--screenshot requires a file name");
  if (o->screenshot && o->headless)
    return error_set(error, "--screenshot cannot be used with --headless, which draws nothing: without a display, set "
                            "SDL_VIDEODRIVER=offscreen");
  if (o->has_screenshot_at && !o->screenshot)
    return error_set(error, "--at requires --screenshot FILE");
  if (o->has_screenshot_at && o->has_ticks && o->screenshot_at > o->ticks)
    return error_set(error, "--at must be at most %llu, the last tick (--ticks), got %llu",
                     (unsigned long long)o->ticks, (unsigned long long)o->screenshot_at);
  return options_check_match(o, error);
}

// Checks combinations of options, and sets options that other options imply. Returns false with a message if options
// exclude each other.
static bool finish_options(options_t *o, error_info_t *error) {
  if (!check_options(o, error))
    return false;
  if (o->has_screenshot_at && !o->has_ticks) {
    o->has_ticks = true;
    o->ticks = o->screenshot_at;
  }
  return true;
}

bool options_parse(int argc, const char *const *argv, options_t *out, error_info_t *error) {
  shoal_assert(argv && out && error, "argv, out and error must not be NULL");
  *out = (options_t){.program = argc > 0 ? argv[0] : "", .target = "", .log_level = LOG_INFO};
  // A start without arguments, for example by a file manager, shows the menu.
  if (!parse_command(out, argc < 2 ? "play" : argv[1], error))
    return false;
  bool has_target = false;
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      out->command = OPTIONS_HELP;
      return true;
    }
    if (argv[i][0] == '-' && argv[i][1]) {
      if (!parse_option(out, argc, argv, &i, error))
        return false;
    } else if (has_target && out->command == OPTIONS_SQL && !out->sql) {
      out->sql = argv[i];
    } else if (has_target || out->command == OPTIONS_HELP || out->command == OPTIONS_VERSION) {
      return error_set(error, "unexpected argument “%s” (see --help)", argv[i]);
    } else {
      has_target = true;
      out->target = argv[i];
    }
  }
  return finish_options(out, error);
}

bool options_start_match(const options_t *o) {
  return o->host || o->join || o->net_sim;
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

static const char *const PACKAGE_OPTIONS[] = {
    "--portable",
    "--fullscreen",
    "--width",
    "--height",
    "--load",
    "--replay",
    "--record",
    "--drop-addon",
    "--screenshot",
    "--at",
    "--headless",
    "--every-tick",
    "--ticks",
    "--seed",
    "--hash",
    "--save",
    "--workers",
    "--stats",
    "--log",
    "--log-file",
    "--help",
    "--version",
    "--temporary-saves",
    "--players",
    "--host",
    "--port",
    "--join",
    "--key",
    "--accept",
    "--password",
    "--name",
    "--local",
    "--net-sim",
    "--continue",
};

static bool is_package_option(const char *argument, nearest_name_t *nearest) {
  size_t length = strcspn(argument, "=");
  for (size_t i = 0; i < sizeof PACKAGE_OPTIONS / sizeof *PACKAGE_OPTIONS; ++i) {
    nearest_name_offer(nearest, PACKAGE_OPTIONS[i]);
    if (strlen(PACKAGE_OPTIONS[i]) == length && strncmp(PACKAGE_OPTIONS[i], argument, length) == 0)
      return true;
  }
  return false;
}

static bool parse_package_argument(options_t *o, int argc, const char *const *argv, int *index, error_info_t *error) {
  shoal_assert(*index > 0 && *index < argc, "argument %d is out of range (count %d)", *index, argc);
  char hint[NEAREST_NAME_MAX_BYTES + 32], name[NEAREST_NAME_MAX_BYTES];
  nearest_name_t nearest;
  const char *argument = strcmp(argv[*index], "-h") == 0 ? "--help" : argv[*index];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
  nearest_name_init(&nearest, name);
  if (!is_package_option(argument, &nearest))
    return error_set(error, "unknown option “%s” (see --help)%s", argument,
                     nearest_name_hint(&nearest, hint, sizeof hint));
  if (strcmp(argument, "--portable") == 0)
    return o->portable = true;
  if (strcmp(argument, "--help") != 0 && strcmp(argument, "--version") != 0)
    return parse_option(o, argc, argv, index, error);
  o->command = strcmp(argument, "--help") == 0 ? OPTIONS_HELP : OPTIONS_VERSION;
  return true;
}

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
    if (!parse_package_argument(out, argc, argv, &i, error))
      return false;
  return out->command != OPTIONS_RUN || finish_options(out, error);
}
