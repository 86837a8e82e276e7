// Loads, reloads, restarts and switches games. Code is replaced only here, and only between two ticks.
#include "host/game_switch.h"

#include "addons/addon_lock.h"
#include "base/assert.h"
#include "base/files.h"
#include "base/hash.h"
#include "game/players.h"
#include "host/after_crash.h"
#include "host/failures.h"
#include "host/game_options.h"
#include "host/host_internal.h"
#include "host/play_together.h"
#include "host/tick.h"
#include "host/window.h"
#include "migrate/reverse_renames.h"
#include "reload/reload.h"
#include "reload/trial_tick.h"
#include "saves/game_saves.h"
#include "start/package.h"

#include <stdio.h>
#include <string.h>

#define EXIT_UNKNOWN_GAME 2 // exit code for an unknown game, unless the user then starts a game from the menu

static void set_game_folder(host_o *h, const char *folder, const char *message) {
  char copy[PATH_MAX_BYTES]; // `folder` may alias h->requested_game or h->session.folder
  shoal_assert(strlen(folder) < sizeof copy, "the path of the folder must be shorter than %zu bytes: %s", sizeof copy,
               folder);
  snprintf(copy, sizeof copy, "%s", folder);
  memcpy(h->session.folder, copy, sizeof h->session.folder);
  snprintf(h->menu_message, sizeof h->menu_message, "%.511s", message);
  path_join(h->session.assets.game, sizeof h->session.assets.game, h->session.folder, "assets");
  h->asset_addons.count = 0;
  if (h->maps)
    maps_clear(h->maps); // the next game may have different maps with the same names
}

// Switches to the menu, which shows `message`. Returns true on success. Returns false with an error if the menu is not
// installed, or if there is a message and the host runs without a window. The error contains `message`.
static bool choose_menu(host_o *h, const char *message, error_info_t *error) {
  char file[PATH_MAX_BYTES + 16];
  path_join(file, sizeof file, h->session.paths.menu, "game.lua");
  if (message[0] && h->session.options.headless)
    return error_set(error, "%s", message);
  if (!file_exists(file))
    return error_set(error, "%s%smenu not found: %s", message, message[0] ? "; " : "", file);
  if (message[0]) {
    // Also logs the message, for users who start games in a terminal and do not look at the window.
    log_error(h->session.log, "%s", message);
    h->session.exit_code = EXIT_UNKNOWN_GAME;
  }
  set_game_folder(h, h->session.paths.menu, message);
  return true;
}

bool game_switch_choose_game(host_o *h, error_info_t *error) {
  char folder[PATH_MAX_BYTES];
  error_info_t reason = {0};
  const char *target = h->session.options.target;
  if (h->session.crash.report[0]) { // the game that crashed may have been started from the menu
    set_game_folder(h, h->session.crash.folder, "");
    return true;
  }
  if (!target[0])
    return choose_menu(h, "", error);
  char config_file[PATH_MAX_BYTES];
  path_join(config_file, sizeof config_file, target, "game.lua");
  // A player's machine needs the same files as the world, so --world finds the game like ./shoal serve.
  bool is_folder = (h->session.options.command == OPTIONS_RUN && !h->session.options.world) ||
                   (h->session.options.command == OPTIONS_SQL &&
                    (strchr(target, '/') || file_exists(target) || file_exists(config_file)));
  if (h->session.options.package) { // a package contains a single game
    set_game_folder(h, target, "");
    return true;
  }
  bool found = is_folder ? paths_resolve_game_folder(target, folder, &reason)
                         : paths_find_game_or_folder(&h->session.paths, target, folder, &reason);
  if (!found)
    return choose_menu(h, reason.text, error);
  if (!is_folder && paths_is_ambiguous(target, folder))
    log_warn(h->session.log, PATHS_AMBIGUOUS, target, folder, target);
  set_game_folder(h, folder, "");
  return true;
}

// Watches the folders of the engine and the game before any file is read, so that changes during loading are not
// missed.
static void watch_folders(host_o *h) {
  if (!game_options_should_watch_files(h))
    return;
  if (!h->watch)
    h->watch = file_watch_create(&(file_watch_desc_t){.log = h->session.log});
  file_watch_clear(h->watch);
  file_watch_add(h->watch, h->session.paths.engine, "shoal/");
  file_watch_add(h->watch, h->session.paths.assets, GAME_SWITCH_ENGINE_ASSETS);
  file_watch_add(h->watch, h->session.folder, "");
}

// Watches the plugins' folders, which are known once the game is loaded.
static void watch_plugins(host_o *h, const game_o *g) {
  const char *folder;
  for (uint32_t i = 0; h->watch && (folder = plugins_folder(g->plugins, i)) != NULL; ++i)
    if (!paths_is_below(folder, h->session.folder) && file_is_folder(folder))
      file_watch_add(h->watch, folder, "plugins/");
}

