// Recordings: what the host has told the simulation, sample by sample, and a hash of the world after every tick. The
// same game, fed with it, lives the same life; the first tick that differs is found, and the components that differ
// in it.
//
// What was read from outside (external_input.h) stands before the first sample behind which it was needed, so that a
// replay does without the files.
//
// A file is a head (magic "SHOALRPL", format, the facts of recording_head_t) and chunks (size, checksum, records) of
// about a second each, so that a file that was cut off plays as far as it goes. A chunk stands alone: it begins with
// the sample before its first. A recording that does not begin at the game's start begins with a chunk that holds a
// snapshot. Behind each chunk of records comes one with the states that they led to, packed as the history packs
// them, for whoever wants to know what differs.
#ifndef SHOAL_TIME_RECORDING_H
#define SHOAL_TIME_RECORDING_H

#include "base/limits.h"
#include "base/parked.h"
#include "platform/input.h"
#include "time/history.h"
#include "time/external_answer.h"

#define RECORDING_FORMAT 2u

typedef struct recording_head_t {
  char game[128]; // its title
  uint64_t seed;
  uint64_t game_hash;   // of the game's Lua files
  uint64_t engine_hash; // of the engine's
  uint32_t tick_rate, history_mb;
  uint32_t history_asked; // 1: by --history
  uint32_t undo;          // 1: what failing pieces did is undone
  uint32_t accept_edits;  // 1: saves with edits were taken (--accept-edits)
  uint32_t memory_mb;     // of each VM (--memory); 0: as it is without
  char arithmetic[64];    // exact_math_id; "" of one that was made up
} recording_head_t;

typedef struct recording_o recording_o;

// The numbers are part of the format.
typedef enum recording_deed_t {
  RECORDING_DO_NONE,
  RECORDING_DO_AGAIN,
  RECORDING_DO_LIVE,
  RECORDING_DO_UNPAUSE,
  RECORDING_DO_CONSOLE, // ran the chunk that stands before this (OUTSIDE_CONSOLE)
  REPLAY_DO_COUNT
} recording_deed_t;

// --- writing
typedef struct recorder_o recorder_o;

// `path` NULL keeps the latest chunks in memory only, for recorder_excerpt. NULL with a message when the file cannot
// be written.
recorder_o *recorder_create(allocator_t *a, const recording_head_t *head, const char *path, error_t *error);
void recorder_destroy(recorder_o *r); // writes what is left; NULL is fine
// Does the next sample begin a chunk? An excerpt can begin there if the state before it is kept.
bool recorder_chunk_is_due(const recorder_o *r);
// After a tick, with the sample that it saw and the one before that.
void recorder_tick(recorder_o *r, const input_state_t *before, const input_state_t *now, world_o *w);
// After a frame of a paused game.
void recorder_idle(recorder_o *r, const input_state_t *before, const input_state_t *now, world_o *w);
// The host went back, or forward again, in the history.
void recorder_back(recorder_o *r, uint64_t ticks);
void recorder_forward(recorder_o *r);
// A script went back: it will do so again, and needs no record, but an excerpt cannot begin before.
void recorder_jump(recorder_o *r);
void recorder_reload(recorder_o *r, uint64_t game_hash);
// Where the game has its parked pieces; other code has another list. Borrowed. Those that come in are told before the
// next sample, in whose tick they were parked: whoever plays it parks them before (parked_is_recorded). With each chunk
// all of them are told again.
void recorder_parked(recorder_o *r, const parked_list_t *parked);
// An answer from outside that the next sample, or what the host does before it, needs. `start`: whoever begins in the
// middle needs it too, because it was asked while the code was loaded, or in `start`. Retained.
void recorder_outside(recorder_o *r, external_answer_t *a, bool start);
// Something that the host did: it began to play the timeline that it left again, ended that, or let a paused game go
// on.
void recorder_host(recorder_o *r, recording_deed_t deed);
// A state of the world as the history keeps it, after the ticks that have been recorded so far. Only where there is a
// file.
void recorder_state(recorder_o *r, const history_state_t *s);
// The last chunks as a recording of its own, from the oldest whose first tick the history still has; right after a step
// back, a reload or a load that is the world as it is, `now`, and no tick. False with a message. A copy of a process
// that died anywhere may call it, with the spare memory of alloc_use_spare and a history that has been recovered.
bool recorder_excerpt(recorder_o *r, history_o *h, const snapshot_o *now, const char *path, error_t *error);

// --- reading
typedef enum recording_kind_t {
  RECORDING_NONE,
  RECORDING_TICK,
  RECORDING_IDLE,
  RECORDING_BACK,
  RECORDING_FORWARD,
  RECORDING_RELOAD,
  RECORDING_PARK,
  RECORDING_OUTSIDE, // an answer from outside
  RECORDING_DO,      // something else that the host did: ticks is a recording_deed_t
  RECORDING_END,
  RECORDING_BROKEN // from here on the file cannot be read; the error says why
} recording_kind_t;

typedef struct recording_item_t {
  recording_kind_t kind;
  input_state_t before, input; // TICK, IDLE
  uint64_t ticks;              // BACK, DO
  uint64_t game_hash;          // RELOAD
  char piece[128];             // PARK
  external_answer_t *answer;   // OUTSIDE: the caller's, to be released
  bool seen;                   // TICK: the hash and the components are known
  uint32_t hash;               // TICK: of the world afterwards, its lower half
  const uint16_t *components;  // TICK: by id - 1, of each component; borrowed until the next item
  uint32_t component_count;
} recording_item_t;

// NULL with a message when this is no recording, or one of another format.
recording_o *recording_open(allocator_t *a, const char *path, error_t *error);
recording_o *recording_of_bytes(allocator_t *a, const void *bytes, size_t size, error_t *error); // copied
void recording_close(recording_o *r);
const recording_head_t *recording_head(const recording_o *r);
// Where it begins, when not at the game's start; NULL otherwise. Borrowed.
const snapshot_o *recording_snapshot(const recording_o *r);
// The state that was recorded after the `played`-th tick of the recording; 0: before the first. False with a message
// when there is none, or when it is larger than `largest_bytes`.
bool recording_state(const recording_o *r, uint64_t played, uint32_t largest_bytes, snapshot_o *out, error_t *error);
bool recording_began_paused(const recording_o *r); // with a snapshot: whether the game was paused then
void recording_next(recording_o *r, recording_item_t *out, error_t *error);
// The next answer from outside, if that is what comes next: the caller's, to be released. NULL otherwise, and then
// nothing was read.
external_answer_t *recording_next_answer(recording_o *r);
// Was it lived? Else somebody made its samples up, and what the world does is seen for the first time.
bool recording_is_lived(const recording_o *r);

// What recordings say of a component: a part of the hash of its rows.
uint16_t recording_component_hash(world_o *w, uint32_t manager);

#endif
