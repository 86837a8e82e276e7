// Decodes untrusted files in a row in one restricted child process (decode/sandbox.h), each with its own time limit. A
// crash, an endless loop or a request for all memory costs that process alone. Results come in the order in which the
// files were added, in memory that both processes share; callers must treat them as untrusted, too: they know how long
// the bytes must be, and read them as plain numbers.
//
// A file that crashes the child, or exceeds its time, fails alone: the rest goes on in another child. Since an earlier
// file may have damaged the child, the file at which it failed is tried again as the first of the next child. A child
// whose decoder has refused a file is not used again: its memory may be damaged.
//
// The child may use 1 GB more memory than this process has now, and `limit_ms` of processor time for each file. It
// reads its files before it is restricted, at most DECODER_LOAD_BYTES of them unless the first one is larger; a further
// child reads the rest.
//
// A trusted file needs no child, which costs some milliseconds: it is decoded in this process, when its result is
// requested.
// Main thread.
#ifndef SHOAL_DECODE_DECODER_H
#define SHOAL_DECODE_DECODER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define DECODER_LOAD_BYTES ((size_t)64 << 20)
#define DECODER_MEMORY_MB 1024u
#define DECODER_WHY_BYTES 512u

typedef struct decoder_o decoder_o;
typedef struct decoder_memory_t decoder_memory_t; // that a child has written its results to

// What a decoder works on, in the child.
typedef struct decode_job_t {
  const void *in;
  size_t in_bytes;
  uint8_t *out;     // zeroed
  size_t out_bytes; // in: capacity of `out`; out: bytes used
  error_t *why;     // for error_set on failure; DECODER_WHY_BYTES of it are kept
  bool needs_room;  // set with a failure: only the capacity was too small. Called again in another child
} decode_job_t;

// Returns false if the input cannot be decoded.
typedef bool decode_t(decode_job_t *job);
// Called in the child before it is restricted: loads libraries that the decoder needs.
typedef void decode_prepare_t(void);

typedef struct decoder_desc_t {
  decode_t *decode;          // gets a file's bytes
  decode_prepare_t *prepare; // may be NULL
  size_t room_bytes;         // for the decoded bytes of one child; memory is used only where it is written
  uint32_t limit_ms;         // for each file
} decoder_desc_t;

typedef struct decoder_result_t {
  uint64_t id;
  const uint8_t *out; // NULL: it failed
  size_t out_bytes;
  bool refused; // `why` comes from the decoder or from reading the file; else the child failed
  error_t why;
} decoder_result_t;

decoder_o *decoder_create(const decoder_desc_t *desc);
void decoder_destroy(decoder_o *d); // may be NULL
void decoder_add(decoder_o *d, uint64_t id, const char *path, bool is_trusted);
// Adds a file that the caller has read; `bytes` must be valid until its result was returned.
void decoder_add_bytes(decoder_o *d, uint64_t id, const void *bytes, size_t size_bytes, bool is_trusted);
// Returns the next result in `out`, valid until the next call; starts a child if there are files left. Returns false if
// none is left, or, unless `wait`, if none is ready.
bool decoder_next(decoder_o *d, bool wait, decoder_result_t *out);
uint32_t decoder_left(const decoder_o *d);     // files whose results were not returned yet
uint32_t decoder_children(const decoder_o *d); // started so far
void decoder_clear(decoder_o *d);              // drops the files that are left, and ends the child

// Keeps the bytes of the last result, which decoder_next has returned, until decoder_release.
decoder_memory_t *decoder_keep(decoder_o *d);
void decoder_release(decoder_memory_t *memory); // may be NULL

#endif
