// Packs states on a thread, chooses how each state is stored, and recovers in a child forked from a crashing process.
#include "time/snapshot_packer.h"

#include "base/assert.h"
#include "process/threads.h"

#include <stdatomic.h>
#include <string.h>

#define LEVEL 1
#define PLAIN_BLOCK_BYTES (128u << 10) // maximum block size in the zstd format

static packer_slot_t *get_slot(packer_t *packer, uint32_t i) {
  // A slot's index may change when packer_set_plan changes the number of slots, because packer_set_plan restarts the
  // counters at 0
  return &packer->slots[i % packer->slot_count];
}

// --- life cycle

static void create_buffers(packer_t *packer) {
  packer->codec = snapshot_codec_create(&packer->memory);
  packer->key = snapshot_create(&packer->memory);
  packer->newest = snapshot_create(&packer->copies);
  packer->previous[0] = snapshot_create(&packer->copies);
  packer->previous[1] = snapshot_create(&packer->copies);
}

void packer_init(packer_t *packer) {
  *packer = (packer_t){.slot_count = 1, .keeps_previous = true, .key_states = PACKER_KEY_STATES};
  packer->zstd = ZSTD_createCCtx();
  pthread_mutex_init(&packer->lock, NULL);
  pthread_cond_init(&packer->slot_submitted, NULL);
  pthread_cond_init(&packer->slot_packed, NULL);
  create_buffers(packer);
}

static void free_slot(packer_t *packer, packer_slot_t *s) {
  snapshot_release(s->snapshot);
  array_free(&packer->memory, &s->packed_bytes);
  s->snapshot = NULL;
}

void packer_fini(packer_t *packer) {
  packer_stop_thread(packer);
  for (uint32_t i = 0; i < PACKER_MAX_SLOTS; ++i)
    free_slot(packer, &packer->slots[i]);
  ZSTD_freeCCtx(packer->zstd);
  snapshot_release(packer->newest);
  snapshot_release(packer->previous[0]);
  snapshot_release(packer->previous[1]);
  snapshot_release(packer->key);
  snapshot_codec_destroy(packer->codec);
  pthread_mutex_destroy(&packer->lock);
  pthread_cond_destroy(&packer->slot_submitted);
  pthread_cond_destroy(&packer->slot_packed);
  shoal_assert(packer->memory.blocks + packer->copies.blocks == 0, "the packer leaked %llu blocks",
               (unsigned long long)(packer->memory.blocks + packer->copies.blocks));
}

// Replaces the buffers, which may be incomplete. Does not use the lock again, because a thread that does not exist in
// this process may hold it.
void packer_recover(packer_t *packer) {
  alloc_use_spare_memory(&packer->memory);
  alloc_use_spare_memory(&packer->copies);
  packer->uses_thread = packer->thread_running = false;
  packer->task = NULL;
  packer->stores_uncompressed = true;
  create_buffers(packer);
  packer->has_previous = false;
  for (uint32_t i = packer->popped_count; i != packer->submitted_count; ++i)
    *get_slot(packer, i) =
        (packer_slot_t){.tick = get_slot(packer, i)->tick, .submitted = get_slot(packer, i)->submitted};
  packer->packed_count = packer->popped_count;
}

void packer_set_plan(packer_t *packer, uint64_t budget_bytes, uint32_t slot_count, bool keeps_previous,
                     bool stores_whole) {
  shoal_assert(packer->submitted_count == packer->popped_count, "all slots must be empty");
  shoal_assert(slot_count > 0 && slot_count <= PACKER_MAX_SLOTS, "slots must be from 1 to %u, got %u", PACKER_MAX_SLOTS,
               slot_count);
  packer->budget_bytes = budget_bytes;
  packer->stores_whole = stores_whole;
  packer->slot_count = slot_count;
  for (uint32_t i = 0; i < PACKER_MAX_SLOTS; ++i) // the mapping to slots depends on their number
    free_slot(packer, &packer->slots[i]);
  packer->submitted_count = packer->packed_count = packer->popped_count = 0;
  packer->has_previous = false; // the previous states may have been released
  for (uint32_t k = 0; k < 2 && !keeps_previous; ++k) {
    snapshot_release(packer->previous[k]);
    packer->previous[k] = snapshot_create(&packer->copies);
  }
  packer->keeps_previous = keeps_previous;
  if (stores_whole) {
    snapshot_release(packer->key);
    packer->key = snapshot_create(&packer->memory);
  }
}

