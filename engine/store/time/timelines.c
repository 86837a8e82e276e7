// Implements timelines: branches into a new timeline, and compares it with the abandoned timeline tick by tick.
#include "time/timelines.h"

#include "base/assert.h"

#include <string.h>

static void drop_timeline(timeline_t *timeline) {
  history_destroy(timeline->snapshots);
  input_log_destroy(timeline->inputs);
  *timeline = (timeline_t){.snapshots = NULL};
}

static void drop_abandoned_timeline(timelines_t *t) {
  drop_timeline(&t->abandoned);
  t->replaying = false;
}

void timelines_begin(timelines_t *t, allocator_t *memory, const timelines_desc_t *desc, world_o *w) {
  shoal_assert(memory && w, "memory and w must not be NULL");
  timelines_end(t);
  t->memory = memory;
  t->resimulate = desc->resimulate;
  t->context = desc->context;
  t->tick = t->reproducible_from = world_tick(w);
  t->budget_bytes = desc->budget_bytes;
  if (desc->budget_bytes == 0)
    return;
  t->journal = desc->journal;
  t->current =
      (timeline_t){.snapshots = history_create(memory, desc->budget_bytes), .inputs = input_log_create(memory)};
  journal_attach(t->journal, t->current.inputs);
  history_set_max_budget(t->current.snapshots, desc->max_bytes);
  history_use_thread(t->current.snapshots, desc->late_policy);
  state_cache_init(&t->states, &t->state_memory, 0);
  history_add_snapshot(t->current.snapshots, w);
}

void timelines_end(timelines_t *t) {
  drop_abandoned_timeline(t);
  if (t->current.inputs)
    journal_detach(t->journal, t->current.inputs);
  drop_timeline(&t->current);
  state_cache_fini(&t->states);
  shoal_assert(t->state_memory.bytes == 0, "the states leaked %zu bytes", t->state_memory.bytes);
  t->diverged = t->abandons_future = t->snapshot_due = t->snapshot_required = false;
}

snapshot_o *timelines_store_snapshot(timelines_t *t, world_o *w, bool required) {
  if (!t->snapshot_due || !t->current.snapshots)
    return NULL;
  required |= t->snapshot_required;
  t->snapshot_due = t->snapshot_required = false;
  return required ? history_add_snapshot(t->current.snapshots, w) : history_try_add_snapshot(t->current.snapshots, w);
}

// --- recent states

#define RECENT_MAX_BYTES (96u << 20)

// Returns the number of recent states to keep: the number of ticks between two kept snapshots or, if smaller, the
// number of states that fit the memory. Returns 0 if the history keeps every tick.
static uint32_t count_recent_states(const timelines_t *t) {
  history_stats_t stats = history_stats(t->current.snapshots);
  uint64_t max_count = RECENT_MAX_BYTES / (stats.snapshot_bytes + stats.snapshot_bytes / 4 + 1);
  return stats.interval < 2 ? 0 : stats.interval < max_count ? stats.interval : (uint32_t)max_count;
}

snapshot_o *timelines_keep_recent_state(timelines_t *t, world_o *w) {
  uint64_t tick = world_tick(w);
  state_cache_need_t need = {.target = tick, .first_kept = tick, .last_kept = tick};
  uint32_t count = t->current.snapshots ? count_recent_states(t) : 0;
  if (count == 0)
    return NULL;
  state_cache_drop_from(&t->states, tick);
  state_cache_set_capacity(&t->states, count, &need);
  snapshot_o *state = state_cache_get_spare(&t->states);
  if (!snapshot_take(state, w, NULL))
    return NULL;
  state_cache_add(&t->states, tick, 0, &need);
  return state;
}

void timelines_trim_states(timelines_t *t, const world_o *w) {
  uint64_t tick = world_tick(w);
  state_cache_drop_from(&t->states, tick + 1);
  state_cache_set_capacity(&t->states, count_recent_states(t),
                           &(state_cache_need_t){.target = tick, .first_kept = tick, .last_kept = tick});
}

// --- snapshots that are due

static void mark_state_due(timelines_t *t, bool required) {
  t->snapshot_due = true;
  t->snapshot_required |= required;
}

