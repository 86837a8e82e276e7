// Options are a table: a name, whether a value follows, and one function that stores it. `--name value` and
// `--name=value` mean the same.
#include "start/options.h"

#include "base/assert.h"
#include "base/limits.h"
#include "process/jobs.h"
#include "native/loop.h"
#include "platform/host_keys.h"
#include "base/nearest_name.h"
#include "start/package.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum value_t { VALUE_NONE, VALUE_NEEDED, VALUE_NUMBER } value_t; // NUMBER: one may follow

typedef struct option_t {
  const char *name;
  value_t value;
  bool (*store)(options_t *o, const char *name, const char *value, error_t *error);
  size_t flag; // without a function: the bool that it sets
} option_t;

static bool parse_number(const char *name, const char *text, uint64_t max, uint64_t *out, error_t *error) {
  char *end = NULL;
  errno = 0;
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  unsigned long long n = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, base) : 0;
  if (!end || *end || errno == ERANGE || n > max)
    return error_set(error, "%s: “%s” is not a whole number from 0 to %llu", name, text, (unsigned long long)max);
  *out = n;
  return true;
}

static bool store_watch(options_t *o, const char *name, const char *value, error_t *error) {
  (void)value, (void)error;
  o->watch = strcmp(name, "--watch") == 0 ? FILE_WATCH_ON : FILE_WATCH_OFF;
  return true;
}

static bool store_ticks(options_t *o, const char *name, const char *value, error_t *error) {
  o->has_ticks = true;
  return parse_number(name, value, INT64_MAX, &o->ticks, error);
}

static bool store_seed(options_t *o, const char *name, const char *value, error_t *error) {
  o->has_seed = true;
  return parse_number(name, value, UINT64_MAX, &o->seed, error);
}

static bool store_screenshot(options_t *o, const char *name, const char *value, error_t *error) {
  (void)name, (void)error;
  o->screenshot = value;
  return true;
}

static bool store_at(options_t *o, const char *name, const char *value, error_t *error) {
  o->has_screenshot_at = true;
  return parse_number(name, value, INT64_MAX, &o->screenshot_at, error);
}

static bool store_size(options_t *o, const char *name, const char *value, error_t *error) {
  uint64_t n = 0;
  if (!parse_number(name, value, 16384, &n, error))
    return false;
  if (n < 64)
    return error_set(error, "%s: a window needs at least 64 pixels", name);
  *(strcmp(name, "--width") == 0 ? &o->width : &o->height) = (int)n;
  return true;
}

static bool store_save(options_t *o, const char *name, const char *value, error_t *error) {
  *(strcmp(name, "--save") == 0 ? &o->save : strcmp(name, "--load") == 0 ? &o->load : &o->scene) = value;
  return value[0] || error_set(error, "%s needs the name of a file", name);
}

// From 1 to `most`; `why` is what 0 is told.
static bool parse_count(const char *name, const char *value, uint32_t most, const char *why, uint32_t *out,
                        error_t *error) {
  uint64_t n = 0;
  if (!parse_number(name, value, most, &n, error))
    return false;
  *out = (uint32_t)n;
  return n > 0 || error_set(error, "%s: %s 1 or more", name, why);
}

static bool store_workers(options_t *o, const char *name, const char *value, error_t *error) {
  return parse_count(name, value, JOBS_MAX_WORKERS, "somebody has to do the work:", &o->workers, error);
}

static bool store_history(options_t *o, const char *name, const char *value, error_t *error) {
  o->has_history = true;
  return parse_number(name, value, 65536, &o->history_mb, error);
}

static bool store_check_rollback(options_t *o, const char *name, const char *value, error_t *error) {
  return parse_count(name, value, ROLLBACK_MAX_TICKS, "how many ticks are to be lived again?", &o->check_rollback,
                     error);
}

static bool store_record(options_t *o, const char *name, const char *value, error_t *error) {
  o->record = value;
  return value[0] || error_set(error, "%s needs the name of a file", name);
}

static bool store_replay(options_t *o, const char *name, const char *value, error_t *error) {
  o->replay = value;
  return value[0] || error_set(error, "%s needs the name of a file", name);
}

