// States by tick: keys, differences between them, and which go when the budget is spent.
#include "time/history.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/now.h"
#include "state/state.h"
#include "state/state_codec.h"

#include <stdatomic.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 3
#define KEYS_PER_WHOLE 16u

// Behind a count of the histories that share it.
typedef struct blob_t {
  uint8_t *bytes; // NULL for none
  uint32_t size, raw_size;
} blob_t;

#define OWNERS_BYTES 8u

// Nearly every state is kept as the difference from the three before it (fewer right behind a key). A key is kept as
// the difference from the key before it, or whole.
typedef enum form_t { DELTA, KEY, WHOLE } form_t; // the numbers stand in recordings

#define NOWHERE UINT32_MAX // `at` of a history whose states were appended and not yet gone to

typedef struct state_t {
  uint64_t tick;
  form_t form;
  uint32_t size; // of a difference before it is thinned out
  blob_t blob;
} state_t;

typedef ARRAY(uint8_t) bytes_t;

struct history_o {
  allocator_t *allocator;
  uint64_t budget;
  state_t *states; // a ring
  uint32_t first, count, capacity;
  uint32_t at;          // where the world is: 0 … count - 1
  snapshot_o *now;      // the state at `at`,
  snapshot_o *prev[2];  // and the two before it, as far back as to the last key
  snapshot_o *key;      // the last key; empty when the next one must be whole
  uint64_t group_bytes; // since the last whole one
  ZSTD_CCtx *packer;
  ZSTD_DCtx *unpacker;
  snapshot_o *next;   // room
  snapshot_o *base;   // the key that was gone from last, for the next step back is likely to begin there too
  uint64_t base_tick; // of it
  snapshot_o *looked; // what history_peek gave
  state_codec_o *delta;
  bytes_t thin, packed; // room
  history_stats_t stats;
};

// Whoever comes in the middle of a change (history_recover) finds the states up to `count`: what is written before this
// is seen before what is written after it.
static void publish(void) {
  atomic_thread_fence(memory_order_release);
}

static state_t *state(history_o *h, uint32_t i) {
  shoal_assert(i < h->capacity, "state %u of a history with room for %u", i, h->capacity);
  return &h->states[(h->first + i) & (h->capacity - 1)];
}

// --- life

static void create_rooms(history_o *h) {
  allocator_t *a = h->allocator;
  h->delta = state_codec_create(a);
  h->key = snapshot_create(a);
  h->base = snapshot_create(a);
  h->now = snapshot_create(a);
  h->prev[0] = snapshot_create(a);
  h->prev[1] = snapshot_create(a);
  h->next = snapshot_create(a);
  h->looked = snapshot_create(a);
  h->thin = h->packed = (bytes_t){0};
}

history_o *history_create(allocator_t *a, uint64_t budget_bytes) {
  shoal_assert(a, "a history needs an allocator");
  history_o *h = alloc_resize(a, NULL, 0, sizeof *h);
  *h = (history_o){.allocator = a, .budget = budget_bytes};
  h->packer = ZSTD_createCCtx();
  h->unpacker = ZSTD_createDCtx();
  create_rooms(h);
  return h;
}

void history_recover(history_o *h) {
  create_rooms(h); // those that were there may be half filled
  h->at = NOWHERE;
}

static uint64_t *blob_owners(const blob_t *b) {
  return (uint64_t *)(void *)(b->bytes - OWNERS_BYTES);
}

static blob_t make_blob(allocator_t *a, const void *bytes, uint32_t size, uint32_t raw_size) {
  blob_t b = {.size = size, .raw_size = raw_size};
  b.bytes = (uint8_t *)alloc_resize(a, NULL, 0, size + OWNERS_BYTES) + OWNERS_BYTES;
  *blob_owners(&b) = 1;
  memcpy(b.bytes, bytes, size);
  return b;
}

static void free_state(history_o *h, const state_t *s) {
  const blob_t *b = &s->blob;
  h->stats.bytes -= b->size + sizeof(state_t);
  if (--*blob_owners(b) == 0)
    alloc_resize(h->allocator, b->bytes - OWNERS_BYTES, b->size + OWNERS_BYTES, 0);
}

