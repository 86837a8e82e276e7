// Recordings: all input of the simulation, and a hash of the world after every tick. A replay with the same game
// repeats the run exactly. With a different version of the game, the hashes reveal the first tick and the components
// that differ.
//
// A file consists of chunks, each with a checksum, so a truncated file can be replayed up to its last complete chunk:
//
//   head: magic "SHOALRPL" (8), format (4), 0 (4), recording_head_t, hash of recording_head_t (8)
//   chunk: hash of the content, with the kind as the seed (8), size of the content (4), kind (4), content
//     RECORDS (1): a block of records (journal/record.h) of about a second
//     SNAPSHOT (2): only the first chunk, in a recording that starts in the middle of a game (snapshot/snapshot.h)
//     STATES (3): the states after the ticks of the preceding block, packed as in the history, for tools that compare
//       them. Each: ticks since the start of the file, tick, tick of the previous state + 1 or 0, form, size of the
//       difference, unpacked size, packed size (varints), packed bytes (snapshot/snapshot_codec.h)
// External input (external_input.h) is an item of the record that needed it, or of an earlier record, so a replay does
// not need the files.
#ifndef SHOAL_TIME_RECORDING_H
#define SHOAL_TIME_RECORDING_H

#include "base/limits.h"
#include "journal/journal.h"
#include "time/history.h"

#define RECORDING_FORMAT 3u

typedef struct recording_head_t {
  char game[128]; // title of the game
  uint64_t seed;
  uint64_t game_hash;   // hash of the game's Lua files, scenes and data files (sources_hash)
  uint64_t engine_hash; // hash of the engine's Lua files
  uint32_t tick_rate, history_mb;
  uint32_t history_is_set; // 1 if --history was given
  uint32_t undo;           // 1 if the effects of failing code are undone
  uint32_t is_served;      // 1 if the game was a room of a served world, which may have more players
  uint32_t memory_mb;      // memory limit of each VM in MiB (--memory); 0: the default
  char arithmetic[64];     // value of exact_math_id; "" in a hand-made recording
} recording_head_t;

typedef struct recording_o recording_o;

// --- writing
typedef struct recorder_o recorder_o;

// Starts a recording of all records that are added to `journal`, which is borrowed and has at most one recorder. If
// `path` is NULL, only the latest blocks are kept, in memory, for recorder_write_excerpt. Returns the recorder, or NULL
// with a message if the file cannot be created.
recorder_o *recorder_create(journal_o *journal, const recording_head_t *head, const char *path, error_info_t *error);
void recorder_destroy(recorder_o *recorder); // closes the file; accepts NULL
// Writes pending records and closes the file. Later records are kept in memory only. Returns true if the file is
// complete or no file is open, or false with a message if this write or an earlier write has failed.
bool recorder_close(recorder_o *recorder, error_info_t *error);
// Statistics of a recorder, also available after recorder_close.
typedef struct recorder_stats_t {
  bool is_writing; // true until the file is closed; false if records are kept in memory only
  uint64_t ticks;  // number of recorded ticks
  uint64_t bytes;  // size of the file
} recorder_stats_t;

recorder_stats_t recorder_get_stats(const recorder_o *recorder);
// If a write has failed, closes the file and returns true with a message, which happens at most once per recorder.
// Otherwise, returns false.
bool recorder_close_after_failure(recorder_o *recorder, error_info_t *error);
// Returns true if the next tick begins a block. An excerpt can start at a block if the history contains the snapshot
// before the block.
bool recorder_block_is_due(const recorder_o *recorder);
// Adds a tick to the journal: its sample, and the hashes of the world. Call after each tick. `input` is the tick's
// sample, `previous` the sample before it.
void recorder_add_tick(recorder_o *recorder, const input_state_t *previous, const input_state_t *input, world_o *w);
// Add a step of the host in the history to the journal: back by `ticks`, or forward again. `tick`: the world's tick
// after the step.
void recorder_add_rewind(recorder_o *recorder, uint64_t ticks, uint64_t tick);
void recorder_add_step_forward(recorder_o *recorder, uint64_t tick);
// Keeps excerpts from starting before this point. Call after a script has rewound the world. The rewind itself is not
// recorded, because the script repeats it in a replay.
void recorder_discard_recent(recorder_o *recorder);
void recorder_add_reload(recorder_o *recorder, uint64_t game_hash);
// Keeps an external result that was requested while code was loaded or in a `start` function, for excerpts. Retains the
// result. Ignores the results of --exec chunks, of --load and of requests for saves.
void recorder_keep_start_result(recorder_o *recorder, external_result_t *result);
// Copies the start results of a different recorder of the same game, for an excerpt that starts in the middle of the
// game.
void recorder_copy_start_results(recorder_o *recorder, const recorder_o *source);
// Adds a packed snapshot of the history: the snapshot after the ticks recorded so far. Does nothing if the recorder
// writes no file.
void recorder_add_snapshot(recorder_o *recorder, const history_snapshot_t *s);
// Writes the latest blocks as a recording of at least RECORDING_RECENT_S seconds, or of all kept blocks if they are
// shorter. The recording contains the rewinds of this time, and begins early enough for a replay to repeat them. The
// history must contain the recording's first snapshot. Directly after a reload or a load, the recording contains only
// the snapshot `current` and no ticks. Returns true on success. On failure, returns false with a message and removes an
// incomplete file. A child forked from a crashing process may call this after alloc_use_spare_memory and
// history_recover.
bool recorder_write_excerpt(recorder_o *recorder, history_o *h, const snapshot_o *current, const char *path,
                            error_info_t *error);

