// Journal of a running game: encodes everything that enters the simulation into blocks of records, once for all
// clients. Recordings, the history and --check-rollback keep the blocks that they need in logs (journal/input_log.h).
#ifndef SHOAL_JOURNAL_JOURNAL_H
#define SHOAL_JOURNAL_JOURNAL_H

#include "base/limits.h"
#include "journal/input_log.h"

#define JOURNAL_BLOCK_BYTES (1u << 20) // size above which a block is completed

typedef struct journal_o journal_o;

journal_o *journal_create(allocator_t *a);
void journal_destroy(journal_o *j); // accepts NULL
allocator_t *journal_allocator(const journal_o *j);

// --- clients; without clients, the journal ignores all records

// Adds all blocks from now on to `log`, which is borrowed until journal_detach or journal_destroy.
void journal_attach(journal_o *j, input_log_o *log);
void journal_detach(journal_o *j, const input_log_o *log);
// Receives the bytes of a complete block, valid during the call. With NULL, journal_set_on_block removes the function.
typedef void (*journal_on_block_t)(void *context, const uint8_t *bytes, uint32_t size);
void journal_set_on_block(journal_o *j, journal_on_block_t on_block, void *context);

// --- adding

// These functions add a copy of an item to the next record. `code`: content hash of the running sources (sources_hash).
void journal_add_item(journal_o *j, record_item_kind_t kind, const void *bytes, size_t size);
void journal_add_result(journal_o *j, const external_result_t *result);
void journal_add_park(journal_o *j, const parked_t *parked, uint64_t code);

// Adds a tick that has run. `hash`: hash of the world after the tick; 0: unknown. Begins a block if the tick is not
// later than the previous tick.
void journal_add_tick(journal_o *j, uint64_t tick, const input_state_t *previous, const input_state_t *input,
                      uint64_t hash);
// Adds a frame of a paused game, before the tick `next_tick`.
void journal_add_frame(journal_o *j, uint64_t next_tick, const input_state_t *previous, const input_state_t *input);
// Adds a record of a kind other than TICK, FRAME and ITEMS. For BACK, use journal_add_rewind. `value`: content hash for
// RELOAD, otherwise 0.
void journal_add_action(journal_o *j, record_kind_t kind, uint64_t value);
// Adds a BACK of `ticks` ticks. `tick`: tick of the world afterwards.
void journal_add_rewind(journal_o *j, uint64_t ticks, uint64_t tick);
// Adds the pending items as a separate record of the kind ITEMS, without waiting for the next record.
void journal_flush_items(journal_o *j);
uint64_t journal_last_number(const journal_o *j); // returns the number of the last record, or 0 if the journal is empty
// Returns true if the next record begins a block, even if its tick directly follows the previous tick.
bool journal_block_is_due(const journal_o *j);
// Completes the newest block, so that the next record begins a new block.
void journal_end_block(journal_o *j);

#endif
