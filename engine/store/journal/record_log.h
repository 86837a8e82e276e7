// The latest journal records in memory, by number. Records may be added in any order. A new record replaces the record
// in its slot. The memory is allocated at creation and never grows. The contents of all items share one circular
// buffer. A record whose items have been overwritten is no longer found.
#ifndef SHOAL_JOURNAL_RECORD_LOG_H
#define SHOAL_JOURNAL_RECORD_LOG_H

#include "base/alloc.h"
#include "journal/record.h"

typedef struct record_log_o record_log_o;

// Creates an empty log. `capacity`: number of records, a power of two. `max_players`: maximum number of players whose
// inputs a record contains. `item_bytes`: size of the item buffer, at least RECORD_MAX_ITEM_BYTES.
record_log_o *record_log_create(allocator_t *a, uint32_t capacity, uint32_t max_players, uint32_t item_bytes);
void record_log_destroy(record_log_o *log); // accepts NULL

// Adds a copy of a record. The record's number must not be 0.
void record_log_add(record_log_o *log, const record_t *record);
// Copies a record to `out`, whose items point into the log and are valid until the next record is added. Returns true
// on success, or false if the log does not contain the record.
bool record_log_get(const record_log_o *log, uint64_t number, record_t *out);
bool record_log_has(const record_log_o *log, uint64_t number);
// Prepares a coder for a block whose first record is coded as the difference from the record `number`. Returns true on
// success, or false if the log does not contain the record. The items of the record are not required.
bool record_log_start_coder(const record_log_o *log, uint64_t number, record_coder_t *out);
// Returns true if a record can be added without overwriting items of the records in [from, to). `item_bytes`: size of
// its items. If the result is true, several records with half as many item bytes in total also fit.
bool record_log_has_room(const record_log_o *log, uint64_t from, uint64_t to, size_t item_bytes);
// Removes all records.
void record_log_clear(record_log_o *log);

#endif
