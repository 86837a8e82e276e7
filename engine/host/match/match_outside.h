// What a tick takes from outside the simulation, as items of its record: results of requests, such as a scene of the
// saves folder or the data of a plugin, and pieces of code that the watchdog has stopped on the host.
//
// Only the host reads and stops. The other machines use its results, and park its pieces before the tick. A tick that
// they predict ends the prediction if it requires a result, or if it is stopped: they wait for the record.
//
//   RESULT: kind (bits 0 to 6) and whether it was found (bit 7) (1), length of the key (1), key, bytes
//   PARK: length of the name (1), name, message
#ifndef SHOAL_MATCH_MATCH_OUTSIDE_H
#define SHOAL_MATCH_MATCH_OUTSIDE_H

#include "match/match.h"
#include "time/input_log.h"

typedef struct game_o game_o;

// Zero-initialized: before the first tick. Main thread only.
typedef struct match_outside_t {
  uint32_t parked_count;                // before the tick
  uint8_t bytes[RECORD_MAX_ITEM_BYTES]; // of the added items
  size_t size;
} match_outside_t;

// Call before a tick runs. Ignores malformed items with a warning.
void match_outside_begin(match_outside_t *o, game_o *g, const record_t *record, match_run_t mode);
// Call after it has run. Host: adds items to the record, whose bytes stay valid until the next tick. Returns false if a
// predicted tick must run again with the host's record.
bool match_outside_end(match_outside_t *o, game_o *g, record_t *record, match_run_t mode);

// For game_run_again: adds the results of a record to `log`, and parks its pieces.
void match_outside_repeat(game_o *g, const record_t *record, input_log_o *log);

#endif