void packer_clear_key(packer_t *packer) {
  snapshot_set_bytes(packer->key, NULL, 0);
}

size_t packer_bytes(const packer_t *packer) {
  return packer->copies.bytes + packer->thread_bytes;
}

// --- packing

// Writes a zstd frame of uncompressed blocks (RFC 8878, 3.1.1). Returns its size in bytes.
static uint32_t write_plain(packer_bytes_t *out_bytes, const uint8_t *raw, uint32_t size) {
  // Magic number, and flags for a single segment with a four-byte content size
  static const uint8_t HEAD[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0};
  uint8_t *out = out_bytes->items;
  memcpy(out, HEAD, sizeof HEAD);
  memcpy(out + sizeof HEAD, &size, sizeof size);
  out += sizeof HEAD + sizeof size;
  for (uint32_t position = 0, bytes = 0; position == 0 || position < size; position += bytes) {
    bytes = size - position < PLAIN_BLOCK_BYTES ? size - position : PLAIN_BLOCK_BYTES;
    uint32_t block = bytes << 3 | (position + bytes == size);
    memcpy(out, &block, 3);
    memcpy(out + 3, raw + position, bytes);
    out += 3 + bytes;
  }
  return (uint32_t)(out - out_bytes->items);
}

static void compress_slot(packer_t *packer, packer_slot_t *s, const void *raw, size_t raw_size) {
  size_t max_bytes = ZSTD_compressBound(raw_size) + 16 + raw_size / PLAIN_BLOCK_BYTES * 3;
  shoal_assert(max_bytes < UINT32_MAX, "a state of %zu bytes is too large to pack", raw_size);
  array_reserve(&packer->memory, &s->packed_bytes, (uint32_t)max_bytes);
  s->packed_bytes.count = packer->stores_uncompressed ? write_plain(&s->packed_bytes, raw, (uint32_t)raw_size)
                                                      : (uint32_t)ZSTD_compressCCtx(packer->zstd, s->packed_bytes.items,
                                                                                    max_bytes, raw, raw_size, LEVEL);
  s->raw_size = (uint32_t)raw_size;
}

// Returns true if the next state must begin a new group. A group is a whole state and the states that depend on it. It
// may take a third of the budget, so that groups remain when the oldest group is dropped.
static bool is_group_full(const packer_t *packer) {
  uint64_t remaining = packer->budget_bytes > packer->memory.bytes ? packer->budget_bytes - packer->memory.bytes : 0;
  uint64_t third = remaining / 3, min_bytes = remaining / 8;
  uint64_t max_bytes =
      third > packer->whole_bytes && third - packer->whole_bytes > min_bytes ? third - packer->whole_bytes : min_bytes;
  return packer->group_bytes >= (packer->whole_bytes < third ? max_bytes : 0);
}

static packed_form_t choose_form(const packer_t *packer) {
  if (packer->stores_whole || !packer->has_previous || is_group_full(packer))
    return PACKED_WHOLE;
  if (packer->deltas + 1 < packer->key_states)
    return PACKED_DELTA;
  return packer->keys + 1 >= PACKER_WHOLE_KEYS || snapshot_size(packer->key) == 0 ? PACKED_WHOLE : PACKED_KEY;
}

void packer_get_references(const packer_t *packer, uint32_t deltas, snapshot_table_t references[3]) {
  references[0] = snapshot_table(packer->newest);
  references[1] = references[2] = (snapshot_table_t){.table = NULL};
  for (uint32_t k = 0; k < 2 && k < deltas; ++k) {
    references[k + 1] = snapshot_table(packer->previous[k]);
    if (!snapshot_has_same_sections(&references[k + 1], &references[0])) {
      references[k + 1].table = NULL;
      return;
    }
  }
}

