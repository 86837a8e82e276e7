// Code changes only here, and only between two ticks.
#include "host/host_internal.h"

#include "base/assert.h"
#include "base/files.h"
#include "host/game_saves.h"
#include "host/reload.h"
#include "host/trial.h"
#include "start/package.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define BUDGET_DEVELOPMENT_MS 100u
#define BUDGET_ALONE_MS 1000u
#define BUDGET_START_MS 30000u
#define BUDGET_LOAD_MS 30000u
#define BUDGET_START_TIMES 30u // of what --budget says; at most 3600000 ms there
#define BUDGET_LOAD_TIMES 10u

static bool is_below(const char *path, const char *folder) {
  size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static void set_folder(host_o *h, const char *folder, const char *message) {
  char copy[PATH_MAX_BYTES]; // `folder` may be h->want_game or h->folder itself
  shoal_assert(strlen(folder) < sizeof copy, "%s is too long a path", folder);
  snprintf(copy, sizeof copy, "%s", folder);
  memcpy(h->folder, copy, sizeof h->folder);
  snprintf(h->message, sizeof h->message, "%s", message);
  path_join(h->assets.game, sizeof h->assets.game, h->folder, "assets");
  if (h->maps)
    maps_forget(h->maps); // it has others of these names
}

// The menu with something to say. False with the same words when there is no menu, or no window.
static bool choose_menu(host_o *h, const char *message, error_t *error) {
  char file[PATH_MAX_BYTES + 16];
  path_join(file, sizeof file, h->places.menu, "game.lua");
  if (message[0] && h->options.headless)
    return error_set(error, "%s", message);
  if (!file_exists(file))
    return error_set(error, "%s%sthe menu is missing: %s", message, message[0] ? "; " : "", file);
  set_folder(h, h->places.menu, message);
  return true;
}

bool game_switch_choose(host_o *h, error_t *error) {
  char folder[PATH_MAX_BYTES];
  error_t why = {0};
  const char *target = h->options.target;
  if (!target[0])
    return choose_menu(h, "", error);
  char here[PATH_MAX_BYTES];
  path_join(here, sizeof here, target, "game.lua");
  bool is_folder =
      h->options.word == OPTIONS_RUN ||
      (h->options.word == OPTIONS_SQL && (strchr(target, '/') || file_exists(target) || file_exists(here)));
  if (h->options.package) { // nothing but its own
    set_folder(h, target, "");
    return true;
  }
  bool found = is_folder ? paths_folder(target, folder, &why) : paths_game(&h->places, target, folder, &why);
  if (!found)
    return choose_menu(h, why.text, error);
  set_folder(h, folder, "");
  return true;
}

static uint64_t choose_seed(const host_o *h) {
  if (h->replay)
    return recording_head(h->replay)->seed;
  if (h->options.has_seed)
    return h->options.seed;
  return h->options.headless ? 1 : (uint64_t)time(NULL);
}

static bool is_trusted(const host_o *h) {
  return h->options.trust || is_below(h->folder, h->places.games) || is_below(h->folder, h->places.engine);
}

// Is somebody at work on the game?
static bool is_watched(const host_o *h) {
  return !h->options.package &&
         (h->options.watch == FILE_WATCH_ON || (h->options.watch == FILE_WATCH_DEFAULT && !h->options.headless));
}

// Before anything is read from them: what is saved while a game is being loaded is not missed.
static void watch_folders(host_o *h) {
  if (!is_watched(h))
    return;
  if (!h->watch)
    h->watch = file_watch_create(&(file_watch_desc_t){.log = h->log});
  file_watch_clear(h->watch);
  file_watch_add(h->watch, h->places.engine, "shoal/");
  file_watch_add(h->watch, h->places.assets, GAME_SWITCH_ENGINE_ASSETS);
  file_watch_add(h->watch, h->folder, "");
}

// Which they are is known when the game is there.
static void watch_plugins(host_o *h) {
  const char *folder;
  for (uint32_t i = 0; h->watch && (folder = plugins_folder(h->game->plugins, i)) != NULL; ++i)
    if (!is_below(folder, h->folder) && file_is_folder(folder))
      file_watch_add(h->watch, folder, "plugins/");
}

// What is said on the command line has the last word.
static platform_window_t window_of(const host_o *h, const vm_game_t *facts) {
  platform_window_t look = facts->window;
  if (h->options.width || h->options.height)
    look.width = look.height = 0;
  look.fullscreen |= h->options.fullscreen;
  return look;
}

void game_switch_look(host_o *h) {
  const vm_game_t *facts = &h->game->facts;
  platform_window_t look = window_of(h, facts);
  platform_set_window(h->platform, &look);
  render_set_picture(h->render, facts->width, facts->height, look.scale, facts->sharp);
}

static void apply_facts(host_o *h) {
  const vm_game_t *facts = &h->game->facts;
  platform_set_title(h->platform, facts->title);
  render_set_icon(h->render, facts->icon);
  platform_set_logical_size(h->platform, facts->width, facts->height);
  platform_set_dead_zone(h->platform, facts->dead_zone);
  game_switch_look(h);
  clock_set_rate(&h->clock, facts->tick_rate);
  game_saves_use_pictures(h);
  audio_buses(h->audio, &facts->buses);
  watch_plugins(h);
}

static bool is_development(const host_o *h) {
  return !h->options.package && (is_watched(h) || !h->options.headless);
}

static script_budgets_t choose_budgets(const host_o *h) {
  uint32_t ms = (uint32_t)h->options.budget_ms;
  if (recording_control_decides_stops(h))
    return (script_budgets_t){.fixed = true};
  if (h->options.has_budget)
    return (script_budgets_t){.ms = {ms, ms * BUDGET_START_TIMES, ms * BUDGET_LOAD_TIMES}, .fixed = true};
  ms = is_development(h) ? BUDGET_DEVELOPMENT_MS : BUDGET_ALONE_MS;
  return (script_budgets_t){.ms = {ms, BUDGET_START_MS, BUDGET_LOAD_MS}};
}

// Of a replay more than was recorded with: what took too much is told. What could not be had in one piece cannot be
// had again.
static uint32_t choose_memory(const host_o *h) {
  if (!recording_control_decides_stops(h))
    return (uint32_t)h->options.memory_mb;
  uint32_t mb = recording_head(h->replay)->memory_mb;
  return mb > UINT32_MAX / 4 ? UINT32_MAX : mb * 4;
}

static uint32_t choose_block(const host_o *h) {
  return recording_control_decides_stops(h) ? recording_head(h->replay)->memory_mb : (uint32_t)h->options.memory_mb;
}

static game_desc_t describe_game(host_o *h) {
  bool undoes = h->replay ? recording_head(h->replay)->undo != 0 : is_watched(h) || !h->options.headless;
  return (game_desc_t){
      .folder = h->folder,
      .engine_folder = h->places.engine,
      .engine_code = h->places.code,
      .message = h->message,
      .seed = choose_seed(h),
      .headless = h->options.headless,
      .trust = is_trusted(h),
      .check_kernels = h->options.check_kernels,
      .check_tables = is_development(h) || h->options.strict || h->options.check_rollback > 0,
      .no_jit = h->options.no_jit,
      .native = h->options.native,
      .strict = h->options.strict,
      .metadata = h->options.metadata,
      .budgets = choose_budgets(h),
      .memory_mb = choose_memory(h),
      .block_mb = choose_block(h),
      .undo = undoes,
      .tick_rollback_stops = !undoes && h->options.record != NULL && !recording_control_decides_stops(h),
      .track_touched = is_watched(h),
      .draw = h->draw,
      .audio = h->audio,
      .render = h->render,
      .assets = &h->assets,
      .maps = h->maps,
      .jobs = h->jobs,
      .shipped = h->places.plugins,
      .plugins = h->options.plugins,
      .plugin_count = h->options.plugin_count,
      .plugins_before = h->game ? h->game->plugins : NULL,
      .log = h->log,
      .past = &h->timeline_port,
      .outside = h->outside,
      .preload = h->preload,
      .known = h->game ? h->game->desc.sources : NULL,
  };
}

static game_o *create_game(host_o *h, script_report_t *report) {
  game_desc_t desc = describe_game(h);
  return game_create(&desc, false, report);
}

// A system of a plugin that crashes in the first tick is parked before there is one.
static void try_plugins(host_o *h, game_o *g) {
  trial_t t;
  shoal_assert(!h->autosave, "a copy of the process is made while a thread is inside SQLite");
  while (plugins_have_systems(g->plugins)) {
    trial_run(g, RELOAD_TRIAL_MS, &t);
    bool crashed = t.ran && !t.ended && t.system[0];
    if (!crashed || !plugins_park(g->plugins, t.system, t.lost.message))
      return;
    host_report(h, ERROR_CARD_RUN, &t.lost);
  }
}

// Definitions for the editor of who develops: kept fresh where the game has a place for them, .shoal/types.lua, which
// `./shoal new` and `./shoal types` make. One that cannot be written is said, and the game goes on.
static void keep_types(host_o *h) {
  char path[PATH_MAX_BYTES];
  error_t error = {0};
  if (!h->watch || snprintf(path, sizeof path, "%s/.shoal/types.lua", h->game->desc.folder) >= (int)sizeof path)
    return;
  if (file_exists(path) && !vm_write_types(h->game->vm, path, &error))
    log_warn(h->log, "definitions for editors: %s", error.text);
}

// Starts `fresh` (NULL: it failed already, `report` says why) and puts it in the place of what ran.
static bool take_game(host_o *h, game_o *fresh, script_report_t *report, error_card_kind_t on_failure) {
  if (fresh && h->game) { // before `start`, which may begin the music
    audio_forget(h->audio);
    sound_sync_clear(h->sounds);
  }
  if (fresh)
    preload_clear(h->preload); // `start` may ask for some
  if (!fresh || !game_start(fresh, report)) {
    game_destroy(fresh);
    host_report(h, on_failure, report);
    return false;
  }
  recording_control_end(h);
  time_travel_end(h);
  game_destroy(h->game);
  h->game = fresh;
  error_card_clear(&h->card);
  stats_reset(&h->stats);
  clock_init(&h->clock, fresh->facts.tick_rate);
  game_saves_autosave_end(h); // its thread may not be at work while plugins are tried
  try_plugins(h, fresh);
  log_info(h->log, "%s: seed %llu", fresh->facts.title, (unsigned long long)fresh->desc.seed);
  apply_facts(h);
  keep_types(h);
  time_travel_begin(h);
  return true;
}

bool game_switch_load(host_o *h, error_card_kind_t on_failure) {
  script_report_t report = {0};
  error_t error = {0};
  bool in_file = h->recorder && h->records_states;
  outside_begin(h->outside, 0, NULL);
  outside_forget_assets(h->outside);
  game_o *fresh = create_game(h, &report);
  if (!take_game(h, fresh, &report, on_failure))
    return false;
  if (in_file)
    log_warn(h->log, "the recording in %s ends here, where the game begins anew", h->options.record);
  if (!h->replay && !recording_control_begin(h, &error))
    log_error(h->log, "%s", error.text);
  return true;
}

static bool open_window(host_o *h, const vm_game_t *facts, platform_ahead_t *ahead, error_t *error) {
  h->platform = platform_create(
      &(platform_desc_t){
          .headless = h->options.headless,
          .title = facts->title,
          .width = h->options.width ? h->options.width : facts->width,
          .height = h->options.height ? h->options.height : facts->height,
          .look = window_of(h, facts),
          .window = h->options.window,
          .ahead = ahead,
          .log = h->log,
      },
      error);
  if (!h->platform)
    return false;
  h->render = render_create(
      &(render_desc_t){
          .platform = h->platform,
          .assets = &h->assets,
          .width = facts->width,
          .height = facts->height,
          .log = h->log,
      },
      error);
  h->overlay = overlay_create();
  return h->render != NULL;
}

// A player's game without plugins, which would be tried in copies of the process.
static bool opens_ahead(const host_o *h) {
  char plugins[PATH_MAX_BYTES + 16];
  const package_t *p = h->options.package;
  return p && !h->options.headless && !file_is_folder(path_join(plugins, sizeof plugins, p->folder, "plugins"));
}

bool game_switch_first_load(host_o *h, error_t *error) {
  const vm_game_t fallback = {.title = "Shoal", .width = HOST_WIDTH, .height = HOST_HEIGHT};
  script_report_t report = {0};
  platform_ahead_t ahead = {0};
  watch_folders(h);
  if (opens_ahead(h))
    platform_ahead_begin(&ahead);
  game_o *fresh = create_game(h, &report);
  if (!open_window(h, fresh ? &fresh->facts : &fallback, &ahead, error)) {
    game_destroy(fresh);
    return false;
  }
  if (fresh)
    game_set_render(fresh, h->render);
  take_game(h, fresh, &report, ERROR_CARD_START);
  return true;
}

// --------------------------------------------------------------------------------------------------------------- files

static bool is_code(const char *path) {
  if (strncmp(path, "plugins/", 8) == 0)
    return plugins_is_library(path);
  return sources_is_one(path) || (plugins_is_library(path) && strncmp(path, "assets/", 7) != 0);
}

void game_switch_poll_files(host_o *h) {
  if (!h->watch)
    return;
  uint32_t count = file_watch_poll(h->watch, platform_seconds(h->platform));
  for (uint32_t i = 0; i < count; ++i) {
    game_switch_asset(h, file_watch_path(h->watch, i));
    h->want_reload |= is_code(file_watch_path(h->watch, i));
  }
  if (count > 0 && !h->want_reload && h->game) // an asset's name may be new
    keep_types(h);
}

// ------------------------------------------------------------------------------------------------------------- changes

// What changed, in one line: "reloaded systems/a.lua in 9.1 ms: 1 system changed".
static void say_reloaded(host_o *h, const reload_news_t *news, bool undone, double ms) {
  char words[512], files[32];
  for (const char *line = news->said, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
    log_info(h->log, "reload: %.*s", (int)(end - line), line);
  reload_words(news, words, sizeof words);
  if (undone) {
    log_info(h->log, "reloaded: what was refused is undone, every file is as it runs");
    toast_add(&h->toasts, TOAST_GOOD, "What was refused is undone: every file is as it runs");
    return;
  }
  snprintf(files, sizeof files, news->files == 0 ? "all files" : "%u files", news->files);
  const char *what = news->files == 1 ? news->names : files;
  log_info(h->log, "reloaded %s in %.1f ms%s%s%s%s", what, ms, words[0] ? ": " : "", words, news->files > 1 ? "; " : "",
           news->files > 1 ? news->names : "");
  toast_add(&h->toasts, TOAST_GOOD, "Reloaded %s%s%.120s", what, words[0] ? ": " : "", words);
  if (news->begins_anew) {
    log_info(h->log, "reload: what the game or a scene begins with has changed: Ctrl+F5 restarts, and shows it");
    toast_add(&h->toasts, TOAST_GOOD, "Its beginning has changed: Ctrl+F5 restarts");
  }
}

// A game that goes on takes the place of the one that runs.
static void swap_games(host_o *h, game_o *fresh) {
  game_succeed(fresh, h->game);
  game_destroy(h->game);
  h->game = fresh;
  error_card_clear(&h->card);
  stats_reset(&h->stats);
  apply_facts(h);
  keep_types(h);
  time_travel_reloaded(h);
  recording_control_reload(h);
}

static void reload(host_o *h) {
  script_report_t report = {0};
  reload_news_t news = {0};
  double began_s = platform_seconds(h->platform);
  bool fine = false, refused = h->card.kind == ERROR_CARD_RELOAD;
  outside_forget_assets(h->outside);
  if (h->game) {
    game_saves_autosave_end(h); // no thread may be at work while the new game is tried in a copy of the process
    time_travel_rest(h);
    game_desc_t desc = describe_game(h);
    desc.seed = h->game->desc.seed;
    game_o *fresh = reload_game(h->game, &desc, &news, &report);
    fine = fresh != NULL;
    if (fresh)
      swap_games(h, fresh);
    else
      host_report(h, ERROR_CARD_RELOAD, &report);
  } else { // it could not start: this save may have mended it
    fine = game_switch_load(h, ERROR_CARD_START);
  }
  if (fine)
    say_reloaded(h, &news, refused && news.files == 0, (platform_seconds(h->platform) - began_s) * 1e3);
}

// --ticks counts on: a game that begins anew again and again has an end.
static void restart(host_o *h) {
  uint64_t ticks = h->game ? world_tick(h->game->world) : 0;
  if (game_switch_load(h, h->game ? ERROR_CARD_RESTART : ERROR_CARD_START)) {
    h->ticks_before += ticks;
    log_info(h->log, "restarted");
    toast_add(&h->toasts, TOAST_GOOD, "Restarted");
  }
}

// To another game folder, named by path or as in `play`. The old game is dropped first: what comes may need the same
// things.
static void switch_game(host_o *h) {
  char folder[PATH_MAX_BYTES];
  error_t why = {0}, error = {0};
  const char *wanted = h->want_game;
  bool found = strchr(wanted, '/') ? paths_folder(wanted, folder, &why) : paths_game(&h->places, wanted, folder, &why);
  if (!found && !choose_menu(h, why.text, &error)) {
    log_error(h->log, "%s", error.text);
    h->exit_code = 2;
    h->stopping = true;
    return;
  }
  bool was_menu = h->game && strcmp(h->game->folder, h->places.menu) == 0;
  if (found)
    set_folder(h, folder, "");
  h->from_menu = found && was_menu;
  audio_forget(h->audio);
  sound_sync_clear(h->sounds);
  render_forget(h->render);
  recording_control_end(h);
  time_travel_end(h);
  game_destroy(h->game);
  h->game = NULL;
  watch_folders(h);
  game_switch_load(h, ERROR_CARD_START);
}

void game_switch_apply(host_o *h) {
  if (!h->want_game[0] && !h->want_restart && !h->want_reload)
    return;
  shoal_assert(!h->game || !world_is_deferring(h->game->world), "code changes in the middle of a system");
  if (h->want_game[0])
    switch_game(h);
  else if (h->want_restart)
    restart(h);
  else
    reload(h);
  double now_s = h->options.own_clock ? h->clock_s : platform_seconds(h->platform);
  clock_skip(&h->clock, now_s); // loading is no part of the game's time
  h->want_game[0] = 0;
  h->want_restart = h->want_reload = h->reload_by_script = false;
}
