// The database of a served world: which process owns the world and each of its rooms, the records and snapshots that
// restore a room, and its saves. It is a file of SQLite, or belongs to a server of PostgreSQL 15 or newer. The tables
// (world_schema.h) and statements are the same in both.
//
// Two numbers prevent two processes from writing the same room. A start of a room sets its `fence` to a number greater
// than all previous fences, and at least the time in seconds. It therefore also exceeds the fences of starts that are
// missing in a promoted standby or a restored backup. The same applies to the number of the world's owner. Every
// transaction of a room increments its `serial`, and changes nothing unless both numbers still equal the numbers in the
// room's claim. After a COMMIT whose outcome is unknown, `serial` shows the outcome. A process that gets STORE_LOST
// must end immediately, because a different process owns the room.
//
// A snapshot `number` is the room's state after the record `number`. The store keeps the two latest snapshots of a room
// and the records since the older one. Each row has a checksum. Times are from the store's clock. A process that waits
// measures the duration with its monotonic clock, so a change of the system time transfers no world.
//
// A connection may be used by one thread at a time. It must not be used after fork(): a child process opens its own.
#ifndef SHOAL_SERVED_WORLD_STORE_H
#define SHOAL_SERVED_WORLD_STORE_H

#include "base/alloc.h"
#include "base/error.h"
#include "served/room_answers.h"

#include <stddef.h>

#define ROOM_NAME_BYTES 64u    // maximum size of a room's name, with the '\0'
#define ROOM_ENGINE_BYTES 128u // maximum size of an engine's description, with the '\0'
#define ROOM_REASON_BYTES 512u // maximum size of the reason for which a room does not run, with the '\0'
#define ROOM_MAX_HEAD_BYTES (64u << 10)
#define ROOM_MAX_STATE_BYTES (512u << 20) // maximum size of a compressed state, and of a save
#define ROOM_MAX_RAW_BYTES (510u << 20)   // maximum size of a state before compression, which may add 1/256
#define WORLD_SILENT_MS 10000             // time without a beat after which the world may get a different owner
#define WORLD_BEAT_MS 2000                // time between two beats of the owner

typedef enum store_result_t {
  STORE_DONE,
  STORE_LOST,   // a different process owns the room or the world: end with exit status 4
  STORE_FAILED, // the database did not answer, is full or cannot be written; see each function for what has changed
  STORE_DAMAGED // a row is malformed or missing, or the file is not such a database: end with exit status 3
} store_result_t;

typedef struct world_store_o world_store_o;

typedef struct world_store_desc_t {
  const char *path;   // path of the database file, or an address such as postgres://user@host/database
  const char *game;   // name of the game, which must equal the name in the database; NULL: any game
  const char *engine; // description of the engine; snapshots and saves store it; NULL: ""
  uint64_t base;      // hash of the game's files; snapshots and saves store it
  bool may_create;    // true to create a missing file, and the tables for `game` if the database is empty
  int busy_ms;        // maximum time to wait for transactions of other processes; 0: 5000
} world_store_desc_t;

// Returns true for an address of a PostgreSQL server, and false for the path of a file.
bool world_store_is_address(const char *path);
// Writes the path or address without its password, for messages.
void world_store_hide_password(const char *path, char *out, size_t capacity);

// Opens a connection, and stores it in `out`; copies `desc`. Returns STORE_FAILED with an error if the database is
// missing, does not answer, cannot be written or has unsuitable settings, and STORE_DAMAGED if it is not such a
// database, is damaged, belongs to a different game, or has a different version. In both cases `out` receives NULL.
store_result_t world_store_open(const world_store_desc_t *desc, world_store_o **out, error_info_t *error);
void world_store_close(world_store_o *s); // accepts NULL

// --- the owner of the world

// Makes the caller the owner, and stores its number in `owner`. Returns STORE_LOST with an error while a different
// owner is active: call the function again, at least once per second, on the same connection. It succeeds when the
// owner has released the world, when this connection has seen no beat for WORLD_SILENT_MS, or immediately if
// `take_over` is true.
store_result_t world_store_claim_world(world_store_o *s, bool take_over, int64_t *owner, error_info_t *error);
// Reports that the owner is active. Call it every WORLD_BEAT_MS.
store_result_t world_store_beat(world_store_o *s, int64_t owner, error_info_t *error);
// Releases the world, so that the next claim succeeds immediately.
store_result_t world_store_release_world(world_store_o *s, int64_t owner, error_info_t *error);

