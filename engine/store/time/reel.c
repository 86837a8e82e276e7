// Decodes kept snapshots, re-runs the ticks after them, and keeps the results within a fixed number of states.
#include "time/reel.h"

#include "base/assert.h"
#include "base/now.h"
#include "time/state_cache.h"
#include "time/state_reader.h"

#include <math.h>

#define SPARE_STATES 3u // states in addition to a block: the shown tick, and ticks that were just passed

struct reel_o {
  timelines_t *timelines;
  world_o *world;
  state_reader_o *reader;               // reads the history
  state_cache_t *states;                // states of the timelines, indexed by tick
  uint64_t shown;                       // tick at which the world is between two calls
  bool every_tick;                      // true if the states of a block fit the memory
  double decode_us, run_us, restore_us; // moving averages of the time that a step or a restore takes
};

typedef enum work_t { WORK_READY, WORK_DONE, WORK_FAILED } work_t;

static history_o *get_history(const reel_o *r) {
  return r->timelines->current.snapshots;
}

static uint64_t get_kept_tick(const reel_o *r, uint32_t i) {
  history_snapshot_t packed = {.tick = 0};
  history_get_packed(get_history(r), i, &packed);
  return packed.tick;
}

static void add_state(reel_o *r, uint64_t tick, bool forward) {
  state_cache_need_t need = {.target = r->shown, .forward = forward, .first_kept = r->shown, .last_kept = r->shown};
  state_cache_add(r->states, tick, 0, &need);
}

// --- life cycle

reel_o *reel_create(timelines_t *t, world_o *w, uint64_t max_bytes) {
  if (!t->current.snapshots)
    return NULL;
  timelines_store_snapshot(t, w, true);
  uint32_t count = history_count(t->current.snapshots);
  history_stats_t stats = history_stats(t->current.snapshots);
  uint64_t state_bytes = stats.snapshot_bytes + stats.snapshot_bytes / 4 + 1;
  state_reader_o *reader = history_get_reader(t->current.snapshots);
  uint32_t block_states = stats.interval + SPARE_STATES;
  bool every_tick = (state_reader_capacity(reader) + block_states) * state_bytes <= max_bytes;
  if (count == 0 || (!every_tick && (state_reader_capacity(reader) + SPARE_STATES) * state_bytes > max_bytes))
    return NULL;
  reel_o *r = alloc_resize(t->memory, NULL, 0, sizeof *r);
  *r = (reel_o){.timelines = t,
                .world = w,
                .reader = reader,
                .states = &t->states,
                .shown = world_tick(w),
                .every_tick = every_tick};
  state_cache_drop_from(r->states, r->shown);
  state_cache_set_capacity(r->states, every_tick ? block_states : SPARE_STATES,
                           &(state_cache_need_t){.target = r->shown});
  if (snapshot_take(state_cache_get_spare(r->states), w, NULL))
    add_state(r, r->shown, false);
  return r;
}

void reel_destroy(reel_o *r) {
  if (!r)
    return;
  state_reader_wait(r->reader);
  timelines_trim_states(r->timelines, r->world);
  alloc_resize(r->timelines->memory, r, sizeof *r, 0);
}

size_t reel_bytes(const reel_o *r) {
  return r->timelines->state_memory.bytes + state_reader_bytes(r->reader);
}

// --- known ticks

uint64_t reel_last_tick(const reel_o *r) {
  return get_kept_tick(r, history_count(get_history(r)) - 1);
}

bool reel_shows_every_tick(const reel_o *r) {
  return r->every_tick;
}

// Returns true if the ticks after a kept snapshot can be re-run. They cannot be re-run after a load: the first tick of
// the loaded world then follows the snapshot of an earlier tick, and the log contains no input for the ticks between
// them.
static bool can_run_after(const reel_o *r, uint64_t kept_tick) {
  input_log_reader_t reader;
  logged_input_t item;
  input_log_begin(&reader, r->timelines->current.inputs, kept_tick + 1);
  return r->every_tick && r->timelines->resimulate && kept_tick >= r->timelines->reproducible_from &&
         input_log_next(&reader, &item);
}

