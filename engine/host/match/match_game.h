// A game as the world of a match: runs ticks of a game that declares players, and stores and hashes its states.
#ifndef SHOAL_MATCH_MATCH_GAME_H
#define SHOAL_MATCH_MATCH_GAME_H

#include "base/script_report.h"
#include "journal/external_result.h"
#include "match/match.h"
#include "snapshot/snapshot.h"
#include "time/recording.h"

typedef struct game_o game_o;
typedef struct match_game_o match_game_o;
typedef struct pose_corrections_t pose_corrections_t; // defined in poses/pose_corrections.h

#define MATCH_GAME_MAX_STATE_BYTES (64u << 20)

typedef struct match_game_desc_t {
  game_o *game; // game that has started, and declares players; borrowed
  // Maximum size of a state that is read, after decompression. 0: MATCH_GAME_MAX_STATE_BYTES, the limit for states from
  // remote machines.
  size_t max_state_bytes;
  // Replaces the game with a new instance of the same code that starts with this seed. Returns the new game, or the
  // current one if the new game could not start. NULL: records of the kind RESTART are only logged.
  game_o *(*restart)(void *context, uint64_t seed);
  // Replaces the game with the lobby of the match (`is_lobby`), or with the game itself, which then starts with this
  // seed. Returns the new game, or the current one if the new game could not start. NULL: the match has no lobby.
  game_o *(*enter)(void *context, bool is_lobby, uint64_t seed);
  // True if no states of recent ticks are kept, because the match never rolls back and traces no desyncs. For rooms,
  // which have no local players.
  bool keeps_no_states;
  match_code_t code; // its `replace` calls match_game_set_game; zero: the code does not change
  // Called once for each confirmed tick, in order, with the world's hash after it. Optional.
  void (*confirm)(void *context, uint64_t tick, uint64_t hash);
  // Called for each failed piece of code in a confirmed tick of a peer. The host uses game_pop_reports. Optional.
  void (*report)(void *context, const script_report_t *report);
  // Called before and after each run of a tick, including predicted and repeated ticks, to measure the run. Optional.
  void (*measure)(void *context, bool begins);
  // Creates the recorder of a desync, whose ticks are added to `journal`, and writes the path of its file to `path`.
  // Returns the recorder, or NULL if the desync must not be recorded. Optional.
  recorder_o *(*create_recorder)(void *context, journal_o *journal, uint64_t tick, char *path, size_t path_bytes);
  void *context;
  // Borrowed. Receives the offsets of the drawn poses that a rollback has caused. If a rollback takes more than one
  // frame, the caller must complete it with pose_corrections_add. Optional.
  pose_corrections_t *corrections;
} match_game_desc_t;

// Allocates and touches the memory of all slots, so that the first ticks of the match cause no page faults. From now
// on, the game's scripts cannot call functions that are refused in a match.
match_game_o *match_game_create(const match_game_desc_t *desc);
// Destroys the object, and ends the match's restrictions on the game's scripts. Accepts NULL.
void match_game_destroy(match_game_o *mg);

// Replaces the game with `game`, which has the same state and changed code. Drops the stored states.
void match_game_set_game(match_game_o *mg, game_o *game);

// Restarts the game to apply different script limits. Call before the first tick or snapshot. Does nothing in the
// lobby, and if the description has no `restart`.
void match_game_restart(match_game_o *mg);

// Host: enters the lobby, before the first tick. A record of the kind SWITCH ends the lobby. Returns true on success,
// or false if the lobby could not start.
bool match_game_enter_lobby(match_game_o *mg);
bool match_game_is_in_lobby(const match_game_o *mg);

// Host: adds a result that no script has requested, such as an operator's event, to the record of a later tick. Each
// record receives one such result, in the order in which they were added. The key and the bytes together have at most
// MATCH_TICK_MAX_GIVEN_BYTES (match_tick.h). Retains `result`.
void match_game_add_result(match_game_o *mg, external_result_t *result);
// Returns the number of these results that no record contains yet.
uint32_t match_game_count_waiting_results(const match_game_o *mg);

// Returns the state after the last confirmed tick for ui_set_confirmed, or NULL if it is the world's current state.
// `status` must be the match's current status. Valid until the next call of match_update.
const snapshot_o *match_game_get_confirmed(const match_game_o *mg, const match_status_t *status);

// Returns the callbacks for match_create, valid until match_game_destroy. match_output.h describes what happens to log
// lines and sounds of predicted ticks. Ticks are counted by the match: a restart or the end of the lobby does not reset
// them.
match_world_t match_game_get_world(match_game_o *mg);

#endif
