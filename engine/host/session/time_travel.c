// Rewinds the game and steps through its history, with log lines and notices.
#include "session/time_travel.h"

#include "base/assert.h"
#include "base/limits.h"
#include "session/session.h"
#include "snapshot/compare.h"

#include <math.h>

static uint32_t get_requested_mb(const session_t *s) {
  if (s->options.has_history)
    return (uint32_t)s->options.history_mb;
  return s->options.headless ? 0 : s->game->config.history_mb;
}

// Returns the maximum size of the history in MiB: half of --memory, which scripts and history share. The maximum does
// not depend on the scripts' current memory use, so that a rewind reaches equally far back in every run.
static uint32_t get_max_mb(const session_t *s) {
  return (uint32_t)(s->options.memory_mb ? s->options.memory_mb : SCRIPT_MEMORY_MB) / 2;
}

uint32_t time_travel_history_mb(const session_t *s) {
  if (s->recording.replay)
    return recording_head(s->recording.replay)->history_mb;
  return get_requested_mb(s) < get_max_mb(s) ? get_requested_mb(s) : get_max_mb(s);
}

static void warn_if_limited(const session_t *s) {
  if (!s->recording.replay && get_requested_mb(s) > get_max_mb(s))
    log_warn(
        s->log,
        "history: limited to %u MB (half of --memory %u, which scripts also use) instead of %u MB: raise --memory or "
        "reduce the history",
        get_max_mb(s), get_max_mb(s) * 2, get_requested_mb(s));
}

static void update_history_bytes(session_t *s) {
  vm_set_history_bytes(s->game->vm, timelines_bytes(&s->time.timelines));
}

// Returns the size in bytes to which the history may grow in a large world, or 0 if its size was set explicitly.
static uint64_t get_max_budget(const session_t *s) {
  bool is_explicit = s->recording.replay ? recording_head(s->recording.replay)->history_is_set : s->options.has_history;
  uint32_t memory_mb =
      s->recording.replay ? recording_head(s->recording.replay)->memory_mb : (uint32_t)s->options.memory_mb;
  return is_explicit || s->game->config.history_is_set ? 0
                                                       : (uint64_t)(memory_mb ? memory_mb : SCRIPT_MEMORY_MB) / 2 << 20;
}

// Returns the policy for snapshots that are packed too slowly. Recorded, replayed, headless and --every-tick runs wait,
// so that every run keeps the same ticks and a rewind reaches equally far back. Other runs skip snapshots instead.
static history_late_t get_late_policy(const session_t *s) {
  bool is_live = !s->options.headless && !s->options.every_tick && !s->recording.replay;
  return is_live && !s->options.record ? HISTORY_LATE_DROPS : HISTORY_LATE_WAITS;
}

// --- life cycle

static void resimulate_up_to(void *context, const input_log_o *log, uint64_t tick) {
  game_o *g = ((session_t *)context)->game;
  while (world_tick(g->world) < tick && game_run_tick_again(g, log)) {
  }
}

void time_travel_begin(session_t *s) {
  time_travel_end(s);
  if (!s->game)
    return;
  warn_if_limited(s);
  s->journal = journal_create(&s->memory);
  s->recording.parked_count = 0;
  if (s->rollback)
    rollback_check_attach(s->rollback, s->journal);
  timelines_begin(&s->time.timelines, &s->memory,
                  &(timelines_desc_t){.journal = s->journal,
                                      .budget_bytes = (uint64_t)time_travel_history_mb(s) << 20,
                                      .max_bytes = get_max_budget(s),
                                      .late_policy = get_late_policy(s),
                                      .resimulate = resimulate_up_to,
                                      .context = s},
                  s->game->world);
  s->time.logged_interval = 1;
  s->time.logged_reach = s->time.logged_late = s->time.logged_too_large = false;
  update_history_bytes(s);
}

void time_travel_end(session_t *s) {
  scrub_end(s);
  timelines_end(&s->time.timelines);
  journal_destroy(s->journal);
  s->journal = NULL;
  if (s->time.ghosts) // keeps the chosen entities, because the next game's `start` may have chosen them
    ghosts_invalidate(s->time.ghosts);
  array_free(&s->memory, &s->time.settings);
  s->time.session_paused = false;
  s->time.pending_steps = 0;
  rollback_check_clear(s->rollback);
}

// --- timelines

void time_travel_set_replaying(session_t *s, bool replaying) {
  scrub_end(s);
  bool was_replaying = s->time.timelines.replaying;
  if (replaying)
    timelines_begin_replay(&s->time.timelines);
  else
    s->time.timelines.replaying = false;
  if (s->time.timelines.replaying != was_replaying)
    journal_add_action(s->journal, s->time.timelines.replaying ? RECORD_REPLAY : RECORD_LIVE, 0);
}

static void report_replay_end(session_t *s) {
  unsigned long long tick = world_tick(s->game->world);
  bool diverged = s->time.timelines.diverged;
  log_info(s->log, "history: the replay ended at tick %llu%s", tick, diverged ? "" : ": no differences");
  notice_add(&s->notices, NOTICE_PLAIN, "The replay ended at tick %llu%s", tick, diverged ? "" : ": no differences");
}

