// Runs one decoder of untrusted bytes in a restricted child process (decode/sandbox.h). A crash, an endless loop or a
// wish for all memory costs that process alone. The child returns bytes through shared memory; the caller must treat
// them as untrusted, too: it knows how long they must be and reads them as plain numbers.
//
// The child may use 1 GB more memory than this process has now, and `limit_ms` of processor time. Main thread.
#ifndef SHOAL_DECODE_DECODER_H
#define SHOAL_DECODE_DECODER_H

#include "process/child.h"
#include "base/error.h"

#define DECODER_MEMORY_MB 1024u
#define DECODER_WHY_BYTES 512u
#define DECODER_CPU_S(limit_ms) ((limit_ms) / 1000 + 2) // the parent's limit of `limit_ms` comes first

// What a decoder works on, in the child.
typedef struct decode_job_t {
  const void *in;
  size_t in_bytes;
  uint8_t *out;     // zeroed
  size_t out_bytes; // in: capacity of `out`; out: bytes used
  error_t *why;     // for error_set on failure; DECODER_WHY_BYTES of it are kept
  bool needs_room;  // set with a failure of a batch's decoder: only the capacity was too small (decode/decoder_batch.h)
} decode_job_t;

// Returns false if the input cannot be decoded.
typedef bool decode_t(decode_job_t *job);
// Called in the child before it is restricted: loads libraries that the decoder needs.
typedef void decode_prepare_t(void);

typedef struct decoder_desc_t {
  decode_t *decode;
  decode_prepare_t *prepare; // may be NULL
  const void *in;            // valid until decoder_begin returns
  size_t in_bytes;
  size_t out_bytes; // capacity; memory is used only where it is written
  uint32_t limit_ms;
} decoder_desc_t;

typedef struct decoder_t {
  child_t child;
  bool runs;
  void *shared; // NULL: not begun
  size_t shared_bytes, out_bytes;
} decoder_t;

// Starts the child. Returns false with a message where the system starts none.
bool decoder_begin(decoder_t *d, const decoder_desc_t *desc, error_t *error);
bool decoder_is_done(decoder_t *d); // does not wait
// Waits for the end of the child, or until the program is asked to end. Returns the `out_bytes` decoded bytes, valid
// until decoder_free, or NULL with a message.
const uint8_t *decoder_end(decoder_t *d, size_t *out_bytes, error_t *error);
void decoder_free(decoder_t *d); // at any time; kills a running child

// For decoder_batch.c: after child_end. Returns false with a message unless the child ended by itself.
bool decoder_ended_well(const child_t *c, error_t *error);

#endif