uint64_t reel_first_tick(const reel_o *r) {
  uint64_t first = get_kept_tick(r, 0);
  if (first > 0 || history_count(get_history(r)) == 1)
    return first;
  return can_run_after(r, 0) ? 1 : get_kept_tick(r, 1);
}

uint64_t reel_find_tick(const reel_o *r, uint64_t tick, bool forward, bool kept_only) {
  uint64_t first = reel_first_tick(r), last = reel_last_tick(r);
  tick = tick < first ? first : tick > last ? last : tick;
  uint32_t i = history_find(get_history(r), tick);
  uint64_t kept = get_kept_tick(r, i);
  if (kept == tick || (!kept_only && can_run_after(r, kept)))
    return tick;
  return forward ? get_kept_tick(r, i + 1) : kept < first ? first : kept;
}

// --- steps

static void update_average(double *average, double start_us) {
  double us = now_us() - start_us;
  *average = *average > 0 ? *average * 0.8 + us * 0.2 : us;
}

static bool restore(reel_o *r, const snapshot_o *s, error_info_t *error) {
  double start_us = now_us();
  bool ok = history_restore_snapshot(s, r->timelines->memory, r->world, error);
  update_average(&r->restore_us, start_us);
  return ok;
}

// Returns the decoded state after `tick`, or NULL if it is not in memory. `i`: the kept snapshot at or before the tick.
static const snapshot_o *find_state(const reel_o *r, uint64_t tick, uint32_t i) {
  const snapshot_o *state = state_cache_find(r->states, tick);
  return state || get_kept_tick(r, i) != tick ? state : state_reader_find(r->reader, i);
}

static work_t read_kept(reel_o *r, uint32_t i, bool forward, error_info_t *error) {
  double start_us = now_us();
  state_reader_result_t result = state_reader_advance(r->reader, i, forward);
  update_average(&r->decode_us, start_us);
  if (result == STATE_READER_FAILED)
    error_set(error, "the history is damaged");
  return result == STATE_READER_FAILED ? WORK_FAILED : result == STATE_READER_READY ? WORK_READY : WORK_DONE;
}

// Finds the latest decoded state before `tick`, no earlier than kept snapshot `i`, and runs the tick after it. If no
// such state is decoded, takes one step to decode snapshot `i` instead.
static work_t run_tick_before(reel_o *r, uint64_t tick, uint32_t i, bool forward, error_info_t *error) {
  uint64_t kept_tick = get_kept_tick(r, i), start_tick = tick - 1;
  while (start_tick > kept_tick && !find_state(r, start_tick, i))
    --start_tick;
  const snapshot_o *start = find_state(r, start_tick, i);
  if (!start)
    return read_kept(r, i, forward, error) == WORK_FAILED ? WORK_FAILED : WORK_DONE;
  double start_us = now_us();
  if (world_tick(r->world) != start_tick && !restore(r, start, error))
    return WORK_FAILED;
  r->timelines->resimulate(r->timelines->context, r->timelines->current.inputs, start_tick + 1);
  if (world_tick(r->world) != start_tick + 1 || !snapshot_take(state_cache_get_spare(r->states), r->world, error)) {
    error_set(error, "tick %llu cannot be re-run", (unsigned long long)start_tick + 1);
    return WORK_FAILED;
  }
  add_state(r, start_tick + 1, forward);
  update_average(&r->run_us, start_us);
  return WORK_DONE;
}

// Returns the kept snapshot from which to work towards the state after `tick`. For a kept tick, this is its own
// snapshot. If the preceding tick is in memory, it is the previous snapshot instead, because running one tick is faster
// than decoding several states.
static uint32_t choose_start(const reel_o *r, uint64_t tick) {
  uint32_t i = history_find(get_history(r), tick);
  bool continues = i > 0 && get_kept_tick(r, i) == tick && tick - 1 > get_kept_tick(r, i - 1) &&
                   can_run_after(r, get_kept_tick(r, i - 1)) && find_state(r, tick - 1, i - 1);
  return continues ? i - 1 : i;
}