static bool store_budget(options_t *o, const char *name, const char *value, error_t *error) {
  o->has_budget = true;
  return parse_number(name, value, 3600000, &o->budget_ms, error);
}

static bool store_memory(options_t *o, const char *name, const char *value, error_t *error) {
  if (!parse_number(name, value, 1048576, &o->memory_mb, error))
    return false;
  return o->memory_mb >= 16 || error_set(error, "%s: a game's scripts need at least 16 MB", name);
}

static bool store_log(options_t *o, const char *name, const char *value, error_t *error) {
  if (log_level_parse(value, &o->log_level))
    return true;
  static const char *const levels[] = {"debug", "error", "info", "none", "warn"};
  char hint[SIMILAR_MAX + 32];
  nearest_name_t meant;
  nearest_name_begin(&meant, value);
  for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i)
    nearest_name_offer(&meant, levels[i]);
  return error_set(error, "%s: “%s” is not a level (error, warn, info, debug or none)%s", name, value,
                   nearest_name_hint(&meant, hint, sizeof hint));
}

static bool store_exec(options_t *o, const char *name, const char *value, error_t *error) {
  if (o->exec_count == OPTIONS_MAX_EXEC)
    return error_set(error, "%s: more than %d of them", name, OPTIONS_MAX_EXEC);
  o->exec[o->exec_count++] = value;
  return true;
}

static bool store_cockpit(options_t *o, const char *name, const char *value, error_t *error) {
  uint64_t port = 0;
  o->cockpit = strcmp(name, "--no-cockpit") == 0 ? OPTIONS_COCKPIT_OFF : OPTIONS_COCKPIT_ON;
  if (value && (!parse_number(name, value, UINT16_MAX, &port, error) || port < 1024))
    return error_set(error, "%s: “%s” is no port: one from 1024 to 65535", name, value);
  o->cockpit_port = value ? (uint16_t)port : o->cockpit_port;
  return true;
}

static bool store_plugin(options_t *o, const char *name, const char *value, error_t *error) {
  if (!value[0])
    return error_set(error, "%s needs a library, or a folder of them", name);
  if (o->plugin_count == OPTIONS_MAX_PLUGINS)
    return error_set(error, "%s: more than %d of them", name, OPTIONS_MAX_PLUGINS);
  o->plugins[o->plugin_count++] = value;
  return true;
}

static bool store_types(options_t *o, const char *name, const char *value, error_t *error) {
  o->types = value;
  return value[0] || error_set(error, "%s needs the name of a file", name);
}

static bool store_editor(options_t *o, const char *name, const char *value, error_t *error) {
  o->editor = value;
  return value[0] || error_set(error, "%s needs a program, as in %s \"code -g %%f:%%l\"", name, name);
}

static bool store_log_file(options_t *o, const char *name, const char *value, error_t *error) {
  o->log_file = value;
  return value[0] || error_set(error, "%s needs the name of a file", name);
}

static bool store_native(options_t *o, const char *name, const char *value, error_t *error) {
  *(strcmp(name, "--native") == 0 ? &o->native : &o->explain) = value;
  return strcmp(name, "--native") == 0 ? native_mode_check(value, error)
                                       : value[0] || error_set(error, "%s needs a system, or all", name);
}

