// 64-bit content hashes (XXH3) for world hashes and lookup tables. The value is part of replays: the algorithm stays.
#ifndef SHOAL_BASE_HASH_H
#define SHOAL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// Chains: pass the previous result as `seed`.
uint64_t hash_bytes(const void *data, size_t size_bytes, uint64_t seed);
uint64_t hash_text(const char *text);

#endif
