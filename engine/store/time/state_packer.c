// Packs states on a thread, chooses how each state is stored, and recovers in a child forked from a crashing process.
#include "time/state_packer.h"

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
  p->now = snapshot_create(&p->copies);
  p->before[0] = snapshot_create(&p->copies);
  p->before[1] = snapshot_create(&p->copies);
}

void packer_init(packer_t *p) {
  *p = (packer_t){.slot_count = 1, .keeps_previous = true};
  p->zstd = ZSTD_createCCtx();
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->work, NULL);
  pthread_cond_init(&p->done, NULL);
  create_buffers(p);
}

static void free_slot(packer_t *p, packer_slot_t *s) {
  snapshot_release(s->state);
  array_free(&p->memory, &s->packed);
  s->state = NULL;
}

void packer_fini(packer_t *p) {
  packer_stop_thread(p);
  for (uint32_t i = 0; i < PACKER_MAX_SLOTS; ++i)
    free_slot(p, &p->slots[i]);
  ZSTD_freeCCtx(p->zstd);
  snapshot_release(p->now);
  snapshot_release(p->before[0]);
  snapshot_release(p->before[1]);
  snapshot_release(p->key);
  state_codec_destroy(p->codec);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->work);
  pthread_cond_destroy(&p->done);
  shoal_assert(p->memory.blocks + p->copies.blocks == 0, "the packer leaked %llu blocks",
               (unsigned long long)(p->memory.blocks + p->copies.blocks));
}

// Replaces the buffers, which may be incomplete. The lock is no longer used, because a thread that does not exist in
// this process may hold it.
void packer_recover(packer_t *p) {
  alloc_use_spare_memory(&p->memory);
  alloc_use_spare_memory(&p->copies);
  p->threaded = p->running = false;
  p->plain = true;
  create_buffers(p);
  p->follows = false;
  for (uint32_t i = p->taken; i != p->put; ++i)
    *get_slot(p, i) = (packer_slot_t){.tick = get_slot(p, i)->tick, .added = get_slot(p, i)->added};
  p->packed = p->taken;
}