// Watches the folders of add-ons, which are known once game.lua has run, even if loading the game has failed.
static void watch_addons(host_o *h) {
  for (uint32_t i = 0; h->watch && i < h->asset_addons.count; ++i) {
    char prefix[sizeof SOURCES_ADDONS + sizeof h->asset_addons.items[i].name + 1];
    snprintf(prefix, sizeof prefix, SOURCES_ADDONS "%s/", h->asset_addons.items[i].name);
    if (!paths_is_below(h->asset_addons.items[i].folder, h->session.folder))
      file_watch_add(h->watch, h->asset_addons.items[i].folder, prefix);
  }
}

// Passes controller mappings to the platform if the game has assets/gamecontrollerdb.txt and the file has changed.
static void add_pad_mappings(host_o *h) {
  char path[PATH_MAX_BYTES + 32];
  size_t bytes = 0;
  error_info_t error = {0};
  path_join(path, sizeof path, h->session.assets.game, "gamecontrollerdb.txt");
  if (h->session.options.headless || !file_exists(path))
    return;
  char *text = file_read(&h->session.memory, path, &bytes, &error);
  uint64_t hash = text ? hash_bytes(text, bytes, 0) : 0;
  if (text && hash != h->pad_mappings)
    platform_set_pad_mappings(h->session.platform, text);
  else if (!text)
    log_warn(h->session.log, "%s", error.text);
  h->pad_mappings = hash;
  file_free(&h->session.memory, text, bytes);
}

static void apply_settings(host_o *h) {
  const vm_game_t *config = &h->session.game->config;
  platform_set_title(h->session.platform, config->title);
  if (h->has_presented)
    render_set_icon(h->session.render, config->icon);
  platform_set_logical_size(h->session.platform, config->width, config->height);
  platform_set_dead_zone(h->session.platform, config->dead_zone);
  add_pad_mappings(h);
  window_apply_settings(h);
  clock_set_rate(&h->clock, config->tick_rate);
  h->speed = 0;
  game_saves_register_screenshots(&h->session);
  audio_set_buses(h->audio, &config->buses);
}

static void warn_about_addon(void *context, const char *message) {
  const host_o *h = context;
  log_warn(h->session.log, "%s", message);
}

// Creates the game in the session's folder from `sources` or, if NULL, from its files, and watches its folders. Returns
// the game, or NULL with a report if it cannot be created.
static game_o *create_game(host_o *h, sources_o *sources, script_report_t *report) {
  game_desc_t desc = game_options_build_desc(h);
  error_info_t error = {0};
  desc.sources = sources;
  if (h->match && h->session.game)
    desc.is_shared = desc.reuse_libraries = h->session.game->desc.is_shared;
  if (sources && !h->match) { // live code of a room
    desc.is_shared = desc.reuse_libraries = true;
    desc.trust = false;
    desc.compiled_sources = NULL;
  }
  if (!h->session.options.package && !h->match &&
      !addon_lock_check(&h->session.memory, h->session.folder, warn_about_addon, h, &error))
    log_warn(h->session.log, "%s", error.text);
  game_o *g = game_create(&desc, after_crash_is_pending(h), report);
  if (g)
    watch_plugins(h, g);
  watch_addons(h);
  return g;
}

// Runs trial ticks in forked processes until no plugin system crashes there, and parks the systems that crash.
static void run_plugin_trials(host_o *h, game_o *g) {
  trial_t trial;
  shoal_assert(!h->session.autosave, "the process cannot fork while a thread is inside SQLite");
  while (plugins_have_systems(g->plugins)) {
    trial_run_tick(g, RELOAD_TRIAL_MS, &trial);
    bool crashed = trial.has_run && !trial.completed && trial.system[0];
    if (!crashed || !plugins_park_system(g->plugins, trial.system, trial.crash_report.message))
      return;
    failures_report(h, ERROR_CARD_RUN, &trial.crash_report);
  }
}

// Copies a file unless the target already has the same contents. Returns true on success, or false with an error.
static bool copy_if_different(const char *source, const char *target, error_info_t *error) {
  allocator_t memory = {0};
  size_t new_bytes = 0, old_bytes = 0;
  char *new_text = file_read(&memory, source, &new_bytes, error), *old_text = NULL;
  if (!new_text)
    return false;
  if (file_exists(target))
    old_text = file_read(&memory, target, &old_bytes, NULL);
  bool equal = old_text && old_bytes == new_bytes && memcmp(old_text, new_text, new_bytes) == 0;
  bool ok = equal || file_write(target, new_text, new_bytes, error);
  file_free(&memory, old_text, old_bytes);
  file_free(&memory, new_text, new_bytes);
  return ok;
}

