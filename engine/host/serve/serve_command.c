// Options of `shoal serve`, and the game whose rooms are served.
#include "serve/serve_command.h"

#include "base/log.h"
#include "base/nearest_name.h"
#include "base/now.h"
#include "base/option_table.h"
#include "base/program_path.h"
#include "game/game.h"
#include "game/save_slots.h"
#include "game/world_files.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "host/host_tools.h"
#include "match/match_files.h"
#include "match/match_identity.h"
#include "process/signals.h"
#include "room/owned_columns.h"
#include "serve/served_world.h"
#include "ui/ui.h"

#include <sodium.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTED 64u
#define STORE_BUSY_MS 1000 // maximum time to wait for transactions of other processes

typedef struct serve_options_t {
  bool shows_help, take_over, trust, trace_desyncs;
  const char *game, *database, *log;
  bool has_port;
  uint16_t port;
  const char *budget, *memory;
  uint32_t bots, sticks, watchers, hostile;
  const char *net_sim;
  const char *hash_every; // ticks between two hashes; NULL: no hashes
  const char *accept_loss[MAX_LISTED];
  uint32_t accept_loss_count;
  const char *plugins[OPTIONS_MAX_PLUGINS];
  uint32_t plugin_count;
} serve_options_t;

static bool check_level(void *out, const char *name, const char *value, error_info_t *error) {
  log_level_t level;
  (void)out;
  return log_level_parse(value, &level) ||
         error_set(error, "%s: unknown level “%s” (error, warn, info, debug or none)", name, value);
}

static bool check_net_sim(void *out, const char *name, const char *value, error_info_t *error) {
  link_sim_conditions_t conditions;
  error_info_t reason = {0};
  (void)out;
  return link_sim_parse(value, &conditions, &reason) || error_set(error, "%s: %s", name, reason.text);
}

// The rooms receive these two values as text, so the functions only check them.
static bool check_budget(void *out, const char *name, const char *value, error_info_t *error) {
  uint64_t number;
  (void)out;
  return option_parse_integer(name, value, 0, OPTIONS_MAX_BUDGET_MS, &number, error);
}

static bool check_memory(void *out, const char *name, const char *value, error_info_t *error) {
  uint64_t number;
  (void)out;
  return option_parse_integer(name, value, OPTIONS_MIN_MEMORY_MB, OPTIONS_MAX_MEMORY_MB, &number, error);
}

static bool read_hash(void *out, const char *name, const char *value, error_info_t *error) {
  serve_options_t *o = out;
  uint64_t every;
  if (strncmp(value, "every=", 6) != 0)
    return error_set(error, "%s: expected every=K, got “%s”", name, value);
  o->hash_every = value + 6;
  return option_parse_integer("--hash: every", o->hash_every, 1, INT64_MAX, &every, error);
}

#define MEMBER(member) .offset = offsetof(serve_options_t, member), .bytes = sizeof((serve_options_t *)0)->member
#define FLAG(member) .kind = OPTION_SET, MEMBER(member), .min = true
#define MAX_STICKS 4u // maximum value of --sticks
#define TEXT(member, what) .kind = OPTION_TEXT, MEMBER(member), .required = (what)

