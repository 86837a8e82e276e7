// Input log in chunks of CHUNK_TICKS ticks. The first sample of a chunk is stored as its difference from an all-zero
// sample, so that the chunk can be read on its own.
#include "time/input_log.h"

#include "base/assert.h"
#include "base/array.h"
#include "base/varint.h"

#include <string.h>

#define CHUNK_TICKS 64u
#define MAX_PAUSED_FRAMES 4096u // maximum number of frames kept per pause; later frames are dropped

// --- samples

size_t sample_encode_difference(const input_state_t *from, const input_state_t *to, uint8_t *out) {
  const uint8_t *a = (const uint8_t *)from, *b = (const uint8_t *)to;
  // the inputs of players are 0 in samples without them
  size_t bytes = from->has_players || to->has_players ? sizeof *to : offsetof(input_state_t, has_players);
  size_t changed = 0, end = 0, size;
  for (size_t i = 0; i < bytes; ++i)
    changed += a[i] != b[i];
  size = varint_write(changed, out);
  for (size_t i = 0; i < bytes && changed > 0; ++i) {
    if (a[i] == b[i])
      continue;
    size += varint_write(i - end, out + size);
    out[size++] = b[i];
    end = i + 1;
  }
  return size;
}

size_t sample_apply_difference(input_state_t *sample, const uint8_t *in, size_t size) {
  uint64_t changed, gap;
  size_t position = 0, bytes_read = varint_read(in, size, &changed);
  if (bytes_read == 0 || changed > sizeof *sample)
    return 0;
  for (size_t i = 0; i < changed; ++i) {
    size_t gap_bytes = varint_read(in + bytes_read, size - bytes_read, &gap);
    if (gap_bytes == 0 || bytes_read + gap_bytes == size || gap >= sizeof *sample - position)
      return 0;
    position += gap;
    ((uint8_t *)sample)[position++] = in[bytes_read + gap_bytes];
    bytes_read += gap_bytes + 1;
  }
  return bytes_read;
}

// --- log

// Flags of an item. PAUSED marks a paused frame. PREVIOUS means that the previous sample differs from the last stored
// one and is therefore stored first.
enum { PAUSED = 1, PREVIOUS = 2 };

typedef struct chunk_t {
  uint64_t first_tick;
  uint8_t *bytes;
  uint32_t size, capacity;
} chunk_t;

typedef struct log_result_t {
  uint64_t tick;
  external_result_t *result;
} log_result_t;

struct input_log_o {
  allocator_t *allocator;
  ARRAY(log_result_t) results; // sorted by tick
  ARRAY(chunk_t) chunks;
  input_state_t last_sample; // the last sample stored in the newest chunk
  uint64_t last_tick;
  uint32_t paused_frames; // number of paused frames since last_tick
};

// Reader of the items of a chunk. Layout of an item: ticks since the chunk's first tick, flags, one or two samples.
typedef struct reader_t {
  const chunk_t *chunk;
  uint32_t position;
  uint64_t tick;
  input_log_item_t item;
} reader_t;

input_log_o *input_log_create(allocator_t *a) {
  shoal_assert(a, "allocator must not be NULL");
  input_log_o *log = alloc_resize(a, NULL, 0, sizeof *log);
  *log = (input_log_o){.allocator = a};
  return log;
}

static void free_chunk(input_log_o *log, uint32_t i) {
  alloc_resize(log->allocator, log->chunks.items[i].bytes, log->chunks.items[i].capacity, 0);
}

static void drop_results(input_log_o *log, uint32_t first, uint32_t count) {
  shoal_assert(first + count <= log->results.count, "results %u … %u are out of range (count %u)", first, first + count,
               log->results.count);
  for (uint32_t i = first; i < first + count; ++i)
    external_result_release(log->results.items[i].result);
  uint32_t remaining = log->results.count - first - count;
  if (remaining > 0)
    memmove(log->results.items + first, log->results.items + first + count, remaining * sizeof *log->results.items);
  log->results.count -= count;
}

// Returns the number of results that belong to ticks before `tick`.
static uint32_t count_results_before(const input_log_o *log, uint64_t tick) {
  uint32_t i = 0;
  while (i < log->results.count && log->results.items[i].tick < tick)
    i++;
  return i;
}

