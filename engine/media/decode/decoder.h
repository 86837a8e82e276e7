// Decodes untrusted files sequentially in a restricted child process (process/sandbox.h), with a time limit for each
// file. A crash, an endless loop or excessive memory use affects only that process. Results are delivered in shared
// memory, in the order of the files. Callers must not trust them either: check their length and read them as plain
// numbers.
//
// If a file crashes the child or exceeds its time limit, only that file fails, and a new child continues with the next
// file. An earlier file may have damaged the child. Therefore a file fails only if it was the first of its child.
// Otherwise, it is retried as the first of the next child. A child whose decoder rejected a file is not reused, because
// its memory may be damaged.
//
// A child may use 1 GB more memory than this process uses when the child starts, and `limit_ms` of CPU time per file.
// Before a child is restricted, it reads files one by one until their total size is at least DECODER_LOAD_BYTES.
// Later children read the remaining files.
//
// A child is a task (process/task.h), whose start takes milliseconds (design/0073). Trusted files avoid this cost: they
// are decoded in this process when their result is requested.
//
// Main thread only.
#ifndef SHOAL_DECODE_DECODER_H
#define SHOAL_DECODE_DECODER_H

#include "base/error.h"
#include "process/task.h"

#include <stddef.h>
#include <stdint.h>

#define DECODER_LOAD_BYTES ((size_t)64 << 20)
#define DECODER_MEMORY_MB 1024u
#define DECODER_ERROR_BYTES 512u

typedef struct decoder_o decoder_o;
typedef struct decoder_memory_t decoder_memory_t; // memory that contains the results of a child process

// Arguments of a decoder, which is called in the child or, for a trusted file, in this process.
typedef struct decode_job_t {
  const void *in;
  size_t in_bytes;
  uint8_t *out;        // output buffer, zero-initialized
  size_t out_bytes;    // capacity of `out` before the call, used bytes afterwards
  error_info_t *error; // receives the error (error_set) on failure; truncated to DECODER_ERROR_BYTES
  // Set by the decoder if decoding failed only because the capacity was too small. Unless the file was the first file
  // of this child, the file is then retried in a new child.
  bool needs_capacity;
} decode_job_t;

// Decodes the input. Returns true on success, or false with an error in `error` if the input cannot be decoded.
typedef bool decode_t(decode_job_t *job);
// Called in the child before it is restricted, to load libraries that the decoder needs.
typedef void decode_prepare_t(void);

// Body of the task of every decoder type: decodes the files that decoder_o has written to the input.
void decoder_run_task(const task_type_t *task, const task_call_t *call);

typedef struct decoder_type_t {
  task_type_t task; // DECODER_TASK(name); the first member, so that decoder_run_task finds its decoder
  decode_t *decode;
  decode_prepare_t *prepare; // may be NULL
} decoder_type_t;

#define DECODER_TASK(task_name)                                                                                        \
  { .name = (task_name), .run = decoder_run_task }

typedef struct decoder_desc_t {
  const decoder_type_t *type; // decodes each file; its task must be in the table of the program (task_run_command)
  size_t capacity_bytes;      // capacity for the results of one child; only pages that are written use memory
  uint32_t limit_ms;          // maximum CPU time per file, in ms
} decoder_desc_t;

typedef struct decoder_result_t {
  uint64_t id;
  const uint8_t *out; // decoded bytes; NULL on failure
  size_t out_bytes;
  // On failure: true if the decoder rejected the file or the file could not be read; false for other failures, such as
  // a crash, an exceeded limit or a file that is too large.
  bool rejected;
  error_info_t error;
} decoder_result_t;

decoder_o *decoder_create(const decoder_desc_t *desc);
void decoder_destroy(decoder_o *d); // accepts NULL
void decoder_add_file(decoder_o *d, uint64_t id, const char *path, bool is_trusted);
// Adds a file that the caller has already read. `bytes` must stay valid until the result has been returned. `id`:
// returned with the result.
void decoder_add_file_bytes(decoder_o *d, uint64_t id, const void *bytes, size_t size_bytes, bool is_trusted);
// Stores the next result in `out`, valid until the next call, and returns true. Starts a child if files remain. Returns
// false if no file remains or, unless `wait` is true, if no result is ready.
bool decoder_next_result(decoder_o *d, bool wait, decoder_result_t *out);
uint32_t decoder_pending_count(const decoder_o *d); // returns the number of files whose result has not been returned
uint32_t decoder_started_child_count(const decoder_o *d); // returns the number of children started so far
void decoder_clear(decoder_o *d);                         // drops the remaining files and stops the child

// Keeps the memory of the last result returned by decoder_next_result until decoder_release.
decoder_memory_t *decoder_retain(decoder_o *d);
void decoder_release(decoder_memory_t *memory); // accepts NULL

#endif
