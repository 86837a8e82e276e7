// History of a world: a ring of packed snapshots. Decodes any snapshot from its predecessors, and evicts the oldest
// snapshots when the budget is exceeded.
#include "time/history.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/now.h"
#include "migrate/state_migrate.h"
#include "snapshot/state.h"
#include "time/state_packer.h"

#include <stdatomic.h>
#include <string.h>

// Packed bytes, preceded in memory by a uint64_t: the number of histories that share the bytes.
typedef struct blob_t {
  uint8_t *bytes; // NULL if empty
  uint32_t size, raw_size;
} blob_t;

#define OWNERS_BYTES 8u

// value of `at` in a history without a world position: one that was forked or recovered, or to which snapshots were
// appended
#define NO_POSITION UINT32_MAX

typedef struct state_t {
  uint64_t tick;
  packed_form_t form;
  uint32_t size; // size of a difference before its zero bytes are removed
  blob_t blob;
} state_t;

typedef ARRAY(uint8_t) bytes_t;

struct history_o {
  allocator_t *allocator;
  uint64_t budget, min_budget, max_budget; // in bytes; the budget grows with the world if max_budget > min_budget
  state_t *snapshots;                      // ring buffer
  uint32_t first, count, capacity;
  uint32_t at;     // index of the world's snapshot: 0 … count - 1
  packer_t packer; // packer.now is snapshot `at`, unless slots are pending
  ZSTD_DCtx *unpacker;
  snapshot_o *next;   // buffer into which the next snapshot is decoded
  snapshot_o *base;   // most recently used key; the next step back probably starts at the same key
  uint64_t base_tick; // tick of `base`
  snapshot_o *peeked; // result of history_find_snapshot
  bytes_t difference; // buffer for decompressed differences
  history_late_t late;
  uint64_t last_tick;     // tick of the most recently added or restored snapshot
  uint64_t planned_bytes; // maximum size of a snapshot under the current memory plan; 0: no plan yet
  uint64_t copies_bytes;  // part of the budget planned for copies of the world
  history_stats_t stats;
};

// Orders writes so that history_recover works after a crash in the middle of any change: the first `count` snapshots
// are always complete.
static void publish_writes(void) {
  atomic_thread_fence(memory_order_release);
}

static state_t *get_state(history_o *h, uint32_t i) {
  shoal_assert(i < h->capacity, "snapshot %u is out of range (capacity %u)", i, h->capacity);
  return &h->snapshots[(h->first + i) & (h->capacity - 1)];
}

// --- life cycle

static void create_buffers(history_o *h) {
  h->base = snapshot_create(&h->packer.copies);
  h->next = snapshot_create(&h->packer.copies);
  h->peeked = snapshot_create(&h->packer.copies);
  h->difference = (bytes_t){0};
}

static void free_buffers(history_o *h) {
  snapshot_release(h->base);
  snapshot_release(h->next);
  snapshot_release(h->peeked);
  array_free(h->allocator, &h->difference);
}

history_o *history_create(allocator_t *a, uint64_t budget_bytes) {
  shoal_assert(a, "allocator must not be NULL");
  history_o *h = alloc_resize(a, NULL, 0, sizeof *h);
  *h = (history_o){.allocator = a, .budget = budget_bytes, .min_budget = budget_bytes};
  packer_init(&h->packer);
  h->unpacker = ZSTD_createDCtx();
  create_buffers(h);
  return h;
}

void history_use_thread(history_o *h, history_late_t late) {
  h->packer.threaded = true;
  h->late = late;
}

static uint64_t *get_blob_owners(const blob_t *b) {
  return (uint64_t *)(void *)(b->bytes - OWNERS_BYTES);
}

