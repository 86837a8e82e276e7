// Branching into a new timeline, and comparing it with the abandoned one tick by tick.
#include "time/timelines.h"

#include "base/assert.h"

#include <string.h>

static void drop(timeline_t *line) {
  history_destroy(line->states);
  input_log_destroy(line->inputs);
  *line = (timeline_t){.states = NULL};
}

static void drop_left(timelines_t *t) {
  drop(&t->left);
  t->again = false;
}

void timelines_begin(timelines_t *t, allocator_t *memory, const timelines_desc_t *desc, world_o *w) {
  shoal_assert(memory && w, "memory and w must not be NULL");
  timelines_end(t);
  t->memory = memory;
  t->live = desc->live;
  t->live_context = desc->live_context;
  t->tick = t->repeats_from = world_tick(w);
  t->budget_bytes = desc->budget_bytes;
  if (desc->budget_bytes == 0)
    return;
  t->here = (timeline_t){.states = history_create(memory, desc->budget_bytes), .inputs = input_log_create(memory)};
  history_may_grow(t->here.states, desc->most_bytes);
  history_use_thread(t->here.states, desc->late);
  history_add(t->here.states, w);
}

void timelines_end(timelines_t *t) {
  drop_left(t);
  drop(&t->here);
  t->parted = t->branched = t->due = t->due_surely = false;
}

snapshot_o *timelines_copy(timelines_t *t, world_o *w, bool surely) {
  if (!t->due || !t->here.states)
    return NULL;
  surely |= t->due_surely;
  t->due = t->due_surely = false;
  return surely ? history_add(t->here.states, w) : history_offer(t->here.states, w);
}

static void be_due(timelines_t *t, bool surely) {
  t->due = true;
  t->due_surely |= surely;
}

void timelines_rest(timelines_t *t, world_o *w) {
  timelines_copy(t, w, true);
  if (t->here.states)
    history_rest(t->here.states);
}

// ----------------------------------------------------------------------------------------------------------- branching

size_t timelines_bytes(const timelines_t *t) {
  return (t->here.states ? history_stats(t->here.states).bytes : 0) +
         (t->left.states ? history_stats(t->left.states).bytes : 0);
}

bool timelines_has_next(const timelines_t *t) {
  return !t->due && t->here.states && history_has_next(t->here.states);
}

// Keeps the future of the current timeline as `left` before the world takes another course. Both share the budget; at
// least half of it stays with the current timeline. Returns false if the world is already at the newest known tick.
static bool leave(timelines_t *t) {
  shoal_assert(!t->here.states == !t->here.inputs, "a timeline needs both states and inputs");
  if (t->again || !timelines_has_next(t))
    return false;
  drop_left(t);
  t->left = (timeline_t){.states = history_fork(t->here.states), .inputs = input_log_copy(t->here.inputs)};
  uint64_t grown = history_stats(t->here.states).budget_bytes, taken = history_stats(t->left.states).bytes;
  uint64_t all = grown > t->budget_bytes ? grown : t->budget_bytes;
  history_set_budget(t->here.states, taken < all / 2 ? all - taken : all / 2);
  t->parted = false;
  return true;
}

void timelines_begin_again(timelines_t *t) {
  t->again |= leave(t);
  t->begins = t->again;
}

const input_log_o *timelines_heard(const timelines_t *t) {
  shoal_assert(!t->again || t->left.inputs, "no abandoned timeline is kept");
  return t->again ? t->left.inputs : NULL;
}

// Runs the next tick, and the paused frames before it, with the logged input. Returns false if the log does not have
// it.
static bool live_next(timelines_t *t, world_o *w) {
  input_log_item_t x;
  uint64_t next = world_tick(w) + 1;
  for (uint32_t i = 0; world_tick(w) < next && input_log_get(t->here.inputs, next, i, &x); ++i)
    t->live(t->live_context, t->here.inputs, &x);
  return world_tick(w) == next;
}

