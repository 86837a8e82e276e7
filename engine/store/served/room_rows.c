// Checksums of the rows of a room: XXH3 of the numbers (8 bytes each, little-endian), and of each text and blob after
// its size.
#include "served/room_rows.h"

#include "base/hash.h"

#include <string.h>

static void add_number(hash_parts_t *h, uint64_t number) {
  uint8_t bytes[8];
  for (uint32_t i = 0; i < sizeof bytes; ++i)
    bytes[i] = (uint8_t)(number >> 8 * i);
  hash_parts_add(h, bytes, sizeof bytes);
}

static void add_bytes(hash_parts_t *h, const void *bytes, size_t size) {
  add_number(h, size);
  if (size > 0)
    hash_parts_add(h, bytes, size);
}

static hash_parts_t begin(int64_t room, uint64_t first, uint64_t second) {
  hash_parts_t h;
  hash_parts_begin(&h, 0);
  add_number(&h, (uint64_t)room);
  add_number(&h, first);
  add_number(&h, second);
  return h;
}

uint64_t room_block_hash(int64_t room, const room_block_t *block) {
  hash_parts_t h = begin(room, block->first, block->last);
  add_bytes(&h, block->bytes, block->size);
  return hash_parts_end(&h);
}

uint64_t room_snapshot_hash(int64_t room, const room_snapshot_t *snapshot, const char *engine, uint64_t base) {
  hash_parts_t h = begin(room, snapshot->number, snapshot->tick);
  add_number(&h, snapshot->hash);
  add_number(&h, base);
  add_number(&h, snapshot->code);
  add_bytes(&h, engine, strlen(engine));
  add_bytes(&h, snapshot->head, snapshot->head_size);
  add_bytes(&h, snapshot->state, snapshot->state_size);
  return hash_parts_end(&h);
}

uint64_t room_save_hash(int64_t room, const room_save_t *save, const char *engine, uint64_t base) {
  hash_parts_t h = begin(room, save->number, save->tick);
  add_number(&h, base);
  add_number(&h, save->code);
  add_bytes(&h, engine, strlen(engine));
  add_bytes(&h, save->bytes, save->size);
  return hash_parts_end(&h);
}