static blob_t create_blob(allocator_t *a, const void *bytes, uint32_t size, uint32_t raw_size) {
  blob_t b = {.size = size, .raw_size = raw_size};
  b.bytes = (uint8_t *)alloc_resize(a, NULL, 0, size + OWNERS_BYTES) + OWNERS_BYTES;
  *get_blob_owners(&b) = 1;
  memcpy(b.bytes, bytes, size);
  return b;
}

static void free_state(history_o *h, const state_t *s) {
  const blob_t *b = &s->blob;
  h->stats.bytes -= b->size + sizeof(state_t);
  if (--*get_blob_owners(b) == 0)
    alloc_resize(h->allocator, b->bytes - OWNERS_BYTES, b->size + OWNERS_BYTES, 0);
}

static void drop_last_state(history_o *h) {
  const state_t *last = get_state(h, h->count - 1);
  h->count--;
  publish_writes();
  free_state(h, last);
}

// Drops the first snapshot, which is always whole, and the snapshots that depend on it. Returns false if it is the only
// whole snapshot.
static bool drop_first_group(history_o *h) {
  uint32_t next = 1;
  while (next < h->count && get_state(h, next)->form != PACKED_WHOLE)
    next++;
  if (next >= h->count)
    return false;
  uint32_t first = h->first;
  h->count -= next; // until `first` is updated, the newest snapshots seem missing
  publish_writes();
  h->first = (first + next) & (h->capacity - 1);
  publish_writes();
  h->at -= next;
  for (uint32_t i = 0; i < next; ++i)
    free_state(h, &h->snapshots[(first + i) & (h->capacity - 1)]);
  return true;
}

static void remove_all_states(history_o *h) {
  while (h->count > 0)
    drop_last_state(h);
  h->at = 0;
  packer_clear_key(&h->packer);
  snapshot_set_bytes(h->base, NULL, 0);
}

void history_destroy(history_o *h) {
  if (!h)
    return;
  packer_stop_thread(&h->packer);
  remove_all_states(h);
  allocator_t *a = h->allocator;
  ZSTD_freeDCtx(h->unpacker);
  free_buffers(h);
  packer_fini(&h->packer);
  alloc_resize(a, h->snapshots, h->capacity * sizeof *h->snapshots, 0);
  alloc_resize(a, h, sizeof *h, 0);
}

// --- decoding snapshots

static bool unpack_blob(history_o *h, const blob_t *b, void *out) {
  return ZSTD_decompressDCtx(h->unpacker, out, b->raw_size, b->bytes, b->size) == b->raw_size;
}

// Returns a snapshot that can be overwritten: `*s` or, if `*s` is shared (the undo of a tick may still read it), a new
// snapshot that replaces it.
static snapshot_o *ensure_writable(history_o *h, snapshot_o **s) {
  if (snapshot_is_shared(*s)) {
    snapshot_release(*s);
    *s = snapshot_create(&h->packer.copies);
  }
  return *s;
}

// Returns the length of the run of consecutive differences that ends with snapshot i; 0 if snapshot i is not a
// difference.
static uint32_t count_deltas(history_o *h, uint32_t i) {
  uint32_t deltas = 0;
  while (deltas <= i && get_state(h, i - deltas)->form == PACKED_DELTA)
    deltas++;
  return deltas;
}

// Decodes a snapshot that is stored as a difference from the snapshots in `last`. Stores the result in h->next.
static bool read_difference(history_o *h, const state_t *s, const snapshot_table_t last[3]) {
  array_reserve(h->allocator, &h->difference, s->blob.raw_size);
  return unpack_blob(h, &s->blob, h->difference.items) &&
         state_codec_decode(h->packer.codec, last, h->difference.items, s->blob.raw_size, s->size, h->next);
}