static void drop_last(history_o *h) {
  const state_t *last = state(h, h->count - 1);
  h->count--;
  publish();
  free_state(h, last);
}

// The first one is always whole, since all others stand on those before. False when there is no second whole one.
static bool drop_first_group(history_o *h) {
  uint32_t next = 1;
  while (next < h->count && state(h, next)->form != WHOLE)
    next++;
  if (next >= h->count)
    return false;
  uint32_t first = h->first;
  h->count -= next; // in between the last ones seem to be missing
  publish();
  h->first = (first + next) & (h->capacity - 1);
  publish();
  h->at -= next;
  for (uint32_t i = 0; i < next; ++i)
    free_state(h, &h->states[(first + i) & (h->capacity - 1)]);
  return true;
}

void history_clear(history_o *h) {
  while (h->count > 0)
    drop_last(h);
  h->at = 0;
  snapshot_set_bytes(h->key, NULL, 0);
  snapshot_set_bytes(h->base, NULL, 0);
}

void history_destroy(history_o *h) {
  if (!h)
    return;
  history_clear(h);
  allocator_t *a = h->allocator;
  ZSTD_freeCCtx(h->packer);
  ZSTD_freeDCtx(h->unpacker);
  snapshot_release(h->key);
  snapshot_release(h->base);
  snapshot_release(h->now);
  snapshot_release(h->prev[0]);
  snapshot_release(h->prev[1]);
  snapshot_release(h->next);
  snapshot_release(h->looked);
  array_free(a, &h->thin);
  array_free(a, &h->packed);
  state_codec_destroy(h->delta);
  alloc_resize(a, h->states, h->capacity * sizeof *h->states, 0);
  alloc_resize(a, h, sizeof *h, 0);
}

// --- packing

static blob_t pack(history_o *h, const void *raw, size_t raw_size) {
  size_t most = ZSTD_compressBound(raw_size);
  shoal_assert(most < UINT32_MAX, "a state of %zu bytes", raw_size);
  array_reserve(h->allocator, &h->packed, (uint32_t)most);
  size_t size = ZSTD_compressCCtx(h->packer, h->packed.items, most, raw, raw_size, LEVEL);
  return make_blob(h->allocator, h->packed.items, (uint32_t)size, (uint32_t)raw_size);
}

static bool unpack(history_o *h, const blob_t *b, void *out) {
  return ZSTD_decompressDCtx(h->unpacker, out, b->raw_size, b->bytes, b->size) == b->raw_size;
}

// --- going to a state

static void turn(history_o *h) {
  snapshot_o *s = h->prev[1];
  h->prev[1] = h->prev[0];
  h->prev[0] = h->now;
  h->now = h->next;
  h->next = s;
}

// The states that state i may stand on: from the last one on that is kept whole, and with its sections.
static void open_last(history_o *h, uint32_t i, snapshot_table_t last[3]) {
  last[0] = snapshot_table(h->now);
  last[1] = last[2] = (snapshot_table_t){.table = NULL};
  for (uint32_t k = 0; k < 2 && state(h, i - 1 - k)->form == DELTA; ++k) {
    last[k + 1] = snapshot_table(h->prev[k]);
    if (!snapshot_same_sections(&last[k + 1], &last[0])) {
      last[k + 1].table = NULL;
      return;
    }
  }
}

// What stands on the states in `last` into h->next.
static bool read_difference(history_o *h, const state_t *s, const snapshot_table_t last[3]) {
  array_reserve(h->allocator, &h->thin, s->blob.raw_size);
  return unpack(h, &s->blob, h->thin.items) &&
         state_codec_read(h->delta, last, h->thin.items, s->blob.raw_size, s->size, h->next);
}

