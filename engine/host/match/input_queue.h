// A peer's inputs on the host: records that the peer numbers and stamps with their target ticks. Records may arrive in
// any order, early, late and repeatedly. Edges (presses and releases) and commands are taken once and in order. Held
// values and movements come from the latest record. Records contain sums of movements, and a tick takes the difference
// from the previously held record. The `hash` of a record with commands is the number of the first host record that the
// peer had not confirmed when it created the commands.
#ifndef SHOAL_MATCH_INPUT_QUEUE_H
#define SHOAL_MATCH_INPUT_QUEUE_H

#include "journal/record_log.h"

#define INPUT_QUEUE_RECORDS 128u
#define INPUT_QUEUE_MAX_ITEMS 4u        // maximum number of items in a peer's record
#define INPUT_QUEUE_MAX_ITEM_BYTES 500u // size limit of all items in a peer's record
// Limits for the items that a machine may add to a tick. The items of all machines may exceed the limits of a record.
#define INPUT_QUEUE_TICK_ITEMS 6u
#define INPUT_QUEUE_TICK_ITEM_BYTES 1000u

// Limits for the items of a record.
typedef struct item_limits_t {
  uint32_t items, bytes;
} item_limits_t;

typedef struct input_queue_t {
  record_log_o *log;
  player_mask_t players; // players of the peer
  uint64_t next;         // number of the first record that has not been taken
  uint64_t received;     // end of the complete records: all records below this number have arrived
  uint64_t newest;       // highest number that has arrived
  uint64_t held_number;  // number of the record whose values are held; 0: no record
  uint64_t held_tick;    // first tick that used the held record
  player_inputs_t held;
  uint64_t late; // number of records that arrived after their tick had run
} input_queue_t;

// Returns the limits up to which one machine may add items to the record. `end`: limits of the record.
item_limits_t input_queue_limit(const record_t *record, item_limits_t end);

void input_queue_init(input_queue_t *q, allocator_t *a, player_mask_t players);
void input_queue_fini(input_queue_t *q);
// Adds a record. Ignores records that have arrived before, and records too far ahead. `tick`: the latest tick that has
// run. Returns true on success, or false if the record contains anything but inputs and commands of the peer's players,
// or too many commands, or more than PLAYER_ACTION_BYTES of one player's commands.
bool input_queue_add(input_queue_t *q, const record_t *record, uint64_t tick);
// Adds the peer's inputs and commands for the tick `out->tick` to `out`. Values become neutral if no newer record has
// arrived for `max_age` ticks. Drops commands created before the peer had confirmed all host records below `started`.
// Presses, releases and commands for which `out` has no space wait for the next tick, as do a player's commands beyond
// PLAYER_ACTION_BYTES, which the tick would drop. `end`: maximum number and total size of the items in `out`, which are
// valid until the next record is added.
void input_queue_take(input_queue_t *q, uint64_t max_age, uint64_t started, item_limits_t end, record_t *out);

#endif
