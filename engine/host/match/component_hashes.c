// Lists of component hashes. An entry is the name's length (1 byte), the name, and the 64-bit hash folded to 32 bits (4
// bytes).
#include "match/component_hashes.h"

#include "ecs/world.h"
#include "ecs/world_hash.h"

#include <string.h>

// Writes one entry. Returns its size, or 0 if it exceeds `capacity` or the name is longer than 255 bytes.
static size_t write_hash(const char *name, uint64_t full, uint8_t *out, size_t capacity) {
  uint32_t hash = (uint32_t)(full ^ full >> 32);
  size_t length = strlen(name);
  if (length > UINT8_MAX || 1 + length + sizeof hash > capacity)
    return 0;
  out[0] = (uint8_t)length;
  memcpy(out + 1, name, length);
  memcpy(out + 1 + length, &hash, sizeof hash);
  return 1 + length + sizeof hash;
}

uint64_t match_hash_world(world_o *w) {
  uint64_t hash = world_hash(w);
  return hash ? hash : 1;
}

size_t component_hashes_write(world_o *w, uint8_t *out, size_t capacity) {
  size_t at = write_hash(COMPONENT_HASHES_ENTITIES, world_entities_hash(w), out, capacity);
  for (uint32_t i = 1; i <= world_manager_count(w); ++i) {
    uint64_t hash = world_component_hash(w, i);
    if (hash != 0)
      at += write_hash(world_manager(w, i)->schema.name, hash, out + at, capacity - at);
  }
  return at;
}

// Returns the hash of the component `name`, or 0 if the list is malformed or does not contain the component.
static uint32_t find_hash(const uint8_t *bytes, size_t size, const char *name) {
  uint32_t hash = 0;
  for (size_t at = 0, length; at < size; at += 1 + length + sizeof hash) {
    length = bytes[at];
    if (size - at < 1 + length + sizeof hash)
      return 0;
    if (strlen(name) != length || memcmp(bytes + at + 1, name, length) != 0)
      continue;
    memcpy(&hash, bytes + at + 1 + length, sizeof hash);
    return hash;
  }
  return 0;
}

bool component_hashes_differ(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, const char *name) {
  return find_hash(a, a_size, name) != find_hash(b, b_size, name);
}