// From the state before, which is in h->now, to state i; to a key from the key before.
static bool walk(history_o *h, uint32_t i) {
  const state_t *s = state(h, i);
  snapshot_table_t last[3] = {snapshot_table(h->now), {.table = NULL}, {.table = NULL}};
  bool good;
  if (s->form == WHOLE) {
    good = unpack(h, &s->blob, snapshot_reserve(h->next, s->blob.raw_size));
  } else {
    if (s->form == DELTA)
      open_last(h, i, last);
    good = read_difference(h, s, last);
  }
  turn(h);
  return good;
}

static bool go_to_key(history_o *h, uint32_t whole, uint32_t key) {
  if (snapshot_size(h->base) > 0 && h->base_tick == state(h, key)->tick) {
    snapshot_copy(h->now, h->base);
    return true;
  }
  bool good = true;
  for (uint32_t i = whole; i <= key && good; ++i)
    if (state(h, i)->form != DELTA)
      good = walk(h, i);
  snapshot_copy(h->base, h->now);
  h->base_tick = state(h, key)->tick;
  return good;
}

// Leaves state `wanted` in h->now. On failure, which only damaged memory can cause, the history is empty.
static bool go(history_o *h, uint32_t wanted) {
  shoal_assert(wanted < h->count, "state %u of %u", wanted, h->count);
  uint32_t key = wanted, whole;
  bool good = true;
  while (state(h, key)->form == DELTA)
    key--;
  for (whole = key; state(h, whole)->form != WHOLE;)
    whole--;
  if (h->at < key || h->at > wanted) {
    good = go_to_key(h, whole, key);
    h->at = key;
  }
  for (uint32_t i = h->at + 1; i <= wanted && good; ++i)
    good = walk(h, i);
  h->at = wanted;
  if (!good)
    history_clear(h);
  return good;
}

// --- adding

static void grow_ring(history_o *h) {
  uint32_t capacity = h->capacity ? h->capacity * 2 : 1024;
  state_t *states = alloc_resize(h->allocator, NULL, 0, capacity * sizeof *states);
  state_t *before = h->states;
  uint32_t count = h->count, capacity_before = h->capacity;
  for (uint32_t i = 0; i < count; ++i)
    states[i] = *state(h, i);
  h->count = 0; // in between there seems to be nothing
  publish();
  h->states = states;
  h->first = 0;
  h->capacity = capacity;
  publish();
  h->count = count;
  publish();
  alloc_resize(h->allocator, before, capacity_before * sizeof *before, 0);
}

static void push_state(history_o *h, const state_t *s) {
  if (h->count == h->capacity)
    grow_ring(h);
  *state(h, h->count) = *s;
  publish();
  h->count++;
}

static form_t choose_form(history_o *h) {
  uint32_t since = 0, keys = 0, n = h->count;
  while (since < n && state(h, n - 1 - since)->form == DELTA)
    since++;
  if (n > 0 && since + 1 < HISTORY_KEY_TICKS && h->group_bytes < h->budget / 8)
    return DELTA;
  for (uint32_t i = n; i > 0 && state(h, i - 1)->form != WHOLE; --i)
    keys += state(h, i - 1)->form == KEY;
  bool whole = n == 0 || snapshot_size(h->key) == 0 || keys + 1 >= KEYS_PER_WHOLE || h->group_bytes >= h->budget / 8;
  return whole ? WHOLE : KEY;
}

// What h->next holds becomes the last state, and what h->now holds is the one before it.
static void append_state(history_o *h, uint64_t tick) {
  shoal_assert(h->count == 0 || state(h, h->count - 1)->tick < tick, "tick %llu follows tick %llu",
               (unsigned long long)tick, (unsigned long long)state(h, h->count - 1)->tick);
  snapshot_table_t last[3] = {snapshot_table(h->key), {.table = NULL}, {.table = NULL}}, now = snapshot_table(h->next);
  state_t made = {.tick = tick, .form = choose_form(h)};
  if (made.form == DELTA)
    open_last(h, h->count, last);
  const uint8_t *difference = NULL;
  uint32_t size = 0;
  if (made.form != WHOLE)
    difference = state_codec_write(h->delta, last, &now, &size, &made.size);
  if (!difference)
    made.form = WHOLE;
  made.blob = difference ? pack(h, difference, size) : pack(h, now.bytes, now.size);
  if (made.form != DELTA)
    snapshot_set_bytes(h->key, now.bytes, now.size);
  h->group_bytes = (made.form == WHOLE ? 0 : h->group_bytes) + made.blob.size;
  h->stats.bytes += made.blob.size + sizeof(state_t);
  push_state(h, &made);
  h->at = h->count - 1;
  turn(h);
}