// An excerpt that is written on a different thread while the game continues.
typedef struct recording_excerpt_o recording_excerpt_o;

// Copies what recorder_write_excerpt would write, with the state of `w` as `current`. The excerpt shares the packed
// snapshots with the history. Does not wait for the thread of the history. Returns the excerpt, or NULL with a message
// if the history is disabled or lacks the recorded ticks, or if no snapshot can be taken. `recorder` may be destroyed
// before the excerpt, but not its allocator. Main thread.
recording_excerpt_o *recorder_copy_excerpt(const recorder_o *recorder, history_o *h, world_o *w, error_info_t *error);
void recording_excerpt_destroy(recording_excerpt_o *e); // main thread; accepts NULL
// Returns true if the history has packed all snapshots of the excerpt, which can then be written. `wait`: true to
// wait for them. Main thread.
bool recording_excerpt_is_complete(recording_excerpt_o *e, bool wait);
// Returns true if the excerpt contains ticks, that is, if ticks were recorded after the last start, reload or load.
bool recording_excerpt_has_ticks(const recording_excerpt_o *e);
// Writes the file. Call once, from any thread, when the excerpt is complete. Returns true on success. On failure,
// returns false with a message, and removes an incomplete file.
bool recording_excerpt_write(recording_excerpt_o *e, const char *path, error_info_t *error);

// --- reading
typedef struct recording_item_t {
  // Kind of the record. ITEMS: a result or a parked piece; END: end of the recording; NONE: the rest of the file cannot
  // be read, and the error contains the reason.
  record_kind_t kind;
  input_state_t previous_input, input; // device samples; TICK and FRAME only
  uint64_t ticks;                      // BACK: number of ticks
  uint64_t game_hash;                  // RELOAD only: hash of the reloaded game's files
  external_result_t *result;           // ITEMS: the result, owned by the caller; NULL for a parked piece
  char piece[128];                     // name of the parked piece
  char message[1024];         // position and message of the parked piece's failure; "" if the recording lacks them
  bool stopped;               // true if the watchdog stopped the parked piece
  bool has_hash;              // TICK: true if `hash` and `components` are valid
  uint32_t hash;              // TICK: lower half of the world's hash after the tick
  const uint16_t *components; // TICK: hash of each component, indexed by id - 1; borrowed until the next item
  uint32_t component_count;
} recording_item_t;

// Opens a recording file. Returns the recording, or NULL with a message if the file cannot be read, is not a recording,
// has a different format, or is damaged at its start.
recording_o *recording_open(allocator_t *a, const char *path, error_info_t *error);
// Like recording_open, for a recording in memory, which is copied.
recording_o *recording_open_bytes(allocator_t *a, const void *bytes, size_t size, error_info_t *error);
void recording_close(recording_o *recording);
const recording_head_t *recording_head(const recording_o *recording);
// Returns the snapshot at the start of the recording, or NULL if the recording begins at the start of the game.
// Borrowed.
const snapshot_o *recording_snapshot(const recording_o *recording);
// Copies the snapshot after `played` ticks of the recording (0: before the first tick) to `out`. Returns true on
// success, or false with a message if the recording lacks this snapshot or is damaged before it, or if one of the
// snapshots up to it is larger than `max_state_bytes`.
bool recording_copy_snapshot(const recording_o *recording, uint64_t played, uint32_t max_state_bytes, snapshot_o *out,
                             error_info_t *error);
// Copies the recording's last snapshot to `out`: the snapshot of the last tick, unless the recording lacks that
// snapshot. In all other respects, like recording_copy_snapshot.
bool recording_copy_last_snapshot(const recording_o *recording, uint32_t max_state_bytes, snapshot_o *out,
                                  error_info_t *error);
// Returns true if the game was paused when the recording began.
bool recording_begins_paused(const recording_o *recording);
void recording_read_item(recording_o *recording, recording_item_t *out, error_info_t *error);
// Returns the next item if it is an external result, owned by the caller. Otherwise, returns NULL and consumes nothing.
external_result_t *recording_read_next_result(recording_o *recording);
// Returns true if the recording has hashes to compare with. Recordings that were written by hand or generated have
// no hashes, because their ticks have never run.
bool recording_has_hashes(const recording_o *recording);

// Returns a world's hash in the form that recordings store; never 0.
uint32_t recording_hash(world_o *w);
// Returns the hash of a component's rows in the form that recordings store: the lower 16 bits.
uint16_t recording_component_hash(world_o *w, uint32_t manager);

#endif
