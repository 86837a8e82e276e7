// Internals of the world store, shared by its files: transactions and statements on its database. Private to served.
//
// A connection (store_driver_t) implements both for one kind of database. No other file calls SQLite or libpq.
#ifndef SHOAL_SERVED_WORLD_STORE_INTERNAL_H
#define SHOAL_SERVED_WORLD_STORE_INTERNAL_H

#include "served/chronicle_rows.h"
#include "served/owned_views.h"
#include "served/world_store.h"

// The store's clock in seconds since 1970, in statements.
#define STORE_NOW "store_now()"
// The next number of a column, in statements: greater than before, and at least the store's clock.
#define STORE_NEXT(column) "CASE WHEN " column " < " STORE_NOW " THEN " STORE_NOW " ELSE " column " + 1 END"

typedef struct store_driver_t store_driver_t;

struct world_store_o {
  const store_driver_t *driver;
  void *connection; // state of the driver, which owns it
  allocator_t memory;
  char *path, *game, *engine; // owned strings; errors begin with `path`, which contains no password
  uint64_t base;
  // The owner's beat that this connection has last read, and the time of its last change (monotonic clock).
  int64_t seen_owner, seen_beat, seen_ns;
};

typedef enum store_kind_t {
  STORE_KIND_NULL,
  STORE_KIND_NUMBER, // BIGINT or INTEGER
  STORE_KIND_TEXT,
  STORE_KIND_BLOB,
  STORE_KIND_REAL // floating-point number, only in results
} store_kind_t;

// A parameter of a statement.
typedef struct store_value_t {
  store_kind_t kind;
  const void *bytes; // text or blob, borrowed
  int64_t number;    // number, or size of a blob
} store_value_t;

#define STORE_NULL ((store_value_t){0})
#define STORE_NUMBER(value) ((store_value_t){STORE_KIND_NUMBER, NULL, (int64_t)(value)})
#define STORE_TEXT(value) ((store_value_t){STORE_KIND_TEXT, (value), 0})
#define STORE_BLOB(value, size) ((store_value_t){STORE_KIND_BLOB, (size) ? (value) : (const void *)"", (int64_t)(size)})
#define STORE_VALUES(...)                                                                                              \
  (const store_value_t[]){__VA_ARGS__}, (uint32_t)(sizeof((store_value_t[]){__VA_ARGS__}) / sizeof(store_value_t))

// A column of the current row.
typedef struct store_cell_t {
  store_kind_t kind;
  int64_t number;
  double real;
  const void *bytes; // text, not always followed by '\0', or blob; valid until the next row
  size_t size;
} store_cell_t;

// Sets an error that begins with the name of the database. Returns `result`.
__attribute__((format(printf, 4, 5))) store_result_t store_fail(const world_store_o *s, store_result_t result,
                                                                error_info_t *error, const char *format, ...);

// Begin a transaction that may write, or a transaction that only reads one state of the database.
store_result_t store_begin_write(world_store_o *s, error_info_t *error);
store_result_t store_begin_read(world_store_o *s, error_info_t *error);
// Commits the transaction if `result` is STORE_DONE, and rolls it back otherwise. Returns `result`, or the result of a
// commit that has failed, whose outcome is unknown.
store_result_t store_end(world_store_o *s, store_result_t result, error_info_t *error);

// Returns STORE_LOST with an error unless `owner` owns the world.
store_result_t store_require_owner(world_store_o *s, int64_t owner, error_info_t *error);
// Changes the room's row in a transaction of the room, which must precede all other changes. Returns STORE_LOST if the
// row's fence or serial differs from the claim. `is_done` receives true if the last commit, whose outcome was unknown,
// has succeeded, so that nothing remains to be changed.
store_result_t store_advance_room(world_store_o *s, const room_claim_t *claim, uint64_t last, uint64_t tick,
                                  room_state_t state, uint32_t players, bool *is_done, error_info_t *error);
// Ends a transaction of the room like store_end, and advances the claim if it has succeeded.
store_result_t store_end_room(world_store_o *s, room_claim_t *claim, store_result_t result, uint64_t last,
                              uint64_t tick, room_state_t state, error_info_t *error);

// Executes a statement with the parameters $1, $2 … `changed` receives the number of changed rows; may be NULL.
store_result_t store_execute(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                             int64_t *changed, error_info_t *error);
// Executes statements without parameters, separated by semicolons.
store_result_t store_execute_script(world_store_o *s, const char *sql, error_info_t *error);

// The rows of a query. Zero-initialize it.
typedef struct store_query_t {
  world_store_o *store;
  void *rows;            // result of the query; owned by the driver
  int row;               // index of the current row; -1 before the first row
  store_result_t result; // reason why the last store_next returned false; STORE_DONE: no more rows
} store_query_t;

// Starts a query. Always call store_query_end afterwards.
void store_query_begin(world_store_o *s, store_query_t *query, const char *sql, const store_value_t *values,
                       uint32_t count, error_info_t *error);