// clang-format off
static const option_t OPTIONS[] = {
  {"--db", "DB", "database of the world: a file (default: world.db in the game's folder of saves), or an address, "
   "postgres://user@host/database", 1, TEXT(database, "a file, or postgres://user@host/database")},
  {"--port", "P", "UDP port of the world (default: " LIMITS_TEXT(MATCH_PORT) "); the rooms use the ports that follow",
   1, .kind = OPTION_INTEGER, MEMBER(port), .min = 1, .max = UINT16_MAX,
   .given = offsetof(serve_options_t, has_port)},
  {"--take-over", NULL, "do not wait until a process that serves the same world is silent; it ends", 1,
   FLAG(take_over)},
  {"--accept-loss", "ROOM", "drop this room's rows from the first malformed or missing one on; may be repeated", 1,
   .kind = OPTION_LIST, MEMBER(accept_loss), .count = offsetof(serve_options_t, accept_loss_count), .max = MAX_LISTED,
   .required = "the name of a room, such as mine-2"},
  {"--bots", "N", "connect N bots, which press random actions, to the rooms that players may join", 1,
   .kind = OPTION_INTEGER, MEMBER(bots), .min = 1, .max = WORLD_MAX_BOTS},
  {"--sticks", "N", "the bots move N sticks in each tick; the game's first 2 N actions are their axes", 1,
   .kind = OPTION_INTEGER, MEMBER(sticks), .min = 1, .max = MAX_STICKS},
  {"--watchers", "N", "N of the bots have no player, and only watch", 1,
   .kind = OPTION_INTEGER, MEMBER(watchers), .min = 1, .max = WORLD_MAX_BOTS},
  {"--hostile", "N", "N of the bots attack the world: they exceed all limits of messages, and join again and again", 1,
   .kind = OPTION_INTEGER, MEMBER(hostile), .min = 1, .max = WORLD_MAX_BOTS},
  {"--net-sim", "RTT,JITTER,LOSS", "simulate this network between the bots and the world, as in 120ms,40ms,5%", 1,
   .kind = OPTION_TEXT, MEMBER(net_sim), .read = check_net_sim},
  {"--hash", "every=K", "print “ROOM tick N hash H” for every Kth tick of a room, once it is committed", 1,
   .read = read_hash},
  {"--trace-desyncs", NULL, "name the field in which a client's state differs; costs up to eight ticks per report", 1,
   FLAG(trace_desyncs)},
  {"--plugin", "PATH", "load a plugin, or all plugins of a folder; may be repeated", 1,
   .kind = OPTION_LIST, MEMBER(plugins), .count = offsetof(serve_options_t, plugin_count), .max = OPTIONS_MAX_PLUGINS,
   .required = "a library or a folder of libraries"},
  {"--budget", "MS", "time limit of a script function in all rooms", 1, TEXT(budget, "a number of milliseconds"),
   .read = check_budget},
  {"--memory", "MB", "memory limit for the scripts of each room", 1, TEXT(memory, "a number of megabytes"),
   .read = check_memory},
  {"--trust", NULL, "allow “native = true” in a game outside scripts/games", 1, FLAG(trust)},
  {"--log", "LEVEL", "log this level and above: error, warn, info, debug or none (default: info)", 1,
   .kind = OPTION_TEXT, MEMBER(log), .read = check_level},
  {"--help", NULL, "show this text", 1, FLAG(shows_help)},
};
// clang-format on

static const option_table_t TABLE = {OPTIONS, sizeof OPTIONS / sizeof *OPTIONS, 1, "serve --help"};

static bool parse(int argc, const char *const *argv, serve_options_t *out, error_info_t *error) {
  *out = (serve_options_t){.port = MATCH_PORT, .log = "info"};
  for (int i = 2; i < argc; ++i) {
    if (argv[i][0] == '-' && argv[i][1]) {
      if (!option_table_parse(&TABLE, out, argc, argv, &i, error))
        return false;
    } else if (out->game) {
      return error_set(error, "unexpected argument “%s” (see serve --help)", argv[i]);
    } else {
      out->game = argv[i];
    }
  }
  if (out->net_sim && out->bots == 0)
    return error_set(error, "--net-sim requires --bots: it applies only to bots");
  if (out->sticks && out->bots == 0)
    return error_set(error, "--sticks requires --bots: it applies only to bots");
  if (out->watchers + out->hostile > out->bots)
    return error_set(error, "--watchers and --hostile: %u bots of %u: use a larger number with --bots",
                     out->watchers + out->hostile, out->bots);
  return out->shows_help || out->game || error_set(error, "serve requires a game: serve GAME");
}

static void print_help(void) {
  puts("usage: shoal serve GAME [options]    serve the rooms that game.lua declares, until SIGTERM or Ctrl+C\n");
  option_table_print(&TABLE, 1, stdout);
  puts("\nexit status: 0 after SIGTERM, 1 the game cannot start, 2 usage error, 3 damaged database, 4 a different\n"
       "process has taken the world over");
}

// --- the game

// A game without a window, from which the command reads its rooms.
typedef struct served_game_t {
  vm_game_t config;
  char folder[PATH_MAX_BYTES], id[128], database[PATH_MAX_BYTES + 80];
  char files[PATH_MAX_BYTES + 80];              // base path of the world's files (game/world_files.h)
  match_identity_t identity;                    // identity of the bots
  uint32_t action_count;                        // number of actions in input.lua
  chronicle_view_t views[CHRONICLE_MAX_EVENTS]; // views of the kept events
  uint32_t view_count;
  owned_columns_list_t owned_columns;
} served_game_t;