// Updates the type definitions of the game and the engine for editors, except in a match, if files are watched and the
// game has .shoal/types.lua, which `./shoal new` and `./shoal types` create. Failures are only logged.
static void update_type_definitions(host_o *h) {
  static const char *const names[] = {"shoal.lua", "builtin.lua", "plugins.lua"};
  char folder[PATH_MAX_BYTES], engine[PATH_MAX_BYTES + 16], source[PATH_MAX_BYTES + 32], target[PATH_MAX_BYTES + 32];
  error_info_t error = {0};
  if (!h->watch || h->match ||
      snprintf(folder, sizeof folder, "%s/.shoal", h->session.game->desc.folder) >= (int)sizeof folder ||
      !file_exists(path_join(target, sizeof target, folder, "types.lua")))
    return;
  bool ok = vm_write_types(h->session.game->vm, target, &error);
  path_join(engine, sizeof engine, h->session.paths.root, "scripts/types");
  for (size_t i = 0; ok && file_is_folder(engine) && i < sizeof names / sizeof *names; ++i)
    ok = copy_if_different(path_join(source, sizeof source, engine, names[i]),
                           path_join(target, sizeof target, folder, names[i]), &error);
  if (!ok)
    log_warn(h->session.log, "cannot update the type definitions for editors: %s", error.text);
}

// Starts the game `fresh` and replaces the running game with it. `fresh` is NULL if the game could not be created.
// `report` then contains the reason.
static bool replace_game(host_o *h, game_o *fresh, script_report_t *report, error_card_kind_t on_failure) {
  if (fresh && h->session.game) { // must precede `start`, which may start the music
    audio_reset(h->audio);
    sound_sync_clear(h->sounds);
  }
  if (fresh)
    preload_clear(h->preload); // must precede `start`, which may request assets
  if (!fresh || !(after_crash_resume(h, fresh) || game_start(fresh, report))) {
    if (fresh && h->session.game) // the running game continues, so its buses are restored
      audio_set_buses(h->audio, &h->session.game->config.buses);
    game_destroy(fresh);
    failures_report(h, on_failure, report);
    return false;
  }
  recording_control_end(&h->session);
  time_travel_end(&h->session);
  if (h->session.game && h->session.game->in_match)
    players_take_over(fresh, h->session.game);
  if (h->session.game && h->reverses_renames) {
    reverse_renames_t before = {0};
    reverse_renames_declare(h->session.game->world, fresh->world, &before);
    reverse_renames_end(fresh->world, &before, false);
  }
  game_destroy(h->session.game);
  h->session.game = fresh;
  file_retry_end(&h->unfinished_reload.retry);
  h->pointer = (script_pointer_t){0};
  error_card_clear(&h->card);
  refused_changes_clear(&h->refused, &h->session.memory);
  stats_reset(&h->stats);
  clock_init(&h->clock, fresh->config.tick_rate);
  game_saves_end_autosave(&h->session); // the autosave thread must not run while a trial tick forks the process
  run_plugin_trials(h, fresh);
  log_info(h->session.log, "%s: seed %llu", fresh->config.title, (unsigned long long)fresh->desc.seed);
  apply_settings(h);
  update_type_definitions(h);
  time_travel_begin(&h->session);
  return true;
}

static bool load_game(host_o *h, sources_o *sources, error_card_kind_t on_failure) {
  script_report_t report = {0};
  error_info_t error = {0};
  bool records_to_file = h->session.recording.recorder && h->session.recording.records_snapshots;
  external_begin_start(h->session.external);
  game_o *fresh = create_game(h, sources, &report);
  bool started = replace_game(h, fresh, &report, on_failure);
  external_end_start(h->session.external, started || !h->session.game);
  if (!started)
    return false;
  if (records_to_file)
    log_warn(h->session.log, "the recording in %s ends here: the game restarted", h->session.options.record);
  if (!h->session.recording.replay && !recording_control_begin(&h->session, &error))
    log_error(h->session.log, "%s", error.text);
  return true;
}

static bool open_window(host_o *h, const vm_game_t *config, platform_preload_t *preload, error_info_t *error) {
  const options_t *o = &h->session.options;
  h->session.platform = platform_create(
      &(platform_desc_t){
          .headless = o->headless,
          .may_render_offscreen = o->has_ticks || o->has_screenshot_at || o->replay || o->captured,
          .title = config->title,
          .width = o->width ? o->width : config->width,
          .height = o->height ? o->height : config->height,
          .window_settings = window_settings(h, config),
          .window = o->window,
          .preload = preload,
          .log = h->session.log,
      },
      error);
  if (!h->session.platform)
    return false;
  h->session.render = render_create(
      &(render_desc_t){
          .platform = h->session.platform,
          .assets = &h->session.assets,
          .width = config->width,
          .height = config->height,
          .waits_for_images = o->every_tick,
          .log = h->session.log,
      },
      error);
  return h->session.render != NULL;
}

