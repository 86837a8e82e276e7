// History of a world: a ring of packed snapshots. The oldest snapshots are evicted when the budget is exceeded.
// state_reader.h decodes snapshots.
#include "time/history.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/now.h"
#include "migrate/state_migrate.h"
#include "snapshot/state.h"
#include "time/snapshot_packer.h"
#include "time/state_reader.h"

#include <stdatomic.h>
#include <string.h>

// Packed bytes, preceded in memory by the number of histories that share the bytes (a uint64_t).
typedef struct blob_t {
  uint8_t *bytes; // packed bytes; NULL if empty
  uint32_t size, raw_size;
} blob_t;

#define OWNERS_BYTES 8u

// Value of `position` in a history without a world position. Such a history is a fork, has been recovered, or has
// packed snapshots that were appended.
#define NO_POSITION UINT32_MAX

typedef struct entry_t {
  uint64_t tick;
  packed_form_t form;
  uint32_t difference_size; // size of a difference with its zero bytes
  blob_t blob;
} entry_t;

struct history_o {
  allocator_t *allocator;
  uint64_t budget, min_budget, max_budget; // budget in bytes, which grows with the world if max_budget > min_budget
  entry_t *entries;                        // ring buffer, one entry per snapshot
  uint32_t first_index, count, capacity;
  uint32_t position; // index of the world's snapshot, 0 … count - 1, or NO_POSITION
  bool is_moved;     // true if a rewind has changed `position`, so that packer.newest is a different snapshot
  uint32_t revision; // counter of added and dropped snapshots
  // Packs snapshots. Its `newest` is snapshot `position`, unless slots are pending or `is_moved` is true.
  packer_t packer;
  ZSTD_DCtx *unpacker;
  state_reader_o *reader;    // reader; NULL until a snapshot is read; destroyed when the next snapshot is added
  allocator_t reader_memory; // allocates the reader
  history_late_t late_policy;
  uint64_t last_tick;     // tick of the most recently added or restored snapshot
  uint64_t planned_bytes; // maximum size of a snapshot under the current memory plan; 0: no plan yet
  uint64_t copy_bytes;    // part of the budget planned for copies of the world
  history_o *forks;       // incomplete forks of this history
  history_o *origin;      // history that this incomplete fork copies; otherwise NULL
  history_o *next_fork;   // next incomplete fork of `origin`
  uint32_t missing_count; // number of `origin`'s snapshots that the fork still lacks
  history_stats_t stats;
};

// Memory barrier between writes, so that history_recover works after a crash in the middle of any change: the first
// `count` snapshots are always complete.
static void publish_writes(void) {
  atomic_thread_fence(memory_order_release);
}

static entry_t *get_entry(history_o *h, uint32_t i) {
  shoal_assert(i < h->capacity, "snapshot %u is out of range (capacity %u)", i, h->capacity);
  return &h->entries[(h->first_index + i) & (h->capacity - 1)];
}

// --- life cycle

static void destroy_reader(history_o *h) {
  state_reader_destroy(h->reader);
  h->reader = NULL;
}

history_o *history_create(allocator_t *a, uint64_t budget_bytes) {
  shoal_assert(a, "a must not be NULL");
  history_o *h = alloc_resize(a, NULL, 0, sizeof *h);
  *h = (history_o){.allocator = a, .budget = budget_bytes, .min_budget = budget_bytes};
  packer_init(&h->packer);
  h->unpacker = ZSTD_createDCtx();
  return h;
}

void history_use_thread(history_o *h, history_late_t policy) {
  h->packer.uses_thread = true;
  h->late_policy = policy;
}

bool history_start_task(history_o *h, void (*task)(void *context), void *context) {
  return packer_start_task(&h->packer, task, context);
}

static uint64_t *get_blob_owners(const blob_t *b) {
  return (uint64_t *)(void *)(b->bytes - OWNERS_BYTES);
}

