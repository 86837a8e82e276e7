// Shared by the files of the world store: transactions and statements on its database. Private to served.
#ifndef SHOAL_SERVED_WORLD_STORE_INTERNAL_H
#define SHOAL_SERVED_WORLD_STORE_INTERNAL_H

#include "served/world_store.h"

#include <sqlite3.h>

// The store's clock in seconds since 1970, in statements.
#define STORE_NOW "CAST(strftime('%s', 'now') AS INTEGER)"

struct world_store_o {
  sqlite3 *db;
  allocator_t memory;
  char *path, *game, *engine; // owned
  uint64_t base;
  // The owner's beat that this connection has last seen, and the time since which it has not changed.
  int64_t seen_owner, seen_beat, seen_ns;
  uint64_t log_file; // inode of the write-ahead log; 0: unknown
};

// A parameter of a statement.
typedef struct store_value_t {
  const void *bytes; // text or blob, borrowed; NULL: `number` is the value
  int64_t number;    // number, or size of a blob; -1: `bytes` is a text
} store_value_t;

#define STORE_NUMBER(value) ((store_value_t){NULL, (int64_t)(value)})
#define STORE_TEXT(value) ((store_value_t){(value), -1})
#define STORE_BLOB(value, size) ((store_value_t){(size) ? (value) : (const void *)"", (int64_t)(size)})
#define STORE_VALUES(...)                                                                                              \
  (const store_value_t[]){__VA_ARGS__}, (uint32_t)(sizeof((store_value_t[]){__VA_ARGS__}) / sizeof(store_value_t))

// Returns the result that an SQLite result code means, with an error that names the file unless the code is a success.
store_result_t store_get_result(world_store_o *s, int code, error_info_t *error);
// Sets an error that begins with the file's name. Returns `result`.
__attribute__((format(printf, 4, 5))) store_result_t store_fail(const world_store_o *s, store_result_t result,
                                                                error_info_t *error, const char *format, ...);

// Remembers the file of the write-ahead log, which store_begin_write requires. Call it after a read.
void store_note_log(world_store_o *s);
// Begins a transaction that may write, or that reads one state of the database.
store_result_t store_begin_write(world_store_o *s, error_info_t *error);
store_result_t store_begin_read(world_store_o *s, error_info_t *error);
// Commits the transaction if `result` is STORE_DONE, and rolls it back otherwise. Returns `result`, or the result of a
// commit that has failed, whose outcome is unknown.
store_result_t store_end(world_store_o *s, store_result_t result, error_info_t *error);

// Executes a statement. `changed` receives the number of changed rows; may be NULL.
store_result_t store_execute(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                             int64_t *changed, error_info_t *error);

// The rows of a query. Zero-initialize it.
typedef struct store_query_t {
  sqlite3_stmt *statement;
  store_result_t result; // why the last store_next returned false; STORE_DONE: no more rows
} store_query_t;

// Starts a query. Always call store_query_end afterwards.
void store_query_begin(world_store_o *s, store_query_t *query, const char *sql, const store_value_t *values,
                       uint32_t count, error_info_t *error);
// Moves to the next row. Returns true on success, or false after the last row or an error.
bool store_next(world_store_o *s, store_query_t *query, error_info_t *error);
store_result_t store_query_end(store_query_t *query); // returns `result`

// Read columns of the current row. They return false if the value has a different type, is negative or larger than
// `max`, or does not fit.
bool store_read_number(const store_query_t *query, int column, uint64_t max, uint64_t *out);
bool store_read_bits(const store_query_t *query, int column, uint64_t *out); // any number
bool store_read_text(const store_query_t *query, int column, char *out, size_t capacity);
bool store_read_blob(const store_query_t *query, int column, size_t max_bytes, const uint8_t **bytes, size_t *size);

// Executes a query that has one row with one number. Returns STORE_DAMAGED with an error if it has no such row.
store_result_t store_query_number(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                                  int64_t *out, error_info_t *error);

#endif
