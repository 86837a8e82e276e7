// The difference between neighbouring states, small: a state is foretold from the three before it, and what is kept is by how much
// that was wrong. Used by the history of a running game and by recordings, so what is read may come from a file: any bytes are safe.
#ifndef SHOAL_HOST_DELTA_H
#define SHOAL_HOST_DELTA_H

#include "ecs/snapshot.h"

// A snapshot's bytes and its table of sections; `table` is NULL of an empty or damaged one. Borrowed.
typedef struct delta_state_t {
  const uint8_t *bytes;
  size_t size, head; // head: up to the end of the table
  const snapshot_section_t *table;
  uint32_t count;
} delta_state_t;

delta_state_t delta_state(const snapshot_o *s);
bool delta_same_sections(const delta_state_t *a, const delta_state_t *b);

typedef struct delta_o delta_o;

delta_o *delta_create(allocator_t *a);
void delta_destroy(delta_o *d); // NULL is fine

// The difference of `now` from `last`, the states before it, the nearest first; missing ones are empty. NULL when the states have other
// sections. Borrowed until the next call. `raw_size` is what delta_read wants to know.
const uint8_t *delta_write(delta_o *d, const delta_state_t last[3], const delta_state_t *now, uint32_t *size,
                           uint32_t *raw_size);
// The other way round, into `out`, from the same `last`. False when the bytes are none that delta_write made.
bool delta_read(delta_o *d, const delta_state_t last[3], const uint8_t *bytes, uint32_t size, uint32_t raw_size,
                snapshot_o *out);

#endif