void packer_set_plan(packer_t *p, uint64_t budget_bytes, uint32_t slots, bool keeps_previous, bool whole) {
  shoal_assert(p->put == p->taken, "all slots must be empty");
  shoal_assert(slots > 0 && slots <= PACKER_MAX_SLOTS, "slots must be from 1 to %u, got %u", PACKER_MAX_SLOTS, slots);
  p->budget_bytes = budget_bytes;
  p->whole = whole;
  p->slot_count = slots;
  for (uint32_t i = 0; i < PACKER_MAX_SLOTS; ++i) // the mapping to slots depends on their number
    free_slot(p, &p->slots[i]);
  p->put = p->packed = p->taken = 0;
  p->follows = false; // the previous states may have been released
  for (uint32_t k = 0; k < 2 && !keeps_previous; ++k) {
    snapshot_release(p->before[k]);
    p->before[k] = snapshot_create(&p->copies);
  }
  p->keeps_previous = keeps_previous;
  if (whole) {
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
static uint32_t write_plain(packer_bytes_t *to, const uint8_t *raw, uint32_t size) {
  // magic number; flags: single segment, four-byte content size
  static const uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0};
  uint8_t *out = to->items;
  memcpy(out, head, sizeof head);
  memcpy(out + sizeof head, &size, sizeof size);
  out += sizeof head + sizeof size;
  for (uint32_t at = 0, bytes = 0; at == 0 || at < size; at += bytes) {
    bytes = size - at < PLAIN_BLOCK_BYTES ? size - at : PLAIN_BLOCK_BYTES;
    uint32_t block = bytes << 3 | (at + bytes == size);
    memcpy(out, &block, 3);
    memcpy(out + 3, raw + at, bytes);
    out += 3 + bytes;
  }
  return (uint32_t)(out - to->items);
}

static void compress_slot(packer_t *p, packer_slot_t *s, const void *raw, size_t raw_size) {
  size_t bound = ZSTD_compressBound(raw_size) + 16 + raw_size / PLAIN_BLOCK_BYTES * 3;
  shoal_assert(bound < UINT32_MAX, "a state of %zu bytes is too large to pack", raw_size);
  array_reserve(&p->memory, &s->packed, (uint32_t)bound);
  s->packed.count = p->plain ? write_plain(&s->packed, raw, (uint32_t)raw_size)
                             : (uint32_t)ZSTD_compressCCtx(p->zstd, s->packed.items, bound, raw, raw_size, LEVEL);
  s->raw_size = (uint32_t)raw_size;
}

// Returns true if the next state must begin a new group. A group, which is a whole state and the states that depend on
// it, may take a third of the budget, so that other groups remain when the oldest is dropped.
static bool is_group_full(const packer_t *p) {
  uint64_t left = p->budget_bytes > p->memory.bytes ? p->budget_bytes - p->memory.bytes : 0;
  uint64_t third = left / 3, min_bytes = left / 8;
  uint64_t max_bytes =
      third > p->whole_bytes && third - p->whole_bytes > min_bytes ? third - p->whole_bytes : min_bytes;
  return p->group_bytes >= (p->whole_bytes < third ? max_bytes : 0);
}

static packed_form_t choose_form(const packer_t *p) {
  if (p->whole || !p->follows || is_group_full(p))
    return PACKED_WHOLE;
  if (p->deltas + 1 < PACKER_KEY_STATES)
    return PACKED_DELTA;
  return p->keys + 1 >= PACKER_WHOLE_KEYS || snapshot_size(p->key) == 0 ? PACKED_WHOLE : PACKED_KEY;
}

void packer_get_references(const packer_t *p, uint32_t deltas, snapshot_table_t last[3]) {
  last[0] = snapshot_table(p->now);
  last[1] = last[2] = (snapshot_table_t){.table = NULL};
  for (uint32_t k = 0; k < 2 && k < deltas; ++k) {
    last[k + 1] = snapshot_table(p->before[k]);
    if (!snapshot_has_same_sections(&last[k + 1], &last[0])) {
      last[k + 1].table = NULL;
      return;
    }
  }
}

void packer_rotate_states(packer_t *p, snapshot_o **next) {
  snapshot_o *s = p->before[1];
  p->before[1] = p->before[0];
  p->before[0] = p->now;
  p->now = *next;
  *next = s;
}

static void pack_slot(packer_t *p, packer_slot_t *s) {
  snapshot_table_t last[3] = {snapshot_table(p->key), {.table = NULL}, {.table = NULL}};
  snapshot_table_t now = snapshot_table(s->added);
  s->form = choose_form(p);
  if (s->form == PACKED_DELTA)
    packer_get_references(p, p->keeps_previous ? p->deltas : 0, last);
  const uint8_t *difference = NULL;
  uint32_t size = 0;
  s->size = 0;
  if (s->form != PACKED_WHOLE)
    difference = state_codec_encode(p->codec, last, &now, &size, &s->size);
  if (!difference)
    s->form = PACKED_WHOLE;
  compress_slot(p, s, difference ? difference : now.bytes, difference ? size : now.size);
  if (s->form != PACKED_DELTA && !p->whole)
    snapshot_set_bytes(p->key, now.bytes, now.size);
  p->follows = true;
  p->deltas = s->form == PACKED_DELTA ? p->deltas + 1 : 0;
  p->keys = s->form == PACKED_WHOLE ? 0 : p->keys + (s->form == PACKED_KEY);
  p->group_bytes = s->form == PACKED_WHOLE ? 0 : p->group_bytes + s->packed.count;
  p->whole_bytes = s->form == PACKED_WHOLE ? s->packed.count : p->whole_bytes;
  if (!s->state) // true only after packer_recover
    snapshot_copy(s->state = snapshot_create(&p->copies), s->added);
  snapshot_o *previous = p->now;
  if (p->keeps_previous) {
    packer_rotate_states(p, &s->state);
  } else {
    p->now = s->state;
    s->state = previous;
  }
  s->thread_bytes = p->memory.bytes;
}

// --- the thread

static void *pack_on_thread(void *context) {
  packer_t *p = context;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (p->packed == p->put && !p->ending)
      pthread_cond_wait(&p->work, &p->lock);
    if (p->packed == p->put)
      break;
    packer_slot_t *s = get_slot(p, p->packed);
    pthread_mutex_unlock(&p->lock);
    pack_slot(p, s);
    pthread_mutex_lock(&p->lock);
    p->packed++;
    pthread_cond_signal(&p->done);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

static void launch_thread(packer_t *p) {
  p->ending = false;
  p->running = thread_start(&p->thread, pack_on_thread, p);
}

packer_slot_t *packer_get_free_slot(packer_t *p) {
  if (p->put - p->taken >= p->slot_count)
    return NULL;
  packer_slot_t *s = get_slot(p, p->put);
  if (s->state && snapshot_is_shared(s->state)) { // another owner has not released the snapshot yet
    snapshot_release(s->state);
    s->state = NULL;
  }
  if (!s->state)
    s->state = snapshot_create(&p->copies);
  return s;
}

void packer_submit_slot(packer_t *p, uint64_t tick) {
  packer_slot_t *s = get_slot(p, p->put);
  shoal_assert(p->put - p->taken < p->slot_count, "packer_submit_slot must follow packer_get_free_slot");
  s->tick = tick;
  s->added = s->state;
  atomic_thread_fence(memory_order_release); // ensures that a child forked from a crashing process sees complete slots
  if (p->threaded && !p->running)
    launch_thread(p);
  if (!p->running) {
    p->put++;
    pack_slot(p, s);
    p->packed++;
    return;
  }
  pthread_mutex_lock(&p->lock);
  p->put++;
  pthread_cond_signal(&p->work);
  pthread_mutex_unlock(&p->lock);
}

static uint32_t count_packed(packer_t *p) {
  if (!p->running)
    return p->packed;
  pthread_mutex_lock(&p->lock);
  uint32_t packed = p->packed;
  pthread_mutex_unlock(&p->lock);
  return packed;
}

const packer_slot_t *packer_pop_slot(packer_t *p) {
  if (count_packed(p) == p->taken)
    return NULL;
  const packer_slot_t *s = get_slot(p, p->taken++);
  p->thread_bytes = s->thread_bytes;
  return s;
}

static void wait_until_packed(packer_t *p, uint32_t packed) {
  if (p->running) {
    pthread_mutex_lock(&p->lock);
    while ((int32_t)(p->packed - packed) < 0)
      pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return;
  }
  while ((int32_t)(p->packed - packed) < 0) { // pack the slots that are pending after packer_recover
    pack_slot(p, get_slot(p, p->packed));
    p->packed++;
  }
}

bool packer_wait_for_slot(packer_t *p) {
  if (p->put == p->taken)
    return false;
  wait_until_packed(p, p->taken + 1);
  return true;
}

void packer_wait_all(packer_t *p) {
  wait_until_packed(p, p->put);
}

void packer_stop_thread(packer_t *p) {
  packer_wait_all(p);
  if (!p->running)
    return;
  pthread_mutex_lock(&p->lock);
  p->ending = true;
  pthread_cond_signal(&p->work);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  p->running = false;
}