// Returns true if the window may be opened before the game is created: only in packages without plugins, because the
// trial tick of plugins forks the process.
static bool can_open_window_early(const host_o *h) {
  char plugins[PATH_MAX_BYTES + 16];
  const package_t *p = h->session.options.package;
  return p && !h->session.options.headless && !file_is_folder(path_join(plugins, sizeof plugins, p->folder, "plugins"));
}

bool game_switch_load_first_game(host_o *h, error_info_t *error) {
  script_report_t report = {0};
  platform_preload_t preload = {0};
  watch_folders(h);
  if (can_open_window_early(h))
    platform_open_early(&preload);
  game_o *fresh = create_game(h, NULL, &report);
  if (!open_window(h, fresh ? &fresh->config : &GAME_DEFAULTS, &preload, error)) {
    game_destroy(fresh);
    return false;
  }
  if (fresh)
    game_set_render(fresh, h->session.render);
  replace_game(h, fresh, &report, ERROR_CARD_START);
  return true;
}

// --- files

static bool is_code_file(const char *path) {
  if (strncmp(path, "plugins/", 8) == 0)
    return plugins_is_library(path);
  return sources_is_source_file(path) || (plugins_is_library(path) && strncmp(path, "assets/", 7) != 0);
}

// Returns true if a source file still has the content that the running game has read.
static bool is_running_text(host_o *h, const char *name) {
  char path[PATH_MAX_BYTES];
  size_t bytes = 0, file_bytes = 0;
  sources_o *sources = h->session.game ? h->session.game->desc.sources : NULL;
  const char *running_text =
      sources && sources_has_file(sources, name) ? sources_read_text(sources, name, &bytes, NULL) : NULL;
  char *file_text = running_text ? file_read(&h->session.memory, sources_find_path(sources, name, path, sizeof path),
                                             &file_bytes, NULL)
                                 : NULL;
  bool is_same = file_text && file_bytes == bytes && memcmp(file_text, running_text, bytes) == 0;
  file_free(&h->session.memory, file_text, file_bytes);
  return is_same;
}

// Returns true if a saved file needs no reload when the running game already has its text. Otherwise, the file may
// revert a refused change, or its reload may retry a failed function.
static bool is_settled(const host_o *h) {
  return h->session.game && !h->match && h->card.kind == ERROR_CARD_NONE && h->session.game->parked.items.count == 0 &&
         !h->trial.running && !h->trial.needs_restart && !h->session.reload_requested &&
         h->unfinished_reload.retry.due_s == 0;
}

// Warns once per asset that a match does not reload changed assets.
static void warn_about_asset(host_o *h, const char *name) {
  static const char REASON[] = "not reloaded in a match: only Lua files, scenes and data files can be shared";
  if (strncmp(name, "assets/", 7) != 0 || !log_is_new_notice(h->session.log, name, REASON))
    return;
  notice_add(&h->session.notices, NOTICE_BAD, "%.80s is %s", name, REASON);
  log_warn(h->session.log, "match: %s is %s: copy the file to all machines, and begin the match again", name, REASON);
}

bool game_switch_has_unsettled_files(const host_o *h) {
  return h->watch && file_watch_is_unsettled(h->watch, platform_seconds(h->session.platform));
}

void game_switch_poll_files(host_o *h) {
  if (!h->watch)
    return;
  double now_s = platform_seconds(h->session.platform);
  uint32_t count = file_watch_poll(h->watch, now_s);
  bool can_skip = is_settled(h);
  for (uint32_t i = 0; i < count; ++i) {
    const char *name = file_watch_path(h->watch, i);
    // The file was saved without a change, or an earlier reload has read it before the editor closed it.
    if ((can_skip || file_watch_may_be_equal(h->watch, i)) && is_running_text(h, name))
      continue;
    // Reloads do not compare engine files, and do not compare a library with its refused version.
    h->session.reload_is_explicit |= strncmp(name, "shoal/", 6) == 0 || plugins_is_library(name);
    h->refused.is_repeating = false;             // the new contents may complete a refused change
    toast_remove_kind(&h->toasts, TOAST_RELOAD); // an earlier result could be mistaken for the result of this change
    window_announce_edit(h);
    if (!h->match)
      game_switch_reload_asset(h, name);
    else if (!is_code_file(name)) // assets are not reloaded in a match, because the simulation may read them
      warn_about_asset(h, name);
    h->session.reload_requested |= is_code_file(name);
  }
  file_retry_poll(&h->unfinished_reload.retry, now_s, count > 0 || game_switch_has_unsettled_files(h));
  // A trial that is running reads the files again already, or has read newer ones.
  h->session.reload_requested |= h->unfinished_reload.retry.is_due && !h->trial.running;
  if (count > 0 && !h->session.reload_requested && h->session.game) // assets may have been added or renamed
    update_type_definitions(h);
}

