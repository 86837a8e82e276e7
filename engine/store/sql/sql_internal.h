// Internals of SQL over a live world: sql.c runs statements, sql_tables.c exposes the world as virtual tables,
// sql_write.c turns writes into commands. Private to this module and to saves (store/save_internal.h), which are
// databases attached to the same connection.
#ifndef SHOAL_SQL_SQL_INTERNAL_H
#define SHOAL_SQL_SQL_INTERNAL_H

#include "base/array.h"
#include "base/json_writer.h"
#include "base/nearest_name.h"
#include "content/row_json.h"
#include "sql/sql.h"
#include "sql/table_names.h"

#include <sqlite3.h>

#define SQL_MAX_STATEMENTS 8u // maximum number of cached prepared statements

typedef enum table_kind_t {
  TABLE_COMPONENT,
  TABLE_SINGLE,
  TABLE_EVENT,
  TABLE_ENTITIES,
  TABLE_ENTITY_COMPONENTS,
  TABLE_COMPONENTS,
  TABLE_ASSEMBLAGES,
  TABLE_ASSEMBLAGE_COMPONENTS,
  TABLE_ASSEMBLAGE_VALUES,
  TABLE_EVENTS,
  TABLE_SYSTEMS,
  TABLE_KIND_COUNT
} table_kind_t;

// Table-specific data of a virtual table's module. Lives until the world's declarations change.
typedef struct table_t {
  sql_o *sql;
  table_kind_t kind;
  uint32_t id; // id of the manager or event
  table_name_t name;
  uint32_t key_count;
  uint32_t field_count;
  uint32_t derived_count; // components only: number of derived fields, which are hidden columns after component_data_id
  uint8_t fields[SCHEMA_MAX_FIELDS];       // indexed by SQL column after the keys: column of the schema
  table_name_t columns[TABLE_MAX_COLUMNS]; // names of the columns
} table_t;

typedef struct vtab_t {
  sqlite3_vtab base; // base of the table; SQLite requires that it is the first member
  table_t *table;
} vtab_t;

typedef struct cached_statement_t {
  sqlite3_stmt *statement;
  char *text;
  size_t bytes;
  size_t next_offset; // offset of the next statement
  bool allow_writes, allow_measured;
  uint32_t max_value_bytes; // maximum size of strings and blobs
  uint64_t last_use;        // value of sql_o.use_count at the last use; the statement with the lowest value is evicted
} cached_statement_t;

typedef struct watch_t {
  char *text;
} watch_t;

typedef enum sql_stop_t {
  SQL_STOP_NONE,
  SQL_STOP_STEPS,    // the statement exceeded its limit of steps
  SQL_STOP_TIME,     // the statement exceeded its CPU time
  SQL_STOP_WATCHDOG, // the calling script exceeded its budget, or the program is exiting
} sql_stop_t;

struct sql_o {
  sql_desc_t desc;
  allocator_t memory;
  sqlite3 *db;             // connection; NULL before the first query
  bool is_uninterruptible; // true for internal statements that run to completion even while the program is exiting
  uint64_t layout_hash;    // hash of the declarations that the tables reflect
  ARRAY(table_t *) tables;
  cached_statement_t statements[SQL_MAX_STATEMENTS];
  uint64_t use_count;
  ARRAY(watch_t) watches;
  char fired_watch[256]; // text returned by sql_check_watches

  // The running statement.
  bool running, writing;
  bool exceeded_steps; // true if the last statement exceeded its limit of steps
  uint32_t max_rows;   // maximum number of rows; 0: no limit
  // True while a table declares its columns, or a save is attached or detached. The authorizer then allows everything.
  bool declaring;
  bool allow_measured;
  const char *current_text; // text that is being prepared
  uint64_t max_steps;       // maximum number of steps; 0: no limit
  uint64_t script_steps;
  uint64_t step_count; // number of steps executed so far
  int64_t deadline_ns; // deadline on the thread's clock; 0: no limit
  uint32_t check_count;
  uint32_t max_value_bytes; // limit of the statement's strings and blobs; 0 until determined
  sql_stop_t stop_reason;
  char denial_reason[192]; // reason why the authorizer has rejected the statement
};

// --- sql_tables.c
// Registers a module for every table, replacing previously registered modules. No statement may be prepared. Returns
// true on success, or false with an error.
bool sql_tables_register(sql_o *s, error_info_t *error);
void sql_tables_free(sql_o *s);
// Returns a hash of the world's declarations, which changes when the tables must be registered again.
uint64_t sql_tables_hash_layout(const sql_o *s);
const schema_t *sql_table_schema(const table_t *t); // returns the schema of a component, singleton or event
const field_t *sql_derived_field(const table_t *t, uint32_t number);
// Returns the column declarations, `"hp" INTEGER, …`. Free with sqlite3_free.
char *sql_table_format_columns(const table_t *t);
// Returns the component_data_id of a row, used in the component's table and in entity_components. The id stays the same
// for the row's lifetime.
sqlite3_int64 sql_data_id(const manager_o *m, uint32_t row);
char *sql_describe_entity(world_o *w, shoal_entity e); // returns the value of `entities.words`; free with sqlite3_free
double sql_value_to_entity(sqlite3_value *v);          // returns the entity id, or -1 if the value is not an entity