// What a rewind or a restored snapshot has left behind: everything that is not before `tick`.
static void forget_after(history_o *h, uint64_t tick) {
  uint32_t keep = h->count > 0 ? h->at + 1 : 0;
  while (keep > 0 && state(h, keep - 1)->tick >= tick)
    keep--;
  if (keep == h->count)
    return;
  snapshot_set_bytes(h->key, NULL, 0); // they may be gone
  snapshot_set_bytes(h->base, NULL, 0);
  if (keep == 0)
    history_clear(h);
  else if (keep - 1 == h->at || go(h, keep - 1))
    while (h->count > keep)
      drop_last(h);
}

void history_add(history_o *h, world_o *w) {
  shoal_assert(h->count == 0 || h->at < h->count, "no world stands in a history whose states were appended");
  double began_us = now_us();
  forget_after(h, world_tick(w));
  if (!snapshot_take(h->next, w, NULL))
    return;
  uint64_t bytes = h->stats.bytes;
  append_state(h, world_tick(w));
  h->stats.adds++;
  h->stats.added_bytes += h->stats.bytes - bytes;
  while (h->stats.bytes > h->budget && drop_first_group(h)) {
  }
  h->stats.add_us += now_us() - began_us;
}

// --- reading

// The last state up to `from` that is not after `tick`, or the first.
static uint32_t find(history_o *h, uint32_t from, uint64_t tick) {
  uint32_t i = from;
  while (i > 0 && state(h, i)->tick > tick)
    i--;
  return i;
}

static uint64_t before_now(history_o *h, uint64_t ticks) {
  uint64_t now = state(h, h->at)->tick;
  return now > ticks ? now - ticks : 0;
}

// The state in h->now. It may have been kept before components were declared anew.
static bool restore(history_o *h, world_o *w, error_t *error) {
  state_view_t *v = state_open(h->now, h->allocator, error);
  bool fine = v && state_migrate(v, w, &(schema_migrate_desc_t){0}, error) &&
              state_put(v, w, &(state_put_desc_t){.regroup = true}, error);
  state_close(v);
  return fine;
}

uint64_t history_back(history_o *h, world_o *w, uint64_t ticks, error_t *error) {
  shoal_assert(h->count == 0 || h->at < h->count, "no world stands in a history whose states were appended");
  uint32_t before = h->at, wanted = h->count > 0 ? find(h, h->at, before_now(h, ticks)) : 0;
  if (h->count == 0 || wanted == before)
    return error_set(error, "nothing is known of what was before tick %llu", (unsigned long long)world_tick(w));
  uint64_t went = state(h, before)->tick - state(h, wanted)->tick;
  if (!go(h, wanted))
    return error_set(error, "the history is damaged");
  if (restore(h, w, error))
    return went;
  go(h, before);
  return 0;
}

bool history_has_next(const history_o *h) {
  return h->count > 0 && h->at + 1 < h->count;
}

bool history_forward(history_o *h, world_o *w, error_t *error) {
  uint32_t before = h->at;
  if (!history_has_next(h))
    return error_set(error, "%s", "");
  if (!go(h, before + 1))
    return error_set(error, "the history is damaged");
  if (restore(h, w, error))
    return true;
  go(h, before);
  return false;
}