void timelines_stop_thread(timelines_t *t, world_o *w) {
  timelines_store_snapshot(t, w, true);
  if (t->current.snapshots)
    history_stop_thread(t->current.snapshots);
}

// --- branching

size_t timelines_bytes(const timelines_t *t) {
  return (t->current.snapshots ? history_stats(t->current.snapshots).bytes : 0) +
         (t->abandoned.snapshots ? history_stats(t->abandoned.snapshots).bytes : 0);
}

bool timelines_has_next(const timelines_t *t) {
  return !t->snapshot_due && t->current.snapshots && history_has_next(t->current.snapshots);
}

// Keeps the future of the current timeline as `abandoned`, before the world diverges from it. The current timeline gets
// at least half of the shared budget. Returns true on success, or false if a replay is in progress or the world is
// already at the newest kept tick.
static bool abandon_future(timelines_t *t) {
  shoal_assert(!t->current.snapshots == !t->current.inputs, "a timeline needs both snapshots and inputs");
  if (t->replaying || !timelines_has_next(t))
    return false;
  drop_abandoned_timeline(t);
  t->abandoned =
      (timeline_t){.snapshots = history_fork(t->current.snapshots), .inputs = input_log_copy(t->current.inputs)};
  uint64_t current_budget = history_stats(t->current.snapshots).budget_bytes,
           abandoned_bytes = history_stats(t->abandoned.snapshots).bytes;
  uint64_t total_budget = current_budget > t->budget_bytes ? current_budget : t->budget_bytes;
  history_set_budget(t->current.snapshots,
                     abandoned_bytes < total_budget / 2 ? total_budget - abandoned_bytes : total_budget / 2);
  t->diverged = false;
  return true;
}

void timelines_begin_replay(timelines_t *t) {
  t->replaying |= abandon_future(t);
  t->replay_starting = t->replaying;
}

const input_log_o *timelines_replayed_input(const timelines_t *t) {
  shoal_assert(!t->replaying || t->abandoned.inputs, "no abandoned timeline is kept");
  return t->replaying ? t->abandoned.inputs : NULL;
}

// Re-runs ticks up to `tick`. Returns the number of ticks by which the world advanced.
static uint64_t resimulate_up_to(timelines_t *t, world_o *w, uint64_t tick) {
  uint64_t start_tick = world_tick(w);
  shoal_assert(start_tick <= tick, "tick %llu is before the world's tick %llu", (unsigned long long)tick,
               (unsigned long long)start_tick);
  if (t->resimulate && start_tick >= t->reproducible_from)
    t->resimulate(t->context, t->current.inputs, tick);
  t->tick = world_tick(w);
  return t->tick - start_tick;
}

uint64_t timelines_rewind(timelines_t *t, world_o *w, uint64_t ticks, bool keep_abandoned, error_info_t *error) {
  if (!t->current.snapshots) {
    error_set(error, "the history is disabled: set history in game.lua, or pass --history MB");
    return 0;
  }
  timelines_store_snapshot(t, w, true);
  uint64_t rewound_ticks = history_rewind(t->current.snapshots, w, ticks, error);
  t->tick = world_tick(w);
  if (rewound_ticks > ticks)
    rewound_ticks -= resimulate_up_to(t, w, t->tick + rewound_ticks - ticks);
  t->abandons_future |= keep_abandoned && rewound_ticks > 0;
  return rewound_ticks;
}

bool timelines_step_forward(timelines_t *t, world_o *w, error_info_t *error) {
  shoal_assert(timelines_has_next(t), "the history has no next tick");
  if (history_next_tick(t->current.snapshots) > world_tick(w) + 1 && resimulate_up_to(t, w, world_tick(w) + 1) > 0)
    return true;
  bool ok = history_step_forward(t->current.snapshots, w, error);
  t->tick = world_tick(w);
  return ok;
}

void timelines_move_to(timelines_t *t, const world_o *w) {
  history_move_to(t->current.snapshots, history_find(t->current.snapshots, world_tick(w)));
  t->tick = world_tick(w);
  t->abandons_future |= history_has_next(t->current.snapshots);
}

// --- ticks