// Stores the path of the database in the game's saves folder. Returns true on success, or false with an error.
static bool find_database(const game_o *g, served_game_t *out, error_info_t *error) {
  return save_slots_prepare_user_path(g, "world", ".db", out->database, sizeof out->database, error);
}

static bool read_host(const serve_options_t *o, const session_t *s, served_game_t *out, error_info_t *error) {
  uint64_t engine = 0;
  file_hashes_o *files = file_hashes_create();
  bool is_valid = sources_hash_engine(s->paths.engine, &engine, error) &&
                  match_identity_compute(s->game, engine, &out->identity, files, error);
  file_hashes_destroy(files);
  if (!is_valid)
    return false;
  out->identity.shares_code = true; // bots accept the live code of the world, as players' machines do
  out->action_count = ui_count_actions(s->game->world);
  out->config = s->game->config;
  out->view_count = kept_events_list_views(s->game, out->views);
  owned_columns_add(s->game, &out->owned_columns);
  (void)snprintf(out->folder, sizeof out->folder, "%s", s->folder);
  (void)snprintf(out->id, sizeof out->id, "%s", save_slots_id(s->game));
  if (out->config.kind_count == 0)
    return error_set(error, "the game declares no rooms: add serve = { rooms = { town = {} } } to game.lua");
  bool fits =
      !o->database || snprintf(out->database, sizeof out->database, "%s", o->database) < (int)sizeof out->database;
  if (!fits)
    return error_set(error, "--db: the path is too long");
  return (o->database || find_database(s->game, out, error)) &&
         world_files_find(s->game, out->database, out->files, sizeof out->files, error);
}

// Loads the game, and reads its settings. Returns 0 on success, or the exit status.
static int read_game(const serve_options_t *o, const char *program, served_game_t *out, error_info_t *error) {
  paths_t paths;
  options_t options = {.command = OPTIONS_RUN,
                       .program = program,
                       .target = out->folder,
                       .headless = true,
                       .has_ticks = true,
                       .watch = FILE_WATCH_OFF,
                       .trust = o->trust,
                       .log_level = LOG_WARN,
                       .workers = 1,
                       .plugin_count = o->plugin_count};
  memcpy(options.plugins, o->plugins, sizeof options.plugins);
  if (!paths_find_installation(&paths, program, error) ||
      !paths_find_game_or_folder(&paths, o->game, out->folder, error))
    return 2;
  if (paths_is_ambiguous(o->game, out->folder))
    fprintf(stderr, "shoal: " PATHS_AMBIGUOUS "\n", o->game, out->folder, o->game);
  host_o *host = host_create(&options, error);
  if (!host)
    return 2;
  int code = !host_world(host) ? 1 : read_host(o, host_session(host), out, error) ? 0 : 2;
  if (code == 1)
    error_set(error, "%s cannot start", o->game);
  host_destroy(host);
  return code;
}

// --- the command

static bool check_sticks(const serve_options_t *o, uint32_t actions, error_info_t *error) {
  return 2 * o->sticks <= actions || error_set(error,
                                               "--sticks %u: the axes of %u sticks are %u actions, but the game "
                                               "has %u",
                                               o->sticks, o->sticks, 2 * o->sticks, actions);
}

// Returns true if the game declares each room of --accept-loss. Otherwise, returns false with an error.
static bool check_accept_loss(const serve_options_t *o, const served_room_t *rooms, uint32_t count,
                              error_info_t *error) {
  for (uint32_t i = 0; i < o->accept_loss_count; ++i) {
    char hint[NEAREST_NAME_MAX_BYTES + 32];
    bool is_declared = false;
    nearest_name_t nearest;
    nearest_name_init(&nearest, o->accept_loss[i]);
    for (uint32_t k = 0; k < count; ++k) {
      is_declared |= strcmp(rooms[k].name, o->accept_loss[i]) == 0;
      nearest_name_offer(&nearest, rooms[k].name);
    }
    if (!is_declared)
      return error_set(error, "--accept-loss: the game has no room %.60s%s", o->accept_loss[i],
                       nearest.best[0] ? nearest_name_hint(&nearest, hint, sizeof hint)
                                       : ": use a name that ./shoal world DB status lists");
  }
  return true;
}

