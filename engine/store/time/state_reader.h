// Decodes the kept snapshots of a history in any order, one snapshot per call, without changing the history. Keeps
// every eighth snapshot and the two preceding snapshots decoded. A reader that moves backwards therefore decodes each
// snapshot about twice instead of up to 64 times.
//
// The history owns the reader (history_get_reader). Main thread. The packer's thread may decode one snapshot ahead,
// during which the decoded snapshots do not change.
#ifndef SHOAL_TIME_STATE_READER_H
#define SHOAL_TIME_STATE_READER_H

#include "time/history.h"
#include "time/snapshot_packer.h"
#include "time/state_cache.h"

typedef struct state_reader_o state_reader_o;

typedef enum state_reader_result_t {
  STATE_READER_READY,  // the snapshot is decoded
  STATE_READER_WORKED, // a snapshot on which the requested snapshot depends was decoded: call again
  STATE_READER_FAILED  // the history is damaged or the snapshot does not exist
} state_reader_result_t;

#define STATE_READER_MIN_STATES 8u // smallest capacity

typedef struct state_reader_desc_t {
  allocator_t *memory; // allocator that only the reader uses, because the packer's thread also allocates from it
  history_o *history;
  packer_t *packer;    // packer whose thread decodes ahead
  ZSTD_DCtx *unpacker; // decompression context, used only by the reader
  uint32_t capacity;   // maximum number of decoded snapshots in memory
} state_reader_desc_t;

state_reader_o *state_reader_create(const state_reader_desc_t *desc); // borrows all members of `desc`
void state_reader_destroy(state_reader_o *r);                         // accepts NULL
uint32_t state_reader_capacity(const state_reader_o *r);
// Adds the i-th snapshot, which the caller has decoded, without copying it. The snapshot must not change while it has
// two owners.
void state_reader_add(state_reader_o *r, uint32_t i, snapshot_o *state);
// Decodes at most one snapshot towards the i-th snapshot of the history. `forward`: direction of the reader. Waits for
// a snapshot that is being decoded ahead.
state_reader_result_t state_reader_advance(state_reader_o *r, uint32_t i, bool forward);
// Decodes and returns the i-th snapshot, or returns NULL if decoding fails. Borrowed until a different function
// of the reader is called.
const snapshot_o *state_reader_read(state_reader_o *r, uint32_t i);
// Makes the packer's thread decode one snapshot towards the i-th snapshot, unless the thread is busy or the i-th
// snapshot is decoded. Returns true on success or if there is nothing to do. Returns false if there is no thread, or if
// a snapshot could not be decoded. In this case, call state_reader_advance to decode a snapshot or to get the failure.
bool state_reader_decode_ahead(state_reader_o *r, uint32_t i, bool forward);
void state_reader_wait(state_reader_o *r); // waits for a snapshot that is being decoded ahead
// Returns the decoded i-th snapshot, or NULL if it is not decoded. Borrowed until a different function of the reader is
// called.
const snapshot_o *state_reader_find(const state_reader_o *r, uint32_t i);
size_t state_reader_bytes(const state_reader_o *r); // returns the memory of the snapshots, in bytes; accepts NULL

#endif