static const option_t options_known[] = {
    {"--headless", VALUE_NONE, .flag = offsetof(options_t, headless)},
    {"--debug-draw", VALUE_NONE, .flag = offsetof(options_t, debug_draw)},
    {"--every-tick", VALUE_NONE, .flag = offsetof(options_t, every_tick)},
    {"--ticks", VALUE_NEEDED, .store = store_ticks},
    {"--seed", VALUE_NEEDED, .store = store_seed},
    {"--screenshot", VALUE_NEEDED, .store = store_screenshot},
    {"--at", VALUE_NEEDED, .store = store_at},
    {"--exec", VALUE_NEEDED, .store = store_exec},
    {"--watch", VALUE_NONE, .store = store_watch},
    {"--no-watch", VALUE_NONE, .store = store_watch},
    {"--trust", VALUE_NONE, .flag = offsetof(options_t, trust)},
    {"--width", VALUE_NEEDED, .store = store_size},
    {"--height", VALUE_NEEDED, .store = store_size},
    {"--fullscreen", VALUE_NONE, .flag = offsetof(options_t, fullscreen)},
    {"--strict", VALUE_NONE, .flag = offsetof(options_t, strict)},
    {"--check-rollback", VALUE_NEEDED, .store = store_check_rollback},
    {"--no-jit", VALUE_NONE, .flag = offsetof(options_t, no_jit)},
    {"--native", VALUE_NEEDED, .store = store_native},
    {"--explain", VALUE_NEEDED, .store = store_native},
    {"--metadata", VALUE_NONE, .flag = offsetof(options_t, metadata)},
    {"--log", VALUE_NEEDED, .store = store_log},
    {"--log-file", VALUE_NEEDED, .store = store_log_file},
    {"--stats", VALUE_NONE, .flag = offsetof(options_t, stats)},
    {"--workers", VALUE_NEEDED, .store = store_workers},
    {"--history", VALUE_NEEDED, .store = store_history},
    {"--record", VALUE_NEEDED, .store = store_record},
    {"--replay", VALUE_NEEDED, .store = store_replay},
    {"--save", VALUE_NEEDED, .store = store_save},
    {"--load", VALUE_NEEDED, .store = store_save},
    {"--export", VALUE_NEEDED, .store = store_save},
    {"--accept-edits", VALUE_NONE, .flag = offsetof(options_t, accept_edits)},
    {"--write", VALUE_NONE, .flag = offsetof(options_t, write)},
    {"--plugin", VALUE_NEEDED, .store = store_plugin},
    {"--cockpit", VALUE_NUMBER, .store = store_cockpit},
    {"--no-cockpit", VALUE_NONE, .store = store_cockpit},
    {"--cockpit-read-only", VALUE_NONE, .flag = offsetof(options_t, cockpit_reads)},
    {"--editor", VALUE_NEEDED, .store = store_editor},
    {"--types", VALUE_NEEDED, .store = store_types},
    {"--budget", VALUE_NEEDED, .store = store_budget},
    {"--memory", VALUE_NEEDED, .store = store_memory},
};

// "(see --help)", or the option that was meant.
static const char *option_hint(const char *argument, char *out, uint32_t out_bytes) {
  char name[SIMILAR_MAX];
  nearest_name_t meant;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
  nearest_name_begin(&meant, name);
  for (size_t i = 0; i < sizeof options_known / sizeof *options_known; ++i)
    nearest_name_offer(&meant, options_known[i].name);
  nearest_name_offer(&meant, "--hash");
  return nearest_name_hint(&meant, out, out_bytes);
}

// Finds the option that `argument` names, with or without "=value"; *value points behind the '=' or is NULL.
static const option_t *find_option(const char *argument, const char **value) {
  const char *equals = strchr(argument, '=');
  size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
  *value = equals ? equals + 1 : NULL;
  for (size_t i = 0; i < sizeof options_known / sizeof *options_known; ++i)
    if (strlen(options_known[i].name) == length && memcmp(options_known[i].name, argument, length) == 0)
      return &options_known[i];
  return NULL;
}

// `--hash` stands alone or is followed by every=K.
static bool parse_hash(options_t *o, const char *argument, const char *next, int *i, error_t *error) {
  shoal_assert(strncmp(argument, "--hash", 6) == 0, "%s is another option", argument);
  const char *every = argument[6] == '=' ? argument + 7 : next;
  o->hash = true;
  if (!every || strncmp(every, "every=", 6) != 0)
    return argument[6] == 0 || error_set(error, "--hash: “%s” is not every=K", argument + 7);
  *i += argument[6] == 0;
  if (!parse_number("--hash every", every + 6, INT64_MAX, &o->hash_every, error))
    return false;
  return o->hash_every > 0 || error_set(error, "--hash every: 0 ticks is no interval");
}

