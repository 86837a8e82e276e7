// Packs states on a thread, chooses how each state is stored, and recovers in a child forked from a crashing process.
#include "time/snapshot_packer.h"

#include "base/assert.h"
#include "process/threads.h"

#include <stdatomic.h>
#include <string.h>

#define LEVEL 1
#define PLAIN_BLOCK_BYTES (128u << 10) // maximum block size in the zstd format

static packer_slot_t *get_slot(packer_t *p, uint32_t i) {
  return &p->slots[i % p->slot_count]; // packer_set_plan restarts the counters at 0, so the mapping may change
}

// --- life cycle

static void create_buffers(packer_t *p) {
  p->codec = state_codec_create(&p->memory);
  p->key = snapshot_create(&p->memory);
  p->newest = snapshot_create(&p->copies);
  p->previous[0] = snapshot_create(&p->copies);
  p->previous[1] = snapshot_create(&p->copies);
}

void packer_init(packer_t *p) {
  *p = (packer_t){.slot_count = 1, .keeps_previous = true};
  p->zstd = ZSTD_createCCtx();
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->slot_submitted, NULL);
  pthread_cond_init(&p->slot_packed, NULL);
  create_buffers(p);
}

static void free_slot(packer_t *p, packer_slot_t *s) {
  snapshot_release(s->snapshot);
  array_free(&p->memory, &s->packed_bytes);
  s->snapshot = NULL;
}

void packer_fini(packer_t *p) {
  packer_stop_thread(p);
  for (uint32_t i = 0; i < PACKER_MAX_SLOTS; ++i)
    free_slot(p, &p->slots[i]);
  ZSTD_freeCCtx(p->zstd);
  snapshot_release(p->newest);
  snapshot_release(p->previous[0]);
  snapshot_release(p->previous[1]);
  snapshot_release(p->key);
  state_codec_destroy(p->codec);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->slot_submitted);
  pthread_cond_destroy(&p->slot_packed);
  shoal_assert(p->memory.blocks + p->copies.blocks == 0, "the packer leaked %llu blocks",
               (unsigned long long)(p->memory.blocks + p->copies.blocks));
}

// Replaces the buffers, which may be incomplete. The lock is no longer used, because a thread that does not exist in
// this process may hold it.
void packer_recover(packer_t *p) {
  alloc_use_spare_memory(&p->memory);
  alloc_use_spare_memory(&p->copies);
  p->uses_thread = p->thread_running = false;
  p->stores_uncompressed = true;
  create_buffers(p);
  p->has_previous = false;
  for (uint32_t i = p->popped_count; i != p->submitted_count; ++i)
    *get_slot(p, i) = (packer_slot_t){.tick = get_slot(p, i)->tick, .submitted = get_slot(p, i)->submitted};
  p->packed_count = p->popped_count;
}

void packer_set_plan(packer_t *p, uint64_t budget_bytes, uint32_t slot_count, bool keeps_previous, bool stores_whole) {
  shoal_assert(p->submitted_count == p->popped_count, "all slots must be empty");
  shoal_assert(slot_count > 0 && slot_count <= PACKER_MAX_SLOTS, "slots must be from 1 to %u, got %u", PACKER_MAX_SLOTS,
               slot_count);
  p->budget_bytes = budget_bytes;
  p->stores_whole = stores_whole;
  p->slot_count = slot_count;
  for (uint32_t i = 0; i < PACKER_MAX_SLOTS; ++i) // the mapping to slots depends on their number
    free_slot(p, &p->slots[i]);
  p->submitted_count = p->packed_count = p->popped_count = 0;
  p->has_previous = false; // the previous states may have been released
  for (uint32_t k = 0; k < 2 && !keeps_previous; ++k) {
    snapshot_release(p->previous[k]);
    p->previous[k] = snapshot_create(&p->copies);
  }
  p->keeps_previous = keeps_previous;
  if (stores_whole) {
    snapshot_release(p->key);
    p->key = snapshot_create(&p->memory);
  }
}

void packer_clear_key(packer_t *p) {
  snapshot_set_bytes(p->key, NULL, 0);
}

size_t packer_bytes(const packer_t *p) {
  return p->copies.bytes + p->thread_bytes;
}

// --- packing