// Decodes snapshot i into packer.now. Before the call, packer.now must be the previous snapshot or, if snapshot i is a
// key, the previous key.
static bool decode_next(history_o *h, uint32_t i) {
  const state_t *s = get_state(h, i);
  snapshot_table_t last[3] = {snapshot_table(h->packer.now), {.table = NULL}, {.table = NULL}};
  bool good;
  ensure_writable(h, &h->next);
  if (s->form == PACKED_WHOLE) {
    good = unpack_blob(h, &s->blob, snapshot_reserve(h->next, s->blob.raw_size));
  } else {
    if (s->form == PACKED_DELTA)
      packer_get_references(&h->packer, count_deltas(h, i - 1), last);
    good = read_difference(h, s, last);
  }
  packer_rotate_states(&h->packer, &h->next);
  return good;
}

static bool seek_key(history_o *h, uint32_t whole, uint32_t key) {
  if (snapshot_size(h->base) > 0 && h->base_tick == get_state(h, key)->tick) {
    snapshot_copy(ensure_writable(h, &h->packer.now), h->base);
    return true;
  }
  bool good = true;
  for (uint32_t i = whole; i <= key && good; ++i)
    if (get_state(h, i)->form != PACKED_DELTA)
      good = decode_next(h, i);
  snapshot_copy(h->base, h->packer.now);
  h->base_tick = get_state(h, key)->tick;
  return good;
}

// Decodes snapshot `wanted` into packer.now. If this fails because memory is corrupt, empties the history and returns
// false.
static bool seek_state(history_o *h, uint32_t wanted) {
  shoal_assert(wanted < h->count, "snapshot %u is out of range (count %u)", wanted, h->count);
  uint32_t key = wanted, whole;
  bool good = true;
  while (get_state(h, key)->form == PACKED_DELTA)
    key--;
  for (whole = key; get_state(h, whole)->form != PACKED_WHOLE;)
    whole--;
  if (h->at < key || h->at > wanted) {
    good = seek_key(h, whole, key);
    h->at = key;
  }
  for (uint32_t i = h->at + 1; i <= wanted && good; ++i)
    good = decode_next(h, i);
  h->at = wanted;
  h->last_tick = get_state(h, wanted)->tick;
  if (!good)
    remove_all_states(h);
  return good;
}

// --- the ring of snapshots

static void grow_ring(history_o *h) {
  uint32_t capacity = h->capacity ? h->capacity * 2 : 1024;
  state_t *snapshots = alloc_resize(h->allocator, NULL, 0, capacity * sizeof *snapshots);
  state_t *before = h->snapshots;
  uint32_t count = h->count, capacity_before = h->capacity;
  for (uint32_t i = 0; i < count; ++i)
    snapshots[i] = *get_state(h, i);
  h->count = 0; // the history seems empty while the snapshots are moved
  publish_writes();
  h->snapshots = snapshots;
  h->first = 0;
  h->capacity = capacity;
  publish_writes();
  h->count = count;
  publish_writes();
  alloc_resize(h->allocator, before, capacity_before * sizeof *before, 0);
}

static void push_state(history_o *h, const state_t *s) {
  if (h->count == h->capacity)
    grow_ring(h);
  *get_state(h, h->count) = *s;
  publish_writes();
  h->count++;
}

// Sets the packer's counters so that it continues the group of the newest snapshot.
static void restore_group_counters(history_o *h) {
  packer_t *p = &h->packer;
  p->follows = h->count > 0;
  p->deltas = h->count > 0 ? count_deltas(h, h->count - 1) : 0;
  p->keys = 0;
  p->group_bytes = p->whole_bytes = 0;
  for (uint32_t i = h->count; i > 0 && p->whole_bytes == 0; --i) {
    const state_t *s = get_state(h, i - 1);
    p->keys += s->form == PACKED_KEY;
    *(s->form == PACKED_WHOLE ? &p->whole_bytes : &p->group_bytes) += s->blob.size;
  }
}

static uint64_t sum_memory_bytes(const history_o *h) {
  return h->stats.bytes + packer_bytes(&h->packer) + h->difference.capacity;
}