static void report_differences(session_t *s, const timelines_result_t *result) {
  shoal_assert(result->differences > 0, "the result must contain a difference");
  char line[COMPARE_LINE_MAX];
  unsigned long long tick = world_tick(s->game->world), count = result->differences;
  log_info(s->log, "history: tick %llu is the first that differs, in %llu value%s", tick, count, count == 1 ? "" : "s");
  for (uint32_t i = 0; i < TIMELINES_MAX_ITEMS && i < count; ++i)
    log_info(s->log, "history: %s", compare_format_line(&result->items[i], line));
  notice_add(&s->notices, NOTICE_PLAIN, "Tick %llu differs: %.90s", tick, compare_format_line(&result->items[0], line));
}

void time_travel_on_edit(session_t *s) {
  scrub_end(s);
  timelines_on_edit(&s->time.timelines);
}

void time_travel_on_reload(session_t *s) {
  scrub_end(s);
  if (s->time.ghosts)
    ghosts_invalidate(s->time.ghosts);
  rollback_check_clear(s->rollback);
  timelines_on_reload(&s->time.timelines);
}

// --- ticks

#define REPORT_MIN_BYTES (1u << 20) // minimum size of a snapshot for which the length of the history is logged
#define REPORT_AFTER_SNAPSHOTS 64u  // number of snapshots added before the length is logged

// Logs each limit of the history once. Limits that depend on the size of the world are logged again when it has grown.
static void log_history_limits(session_t *s) {
  history_stats_t stats = history_stats(s->time.timelines.current.snapshots);
  double mb = (double)stats.snapshot_bytes / 1048576.0, budget_mb = (double)stats.budget_bytes / 1048576.0;
  if (stats.too_large && !s->time.logged_too_large)
    log_warn(s->log,
             "history: the world is too large (%.0f MB) for a budget of %.0f MB: rewinding is disabled: raise history "
             "in game.lua, or pass --history MB",
             mb, budget_mb);
  s->time.logged_too_large = stats.too_large;
  if (stats.too_large)
    return;
  if (stats.interval > s->time.logged_interval)
    log_info(s->log, "history: the world has %.0f MB: keeping one tick in %u", mb, stats.interval);
  s->time.logged_interval = stats.interval > s->time.logged_interval ? stats.interval : s->time.logged_interval;
  if (stats.late_count > 0 && !s->time.logged_late)
    log_warn(s->log, "history: compression cannot keep up with the game: keeping fewer ticks");
  s->time.logged_late |= stats.late_count > 0;
  if (s->time.logged_reach || stats.snapshot_bytes < REPORT_MIN_BYTES || stats.add_count != REPORT_AFTER_SNAPSHOTS)
    return;
  s->time.logged_reach = true;
  uint64_t ticks = history_estimate_ticks(s->time.timelines.current.snapshots);
  log_info(s->log, "history: the world has %.1f MB: about %llu ticks (%.1f s) fit in %.0f MB", mb,
           (unsigned long long)ticks, (double)ticks / s->game->config.tick_rate, budget_mb);
}

void time_travel_store_tick(session_t *s) {
  scrub_end(s);
  bool begins_block = s->recording.recorder && recorder_block_is_due(s->recording.recorder);
  s->game->start_snapshot = timelines_store_snapshot(&s->time.timelines, s->game->world, begins_block);
  // If undoing the tick requires a copy of the world anyway, takes it now, so that the history can use the same copy.
  if (!s->game->start_snapshot && !s->recording.replay && tick_undo_takes_snapshots(s->game->tick_undo, s->game->world))
    s->game->start_snapshot = timelines_keep_recent_state(&s->time.timelines, s->game->world);
  if (s->time.timelines.current.snapshots)
    log_history_limits(s);
  update_history_bytes(s);
}

void time_travel_store_snapshot(session_t *s) {
  if (s->game)
    timelines_store_snapshot(&s->time.timelines, s->game->world, true);
}

void time_travel_stop_thread(session_t *s) {
  if (s->game)
    timelines_stop_thread(&s->time.timelines, s->game->world);
}

void time_travel_add_tick(session_t *s) {
  shoal_assert(s->game, "no game is loaded");
  timelines_result_t result;
  timelines_add_tick(&s->time.timelines, s->game->world, vm_first_run_count(s->game->vm) + s->game->parked.items.count,
                     &result);
  if (result.differences > 0)
    report_differences(s, &result);
  if (result.replay_ended)
    report_replay_end(s);
}

void time_travel_add_paused_frame(session_t *s) {
  timelines_add_paused(&s->time.timelines, s->game->world);
}

// In a --replay, the recording provides the input of each tick that has a hash. A tick without a hash, as in a
// recording written by hand, has never run, and is treated like a live tick.
bool time_travel_is_replaying(const session_t *s) {
  return s->time.timelines.replaying &&
         (!s->recording.replay || (s->recording.item.kind == RECORD_TICK && !s->recording.item.has_hash));
}