typedef struct world_status_t {
  char game[256];
  uint64_t base;
  int64_t owner;
  bool is_owned;  // true if the world has an owner; false after a release, and in a new world
  int64_t beat_s; // seconds since the last beat, by the store's clock
} world_status_t;

store_result_t world_store_get_world(world_store_o *s, world_status_t *out, error_info_t *error);

// Writes a copy of the database to a new file, while other processes may change the database. Returns STORE_FAILED if
// the file exists or cannot be written or, on PostgreSQL, if pg_dump is missing or fails.
store_result_t world_store_back_up(world_store_o *s, const char *path, error_info_t *error);

// --- rooms

// The values are part of the format.
typedef enum room_state_t {
  ROOM_STATE_NEW,      // the room has never committed
  ROOM_STATE_RUNNING,  // the room runs, or its process has crashed
  ROOM_STATE_SLEEPING, // the room has ended with a snapshot and a save
  ROOM_STATE_CUT, // the last records were lost, and no snapshot was stored since: lost item numbers must not be reused
  ROOM_STATE_COUNT
} room_state_t;

// The values are part of the format.
typedef enum room_proof_t {
  ROOM_PROOF_NONE,
  ROOM_PROOF_PASSED, // the previous snapshot and the records between the two lead to this snapshot
  ROOM_PROOF_FAILED
} room_proof_t;

// The right to write a room, until a different process starts the room. Plain data, updated by world_store_commit.
typedef struct room_claim_t {
  char name[ROOM_NAME_BYTES];
  int64_t number; // number of the room in its world, from 1; never changes
  int64_t fence, serial;
  uint64_t last, tick; // number of the last committed record, and tick of the world after it; 0: no commits
  uint64_t snapshot;   // number of the newest snapshot, if `has_snapshot`
  bool has_snapshot;   // true if the room has a snapshot; otherwise, the next commit must contain one
  bool is_uncertain;   // true if the outcome of the last commit is unknown: repeat the commit, unchanged
  room_state_t state;  // state that the room's last commit has stored
  int64_t away_s;      // seconds since the last commit before this start, by the store's clock; 0 for a new room
} room_claim_t;

// Starts a room of a world that the caller's supervisor owns. Creates the room if it is new. Earlier processes of the
// room can no longer commit. Stores the claim in `out`. Returns STORE_LOST if the world has a different owner.
store_result_t world_store_start_room(world_store_o *s, int64_t owner, const char *name, room_claim_t *out,
                                      error_info_t *error);
// Stores the reason why a room cannot start, truncated to ROOM_REASON_BYTES. The next start of the room removes the
// reason. Returns STORE_LOST if the world has a different owner.
store_result_t world_store_fail_room(world_store_o *s, int64_t owner, const char *name, const char *reason,
                                     error_info_t *error);

typedef struct room_status_t {
  char name[ROOM_NAME_BYTES];
  int64_t number, fence, serial;
  uint64_t last, tick;
  uint32_t players;
  room_state_t state;
  int64_t seen_s;                          // seconds since the last commit, or the first start, by the store's clock
  int64_t started_s;                       // seconds since the last start
  char reason[ROOM_REASON_BYTES];          // reason why the room cannot start; "" if it can
  uint32_t snapshots;                      // number of snapshots
  uint64_t snapshot_number, snapshot_tick; // number and tick of the newest snapshot
  room_proof_t proof;                      // proof of the newest snapshot that has been checked
  uint64_t journal_bytes, snapshot_bytes;  // size of all records and of all snapshots
  bool has_save;
  uint64_t save_number, save_base;
  char save_engine[ROOM_ENGINE_BYTES];
  uint64_t code;                          // live code of the newest snapshot; 0: the release, or no snapshot
  uint64_t refused_code;                  // newest code that the room has refused; 0: no code
  char refusal_reason[ROOM_REASON_BYTES]; // reason for the refusal
} room_status_t;

typedef struct room_list_t {
  room_status_t *items; // sorted by name
  uint32_t count, capacity;
  allocator_t memory;
} room_list_t;

// Replaces the contents of `out`, which must be zero-initialized before the first call.
store_result_t world_store_list_rooms(world_store_o *s, room_list_t *out, error_info_t *error);
void room_list_free(room_list_t *list);

// --- writing a room

// Encoded records with consecutive numbers, readable alone (journal/block.h). Borrowed by room_commit_t, owned by
// room_image_t.
typedef struct room_block_t {
  uint64_t first, last;
  const uint8_t *bytes;
  size_t size;
} room_block_t;

