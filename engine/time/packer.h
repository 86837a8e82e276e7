// Packs the states of a history, each as the difference from those before it, on a thread of its own or on the
// caller's. Whoever adds a state copies the world and goes on; the thread foretells the copy from the states before,
// packs what that got wrong, and hands the bytes back.
//
// Who may touch what: the caller fills a slot and publishes it with packer_put; from there to packer_take the slot is
// the thread's. `now`, `before`, `key`, the codec and the facts about the group are the thread's as long as anything is
// under way, the caller's after packer_settle. The copies themselves are only read by the thread, so that the caller
// may read the one that it has put (the undo of a tick does). One caller, the main thread.
#ifndef SHOAL_TIME_PACKER_H
#define SHOAL_TIME_PACKER_H

#include "base/array.h"
#include "snapshot/snapshot.h"
#include "snapshot/state_codec.h"

#include <pthread.h>
#include <zstd.h>

#define PACKER_MAX_SLOTS 8u
#define PACKER_KEY_STATES 64u // of which one stands on the key before
#define PACKER_WHOLE_KEYS 16u // of which one stands on nothing

typedef enum packed_form_t { PACKED_DELTA, PACKED_KEY, PACKED_WHOLE } packed_form_t; // the numbers stand in recordings

typedef ARRAY(uint8_t) packer_bytes_t;

typedef struct packer_slot_t {
  uint64_t tick;
  snapshot_o *state;       // to be packed; afterwards the one that is not needed any more, as room for the next
  const snapshot_o *added; // the same state, wherever it is now
  packed_form_t form;
  uint32_t size, raw_size; // of a difference before it is thinned out; before it is packed
  packer_bytes_t packed;
  size_t thread_bytes; // of memory that the thread had when it was done
} packer_slot_t;

typedef struct packer_t {
  allocator_t copies; // the caller's: of snapshots
  allocator_t memory; // the thread's, while anything is under way
  state_codec_o *codec;
  ZSTD_CCtx *zstd;
  // --- what the next state stands on
  snapshot_o *now, *before[2]; // the last one and the two before it
  snapshot_o *key;             // empty when the next one must be whole
  bool follows;                // `now` is the last state that was packed: the next one may stand on it
  uint32_t deltas, keys;       // since the last key; since the last whole one
  uint64_t group_bytes;        // of what stands on the last whole one
  uint64_t whole_bytes;        // of the last whole one
  // --- how (packer_plan)
  uint64_t budget_bytes; // for what is packed, and the thread's memory
  bool looks_back;       // `before` is kept
  bool whole;            // nothing but whole ones
  bool plain;            // not compressed: in a copy of a process that died anywhere, where nothing may ask for memory
  // --- slots: [taken, packed) are done, [packed, put) under way
  packer_slot_t slots[PACKER_MAX_SLOTS];
  uint32_t slot_count, put, packed, taken;
  pthread_t thread;
  size_t thread_bytes;
  bool threaded, running, ending; // threaded: it may have a thread; running: it has one now
  pthread_mutex_t lock;
  pthread_cond_t work, done;
} packer_t;

void packer_init(packer_t *p);
void packer_fini(packer_t *p); // waits for what is under way
// In a copy of a process that died anywhere, where the thread is not: what was under way is packed again, plainly, by
// the next packer_settle, and stands on nothing before it.
void packer_recover(packer_t *p);
// How much may be used from now on. Slots are empty then. Only when settled.
void packer_plan(packer_t *p, uint64_t budget_bytes, uint32_t slots, bool looks_back, bool whole);

// A slot to take a snapshot into, or NULL while all are under way. With `wait` there always is one; take what is done
// before (packer_take).
packer_slot_t *packer_slot(packer_t *p);
// What has been filled is under way, or done when there is no thread.
void packer_put(packer_t *p, uint64_t tick);
// The oldest that is done, once; NULL when there is none. Valid until the next packer_slot.
const packer_slot_t *packer_take(packer_t *p);
bool packer_wait(packer_t *p);                    // until one more is done; false when nothing is under way
void packer_settle(packer_t *p);                  // until all are
void packer_rest(packer_t *p);                    // settles, and has no thread until the next packer_put
void packer_forget_key(packer_t *p);              // no state stands on it any more; only when settled
void packer_turn(packer_t *p, snapshot_o **next); // `next` becomes the last state; only when settled
// The states that one stands on which follows `deltas` differences: `now`, and as many before it as there are.
void packer_stands_on(const packer_t *p, uint32_t deltas, snapshot_table_t last[3]);
size_t packer_bytes(const packer_t *p); // of memory, the thread's as it was when the last one was done that was taken

#endif
