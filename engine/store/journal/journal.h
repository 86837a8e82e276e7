// Journal of a running game, in memory: blocks of encoded records. Used as the log of the input of past ticks, which
// run again with it, and by recordings.
//
// Records are appended. Blocks are never changed once they are complete, so copies share them. A child forked from a
// crashing process can read the complete records (journal_get_block), wherever the process was interrupted.
#ifndef SHOAL_JOURNAL_JOURNAL_H
#define SHOAL_JOURNAL_JOURNAL_H

#include "base/alloc.h"
#include "base/limits.h"
#include "journal/external_result.h"
#include "journal/parked_item.h"
#include "platform/input.h"

#define JOURNAL_BLOCK_BYTES (1u << 20) // a block that exceeds this size is complete
#define JOURNAL_UNKNOWN_TICK UINT64_MAX
#define JOURNAL_NEXT_TICK UINT64_MAX // of an item: that of the next record

typedef struct journal_o journal_o;

journal_o *journal_create(allocator_t *a);
void journal_destroy(journal_o *j);          // accepts NULL
journal_o *journal_copy(const journal_o *j); // without the items of the next record

// --- adding

// Add an item for the next record. Items of other ticks than that of the next record precede it in records of their
// own. To be found, an item must be added before any input of a later tick. The contents are copied.
void journal_add_item(journal_o *j, uint64_t tick, record_item_kind_t kind, const void *bytes, size_t size);
void journal_add_result(journal_o *j, uint64_t tick, const external_result_t *result);
void journal_add_park(journal_o *j, uint64_t tick, const parked_t *parked, uint64_t code);

// Adds a tick that has run. `hash`: of the world after the tick; 0: unknown. A block begins if the tick is not later
// than the last one.
void journal_add_tick(journal_o *j, uint64_t tick, const input_state_t *previous, const input_state_t *input,
                      uint64_t hash);
// Adds a frame of a paused game before `next_tick`.
void journal_add_frame(journal_o *j, uint64_t next_tick, const input_state_t *previous, const input_state_t *input);
// Adds a record of another kind. `value`: see record_t; hash of a RELOAD, tick of BACK, otherwise 0.
void journal_add_action(journal_o *j, record_kind_t kind, uint64_t value);
bool journal_has_items(const journal_o *j); // returns true if the next record will have items
// Adds the items without waiting for the next record.
void journal_flush_items(journal_o *j);
// Returns true if the next record begins a block, even if its tick is the one after the last.
bool journal_block_is_due(const journal_o *j);
// Completes the newest block, so that the next record begins another one.
void journal_end_block(journal_o *j);

// --- discarding

// Discards the records and items of `tick` and of all later ticks. The journal must consist of TICK, FRAME and ITEMS
// records with increasing ticks.
void journal_discard_from(journal_o *j, uint64_t tick);
void journal_discard_before(journal_o *j, uint64_t tick); // discards whole blocks, so some earlier ticks are kept
void journal_keep_newest(journal_o *j, uint32_t blocks);  // discards all but this number of blocks

// --- reading

typedef struct journal_block_t {
  const uint8_t *bytes; // borrowed until the next record is added
  uint32_t size;
  uint64_t first_tick; // tick to which the first record belongs; JOURNAL_UNKNOWN_TICK if it belongs to none
} journal_block_t;

uint32_t journal_block_count(const journal_o *j);
journal_block_t journal_get_block(const journal_o *j, uint32_t i); // 0 is the oldest

typedef struct journal_input_t {
  bool paused; // true: a frame of a paused game; false: the tick itself
  input_state_t previous_input, input;
} journal_input_t;

// The following functions require a journal as described at journal_discard_from.
uint64_t journal_last_tick(const journal_o *j); // returns the most recent tick; 0 if the journal has none
// Stores the i-th input that leads to `tick`; the last one is that of the tick itself. Returns false if there are fewer
// or the journal lacks the tick.
bool journal_get_input(const journal_o *j, uint64_t tick, uint32_t i, journal_input_t *out);
// Returns the result of a request of that tick, owned by the caller; NULL if the tick did not make the request.
external_result_t *journal_find_result(const journal_o *j, uint64_t tick, external_kind_t kind, const char *key);
// Stores the i-th piece that was parked after that tick, borrowed until the journal changes. Returns false if there are
// fewer.
bool journal_get_parked(const journal_o *j, uint64_t tick, uint32_t i, parked_item_t *out);

#endif