void packer_rotate_states(packer_t *packer, snapshot_o **next) {
  snapshot_o *s = packer->previous[1];
  packer->previous[1] = packer->previous[0];
  packer->previous[0] = packer->newest;
  packer->newest = *next;
  *next = s;
}

static void pack_slot(packer_t *packer, packer_slot_t *s) {
  snapshot_table_t references[3] = {snapshot_table(packer->key), {.table = NULL}, {.table = NULL}};
  snapshot_table_t table = snapshot_table(s->submitted);
  s->form = choose_form(packer);
  if (s->form == PACKED_DELTA)
    packer_get_references(packer, packer->keeps_previous ? packer->deltas : 0, references);
  const uint8_t *difference = NULL;
  uint32_t raw_size = 0;
  s->size = 0;
  if (s->form != PACKED_WHOLE)
    difference = snapshot_codec_encode(packer->codec, references, &table, &raw_size, &s->size);
  if (!difference)
    s->form = PACKED_WHOLE;
  compress_slot(packer, s, difference ? difference : table.bytes, difference ? raw_size : table.size);
  if (s->form != PACKED_DELTA && !packer->stores_whole)
    snapshot_set_bytes(packer->key, table.bytes, table.size);
  packer->has_previous = true;
  packer->deltas = s->form == PACKED_DELTA ? packer->deltas + 1 : 0;
  packer->keys = s->form == PACKED_WHOLE ? 0 : packer->keys + (s->form == PACKED_KEY);
  packer->group_bytes = s->form == PACKED_WHOLE ? 0 : packer->group_bytes + s->packed_bytes.count;
  packer->whole_bytes = s->form == PACKED_WHOLE ? s->packed_bytes.count : packer->whole_bytes;
  if (!s->snapshot) // true only after packer_recover
    snapshot_copy(s->snapshot = snapshot_create(&packer->copies), s->submitted);
  snapshot_o *previous = packer->newest;
  if (packer->keeps_previous) {
    packer_rotate_states(packer, &s->snapshot);
  } else {
    packer->newest = s->snapshot;
    s->snapshot = previous;
  }
  s->thread_bytes = packer->memory.bytes;
}

// --- the thread

// Runs the task without the lock, which the caller holds, then signals that the task has ended.
static void run_task(packer_t *packer) {
  pthread_mutex_unlock(&packer->lock);
  packer->task(packer->task_context);
  pthread_mutex_lock(&packer->lock);
  packer->task = NULL;
  pthread_cond_signal(&packer->slot_packed);
}

static void *pack_on_thread(void *context) {
  packer_t *packer = context;
  pthread_mutex_lock(&packer->lock);
  for (;;) {
    while (packer->packed_count == packer->submitted_count && !packer->task && !packer->thread_stopping)
      pthread_cond_wait(&packer->slot_submitted, &packer->lock);
    if (packer->task) {
      run_task(packer);
      continue;
    }
    if (packer->packed_count == packer->submitted_count)
      break;
    packer_slot_t *s = get_slot(packer, packer->packed_count);
    pthread_mutex_unlock(&packer->lock);
    pack_slot(packer, s);
    pthread_mutex_lock(&packer->lock);
    packer->packed_count++;
    pthread_cond_signal(&packer->slot_packed);
  }
  pthread_mutex_unlock(&packer->lock);
  return NULL;
}

static void launch_thread(packer_t *packer) {
  packer->thread_stopping = false;
  packer->thread_running = thread_start(&packer->thread, pack_on_thread, packer);
}

packer_slot_t *packer_get_free_slot(packer_t *packer) {
  if (packer->submitted_count - packer->popped_count >= packer->slot_count)
    return NULL;
  packer_slot_t *s = get_slot(packer, packer->submitted_count);
  if (s->snapshot && snapshot_is_shared(s->snapshot)) { // a second owner has not released the snapshot yet
    snapshot_release(s->snapshot);
    s->snapshot = NULL;
  }
  if (!s->snapshot)
    s->snapshot = snapshot_create(&packer->copies);
  return s;
}