// Moves finished slots from the packer to the history, and drops the oldest snapshots that exceed the budget. Whether a
// snapshot is dropped depends only on sizes, so the result does not depend on when this runs.
static void collect_packed(history_o *h) {
  const packer_slot_t *s;
  while ((s = packer_pop_slot(&h->packer)) != NULL) {
    state_t made = {.tick = s->tick, .form = s->form, .size = s->size};
    shoal_assert(h->count == 0 || get_state(h, h->count - 1)->tick < s->tick, "tick %llu must be after tick %llu",
                 (unsigned long long)s->tick, (unsigned long long)get_state(h, h->count - 1)->tick);
    made.blob = create_blob(h->allocator, s->packed.items, s->packed.count, s->raw_size);
    h->stats.bytes += made.blob.size + sizeof(state_t);
    h->stats.added_bytes += made.blob.size + sizeof(state_t);
    push_state(h, &made);
    h->at = h->count - 1;
    while (h->copies_bytes + s->thread_bytes + h->stats.bytes > h->budget && drop_first_group(h)) {
    }
  }
}

// Waits until all snapshots are packed. Most functions below require this.
static void wait_for_packer(history_o *h) {
  packer_wait_all(&h->packer);
  collect_packed(h);
}

void history_stop_thread(history_o *h) {
  packer_stop_thread(&h->packer);
  collect_packed(h);
}

void history_recover(history_o *h) {
  packer_recover(&h->packer);
  create_buffers(h); // the old buffers may be incomplete
  h->budget = UINT64_MAX;
  wait_for_packer(h);
  h->at = NO_POSITION;
}

// Discards the snapshots after the world's position, and those at or after `tick`: after a rewind or a restore, the
// world no longer leads to them.
static void discard_states_from(history_o *h, uint64_t tick) {
  uint32_t keep = h->count > 0 ? h->at + 1 : 0;
  while (keep > 0 && get_state(h, keep - 1)->tick >= tick)
    keep--;
  if (keep < h->count) {
    packer_clear_key(&h->packer); // the key's snapshot may be dropped below
    if (keep == 0)
      remove_all_states(h);
    else if (keep - 1 == h->at || seek_state(h, keep - 1))
      while (h->count > keep)
        drop_last_state(h);
  }
  free_buffers(h);
  create_buffers(h);
  restore_group_counters(h);
}

// --- memory plan

// The budget is used first for the copies of the world that packing needs, then for packed snapshots. If it is too
// small for all copies, the packer first goes without the two older snapshots (predictions become worse), then without
// the most recent snapshot (every snapshot is stored whole). The plan depends only on sizes, so it is the same in every
// run.

#define PACKING_STATES 3u // working memory of the packer, in snapshots: the last key and two buffers

static uint64_t compute_copy_bytes(uint64_t state) {
  return state + state / 4; // capacity that snapshot_reserve allocates
}

static uint32_t compute_slot_count(uint64_t budget, uint64_t state) {
  uint64_t slots = budget / 4 / compute_copy_bytes(state);
  return slots < 1 ? 1 : slots > PACKER_MAX_SLOTS ? PACKER_MAX_SLOTS : (uint32_t)slots;
}

// Returns the memory needed to copy and pack a snapshot: its size plus three times the size of its section table.
static uint64_t estimate_cost(const snapshot_o *s) {
  return snapshot_size(s) + 3 * snapshot_table(s).header_size;
}

static bool needs_plan(const history_o *h, uint64_t state) {
  return state > h->planned_bytes || state < h->planned_bytes / 4;
}

static bool try_copy_count(history_o *h, uint32_t copies, uint32_t packing, uint64_t budget) {
  h->copies_bytes = compute_copy_bytes(h->planned_bytes) * copies;
  return h->copies_bytes + h->planned_bytes * packing <= budget;
}