static bool parse_option(options_t *o, int argc, const char *const *argv, int *i, error_t *error) {
  const char *argument = argv[*i], *next = *i + 1 < argc ? argv[*i + 1] : NULL, *value = NULL;
  char hint[SIMILAR_MAX + 32];
  if (strcmp(argument, "--hash") == 0 || strncmp(argument, "--hash=", 7) == 0)
    return parse_hash(o, argument, next, i, error);
  const option_t *option = find_option(argument, &value);
  if (!option)
    return error_set(error, "unknown option “%s” (see --help)%s", argument, option_hint(argument, hint, sizeof hint));
  if (option->value == VALUE_NONE && value)
    return error_set(error, "%s takes no value", option->name);
  if (option->value == VALUE_NEEDED && !value) {
    if (!next)
      return error_set(error, "%s needs a value", option->name);
    value = next;
    ++*i;
  }
  if (option->value == VALUE_NUMBER && !value && next && next[0] >= '0' && next[0] <= '9') {
    value = next;
    ++*i;
  }
  return option->store ? option->store(o, option->name, value, error) : (*(bool *)((char *)o + option->flag) = true);
}

// No window, no tick unless --ticks says so, and nothing but the answer.
static void ask_sql(options_t *o) {
  o->word = OPTIONS_SQL;
  o->headless = o->has_ticks = true;
  o->log_level = LOG_WARN;
}

static bool refuse_word(const char *word, error_t *error) {
  static const char *const words[] = {"ask", "attach", "help", "play", "run", "sql", "version"};
  char hint[SIMILAR_MAX + 32];
  nearest_name_t meant;
  nearest_name_begin(&meant, word);
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    nearest_name_offer(&meant, words[i]);
  const char *words_of_it =
      word[0] == '-' ? option_hint(word, hint, sizeof hint) : nearest_name_hint(&meant, hint, sizeof hint);
  return error_set(error, "unknown %s “%s” (see --help)%s", word[0] == '-' ? "option" : "word", word, words_of_it);
}

static bool parse_word(options_t *o, const char *word, error_t *error) {
  if (strcmp(word, "play") == 0)
    o->word = OPTIONS_PLAY;
  else if (strcmp(word, "run") == 0)
    o->word = OPTIONS_RUN;
  else if (strcmp(word, "sql") == 0)
    ask_sql(o);
  else if (strcmp(word, "crash-report") == 0)
    o->word = OPTIONS_CRASH;
  else if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
    o->word = OPTIONS_HELP;
  else if (strcmp(word, "version") == 0 || strcmp(word, "--version") == 0)
    o->word = OPTIONS_VERSION;
  else
    return refuse_word(word, error);
  return true;
}

static bool check_options(const options_t *o, error_t *error) {
  if (o->word == OPTIONS_RUN && !o->target[0])
    return error_set(error, "run needs the folder of a game: run DIR");
  if (o->word == OPTIONS_SQL && (!o->target[0] || !o->sql))
    return error_set(error, "sql needs a game or a save, and a question: sql GAME \"SELECT …\"");
  if (o->write && o->word != OPTIONS_SQL)
    return error_set(error, "--write belongs to sql FILE \"…\"");
  if (o->screenshot && !o->screenshot[0])
    return error_set(error, "--screenshot needs the name of a file");
  if (o->screenshot && o->headless)
    return error_set(error, "--screenshot: with --headless there is nothing to see; without a screen use "
                            "SDL_VIDEODRIVER=offscreen");
  if (o->has_screenshot_at && !o->screenshot)
    return error_set(error, "--at belongs to --screenshot FILE");
  if (o->has_screenshot_at && o->has_ticks && o->screenshot_at > o->ticks)
    return error_set(error, "--at %llu is after the last tick", (unsigned long long)o->screenshot_at);
  return true;
}

// When all are known: what one means for another.
static bool finish_options(options_t *o, error_t *error) {
  if (!check_options(o, error))
    return false;
  if (o->has_screenshot_at && !o->has_ticks) {
    o->has_ticks = true;
    o->ticks = o->screenshot_at;
  }
  return true;
}

bool options_parse(int argc, const char *const *argv, options_t *out, error_t *error) {
  shoal_assert(argv && out && error, "words, where what they mean goes, and where what is wrong with them goes");
  *out = (options_t){.program = argc > 0 ? argv[0] : "", .target = "", .log_level = LOG_INFO};
  if (!parse_word(out, argc < 2 ? "play" : argv[1], error)) // alone, as a file manager starts it: the menu
    return false;
  bool has_target = false;
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      out->word = OPTIONS_HELP;
      return true;
    }
    if (argv[i][0] == '-' && argv[i][1]) {
      if (!parse_option(out, argc, argv, &i, error))
        return false;
    } else if (has_target && out->word == OPTIONS_SQL && !out->sql) {
      out->sql = argv[i];
    } else if (has_target || out->word == OPTIONS_HELP || out->word == OPTIONS_VERSION) {
      return error_set(error, "one word too many: “%s” (see --help)", argv[i]);
    } else {
      has_target = true;
      out->target = argv[i];
    }
  }
  return finish_options(out, error);
}

