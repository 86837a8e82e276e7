// Loads saves and runs their migrations, writes saves, manages save slots for scripts, and autosaves on a thread.
#include "saves/game_saves.h"

#include "base/assert.h"
#include "base/files.h"
#include "game/save_slots.h"
#include "process/child.h"
#include "saves/unsaved_scenes.h"
#include "session/session.h"
#include "store/save.h"
#include "ui/ui.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char SUFFIX[] = ".sqlite";

static const char *get_game_id(const session_t *s) {
  return save_slots_id(s->game);
}

// --- migrations

static bool run_migration(session_t *s, const char *name, error_info_t *error) {
  char path[PATH_MAX_BYTES + 300], chunk[300];
  script_report_t report = {0};
  size_t size = 0;
  snprintf(path, sizeof path, "%s/migrations/%s", s->folder, name);
  snprintf(chunk, sizeof chunk, "@migrations/%s", name);
  char *text = file_read(&s->memory, path, &size, error);
  if (!text)
    return false;
  bool ok = vm_exec(s->game->vm, text, chunk, NULL, 0, &report) ||
            error_set(error, "migrations/%s:%d: %s", name, report.line, report.message);
  file_free(&s->memory, text, size);
  if (ok)
    log_info(s->log, "migrated an older save: ran migrations/%s", name);
  return ok;
}

// Runs the game's migrations that have not been applied to the save yet, sorted by name. Attaches the save only if
// there is such a migration, because this takes about 2 ms per table. Returns true on success or without migrations, or
// false with an error.
static bool run_migrations(session_t *s, const save_bytes_t *save, unknown_components_o *unknown, error_info_t *error) {
  file_list_t list = {0};
  char folder[PATH_MAX_BYTES + 16];
  path_join(folder, sizeof folder, s->folder, "migrations");
  if (!file_list_optional(&s->memory, folder, ".lua", &list, error))
    return false;
  bool ok = true, is_attached = false;
  for (uint32_t i = 0; ok && i < list.count; ++i) {
    if (unknown_components_has_migration(unknown, list.paths[i]))
      continue;
    is_attached = is_attached || sql_attach_save(s->game->sql, save, error);
    ok = is_attached && run_migration(s, list.paths[i], error) &&
         (unknown_components_add_migration(unknown, list.paths[i]) ||
          error_set(error, "too many files in migrations/: merge some of them"));
  }
  if (is_attached)
    sql_detach_save(s->game->sql);
  file_list_free(&s->memory, &list);
  return ok;
}

// --- loading

// Applies the differences between the save's assemblages and the current assemblages to the loaded entities.
static bool merge_assemblages(session_t *s, const char *name, saved_assemblages_o *old, error_info_t *error) {
  assemblage_merge_counts_t counts = {0};
  error_info_t merge_error = {0};
  if (!saved_assemblages_merge(old, name, &counts, &merge_error))
    return error_set(error, "%s: cannot apply the current assemblages: %.900s", name, merge_error.text);
  if (saved_assemblages_are_assumed(old) && counts.components_added > 0 && !s->options.package)
    notice_add(&s->notices, NOTICE_BAD, "Old save: added %u missing component%s: see the log", counts.components_added,
               counts.components_added == 1 ? "" : "s");
  return true;
}

// Loads the save, runs its migrations, and then merges edited assemblages. The merge comes last because a migration may
// add the components that the entities of an assemblage lack. On failure, the world is unchanged. `name`: name of the
// save in messages. A replay drops the parts of add-ons that the game lacks: the recorded run must have dropped them,
// too, because its load succeeded.
static bool load_bytes(session_t *s, const char *name, const void *bytes, size_t size, error_info_t *error) {
  time_travel_store_snapshot(s);
  world_o *w = s->game->world;
  scrub_end(s);
  unknown_components_o *unknown = unknown_components_create();
  saved_assemblages_o *saved_assemblages = NULL;
  addon_list_t dropped_addons = {0};
  for (uint32_t i = 0; i < s->options.drop_addon_count; ++i)
    addon_list_add(&dropped_addons, s->options.drop_addons[i], "");
  save_bytes_t save = {.name = name,
                       .bytes = bytes,
                       .size = size,
                       .budget_ms = vm_budget_ms(s->game->vm, SCRIPT_BUDGET_LOAD),
                       .previous_world = snapshot_create(&s->memory),
                       .assemblages = &saved_assemblages,
                       .drop_addons = &dropped_addons,
                       .drops_missing_addons = recording_control_has_recorded_stops(s),
                       .keeps_components = s->crash.report[0] != '\0'};
  unknown_components_set_addons(unknown, unknown_components_addons(s->game->unknown_components));
  unknown_components_set_migrate(unknown, vm_run_migration, s->game->vm);
  vm_settings_t settings = {0};
  vm_copy_settings(s->game->vm, &s->memory, &settings);
  bool ok = save_read_bytes(w, get_game_id(s), &save, unknown, error);
  if (ok && !(run_migrations(s, &save, unknown, error) && merge_assemblages(s, name, saved_assemblages, error))) {
    bool restored = snapshot_restore(save.previous_world, w, NULL);
    shoal_assert(restored, "%s: the world before the load cannot be restored", name);
    (void)restored;
    ok = false;
  }
  vm_apply_settings(s->game->vm, &settings);
  array_free(&s->memory, &settings);
  saved_assemblages_destroy(saved_assemblages);
  snapshot_release(save.previous_world);
  if (ok)
    unsaved_scenes_close(s->game);
  unknown_components_destroy(ok ? s->game->unknown_components : unknown);
  if (ok)
    s->game->unknown_components = unknown;
  world_set_tick_rate(w, s->game->config.tick_rate); // the loaded save has replaced the tick rate
  timelines_interrupt(&s->time.timelines, w);
  return ok;
}