// Moves to the next row. Returns true on success, or false after the last row or an error.
bool store_next(world_store_o *s, store_query_t *query, error_info_t *error);
store_result_t store_query_end(store_query_t *query); // returns `result`

// Returns the number of columns, or 0 if the query has failed.
uint32_t store_count_columns(const store_query_t *query);
const char *store_get_column_name(const store_query_t *query, uint32_t column); // name, borrowed until store_query_end
store_cell_t store_read_cell(const store_query_t *query, int column);

// Read columns of the current row. They return false if the value has a different type, is negative or larger than
// `max`, or does not fit.
bool store_read_number(const store_query_t *query, int column, uint64_t max, uint64_t *out);
bool store_read_bits(const store_query_t *query, int column, uint64_t *out); // accepts any number
bool store_read_text(const store_query_t *query, int column, char *out, size_t capacity);
bool store_read_blob(const store_query_t *query, int column, size_t max_bytes, const uint8_t **bytes, size_t *size);

// Executes a query that has one row with one number. Returns STORE_DAMAGED with an error if it has no such row.
store_result_t store_query_number(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                                  int64_t *out, error_info_t *error);

// Writes an explanation of a PostgreSQL error with this SQLSTATE to `out`, with a fix. Returns STORE_FAILED if the
// statement must be repeated, as after a lost connection, or STORE_DAMAGED.
store_result_t postgres_explain_state(const char *state, const char *message, char *out, size_t capacity);

// --- connections

// Path to a value in the JSON of owned entities.
typedef struct owned_path_t {
  bool is_instance;        // true: a path in an instance of a component; false: in the column `components`
  const char *const *keys; // keys of objects, or indices of lists
  uint32_t count;
} owned_path_t;

// Implements a kind of database. Each function that may fail returns a result with an error.
struct store_driver_t {
  // Connects `s` to the database, and checks that the database is empty or contains a world. Creates the file if
  // `desc->may_create` is true and the database consists of a file. After an error, `close` is called, too.
  store_result_t (*open)(world_store_o *s, const world_store_desc_t *desc, error_info_t *error);
  void (*close)(world_store_o *s);
  // `has_tables` receives true if the database is not empty.
  store_result_t (*find_tables)(world_store_o *s, bool *has_tables, error_info_t *error);
  // Creates the tables of a world in the current transaction.
  store_result_t (*create_tables)(world_store_o *s, error_info_t *error);
  // Begin and end a transaction. A commit that has failed is rolled back if its outcome is known.
  store_result_t (*begin)(world_store_o *s, bool writes, error_info_t *error);
  store_result_t (*end)(world_store_o *s, bool commits, error_info_t *error);
  store_result_t (*execute)(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                            int64_t *changed, error_info_t *error);
  store_result_t (*execute_script)(world_store_o *s, const char *sql, error_info_t *error);
  // Executes a query, and sets `query->rows`.
  store_result_t (*begin_query)(store_query_t *query, const char *sql, const store_value_t *values, uint32_t count,
                                error_info_t *error);
  // `has_row` receives false after the last row.
  store_result_t (*next)(store_query_t *query, bool *has_row, error_info_t *error);
  void (*end_query)(store_query_t *query); // `query->rows` may be NULL
  uint32_t (*count_columns)(const store_query_t *query);
  const char *(*get_column_name)(const store_query_t *query, uint32_t column);
  store_cell_t (*read_cell)(const store_query_t *query, int column);
  // Writes the SQL expression of a view's column: the value of a key in the JSON object c.data, with the column's type.
  void (*format_chronicle_value)(const chronicle_column_t *column, char *out, size_t bytes);
  // Writes the expression of a value in the JSON of owned entities, as this type.
  void (*format_json_value)(const owned_path_t *path, owned_type_t type, char *out, size_t bytes);
  // Writes the clauses FROM and WHERE of a query on the instances of a component, which are the rows of instance
  // (key, value), and their items, which are the rows of owned.
  void (*format_instances)(const char *component, char *out, size_t bytes);
  // is_former_chronicle: `is_former` receives true if the table of the chronicle has a former layout. migrate_chronicle
  // then changes it, after all views of the table were dropped. Both are NULL if all layouts are equal.
  store_result_t (*is_former_chronicle)(world_store_o *s, bool *is_former, error_info_t *error);
  store_result_t (*migrate_chronicle)(world_store_o *s, error_info_t *error);
  // Prepares the table for new rows that are kept for this time in seconds. NULL if no preparation is needed.
  store_result_t (*prepare_days)(world_store_o *s, int64_t keep_s, error_info_t *error);
  // Removes a batch of expired rows: see chronicle_remove_expired.
  store_result_t (*remove_expired)(world_store_o *s, int64_t *changed, error_info_t *error);
  // Writes a copy of the database to a new file.
  store_result_t (*back_up)(world_store_o *s, const char *path, error_info_t *error);
};

extern const store_driver_t SQLITE_DRIVER, POSTGRES_DRIVER;

#endif
