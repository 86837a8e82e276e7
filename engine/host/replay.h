// Recordings: what the host has told the simulation, sample by sample, and a hash of the world after every tick. The same game, fed
// with it, lives the same life; the first tick that differs is found, and the components that differ in it.
//
// A file is a head (magic "SHOALRPL", format, the facts of replay_head_t) and chunks (size, checksum, records) of about a second each, so
// that a file that was cut off plays as far as it goes. A chunk stands alone: it begins with the sample before its first. A recording
// that does not begin at the game's start begins with a chunk that holds a snapshot. Behind each chunk of records comes one with the
// states that they led to, packed as the history packs them, for whoever wants to know what differs.
#ifndef SHOAL_HOST_REPLAY_H
#define SHOAL_HOST_REPLAY_H

#include "host/history.h"
#include "platform/input.h"

#define REPLAY_FORMAT 1u
#define REPLAY_CHUNK_TICKS 60u
#define REPLAY_RECENT_CHUNKS 31u // that a recorder keeps in memory

typedef struct replay_head_t {
  char game[128]; // its title
  uint64_t seed;
  uint64_t game_hash;   // of the game's Lua files
  uint64_t engine_hash; // of the engine's
  uint32_t tick_rate, history_mb;
  uint32_t history_asked; // 1: by --history
  uint32_t undo;          // 1: what failing pieces did is undone
} replay_head_t;

// The numbers are part of the format.
typedef enum replay_deed_t { REPLAY_DO_NONE, REPLAY_DO_AGAIN, REPLAY_DO_LIVE, REPLAY_DO_UNPAUSE } replay_deed_t;

// --- writing
typedef struct recorder_o recorder_o;

// `path` NULL keeps the latest chunks in memory only, for recorder_excerpt. NULL with a message when the file cannot be written.
recorder_o *recorder_create(allocator_t *a, const replay_head_t *head, const char *path, error_t *error);
void recorder_destroy(recorder_o *r); // writes what is left; NULL is fine
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
// A piece of a system was parked in the tick that is recorded next, and what it did is undone: whoever plays it parks it before. With
// each chunk those that are parked are told again, until there is other code.
void recorder_park(recorder_o *r, const char *piece);
void recorder_other_code(recorder_o *r);
// Something that the host did: it began to play the timeline that it left again, ended that, or let a paused game go on.
void recorder_host(recorder_o *r, replay_deed_t deed);
// A state of the world as the history keeps it, after the ticks that have been recorded so far. Only where there is a file.
void recorder_state(recorder_o *r, const history_state_t *s);
// The last chunks as a recording of its own, from the oldest whose first tick the history still has. False with a message.
bool recorder_excerpt(recorder_o *r, history_o *h, const char *path, error_t *error);

// --- reading
typedef enum replay_kind_t {
  REPLAY_NONE,
  REPLAY_TICK,
  REPLAY_IDLE,
  REPLAY_BACK,
  REPLAY_FORWARD,
  REPLAY_RELOAD,
  REPLAY_PARK,
  REPLAY_DO, // something else that the host did: ticks is a replay_deed_t
  REPLAY_END,
  REPLAY_BROKEN // from here on the file cannot be read; the error says why
} replay_kind_t;

typedef struct replay_item_t {
  replay_kind_t kind;
  input_state_t before, input; // TICK, IDLE
  uint64_t ticks;              // BACK, DO
  uint64_t game_hash;          // RELOAD
  char piece[128];             // PARK
  bool seen;                   // TICK: the hash and the components are known
  uint32_t hash;               // TICK: of the world afterwards, its lower half
  const uint16_t *components;  // TICK: by id - 1, of each component; borrowed until the next item
  uint32_t component_count;
} replay_item_t;

typedef struct replay_o replay_o;

// NULL with a message when this is no recording, or one of another format.
replay_o *replay_open(allocator_t *a, const char *path, error_t *error);
replay_o *replay_of_bytes(allocator_t *a, const void *bytes, size_t size, error_t *error); // copied
void replay_close(replay_o *r);
const replay_head_t *replay_head(const replay_o *r);
// Where it begins, when not at the game's start; NULL otherwise. Borrowed.
const snapshot_o *replay_snapshot(const replay_o *r);
// The state that was recorded after the `played`-th tick of the recording; 0: before the first. False with a message when there is none.
bool replay_state(const replay_o *r, uint64_t played, snapshot_o *out, error_t *error);
bool replay_began_paused(const replay_o *r); // with a snapshot: whether the game was paused then
void replay_next(replay_o *r, replay_item_t *out, error_t *error);

// What recordings say of a component: a part of the hash of its rows.
uint16_t replay_component_hash(world_o *w, uint32_t manager);

#endif