static bool load_external_result(session_t *s, const external_result_t *result, const char *name, error_info_t *error) {
  if (!result->found)
    return error_set(error, "%.*s", (int)(result->size < 1000 ? result->size : 1000), (const char *)result->bytes);
  return load_bytes(s, name, result->bytes, result->size, error);
}

static bool read_save_file(void *context, const char *key, allocator_t *a, void **bytes, size_t *size,
                           error_info_t *error) {
  (void)key;
  *bytes = file_read(a, context, size, error);
  return *bytes != NULL;
}

static bool load_recorded(session_t *s, error_info_t *error) {
  error_info_t reason = {0};
  const external_result_t *result = external_request(s->external, EXTERNAL_LOAD, "", read_save_file, NULL);
  return load_external_result(s, result, "the recorded save", &reason) ||
         error_set(error, "%.300s: %.700s", s->options.replay, reason.text);
}

bool game_saves_load_initial(session_t *s, error_info_t *error) {
  const char *name = s->options.load;
  bool uses_recorded_save = s->recording.replay && !recording_snapshot(s->recording.replay) &&
                            external_get_recorded(s->external, EXTERNAL_LOAD, 0);
  if (!s->game || (!uses_recorded_save && !name)) // nothing to load, or no game: its failure was logged before
    return true;
  if (uses_recorded_save)
    return load_recorded(s, error);
  if (s->recording.replay) {
    size_t size = 0;
    char *bytes = file_read(&s->memory, name, &size, error);
    bool ok = bytes && load_bytes(s, name, bytes, size, error);
    if (ok)
      external_add_result(s->external, EXTERNAL_LOAD, "", true, bytes, size);
    file_free(&s->memory, bytes, size);
    return ok;
  }
  return load_external_result(
      s, external_request(s->external, EXTERNAL_LOAD, "", read_save_file, (void *)(uintptr_t)name), name, error);
}

static bool write_save(session_t *s, const char *path, error_info_t *error) {
  error_info_t reason = {0};
  snapshot_o *detached = unsaved_scenes_detach(s->game, &reason);
  bool ok = reason.text[0] ? error_set(error, "%s: %.900s", path, reason.text)
                           : save_write(s->game->world, get_game_id(s), path, s->game->unknown_components, error);
  unsaved_scenes_restore(s->game, detached);
  return ok;
}

bool game_saves_write(session_t *s, const char *path, error_info_t *error) {
  return s->game ? write_save(s, path, error)
                 : error_set(error, "the game could not start: fix the errors in the game's files");
}

bool game_saves_load(session_t *s, const char *path, error_info_t *error) {
  size_t size = 0;
  if (!s->game || s->recording.replay || s->options.record)
    return error_set(error, "%s",
                     !s->game ? "the game could not start: fix the errors in the game's files"
                     : s->recording.replay
                         ? "cannot load a save during a replay"
                         : "cannot load a save while recording: the recording would not contain the save");
  char *bytes = file_read(&s->memory, path, &size, error);
  bool ok = bytes && load_bytes(s, path, bytes, size, error);
  file_free(&s->memory, bytes, size);
  return ok;
}

void game_saves_write_exports(session_t *s) {
  error_info_t error = {0};
  if (s->options.save && !write_save(s, s->options.save, &error)) {
    log_error(s->log, "--save: %s", error.text);
    s->exit_code = 1;
  }
  if (s->options.scene && !scene_files_export(s->game->world, s->options.scene, &error)) {
    log_error(s->log, "--export: %s", error.text);
    s->exit_code = 1;
  }
}