static void plan_memory(history_o *h, uint64_t state) {
  uint64_t planned = state + state / 2 + 4096; // slack, so that the plan remains valid while the world grows a little
  uint64_t wanted = planned < h->max_budget / HISTORY_STATES ? planned * HISTORY_STATES : h->max_budget;
  uint64_t budget = wanted > h->min_budget ? wanted : h->min_budget;
  uint32_t slots = compute_slot_count(budget, planned);
  h->planned_bytes = planned;
  h->budget = budget;
  h->stats.every = 1 + (uint32_t)(state / HISTORY_TICK_BYTES);
  if (try_copy_count(h, slots + 3, PACKING_STATES, budget / 4 * 3))
    packer_set_plan(&h->packer, budget - h->copies_bytes, slots, true, false);
  else if (try_copy_count(h, 2, PACKING_STATES, budget / 4 * 3))
    packer_set_plan(&h->packer, budget - h->copies_bytes, 1, false, false);
  else {
    h->stats.too_large = !try_copy_count(h, 2, 1, budget / 5 * 4);
    if (h->stats.too_large)
      remove_all_states(h);
    packer_set_plan(&h->packer, budget > h->copies_bytes ? budget - h->copies_bytes : 0, 1, false, true);
    return;
  }
  h->stats.too_large = false;
}

// --- adding

static packer_slot_t *open_slot(history_o *h, bool required) {
  packer_slot_t *s;
  collect_packed(h);
  while ((s = packer_get_free_slot(&h->packer)) == NULL && required && packer_wait_for_slot(&h->packer))
    collect_packed(h);
  return s;
}

// Updates the plan for the size of the snapshot that was just copied to slot `s`. Returns the slot that contains the
// snapshot under the new plan.
static packer_slot_t *update_plan(history_o *h, packer_slot_t *s) {
  snapshot_o *copy = s->state;
  s->state = NULL;
  wait_for_packer(h);
  plan_memory(h, estimate_cost(copy));
  s = packer_get_free_slot(&h->packer);
  snapshot_release(s->state);
  s->state = copy;
  return s;
}

static snapshot_o *add_state(history_o *h, world_o *w, bool required) {
  shoal_assert(h->count == 0 || h->at < h->count, "a history of appended snapshots has no world position");
  if (h->at + 1 < h->count || world_tick(w) <= h->last_tick) {
    wait_for_packer(h);
    discard_states_from(h, world_tick(w));
  }
  packer_slot_t *s = open_slot(h, required);
  h->stats.late += !s;
  if (!s || !snapshot_take(s->state, w, NULL))
    return NULL;
  h->stats.state_bytes = snapshot_size(s->state);
  if (needs_plan(h, estimate_cost(s->state)))
    s = update_plan(h, s);
  snapshot_o *copy = s->state;
  if (h->stats.too_large)
    return copy;
  h->last_tick = world_tick(w);
  packer_submit_slot(&h->packer, h->last_tick);
  collect_packed(h);
  h->stats.adds++;
  return copy;
}

snapshot_o *history_add_snapshot(history_o *h, world_o *w) {
  double began_us = now_us();
  snapshot_o *copy = add_state(h, w, true);
  h->stats.add_us += now_us() - began_us;
  return copy;
}

snapshot_o *history_try_add_snapshot(history_o *h, world_o *w) {
  uint64_t tick = world_tick(w);
  bool follows = h->at + 1 >= h->count && tick > h->last_tick && h->stats.adds > 0;
  if (h->stats.too_large && world_column_bytes(w) > h->planned_bytes / 4)
    return NULL;
  if (follows && tick - h->last_tick < h->stats.every)
    return NULL;
  double began_us = now_us();
  snapshot_o *copy = add_state(h, w, !follows || h->late == HISTORY_LATE_WAITS);
  h->stats.add_us += now_us() - began_us;
  return copy;
}

// --- reading

// Returns the index of the last snapshot up to `from` whose tick is at most `tick`; 0 if not found.
static uint32_t find_state(history_o *h, uint32_t from, uint64_t tick) {
  uint32_t i = from;
  while (i > 0 && get_state(h, i)->tick > tick)
    i--;
  return i;
}