const snapshot_o *history_peek(history_o *h, uint64_t tick, uint64_t *found, error_t *error) {
  uint32_t before = h->at, wanted = h->count > 0 ? find(h, h->count - 1, tick) : 0;
  if (h->count == 0) {
    error_set(error, "there is no history");
    return NULL;
  }
  if (!go(h, wanted)) {
    error_set(error, "the history is damaged");
    return NULL;
  }
  snapshot_copy(h->looked, h->now);
  *found = state(h, wanted)->tick;
  if (before != NOWHERE)
    go(h, before);
  return h->looked;
}

const snapshot_o *history_seek(history_o *h, uint64_t tick) {
  uint32_t wanted = h->count > 0 ? find(h, h->count - 1, tick) : 0;
  return h->count > 0 && state(h, wanted)->tick == tick && go(h, wanted) ? h->now : NULL;
}

const snapshot_o *history_now(const history_o *h) {
  return h->now;
}

bool history_range(const history_o *h, uint64_t *first, uint64_t *last) {
  *first = h->count > 0 ? state((history_o *)h, 0)->tick : 0;
  *last = h->count > 0 ? state((history_o *)h, h->count - 1)->tick : 0;
  return h->count > 0;
}

void history_set_budget(history_o *h, uint64_t budget_bytes) {
  h->budget = budget_bytes;
}

history_o *history_fork(history_o *h) {
  shoal_assert(h->count == 0 || h->at < h->count, "no world stands in a history whose states were appended");
  history_o *fork = history_create(h->allocator, h->budget);
  uint32_t whole = h->at;
  while (whole > 0 && h->count > 0 && state(h, whole)->form != WHOLE)
    whole--;
  for (uint32_t i = whole; i < h->count; ++i) {
    push_state(fork, state(h, i));
    ++*blob_owners(&state(h, i)->blob);
    fork->stats.bytes += state(h, i)->blob.size + sizeof(state_t);
  }
  fork->at = h->at - whole;
  snapshot_copy(fork->now, h->now);
  snapshot_copy(fork->prev[0], h->prev[0]);
  snapshot_copy(fork->prev[1], h->prev[1]);
  return fork;
}

// --- states as they are kept

// What history_add makes: so many stand on one another at the most.
static bool may_follow(history_o *h, uint32_t form) {
  uint32_t i = h->count, deltas = 0, keys = 0;
  for (; i > 0 && state(h, i - 1)->form == DELTA; --i)
    ++deltas;
  for (; i > 0 && state(h, i - 1)->form != WHOLE; --i)
    keys += state(h, i - 1)->form == KEY;
  return form == WHOLE || (h->count > 0 && (form == DELTA ? deltas < HISTORY_KEY_TICKS : keys < KEYS_PER_WHOLE));
}

uint32_t history_count(const history_o *h) {
  return h->count;
}

bool history_get(history_o *h, uint32_t i, history_state_t *out) {
  if (i >= h->count)
    return false;
  const state_t *s = state(h, i);
  *out = (history_state_t){.tick = s->tick,
                           .before = i > 0 ? state(h, i - 1)->tick : HISTORY_NOTHING,
                           .form = s->form,
                           .size = s->size,
                           .raw_size = s->blob.raw_size,
                           .packed_size = s->blob.size,
                           .packed = s->blob.bytes};
  return true;
}

bool history_append(history_o *h, const history_state_t *s, uint32_t largest_bytes) {
  while (h->count > 0 && state(h, h->count - 1)->tick != s->before)
    drop_last(h);
  h->at = NOWHERE;
  snapshot_set_bytes(h->base, NULL, 0);
  if (s->form > WHOLE || !may_follow(h, s->form) || s->packed_size == 0 || s->raw_size > largest_bytes ||
      s->size > largest_bytes)
    return false;
  push_state(h, &(state_t){.tick = s->tick,
                           .form = (form_t)s->form,
                           .size = s->size,
                           .blob = make_blob(h->allocator, s->packed, s->packed_size, s->raw_size)});
  h->stats.bytes += s->packed_size + sizeof(state_t);
  return true;
}

history_stats_t history_stats(const history_o *h) {
  history_stats_t stats = h->stats;
  stats.ticks = h->count;
  stats.state_bytes = snapshot_size(h->now);
  return stats;
}