// --- of a package

static const char *const package_options[] = {
    "--portable",   "--fullscreen", "--width",    "--height",     "--load",     "--replay", "--record",
    "--screenshot", "--at",         "--headless", "--every-tick", "--ticks",    "--seed",   "--hash",
    "--save",       "--workers",    "--stats",    "--log",        "--log-file", "--help",   "--version",
};

static bool is_package_option(const char *word, nearest_name_t *meant) {
  size_t length = strcspn(word, "=");
  for (size_t i = 0; i < sizeof package_options / sizeof *package_options; ++i) {
    nearest_name_offer(meant, package_options[i]);
    if (strlen(package_options[i]) == length && strncmp(package_options[i], word, length) == 0)
      return true;
  }
  return false;
}

static bool parse_package_word(options_t *o, int argc, const char *const *argv, int *i, error_t *error) {
  shoal_assert(*i > 0 && *i < argc, "there is no word %d of %d", *i, argc);
  char hint[SIMILAR_MAX + 32], name[SIMILAR_MAX];
  nearest_name_t meant;
  const char *word = strcmp(argv[*i], "-h") == 0 ? "--help" : argv[*i];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  nearest_name_begin(&meant, name);
  if (!is_package_option(word, &meant))
    return error_set(error, "“%s” means nothing here (see --help)%s", word,
                     nearest_name_hint(&meant, hint, sizeof hint));
  if (strcmp(word, "--portable") == 0)
    return o->portable = true;
  if (strcmp(word, "--help") != 0 && strcmp(word, "--version") != 0)
    return parse_option(o, argc, argv, i, error);
  o->word = strcmp(word, "--help") == 0 ? OPTIONS_HELP : OPTIONS_VERSION;
  return true;
}

bool options_parse_package(int argc, const char *const *argv, const package_t *package, options_t *out,
                           error_t *error) {
  shoal_assert(package->game[0], "the package has no game");
  *out = (options_t){.word = OPTIONS_RUN,
                     .program = argc > 0 ? argv[0] : "",
                     .target = package->game,
                     .trust = package->trust,
                     .log_level = LOG_WARN,
                     .watch = FILE_WATCH_OFF,
                     .package = package};
  for (int i = 1; i < argc && out->word == OPTIONS_RUN; ++i)
    if (!parse_package_word(out, argc, argv, &i, error))
      return false;
  return out->word != OPTIONS_RUN || finish_options(out, error);
}

const char *options_package_help(void) {
  return "  --fullscreen          begin on the whole screen\n"
         "  --width N, --height N size of the window\n"
         "  --portable            keep saves and settings in saved/, beside the program\n"
         "  --load FILE           go on with a saved game\n"
         "\n"
         "to help those who made it:\n"
         "  --record FILE         write down what is played; --replay FILE plays it again\n"
         "  --screenshot FILE     write a picture at the end, or --at TICK\n"
         "  --headless            no window, no sound, as fast as it goes; --ticks N, --seed N, --hash [every=K]\n"
         "  --every-tick, --save FILE, --workers N, --stats, --log LEVEL, --log-file FILE\n";
}

// Numbers and keys as text.
#define WATCHED_MS LIMITS_TEXT(BUDGET_SYSTEM_DEVELOPMENT_MS)
#define ALONE_MS LIMITS_TEXT(BUDGET_SYSTEM_MS)
#define START_MS LIMITS_TEXT(BUDGET_START_MS)
#define MEMORY_MB LIMITS_TEXT(SCRIPT_MEMORY_MB)
#define WORKERS LIMITS_TEXT(WORKERS_DEFAULT)
#define KEY_HELP(action, key, scancode, modifier, help) "  " key ": " help "\n"
#define KEYS HOST_KEYS(KEY_HELP)