// Restores packer.now into the world. If components have been redeclared since, migrates the snapshot.
static bool restore_state(history_o *h, world_o *w, error_info_t *error) {
  state_view_t *v = state_open(h->packer.now, h->allocator, error);
  bool ok = v && state_migrate(v, w, &(schema_migrate_desc_t){0}, error) &&
            state_install(v, w, &(state_install_desc_t){.regroup = true}, error);
  state_close(v);
  if (ok)
    world_add_all_required(w);
  return ok;
}

uint64_t history_rewind(history_o *h, world_o *w, uint64_t ticks, error_info_t *error) {
  shoal_assert(h->count == 0 || h->at < h->count, "a history of appended snapshots has no world position");
  wait_for_packer(h);
  uint64_t now = world_tick(w), last = h->count > 0 ? get_state(h, h->at)->tick : 0;
  now = now > last ? now : last; // the current tick's snapshot may have been skipped
  uint32_t before = h->at, wanted = h->count > 0 ? find_state(h, h->at, now > ticks ? now - ticks : 0) : 0;
  if (h->count == 0 || get_state(h, wanted)->tick >= now)
    return error_set(error, "the history has no snapshot before tick %llu", (unsigned long long)world_tick(w));
  uint64_t went = now - get_state(h, wanted)->tick;
  if (!seek_state(h, wanted))
    return error_set(error, "the history is damaged");
  if (restore_state(h, w, error))
    return went;
  seek_state(h, before);
  return 0;
}

bool history_has_next(const history_o *h) { // no need to wait: while there is a next snapshot, no snapshot is pending
  return h->count > 0 && h->at + 1 < h->count;
}

uint64_t history_next_tick(const history_o *h) {
  shoal_assert(history_has_next(h), "the history has no next snapshot");
  return h->snapshots[(h->first + h->at + 1) & (h->capacity - 1)].tick;
}

bool history_step_forward(history_o *h, world_o *w, error_info_t *error) {
  uint32_t before = h->at;
  if (!history_has_next(h))
    return error_set(error, "%s", "");
  if (!seek_state(h, before + 1))
    return error_set(error, "the history is damaged");
  if (restore_state(h, w, error))
    return true;
  seek_state(h, before);
  return false;
}

const snapshot_o *history_find_snapshot(history_o *h, uint64_t tick, uint64_t *found, error_info_t *error) {
  wait_for_packer(h);
  uint32_t before = h->at, wanted = h->count > 0 ? find_state(h, h->count - 1, tick) : 0;
  if (h->count == 0) {
    error_set(error, "the history is empty");
    return NULL;
  }
  if (!seek_state(h, wanted)) {
    error_set(error, "the history is damaged");
    return NULL;
  }
  snapshot_copy(h->peeked, h->packer.now);
  *found = get_state(h, wanted)->tick;
  if (before != NO_POSITION)
    seek_state(h, before);
  return h->peeked;
}

const snapshot_o *history_get_snapshot(history_o *h, uint64_t tick) {
  wait_for_packer(h);
  uint32_t wanted = h->count > 0 ? find_state(h, h->count - 1, tick) : 0;
  return h->count > 0 && get_state(h, wanted)->tick == tick && seek_state(h, wanted) ? h->packer.now : NULL;
}

const snapshot_o *history_current_snapshot(history_o *h) {
  wait_for_packer(h);
  return h->packer.now;
}

bool history_get_range(history_o *h, uint64_t *first, uint64_t *last) {
  wait_for_packer(h);
  *first = h->count > 0 ? get_state(h, 0)->tick : 0;
  *last = h->count > 0 ? get_state(h, h->count - 1)->tick : 0;
  return h->count > 0;
}

bool history_get_oldest_tick(history_o *h, uint64_t *first) {
  collect_packed(h);
  *first = h->count > 0 ? get_state(h, 0)->tick : 0;
  return h->count > 0;
}