static blob_t create_blob(allocator_t *a, const void *bytes, uint32_t size, uint32_t raw_size) {
  blob_t blob = {.size = size, .raw_size = raw_size};
  blob.bytes = (uint8_t *)alloc_resize(a, NULL, 0, size + OWNERS_BYTES) + OWNERS_BYTES;
  *get_blob_owners(&blob) = 1;
  memcpy(blob.bytes, bytes, size);
  return blob;
}

static void free_entry(history_o *h, const entry_t *entry) {
  const blob_t *blob = &entry->blob;
  h->stats.bytes -= blob->size + sizeof(entry_t);
  if (--*get_blob_owners(blob) == 0)
    alloc_resize(h->allocator, blob->bytes - OWNERS_BYTES, blob->size + OWNERS_BYTES, 0);
}

static void drop_last_entry(history_o *h) {
  const entry_t *last = get_entry(h, h->count - 1);
  h->count--;
  h->revision++;
  publish_writes();
  free_entry(h, last);
}

// Drops the first snapshot, which is always whole, and the snapshots that depend on it. Returns true on success, or
// false if no other snapshot is whole.
static bool drop_first_group(history_o *h) {
  uint32_t group_end = 1;
  while (group_end < h->count && get_entry(h, group_end)->form != PACKED_WHOLE)
    group_end++;
  if (group_end >= h->count)
    return false;
  uint32_t old_first = h->first_index;
  h->revision++;
  h->count -= group_end; // hides the newest snapshots until `first_index` is updated
  publish_writes();
  h->first_index = (old_first + group_end) & (h->capacity - 1);
  publish_writes();
  h->position -= group_end;
  for (uint32_t i = 0; i < group_end; ++i)
    free_entry(h, &h->entries[(old_first + i) & (h->capacity - 1)]);
  return true;
}

// Detaches a fork, which then receives no further snapshots of its origin.
static void detach_fork(history_o *fork) {
  history_o **link = fork->origin ? &fork->origin->forks : NULL;
  while (link && *link != fork)
    link = &(*link)->next_fork;
  if (link)
    *link = fork->next_fork;
  fork->origin = fork->next_fork = NULL;
}

static void remove_all_entries(history_o *h) {
  while (h->count > 0)
    drop_last_entry(h);
  h->position = 0;
  h->is_moved = false;
  h->packer.has_previous = false; // the next snapshot must be whole
  packer_clear_key(&h->packer);
}

void history_destroy(history_o *h) {
  if (!h)
    return;
  history_stop_thread(h); // completes the forks as well
  shoal_assert(!h->forks, "a fork lacks %u snapshots", h->forks->missing_count);
  detach_fork(h);
  destroy_reader(h);
  remove_all_entries(h);
  allocator_t *a = h->allocator;
  ZSTD_freeDCtx(h->unpacker);
  shoal_assert(h->reader_memory.blocks == 0, "the reader leaked %llu blocks",
               (unsigned long long)h->reader_memory.blocks);
  packer_fini(&h->packer);
  alloc_resize(a, h->entries, h->capacity * sizeof *h->entries, 0);
  alloc_resize(a, h, sizeof *h, 0);
}

// --- the ring of snapshots

// Returns the number of consecutive differences up to snapshot i, or 0 if snapshot i is not a difference.
static uint32_t count_deltas(history_o *h, uint32_t i) {
  uint32_t deltas = 0;
  while (deltas <= i && get_entry(h, i - deltas)->form == PACKED_DELTA)
    deltas++;
  return deltas;
}

static void grow_ring(history_o *h) {
  uint32_t capacity = h->capacity ? h->capacity * 2 : 1024;
  entry_t *entries = alloc_resize(h->allocator, NULL, 0, capacity * sizeof *entries);
  entry_t *old_entries = h->entries;
  uint32_t count = h->count, old_capacity = h->capacity;
  for (uint32_t i = 0; i < count; ++i)
    entries[i] = *get_entry(h, i);
  h->count = 0; // hides all entries while they are moved
  publish_writes();
  h->entries = entries;
  h->first_index = 0;
  h->capacity = capacity;
  publish_writes();
  h->count = count;
  publish_writes();
  alloc_resize(h->allocator, old_entries, old_capacity * sizeof *old_entries, 0);
}

