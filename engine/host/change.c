// Code changes only here, and only between two ticks.
#include "host/host_state.h"

#include "base/files.h"
#include "host/keep.h"
#include "host/reload.h"
#include "host/trial.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define BUDGET_DEVELOPMENT_MS 100u
#define BUDGET_ALONE_MS 1000u

static bool is_below(const char *path, const char *folder) {
  size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static void set_folder(host_o *h, const char *folder, const char *message) {
  char copy[PLACES_PATH_MAX]; // `folder` may be h->want_game or h->folder itself
  snprintf(copy, sizeof copy, "%s", folder);
  memcpy(h->folder, copy, sizeof h->folder);
  snprintf(h->message, sizeof h->message, "%s", message);
  path_join(h->assets.game, sizeof h->assets.game, h->folder, "assets");
}

// The menu with something to say. False with the same words when there is no menu, or nobody to read it.
static bool choose_menu(host_o *h, const char *message, error_t *error) {
  char file[PLACES_PATH_MAX + 16];
  path_join(file, sizeof file, h->places.menu, "game.lua");
  if (message[0] && h->options.headless)
    return error_set(error, "%s", message);
  if (!file_exists(file))
    return error_set(error, "%s%sthe menu is missing: %s", message, message[0] ? "; " : "", file);
  set_folder(h, h->places.menu, message);
  return true;
}

bool change_choose(host_o *h, error_t *error) {
  char folder[PLACES_PATH_MAX];
  error_t why = {{0}};
  const char *target = h->options.target;
  if (!target[0])
    return choose_menu(h, "", error);
  bool is_folder = h->options.word == OPTIONS_RUN ||
                   (h->options.word == OPTIONS_SQL && (strchr(target, '/') || file_exists(target)));
  bool found = is_folder ? places_folder(target, folder, &why) : places_game(&h->places, target, folder, &why);
  if (!found)
    return choose_menu(h, why.text, error);
  set_folder(h, folder, "");
  return true;
}

static uint64_t choose_seed(const host_o *h) {
  if (h->replay)
    return replay_head(h->replay)->seed;
  if (h->options.has_seed)
    return h->options.seed;
  return h->options.headless ? 1 : (uint64_t)time(NULL);
}

static bool is_trusted(const host_o *h) {
  return h->options.trust || is_below(h->folder, h->places.games) || is_below(h->folder, h->places.engine);
}

static void apply_facts(host_o *h) {
  const vm_game_t *facts = &h->game->facts;
  platform_set_title(h->platform, facts->title);
  platform_set_logical_size(h->platform, facts->width, facts->height);
  render_set_logical_size(h->render, facts->width, facts->height);
  clock_set_rate(&h->clock, facts->tick_rate);
}

// Is somebody at work on the game?
static bool is_watched(const host_o *h) {
  return h->options.watch == WATCH_ON || (h->options.watch == WATCH_DEFAULT && !h->options.headless);
}

static bool is_development(const host_o *h) {
  return is_watched(h) || !h->options.headless;
}

static uint32_t choose_budget(const host_o *h) {
  if (h->options.has_budget)
    return (uint32_t)h->options.budget_ms;
  return is_development(h) ? BUDGET_DEVELOPMENT_MS : BUDGET_ALONE_MS;
}

static game_desc_t describe_game(host_o *h) {
  return (game_desc_t){
      .folder = h->folder,
      .engine_folder = h->places.engine,
      .message = h->message,
      .seed = choose_seed(h),
      .trust = is_trusted(h),
      .check_kernels = h->options.check_kernels,
      .metadata = h->options.metadata,
      .budget_ms = choose_budget(h),
      .memory_mb = (uint32_t)h->options.memory_mb,
      .undo = h->replay ? replay_head(h->replay)->undo != 0 : is_development(h),
      .track_touched = is_watched(h),
      .draw = h->draw,
      .audio = h->audio,
      .render = h->render,
      .assets = &h->assets,
      .jobs = h->jobs,
      .shipped = h->places.plugins,
      .plugins = h->options.plugins,
      .plugin_count = h->options.plugin_count,
      .plugins_before = h->game ? h->game->plugins : NULL,
      .log = h->log,
      .past = &h->past_port,
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
  while (plugins_have_systems(g->plugins)) {
    trial_run(g, RELOAD_TRIAL_MS, &t);
    bool crashed = t.ran && !t.ended && strncmp(t.lost.piece, "system ", 7) == 0;
    if (!crashed || !plugins_park(g->plugins, t.lost.piece + 7))
      return;
    host_report(h, CARD_RUN, &t.lost);
  }
}

// Starts `fresh` (NULL: it failed already, `report` says why) and puts it in the place of what ran.
static bool take_game(host_o *h, game_o *fresh, script_report_t *report, card_kind_t on_failure) {
  if (fresh && h->game) { // before `start`, which may begin the music
    audio_forget(h->audio);
    sound_sync_clear(h->sounds);
  }
  if (!fresh || !game_start(fresh, report)) {
    game_destroy(fresh);
    host_report(h, on_failure, report);
    return false;
  }
  record_end(h);
  past_end(h);
  game_destroy(h->game);
  h->game = fresh;
  card_clear(&h->card);
  stats_reset(&h->stats);
  clock_init(&h->clock, fresh->facts.tick_rate);
  try_plugins(h, fresh);
  log_info(h->log, "%s: seed %llu", fresh->facts.title, (unsigned long long)fresh->desc.seed);
  apply_facts(h);
  past_begin(h);
  return true;
}

bool change_load(host_o *h, card_kind_t on_failure) {
  script_report_t report = {0};
  game_o *fresh = create_game(h, &report);
  return take_game(h, fresh, &report, on_failure);
}

static bool open_window(host_o *h, const vm_game_t *facts, error_t *error) {
  h->platform = platform_create(
      &(platform_desc_t){
          .headless = h->options.headless,
          .title = facts->title,
          .width = h->options.width ? h->options.width : facts->width,
          .height = h->options.height ? h->options.height : facts->height,
          .fullscreen = h->options.fullscreen,
          .window = h->options.window,
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
  return h->render != NULL;
}

bool change_first_load(host_o *h, error_t *error) {
  const vm_game_t fallback = {.title = "Shoal", .width = HOST_WIDTH, .height = HOST_HEIGHT};
  script_report_t report = {0};
  game_o *fresh = create_game(h, &report);
  if (!open_window(h, fresh ? &fresh->facts : &fallback, error)) {
    game_destroy(fresh);
    return false;
  }
  if (fresh)
    game_set_render(fresh, h->render);
  take_game(h, fresh, &report, CARD_START);
  return true;
}

// ------------------------------------------------------------------------------------------------------------------- files

void change_watch(host_o *h) {
  if (!is_watched(h))
    return;
  if (!h->watch)
    h->watch = watch_create(&(watch_desc_t){.log = h->log});
  watch_clear(h->watch);
  watch_add(h->watch, h->places.engine, "shoal/");
  watch_add(h->watch, h->places.assets, CHANGE_ENGINE_ASSETS);
  watch_add(h->watch, h->folder, "");
  for (uint32_t i = 0; h->game && plugins_folder(h->game->plugins, i); i++)
    if (!is_below(plugins_folder(h->game->plugins, i), h->folder) &&
        file_is_folder(plugins_folder(h->game->plugins, i)))
      watch_add(h->watch, plugins_folder(h->game->plugins, i), "plugins/");
}

static bool is_code(const char *path) {
  if (strncmp(path, "plugins/", 8) == 0)
    return plugins_is_library(path);
  size_t n = strlen(path);
  bool scene = strncmp(path, "scenes/", 7) == 0 && n > 5 && strcmp(path + n - 5, ".json") == 0;
  return scene || plugins_is_library(path) || (n > 4 && strcmp(path + n - 4, ".lua") == 0);
}

void change_poll_files(host_o *h) {
  if (!h->watch)
    return;
  uint32_t count = watch_poll(h->watch, platform_seconds(h->platform));
  for (uint32_t i = 0; i < count; i++)
    if (!change_asset(h, watch_path(h->watch, i)) && is_code(watch_path(h->watch, i)))
      h->want_reload = true;
}

// ----------------------------------------------------------------------------------------------------------------- changes

// What changed, in one line: "reloaded systems/a.lua in 9.1 ms: 1 system changed".
static void say_reloaded(host_o *h, const reload_news_t *news, double ms) {
  char words[512], files[32];
  for (const char *line = news->said, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
    log_info(h->log, "reload: %.*s", (int)(end - line), line);
  reload_words(news, words, sizeof words);
  snprintf(files, sizeof files, news->files == 0 ? "all files" : "%u files", news->files);
  const char *what = news->files == 1 ? news->names : files;
  log_info(h->log, "reloaded %s in %.1f ms%s%s%s%s", what, ms, words[0] ? ": " : "", words, news->files > 1 ? "; " : "",
           news->files > 1 ? news->names : "");
  toast_add(&h->toasts, TOAST_GOOD, "Reloaded %s%s%.120s", what, words[0] ? ": " : "", words);
}

// A game that goes on takes the place of the one that runs.
static void swap_games(host_o *h, game_o *fresh) {
  game_succeed(fresh, h->game);
  game_destroy(h->game);
  h->game = fresh;
  card_clear(&h->card);
  stats_reset(&h->stats);
  apply_facts(h);
  past_reloaded(h);
  record_reload(h);
}

static void reload(host_o *h) {
  script_report_t report = {0};
  reload_news_t news = {0};
  double began_s = platform_seconds(h->platform);
  bool fine = false;
  if (h->game) {
    keep_autosave_end(h); // its thread may not be at work while the new game is tried
    game_desc_t desc = describe_game(h);
    desc.seed = h->game->desc.seed;
    game_o *fresh = reload_game(h->game, &desc, &news, &report);
    fine = fresh != NULL;
    if (fresh)
      swap_games(h, fresh);
    else
      host_report(h, CARD_RELOAD, &report);
  } else { // it could not start: this save may have mended it
    fine = change_load(h, CARD_START);
  }
  if (fine)
    say_reloaded(h, &news, (platform_seconds(h->platform) - began_s) * 1e3);
}

static void restart(host_o *h) {
  if (change_load(h, h->game ? CARD_RESTART : CARD_START)) {
    log_info(h->log, "restarted");
    toast_add(&h->toasts, TOAST_GOOD, "Restarted");
  }
}

// To another game folder, named by path or as in `play`. The old game is dropped first: what comes may need the same things.
static void switch_game(host_o *h) {
  char folder[PLACES_PATH_MAX];
  error_t why = {{0}}, error = {{0}};
  const char *wanted = h->want_game;
  bool found =
      strchr(wanted, '/') ? places_folder(wanted, folder, &why) : places_game(&h->places, wanted, folder, &why);
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
  record_end(h);
  past_end(h);
  game_destroy(h->game);
  h->game = NULL;
  change_load(h, CARD_START);
  change_watch(h);
}

void change_apply(host_o *h) {
  if (!h->want_game[0] && !h->want_restart && !h->want_reload)
    return;
  if (h->want_game[0])
    switch_game(h);
  else if (h->want_restart)
    restart(h);
  else
    reload(h);
  clock_skip(&h->clock, platform_seconds(h->platform)); // loading is nobody's game time
  h->want_game[0] = 0;
  h->want_restart = h->want_reload = h->reload_by_script = false;
}