static bool check_rooms(const serve_options_t *o, const vm_game_t *config, error_info_t *error) {
  served_room_t rooms[SERVED_MAX_ROOMS];
  uint32_t count = served_rooms_list(config, rooms), places = world_bots_count_places(config);
  if (o->bots > places)
    return error_set(error, "--bots %u: the rooms that players may join have places for %u: use at most %u", o->bots,
                     places, places < WORLD_MAX_BOTS ? places : WORLD_MAX_BOTS);
  if (o->port + count > UINT16_MAX)
    return error_set(error, "--port %u: the %u rooms need the ports up to %u: use at most %u", o->port, count,
                     o->port + count, UINT16_MAX - count);
  return check_accept_loss(o, rooms, count, error);
}

static void list_room_options(const serve_options_t *o, const char *out[SERVED_MAX_OPTIONS]) {
  uint32_t count = 0;
  const struct {
    const char *name, *value;
  } pairs[] = {
      {"--budget", o->budget}, {"--memory", o->memory}, {"--log", o->log}, {"--committed-hash", o->hash_every}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    if (!pairs[i].value)
      continue;
    out[count++] = pairs[i].name;
    out[count++] = pairs[i].value;
  }
  if (o->trust)
    out[count++] = "--trust";
  if (o->trace_desyncs)
    out[count++] = "--trace-desyncs";
  for (uint32_t i = 0; i < o->plugin_count && count + 2 < SERVED_MAX_OPTIONS; ++i) {
    out[count++] = "--plugin";
    out[count++] = o->plugins[i];
  }
}

static int serve(const serve_options_t *o, const char *program, const served_game_t *game, log_level_t level,
                 error_info_t *error) {
  log_o *log = log_create(level);
  uint8_t secret[SEAL_KEY_BYTES];
  link_sim_conditions_t network;
  bool has_network = o->net_sim && link_sim_parse(o->net_sim, &network, error);
  world_bots_desc_t bots = {.count = o->bots,
                            .port = o->port,
                            .config = &game->config,
                            .identity = &game->identity,
                            .action_count = game->action_count,
                            .stick_actions = 2 * o->sticks,
                            .hostile_count = o->hostile,
                            .watcher_count = o->watchers,
                            .network = has_network ? &network : NULL,
                            .log_level = level};
  served_world_desc_t desc = {.program = program,
                              .folder = game->folder,
                              .database = game->database,
                              .base = game->identity.sources,
                              .files = game->files,
                              .config = &game->config,
                              .views = game->views,
                              .view_count = game->view_count,
                              .owned_columns = &game->owned_columns,
                              .secret_seed = secret,
                              .port = o->port,
                              .take_over = o->take_over,
                              .accept_loss = o->accept_loss,
                              .accept_loss_count = o->accept_loss_count,
                              .bots = o->bots > 0 ? &bots : NULL,
                              .log = log};
  list_room_options(o, desc.options);
  desc.opening = (world_store_desc_t){.path = game->database,
                                      .game = game->id,
                                      .base = game->identity.sources,
                                      .may_create = true,
                                      .busy_ms = STORE_BUSY_MS};
  store_result_t result = world_store_open(&desc.opening, &desc.store, error);
  if (result != STORE_DONE)
    return result == STORE_DAMAGED ? 3 : 2;
  int code = match_files_read_world_secret(game->files, secret, error) ? served_world_run(&desc) : 2;
  world_store_close(desc.store);
  sodium_memzero(secret, sizeof secret);
  log_destroy(log);
  return code;
}

int serve_command_run(int argc, const char *const *argv) {
  static served_game_t game; // static, because its settings are large
  serve_options_t options;
  error_info_t error = {0};
  char program[FILE_PATH_BYTES];
  log_level_t level = LOG_INFO;
  if (!parse(argc, argv, &options, &error)) {
    fprintf(stderr, "shoal: %s\n", error.text);
    return 2;
  }
  if (options.shows_help) {
    print_help();
    return 0;
  }
  signals_catch_termination();
  int code = sodium_init() < 0 || !program_path_find(argv[0], program) ? 2 : 0;
  if (code != 0)
    error_set(&error, "serve: the system provides no random numbers, or hides the path of this program");
  if (code == 0)
    code = read_game(&options, argv[0], &game, &error);
  if (code == 0 && !(check_sticks(&options, game.action_count, &error) && check_rooms(&options, &game.config, &error)))
    code = 2;
  if (code == 0) {
    log_level_parse(options.log, &level);
    code = serve(&options, program, &game, level, &error);
  }
  owned_columns_list_free(&game.owned_columns);
  if (error.text[0])
    fprintf(stderr, "shoal: %s\n", error.text);
  return code;
}