// --- requests of scripts

// Like save_slots_prepare. In a run with temporary saves, also updates the folder from which screenshots of saves are
// loaded, because the first call creates the temporary folder.
static bool prepare_save_path(session_t *s, const char *name, const char *suffix, char *out, size_t bytes,
                              error_info_t *error) {
  bool ok = save_slots_prepare(s->game, name, suffix, out, bytes, error);
  if (ok && s->temporary_saves)
    save_slots_folder(s->game, s->assets.saves, sizeof s->assets.saves, NULL);
  return ok;
}

// Messages about the result of a request from scripts. `done` is the verb for the log. The messages for players are
// keys of scripts/shoal/kit/ui_strings.lua, and English texts for games without strings.
typedef struct save_action_t {
  const char *done, *done_key, *done_text, *failed_key, *failed_text;
} save_action_t;

#define FULL_DISK "the disk may be full, or the folder may be read-only"
static const save_action_t SAVED = {"saved", "saved", "Saved", "not_saved", "Not saved: " FULL_DISK};
static const save_action_t LOADED = {"loaded", "loaded", "Loaded", "not_loaded",
                                     "Not loaded: the save is damaged or from a different version"};
static const save_action_t DELETED = {"deleted", "deleted", "Deleted", "not_deleted",
                                      "Not deleted: the folder may be read-only"};
static const save_action_t EXPORTED = {"exported", "exported", "Exported", "not_exported", "Not exported: " FULL_DISK};

// Writes the string `key` in the game's language to `out`, or `fallback` and `name` if the game has no strings. Names
// of saves need no escapes in JSON.
static void format_notice(const session_t *s, const char *key, const char *fallback, const char *name, char *out,
                          size_t bytes) {
  char reference[160];
  snprintf(reference, sizeof reference, "@shoal.%s {\"name\":\"%s\"}", key, name);
  const char *localized = s->game ? ui_resolve_string(s->game->world, reference) : reference;
  if (localized[0] == '@')
    snprintf(out, bytes, "%s%s%s", fallback, name[0] ? " " : "", name);
  else
    snprintf(out, bytes, "%s", localized);
}

static void report_failed(session_t *s, const save_action_t *action, const error_info_t *error) {
  char text[256];
  log_error(s->log, "not %s: %s", action->done, error->text);
  format_notice(s, action->failed_key, action->failed_text, "", text, sizeof text);
  if (s->options.package) // the details do not help players
    notice_add(&s->notices, NOTICE_BAD, "%s", text);
  else
    notice_add(&s->notices, NOTICE_BAD, "Not %s: %.150s", action->done, error->text);
  if (s->options.headless || s->options.strict)
    s->exit_code = 1;
}

// Reports the result of a request. `is_quiet`: adds no notice, unless the request has failed.
static void report_result(session_t *s, bool ok, const save_action_t *action, const char *name, bool is_quiet,
                          const error_info_t *error) {
  char text[256];
  if (!ok) {
    report_failed(s, action, error);
    return;
  }
  log_info(s->log, "%s %s%s", action->done, name,
           s->temporary_saves && action != &LOADED ? " (temporary: discarded when this run ends)" : "");
  format_notice(s, action->done_key, action->done_text, name, text, sizeof text);
  if (!is_quiet)
    notice_add(&s->notices, NOTICE_GOOD, "%s", text);
}

// Loads a save by name. A replay repeats a recorded failure with the same message instead of retrying, because the
// cause may have been a timeout.
static bool load_by_name(session_t *s, const char *name, error_info_t *error) {
  char path[PATH_MAX_BYTES + 80];
  const external_result_t *result = external_request(s->external, EXTERNAL_SAVE, name, save_slots_read, s->game);
  bool ok = load_external_result(s, result,
                                 save_slots_path(s->game, name, SUFFIX, path, sizeof path, NULL) ? path : name, error);
  if (!ok && result->found)
    external_replace_with_error(s->external, EXTERNAL_SAVE, name, error->text);
  return ok;
}

void game_saves_register_screenshots(session_t *s) {
  if (!save_slots_folder(s->game, s->assets.saves, sizeof s->assets.saves, NULL))
    s->assets.saves[0] = '\0';
  else if (!s->temporary_saves)
    file_remove_stale(s->assets.saves, NULL, process_exists);
}