uint64_t history_estimate_ticks(const history_o *h) {
  uint64_t bytes = h->stats.adds > 0 ? h->stats.added_bytes / h->stats.adds + 1 : 1, copies = packer_bytes(&h->packer);
  return copies < h->budget ? (h->budget - copies) / bytes * h->stats.every : 0;
}

void history_set_budget(history_o *h, uint64_t budget_bytes) {
  h->budget = h->min_budget = budget_bytes;
  h->max_budget = 0;
  h->planned_bytes = 0;
}

void history_set_max_budget(history_o *h, uint64_t max_bytes) {
  h->max_budget = max_bytes;
}

history_o *history_fork(history_o *h) {
  shoal_assert(h->count == 0 || h->at < h->count, "a history of appended snapshots has no world position");
  wait_for_packer(h);
  history_o *fork = history_create(h->allocator, h->budget);
  uint32_t whole = h->at;
  while (whole > 0 && h->count > 0 && get_state(h, whole)->form != PACKED_WHOLE)
    whole--;
  for (uint32_t i = whole; i < h->count; ++i) {
    push_state(fork, get_state(h, i));
    ++*get_blob_owners(&get_state(h, i)->blob);
    fork->stats.bytes += get_state(h, i)->blob.size + sizeof(state_t);
  }
  fork->at = NO_POSITION;
  return fork;
}

// --- packed snapshots

// Returns true if a snapshot of this form may be appended: chains of dependent snapshots must not be longer than the
// packer's.
static bool can_append_form(history_o *h, uint32_t form) {
  uint32_t i = h->count, deltas = 0, keys = 0;
  for (; i > 0 && get_state(h, i - 1)->form == PACKED_DELTA; --i)
    ++deltas;
  for (; i > 0 && get_state(h, i - 1)->form != PACKED_WHOLE; --i)
    keys += get_state(h, i - 1)->form == PACKED_KEY;
  return form == PACKED_WHOLE ||
         (h->count > 0 && (form == PACKED_DELTA ? deltas < PACKER_KEY_STATES : keys < PACKER_WHOLE_KEYS));
}

uint32_t history_count(history_o *h) {
  wait_for_packer(h);
  return h->count;
}

bool history_get_packed(history_o *h, uint32_t i, history_snapshot_t *out) {
  wait_for_packer(h);
  if (i >= h->count)
    return false;
  const state_t *s = get_state(h, i);
  *out = (history_snapshot_t){.tick = s->tick,
                              .before = i > 0 ? get_state(h, i - 1)->tick : HISTORY_NO_SNAPSHOT,
                              .form = s->form,
                              .size = s->size,
                              .raw_size = s->blob.raw_size,
                              .packed_size = s->blob.size,
                              .packed = s->blob.bytes};
  return true;
}

bool history_append_packed(history_o *h, const history_snapshot_t *s, uint32_t max_state_bytes) {
  while (h->count > 0 && get_state(h, h->count - 1)->tick != s->before)
    drop_last_state(h);
  h->at = NO_POSITION;
  snapshot_set_bytes(h->base, NULL, 0);
  if (s->form > PACKED_WHOLE || !can_append_form(h, s->form) || s->packed_size == 0 || s->raw_size > max_state_bytes ||
      s->size > max_state_bytes)
    return false;
  push_state(h, &(state_t){.tick = s->tick,
                           .form = (packed_form_t)s->form,
                           .size = s->size,
                           .blob = create_blob(h->allocator, s->packed, s->packed_size, s->raw_size)});
  h->stats.bytes += s->packed_size + sizeof(state_t);
  return true;
}

history_stats_t history_stats(const history_o *h) {
  history_stats_t stats = h->stats;
  stats.ticks = h->count;
  stats.bytes = sum_memory_bytes(h);
  stats.budget_bytes = h->budget;
  return stats;
}
