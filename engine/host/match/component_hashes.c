// Format: for each component its name's length (1), its name, and 32 bits of its hash.
#include "match/component_hashes.h"

#include "base/error.h"
#include "ecs/world.h"
#include "ecs/world_hash.h"

#include <stdio.h>
#include <string.h>

typedef struct named_hash_t {
  char name[256];
  uint32_t hash;
} named_hash_t;

size_t component_hashes_write(world_o *w, uint8_t *out, size_t capacity) {
  size_t at = 0;
  for (uint32_t i = 1; i <= world_manager_count(w); ++i) {
    const char *name = world_manager(w, i)->schema.name;
    uint64_t full = world_component_hash(w, i);
    uint32_t hash = (uint32_t)(full ^ full >> 32);
    size_t length = strlen(name);
    if (full == 0 || length > UINT8_MAX || at + 1 + length + sizeof hash > capacity)
      continue;
    out[at++] = (uint8_t)length;
    memcpy(out + at, name, length);
    at += length;
    memcpy(out + at, &hash, sizeof hash);
    at += sizeof hash;
  }
  return at;
}

static bool read_hash(const uint8_t *bytes, size_t size, size_t *at, named_hash_t *out) {
  size_t length = *at < size ? bytes[*at] : 0;
  if (length == 0 || size - *at < 1 + length + sizeof out->hash)
    return false;
  memcpy(out->name, bytes + *at + 1, length);
  out->name[length] = '\0';
  memcpy(&out->hash, bytes + *at + 1 + length, sizeof out->hash);
  *at += 1 + length + sizeof out->hash;
  return true;
}

// Returns the hash of a component; 0 if it is not in the list.
static uint32_t find_hash(const uint8_t *bytes, size_t size, const char *name) {
  named_hash_t item;
  for (size_t at = 0; read_hash(bytes, size, &at, &item);)
    if (strcmp(item.name, name) == 0)
      return item.hash;
  return 0;
}

static void append(char *out, size_t out_bytes, uint32_t count, const char *name, uint32_t host, uint32_t own) {
  size_t length = strlen(out);
  (void)snprintf(out + length, out_bytes - length, "%s%s %08x and %08x", count > 0 ? ", " : "", name, host, own);
}

uint32_t component_hashes_compare(const uint8_t *host, size_t host_size, const uint8_t *own, size_t own_size, char *out,
                                  size_t out_bytes) {
  named_hash_t item;
  uint32_t count = 0;
  out[0] = '\0';
  for (size_t at = 0; read_hash(host, host_size, &at, &item);) {
    uint32_t own_hash = find_hash(own, own_size, item.name);
    if (own_hash != item.hash)
      append(out, out_bytes, count++, item.name, item.hash, own_hash);
  }
  for (size_t at = 0; read_hash(own, own_size, &at, &item);)
    if (find_hash(host, host_size, item.name) == 0 && item.hash != 0)
      append(out, out_bytes, count++, item.name, 0, item.hash);
  error_strip_controls(out);
  return count;
}
