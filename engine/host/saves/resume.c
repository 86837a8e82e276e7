// Restores the last state of a crash report, or loads the newest save.
#include "saves/resume.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "base/files.h"
#include "content/parked_pieces.h"
#include "game/save_slots.h"
#include "migrate/state_migrate.h"
#include "saves/game_saves.h"
#include "session/session.h"
#include "time/recording.h"

#include <stdio.h>
#include <string.h>

// --- options

bool resume_read_report(session_t *s, error_info_t *error) {
  if (!s->options.resume)
    return true;
  if (!crash_summary_read(s->options.resume, &s->crash, error))
    return false;
  if (s->options.record)
    log_warn(s->log, "--record: the recording in %s ended with the crash, and is not continued", s->options.record);
  s->options.record = s->options.load = NULL;
  s->options.exec_count = 0;
  if (s->crash.plugin[0])
    snprintf(s->crash_reason, sizeof s->crash_reason, "the plugin crashed in tick %llu (%s) in %s: fix and rebuild it",
             (unsigned long long)s->crash.tick, s->crash.reason, s->crash.code);
  return true;
}

// --- resuming from the last state

// Reads the last state of the report's recording into `out`. Returns true on success, or false if the report has no
// recording, or the recording contains no state.
static bool read_last_state(session_t *s, snapshot_o *out, error_info_t *error) {
  if (!s->crash.recording[0])
    return error_set(error, "the report has no recording");
  recording_o *recording = recording_open(&s->memory, s->crash.recording, error);
  if (!recording)
    return false;
  const snapshot_o *first = recording_snapshot(recording);
  uint64_t max_bytes = (first ? (uint64_t)snapshot_size(first) : 0) * 16 + (256u << 20);
  bool found =
      recording_copy_last_snapshot(recording, max_bytes < UINT32_MAX ? (uint32_t)max_bytes : UINT32_MAX, out, error);
  if (!found && first) // the crash followed a reload, before the next tick
    snapshot_copy(out, first);
  recording_close(recording);
  return found || first;
}

static void log_converted(void *context, const char *line) {
  log_info(((session_t *)context)->log, "resume: %s", line);
}

// Replaces the world with the state, converted to the current declarations.
static bool install_state(session_t *s, const snapshot_o *state, error_info_t *error) {
  world_o *w = s->game->world;
  schema_migrate_report_t report = {0};
  schema_migrate_desc_t migrate = {.log_line = log_converted, .log_context = s, .report = &report};
  state_install_desc_t install = {.regroup = true, .wake = true, .keep_marks = true};
  install.log_line = log_converted;
  install.log_context = s;
  state_view_t *view = state_open(state, &s->memory, error);
  if (view)
    state_declare_missing(view, w);
  vm_settings_t settings = {0};
  vm_copy_settings(s->game->vm, &s->memory, &settings);
  bool ok = view && state_migrate(view, w, &migrate, error) && state_install(view, w, &install, error) &&
            schema_migrate_run(&report, w, vm_run_migration, s->game->vm, error);
  vm_apply_settings(s->game->vm, &settings);
  array_free(&s->memory, &settings);
  state_close(view);
  schema_migrate_report_free(&report);
  return ok;
}

// Restores the last state of the report. Returns true on success. On failure, returns false with a message and leaves
// the world unchanged.
static bool resume_from_state(session_t *s, error_info_t *error) {
  if (s->crash.heap_function[0])
    return error_set(error, "the heap was damaged (found by %s), so the last state may be wrong",
                     s->crash.heap_function);
  snapshot_o *state = snapshot_create(&s->memory), *previous = snapshot_create(&s->memory);
  bool ok = read_last_state(s, state, error) && snapshot_take(previous, s->game->world, error);
  if (ok && !install_state(s, state, error)) {
    ok = snapshot_restore(previous, s->game->world, NULL);
    shoal_assert(ok, "the world before the state was installed cannot be restored");
    ok = false;
  }
  snapshot_release(state);
  snapshot_release(previous);
  if (ok) {
    world_set_tick_rate(s->game->world, s->game->config.tick_rate);
    parked_pieces_clear(s->game->world); // after a restart, parked code runs again
  }
  return ok;
}

// --- resuming from a save

// Returns the index of the newest file that has not been tried yet, or files->count if all files have been tried.
static uint32_t find_newest(const char *folder, const file_list_t *files, const bool *tried) {
  uint32_t found = files->count;
  int64_t newest_ns = -1;
  for (uint32_t i = 0; i < files->count; ++i) {
    char path[PATH_MAX_BYTES + 300];
    file_status_t status;
    path_join(path, sizeof path, folder, files->paths[i]);
    if (tried[i] || strchr(files->paths[i], '/') || !file_status(path, &status))
      continue;
    if (status.modified_ns > newest_ns) {
      newest_ns = status.modified_ns;
      found = i;
    }
  }
  return found;
}

// Loads the newest save that can be loaded. Returns true on success, or false if the game has no such save.
static bool resume_from_save(session_t *s, char *path, size_t bytes) {
  char folder[PATH_MAX_BYTES];
  error_info_t error = {0};
  file_list_t files = {0};
  bool loaded = false;
  if (!save_slots_folder(s->game, folder, sizeof folder, &error) ||
      !file_list_optional(&s->memory, folder, ".sqlite", &files, &error)) {
    log_warn(s->log, "resume: cannot find saves: %s", error.text);
    return false;
  }
  bool *tried = alloc_resize(&s->memory, NULL, 0, files.count * sizeof *tried);
  if (files.count > 0)
    memset(tried, 0, files.count * sizeof *tried);
  for (uint32_t i; !loaded && (i = find_newest(folder, &files, tried)) < files.count; tried[i] = true) {
    path_join(path, bytes, folder, files.paths[i]);
    loaded = game_saves_load(s, path, &error);
    if (!loaded)
      log_warn(s->log, "resume: %s", error.text);
  }
  alloc_resize(&s->memory, tried, files.count * sizeof *tried, 0);
  file_list_free(&s->memory, &files);
  return loaded;
}

void resume_run(session_t *s, resume_result_t *out) {
  shoal_assert(s->game && s->crash.report[0], "no game is loaded, or no report has been read");
  *out = (resume_result_t){.source = RESUME_STATE};
  if (!resume_from_state(s, &out->no_state)) {
    log_warn(s->log, "resume: cannot restore the last state: %s", out->no_state.text);
    out->source = resume_from_save(s, out->save, sizeof out->save) ? RESUME_SAVE : RESUME_START;
  }
  if (out->source != RESUME_START)
    game_mark_resumed(s->game);
}