// --- changes

// Returns true if only changed files have caused the reload, and it has found no difference: the change was reverted,
// or an earlier reload has already read it.
static bool is_reload_empty(const host_o *h, const reload_news_t *news) {
  char summary[512];
  return !h->session.reload_is_explicit && !h->session.reload_by_script && news->file_count == 0 && !news->kept[0] &&
         !news->details[0] && !reload_format_summary(news, summary, sizeof summary)[0];
}

// Shows the card of the changes that are still refused. The card stays hidden if the user has hidden it.
static void show_refused_changes(host_o *h) {
  bool was_hidden = h->card.hidden;
  refused_changes_show(&h->refused, &h->card, h->session.folder, h->session.paths.engine);
  h->card.hidden = was_hidden;
}

// Logs a reload, as in "reloaded systems/a.lua in 9.1 ms: 1 system changed", and shows a notice.
static void report_reload(host_o *h, const reload_news_t *news, bool undone, double ms) {
  static const char REVERTED[] = "the refused change was reverted; all files match the running game";
  char summary[512], files[32], refused[240], refused_names[200], duration[32] = "";
  toast_remove_kind(&h->toasts, TOAST_RELOAD);
  for (const char *line = news->details, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
    log_info(h->session.log, "reload: %.*s", (int)(end - line), line);
  reload_format_summary(news, summary, sizeof summary);
  if (undone) {
    log_info(h->session.log, "reloaded: %s", REVERTED);
    notice_add(&h->session.notices, NOTICE_RELOAD, "Reloaded: %s", REVERTED);
    return;
  }
  if (news->kept[0])
    notice_add(&h->session.notices, NOTICE_BAD, "%.200s", news->kept);
  snprintf(files, sizeof files, news->file_count == 0 ? "all files" : "%u files", news->file_count);
  refused_changes_list_files(&h->refused, false, refused_names, sizeof refused_names);
  snprintf(refused, sizeof refused, "%s%s", refused_names[0] ? "; still refused: " : "", refused_names);
  const char *subject = news->file_count == 1 ? news->names : files;
  log_info(h->session.log, "reloaded %s in %.1f ms%s%s%s%s%s%s", subject, ms, summary[0] ? ": " : "", summary,
           news->file_count > 1 ? "; " : "", news->file_count > 1 ? news->names : "", news->delayed, refused);
  // The pictures of a match and of a run with a fixed time step must not depend on the machine.
  if (h->watch && !h->match && tick_uses_clock(h))
    snprintf(duration, sizeof duration, ", %.0f ms", ms);
  notice_add(&h->session.notices, NOTICE_RELOAD, "Reloaded %s%s%s%.120s%.160s%.100s", subject, duration,
             summary[0] ? ": " : "", summary, news->delayed, refused);
  if (news->needs_restart) {
    log_info(h->session.log, "reload: the game's `start` function has changed: press Ctrl+F5 to restart the game");
    notice_add(&h->session.notices, NOTICE_RELOAD, "The game's start function has changed: press Ctrl+F5 to restart");
  }
}

// Replaces the running game with a new version that continues its world.
static void replace_reloaded_game(host_o *h, game_o *fresh) {
  game_take_over_state(fresh, h->session.game);
  game_destroy(h->session.game);
  h->session.game = fresh;
  file_retry_end(&h->unfinished_reload.retry);
  error_card_clear(&h->card);
  stats_reset(&h->stats);
  apply_settings(h);
  watch_plugins(h, fresh);
  watch_addons(h);
  update_type_definitions(h);
  time_travel_on_reload(&h->session);
  recording_control_add_reload(&h->session);
}

// Returns true if the result of the reload that is beginning is final: no files are watched, a script has requested the
// reload, or the files were read before and editors have had time to complete them.
static bool is_last_try(host_o *h) {
  return !h->watch || h->session.reload_by_script ||
         file_retry_is_last(&h->unfinished_reload.retry, platform_seconds(h->session.platform));
}

// Returns true if the reload that is ending was the last try, but a file may have been written in the meantime, and the
// time limit for further tries is not reached.
static bool is_doubtful(host_o *h) {
  return h->unfinished_reload.is_last_try && !h->session.reload_by_script &&
         !file_retry_is_expired(&h->unfinished_reload.retry, platform_seconds(h->session.platform)) &&
         game_switch_has_unsettled_files(h);
}

// Reports the failure of the newest change. The card lists earlier refused changes below it.
static void report_refused(host_o *h, const script_report_t *report) {
  script_report_t described = *report;
  size_t length = strlen(described.about);
  char names[200];
  if (refused_changes_list_files(&h->refused, true, names, sizeof names)[0])
    snprintf(described.about + length, sizeof described.about - length, "%sTried without the refused change of %s.",
             length ? "\n" : "", names);
  refused_changes_add(&h->refused, &h->session.memory, h->session.game, &described);
  failures_report(h, ERROR_CARD_RELOAD, &described);
  if (h->refused.changes.count > 1)
    refused_changes_show(&h->refused, &h->card, h->session.folder, h->session.paths.engine);
  h->session.reload_is_explicit = false;
}

// Reports why a reload was refused. If an earlier refused change is the reason, first tries the newer changes without
// it. If a file may still be written, first reads the files again after a short wait.
static void refuse_reload(host_o *h, const script_report_t *report) {
  bool must_report = h->session.reload_is_explicit || h->session.reload_by_script;
  refused_verdict_t verdict =
      refused_changes_judge(&h->refused, &h->session.memory, h->session.game, report, must_report);
  if (verdict == REFUSED_REPEAT) {
    h->session.reload_requested = true;
    return;
  }
  if (verdict == REFUSED_KNOWN) {
    file_retry_end(&h->unfinished_reload.retry);
    if (h->card.kind != ERROR_CARD_RUN) // newer errors stay above the refused changes
      show_refused_changes(h);
    log_debug(h->session.log, "reload: still refused; no other file differs from the running game");
    return;
  }
  if ((h->unfinished_reload.is_last_try && !is_doubtful(h)) || !report->may_be_unfinished) {
    file_retry_end(&h->unfinished_reload.retry);
    report_refused(h, report);
    return;
  }
  log_debug(h->session.log, "%s may be unfinished: reading it again",
            report->path[0]   ? report->path
            : report->file[0] ? report->file
                              : "a file");
  const script_report_t *previous = &h->unfinished_reload.report;
  bool is_new = strcmp(previous->file, report->file) != 0 || strcmp(previous->message, report->message) != 0;
  file_retry_schedule(&h->unfinished_reload.retry, platform_seconds(h->session.platform), is_new);
  h->unfinished_reload.report = *report;
}

void game_switch_report_unfinished(host_o *h) {
  if (h->unfinished_reload.retry.due_s > 0)
    failures_report(h, ERROR_CARD_RELOAD, &h->unfinished_reload.report);
  file_retry_end(&h->unfinished_reload.retry);
}

static game_desc_t build_reload_desc(host_o *h) {
  game_desc_t desc = game_options_build_desc(h);
  desc.seed = h->session.game->desc.seed;
  desc.accepts_missing_files = h->unfinished_reload.is_last_try = is_last_try(h);
  desc.kept_files = h->refused.held_files.items;
  desc.kept_file_count = h->refused.held_files.count;
  return desc;
}

// Ends the host's threads, which could hold locks while the process forks.
static void prepare_fork(host_o *h) {
  game_saves_end_autosave(&h->session);
  time_travel_stop_thread(&h->session);
}

// Replaces the game with `fresh`, the result of a reload that was requested at `began_s`, in seconds. If `fresh` is
// NULL, reports why the reload was refused.
static void end_reload(host_o *h, game_o *fresh, const reload_news_t *news, const script_report_t *report,
                       double began_s) {
  bool was_refused = h->card.kind == ERROR_CARD_RELOAD || h->refused.changes.count > 0;
  if (!fresh && news->is_stale)
    h->session.reload_requested = true;
  else if (!fresh)
    refuse_reload(h, report);
  if (!fresh)
    return;
  bool is_empty = !was_refused && is_reload_empty(h, news);
  bool was_hidden = h->card.hidden;
  refused_changes_drop_applied(&h->refused, &h->session.memory, fresh);
  replace_reloaded_game(h, fresh);
  h->card.hidden = was_hidden && h->refused.changes.count > 0;
  show_refused_changes(h);
  h->session.reload_is_explicit = false;
  // Reports a library that could not be opened first. The summary then follows only if something else has changed.
  bool has_failed = failures_report_new(h) > 0;
  if (is_empty)
    log_debug(h->session.log, "reload: no file differs from the running game");
  else if (!has_failed || news->file_count > 0)
    report_reload(h, news, was_refused && news->file_count == 0,
                  (platform_seconds(h->session.platform) - began_s) * 1e3);
}

// Reloads without a background trial. Repeats the reload while earlier refused changes are the reason for a failure.
static void reload_now(host_o *h, double began_s) {
  prepare_fork(h);
  do {
    script_report_t report = {0};
    reload_news_t news = {0};
    external_clear_assets(h->session.external);
    refused_changes_begin(&h->refused);
    game_desc_t desc = build_reload_desc(h);
    game_o *fresh = reload_game(h->session.game, &desc, &news, &report);
    end_reload(h, fresh, &news, &report, began_s);
  } while (h->refused.is_repeating);
}

static void run_reload(host_o *h) {
  reload_news_t news = {0};
  double began_s = platform_seconds(h->session.platform);
  if (h->session.game) {
    reload_now(h, began_s);
    return;
  }
  external_clear_assets(h->session.external);
  if (load_game(h, NULL, ERROR_CARD_START)) // the changed file may have fixed a game that could not start
    report_reload(h, &news, false, (platform_seconds(h->session.platform) - began_s) * 1e3);
}

// Returns true if a slow `migrate` is stopped, so that it does not delay a frame for long. A recording and its replay
// must not depend on the machine's load.
static bool limits_migrate(const host_o *h) {
  return !h->session.options.record && !h->session.recording.replay;
}

// Applies a change that has passed its background trial. `loaded`: the new version, or NULL to load it now.
static void apply_reload(host_o *h, const reload_verdict_t *verdict, game_o *loaded) {
  script_report_t report = {0};
  reload_news_t news = {0};
  double start_s = platform_seconds(h->session.platform);
  if (!loaded) {
    game_desc_t desc = build_reload_desc(h);
    external_clear_assets(h->session.external);
    loaded = game_load_now(&desc, true, &report);
  }
  game_o *fresh = loaded ? reload_apply(h->session.game, loaded, verdict, limits_migrate(h), &news, &report) : NULL;
  end_reload(h, fresh, &news, &report, h->trial_start_s);
  log_debug(h->session.log, "reload: tried in %.1f ms (loaded and migrated in %u ms of CPU time), applied in %.1f ms",
            (start_s - h->trial_start_s) * 1e3, verdict->spent_ms,
            (platform_seconds(h->session.platform) - start_s) * 1e3);
}

// Restarts the game. The number of ticks counted for --ticks continues, so a run ends even if the game restarts
// repeatedly.
static void restart_game(host_o *h) {
  uint64_t ticks = h->session.game ? world_tick(h->session.game->world) : 0;
  // Reuses the sources in a match, because files on disk may differ between machines.
  sources_o *sources = h->match && h->session.game ? h->session.game->desc.sources : NULL;
  if (load_game(h, sources, h->session.game ? ERROR_CARD_RESTART : ERROR_CARD_START)) {
    h->ticks_before_restart += ticks;
    log_info(h->session.log, "restarted");
    notice_add(&h->session.notices, NOTICE_GOOD, "Restarted");
  }
}

game_o *game_switch_restart_in_match(host_o *h, uint64_t seed) {
  h->has_restart_seed = true;
  h->restart_seed = seed;
  restart_game(h);
  h->has_restart_seed = false;
  return h->session.game;
}

game_o *game_switch_enter_in_match(host_o *h, const char *folder, sources_o *sources, const char *assets,
                                   uint64_t seed) {
  char old_folder[PATH_MAX_BYTES];
  snprintf(old_folder, sizeof old_folder, "%s", h->session.folder);
  set_game_folder(h, folder, "");
  if (assets)
    (void)snprintf(h->session.assets.game, sizeof h->session.assets.game, "%s", assets);
  h->has_restart_seed = true;
  h->restart_seed = seed;
  render_reset(h->session.render);
  if (load_game(h, sources, ERROR_CARD_START))
    watch_folders(h);
  else
    set_game_folder(h, old_folder, "");
  h->has_restart_seed = false;
  return h->session.game;
}

bool game_switch_start_code(host_o *h, sources_o *sources, bool reverses_renames) {
  h->has_restart_seed = true;
  h->restart_seed = h->session.game->desc.seed;
  h->reverses_renames = reverses_renames;
  bool ok = load_game(h, sources, ERROR_CARD_START);
  h->has_restart_seed = h->reverses_renames = false;
  return ok;
}

bool game_switch_reload_in_match(host_o *h, game_o *loaded, const reload_verdict_t *verdict, script_report_t *report) {
  reload_news_t news = {0};
  double start_s = platform_seconds(h->session.platform);
  // All machines must get the same result, so `migrate` has its whole budget.
  game_o *fresh = reload_apply(h->session.game, loaded, verdict, false, &news, report);
  if (!fresh)
    return false;
  replace_reloaded_game(h, fresh);
  failures_report_new(h);
  report_reload(h, &news, false, (platform_seconds(h->session.platform) - start_s) * 1e3);
  return true;
}

// Replaces the game with the game in the session's folder. The old game is destroyed first, because the new game may
// need the same resources.
static void load_other_game(host_o *h) {
  audio_reset(h->audio);
  sound_sync_clear(h->sounds);
  render_reset(h->session.render);
  recording_control_end(&h->session);
  time_travel_end(&h->session);
  game_destroy(h->session.game);
  h->session.game = NULL;
  refused_changes_clear(&h->refused, &h->session.memory);
  if (h->lan_list)
    lan_list_close(h->lan_list);
  watch_folders(h);
  load_game(h, NULL, ERROR_CARD_START);
}

// Switches to the requested game, given by its path or by its name as in `play`. If the game is not found, switches to
// the menu, which shows the reason, or ends the run if the menu cannot be shown.
static void switch_game(host_o *h) {
  char folder[PATH_MAX_BYTES];
  error_info_t reason = {0}, error = {0};
  const char *target = h->requested_game;
  bool found = strchr(target, '/') ? paths_resolve_game_folder(target, folder, &reason)
                                   : paths_find_game(&h->session.paths, target, folder, &reason);
  if (!found && !choose_menu(h, reason.text, &error)) {
    log_error(h->session.log, "%s", error.text);
    h->session.exit_code = 2;
    h->session.stopping = true;
    return;
  }
  bool was_menu = h->session.game && strcmp(h->session.game->folder, h->session.paths.menu) == 0;
  if (found && h->session.exit_code == EXIT_UNKNOWN_GAME)
    h->session.exit_code = 0;
  if (found)
    set_game_folder(h, folder, h->requested_message);
  h->started_from_menu = found && was_menu;
  h->leave.asked_s = 0; // the next game requires two presses again
  if (h->started_from_menu && h->together.is_requested && !play_together_set_options(h, &error)) {
    log_error(h->session.log, "match: %s", error.text);
    set_game_folder(h, h->session.paths.menu, error.text);
    h->started_from_menu = false;
  }
  load_other_game(h);
}

// Starts a background trial of the newest files. Returns true if the reload need not run now. Newer files restart a
// running trial at most twice. After that, the trial is completed first, because an editor may save continuously.
static bool try_in_background(host_o *h) {
  enum { MAX_RESTARTS = 2 };
  bool is_restart = h->trial.running;
  // A reload by a script or a recording must take effect in a fixed tick, so it does not wait for a background trial.
  if (!h->session.game || h->waits_for_reload || h->session.reload_by_script || !tick_uses_clock(h))
    return false;
  if (is_restart && h->trial.restart_count == MAX_RESTARTS) {
    h->trial.needs_restart = true;
    h->session.reload_requested = false;
    return true;
  }
  prepare_fork(h);
  refused_changes_begin(&h->refused);
  game_desc_t desc = build_reload_desc(h);
  if (!background_trial_begin(&h->trial, h->session.game, &desc))
    return false;
  if (!is_restart)
    h->trial_start_s = platform_seconds(h->session.platform);
  log_debug(h->session.log, "reload: a background trial begins");
  h->trial.restart_count = is_restart ? h->trial.restart_count + 1 : 0;
  h->session.reload_requested = false;
  return true;
}

// Applies or refuses the change if its background trial has ended. Returns true if a trial has ended.
static bool finish_trial(host_o *h) {
  reload_verdict_t verdict;
  game_o *loaded;
  if (!background_trial_poll(&h->trial, &verdict, &loaded))
    return false;
  h->session.reload_requested |= h->trial.needs_restart;
  h->trial.needs_restart = false;
  if (verdict.passed && is_doubtful(h)) { // a file that seems to be deleted may reappear
    game_destroy(loaded);
    file_retry_schedule(&h->unfinished_reload.retry, platform_seconds(h->session.platform), false);
  } else if (verdict.passed)
    apply_reload(h, &verdict, loaded);
  else
    refuse_reload(h, &verdict.report);
  return true;
}

static void skip_time(host_o *h) { // loading does not count as game time
  clock_skip(&h->clock, h->session.options.own_clock ? h->clock_s : platform_seconds(h->session.platform));
}

void game_switch_apply(host_o *h) {
  if (h->match)
    return;
  bool switches = h->requested_game[0] || h->restart_requested;
  if (!switches && !h->session.reload_by_script && finish_trial(h))
    skip_time(h);
  if (!switches && (!h->session.reload_requested || try_in_background(h)))
    return;
  shoal_assert(!h->session.game || !world_is_deferring(h->session.game->world),
               "code cannot be replaced while a system runs");
  background_trial_abandon(&h->trial);
  scrub_end(&h->session);
  if (h->requested_game[0])
    switch_game(h);
  else if (h->restart_requested)
    restart_game(h);
  else
    run_reload(h);
  skip_time(h);
  h->requested_game[0] = h->requested_message[0] = 0;
  h->together.is_requested = false;
  h->restart_requested = h->session.reload_requested = h->session.reload_by_script = false;
}
