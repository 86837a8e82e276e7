// Starts and stops the recorder, passes data to it, and compares a replay with its recording.
#include "migrate/state_migrate.h"
#include "session/recording_control.h"

#include "base/assert.h"
#include "base/exact_math.h"
#include "base/limits.h"
#include "session/session.h"
#include "start/package.h"
#include "snapshot/compare.h"
#include "ecs/world_hash.h"

#include <stdio.h>
#include <string.h>

#define MAX_REPORTED 5u

// --- recording

// Returns the hash of the engine's scripts, or 0 with a warning if the scripts cannot be read. In a package, this hash
// was computed when the package was created.
static uint64_t get_engine_hash(const session_t *s) {
  uint64_t hash = s->options.package ? s->options.package->engine_hash : 0;
  error_info_t error = {0};
  if (!s->options.package && !sources_hash_engine(s->paths.engine, &hash, &error))
    log_warn(s->log, "recording: a replay cannot check the engine's scripts: %s", error.text);
  return hash;
}

static recording_head_t build_recording_head(session_t *s) {
  shoal_assert(s->game, "no game is loaded");
  recording_head_t head;
  memset(&head, 0, sizeof head);
  snprintf(head.game, sizeof head.game, "%s", s->game->config.title);
  head.seed = s->game->desc.seed;
  head.tick_rate = s->game->config.tick_rate;
  head.game_hash = sources_hash(vm_sources(s->game->vm));
  head.engine_hash = get_engine_hash(s);
  head.history_mb = time_travel_history_mb(s);
  head.undo = s->game->desc.undo_failures;
  head.is_served = s->game->desc.is_served;
  head.memory_mb = s->game->desc.block_mb;
  snprintf(head.arithmetic, sizeof head.arithmetic, "%s", exact_math_id());
  head.history_is_set =
      s->recording.replay ? recording_head(s->recording.replay)->history_is_set : s->options.has_history;
  return head;
}

// --- replaying

bool recording_control_open(session_t *s, error_info_t *error) {
  shoal_assert(!s->game && !s->recording.replay, "a recording must be opened once, before the game is loaded");
  if (!s->options.replay || options_start_match(&s->options)) // a match uses only the input of a recording
    return true;
  s->recording.replay = recording_open(&s->memory, s->options.replay, error);
  if (!s->recording.replay)
    return false;
  const char *arithmetic = recording_head(s->recording.replay)->arithmetic;
  if (arithmetic[0] && strcmp(arithmetic, exact_math_id()) != 0)
    return error_set(error,
                     "cannot replay %.300s: it was recorded with %s arithmetic, but this program uses %s, so results "
                     "would differ",
                     s->options.replay, arithmetic, exact_math_id());
  uint32_t memory_mb = recording_head(s->recording.replay)->memory_mb;
  if (memory_mb > (s->options.memory_mb ? s->options.memory_mb : SCRIPT_MEMORY_MB))
    return error_set(error, "%.300s was recorded with a larger memory limit (%u MB): pass --memory %u",
                     s->options.replay, memory_mb, memory_mb);
  external_set_replay(s->external, s->recording.replay);
  external_set_strict(s->external, recording_has_hashes(s->recording.replay));
  return true;
}

// Returns true in a replay of a recorded run. Times and memory use vary between runs, so the watchdog does not measure
// in a replay. Instead, exactly the functions that were stopped during recording are stopped.
bool recording_control_has_recorded_stops(const session_t *s) {
  return s->recording.replay && recording_has_hashes(s->recording.replay);
}

static bool begin_replay(session_t *s, error_info_t *error) {
  const recording_head_t *recorded = recording_head(s->recording.replay);
  recording_head_t current = build_recording_head(s);
  if (strcmp(recorded->game, current.game) != 0)
    log_warn(s->log, "replay: the recording was made with %s, but this game is %s", recorded->game, current.game);
  if (recorded->game_hash != current.game_hash)
    log_warn(s->log, "replay: the game's files differ from the recording's: the replay may diverge");
  if (recorded->engine_hash != current.engine_hash && recorded->engine_hash && current.engine_hash)
    log_warn(s->log, "replay: the engine's scripts differ from the recording's: the replay may diverge");
  const snapshot_o *snapshot = recording_snapshot(s->recording.replay);
  if (!snapshot)
    return true;
  error_info_t reason = {0};
  if (!state_restore_with_kept(snapshot, s->game->world, &reason))
    return error_set(error, "%.300s: %.700s", s->options.replay, reason.text);
  s->game->paused = recording_begins_paused(s->recording.replay);
  time_travel_begin(s);
  return true;
}

