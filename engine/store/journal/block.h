// Records with device samples. In a block, the devices before a record are those of the previous record, unless a
// PREVIOUS item changes them; before the first record, they are zero.
//
// PREVIOUS and SAMPLE are differences of samples: for each changed byte, the distance from the previous changed byte
// (varint) and the new value (1). The encoding is canonical.
#ifndef SHOAL_JOURNAL_BLOCK_H
#define SHOAL_JOURNAL_BLOCK_H

#include "journal/record.h"
#include "platform/input.h"

typedef struct block_reader_t {
  const uint8_t *bytes; // borrowed; the items of `record` point into them
  size_t size, position;
  record_coder_t coder;
  record_t record;
  input_state_t previous_input, input; // before and in the last TICK or FRAME
} block_reader_t;

// Starts reading a block.
void block_reader_begin(block_reader_t *r, const uint8_t *bytes, size_t size);
// Reads the next record. Returns false at the end of the block, or if the record is malformed; `position` is then less
// than `size`, and reading must end. Items other than samples are not checked. Safe for untrusted bytes.
bool block_reader_next(block_reader_t *r);

#define SAMPLE_MAX_BYTES (3 * sizeof(input_state_t)) // a distance takes at most two bytes

// Writes the bytes of `to` that differ from `from` to `out` (SAMPLE_MAX_BYTES). Returns the number of bytes written; 0
// if the samples are equal.
size_t sample_write_difference(const input_state_t *from, const input_state_t *to, uint8_t *out);
// Changes `sample`, which must equal the `from` of sample_write_difference, to `to`. Returns false if the bytes are
// malformed; the sample is then undefined.
bool sample_apply_difference(input_state_t *sample, const uint8_t *in, size_t size);

#endif
