// Compact differences between consecutive states: predicts a state from the three preceding states and encodes the
// prediction errors. The history and recordings use this codec. Safe for untrusted bytes, because the input may come
// from a file.
#ifndef SHOAL_SNAPSHOT_SNAPSHOT_CODEC_H
#define SHOAL_SNAPSHOT_SNAPSHOT_CODEC_H

#include "snapshot/snapshot.h"

typedef struct snapshot_codec_o snapshot_codec_o;

snapshot_codec_o *snapshot_codec_create(allocator_t *a);
void snapshot_codec_destroy(snapshot_codec_o *codec); // accepts NULL

// Encodes `current` relative to the previous states `previous` (most recent first; missing states are empty). Returns
// the encoded bytes, or NULL if the sections of the states differ. The result is borrowed until the next call. Pass
// `raw_size` on to snapshot_codec_decode.
const uint8_t *snapshot_codec_encode(snapshot_codec_o *codec, const snapshot_table_t previous[3],
                                     const snapshot_table_t *current, uint32_t *size, uint32_t *raw_size);
// Decodes a state into `out`, given the same `previous` as the encoder. Returns true on success; false if the bytes are
// malformed or previous[0] is empty.
bool snapshot_codec_decode(snapshot_codec_o *codec, const snapshot_table_t previous[3], const uint8_t *bytes,
                           uint32_t size, uint32_t raw_size, snapshot_o *out);

#endif
