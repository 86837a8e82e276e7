// Blocks: runs of encoded records with device samples. In a block, the devices before a record equal the previous
// record's devices, unless a PREVIOUS item changes them. Before the first record, all devices are zero.
//
// The journal appends to its open block. Complete blocks never change, so the journal's clients share them. A child
// forked from a crashing process can read a block's complete records wherever the process was interrupted.
//
// PREVIOUS and SAMPLE are differences of samples: for each changed byte, the distance from the previous changed byte
// (varint) and the new value (1). The encoding is canonical.
#ifndef SHOAL_JOURNAL_BLOCK_H
#define SHOAL_JOURNAL_BLOCK_H

#include "base/alloc.h"
#include "journal/record.h"
#include "platform/input.h"

#define BLOCK_UNKNOWN_TICK UINT64_MAX

typedef struct block_t {
  uint32_t references; // number of references by the journal and by logs
  uint32_t size;       // size of the complete records in bytes
  uint32_t capacity;
  bool is_open; // true if the journal may still append records
  // true if the first record belongs to `first_tick`, so that a recording can begin with this block
  bool begins_with_input;
  uint64_t first_tick; // tick of the first TICK or FRAME; BLOCK_UNKNOWN_TICK before that record
  uint64_t last_tick;  // tick of the last TICK; 0 before that record
  uint64_t rewound_to; // earliest tick that a BACK in the block led to; BLOCK_UNKNOWN_TICK if the block has no BACK
  uint8_t *bytes;
} block_t;

block_t *block_create(allocator_t *a); // returns a block with one reference
block_t *block_retain(block_t *block); // returns `block`
void block_release(allocator_t *a, block_t *block);
void block_reserve(allocator_t *a, block_t *block, size_t size); // makes space for `size` more bytes
// Returns a new, complete block with the records before the first TICK, FRAME or ITEMS that has `tick` or a later tick
// and a number above `last_number`.
block_t *block_copy_before(allocator_t *a, const block_t *block, uint64_t tick, uint64_t last_number);
// Memory barrier: a child forked from a crashing process that sees writes made after this call also sees all writes
// made before it.
void block_publish_writes(void);

typedef struct block_reader_t {
  const uint8_t *bytes; // bytes of the block, borrowed; the items of `record` point into these bytes
  size_t size, position;
  record_coder_t coder;
  record_t record;
  input_state_t previous_input, input; // device input before and in the most recent TICK or FRAME
} block_reader_t;

// Starts reading a block of `size` bytes, borrowed until the last record has been read.
void block_reader_begin(block_reader_t *r, const uint8_t *bytes, size_t size);
// Reads the next record. Returns true on success. Returns false at the end of the block. Also returns false if the
// record is malformed. `position` is then less than `size`. Does not check items other than samples. Safe for untrusted
// bytes.
bool block_reader_next(block_reader_t *r);
// Returns true if the record is a TICK, FRAME or ITEMS, which belongs to the tick `record.tick`.
bool block_reader_has_tick(const block_reader_t *r);

// Maximum size of a difference: for each byte of the sample, a distance of at most two bytes and the new value.
#define SAMPLE_MAX_BYTES (3 * sizeof(input_state_t))

// Writes the differences between `from` and `to` (PREVIOUS and SAMPLE, see above) to `out` (SAMPLE_MAX_BYTES). Returns
// the number of bytes written, or 0 if the samples are equal.
size_t sample_write_difference(const input_state_t *from, const input_state_t *to, uint8_t *out);
// Changes `sample`, which must equal the `from` of sample_write_difference, to `to`. Returns true on success. Returns
// false if the bytes are malformed. The sample is then undefined.
bool sample_apply_difference(input_state_t *sample, const uint8_t *in, size_t size);

#endif
