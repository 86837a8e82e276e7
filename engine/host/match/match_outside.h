// External input and stops of a tick, as items of its record: results of requests, such as a scene in the saves folder
// or a plugin's data, and systems and functions that the host's watchdog has stopped.
//
// Only the host calls readers and stops systems and functions. The other machines use its results, and park what it has
// stopped before the tick. If a predicted tick requires a result or is stopped, the machine waits for the record.
#ifndef SHOAL_MATCH_MATCH_OUTSIDE_H
#define SHOAL_MATCH_MATCH_OUTSIDE_H

#include "match/match.h"
#include "journal/input_log.h"

typedef struct game_o game_o;

// Valid before the first tick when zero-initialized. Main thread only.
typedef struct match_outside_t {
  input_log_o *results;                 // results in the record; NULL without results
  uint32_t parked_count;                // number of parked systems and functions before the tick
  uint8_t bytes[RECORD_MAX_ITEM_BYTES]; // buffer for the added items
  size_t size;
} match_outside_t;

// Call before a tick runs, and match_outside_end afterwards; `a` is borrowed until then. Logs and ignores malformed
// items.
void match_outside_begin(match_outside_t *o, game_o *g, allocator_t *a, const record_t *record, match_run_t mode);
// Host: adds items to the record, whose bytes stay valid until the next tick. Returns false if a predicted tick must
// run again with the host's record.
bool match_outside_end(match_outside_t *o, game_o *g, record_t *record, match_run_t mode);
// For game_run_again: parks the systems and functions that a record lists, and returns a log with its results, created
// with `a`, or NULL if it has no results. Logs malformed items. `is_first`: also logs what it parks.
input_log_o *match_outside_apply(game_o *g, allocator_t *a, const record_t *record, bool is_first);

#endif