bool recording_control_begin(session_t *s, error_info_t *error) {
  shoal_assert(!s->recording.recorder, "the previous recording has not ended");
  if (!s->game)
    return true;
  if (s->recording.replay && !begin_replay(s, error))
    return false;
  bool keeps_recent = !s->options.headless && time_travel_history_mb(s) > 0; // keeps the last seconds in memory for F12
  keeps_recent |= options_start_match(&s->options); // the recorders of a match copy this recorder's start results
  const char *path = s->recording.opened_file ? NULL : s->options.record; // NULL once the file contains a game
  if (!path && (s->recording.replay || !keeps_recent))
    return true;
  recording_head_t head = build_recording_head(s);
  s->recording.recorder = recorder_create(s->journal, &head, path, error);
  if (!s->recording.recorder)
    return false;
  s->recording.opened_file |= path != NULL;
  if (path && !s->time.timelines.current.snapshots)
    s->recording.snapshots = history_create(&s->memory, RECORDING_STATES_BYTES);
  s->recording.records_snapshots = path != NULL;
  recording_control_add_results(s, true);
  recording_control_add_snapshot(s);
  return true;
}

recorder_o *recording_control_create_recorder(session_t *s, journal_o *journal) {
  recording_head_t head = build_recording_head(s);
  recorder_o *recorder = recorder_create(journal, &head, NULL, NULL);
  if (recorder && s->recording.recorder)
    recorder_copy_start_results(recorder, s->recording.recorder);
  return recorder;
}

static void log_failure(session_t *s, const error_info_t *error) {
  log_error(s->log, "cannot write the recording %s at tick %llu: %s: the last ticks are missing", s->options.record,
            (unsigned long long)world_tick(s->game->world), error->text);
  s->exit_code = 1;
}

// Closes the file of --record, and logs its length and size, or the failure.
static void close_file(session_t *s) {
  error_info_t error;
  recorder_o *recorder = s->recording.recorder;
  bool is_writing = recorder_get_stats(recorder).is_writing, is_complete = recorder_close(recorder, &error);
  recorder_stats_t stats = recorder_get_stats(recorder);
  if (!is_complete)
    log_failure(s, &error);
  else if (is_writing)
    log_info(s->log, "wrote the recording %s: %llu tick%s, %.1f KB", s->options.record, (unsigned long long)stats.ticks,
             stats.ticks == 1 ? "" : "s", (double)stats.bytes / 1024);
}

void recording_control_end(session_t *s) {
  scrub_end(s);
  if (s->recording.recorder)
    close_file(s);
  recorder_destroy(s->recording.recorder);
  history_destroy(s->recording.snapshots);
  s->recording.recorder = NULL;
  s->recording.snapshots = NULL;
  s->recording.records_snapshots = false;
}

// Stops recording snapshots of a large world. Recording waits until a snapshot is packed, which takes long in large
// worlds, so their snapshots are recorded only on request. The decision depends on size, not on time, so it is the same
// in every run.
static void stop_recording_snapshots(session_t *s) {
  history_destroy(s->recording.snapshots);
  s->recording.snapshots = NULL;
  s->recording.records_snapshots = false;
  log_warn(
      s->log,
      "the world is too large, so the recording continues without snapshots: pass --history MB to record snapshots");
}

void recording_control_add_snapshot(session_t *s) {
  history_snapshot_t snapshot;
  history_o *history =
      s->time.timelines.current.snapshots ? s->time.timelines.current.snapshots : s->recording.snapshots;
  if (!s->recording.recorder || !s->recording.records_snapshots)
    return;
  if (history && history == s->recording.snapshots)
    history_add_snapshot(history, s->game->world);
  else
    time_travel_store_snapshot(s);
  bool requested = s->recording.replay ? recording_head(s->recording.replay)->history_is_set : s->options.has_history;
  if (!history || (!requested && history_stats(history).snapshot_bytes > RECORDING_IMPLICIT_SNAPSHOT_BYTES)) {
    stop_recording_snapshots(s);
    return;
  }
  if (history_get_packed(history, history_count(history) - 1, &snapshot))
    recorder_add_snapshot(s->recording.recorder, &snapshot);
}

// Returns the maximum size of a snapshot in the recording: 16 times the world's size plus 2 MiB, at most 256 MiB.
// Without a limit, a few bytes of a malicious file could expand to any size.
static uint32_t max_state_bytes(const snapshot_o *snapshot) {
  uint64_t bytes = (uint64_t)snapshot_size(snapshot) * 16 + (2u << 20);
  return bytes < (1u << 28) ? (uint32_t)bytes : 1u << 28;
}

