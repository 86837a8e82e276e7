// Runs a tick of a match: applies its record to the game and, on the host, adds what the other machines need to the
// record: results of requests, such as a scene in the saves folder or a plugin's data, and systems and functions that
// the watchdog has stopped.
//
// Only the host calls readers and stops systems and functions. The other machines use its results, and park what it has
// stopped before the tick. If a predicted tick requires a result or is stopped, the machine waits for the record.
#ifndef SHOAL_MATCH_MATCH_TICK_H
#define SHOAL_MATCH_MATCH_TICK_H

#include "base/alloc.h"
#include "match/match.h"

typedef struct game_o game_o;

// Items that the host adds to a record. Valid before the first tick when zero-initialized.
typedef struct match_items_t {
  uint8_t bytes[RECORD_MAX_ITEM_BYTES];
  size_t size;
} match_items_t;

// Runs the record's tick. `a`: memory for the results in the record, which is freed afterwards. Logs and ignores
// malformed items. Host: adds items to the record, whose bytes stay valid until the next tick. Returns false if a
// predicted tick must run again with the host's record.
bool match_tick_run(match_items_t *items, game_o *g, allocator_t *a, record_t *record, match_run_t mode);
// Runs the tick of a confirmed record again, without outputs, to find the cause of a desync.
void match_tick_run_again(game_o *g, allocator_t *a, const record_t *record);

#endif
