// Input log in chunks of CHUNK_TICKS ticks. The first sample of a chunk is stored as its difference from an all-zero
// sample, so that the chunk can be read on its own.
#include "time/input_log.h"

#include "base/assert.h"
#include "base/array.h"
#include "base/varint.h"

#include <string.h>

#define CHUNK_TICKS 64u
#define MAX_IDLE 4096u // maximum number of frames kept per pause; later frames are dropped

// --- samples

size_t sample_encode_difference(const input_state_t *from, const input_state_t *to, uint8_t *out) {
  const uint8_t *a = (const uint8_t *)from, *b = (const uint8_t *)to;
  size_t changed = 0, last = 0, size;
  for (size_t i = 0; i < sizeof *to; ++i)
    changed += a[i] != b[i];
  size = varint_write(changed, out);
  for (size_t i = 0; i < sizeof *to && changed > 0; ++i) {
    if (a[i] == b[i])
      continue;
    size += varint_write(i - last, out + size);
    out[size++] = b[i];
    last = i + 1;
  }
  return size;
}

size_t sample_apply_difference(input_state_t *sample, const uint8_t *in, size_t size) {
  uint64_t changed, gap;
  size_t at = 0, used = varint_read(in, size, &changed);
  if (used == 0 || changed > sizeof *sample)
    return 0;
  for (size_t i = 0; i < changed; ++i) {
    size_t n = varint_read(in + used, size - used, &gap);
    if (n == 0 || used + n == size || gap >= sizeof *sample - at)
      return 0;
    at += gap;
    ((uint8_t *)sample)[at++] = in[used + n];
    used += n + 1;
  }
  return used;
}

// --- log

// Flags of an item. IDLE marks a paused frame. BEFORE means that the previous sample differs from the last stored one
// and is therefore stored first.
enum { IDLE = 1, BEFORE = 2 };

typedef struct chunk_t {
  uint64_t first_tick;
  uint8_t *bytes;
  uint32_t size, capacity;
} chunk_t;

typedef struct read_t {
  uint64_t tick;
  external_result_t *result;
} read_t;

struct input_log_o {
  allocator_t *allocator;
  ARRAY(read_t) reads; // sorted by tick
  ARRAY(chunk_t) chunks;
  input_state_t last; // the last sample stored in the newest chunk
  uint64_t last_tick;
  uint32_t idle; // number of paused frames since last_tick
};

// Reader of the items of a chunk. Layout of an item: ticks since the chunk's first tick, flags, one or two samples.
typedef struct reader_t {
  const chunk_t *chunk;
  uint32_t at;
  uint64_t tick;
  input_log_item_t item;
} reader_t;

input_log_o *input_log_create(allocator_t *a) {
  shoal_assert(a, "allocator must not be NULL");
  input_log_o *h = alloc_resize(a, NULL, 0, sizeof *h);
  *h = (input_log_o){.allocator = a};
  return h;
}

static void free_chunk(input_log_o *h, uint32_t i) {
  alloc_resize(h->allocator, h->chunks.items[i].bytes, h->chunks.items[i].capacity, 0);
}

static void drop_reads(input_log_o *h, uint32_t from, uint32_t count) {
  shoal_assert(from + count <= h->reads.count, "results %u … %u are out of range (count %u)", from, from + count,
               h->reads.count);
  for (uint32_t i = from; i < from + count; ++i)
    external_result_release(h->reads.items[i].result);
  uint32_t remaining = h->reads.count - from - count;
  if (remaining > 0)
    memmove(h->reads.items + from, h->reads.items + from + count, remaining * sizeof *h->reads.items);
  h->reads.count -= count;
}

// Returns the number of results that belong to ticks before `tick`.
static uint32_t count_reads_before(const input_log_o *h, uint64_t tick) {
  uint32_t i = 0;
  while (i < h->reads.count && h->reads.items[i].tick < tick)
    i++;
  return i;
}

void input_log_destroy(input_log_o *h) {
  if (!h)
    return;
  for (uint32_t i = 0; i < h->chunks.count; ++i)
    free_chunk(h, i);
  array_free(h->allocator, &h->chunks);
  drop_reads(h, 0, h->reads.count);
  array_free(h->allocator, &h->reads);
  alloc_resize(h->allocator, h, sizeof *h, 0);
}

input_log_o *input_log_copy(const input_log_o *h) {
  input_log_o *to = input_log_create(h->allocator);
  to->last = h->last;
  to->last_tick = h->last_tick;
  to->idle = h->idle;
  for (uint32_t i = 0; i < h->chunks.count; ++i) {
    chunk_t c = h->chunks.items[i];
    uint8_t *bytes = alloc_resize(h->allocator, NULL, 0, c.capacity);
    memcpy(bytes, c.bytes, c.size);
    c.bytes = bytes;
    array_push(to->allocator, &to->chunks, c);
  }
  for (uint32_t i = 0; i < h->reads.count; ++i) {
    array_push(to->allocator, &to->reads, h->reads.items[i]);
    external_result_retain(h->reads.items[i].result);
  }
  return to;
}

static bool read_next(reader_t *r) {
  if (r->at >= r->chunk->size)
    return false;
  const uint8_t *in = r->chunk->bytes;
  uint64_t ticks;
  size_t size = r->chunk->size;
  r->at += (uint32_t)varint_read(in + r->at, size - r->at, &ticks);
  r->tick = r->chunk->first_tick + ticks;
  uint8_t flags = in[r->at++];
  r->item.idle = flags & IDLE;
  r->item.before = r->item.now;
  if (flags & BEFORE)
    r->at += (uint32_t)sample_apply_difference(&r->item.before, in + r->at, size - r->at);
  r->item.now = r->item.before;
  r->at += (uint32_t)sample_apply_difference(&r->item.now, in + r->at, size - r->at);
  shoal_assert(r->at <= r->chunk->size, "a sample of tick %llu exceeds its chunk", (unsigned long long)r->tick);
  return true;
}

