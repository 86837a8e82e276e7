// Work that may crash, never end or want all memory, done in a copy of the process (child.h): decoding files that
// anybody may have made. It gets bytes and leaves bytes; nothing else of it reaches this process. What it leaves is not
// to be trusted any more than the file: who takes it knows how long it must be, and takes it as plain numbers.
//
// The copy may use 1 GB more memory than this process has, and `limit_ms` of processor time. Main thread.
#ifndef SHOAL_BASE_APART_H
#define SHOAL_BASE_APART_H

#include "base/child.h"
#include "base/error.h"

#define APART_MEMORY_MB 1024u
#define APART_WHY_BYTES 512u

// What the work sees, in the copy.
typedef struct apart_work_t {
  const void *in;
  size_t in_bytes;
  uint8_t *out;     // zeroed
  size_t out_bytes; // how many there are; it puts here how many it has used
  error_t *why;     // for error_set when it fails; APART_WHY_BYTES of it are kept
  bool wants_room;  // of a batch: it failed for want of out_bytes alone (apart_batch.h)
} apart_work_t;

typedef struct apart_desc_t {
  bool (*work)(apart_work_t *work); // false: it cannot be done
  const void *in;                   // as long as the work
  size_t in_bytes, out_bytes;       // out: the most; memory is used only where it is written
  uint32_t limit_ms;
} apart_desc_t;

typedef struct apart_t {
  child_t child;
  bool runs;
  void *shared; // NULL: there is nothing
  size_t shared_bytes, out_bytes;
} apart_t;

// False with a message where no copy can be made.
bool apart_begin(apart_t *a, const apart_desc_t *desc, error_t *error);
bool apart_is_done(apart_t *a); // looks only; apart_end then waits for no work
// Waits for its end, or until the program is asked to end. The bytes that it has left, `out_bytes` of them, until
// apart_free; NULL with a message when it failed.
const uint8_t *apart_end(apart_t *a, size_t *out_bytes, error_t *error);
void apart_free(apart_t *a); // at any time; kills what runs

// For those that run copies of their own.
void apart_limit_memory(void);                           // in the copy
bool apart_ended_well(const child_t *c, error_t *error); // after child_end; false with the words for how it ended

#endif
