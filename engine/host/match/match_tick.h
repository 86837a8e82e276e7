// Runs a tick of a match: applies its record to the game. On the host, also adds what the other machines need to the
// record: the systems and functions that the watchdog has stopped, and results of requests, such as a scene in the
// saves folder or a plugin's data.
//
// Only the host reads external data, and only its watchdog stops systems and functions. The other machines use its
// results, and park the stopped code before the tick. If a predicted tick requires a result or is stopped, the machine
// waits for the record.
#ifndef SHOAL_MATCH_MATCH_TICK_H
#define SHOAL_MATCH_MATCH_TICK_H

#include "base/alloc.h"
#include "journal/parked_item.h"
#include "match/match.h"
#include "time/external_input.h"

typedef struct game_o game_o;

// Items that a tick may add to its record on the host. Joins, leaves and commands must leave space for them.
#define MATCH_TICK_MAX_PARKS 4u
#define MATCH_TICK_MAX_MESSAGE_BYTES 160u
#define MATCH_TICK_MAX_GIVEN_BYTES 3072u // maximum size of `given` with its key
#define MATCH_TICK_PARK_BYTES (MATCH_TICK_MAX_PARKS * (PARKED_ITEM_HEAD_BYTES + MATCH_TICK_MAX_MESSAGE_BYTES))
#define MATCH_TICK_ITEMS (1 + EXTERNAL_MATCH_RESULTS + MATCH_TICK_MAX_PARKS)
// Space in a record, in bytes, that is reserved for these items. A given result takes the space of the scripts'
// results, which then wait for a later tick.
#define MATCH_TICK_ITEM_BYTES (2 + MATCH_TICK_MAX_GIVEN_BYTES + 2 * EXTERNAL_MATCH_RESULTS + MATCH_TICK_PARK_BYTES)
_Static_assert(MATCH_TICK_MAX_GIVEN_BYTES >= EXTERNAL_MATCH_BYTES, "the results of scripts do not fit");

// Items that the host adds to a record. Zero-initialize before the first tick.
typedef struct match_items_t {
  uint8_t bytes[RECORD_MAX_ITEM_BYTES];
  size_t size;
  // Result without a request, such as an operator's event, which all machines receive in the next tick; borrowed; NULL:
  // no such result.
  const external_result_t *given;
} match_items_t;

// Returns true if the record has space for a given result. A record with an arrival may have no space.
bool match_tick_fits(const record_t *record, const external_result_t *given);
// Runs the record's tick. `a`: memory for the results in the record, which are freed when the tick has run. Logs and
// ignores malformed items. On the host, adds items to the record, whose bytes stay valid until the next tick. Returns
// true on success, or false if a predicted tick must run again with the host's record.
bool match_tick_run(match_items_t *items, game_o *g, allocator_t *a, record_t *record, match_run_t mode);
// Runs the tick of a confirmed record again, without outputs, to find the cause of a desync.
void match_tick_run_again(game_o *g, allocator_t *a, const record_t *record);

#endif