// Compares the snapshot after the current tick with the snapshot of the same tick in the abandoned timeline.
static void compare_with_abandoned(timelines_t *t, world_o *w, timelines_result_t *result) {
  shoal_assert(t->abandoned.snapshots, "no abandoned timeline is kept");
  const snapshot_o *abandoned = history_get_snapshot(t->abandoned.snapshots, world_tick(w)),
                   *current = history_current_snapshot(t->current.snapshots);
  if (!abandoned || snapshot_is_equal(abandoned, current))
    return;
  uint64_t count = snapshot_compare(abandoned, current, w, result->items, TIMELINES_MAX_ITEMS, NULL);
  if (count == UINT64_MAX)
    return;
  result->differences = count;
  t->diverged |= count > 0;
}

// Returns true if the tick that has just run cannot be reproduced from the previous snapshot and its input, so that its
// own snapshot must be kept.
static bool is_irreproducible(timelines_t *t, uint64_t tick, uint32_t code_version) {
  bool result = tick != t->tick + 1 || tick == t->interrupted_tick || code_version != t->code_version;
  if (tick <= t->reproducible_from) // the world was rewound, and this is the first tick that the current code has run
    t->reproducible_from = tick - 1;
  t->tick = tick;
  t->code_version = code_version;
  return result;
}

void timelines_interrupt(timelines_t *t, const world_o *w) {
  t->interrupted_tick = world_tick(w) + 1;
  if (t->current.snapshots)
    state_cache_drop_from(&t->states, world_tick(w));
}

void timelines_replace_state(timelines_t *t) {
  if (!t->current.snapshots)
    return;
  if (t->abandons_future)
    abandon_future(t);
  t->abandons_future = false;
  mark_state_due(t, true);
  state_cache_drop_from(&t->states, t->tick);
}

// Discards the input from `tick` on, because it belongs to an abandoned timeline.
static void discard_abandoned_input(timelines_t *t, uint64_t tick) {
  if (input_log_last_tick(t->current.inputs) >= tick)
    input_log_discard_from(t->current.inputs, tick);
}

void timelines_add_tick(timelines_t *t, world_o *w, uint32_t code_version, timelines_result_t *result) {
  uint64_t oldest_tick;
  *result = (timelines_result_t){.differences = 0};
  if (!t->current.snapshots)
    return;
  if (t->abandons_future)
    abandon_future(t);
  t->abandons_future = t->replay_starting = false;
  state_cache_drop_from(&t->states, world_tick(w)); // states of the abandoned future
  mark_state_due(t, is_irreproducible(t, world_tick(w), code_version) || t->replaying);
  discard_abandoned_input(t, world_tick(w));
  if (history_get_oldest_tick(t->current.snapshots, &oldest_tick))
    input_log_discard_before(t->current.inputs, oldest_tick);
  if (t->replaying && !t->diverged) {
    timelines_store_snapshot(t, w, true);
    if (!input_log_has_moved_frames(t->abandoned.inputs, world_tick(w))) // moved frames lead to the abandoned state
      compare_with_abandoned(t, w, result);
  }
  result->replay_ended = t->replaying && world_tick(w) >= input_log_last_tick(t->abandoned.inputs);
  t->replaying &= !result->replay_ended;
}

void timelines_add_paused(timelines_t *t, const world_o *w) {
  if (!t->current.inputs)
    return;
  discard_abandoned_input(t, world_tick(w) + 1);
  input_log_discard_idle_block(t->current.inputs);
}

// Abandons the future that no longer follows from the world's state, and requires a snapshot of the changed world.
// Frames of a pause before this point lead to this snapshot, and are marked accordingly.
static void branch(timelines_t *t) {
  if (t->abandons_future)
    timelines_begin_replay(t);
  if (input_log_last_tick(t->current.inputs) <= t->tick)
    input_log_move_frames(t->current.inputs, t->tick, journal_last_number(t->journal));
  mark_state_due(t, true);
  state_cache_drop_from(&t->states, t->tick);
  t->interrupted_tick = t->tick + 1;
}

void timelines_on_reload(timelines_t *t) {
  if (!t->current.snapshots)
    return;
  branch(t);
  t->reproducible_from = t->tick;
}

void timelines_on_edit(timelines_t *t) {
  if (t->current.snapshots)
    branch(t);
}
