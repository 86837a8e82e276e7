// 64-bit content hashes (XXH3) for world hashes and lookup tables. Recordings contain them, so the algorithm must not
// change.
#ifndef SHOAL_BASE_HASH_H
#define SHOAL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// These functions return the hash of bytes or of a string. To chain hashes, pass the previous result as `seed`.
uint64_t hash_bytes(const void *data, size_t size_bytes, uint64_t seed);
uint64_t hash_text(const char *text);

// Incremental hash: equals hash_bytes of all parts concatenated, with the same seed.
typedef struct hash_parts_t {
  _Alignas(64) unsigned char bytes[640];
} hash_parts_t;
void hash_parts_begin(hash_parts_t *h, uint64_t seed);
void hash_parts_add(hash_parts_t *h, const void *data, size_t size_bytes);
uint64_t hash_parts_end(const hash_parts_t *h);

#endif