// Runs ticks again up to `tick`. Returns how many ticks it advanced.
static uint64_t live_up_to(timelines_t *t, world_o *w, uint64_t tick) {
  uint64_t from = world_tick(w);
  shoal_assert(from <= tick, "tick %llu is before the world's tick %llu", (unsigned long long)tick,
               (unsigned long long)from);
  while (t->live && from >= t->repeats_from && world_tick(w) < tick && live_next(t, w)) {
  }
  t->tick = world_tick(w);
  return t->tick - from;
}

uint64_t timelines_back(timelines_t *t, world_o *w, uint64_t ticks, bool branch, error_t *error) {
  if (!t->here.states) {
    error_set(error, "no history is kept: set history in game.lua, or --history MB");
    return 0;
  }
  timelines_copy(t, w, true);
  uint64_t went = history_back(t->here.states, w, ticks, error);
  t->tick = world_tick(w);
  if (went > ticks)
    went -= live_up_to(t, w, t->tick + went - ticks);
  t->branched |= branch && went > 0;
  return went;
}

bool timelines_forward(timelines_t *t, world_o *w, error_t *error) {
  shoal_assert(timelines_has_next(t), "the history has no next tick");
  if (history_next(t->here.states) > world_tick(w) + 1 && live_up_to(t, w, world_tick(w) + 1) > 0)
    return true;
  bool fine = history_forward(t->here.states, w, error);
  t->tick = world_tick(w);
  return fine;
}

// --------------------------------------------------------------------------------------------------------------- ticks

// Compares the tick that ended with the same tick of the abandoned timeline.
static void compare_with_left(timelines_t *t, world_o *w, timelines_news_t *news) {
  shoal_assert(t->left.states, "no abandoned timeline is kept");
  const snapshot_o *then = history_seek(t->left.states, world_tick(w)), *now = history_now(t->here.states);
  if (!then || snapshot_same(then, now))
    return;
  uint64_t total = snapshot_compare(then, now, w, news->items, TIMELINES_TOLD, NULL);
  if (total == UINT64_MAX)
    return;
  news->differences = total;
  t->parted |= total > 0;
}

// Returns true if the tick that ended cannot be reproduced from an earlier state, so its own state must be kept. The
// ticks after it are reproducible from there.
static bool begins_stretch(timelines_t *t, uint64_t tick, uint32_t code) {
  bool interrupted = tick != t->tick + 1 || tick == t->repeats_from, other = code != t->code;
  if (interrupted || other)
    t->repeats_from = tick;
  else if (tick < t->repeats_from) // after a rewind
    t->repeats_from = tick - 1;
  t->tick = tick;
  t->code = code;
  return t->repeats_from == tick;
}

void timelines_interrupt(timelines_t *t, const world_o *w) {
  t->repeats_from = world_tick(w) + 1; // the state of that tick is kept
}

void timelines_tick(timelines_t *t, world_o *w, const input_state_t *before, const input_state_t *now, uint32_t code,
                    timelines_news_t *news) {
  uint64_t first;
  *news = (timelines_news_t){.differences = 0};
  if (!t->here.states)
    return;
  if (t->branched)
    leave(t);
  t->branched = t->begins = false;
  be_due(t, begins_stretch(t, world_tick(w), code) || t->again);
  input_log_tick(t->here.inputs, world_tick(w), before, now);
  if (history_begins(t->here.states, &first))
    input_log_forget_before(t->here.inputs, first);
  if (t->again && !t->parted) {
    timelines_copy(t, w, true);
    compare_with_left(t, w, news);
  }
  news->live = t->again && world_tick(w) >= input_log_last(t->left.inputs);
  t->again &= !news->live;
}

void timelines_idle(timelines_t *t, const world_o *w, const input_state_t *before, const input_state_t *now) {
  if (t->here.inputs)
    input_log_idle(t->here.inputs, world_tick(w) + 1, before, now);
}

void timelines_reloaded(timelines_t *t) {
  if (!t->here.states)
    return;
  if (t->branched)
    timelines_begin_again(t);
  be_due(t, true);
}

void timelines_edited(timelines_t *t, const world_o *w) {
  timelines_reloaded(t);
  timelines_interrupt(t, w);
}