// Logs the values that differ from the recording, by entity and field.
static void log_differing_fields(session_t *s) {
  compare_item_t items[MAX_REPORTED];
  char line[COMPARE_LINE_MAX];
  error_info_t error = {0};
  snapshot_o *recorded = snapshot_create(&s->memory), *current = snapshot_create(&s->memory);
  uint64_t total = UINT64_MAX;
  if (snapshot_take(current, s->game->world, &error) &&
      recording_copy_snapshot(s->recording.replay, s->recording.played_ticks, max_state_bytes(current), recorded,
                              &error))
    total = snapshot_compare(recorded, current, s->game->world, items, MAX_REPORTED, &error);
  if (total == UINT64_MAX)
    log_error(s->log, "replay: cannot list the fields that differ: %s", error.text);
  for (uint32_t i = 0; i < MAX_REPORTED && total != UINT64_MAX && i < total; ++i)
    log_error(s->log, "replay: recorded and current value: %s", compare_format_line(&items[i], line));
  if (total != UINT64_MAX && total > MAX_REPORTED)
    log_error(s->log, "replay: number of further values that differ: %llu", (unsigned long long)(total - MAX_REPORTED));
  snapshot_release(recorded);
  snapshot_release(current);
}

// Logs the first tick that differs from the recording, with its differing components and fields, and stops the program
// with exit code 1.
static void log_difference(session_t *s) {
  char names[512] = "";
  world_o *w = s->game->world;
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    uint16_t recorded_hash = id <= s->recording.item.component_count ? s->recording.item.components[id - 1] : 0;
    size_t length = strlen(names);
    if (recorded_hash != recording_component_hash(w, id) && length < sizeof names - 80)
      snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", world_manager(w, id)->schema.name);
  }
  log_error(s->log, "replay: tick %llu is the first that differs: %s", (unsigned long long)world_tick(w),
            names[0] ? names : "entities, strings, events, queries or random numbers, but no component");
  log_differing_fields(s);
  s->exit_code = 1;
  s->stopping = true;
}

void recording_control_add_results(session_t *s, bool start) {
  uint64_t tick = 0;
  for (external_result_t *result; (result = external_next_unrecorded(s->external, &tick)) != NULL;) {
    if (s->journal)
      journal_add_result(s->journal, result);
    if (s->recording.recorder && start)
      recorder_keep_start_result(s->recording.recorder, result);
    if (s->time.timelines.current.inputs)
      input_log_add_result(s->time.timelines.current.inputs, tick, result);
    if (s->rollback)
      rollback_check_add_result(s->rollback, tick, result);
  }
}

static void fail_on_missing_result(session_t *s) {
  error_info_t error;
  if (!external_pop_missing(s->external, &error))
    return;
  log_error(s->log, "replay: %s: the replay diverges here", error.text);
  s->exit_code = 1;
  s->stopping = true;
}

// Adds the game's failures since the last call to the journal, so that a replay parks these pieces before the tick.
static void add_parked(session_t *s) {
  const game_o *g = s->game;
  for (; s->recording.parked_count < g->parked.items.count; ++s->recording.parked_count) {
    const parked_t *parked = &g->parked.items.items[s->recording.parked_count];
    if (parked_is_recorded(parked, g->desc.undo_failures))
      journal_add_park(s->journal, parked, sources_hash(vm_sources(g->vm)));
  }
}

void recording_control_after_tick(session_t *s, bool paused) {
  recording_control_add_results(s, false);
  fail_on_missing_result(s);
  game_o *g = s->game;
  uint64_t tick = world_tick(g->world);
  add_parked(s);
  if (paused)
    journal_add_frame(s->journal, tick + 1, &g->input_before, &g->input);
  else if (s->recording.recorder)
    recorder_add_tick(s->recording.recorder, &g->input_before, &g->input, g->world);
  else
    journal_add_tick(s->journal, tick, &g->input_before, &g->input, 0);
  if (!paused)
    recording_control_add_snapshot(s);
  error_info_t error;
  if (s->recording.recorder && recorder_close_after_failure(s->recording.recorder, &error))
    log_failure(s, &error);
  if (!s->recording.replay || paused || s->recording.item.kind != RECORD_TICK)
    return;
  s->recording.played_ticks++;
  if (s->recording.item.has_hash && recording_hash(g->world) != s->recording.item.hash)
    log_difference(s);
}

void recording_control_add_reload(session_t *s) {
  recording_control_add_results(s, true);
  s->recording.parked_count = 0; // the new game has no parked functions
  recording_control_add_snapshot(s);
  if (s->recording.recorder && !s->reload_by_script)
    recorder_add_reload(s->recording.recorder, sources_hash(vm_sources(s->game->vm)));
}

bool recording_control_write(session_t *s, const char *path, error_info_t *error) {
  shoal_assert(s->game && s->recording.recorder, "%s: no recording is running", path);
  scrub_end(s);
  time_travel_store_snapshot(s);
  snapshot_o *snapshot = snapshot_create(&s->memory);
  bool ok = snapshot_take(snapshot, s->game->world, error) &&
            recorder_write_excerpt(s->recording.recorder, s->time.timelines.current.snapshots, snapshot, path, error);
  snapshot_release(snapshot);
  return ok;
}