// --- rewinding

void time_travel_keep_settings(session_t *s) {
  if (s->game && s->time.settings.count == 0)
    vm_copy_settings(s->game->vm, &s->memory, &s->time.settings);
}

void time_travel_apply_settings(session_t *s) {
  vm_settings_t *settings = &s->time.settings;
  if (settings->count == 0 || s->time.timelines.replaying)
    return;
  time_travel_store_snapshot(s);
  if (vm_apply_settings(s->game->vm, settings)) {
    timelines_replace_state(&s->time.timelines);
    rollback_check_clear(s->rollback);
  }
  settings->count = 0;
}

bool time_travel_rewind(session_t *s, uint64_t ticks, bool keep_abandoned) {
  error_info_t error = {0};
  scrub_end(s);
  if (!s->time.timelines.current.snapshots) {
    log_error(s->log, "rewind: the history is disabled: set history in game.lua, or pass --history MB");
    return false;
  }
  if (keep_abandoned)
    time_travel_keep_settings(s);
  double start_s = platform_seconds(s->platform);
  uint64_t rewound_ticks = timelines_rewind(&s->time.timelines, s->game->world, ticks, keep_abandoned, &error);
  log_debug(s->log, "rewind: %llu ticks in %.2f ms", (unsigned long long)rewound_ticks,
            (platform_seconds(s->platform) - start_s) * 1e3);
  if (rewound_ticks == 0) {
    log_warn(s->log, "rewind: %s", error.text);
    notice_add(&s->notices, NOTICE_BAD, "Rewind: %s", error.text);
    return false;
  }
  ui_follow_world(s->game->ui);
  if (rewound_ticks > ticks)
    log_info(s->log,
             "rewind: went back %llu ticks instead of %llu: not every tick of a world this large is kept, and the "
             "requested tick cannot be recomputed because the code has changed",
             (unsigned long long)rewound_ticks, (unsigned long long)ticks);
  else if (rewound_ticks < ticks)
    log_info(s->log, "rewind: went back %llu ticks instead of %llu: the history does not reach further back",
             (unsigned long long)rewound_ticks, (unsigned long long)ticks);
  return true;
}

bool time_travel_step_forward(session_t *s, error_info_t *error) {
  ui_follow_world(s->game->ui);
  return timelines_step_forward(&s->time.timelines, s->game->world, error);
}

void time_travel_set_paused(session_t *s, bool paused) {
  scrub_end(s);
  s->time.session_paused = paused;
  if (paused)
    notice_add(&s->notices, NOTICE_PLAIN, "Paused: F9 steps back, F10 steps forward, F7 replays the input, F6 resumes");
  else if (s->time.timelines.replaying)
    notice_add(&s->notices, NOTICE_PLAIN, "Replaying the input up to tick %llu",
               (unsigned long long)input_log_last_tick(s->time.timelines.abandoned.inputs));
  else
    notice_add(&s->notices, NOTICE_PLAIN, "Resumed");
}

void time_travel_print_stats(session_t *s) {
  if (!s->time.timelines.current.snapshots)
    return;
  time_travel_store_snapshot(s);
  history_count(s->time.timelines.current.snapshots); // waits until all snapshots are packed
  history_stats_t stats = history_stats(s->time.timelines.current.snapshots);
  double add_count = stats.add_count ? (double)stats.add_count : 1.0;
  printf("stats: history %llu ticks in %.1f MB, %.0f bytes and %.1f us per tick, a snapshot has %.1f KB\n",
         (unsigned long long)stats.ticks, (double)stats.bytes / 1048576.0, (double)stats.added_bytes / add_count,
         stats.add_us / add_count, (double)stats.snapshot_bytes / 1024.0);
}

static bool update_ghosts(session_t *s) {
  if (!s->game || !s->time.ghosts || !ghosts_are_enabled(s->time.ghosts))
    return false;
  bool is_paused = s->time.session_paused || s->game->paused;
  const input_log_o *inputs = s->time.timelines.replaying              ? s->time.timelines.abandoned.inputs
                              : timelines_has_next(&s->time.timelines) ? s->time.timelines.current.inputs
                                                                       : NULL;
  // Headless runs use a fixed time, because they have no clock and the trails must not depend on the speed of the
  // machine.
  double paused_s = s->options.headless ? GHOSTS_HEADLESS_S : GHOSTS_HELD_S;
  double budget_s = s->options.every_tick ? INFINITY : is_paused ? paused_s : GHOSTS_RUNNING_S;
  ghosts_advance(s->time.ghosts, s->game, inputs, budget_s);
  return true;
}

void time_travel_draw_trails(session_t *s) {
  if (!s->options.headless && update_ghosts(s))
    ghosts_draw(s->time.ghosts, world_tick(s->game->world), s->draw);
}

const ghosts_o *time_travel_ghosts(session_t *s) {
  if (s->options.headless) // with a window, every frame computes the prediction itself
    update_ghosts(s);
  return s->time.ghosts;
}