// Takes one step towards the state after `tick`: decodes a snapshot or re-runs a tick. Returns WORK_READY if the state
// is already in memory.
static work_t work_towards(reel_o *r, uint64_t tick, bool forward, error_info_t *error) {
  if (find_state(r, tick, history_find(get_history(r), tick)))
    return WORK_READY;
  uint32_t i = choose_start(r, tick);
  if (get_kept_tick(r, i) == tick)
    return read_kept(r, i, forward, error);
  return can_run_after(r, get_kept_tick(r, i)) ? run_tick_before(r, tick, i, forward, error) : WORK_FAILED;
}

// --- showing

// Restores the state of the shown tick, which is always in memory, unless the world is already at that tick. Returns
// true on success, or false with an error.
static bool restore_shown(reel_o *r, error_info_t *error) {
  const snapshot_o *state = state_cache_find(r->states, r->shown);
  return world_tick(r->world) == r->shown || (state && restore(r, state, error));
}

// Sets the shown tick. The state of `tick` must be in memory. The caller restores the state.
static void choose_shown(reel_o *r, uint64_t tick, bool forward) {
  uint32_t i = history_find(get_history(r), tick);
  if (!state_cache_find(r->states, tick)) { // copied, because the reader may evict its snapshot
    snapshot_copy(state_cache_get_spare(r->states), state_reader_find(r->reader, i));
    add_state(r, tick, forward);
  }
  r->shown = tick;
}

static uint32_t count_states_before(const reel_o *r, uint64_t tick) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->states->items.count; ++i)
    count += r->states->items.items[i].key < tick;
  return count;
}

// Makes the thread decode a kept snapshot, unless it is already decoded, and returns false. If the reader has no
// thread, takes one step towards the snapshot, and returns true on success.
static bool read_ahead(reel_o *r, uint32_t i, bool forward, error_info_t *error) {
  return !state_reader_find(r->reader, i) && !state_reader_decode_ahead(r->reader, i, forward) &&
         read_kept(r, i, forward, error) == WORK_DONE;
}

// Takes one step to prepare the ticks that follow the shown tick in the direction of movement. Returns true if it has
// done work, or false if nothing is left to prepare on this thread.
static bool prepare(reel_o *r, bool forward, error_info_t *error) {
  uint32_t i = history_find(get_history(r), r->shown);
  uint64_t kept_tick = get_kept_tick(r, i);
  if (forward) // the next call runs the next tick
    return r->shown < reel_last_tick(r) && !can_run_after(r, kept_tick) && read_ahead(r, i + 1, true, error);
  if (i == 0)
    return false;
  if (read_ahead(r, i - 1, false, error) || (i > 1 && read_ahead(r, i - 2, false, error)))
    return true;
  bool has_room = count_states_before(r, r->shown) + SPARE_STATES - 1 < r->states->capacity;
  return has_room && kept_tick > 0 && can_run_after(r, get_kept_tick(r, i - 1)) &&
         find_state(r, get_kept_tick(r, i - 1), i - 1) && work_towards(r, kept_tick - 1, false, error) == WORK_DONE;
}

// Returns true if there is time for one more step of any kind before `end_us`.
static bool has_time(const reel_o *r, double end_us) {
  return now_us() + fmax(r->decode_us, r->run_us) < end_us;
}

bool reel_show(reel_o *r, uint64_t tick, bool forward, double budget_us, error_info_t *error) {
  double end_us = now_us() + budget_us - r->restore_us;
  work_t result = r->shown == tick ? WORK_READY : work_towards(r, tick, forward, error);
  bool moves = r->shown != tick, prepares = result == WORK_READY;
  while (result == WORK_DONE && has_time(r, end_us))
    result = work_towards(r, tick, forward, error);
  moves &= result == WORK_READY;
  if (moves)
    choose_shown(r, tick, forward);
  error_info_t unused;
  while (result == WORK_READY && (prepares || has_time(r, end_us)) && prepare(r, forward, &unused))
    prepares = false; // prepares at least one step, even on a machine that is too slow for the budget
  if (!restore_shown(r, error))
    return false;
  if (moves)
    timelines_move_to(r->timelines, r->world);
  return result == WORK_READY;
}

bool reel_prepare_to_continue(reel_o *r) {
  return history_prepare_to_continue(get_history(r));
}
