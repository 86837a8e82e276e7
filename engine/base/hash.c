// XXH3, seeded, over bytes and texts.
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

uint64_t hash_bytes(const void *data, size_t size_bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size_bytes, seed);
}

uint64_t hash_text(const char *text) {
  return hash_bytes(text, strlen(text), 0);
}
