// Implements blocks, whose memory is published so that a forked child can read it at any time, and the encoding of
// device samples.
#include "journal/block.h"

#include "base/assert.h"
#include "base/varint.h"

#include <stdatomic.h>
#include <string.h>

_Static_assert(sizeof(input_state_t) < 1 << 14, "a distance takes more than two bytes");

// A part of a sample. `end`: end of the part in memory.
typedef struct sample_part_t {
  size_t at, end;
  bool is_of_players; // true if the part is zero in samples without players
} sample_part_t;

#define FIRST_PLAYERS 8u // number of players in the oldest recordings
#define PART(first, last, of_players)                                                                                  \
  { offsetof(input_state_t, first), offsetof(input_state_t, last), of_players }
#define LAST_PART(first, member)                                                                                       \
  { offsetof(input_state_t, first), offsetof(input_state_t, member) + sizeof((input_state_t *)0)->member, true }

// The parts of a sample in the order in which recordings store them. Distances count bytes in this order. Recordings
// contain players 1 to 8 at their original positions, and players 9 to 32 at the end. Add new parts at the end.
static const sample_part_t SAMPLE_PARTS[] = {
    PART(keys, has_players, false),
    PART(has_players, players.players[FIRST_PLAYERS], true),
    PART(player_infos[0], player_infos[FIRST_PLAYERS], true),
    PART(actions[0], actions[FIRST_PLAYERS], true),
    PART(has_notches, motion_x[0], false),
    PART(motion_x[0], motion_x[FIRST_PLAYERS], true),
    PART(motion_y[0], motion_y[FIRST_PLAYERS], true),
    PART(players.players[FIRST_PLAYERS], player_infos[0], true),
    PART(player_infos[FIRST_PLAYERS], actions[0], true),
    PART(actions[FIRST_PLAYERS], has_notches, true),
    PART(motion_x[FIRST_PLAYERS], motion_y[0], true),
    LAST_PART(motion_y[FIRST_PLAYERS], motion_y),
};
#define SAMPLE_PART_COUNT (sizeof SAMPLE_PARTS / sizeof *SAMPLE_PARTS)

_Static_assert(sizeof(input_state_t) % sizeof(uint64_t) == 0 &&
                   offsetof(input_state_t, has_players) % sizeof(uint64_t) == 0 &&
                   sizeof(sampled_player_t) % sizeof(uint64_t) == 0 && sizeof(player_info_t) % sizeof(uint64_t) == 0 &&
                   sizeof(player_actions_t) % sizeof(uint64_t) == 0 &&
                   offsetof(input_state_t, has_notches) % sizeof(uint64_t) == 0 &&
                   offsetof(input_state_t, motion_x) % sizeof(uint64_t) == 0,
               "samples are compared in words");

size_t sample_write_difference(const input_state_t *from, const input_state_t *to, uint8_t *out) {
  const uint8_t *a = (const uint8_t *)from, *b = (const uint8_t *)to;
  const size_t word = sizeof(uint64_t);
  bool has_players = from->has_players || to->has_players;
  // `position`: the part's position in the order of recordings; `end`: position after the previous difference
  size_t position = 0, end = 0, size = 0;
  for (size_t p = 0; p < SAMPLE_PART_COUNT; ++p) {
    const sample_part_t *part = &SAMPLE_PARTS[p];
    bool is_equal =
        (part->is_of_players && !has_players) || memcmp(a + part->at, b + part->at, part->end - part->at) == 0;
    for (size_t at = is_equal ? part->end : part->at; at < part->end; at += word) {
      if (memcmp(a + at, b + at, word) == 0)
        continue;
      for (size_t i = at; i < at + word; ++i) {
        if (a[i] == b[i])
          continue;
        size += varint_write(position + (i - part->at) - end, out + size);
        out[size++] = b[i];
        end = position + (i - part->at) + 1;
      }
    }
    position += part->end - part->at;
  }
  return size;
}

bool sample_apply_difference(input_state_t *sample, const uint8_t *in, size_t size) {
  const sample_part_t *part = SAMPLE_PARTS;
  uint8_t *bytes = (uint8_t *)sample;
  // `position`, `part_position`: positions in the order of recordings; `at`: index into `in`
  size_t position = 0, part_position = 0, at = 0;
  while (at < size) {
    uint64_t distance;
    size_t read = varint_read_shortest(in + at, size - at, &distance);
    if (read == 0 || at + read == size || distance >= sizeof *sample - position)
      return false;
    at += read;
    position += distance;
    for (; position - part_position >= part->end - part->at; ++part)
      part_position += part->end - part->at;
    uint8_t *byte = &bytes[part->at + (position - part_position)];
    if (*byte == in[at])
      return false;
    *byte = in[at++];
    ++position;
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
// if an item is malformed or at the wrong position.
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
