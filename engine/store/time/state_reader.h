// Decodes the kept snapshots of a history in any order, one snapshot per call, without changing the history. Keeps
// every eighth snapshot, with the two before it, decoded: a reader that moves backwards then decodes each snapshot
// about twice instead of up to 64 times.
#ifndef SHOAL_TIME_STATE_READER_H
#define SHOAL_TIME_STATE_READER_H

#include "time/history.h"
#include "time/state_cache.h"

typedef struct state_reader_o state_reader_o;

typedef enum state_reader_result_t {
  STATE_READER_READY,  // the snapshot is decoded
  STATE_READER_WORKED, // one snapshot on the way to it was decoded: call again
  STATE_READER_FAILED  // the history is damaged or the snapshot does not exist
} state_reader_result_t;

#define STATE_READER_MIN_STATES 8u // smallest capacity

// `a` and `h` are borrowed. `capacity`: maximum number of decoded snapshots in memory.
state_reader_o *state_reader_create(allocator_t *a, history_o *h, uint32_t capacity);
void state_reader_destroy(state_reader_o *r); // accepts NULL
// Decodes at most one snapshot towards the i-th snapshot of the history. `forward`: direction of the reader.
state_reader_result_t state_reader_advance(state_reader_o *r, uint32_t i, bool forward);
// Returns the decoded i-th snapshot; NULL if it is not decoded. Borrowed until the next call of state_reader_advance.
const snapshot_o *state_reader_find(const state_reader_o *r, uint32_t i);

#endif
