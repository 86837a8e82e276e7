// Seeded XXH3 hashes of bytes and strings.
#include "base/hash.h"

#define XXH_INLINE_ALL
#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1 // gcc -Og cannot inline calls through pointers and reports an error if it is forced to
#endif
#include <assert.h>
#include <string.h>
#include <xxhash.h>

uint64_t hash_bytes(const void *data, size_t size_bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size_bytes, seed);
}

uint64_t hash_text(const char *text) {
  return hash_bytes(text, strlen(text), 0);
}

static_assert(sizeof(XXH3_state_t) <= sizeof(hash_parts_t), "hash_parts_t must hold an XXH3_state_t");

void hash_parts_begin(hash_parts_t *h, uint64_t seed) {
  XXH3_state_t *state = (void *)h->bytes;
  XXH3_INITSTATE(state);
  XXH3_64bits_reset_withSeed(state, seed);
}

void hash_parts_add(hash_parts_t *h, const void *data, size_t size_bytes) {
  XXH3_64bits_update((void *)h->bytes, data, size_bytes);
}

uint64_t hash_parts_end(const hash_parts_t *h) {
  return XXH3_64bits_digest((const void *)h->bytes);
}
