// The difference between neighbouring states, small: a state is foretold from the three before it, and what is kept is
// by how much that was wrong. Used by the history of a running game and by recordings, so what is read may come from a
// file: any bytes are safe.
#ifndef SHOAL_SNAPSHOT_STATE_CODEC_H
#define SHOAL_SNAPSHOT_STATE_CODEC_H

#include "snapshot/snapshot.h"

typedef struct state_codec_o state_codec_o;

state_codec_o *state_codec_create(allocator_t *a);
void state_codec_destroy(state_codec_o *d); // NULL is fine

// The difference of `now` from `last`, the states before it, the nearest first; missing ones are empty. NULL when the
// states have other sections. Borrowed until the next call. `raw_size` is what state_codec_read wants to know.
const uint8_t *state_codec_write(state_codec_o *d, const snapshot_table_t last[3], const snapshot_table_t *now,
                                 uint32_t *size, uint32_t *raw_size);
// The other way round, into `out`, from the same `last`. False when state_codec_write cannot have made the bytes.
bool state_codec_read(state_codec_o *d, const snapshot_table_t last[3], const uint8_t *bytes, uint32_t size,
                      uint32_t raw_size, snapshot_o *out);

#endif