static void push_entry(history_o *h, const entry_t *entry) {
  if (h->count == h->capacity)
    grow_ring(h);
  h->revision++;
  *get_entry(h, h->count) = *entry;
  publish_writes();
  h->count++;
}

// Sets the packer's counters so that the packer continues the group of the newest snapshot.
static void restore_group_counters(history_o *h) {
  packer_t *p = &h->packer;
  p->has_previous = h->count > 0;
  p->deltas = h->count > 0 ? count_deltas(h, h->count - 1) : 0;
  p->keys = 0;
  p->group_bytes = p->whole_bytes = 0;
  for (uint32_t i = h->count; i > 0 && p->whole_bytes == 0; --i) {
    const entry_t *entry = get_entry(h, i - 1);
    p->keys += entry->form == PACKED_KEY;
    *(entry->form == PACKED_WHOLE ? &p->whole_bytes : &p->group_bytes) += entry->blob.size;
  }
}

// Adds a snapshot of a different history. Both histories then share the packed bytes.
static void share_entry(history_o *h, const entry_t *entry) {
  push_entry(h, entry);
  ++*get_blob_owners(&entry->blob);
  h->stats.bytes += entry->blob.size + sizeof(entry_t);
}

// Adds a snapshot that has just been packed to the forks that lack it.
static void complete_forks(history_o *h, const entry_t *entry) {
  for (history_o *fork = h->forks, *next; fork; fork = next) {
    next = fork->next_fork;
    share_entry(fork, entry);
    if (--fork->missing_count == 0)
      detach_fork(fork);
  }
}

static uint64_t sum_memory_bytes(const history_o *h) {
  return h->stats.bytes + packer_bytes(&h->packer) + state_reader_bytes(h->reader);
}