// --- sql_list.c
// Sets an SQL column's result to a list in a row, as JSON text. `column`: the column of the list's count.
void sql_list_set_result(sqlite3_context *out, sql_o *s, const columns_t *c, uint32_t row, uint32_t column);
// Like sql_list_set_result, for values outside a table, indexed by column.
void sql_list_set_values_result(sqlite3_context *out, sql_o *s, const schema_t *schema, uint32_t column,
                                const double *values);
// Parses the JSON text of a list. NULL is an error. Stores the values, in stored form, in `numbers`, indexed by column
// of the schema. Returns true on success, or false with an error if a value is invalid or the list has too many values.
bool sql_list_parse(world_o *w, const schema_t *s, uint32_t column, const char *text, size_t bytes, double *numbers,
                    error_info_t *error);

// --- sql.c

// Returns the connection for internal statements, with up-to-date tables and without limits or authorization. Returns
// NULL with an error if the connection cannot be opened or its tables cannot be updated. With `interruptible`, which is
// for untrusted files, statements also stop when the program is exiting.
sqlite3 *sql_get_connection(sql_o *s, bool interruptible, error_info_t *error);
void sql_clear_statements(sql_o *s); // finalizes all cached statements
// Opens the connection if it is not open. Returns true on success, or false with an error.
bool sql_open(sql_o *s, error_info_t *error);
// Opens the connection and updates its tables if the world's declarations have changed. Returns true on success, or
// false with an error.
bool sql_prepare_tables(sql_o *s, error_info_t *error);

// --- sql_budget.c
// Charges work that SQLite does not count as steps, such as a function that processes many bytes or a scan that skips
// many rows. Returns true if the statement may continue, or false if it must stop. The caller must then return as soon
// as possible.
bool sql_charge_steps(sql_o *s, uint64_t steps);
bool sql_can_continue(sql_o *s); // returns true if the running statement may continue; charges no steps
// Limits the running statement to `ms` milliseconds of the thread's CPU time from now on; 0: no limit.
void sql_set_budget(sql_o *s, uint32_t ms);
#define SQL_BYTES_PER_STEP 32u

// --- sql_functions.c
// Replaces SQLite functions that can take very long in one call or whose results depend on the processor. Returns true
// on success, or false with an error.
bool sql_functions_register(sql_o *s, error_info_t *error);
bool sql_function_is_allowed(const char *name); // returns true if a world's SQL may call the function
void sql_functions_suggest(nearest_name_t *s);  // adds the functions' names to a search for the nearest name

// --- sql_memory.c
// Installs the counting allocator in SQLite. Call before the process's first connection. Later calls have no effect.
void sql_memory_install(void);
// Between begin and end, SQLite's allocations on this thread are counted. They fail above `max_bytes`, or when
// `can_continue(context)` returns false, because the statement must stop. Calls must not be nested.
void sql_memory_begin_counting(bool (*can_continue)(void *context), void *context, size_t max_bytes);
bool sql_memory_end_counting(void); // returns true if the limit was exceeded

// --- sql_filter.c
// Conditions tested before a row is passed to SQLite, which tests the row again.
#define SQL_MAX_FILTER_TESTS 4u
#define SQL_ENTITY_WORDS 6 // index of the hidden column `words` of `entities`
typedef struct sql_filter_test_t {
  int comparison;  // operator of the condition, SQLITE_INDEX_CONSTRAINT_…
  uint32_t column; // column of the schema
  double number;
  char word[64];          // word of LIKE '%word%', in lower case
  uint32_t cached_ids[3]; // string ids tested last; many entities share the same strings
  bool contains[3];       // true if the string cached_ids[i] contains the word
} sql_filter_test_t;
typedef struct sql_filter_t {
  uint32_t count;
  sql_filter_test_t tests[SQL_MAX_FILTER_TESTS];
} sql_filter_t;
// Returns true if the filter can test this condition. Called while a query is planned.
bool sql_filter_supports(const table_t *t, int column, int comparison);
// Adds a condition, unless the filter is full or the value is not supported. Supported values are numbers that a double
// represents exactly and, for LIKE, the pattern %word%.
void sql_filter_add_condition(sql_filter_t *s, const table_t *t, int column, int comparison, sqlite3_value *value);
bool sql_filter_accepts_row(const sql_filter_t *s, const columns_t *c, uint32_t row);
// Returns true if an entity passes the tests. `texts`: string ids of its name, assemblage and state; 0 if missing.
bool sql_filter_accepts_entity(sql_filter_t *s, const strings_o *strings, const uint32_t texts[3]);

// --- sql_write.c
int sql_write_row(sqlite3_vtab *vtab, int argc, sqlite3_value **argv, sqlite3_int64 *rowid);

#endif