// Writes a zstd frame of uncompressed blocks (RFC 8878, 3.1.1). Returns its size in bytes.
static uint32_t write_plain(packer_bytes_t *out_bytes, const uint8_t *raw, uint32_t size) {
  // magic number; flags: single segment, four-byte content size
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

static void compress_slot(packer_t *p, packer_slot_t *s, const void *raw, size_t raw_size) {
  size_t max_bytes = ZSTD_compressBound(raw_size) + 16 + raw_size / PLAIN_BLOCK_BYTES * 3;
  shoal_assert(max_bytes < UINT32_MAX, "a state of %zu bytes is too large to pack", raw_size);
  array_reserve(&p->memory, &s->packed_bytes, (uint32_t)max_bytes);
  s->packed_bytes.count = p->stores_uncompressed ? write_plain(&s->packed_bytes, raw, (uint32_t)raw_size)
                                                 : (uint32_t)ZSTD_compressCCtx(p->zstd, s->packed_bytes.items,
                                                                               max_bytes, raw, raw_size, LEVEL);
  s->raw_size = (uint32_t)raw_size;
}

// Returns true if the next state must begin a new group. A group, which is a whole state and the states that depend on
// it, may take a third of the budget, so that other groups remain when the oldest is dropped.
static bool is_group_full(const packer_t *p) {
  uint64_t remaining = p->budget_bytes > p->memory.bytes ? p->budget_bytes - p->memory.bytes : 0;
  uint64_t third = remaining / 3, min_bytes = remaining / 8;
  uint64_t max_bytes =
      third > p->whole_bytes && third - p->whole_bytes > min_bytes ? third - p->whole_bytes : min_bytes;
  return p->group_bytes >= (p->whole_bytes < third ? max_bytes : 0);
}

static packed_form_t choose_form(const packer_t *p) {
  if (p->stores_whole || !p->has_previous || is_group_full(p))
    return PACKED_WHOLE;
  if (p->deltas + 1 < PACKER_KEY_STATES)
    return PACKED_DELTA;
  return p->keys + 1 >= PACKER_WHOLE_KEYS || snapshot_size(p->key) == 0 ? PACKED_WHOLE : PACKED_KEY;
}

void packer_get_references(const packer_t *p, uint32_t deltas, snapshot_table_t references[3]) {
  references[0] = snapshot_table(p->newest);
  references[1] = references[2] = (snapshot_table_t){.table = NULL};
  for (uint32_t k = 0; k < 2 && k < deltas; ++k) {
    references[k + 1] = snapshot_table(p->previous[k]);
    if (!snapshot_has_same_sections(&references[k + 1], &references[0])) {
      references[k + 1].table = NULL;
      return;
    }
  }
}

void packer_rotate_states(packer_t *p, snapshot_o **next) {
  snapshot_o *s = p->previous[1];
  p->previous[1] = p->previous[0];
  p->previous[0] = p->newest;
  p->newest = *next;
  *next = s;
}

static void pack_slot(packer_t *p, packer_slot_t *s) {
  snapshot_table_t references[3] = {snapshot_table(p->key), {.table = NULL}, {.table = NULL}};
  snapshot_table_t table = snapshot_table(s->submitted);
  s->form = choose_form(p);
  if (s->form == PACKED_DELTA)
    packer_get_references(p, p->keeps_previous ? p->deltas : 0, references);
  const uint8_t *difference = NULL;
  uint32_t raw_size = 0;
  s->size = 0;
  if (s->form != PACKED_WHOLE)
    difference = state_codec_encode(p->codec, references, &table, &raw_size, &s->size);
  if (!difference)
    s->form = PACKED_WHOLE;
  compress_slot(p, s, difference ? difference : table.bytes, difference ? raw_size : table.size);
  if (s->form != PACKED_DELTA && !p->stores_whole)
    snapshot_set_bytes(p->key, table.bytes, table.size);
  p->has_previous = true;
  p->deltas = s->form == PACKED_DELTA ? p->deltas + 1 : 0;
  p->keys = s->form == PACKED_WHOLE ? 0 : p->keys + (s->form == PACKED_KEY);
  p->group_bytes = s->form == PACKED_WHOLE ? 0 : p->group_bytes + s->packed_bytes.count;
  p->whole_bytes = s->form == PACKED_WHOLE ? s->packed_bytes.count : p->whole_bytes;
  if (!s->snapshot) // true only after packer_recover
    snapshot_copy(s->snapshot = snapshot_create(&p->copies), s->submitted);
  snapshot_o *previous = p->newest;
  if (p->keeps_previous) {
    packer_rotate_states(p, &s->snapshot);
  } else {
    p->newest = s->snapshot;
    s->snapshot = previous;
  }
  s->thread_bytes = p->memory.bytes;
}

// --- the thread

static void *pack_on_thread(void *context) {
  packer_t *p = context;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (p->packed_count == p->submitted_count && !p->thread_stopping)
      pthread_cond_wait(&p->slot_submitted, &p->lock);
    if (p->packed_count == p->submitted_count)
      break;
    packer_slot_t *s = get_slot(p, p->packed_count);
    pthread_mutex_unlock(&p->lock);
    pack_slot(p, s);
    pthread_mutex_lock(&p->lock);
    p->packed_count++;
    pthread_cond_signal(&p->slot_packed);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

static void launch_thread(packer_t *p) {
  p->thread_stopping = false;
  p->thread_running = thread_start(&p->thread, pack_on_thread, p);
}

packer_slot_t *packer_get_free_slot(packer_t *p) {
  if (p->submitted_count - p->popped_count >= p->slot_count)
    return NULL;
  packer_slot_t *s = get_slot(p, p->submitted_count);
  if (s->snapshot && snapshot_is_shared(s->snapshot)) { // another owner has not released the snapshot yet
    snapshot_release(s->snapshot);
    s->snapshot = NULL;
  }
  if (!s->snapshot)
    s->snapshot = snapshot_create(&p->copies);
  return s;
}

void packer_submit_slot(packer_t *p, uint64_t tick) {
  packer_slot_t *s = get_slot(p, p->submitted_count);
  shoal_assert(p->submitted_count - p->popped_count < p->slot_count,
               "packer_submit_slot must follow packer_get_free_slot");
  s->tick = tick;
  s->submitted = s->snapshot;
  atomic_thread_fence(memory_order_release); // ensures that a child forked from a crashing process sees complete slots
  if (p->uses_thread && !p->thread_running)
    launch_thread(p);
  if (!p->thread_running) {
    p->submitted_count++;
    pack_slot(p, s);
    p->packed_count++;
    return;
  }
  pthread_mutex_lock(&p->lock);
  p->submitted_count++;
  pthread_cond_signal(&p->slot_submitted);
  pthread_mutex_unlock(&p->lock);
}

static uint32_t count_packed(packer_t *p) {
  if (!p->thread_running)
    return p->packed_count;
  pthread_mutex_lock(&p->lock);
  uint32_t packed = p->packed_count;
  pthread_mutex_unlock(&p->lock);
  return packed;
}

const packer_slot_t *packer_pop_slot(packer_t *p) {
  if (count_packed(p) == p->popped_count)
    return NULL;
  const packer_slot_t *s = get_slot(p, p->popped_count++);
  p->thread_bytes = s->thread_bytes;
  return s;
}

static void wait_until_packed(packer_t *p, uint32_t packed) {
  if (p->thread_running) {
    pthread_mutex_lock(&p->lock);
    while ((int32_t)(p->packed_count - packed) < 0)
      pthread_cond_wait(&p->slot_packed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return;
  }
  while ((int32_t)(p->packed_count - packed) < 0) { // pack the slots that are pending after packer_recover
    pack_slot(p, get_slot(p, p->packed_count));
    p->packed_count++;
  }
}

bool packer_wait_for_slot(packer_t *p) {
  if (p->submitted_count == p->popped_count)
    return false;
  wait_until_packed(p, p->popped_count + 1);
  return true;
}

void packer_wait_all(packer_t *p) {
  wait_until_packed(p, p->submitted_count);
}

void packer_stop_thread(packer_t *p) {
  packer_wait_all(p);
  if (!p->thread_running)
    return;
  pthread_mutex_lock(&p->lock);
  p->thread_stopping = true;
  pthread_cond_signal(&p->slot_submitted);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  p->thread_running = false;
}