const char *options_help(void) {
  return "usage: shoal                         a menu of games\n"
         "       shoal play [GAME] [options]   a game of scripts/games; without GAME the menu\n"
         "       shoal run DIR [options]       a game folder from anywhere\n"
         "       shoal sql GAME \"SELECT …\"    asks a game's world, after --ticks N (0); GAME is a name or a folder\n"
         "       shoal sql FILE \"SELECT …\"    asks a save; with --write it may be changed\n"
         "       shoal ask PORT \"SELECT …\"    asks a game that runs (--cockpit); attach PORT: line by line, Lua too\n"
         "       shoal --help | --version\n\n"
         "  --headless            no window, no sound, as fast as it goes\n"
         "  --debug-draw          bodies, solid tiles, lights, ways and names over the picture, as F3 shows them\n"
         "  --every-tick          a picture of every tick, as fast as it goes and not by the clock: for films and "
         "timing\n"
         "  --ticks N             stop when the world's tick reaches N\n"
         "  --seed N              of the world's random numbers (default: 1 headless, else from the clock)\n"
         "  --hash [every=K]      print “tick T hash H” every K ticks, or once at the end\n"
         "  --screenshot FILE     write a PNG at the end, or\n"
         "    --at TICK           at this tick (and stop there, unless --ticks says otherwise)\n"
         "  --save FILE           save the world at the end\n"
         "  --load FILE           go on with a saved world; --accept-edits takes the changes that somebody made in it\n"
         "  --export FILE         write the entities as JSON at the end (scenes/*.json are such files)\n"
         "  --exec LUA            run a chunk after the start and print its result; may repeat\n"
         "  --plugin PATH         load a plugin, or a folder of them; may repeat\n"
         "  --cockpit [PORT]      serve the cockpit to a browser of this machine, and to ./shoal ask and attach "
         "(default: in a\n"
         "                        window that watches files); --cockpit-read-only: nothing can be changed there\n"
         "  --no-cockpit\n  --editor COMMAND      opens a file from the cockpit: \"code -g %f:%l\"\n"
         "  --types FILE          write what the game and plugins add, as definitions for editors\n"
         "  --watch, --no-watch   reload when a file is saved (default: on in a window)\n"
         "  --width N, --height N size of the window (default: the game's own)\n  --fullscreen\n"
         "  --trust               grant “native = true” to a game folder that is not the engine's own\n"
         "  --check-rollback N    go back N ticks after every tick and live them again; a difference is told with its "
         "entity,\n"
         "                        field and system, and ends the run with exit code 1\n"
         "  --no-jit              scripts are interpreted: the same world, many times slower\n"
         "  --metadata            load the components that are declared as metadata\n"
         "  --strict              any script error ends the run with exit code 1\n"
         "  --budget MS           how long a piece of a system may take before it is stopped, whatever game.lua says;\n"
         "                        a start thirty times, loading ten times as long; 0 for ever (default: game.lua's,\n"
         "                        else " WATCHED_MS ", and " ALONE_MS " without a window or --watch; " START_MS
         " for a start and for loading)\n"
         "  --memory MB           that the scripts may use before what runs is stopped (default: " MEMORY_MB ")\n"
         "  --log LEVEL           error, warn, info, debug or none (default: info)\n"
         "  --log-file FILE       writes the lines of the log there too\n"
         "  --workers N           threads that share the work, this one included; the results are the same\n"
         "                        (default: one for each core, at most " WORKERS ")\n"
         "  --record FILE         write down what the game hears and reads from outside, for --replay\n"
         "  --replay FILE         play it again; the first tick that differs ends the run with exit code 1\n"
         "  --history MB          memory for going back in time; 0 for none (default: game.lua's in a window, else 0)\n"
         "  --explain SYSTEM      print at the end whether it is native code, and if not why; all: each one\n"
         "  --native MODE         on, off, now (wait for the code), sse2, avx2, avx512 (no better than that)\n"
         "  --stats               print ticks per second, time per system and allocations at the end\n\n"
         "keys in a window:\n" KEYS "exit: 0 fine, 1 a script failed (headless or --strict), 2 wrong use\n";
}