// Writes a screenshot next to the save just written, and reloads the image if it is in use.
static void save_thumbnail(session_t *s, const char *save) {
  char path[PATH_MAX_BYTES + 80], name[80];
  error_info_t error = {0};
  if (!prepare_save_path(s, save, ".png", path, sizeof path, NULL))
    return;
  remove(path); // an old thumbnail would not match the new save
  if (!render_write_thumbnail(s->render, path, &error)) {
    if (error.text[0])
      log_warn(s->log, "cannot add a screenshot to the save: %s", error.text);
    return;
  }
  snprintf(name, sizeof name, ASSETS_SAVE "%s", save);
  render_asset_changed(s->render, name, &error);
}

static void write_requested_save(session_t *s, const char *name, bool is_quiet) {
  char path[PATH_MAX_BYTES + 80];
  error_info_t error = {0};
  bool ok = prepare_save_path(s, name, SUFFIX, path, sizeof path, &error) && write_save(s, path, &error);
  if (ok)
    save_thumbnail(s, name);
  report_result(s, ok, &SAVED, name, is_quiet, &error);
}

// Deletes the file of a save. With temporary saves, a missing save is not an error, because a replay repeats the
// deletions of the recorded run, which had different saves.
static bool delete_file(const session_t *s, const char *path, error_info_t *error) {
  return remove(path) == 0 || (errno == ENOENT && s->temporary_saves) ||
         error_set(error, "%s: %s", path, strerror(errno));
}

static void delete_requested_save(session_t *s, const char *name, bool is_quiet) {
  char path[PATH_MAX_BYTES + 80];
  error_info_t error = {0};
  bool ok = prepare_save_path(s, name, SUFFIX, path, sizeof path, &error) && delete_file(s, path, &error);
  if (ok && prepare_save_path(s, name, ".png", path, sizeof path, NULL))
    remove(path);
  report_result(s, ok, &DELETED, name, is_quiet, &error);
}

void game_saves_write_files(session_t *s, scene_files_o *files, bool skip) {
  error_info_t error = {0};
  char name[80];
  while (scene_files_write_next(files, skip, name, sizeof name, &error))
    if (error.text[0] || (!skip && strncmp(name, GAME_SAVES_SETTINGS, sizeof GAME_SAVES_SETTINGS - 1) != 0))
      report_result(s, !error.text[0], &EXPORTED, name, false, &error);
}

void game_saves_run_requests(session_t *s, const script_requests_t *requests) {
  error_info_t error = {0};
  // Nothing is written when the input of the abandoned timeline is replayed, because the user's files already contain
  // the output of that timeline.
  bool is_replay = time_travel_is_replaying(s);
  if (s->options.join) // the world has the settings of the match's host, so they are not stored here
    scene_files_drop(s->game->scene_files, GAME_SAVES_SETTINGS);
  game_saves_write_files(s, s->game->scene_files, is_replay);
  for (uint32_t i = 0; i < requests->save_count && !is_replay; ++i) {
    if (requests->saves[i].drop)
      delete_requested_save(s, requests->saves[i].name, requests->saves[i].quiet);
    else
      write_requested_save(s, requests->saves[i].name, requests->saves[i].quiet);
  }
  if (requests->load[0])
    report_result(s, load_by_name(s, requests->load, &error), &LOADED, requests->load, requests->load_quiet, &error);
}

// --- autosaves

void game_saves_end_autosave(session_t *s) {
  error_info_t error = {0};
  if (!s->autosave)
    return;
  if (background_save_end(s->autosave, &error))
    log_debug(s->log, "autosaved");
  else
    log_error(s->log, "autosave: %s", error.text);
  s->autosave = NULL;
}

void game_saves_autosave_if_due(session_t *s) {
  char path[PATH_MAX_BYTES + 80];
  error_info_t error = {0};
  const vm_game_t *config = &s->game->config;
  if (s->autosave && background_save_is_done(s->autosave))
    game_saves_end_autosave(s);
  uint64_t interval_ticks = (uint64_t)config->autosave_s * config->tick_rate;
  if (interval_ticks == 0 || s->autosave || world_tick(s->game->world) % interval_ticks != 0 ||
      time_travel_is_replaying(s))
    return;
  if (prepare_save_path(s, "autosave", SUFFIX, path, sizeof path, &error)) {
    snapshot_o *detached = unsaved_scenes_detach(s->game, &error);
    if (!error.text[0])
      s->autosave = background_save_begin(s->game->world, get_game_id(s), path, s->game->unknown_components, &error);
    unsaved_scenes_restore(s->game, detached);
  }
  if (s->autosave)
    save_thumbnail(s, "autosave");
  else
    log_error(s->log, "autosave: %s", error.text);
}
