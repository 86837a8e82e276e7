// Implements blocks, whose memory is published so that a forked child can read it at any time, and the encoding of
// device samples.
#include "journal/block.h"

#include "base/assert.h"
#include "base/varint.h"

#include <stdatomic.h>
#include <string.h>

_Static_assert(sizeof(input_state_t) < 1 << 14, "a distance takes more than two bytes");
_Static_assert(sizeof(input_state_t) % sizeof(uint64_t) == 0 &&
                   offsetof(input_state_t, has_players) % sizeof(uint64_t) == 0 &&
                   offsetof(input_state_t, has_notches) % sizeof(uint64_t) == 0,
               "samples are compared in words");

size_t sample_write_difference(const input_state_t *from, const input_state_t *to, uint8_t *out) {
  const uint8_t *a = (const uint8_t *)from, *b = (const uint8_t *)to;
  const size_t word = sizeof(uint64_t);
  // In samples without players, the player inputs at the end are zero, and are not compared
  size_t players_end = offsetof(input_state_t, has_notches);
  size_t players = from->has_players || to->has_players ? players_end : offsetof(input_state_t, has_players);
  size_t end = 0, size = 0;
  for (size_t at = 0; at < sizeof *to; at += word) {
    at = at == players ? players_end : at;
    if (memcmp(a + at, b + at, word) == 0)
      continue;
    for (size_t i = at; i < at + word; ++i) {
      if (a[i] == b[i])
        continue;
      size += varint_write(i - end, out + size);
      out[size++] = b[i];
      end = i + 1;
    }
  }
  return size;
}

bool sample_apply_difference(input_state_t *sample, const uint8_t *in, size_t size) {
  uint8_t *bytes = (uint8_t *)sample;
  size_t position = 0, at = 0;
  while (at < size) {
    uint64_t distance;
    size_t read = varint_read_shortest(in + at, size - at, &distance);
    if (read == 0 || at + read == size || distance >= sizeof *sample - position)
      return false;
    at += read;
    position += distance;
    if (bytes[position] == in[at])
      return false;
    bytes[position++] = in[at++];
  }
  return true;
}

// --- memory

void block_publish_writes(void) {
  atomic_thread_fence(memory_order_release);
}

block_t *block_create(allocator_t *a) {
  block_t *block = alloc_resize(a, NULL, 0, sizeof *block);
  *block = (block_t){.references = 1, .first_tick = BLOCK_UNKNOWN_TICK, .rewound_to = BLOCK_UNKNOWN_TICK};
  return block;
}

block_t *block_retain(block_t *block) {
  ++block->references;
  return block;
}

void block_release(allocator_t *a, block_t *block) {
  if (--block->references > 0)
    return;
  alloc_resize(a, block->bytes, block->capacity, 0);
  alloc_resize(a, block, sizeof *block, 0);
}

// Grows like array_grow, but frees the old bytes only after publishing the new bytes.
void block_reserve(allocator_t *a, block_t *block, size_t size) {
  uint32_t capacity = block->capacity ? block->capacity : 64, old_capacity = block->capacity;
  uint8_t *old_bytes = block->bytes;
  shoal_assert(block->size + size < UINT32_MAX / 2, "%zu bytes are too many for a block", block->size + size);
  if (block->size + size <= block->capacity)
    return;
  while (capacity < block->size + size)
    capacity *= 2;
  uint8_t *bytes = alloc_resize(a, NULL, 0, capacity);
  if (block->size > 0)
    memcpy(bytes, old_bytes, block->size);
  block_publish_writes();
  block->bytes = bytes;
  block->capacity = capacity;
  block_publish_writes();
  alloc_resize(a, old_bytes, old_capacity, 0);
}

block_t *block_copy_before(allocator_t *a, const block_t *block, uint64_t tick, uint64_t last_number) {
  block_t *copy = block_create(a);
  block_reader_t reader;
  size_t size = 0;
  block_reader_begin(&reader, block->bytes, block->size);
  while (block_reader_next(&reader) &&
         !(block_reader_has_tick(&reader) && reader.record.tick >= tick && reader.record.number > last_number)) {
    size = reader.position;
    if (reader.record.kind == RECORD_TICK)
      copy->last_tick = reader.record.tick;
  }
  block_reserve(a, copy, size);
  if (size > 0)
    memcpy(copy->bytes, block->bytes, size);
  copy->size = (uint32_t)size;
  copy->first_tick = block->first_tick;
  copy->begins_with_input = block->begins_with_input;
  return copy;
}

// --- reading

void block_reader_begin(block_reader_t *r, const uint8_t *bytes, size_t size) {
  r->bytes = bytes;
  r->size = size;
  r->position = 0;
  r->coder = (record_coder_t){.has_large_items = true};
  memset(&r->input, 0, sizeof r->input);
}

// Applies the PREVIOUS item and the SAMPLE item. Each may occur once, in this order. Returns true on success, or false
// if an item is malformed or at the wrong place.
static bool apply_samples(block_reader_t *r) {
  const record_item_t *previous = NULL, *sample = NULL;
  bool is_valid = true;
  for (uint32_t i = 0; i < r->record.item_count; ++i) {
    const record_item_t *item = &r->record.items[i];
    if (item->kind == RECORD_ITEM_PREVIOUS) {
      is_valid &= !previous && !sample && item->size > 0;
      previous = item;
    } else if (item->kind == RECORD_ITEM_SAMPLE) {
      is_valid &= !sample && item->size > 0;
      sample = item;
    }
  }
  if (r->record.kind != RECORD_TICK && r->record.kind != RECORD_FRAME)
    return !previous && !sample;
  if (is_valid && previous)
    is_valid = sample_apply_difference(&r->input, previous->bytes, previous->size);
  r->previous_input = r->input;
  return is_valid && (!sample || sample_apply_difference(&r->input, sample->bytes, sample->size));
}

bool block_reader_next(block_reader_t *r) {
  if (r->position == r->size)
    return false;
  size_t size = record_read(&r->coder, r->bytes + r->position, r->size - r->position, &r->record);
  if (size == 0 || !apply_samples(r))
    return false;
  r->position += size;
  return true;
}

bool block_reader_has_tick(const block_reader_t *r) {
  return r->record.kind == RECORD_TICK || r->record.kind == RECORD_FRAME || r->record.kind == RECORD_ITEMS;
}