void input_log_destroy(input_log_o *log) {
  if (!log)
    return;
  for (uint32_t i = 0; i < log->chunks.count; ++i)
    free_chunk(log, i);
  array_free(log->allocator, &log->chunks);
  drop_results(log, 0, log->results.count);
  array_free(log->allocator, &log->results);
  alloc_resize(log->allocator, log, sizeof *log, 0);
}

input_log_o *input_log_copy(const input_log_o *log) {
  input_log_o *copy = input_log_create(log->allocator);
  copy->last_sample = log->last_sample;
  copy->last_tick = log->last_tick;
  copy->paused_frames = log->paused_frames;
  for (uint32_t i = 0; i < log->chunks.count; ++i) {
    chunk_t chunk = log->chunks.items[i];
    uint8_t *bytes = alloc_resize(log->allocator, NULL, 0, chunk.capacity);
    memcpy(bytes, chunk.bytes, chunk.size);
    chunk.bytes = bytes;
    array_push(copy->allocator, &copy->chunks, chunk);
  }
  for (uint32_t i = 0; i < log->results.count; ++i) {
    array_push(copy->allocator, &copy->results, log->results.items[i]);
    external_result_retain(log->results.items[i].result);
  }
  return copy;
}

static bool read_next(reader_t *r) {
  if (r->position >= r->chunk->size)
    return false;
  const uint8_t *in = r->chunk->bytes;
  uint64_t ticks;
  size_t size = r->chunk->size;
  r->position += (uint32_t)varint_read(in + r->position, size - r->position, &ticks);
  r->tick = r->chunk->first_tick + ticks;
  uint8_t flags = in[r->position++];
  r->item.paused = flags & PAUSED;
  r->item.previous_input = r->item.input;
  if (flags & PREVIOUS)
    r->position += (uint32_t)sample_apply_difference(&r->item.previous_input, in + r->position, size - r->position);
  r->item.input = r->item.previous_input;
  r->position += (uint32_t)sample_apply_difference(&r->item.input, in + r->position, size - r->position);
  shoal_assert(r->position <= r->chunk->size, "a sample of tick %llu exceeds its chunk", (unsigned long long)r->tick);
  return true;
}

// Discards the samples and results of `tick` and of all later ticks.
static void discard_from(input_log_o *log, uint64_t tick) {
  uint32_t first_result = count_results_before(log, tick);
  drop_results(log, first_result, log->results.count - first_result);
  while (log->chunks.count > 0 && log->chunks.items[log->chunks.count - 1].first_tick >= tick)
    free_chunk(log, --log->chunks.count);
  memset(&log->last_sample, 0, sizeof log->last_sample);
  log->last_tick = log->paused_frames = 0;
  if (log->chunks.count == 0)
    return;
  chunk_t *chunk = &log->chunks.items[log->chunks.count - 1];
  reader_t reader = {.chunk = chunk};
  uint32_t end = 0;
  while (read_next(&reader) && reader.tick < tick) {
    end = reader.position;
    log->last_sample = reader.item.input;
    log->paused_frames = reader.item.paused ? log->paused_frames + 1 : 0;
    log->last_tick = reader.item.paused ? log->last_tick : reader.tick;
  }
  chunk->size = end;
}