// Discards the samples and results of `tick` and of all later ticks.
static void discard_from(input_log_o *h, uint64_t tick) {
  uint32_t reads = count_reads_before(h, tick);
  drop_reads(h, reads, h->reads.count - reads);
  while (h->chunks.count > 0 && h->chunks.items[h->chunks.count - 1].first_tick >= tick)
    free_chunk(h, --h->chunks.count);
  memset(&h->last, 0, sizeof h->last);
  h->last_tick = h->idle = 0;
  if (h->chunks.count == 0)
    return;
  chunk_t *c = &h->chunks.items[h->chunks.count - 1];
  reader_t r = {.chunk = c};
  uint32_t end = 0;
  while (read_next(&r) && r.tick < tick) {
    end = r.at;
    h->last = r.item.now;
    h->idle = r.item.idle ? h->idle + 1 : 0;
    h->last_tick = r.item.idle ? h->last_tick : r.tick;
  }
  c->size = end;
}

static void add_item(input_log_o *h, uint64_t tick, bool idle, const input_state_t *before, const input_state_t *now) {
  shoal_assert(before && now, "before and now must not be NULL");
  uint8_t bytes[2 * SAMPLE_MAX_BYTES + 8];
  bool begun = h->chunks.count > 0;
  chunk_t *c = begun ? &h->chunks.items[h->chunks.count - 1] : NULL;
  if (!begun || tick >= c->first_tick + CHUNK_TICKS) {
    chunk_t fresh = {.first_tick = tick};
    array_push(h->allocator, &h->chunks, fresh);
    c = &h->chunks.items[h->chunks.count - 1];
    memset(&h->last, 0, sizeof h->last);
  }
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a difference only in padding stores the sample again
  bool stores_before = memcmp(before, &h->last, sizeof *before) != 0;
  shoal_assert(tick >= c->first_tick, "tick %llu precedes its chunk's first tick %llu", (unsigned long long)tick,
               (unsigned long long)c->first_tick);
  size_t size = varint_write(tick - c->first_tick, bytes);
  bytes[size++] = (uint8_t)((idle ? IDLE : 0) | (stores_before ? BEFORE : 0));
  if (stores_before)
    size += sample_encode_difference(&h->last, before, bytes + size);
  size += sample_encode_difference(before, now, bytes + size);
  c->bytes = c->size + size > c->capacity
                 ? array_grow(h->allocator, c->bytes, &c->capacity, c->size + (uint32_t)size, 1)
                 : c->bytes;
  shoal_assert(c->bytes && c->size + size <= c->capacity, "%zu bytes exceed the chunk's capacity", size);
  memcpy(c->bytes + c->size, bytes, size);
  c->size += (uint32_t)size;
  h->last = *now;
}

void input_log_add_tick(input_log_o *h, uint64_t tick, const input_state_t *before, const input_state_t *now) {
  if (h->last_tick >= tick)
    discard_from(h, tick);
  add_item(h, tick, false, before, now);
  h->last_tick = tick;
  h->idle = 0;
  shoal_assert(h->chunks.count > 0, "the log has no chunk");
}

// Stores a paused frame. Ignores frames in which the input did not change, and frames beyond MAX_IDLE.
void input_log_add_paused(input_log_o *h, uint64_t next_tick, const input_state_t *before, const input_state_t *now) {
  if (h->last_tick >= next_tick)
    discard_from(h, next_tick);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a difference only in padding stores the frame
  if (memcmp(before, now, sizeof *now) == 0 || h->idle >= MAX_IDLE)
    return;
  add_item(h, next_tick, true, before, now);
  h->idle++;
}

void input_log_discard_before(input_log_o *h, uint64_t tick) {
  uint32_t dropped = 0;
  drop_reads(h, 0, count_reads_before(h, tick));
  while (dropped + 1 < h->chunks.count && h->chunks.items[dropped + 1].first_tick <= tick)
    free_chunk(h, dropped++);
  if (dropped == 0)
    return;
  memmove(h->chunks.items, h->chunks.items + dropped, (h->chunks.count - dropped) * sizeof *h->chunks.items);
  h->chunks.count -= dropped;
}

// Drops the results of later ticks, which belong to an abandoned timeline: ticks in the log only increase.
void input_log_add_result(input_log_o *h, uint64_t tick, external_result_t *a) {
  uint32_t later = count_reads_before(h, tick + 1);
  drop_reads(h, later, h->reads.count - later);
  read_t x = {.tick = tick, .result = external_result_retain(a)};
  array_push(h->allocator, &h->reads, x);
}

external_result_t *input_log_find_result(const input_log_o *h, uint64_t tick, external_kind_t kind, const char *key) {
  for (uint32_t i = count_reads_before(h, tick); i < h->reads.count && h->reads.items[i].tick == tick; ++i) {
    external_result_t *a = h->reads.items[i].result;
    if (a->kind == kind && strcmp(a->key, key) == 0)
      return external_result_retain(a);
  }
  return NULL;
}

uint64_t input_log_last_tick(const input_log_o *h) {
  return h->last_tick;
}

bool input_log_get_item(const input_log_o *h, uint64_t tick, uint32_t i, input_log_item_t *out) {
  uint32_t chunk = h->chunks.count;
  while (chunk > 0 && h->chunks.items[chunk - 1].first_tick > tick)
    chunk--;
  if (chunk == 0)
    return false;
  reader_t r = {.chunk = &h->chunks.items[chunk - 1]};
  while (read_next(&r))
    if (r.tick == tick && i-- == 0) {
      *out = r.item;
      return true;
    }
  return false;
}