// Moves finished slots from the packer to the history, and drops the oldest snapshots that exceed the budget. Whether a
// snapshot is dropped depends only on sizes, so the result does not depend on when this runs.
static void collect_packed(history_o *h) {
  const packer_slot_t *slot;
  while ((slot = packer_pop_slot(&h->packer)) != NULL) {
    entry_t entry = {.tick = slot->tick, .form = slot->form, .difference_size = slot->size};
    shoal_assert(h->count == 0 || get_entry(h, h->count - 1)->tick < slot->tick, "tick %llu must be after tick %llu",
                 (unsigned long long)slot->tick, (unsigned long long)get_entry(h, h->count - 1)->tick);
    entry.blob = create_blob(h->allocator, slot->packed_bytes.items, slot->packed_bytes.count, slot->raw_size);
    h->stats.bytes += entry.blob.size + sizeof(entry_t);
    h->stats.added_bytes += entry.blob.size + sizeof(entry_t);
    push_entry(h, &entry);
    h->position = h->count - 1;
    complete_forks(h, &entry);
    while (h->copy_bytes + slot->thread_bytes + h->stats.bytes > h->budget && drop_first_group(h)) {
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
  alloc_use_spare_memory(&h->reader_memory);
  h->reader = NULL; // the reader may be incomplete
  h->forks = NULL;  // the forks belong to the crashed process
  h->budget = UINT64_MAX;
  wait_for_packer(h);
  h->position = NO_POSITION;
  h->is_moved = false;
}

// --- decoding snapshots

// Limits of the decoded snapshots in memory. For a small world, all anchors of a group fit (state_reader.h).
#define READER_STATES STATE_READER_MIN_STATES
#define SMALL_READER_STATES 40u
#define SMALL_READER_BYTES (16u << 20)

// Returns the number of snapshots, including snapshot i, that the snapshot after i may depend on.
static uint32_t count_references(history_o *h, uint32_t i) {
  uint32_t count = count_deltas(h, i) + 1;
  return count < 3 ? count : 3;
}

// Returns the number of snapshots, up to the snapshot at the world's position, that the packer keeps decoded.
static uint32_t count_packer_states(history_o *h) {
  return h->packer.keeps_previous ? count_references(h, h->position) : 1;
}

// Adds the packer's copies of the newest snapshots to the reader, which then need not decode them.
static void add_packer_states(history_o *h) {
  if (h->is_moved || h->count == 0 || h->position >= h->count || !h->packer.has_previous)
    return;
  for (uint32_t k = count_packer_states(h); k-- > 0;)
    state_reader_add(h->reader, h->position - k, k == 0 ? h->packer.newest : h->packer.previous[k - 1]);
}

state_reader_o *history_get_reader(history_o *h) {
  wait_for_packer(h);
  if (!h->reader) {
    bool is_small = h->stats.snapshot_bytes * SMALL_READER_STATES <= SMALL_READER_BYTES;
    h->reader = state_reader_create(&(state_reader_desc_t){.memory = &h->reader_memory,
                                                           .history = h,
                                                           .packer = &h->packer,
                                                           .unpacker = h->unpacker,
                                                           .capacity = is_small ? SMALL_READER_STATES : READER_STATES});
    add_packer_states(h);
  }
  return h->reader;
}

// Returns snapshot i, borrowed until the next call. If the memory is corrupt, empties the history and returns NULL.
static const snapshot_o *read_entry(history_o *h, uint32_t i) {
  shoal_assert(i < h->count, "snapshot %u is out of range (count %u)", i, h->count);
  const snapshot_o *state = state_reader_read(history_get_reader(h), i);
  if (!state) {
    destroy_reader(h);
    remove_all_entries(h);
  }
  return state;
}

static void move_to_entry(history_o *h, uint32_t i) {
  shoal_assert(i < h->count, "snapshot %u is out of range (count %u)", i, h->count);
  if (i != h->position && !h->is_moved) {
    history_get_reader(h); // keeps copies of the states that the packer loses
    h->is_moved = true;
  }
  h->position = i;
  h->last_tick = get_entry(h, i)->tick;
}

// Copies `count` snapshots up to `position` from the reader to the packer, which needs them to continue.
static void copy_into_packer(history_o *h, uint32_t count) {
  snapshot_o *buffer = snapshot_create(&h->packer.copies);
  for (uint32_t k = count; k-- > 0;) {
    if (snapshot_is_shared(buffer)) { // the reader or the code that undoes a tick may read the snapshot
      snapshot_release(buffer);
      buffer = snapshot_create(&h->packer.copies);
    }
    snapshot_copy(buffer, state_reader_find(h->reader, h->position - k));
    packer_rotate_states(&h->packer, &buffer);
  }
  snapshot_release(buffer);
}

bool history_prepare_to_continue(history_o *h) {
  if (!h->is_moved)
    return true;
  state_reader_o *reader = history_get_reader(h);
  uint32_t count = count_packer_states(h);
  for (uint32_t k = count; k-- > 0;) {
    uint32_t i = h->position - k;
    if (state_reader_find(reader, i))
      continue;
    if (state_reader_advance(reader, i, true) == STATE_READER_FAILED) {
      destroy_reader(h);
      remove_all_entries(h);
      return true;
    }
    return false;
  }
  copy_into_packer(h, count);
  h->is_moved = false;
  return true;
}

// Decodes the states on which the next snapshot depends, and copies them to the packer.
static void load_position(history_o *h) {
  while (!history_prepare_to_continue(h)) {
  }
}

// --- discarding snapshots

// Discards the snapshots after the world's position, and the snapshots at or after `tick`. After a rewind or a restore,
// these snapshots no longer follow from the world's state.
static void discard_entries_from(history_o *h, uint64_t tick) {
  uint32_t keep_count = h->count > 0 ? h->position + 1 : 0;
  while (keep_count > 0 && get_entry(h, keep_count - 1)->tick >= tick)
    keep_count--;
  if (keep_count < h->count) {
    packer_clear_key(&h->packer); // the key's snapshot may be dropped below
    if (keep_count > 0) {
      move_to_entry(h, keep_count - 1);
      load_position(h);
    }
    destroy_reader(h);
    if (keep_count == 0)
      remove_all_entries(h);
    while (h->count > keep_count)
      drop_last_entry(h);
  }
  restore_group_counters(h);
}

// --- memory plan

// The budget is used first for the copies of the world that packing needs, then for packed snapshots. If the budget is
// too small for all copies, the packer first works without the two older snapshots, which makes predictions worse.
// If it is still too small, the packer also works without the most recent snapshot, and stores every snapshot whole.
// The plan depends only on sizes, so it is the same in every run.

// If the interval between kept snapshots has at least this many ticks, key states are more frequent: differences over
// many ticks are large and slow to decode, so a rewind must decode fewer of them.
#define SPARSE_INTERVAL 4u
#define PACKING_STATES 3u // working memory of the packer, in snapshots: the last key and two buffers

static uint64_t compute_copy_bytes(uint64_t snapshot_bytes) {
  return snapshot_bytes + snapshot_bytes / 4; // largest capacity that snapshot_reserve allocates
}

static uint32_t compute_slot_count(uint64_t budget, uint64_t snapshot_bytes) {
  uint64_t slots = budget / 4 / compute_copy_bytes(snapshot_bytes);
  return slots < 1 ? 1 : slots > PACKER_MAX_SLOTS ? PACKER_MAX_SLOTS : (uint32_t)slots;
}

// Returns the memory needed to copy and pack a snapshot: its size plus three times the size of its section table.
static uint64_t estimate_cost(const snapshot_o *s) {
  return snapshot_size(s) + 3 * snapshot_table(s).header_size;
}

static bool needs_plan(const history_o *h, uint64_t snapshot_bytes) {
  return snapshot_bytes > h->planned_bytes || snapshot_bytes < h->planned_bytes / 4;
}

static bool try_copy_count(history_o *h, uint32_t copy_count, uint32_t buffer_count, uint64_t budget) {
  h->copy_bytes = compute_copy_bytes(h->planned_bytes) * copy_count;
  return h->copy_bytes + h->planned_bytes * buffer_count <= budget;
}

static void plan_memory(history_o *h, uint64_t snapshot_bytes) {
  // Planned with slack, so that the plan remains valid while the world grows a little
  uint64_t planned_bytes = snapshot_bytes + snapshot_bytes / 2 + 4096;
  uint64_t grown_budget =
      planned_bytes < h->max_budget / HISTORY_STATES ? planned_bytes * HISTORY_STATES : h->max_budget;
  uint64_t budget = grown_budget > h->min_budget ? grown_budget : h->min_budget;
  uint32_t slot_count = compute_slot_count(budget, planned_bytes);
  h->planned_bytes = planned_bytes;
  h->budget = budget;
  h->stats.interval = 1 + (uint32_t)(snapshot_bytes / HISTORY_TICK_BYTES);
  h->packer.key_states = h->stats.interval > SPARSE_INTERVAL ? PACKER_KEY_STATES / 4 : PACKER_KEY_STATES;
  if (try_copy_count(h, slot_count + 3, PACKING_STATES, budget / 4 * 3))
    packer_set_plan(&h->packer, budget - h->copy_bytes, slot_count, true, false);
  else if (try_copy_count(h, 2, PACKING_STATES, budget / 4 * 3))
    packer_set_plan(&h->packer, budget - h->copy_bytes, 1, false, false);
  else {
    h->stats.too_large = !try_copy_count(h, 2, 1, budget / 5 * 4);
    if (h->stats.too_large)
      remove_all_entries(h);
    packer_set_plan(&h->packer, budget > h->copy_bytes ? budget - h->copy_bytes : 0, 1, false, true);
    return;
  }
  h->stats.too_large = false;
}

// --- adding

static packer_slot_t *open_slot(history_o *h, bool required) {
  packer_slot_t *slot;
  collect_packed(h);
  while ((slot = packer_get_free_slot(&h->packer)) == NULL && required && packer_wait_for_slot(&h->packer))
    collect_packed(h);
  return slot;
}

// Updates the plan for the size of the snapshot that was just copied to `slot`. Returns the slot that contains the
// snapshot under the new plan.
static packer_slot_t *update_plan(history_o *h, packer_slot_t *slot) {
  snapshot_o *copy = slot->snapshot;
  slot->snapshot = NULL;
  wait_for_packer(h);
  plan_memory(h, estimate_cost(copy));
  slot = packer_get_free_slot(&h->packer);
  snapshot_release(slot->snapshot);
  slot->snapshot = copy;
  return slot;
}

static snapshot_o *add_snapshot(history_o *h, world_o *w, bool required) {
  shoal_assert(h->count == 0 || h->position < h->count, "a history of appended snapshots has no world position");
  load_position(h);
  if (h->position + 1 < h->count || world_tick(w) <= h->last_tick) {
    wait_for_packer(h);
    discard_entries_from(h, world_tick(w));
  }
  destroy_reader(h);
  packer_slot_t *slot = open_slot(h, required);
  h->stats.late_count += !slot;
  if (!slot || !snapshot_take(slot->snapshot, w, NULL))
    return NULL;
  h->stats.snapshot_bytes = snapshot_size(slot->snapshot);
  if (needs_plan(h, estimate_cost(slot->snapshot)))
    slot = update_plan(h, slot);
  snapshot_o *copy = slot->snapshot;
  if (h->stats.too_large)
    return copy;
  h->last_tick = world_tick(w);
  packer_submit_slot(&h->packer, h->last_tick);
  collect_packed(h);
  h->stats.add_count++;
  return copy;
}

snapshot_o *history_add_snapshot(history_o *h, world_o *w) {
  double start_us = now_us();
  snapshot_o *copy = add_snapshot(h, w, true);
  h->stats.add_us += now_us() - start_us;
  return copy;
}

snapshot_o *history_try_add_snapshot(history_o *h, world_o *w) {
  uint64_t tick = world_tick(w);
  bool is_consecutive = h->position + 1 >= h->count && tick > h->last_tick && h->stats.add_count > 0;
  if (h->stats.too_large && world_column_bytes(w) > h->planned_bytes / 4)
    return NULL;
  if (is_consecutive && tick - h->last_tick < h->stats.interval)
    return NULL;
  double start_us = now_us();
  snapshot_o *copy = add_snapshot(h, w, !is_consecutive || h->late_policy == HISTORY_LATE_WAITS);
  h->stats.add_us += now_us() - start_us;
  return copy;
}

// --- reading

// Returns the index of the last snapshot up to `end` whose tick is at most `tick`, or 0 if all snapshots are later.
static uint32_t find_entry(history_o *h, uint32_t end, uint64_t tick) {
  uint32_t i = end;
  while (i > 0 && get_entry(h, i)->tick > tick)
    i--;
  return i;
}

bool history_restore_snapshot(const snapshot_o *s, allocator_t *a, world_o *w, error_info_t *error) {
  state_view_t *view = state_open(s, a, error);
  if (view)
    state_declare_missing(view, w);
  bool ok = view && state_migrate(view, w, &(schema_migrate_desc_t){0}, error) &&
            state_install(view, w, &(state_install_desc_t){.regroup = true}, error);
  state_close(view);
  if (ok)
    world_add_all_required(w);
  return ok;
}

// Restores snapshot i in the world and makes it the world's position. Returns true on success, or false with an error.
static bool restore_entry(history_o *h, uint32_t i, world_o *w, error_info_t *error) {
  const snapshot_o *state = read_entry(h, i);
  if (!state)
    return error_set(error, "the history is damaged");
  if (!history_restore_snapshot(state, h->allocator, w, error))
    return false;
  move_to_entry(h, i);
  return true;
}

uint64_t history_rewind(history_o *h, world_o *w, uint64_t ticks, error_info_t *error) {
  shoal_assert(h->count == 0 || h->position < h->count, "a history of appended snapshots has no world position");
  wait_for_packer(h);
  uint64_t current_tick = world_tick(w), last_tick = h->count > 0 ? get_entry(h, h->position)->tick : 0;
  if (current_tick < last_tick) // the current tick's snapshot may have been skipped
    current_tick = last_tick;
  uint32_t target = h->count > 0 ? find_entry(h, h->position, current_tick > ticks ? current_tick - ticks : 0) : 0;
  if (h->count == 0 || get_entry(h, target)->tick >= current_tick)
    return error_set(error, "the history has no snapshot before tick %llu", (unsigned long long)world_tick(w));
  uint64_t rewound_ticks = current_tick - get_entry(h, target)->tick;
  return restore_entry(h, target, w, error) ? rewound_ticks : 0;
}

uint32_t history_find(history_o *h, uint64_t tick) {
  wait_for_packer(h);
  return h->count > 0 ? find_entry(h, h->count - 1, tick) : 0;
}

void history_move_to(history_o *h, uint32_t i) {
  wait_for_packer(h);
  move_to_entry(h, i);
}

bool history_has_next(const history_o *h) { // does not wait: no snapshot is pending while a next snapshot exists
  return h->count > 0 && h->position + 1 < h->count;
}

uint64_t history_next_tick(const history_o *h) {
  shoal_assert(history_has_next(h), "the history has no next snapshot");
  return h->entries[(h->first_index + h->position + 1) & (h->capacity - 1)].tick;
}

bool history_step_forward(history_o *h, world_o *w, error_info_t *error) {
  return history_has_next(h) ? restore_entry(h, h->position + 1, w, error) : error_set(error, "%s", "");
}

const snapshot_o *history_find_snapshot(history_o *h, uint64_t tick, uint64_t *found_tick, error_info_t *error) {
  uint32_t i = history_find(h, tick);
  if (h->count == 0) {
    error_set(error, "the history is empty");
    return NULL;
  }
  *found_tick = get_entry(h, i)->tick;
  const snapshot_o *state = read_entry(h, i);
  if (!state)
    error_set(error, "the history is damaged");
  return state;
}

const snapshot_o *history_get_snapshot(history_o *h, uint64_t tick) {
  uint32_t i = history_find(h, tick);
  return h->count > 0 && get_entry(h, i)->tick == tick ? read_entry(h, i) : NULL;
}

const snapshot_o *history_current_snapshot(history_o *h) {
  wait_for_packer(h);
  load_position(h);
  return h->packer.newest;
}

bool history_has_snapshot(history_o *h, uint64_t tick) {
  collect_packed(h);
  return packer_has_pending(&h->packer, tick) ||
         (h->count > 0 && get_entry(h, find_entry(h, h->count - 1, tick))->tick == tick);
}

void history_release_reader(history_o *h) {
  destroy_reader(h);
}

bool history_get_range(history_o *h, uint64_t *first_tick, uint64_t *last_tick) {
  wait_for_packer(h);
  *first_tick = h->count > 0 ? get_entry(h, 0)->tick : 0;
  *last_tick = h->count > 0 ? get_entry(h, h->count - 1)->tick : 0;
  return h->count > 0;
}

bool history_get_oldest_tick(history_o *h, uint64_t *first_tick) {
  collect_packed(h);
  *first_tick = h->count > 0 ? get_entry(h, 0)->tick : 0;
  return h->count > 0;
}

uint64_t history_estimate_ticks(const history_o *h) {
  uint64_t average_bytes = h->stats.add_count > 0 ? h->stats.added_bytes / h->stats.add_count + 1 : 1,
           copy_bytes = packer_bytes(&h->packer);
  return copy_bytes < h->budget ? (h->budget - copy_bytes) / average_bytes * h->stats.interval : 0;
}

void history_set_budget(history_o *h, uint64_t budget_bytes) {
  h->budget = h->min_budget = budget_bytes;
  h->max_budget = 0;
  h->planned_bytes = 0;
}

void history_set_max_budget(history_o *h, uint64_t max_bytes) {
  h->max_budget = max_bytes;
}

// Returns a fork that starts with the last whole snapshot up to snapshot i.
static history_o *fork_entries(history_o *h, uint32_t i) {
  history_o *fork = history_create(h->allocator, h->budget);
  while (i > 0 && h->count > 0 && get_entry(h, i)->form != PACKED_WHOLE)
    i--;
  for (; i < h->count; ++i)
    share_entry(fork, get_entry(h, i));
  fork->position = NO_POSITION;
  return fork;
}

history_o *history_fork(history_o *h) {
  shoal_assert(h->count == 0 || h->position < h->count, "a history of appended snapshots has no world position");
  wait_for_packer(h);
  return fork_entries(h, h->position);
}

history_o *history_fork_from(history_o *h, uint64_t tick) {
  history_o *fork = fork_entries(h, h->count > 0 ? find_entry(h, h->count - 1, tick) : 0);
  fork->missing_count = packer_count_pending(&h->packer);
  if (fork->missing_count > 0) {
    fork->origin = h;
    fork->next_fork = h->forks;
    h->forks = fork;
  }
  return fork;
}

bool history_complete_fork(history_o *fork, bool wait) {
  if (fork->origin && wait)
    wait_for_packer(fork->origin);
  else if (fork->origin)
    collect_packed(fork->origin);
  return !fork->origin;
}

// --- packed snapshots

// Returns true if a snapshot of this form may be appended. Chains of dependent snapshots must not be longer than the
// chains that the packer creates.
static bool can_append_form(history_o *h, uint32_t form) {
  uint32_t i = h->count, deltas = 0, keys = 0;
  for (; i > 0 && get_entry(h, i - 1)->form == PACKED_DELTA; --i)
    ++deltas;
  for (; i > 0 && get_entry(h, i - 1)->form != PACKED_WHOLE; --i)
    keys += get_entry(h, i - 1)->form == PACKED_KEY;
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
  const entry_t *entry = get_entry(h, i);
  *out = (history_snapshot_t){.tick = entry->tick,
                              .previous_tick = i > 0 ? get_entry(h, i - 1)->tick : HISTORY_NO_SNAPSHOT,
                              .form = entry->form,
                              .difference_size = entry->difference_size,
                              .raw_size = entry->blob.raw_size,
                              .packed_size = entry->blob.size,
                              .packed = entry->blob.bytes};
  return true;
}

bool history_append_packed(history_o *h, const history_snapshot_t *snapshot, uint32_t max_state_bytes) {
  while (h->count > 0 && get_entry(h, h->count - 1)->tick != snapshot->previous_tick)
    drop_last_entry(h);
  h->position = NO_POSITION;
  if (snapshot->form > PACKED_WHOLE || !can_append_form(h, snapshot->form) || snapshot->packed_size == 0 ||
      snapshot->raw_size > max_state_bytes || snapshot->difference_size > max_state_bytes)
    return false;
  push_entry(
      h, &(entry_t){.tick = snapshot->tick,
                    .form = (packed_form_t)snapshot->form,
                    .difference_size = snapshot->difference_size,
                    .blob = create_blob(h->allocator, snapshot->packed, snapshot->packed_size, snapshot->raw_size)});
  h->stats.bytes += snapshot->packed_size + sizeof(entry_t);
  return true;
}

history_stats_t history_stats(const history_o *h) {
  history_stats_t stats = h->stats;
  stats.ticks = h->count;
  stats.revision = h->revision;
  stats.bytes = sum_memory_bytes(h);
  stats.budget_bytes = h->budget;
  return stats;
}
