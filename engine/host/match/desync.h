// Names a difference between two machines of a match after a tick: entity, component, field, both values, and the
// system that wrote them.
//
//   peer   trace: runs the tick again, and hashes the world after each system         report  →
//   host   trace: does the same, compares, and hashes the components after the first
//          system whose hash differs                                     ←  report and state
//   peer   find: runs the tick again up to this system, compares the states, and
//          selects the difference that this system has made                           finding →
//   both   describe: the line of the desync
//
// If the second run of a tick has a different hash, the tick depends on state outside the world. The host takes the
// host's value from its own state, not from the finding, so that a hostile peer can falsify only the peer's value.
#ifndef SHOAL_MATCH_DESYNC_H
#define SHOAL_MATCH_DESYNC_H

#include "game/players.h"
#include "match/match.h"
#include "snapshot/snapshot.h"
#include "time/recording.h"

typedef struct game_o game_o;
typedef struct desync_o desync_o;

// Creates an object without traces. Borrows `a`.
desync_o *desync_create(allocator_t *a);
void desync_destroy(desync_o *d); // accepts NULL

// A state of the game from which ticks can run again.
typedef struct desync_start_t {
  uint64_t tick;
  const snapshot_o *state;
  const players_state_t *players; // players after that tick
} desync_start_t;

typedef struct desync_trace_desc_t {
  game_o *game;
  const match_o *match; // match that provides the records of the ticks
  uint64_t tick;
  uint64_t hash;         // hash of the state after the first run of the tick (match_fold_hash)
  const snapshot_o *end; // the state after the first run; NULL: uses the state after the second run
  const uint8_t *other;  // report of the other machine
  size_t other_size;     // size of `other`; 0: the report has not arrived yet
  recorder_o *recorder;  // records the ticks that run again; NULL: nothing is recorded
  const char *path;      // path of the recording
} desync_trace_desc_t;

// Runs the ticks from `start` again, without outputs, and writes a report to `out` (MATCH_MAX_REPORT_BYTES). The game
// is then in the state after the tick. Returns the size, or 0 if the ticks cannot run again. If the tick was recently
// traced against the same report, only writes its report again. Keeps the last few traces for desync_describe.
size_t desync_trace(desync_o *d, const desync_start_t *start, const desync_trace_desc_t *desc, uint8_t *out);
// Returns the state of the world after a recently traced tick, and stores the state of the players in `*players`.
// Returns NULL if the state is not kept, or if the second run had a different hash and the state after the first run is
// not kept.
const snapshot_o *desync_get_state(const desync_o *d, uint64_t tick, const players_state_t **players);
// Drops all traces. Call when a different game begins.
void desync_clear(desync_o *d);

// Peer: compares a traced tick with the host's report and, unless `host` is NULL, with the host's state after the tick.
// Writes a finding to `out` (MATCH_MAX_FINDING_BYTES). The game's state is undefined afterwards. Returns the size, or 0
// if the tick was not traced, the report is malformed, or the tick cannot run again.
size_t desync_find(desync_o *d, game_o *g, const match_o *m, uint64_t tick, const uint8_t *report, size_t report_size,
                   const snapshot_o *host, uint8_t *out);
// Writes the description of a finding to `out` (MATCH_LINE_BYTES), with the host's value first, or "" if the tick was
// not traced recently. Returns true on success. Returns false if the finding is malformed, or refers to an object that
// no state of this game contains.
bool desync_describe(const desync_o *d, game_o *g, uint64_t tick, const uint8_t *finding, size_t size, char *out);

#endif
