// Compact differences between consecutive states: predicts a state from the three preceding states and encodes the
// prediction errors. The history and recordings use this codec. Its input may come from a file, so it is safe for
// untrusted bytes.
#ifndef SHOAL_SNAPSHOT_STATE_CODEC_H
#define SHOAL_SNAPSHOT_STATE_CODEC_H

#include "snapshot/snapshot.h"

typedef struct state_codec_o state_codec_o;

state_codec_o *state_codec_create(allocator_t *a);
void state_codec_destroy(state_codec_o *codec); // accepts NULL

// Encodes `current` relative to the previous states `previous` (most recent first; missing states are empty). Returns
// NULL if the sections of the states differ. The result is borrowed until the next call. Pass `raw_size` on to
// state_codec_decode.
const uint8_t *state_codec_encode(state_codec_o *codec, const snapshot_table_t previous[3],
                                  const snapshot_table_t *current, uint32_t *size, uint32_t *raw_size);
// Decodes into `out`, given the same `previous`. Returns false if the bytes are malformed or previous[0] is empty.
bool state_codec_decode(state_codec_o *codec, const snapshot_table_t previous[3], const uint8_t *bytes, uint32_t size,
                        uint32_t raw_size, snapshot_o *out);

#endif
