// Writes the records, snapshots and saves of a running room to the world's database, on a separate thread. The room's
// thread only copies bytes, and never waits for the database, except in room_writer_flush.
//
// The thread commits added records after ROOM_WRITER_COMMIT_MS or ROOM_WRITER_COMMIT_BYTES. Each commit contains one or
// more blocks of records. Each block can be read without the previous blocks. If the database does not answer, the
// thread repeats the same commit until it succeeds. Records that are added in the meantime wait for the next commit.
// The room must then pause (waiting_us), so that the number of waiting records stays bounded.
//
// The room's thread calls all functions.
#ifndef SHOAL_SERVED_ROOM_WRITER_H
#define SHOAL_SERVED_ROOM_WRITER_H

#include "journal/record.h"
#include "served/world_store.h"

#define ROOM_WRITER_COMMIT_MS 250
#define ROOM_WRITER_COMMIT_BYTES (64u << 10)
#define ROOM_WRITER_MAX_RETRY_MS 1000 // longest pause between two attempts to commit

typedef struct room_writer_o room_writer_o;

typedef enum room_writer_state_t {
  ROOM_WRITER_READY,
  ROOM_WRITER_RETRYING, // the database did not answer: see `error`
  ROOM_WRITER_LOST,     // a different process owns the room: end with exit status 4; nothing is committed any more
  ROOM_WRITER_DAMAGED   // the database is damaged: end with exit status 3; nothing is committed any more
} room_writer_state_t;

typedef struct room_writer_status_t {
  room_writer_state_t state;
  uint64_t acked_number;            // number of the last committed record
  uint64_t acked_tick, acked_hash;  // tick and hash of the last committed TICK; hash 0: unknown, or no TICK
  int64_t waiting_us;               // time since the oldest uncommitted record was added; 0: no such record
  uint64_t waiting_bytes;           // encoded size of the uncommitted records and changes
  uint64_t commits, failures;       // numbers of transactions and of failed attempts
  int64_t commit_us, max_commit_us; // durations of the last and the longest commit, including failed attempts
  uint64_t snapshot_number;         // number of this writer's last committed snapshot; 0: no snapshot
  bool is_snapshot_pending;         // true while a snapshot is being compressed or committed
  uint64_t bytes;                   // encoded size of the committed records
} room_writer_status_t;

// Starts the thread, which owns the connection `store` from now on, and closes it. The records begin after
// `claim->last`. Returns the writer. Returns NULL with an error if the thread cannot start; the caller then still owns
// the connection.
room_writer_o *room_writer_create(world_store_o *store, const room_claim_t *claim, error_info_t *error);
// Ends the thread without committing the remaining records, and frees everything. A commit in progress ends first.
// Accepts NULL.
void room_writer_destroy(room_writer_o *w);

// Adds a copy of a record, whose number must be the previous record's number plus 1.
void room_writer_add(room_writer_o *w, const record_t *record);

// A snapshot before compression. The bytes are copied.
typedef struct room_writer_snapshot_t {
  uint64_t tick, hash; // tick of the world after the last added record, and hash of the state
  const void *head;    // bytes for the room, at most ROOM_MAX_HEAD_BYTES
  size_t head_size;
  const void *state; // uncompressed state
  size_t state_size;
  bool begins_anew; // value of `begins_anew` in room_commit_t
  uint64_t number;  // number of the last record before the snapshot; ignored unless `begins_anew` is true
} room_writer_snapshot_t;

// Adds a snapshot of the state after the last added record. The thread compresses it in short steps between commits.
// Returns true on success, or false if an earlier snapshot is still pending or the writer has stopped.
bool room_writer_add_snapshot(room_writer_o *w, const room_writer_snapshot_t *snapshot);
// Adds a copy of a save of the state after the last added record. It replaces a save that is not committed yet.
void room_writer_add_save(room_writer_o *w, uint64_t tick, const void *bytes, size_t size);
// Adds a change of at most ROOM_CHANGE_MAX_BYTES, copied, for the last added record. The change is committed in the
// same transaction or a later one, in the order in which changes were added.
void room_writer_add_change(room_writer_o *w, room_change_kind_t kind, const void *bytes, size_t size);
// Adds a record like room_writer_add, and changes that belong to it. One transaction commits the record and the
// changes.
void room_writer_add_with_changes(room_writer_o *w, const record_t *record, const room_change_t *changes,
                                  uint32_t count);
// Moves the oldest answer of the database to `out`: the outcome of a committed change, in the order of the changes, or
// a row that a poll has found (room_changes.h). The writer polls after each commit, and after ROOM_WRITER_COMMIT_MS
// without one. Returns true on success, or false if there is no answer. `out` is valid until the next call.
bool room_writer_take_answer(room_writer_o *w, room_answer_t *out);
// Adds the proof result of the snapshot `number`.
void room_writer_add_proof(room_writer_o *w, uint64_t number, room_proof_t proof);
// Sets the number of the live code, for the following snapshots and saves.
void room_writer_set_code(room_writer_o *w, uint64_t code);
// Delays the commit of all following records until the next snapshot, which the same transaction commits: the records
// cannot be read with the code of an earlier snapshot. No snapshot may be pending. Add the snapshot soon.
void room_writer_hold_records(room_writer_o *w);
// Sets the state and the number of players for the following commits. The next flush commits them in any case.
void room_writer_set_state(room_writer_o *w, room_state_t state, uint32_t players);

// Waits at most `timeout_ms` until everything that was added is committed. Returns STORE_DONE on success, STORE_FAILED
// after the timeout, or the reason for which the writer has stopped.
store_result_t room_writer_flush(room_writer_o *w, int timeout_ms);

// Returns the state of the writer. Does not wait for the database.
room_writer_status_t room_writer_get_status(room_writer_o *w);
// Copies the error of the last failed attempt, or "" if no attempt has failed since the last successful commit.
void room_writer_get_error(room_writer_o *w, error_info_t *out);

#endif