typedef struct room_snapshot_t {
  uint64_t number, tick; // number of the last record before the snapshot, and tick of the world after it
  uint64_t hash;         // hash of the state (ecs/world_hash.h)
  const uint8_t *head;   // bytes for the room, at most ROOM_MAX_HEAD_BYTES
  size_t head_size;
  const uint8_t *state; // zstd frame that contains its decompressed size
  size_t state_size;
  uint64_t code; // number of the live code (code_rows.h) that the room runs; 0: the release
} room_snapshot_t;

typedef struct room_save_t {
  uint64_t number, tick; // number and tick, as in room_snapshot_t
  const uint8_t *bytes;  // contents of the save file
  size_t size;
  uint64_t code; // number of the live code, as in room_snapshot_t
} room_save_t;

// The contents of one transaction. Unused members must be zero.
typedef struct room_commit_t {
  const room_block_t *blocks; // blocks of new records, beginning with the record `claim->last + 1`
  uint32_t block_count;
  uint64_t tick; // tick of the world after the last block
  uint32_t players;
  room_state_t state;              // RUNNING or SLEEPING
  const room_snapshot_t *snapshot; // latest snapshot, not after the end of the last block; NULL: no new snapshot
  // True if the room restarts from the snapshot, as after a start from a save: all former records and snapshots are
  // removed. The snapshot's number must be at least `claim->last`, and there must be no blocks before it.
  bool begins_anew;
  const room_save_t *save;   // save to store; NULL: no save
  uint64_t checked_snapshot; // number of the snapshot that a proof has checked, if `proof` is not NONE
  room_proof_t proof;
  const room_change_t *changes; // changes of additional rows, in order (room_changes.h)
  uint32_t change_count;
  room_answers_t *answers; // answers to the changes; kept between the attempts of a commit
} room_commit_t;

// Commits a transaction, and updates `claim`. After STORE_FAILED, call the function again with an equal commit, until
// it returns a different result. Returns STORE_LOST if a different process has started the room since, and
// STORE_DAMAGED if the room's rows contradict the claim. In both cases nothing has changed. The answers are
// valid only after STORE_DONE.
store_result_t world_store_commit(world_store_o *s, room_claim_t *claim, const room_commit_t *commit,
                                  error_info_t *error);

// --- reading a room

// A snapshot of a room and the following records. Zero-initialize it before the first load.
typedef struct room_image_t {
  bool has_snapshot; // false if the room has never committed; all remaining members are then 0
  room_snapshot_t snapshot;
  char engine[ROOM_ENGINE_BYTES]; // engine that has written the snapshot
  uint64_t base;                  // hash of the game's files when the snapshot was written
  room_block_t *blocks;           // blocks of records, beginning after the snapshot's last record
  uint32_t block_count, block_capacity;
  uint64_t last, tick; // number of the last record, and tick of the world after it
  // The snapshot after this one, which a proof must reach.
  bool has_next;
  uint64_t next_number, next_tick, next_hash;
  // Only with `accept_loss`: true if rows are malformed or missing. The image then ends before these rows.
  bool has_loss;
  error_info_t loss; // error about the first such row
  allocator_t memory;
} room_image_t;

typedef struct room_load_desc_t {
  const char *name;
  bool previous;    // true if the image begins with the second newest snapshot
  bool accept_loss; // true if the image ends before malformed or missing rows, instead of failing
} room_load_desc_t;

// Reads the snapshot and all following records, from one state of the database. Replaces the contents of `out`. Checks
// the checksum, the size and the form of each row, and that no record up to the room's last one is missing or
// duplicated. Returns STORE_DAMAGED with an error that names the first row that fails a check, or the missing snapshot.
// With `accept_loss`, returns STORE_DAMAGED only if no snapshot can be read.
store_result_t world_store_load_room(world_store_o *s, const room_load_desc_t *desc, room_image_t *out,
                                     error_info_t *error);
void room_image_free(room_image_t *image);
// Removes the rows after the end of an image that was loaded with `accept_loss`, and updates `claim`. Returns the same
// results as world_store_commit.
store_result_t world_store_cut_room(world_store_o *s, room_claim_t *claim, const room_image_t *image,
                                    error_info_t *error);

// A room's save. Zero-initialize it before the first load.
typedef struct room_save_image_t {
  bool has_save;
  room_save_t save;
  char engine[ROOM_ENGINE_BYTES];
  uint64_t base;
  allocator_t memory;
} room_save_image_t;

// Reads the save of a room, which any later engine can load. Replaces the contents of `out`.
store_result_t world_store_load_save(world_store_o *s, const char *name, room_save_image_t *out, error_info_t *error);
void room_save_image_free(room_save_image_t *image);

#endif