static void add_item(input_log_o *log, uint64_t tick, bool paused, const input_state_t *previous,
                     const input_state_t *input) {
  shoal_assert(previous && input, "the samples must not be NULL");
  uint8_t bytes[2 * SAMPLE_MAX_BYTES + 8];
  bool has_chunk = log->chunks.count > 0;
  chunk_t *chunk = has_chunk ? &log->chunks.items[log->chunks.count - 1] : NULL;
  if (!has_chunk || tick >= chunk->first_tick + CHUNK_TICKS) {
    chunk_t new_chunk = {.first_tick = tick};
    array_push(log->allocator, &log->chunks, new_chunk);
    chunk = &log->chunks.items[log->chunks.count - 1];
    memset(&log->last_sample, 0, sizeof log->last_sample);
  }
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a difference only in padding stores the sample again
  bool stores_previous = memcmp(previous, &log->last_sample, sizeof *previous) != 0;
  shoal_assert(tick >= chunk->first_tick, "tick %llu precedes its chunk's first tick %llu", (unsigned long long)tick,
               (unsigned long long)chunk->first_tick);
  size_t size = varint_write(tick - chunk->first_tick, bytes);
  bytes[size++] = (uint8_t)((paused ? PAUSED : 0) | (stores_previous ? PREVIOUS : 0));
  if (stores_previous)
    size += sample_encode_difference(&log->last_sample, previous, bytes + size);
  size += sample_encode_difference(previous, input, bytes + size);
  chunk->bytes = chunk->size + size > chunk->capacity
                     ? array_grow(log->allocator, chunk->bytes, &chunk->capacity, chunk->size + (uint32_t)size, 1)
                     : chunk->bytes;
  shoal_assert(chunk->bytes && chunk->size + size <= chunk->capacity, "%zu bytes exceed the chunk's capacity", size);
  memcpy(chunk->bytes + chunk->size, bytes, size);
  chunk->size += (uint32_t)size;
  log->last_sample = *input;
}

void input_log_add_tick(input_log_o *log, uint64_t tick, const input_state_t *previous, const input_state_t *input) {
  if (log->last_tick >= tick)
    discard_from(log, tick);
  add_item(log, tick, false, previous, input);
  log->last_tick = tick;
  log->paused_frames = 0;
  shoal_assert(log->chunks.count > 0, "the log has no chunk");
}

static bool has_actions(const input_state_t *input) {
  bool found = false;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    found |= input->actions[i].size > 0;
  return found;
}

// Stores a paused frame. Ignores frames in which the input did not change, and frames beyond MAX_PAUSED_FRAMES.
void input_log_add_paused(input_log_o *log, uint64_t next_tick, const input_state_t *previous,
                          const input_state_t *input) {
  if (log->last_tick >= next_tick)
    discard_from(log, next_tick);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): a difference only in padding stores the frame
  bool is_equal = memcmp(previous, input, sizeof *input) == 0 && !has_actions(input);
  if (is_equal || log->paused_frames >= MAX_PAUSED_FRAMES)
    return;
  add_item(log, next_tick, true, previous, input);
  log->paused_frames++;
}

void input_log_discard_before(input_log_o *log, uint64_t tick) {
  uint32_t count = 0;
  drop_results(log, 0, count_results_before(log, tick));
  while (count + 1 < log->chunks.count && log->chunks.items[count + 1].first_tick <= tick)
    free_chunk(log, count++);
  if (count == 0)
    return;
  memmove(log->chunks.items, log->chunks.items + count, (log->chunks.count - count) * sizeof *log->chunks.items);
  log->chunks.count -= count;
}

// Drops the results of later ticks, which belong to an abandoned timeline: ticks in the log only increase.
void input_log_add_result(input_log_o *log, uint64_t tick, external_result_t *result) {
  uint32_t first_later = count_results_before(log, tick + 1);
  drop_results(log, first_later, log->results.count - first_later);
  log_result_t entry = {.tick = tick, .result = external_result_retain(result)};
  array_push(log->allocator, &log->results, entry);
}

external_result_t *input_log_find_result(const input_log_o *log, uint64_t tick, external_kind_t kind, const char *key) {
  for (uint32_t i = count_results_before(log, tick); i < log->results.count && log->results.items[i].tick == tick;
       ++i) {
    external_result_t *result = log->results.items[i].result;
    if (result->kind == kind && strcmp(result->key, key) == 0)
      return external_result_retain(result);
  }
  return NULL;
}

uint64_t input_log_last_tick(const input_log_o *log) {
  return log->last_tick;
}

bool input_log_get_item(const input_log_o *log, uint64_t tick, uint32_t i, input_log_item_t *out) {
  uint32_t chunk = log->chunks.count;
  while (chunk > 0 && log->chunks.items[chunk - 1].first_tick > tick)
    chunk--;
  if (chunk == 0)
    return false;
  reader_t reader = {.chunk = &log->chunks.items[chunk - 1]};
  while (read_next(&reader))
    if (reader.tick == tick && i-- == 0) {
      *out = reader.item;
      return true;
    }
  return false;
}
