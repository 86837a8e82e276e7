// Packs the states of a history as differences from previous states, on an internal thread or on the caller's thread.
// The caller copies the world and continues. The thread predicts the copy from the previous states, compresses the
// prediction errors, and returns the bytes.
//
// Ownership: the caller fills a slot and publishes it with packer_submit_slot. From then until packer_pop_slot, the
// slot belongs to the thread. `newest`, `previous`, `key`, the codec and the group's counters belong to the thread
// while any slot is pending, and to the caller after packer_wait_all. The thread only reads the copies, so the caller
// may still read a copy after packer_submit_slot, as the undo of a tick does. Only the main thread calls these
// functions.
#ifndef SHOAL_TIME_SNAPSHOT_PACKER_H
#define SHOAL_TIME_SNAPSHOT_PACKER_H

#include "base/array.h"
#include "snapshot/snapshot.h"
#include "snapshot/snapshot_codec.h"

#include <pthread.h>
#include <zstd.h>

#define PACKER_MAX_SLOTS 8u
// Maximum distance between two keys, which are states that depend only on the previous key.
#define PACKER_KEY_STATES 64u
#define PACKER_WHOLE_KEYS 16u // every Nth key is stored whole

// Form in which a state is stored. The values are part of the recording format.
typedef enum packed_form_t { PACKED_DELTA, PACKED_KEY, PACKED_WHOLE } packed_form_t;

typedef ARRAY(uint8_t) packer_bytes_t;

typedef struct packer_slot_t {
  uint64_t tick;
  snapshot_o *snapshot;        // state to pack; afterwards a buffer for the next snapshot
  const snapshot_o *submitted; // state passed to packer_submit_slot, which may since have moved to a different owner
  packed_form_t form;
  uint32_t size, raw_size; // `size`: size of a difference with its zero bytes; `raw_size`: size before compression
  packer_bytes_t packed_bytes;
  size_t thread_bytes; // total bytes allocated by the packer thread after it finished this slot
} packer_slot_t;

typedef struct packer_t {
  allocator_t copies; // allocates snapshots; owned by the caller
  allocator_t memory; // allocates everything else; owned by the thread while any slot is pending
  snapshot_codec_o *codec;
  ZSTD_CCtx *zstd;
  // --- states that the next state depends on
  snapshot_o *newest, *previous[2]; // most recent state and the two preceding states
  snapshot_o *key;                  // previous key; empty if the next key must be whole
  bool has_previous; // true if `newest` is the most recently packed state, so that the next state may depend on it
  // `deltas`: number of differences since the last key; `keys`: number of keys since the last whole state
  uint32_t deltas, keys;
  uint64_t group_bytes; // packed size of all states after the last whole state
  uint64_t whole_bytes; // packed size of the last whole state
  // every Nth state is a key; at most PACKER_KEY_STATES; set by the caller while no slot is pending
  uint32_t key_states;
  // --- set by packer_set_plan
  uint64_t budget_bytes; // budget for packed states and the thread's memory
  bool keeps_previous;   // true if `previous` is kept, for better predictions
  bool stores_whole;     // true if every state is stored whole
  // True if states are not compressed. Set by packer_recover, because zstd must not allocate memory.
  bool stores_uncompressed;
  // --- ring of slots: slots [popped_count, packed_count) are packed, [packed_count, submitted_count) are pending
  packer_slot_t slots[PACKER_MAX_SLOTS];
  uint32_t slot_count, submitted_count, packed_count, popped_count;
  pthread_t thread;
  size_t thread_bytes;
  bool uses_thread; // true if the packer may start a thread
  bool thread_running;
  bool thread_stopping; // true if the thread must exit
  // --- set by packer_start_task
  void (*task)(void *context); // task of the thread; NULL unless a task is waiting or running
  void *task_context;
  pthread_mutex_t lock;
  pthread_cond_t slot_submitted, slot_packed;
} packer_t;

void packer_init(packer_t *packer);
void packer_fini(packer_t *packer); // waits for pending slots, then frees everything
// Recovers the packer in a process forked from a crashing process, where the packing thread does not exist. The next
// packer_wait_all packs pending slots again, uncompressed and independently of the states that were packed before the
// crash.
void packer_recover(packer_t *packer);
// Sets the memory budget and empties the slots. No slot may be pending.
void packer_set_plan(packer_t *packer, uint64_t budget_bytes, uint32_t slots, bool keeps_previous, bool whole);

// Returns a slot to fill with a snapshot, or NULL if all slots are in use. In that case, remove a slot from the queue
// with packer_pop_slot. Call packer_wait_for_slot first if no slot is finished.
packer_slot_t *packer_get_free_slot(packer_t *packer);
// Queues the slot that the caller has filled, or packs the slot immediately if the packer has no thread.
void packer_submit_slot(packer_t *packer, uint64_t tick);
// Removes the oldest finished slot from the queue and returns it, or returns NULL if no slot is finished. Valid until
// the next packer_get_free_slot.
const packer_slot_t *packer_pop_slot(packer_t *packer);
uint32_t packer_count_pending(const packer_t *packer); // returns the number of slots that packer_pop_slot will return
bool packer_has_pending(const packer_t *packer, uint64_t tick); // returns true if a pending slot has this tick
// Waits for a slot. Returns true once a slot is finished, or false if the queue is empty.
bool packer_wait_for_slot(packer_t *packer);
void packer_wait_all(packer_t *packer); // waits for all pending slots
// Waits for all pending slots, and stops the thread until the next packer_submit_slot or packer_start_task.
void packer_stop_thread(packer_t *packer);
// Runs `task` on the thread before the pending slots, at most one at a time. Returns true on success, or false, without
// running the task, if the packer uses no thread.
bool packer_start_task(packer_t *packer, void (*task)(void *context), void *context);
bool packer_is_task_running(packer_t *packer);
void packer_wait_for_task(packer_t *packer); // waits until no task is waiting or running
void packer_clear_key(packer_t *packer);     // requires the next key to be whole; call packer_wait_all first
// Makes `*next` the most recent state, and sets `*next` to a snapshot to reuse. Call packer_wait_all first.
void packer_rotate_states(packer_t *packer, snapshot_o **next);
// Fills `references` with the states that a state after `deltas` differences depends on: `newest` and up to two states
// before it. In unused entries, `table` is NULL.
void packer_get_references(const packer_t *packer, uint32_t deltas, snapshot_table_t references[3]);
// Returns the memory in use, in bytes. The part used by the packing thread is as of the last packer_pop_slot.
size_t packer_bytes(const packer_t *packer);

#endif