void packer_submit_slot(packer_t *packer, uint64_t tick) {
  packer_slot_t *s = get_slot(packer, packer->submitted_count);
  shoal_assert(packer->submitted_count - packer->popped_count < packer->slot_count,
               "packer_submit_slot must follow packer_get_free_slot");
  s->tick = tick;
  s->submitted = s->snapshot;
  atomic_thread_fence(memory_order_release); // ensures that a child forked from a crashing process sees complete slots
  if (packer->uses_thread && !packer->thread_running)
    launch_thread(packer);
  if (!packer->thread_running) {
    packer->submitted_count++;
    pack_slot(packer, s);
    packer->packed_count++;
    return;
  }
  pthread_mutex_lock(&packer->lock);
  packer->submitted_count++;
  pthread_cond_signal(&packer->slot_submitted);
  pthread_mutex_unlock(&packer->lock);
}

// --- tasks

bool packer_start_task(packer_t *packer, void (*task)(void *context), void *context) {
  shoal_assert(!packer_is_task_running(packer), "the previous task is not complete");
  if (packer->uses_thread && !packer->thread_running)
    launch_thread(packer);
  if (!packer->thread_running)
    return false;
  pthread_mutex_lock(&packer->lock);
  packer->task = task;
  packer->task_context = context;
  pthread_cond_signal(&packer->slot_submitted);
  pthread_mutex_unlock(&packer->lock);
  return true;
}

bool packer_is_task_running(packer_t *packer) {
  if (!packer->thread_running)
    return false;
  pthread_mutex_lock(&packer->lock);
  bool running = packer->task != NULL;
  pthread_mutex_unlock(&packer->lock);
  return running;
}

void packer_wait_for_task(packer_t *packer) {
  if (!packer->thread_running)
    return;
  pthread_mutex_lock(&packer->lock);
  while (packer->task)
    pthread_cond_wait(&packer->slot_packed, &packer->lock);
  pthread_mutex_unlock(&packer->lock);
}

// --- finished slots

static uint32_t count_packed(packer_t *packer) {
  if (!packer->thread_running)
    return packer->packed_count;
  pthread_mutex_lock(&packer->lock);
  uint32_t packed = packer->packed_count;
  pthread_mutex_unlock(&packer->lock);
  return packed;
}

const packer_slot_t *packer_pop_slot(packer_t *packer) {
  if (count_packed(packer) == packer->popped_count)
    return NULL;
  const packer_slot_t *s = get_slot(packer, packer->popped_count++);
  packer->thread_bytes = s->thread_bytes;
  return s;
}

uint32_t packer_count_pending(const packer_t *packer) {
  return packer->submitted_count - packer->popped_count;
}

bool packer_has_pending(const packer_t *packer, uint64_t tick) {
  for (uint32_t i = packer->popped_count; i != packer->submitted_count; ++i)
    if (packer->slots[i % packer->slot_count].tick == tick)
      return true;
  return false;
}

static void wait_until_packed(packer_t *packer, uint32_t packed) {
  if (packer->thread_running) {
    pthread_mutex_lock(&packer->lock);
    while ((int32_t)(packer->packed_count - packed) < 0)
      pthread_cond_wait(&packer->slot_packed, &packer->lock);
    pthread_mutex_unlock(&packer->lock);
    return;
  }
  while ((int32_t)(packer->packed_count - packed) < 0) { // packs the pending slots after packer_recover
    pack_slot(packer, get_slot(packer, packer->packed_count));
    packer->packed_count++;
  }
}

bool packer_wait_for_slot(packer_t *packer) {
  if (packer->submitted_count == packer->popped_count)
    return false;
  wait_until_packed(packer, packer->popped_count + 1);
  return true;
}

void packer_wait_all(packer_t *packer) {
  wait_until_packed(packer, packer->submitted_count);
}

void packer_stop_thread(packer_t *packer) {
  packer_wait_all(packer);
  if (!packer->thread_running)
    return;
  pthread_mutex_lock(&packer->lock);
  packer->thread_stopping = true;
  pthread_cond_signal(&packer->slot_submitted);
  pthread_mutex_unlock(&packer->lock);
  pthread_join(packer->thread, NULL);
  packer->thread_running = false;
}
