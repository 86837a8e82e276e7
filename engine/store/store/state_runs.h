// Encodes the state of a world in a save as arithmetic runs of 32-bit words. Most of the state of an empty world that
// once had many entities consists of such runs: the generations of freed indices, the ticks at which they were freed,
// and the queue of free indices. The decoder is safe for untrusted bytes, because its input may come from a file.
//
// Format: magic "SHOALRUN", size of the state in bytes (uint64_t), segments of words, and the remaining bytes that do
// not fill a word. A segment begins with a word: its number of words × 2, plus 1 for a run. A run then contains its
// first word and the difference between consecutive words. Any other segment contains its words. Little-endian.
#ifndef SHOAL_STORE_STATE_RUNS_H
#define SHOAL_STORE_STATE_RUNS_H

#include "base/alloc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATE_RUNS_MAX_BYTES ((size_t)1 << 30) // maximum size of a decoded state

typedef struct state_runs_t {
  uint8_t *bytes;
  size_t size, capacity;
} state_runs_t;

// Appends the encoded state to `out`, which the caller frees with state_runs_free. Returns true if the encoding is
// smaller than the state. Returns false if the encoding is not smaller, or if the state exceeds STATE_RUNS_MAX_BYTES.
bool state_runs_encode(const void *state, size_t size, state_runs_t *out, allocator_t *a);
// Returns true if the bytes begin like an encoded state.
bool state_runs_detect(const void *bytes, size_t size);
// Decodes a state. Returns true on success, or false if the bytes are malformed.
bool state_runs_decode(const void *bytes, size_t size, state_runs_t *out, allocator_t *a);
void state_runs_free(state_runs_t *runs, allocator_t *a);

#endif
