// The chronicle of a world: events that a game keeps (game.lua: chronicle), as rows of `chronicle`, with a view per
// event, such as chronicle_trade, whose columns are the event's fields. A room adds the rows of a tick as one change,
// which one transaction commits together with the tick's record, so a crash neither loses nor duplicates rows.
#ifndef SHOAL_SERVED_CHRONICLE_ROWS_H
#define SHOAL_SERVED_CHRONICLE_ROWS_H

#include "served/room_answers.h"
#include "served/world_store.h"

#define CHRONICLE_MAX_ROWS 256u       // maximum number of rows per tick
#define CHRONICLE_MAX_ROW_BYTES 1024u // maximum size of an event's fields as JSON
#define CHRONICLE_BATCH_ROWS 1000u    // number of expired rows that a transaction removes
#define CHRONICLE_NAME_BYTES 64u      // maximum size of the name of an event or a field, with the '\0'
#define CHRONICLE_MAX_COLUMNS 64u

// --- rows

// Payload of ROOM_CHANGE_CHRONICLE: the rows of a tick. Zero-initialize it before the first chronicle_rows_begin.
typedef struct chronicle_rows_t {
  uint8_t *bytes;
  size_t size, capacity;
  uint32_t count;
  allocator_t memory;
} chronicle_rows_t;

void chronicle_rows_begin(chronicle_rows_t *rows, uint64_t tick); // removes all rows
// Adds one of at most CHRONICLE_MAX_ROWS rows. `account`: number of the player's account; 0: no account. `keep_s`: time
// in seconds until the row expires; 0: never. `data`: the event's fields as a JSON object of at most
// CHRONICLE_MAX_ROW_BYTES.
void chronicle_rows_add(chronicle_rows_t *rows, const char *event, int64_t account, int64_t keep_s, const char *data,
                        size_t size);
void chronicle_rows_free(chronicle_rows_t *rows);

// Applies ROOM_CHANGE_CHRONICLE.
store_result_t chronicle_apply(world_store_o *s, const room_claim_t *claim, const uint8_t *bytes, size_t size,
                               room_answers_t *answers, error_info_t *error);

// --- the owner of the world

// Removes up to CHRONICLE_BATCH_ROWS expired rows, and stores their number in `removed`. On PostgreSQL, it may instead
// drop a partition (postgres_partitions.h), which counts as CHRONICLE_BATCH_ROWS rows. Returns STORE_LOST if the world
// has a different owner.
store_result_t chronicle_remove_expired(world_store_o *s, int64_t owner, uint32_t *removed, error_info_t *error);

// Column types of views.
typedef enum chronicle_type_t {
  CHRONICLE_INTEGER,
  CHRONICLE_BOOLEAN, // 0 or 1
  CHRONICLE_REAL,
  CHRONICLE_TEXT // string, or a list as JSON
} chronicle_type_t;

typedef struct chronicle_column_t {
  char name[CHRONICLE_NAME_BYTES]; // name of the field, a key of the JSON object, such as "pos.x"
  chronicle_type_t type;
} chronicle_column_t;

typedef struct chronicle_view_t {
  char event[CHRONICLE_NAME_BYTES];
  chronicle_column_t columns[CHRONICLE_MAX_COLUMNS];
  uint32_t count;
  int64_t keep_s; // time in seconds until a row expires; 0: never
} chronicle_view_t;

// Prepares the table for rows of the next days. Call it at least once per day. Without this call, rows are stored, too,
// but expired rows are then removed one by one. Returns STORE_LOST if the world has a different owner.
store_result_t chronicle_prepare_days(world_store_o *s, int64_t owner, const chronicle_view_t *views, uint32_t count,
                                      error_info_t *error);

// Creates the views of all kept events, and removes all other views of events. Unchanged views stay. Returns STORE_LOST
// if the world has a different owner.
store_result_t chronicle_create_views(world_store_o *s, int64_t owner, const chronicle_view_t *views, uint32_t count,
                                      error_info_t *error);

#endif
