// Decodes files in a row in one restricted child process (decode/decoder.h), each with its own time limit. Results come
// in the order in which the files were added.
//
// A file that crashes the child, or exceeds its time, fails alone: the rest goes on in another child. Since an earlier
// file may have damaged the child, the file at which it failed is tried again as the first of the next child. A child
// whose decoder has refused a file is not used again: its memory may be damaged.
//
// The child reads its files before it is restricted, at most DECODER_BATCH_LOAD_BYTES of them unless the first one is
// larger; a further child reads the rest.
//
// A trusted file needs no child, which costs some milliseconds: it is decoded in this process, when its result is
// requested.
// Main thread.
#ifndef SHOAL_DECODE_DECODER_BATCH_H
#define SHOAL_DECODE_DECODER_BATCH_H

#include "decode/decoder.h"

#define DECODER_BATCH_LOAD_BYTES ((size_t)64 << 20)

typedef struct decoder_batch_o decoder_batch_o;

typedef struct decoder_batch_desc_t {
  decode_t *decode;          // gets a file's bytes with a '\0' after them; needs_room: called again in another child
  decode_prepare_t *prepare; // may be NULL
  size_t room_bytes;         // for the decoded bytes of one child
  uint32_t limit_ms;         // for each file
} decoder_batch_desc_t;

typedef struct decoder_result_t {
  uint64_t id;
  const uint8_t *out; // NULL: it failed
  size_t out_bytes;
  bool refused; // `why` comes from the decoder or from reading the file; else the child failed
  error_t why;
} decoder_result_t;

decoder_batch_o *decoder_batch_create(const decoder_batch_desc_t *desc);
void decoder_batch_destroy(decoder_batch_o *b); // may be NULL
void decoder_batch_add(decoder_batch_o *b, uint64_t id, const char *path, bool is_trusted);
// Returns the next result in `out`, valid until the next call; starts a child if there are files left. Returns false if
// none is left, or, unless `wait`, if none is ready.
bool decoder_batch_next(decoder_batch_o *b, bool wait, decoder_result_t *out);
uint32_t decoder_batch_left(const decoder_batch_o *b);     // files whose results were not returned yet
uint32_t decoder_batch_children(const decoder_batch_o *b); // started so far
void decoder_batch_clear(decoder_batch_o *b);              // drops the files that are left, and ends the child

#endif
