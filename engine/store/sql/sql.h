// SQL over a live world. Every component, singleton and event is a table, and so is every list of the world. Tables are
// not copies: SQLite reads the columns in place while a statement runs, and keeps nothing between statements.
//
// | table                 | columns                                                                                   |
// |-----------------------|-------------------------------------------------------------------------------------------|
// | a component           | entity, (MANY: instance,) a column per field that scripts see                             |
// | a singleton           | a column per field; one row                                                               |
// | an event              | a column per field; the events of this and the previous tick                              |
// | entities              | entity, "index", generation, name, assemblage, state; hidden: words (the last three)      |
// | entity_components     | entity, component, component_id, component_data_id (row of its table, from 1), instance   |
// | components            | component_id, name, description, table_name, kind, rows, origin                           |
// | assemblages           | assemblage_id, name, description, entities (alive)                                        |
// | assemblage_components | assemblage_id, assemblage, component_id, component, instance, state                       |
// | assemblage_values     | assemblage, state, component, instance, field, value                                      |
// | events                | event, number, age (0: this tick, 1: the previous), fields (JSON)                         |
// | systems               | "order", name, phase, runs, cost_us (mean), median_us, description, condition, is_on,     |
// |                       | together, apart, parts (schedule.h)                                                       |
//
// Values: entities are ids (0: no entity), enums are their choices as text, booleans are 0 and 1, and matrices are
// blobs of 16 floats. NaN is NULL. sql/table_names.h defines the names. `entity = …` is a lookup, not a scan, so joins
// over it are cheap.
//
// Writes are queued as commands. When the statement ends, all commands are applied. When it fails, all are dropped.
// INSERT adds a component (omitted fields get their defaults), spawns an entity (`entities`) or emits an event. UPDATE
// sets fields. DELETE removes a component or destroys an entity. A value of the wrong type fails with table and column.
#ifndef SHOAL_SQL_SQL_H
#define SHOAL_SQL_SQL_H

#include "base/alloc.h"
#include "base/error.h"
#include "base/limits.h"
#include "schedule/schedule.h"
#include "ecs/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum sql_kind_t {
  SQL_NULL,
  SQL_INTEGER,
  SQL_REAL,
  SQL_TEXT,   // `bytes` of UTF-8, followed by '\0'
  SQL_BLOB,   // `bytes` arbitrary bytes
  SQL_BOOL,   // integer: 0 or 1
  SQL_ENTITY, // integer: a shoal_entity
  SQL_MATRIX  // a blob of 16 floats
} sql_kind_t;

typedef struct sql_value_t {
  sql_kind_t kind;
  uint32_t bytes;
  union {
    int64_t integer;
    double real;
    const char *text;
  };
} sql_value_t;

#define SQL_MAX_PARAMETERS 64

typedef struct sql_run_desc_t {
  const char *text;
  size_t text_bytes;
  bool allow_multiple; // true if statements after the first are ignored; false if they are rejected with an error
  const sql_value_t *parameters; // values of the statement's `?` placeholders, in order
  uint32_t parameter_count;
  bool allow_writes;   // true if INSERT, UPDATE and DELETE are allowed
  bool allow_measured; // true if measured columns such as systems.cost_us are allowed: for users, never for scripts
  uint64_t max_steps;  // limit of SQLite VM steps; sql_script_steps for scripts; 0: no limit
  uint32_t budget_ms;  // limit of the thread's CPU time, for statements that the watchdog does not control; 0: no limit
  uint32_t max_rows;   // maximum number of rows returned; 0: no limit
} sql_run_desc_t;

// A result, stored row by row. Strings point into `text_buffer`. Valid when zeroed. Free with sql_result_fini.
typedef struct sql_result_t {
  uint32_t column_count, row_count;
  const char **names; // column names
  sql_value_t *values;
  char *text_buffer;
  uint32_t value_count, value_capacity, text_bytes, text_capacity;
  uint64_t changed_rows;      // number of rows written
  bool has_more;              // true if the query has more than max_rows rows
  const char *next_statement; // text that follows the statement
  allocator_t *allocator;
} sql_result_t;

// Maximum size of a result in bytes. A statement with a larger result fails. SQL_RESULT_MAX_BYTES_READING applies to
// statements that may not write (`allow_writes` is false).
#define SQL_RESULT_MAX_BYTES (256u << 20)
#define SQL_RESULT_MAX_BYTES_READING (64u << 20)
// Limits of statements, values and results, the same in every run. See also sql_run_desc_t.max_steps.
#define SQL_VALUE_BYTES (256u << 10) // maximum size of a string or blob; lower for long statements
#define SQL_TEXT_BYTES (64u << 10)   // maximum size of a statement, because parsing is quadratic in the number of terms
#define SQL_MAX_WATCHES 64u
#define SQL_MAX_COLUMNS 500 // maximum number of columns in a result, in ORDER BY, and so on

typedef struct sql_o sql_o;

typedef struct sql_desc_t {
  world_o *world; // world whose data the tables show; borrowed
  // borrowed: address of the pointer to the current schedule, for the table `systems`; may be NULL
  schedule_o *const *schedule;
  log_o *log;   // log for warnings; borrowed
  bool is_save; // true if the world is the content of a save file (store/save_file.c), which messages then mention
} sql_desc_t;

// Creates an SQL interface. The first query opens the connection.
sql_o *sql_create(const sql_desc_t *desc);
void sql_destroy(sql_o *s); // accepts NULL

// Sets the step limit of scripts' queries (SQL_SCRIPT_STEPS by default); 0: no limit.
void sql_set_script_steps(sql_o *s, uint64_t steps);
uint64_t sql_script_steps(const sql_o *s);

// Runs one statement to completion. Returns true on success. On failure, returns false with an error, and leaves the
// world unchanged and `out` empty. Free `out` with sql_result_fini.
bool sql_run_statement(sql_o *s, const sql_run_desc_t *desc, sql_result_t *out, error_info_t *error);
void sql_result_fini(sql_result_t *result);
// Returns true if the last statement failed because it exceeded its step limit.
bool sql_has_exceeded_steps(const sql_o *s);

// Returns true if the query can be watched. Returns false with an error if the query fails now, or if
// adding it after `queued_count` additional queries would exceed SQL_MAX_WATCHES.
bool sql_check_watch(sql_o *s, const char *text, uint32_t queued_count, error_info_t *error);
// Watches a query that passed sql_check_watch: the query runs after each tick until it returns a row, which ends the
// watch. Has no effect if the text is already watched or SQL_MAX_WATCHES queries are watched.
void sql_add_watch(sql_o *s, const char *text);
void sql_remove_watch(sql_o *s, const char *text); // stops watching a query; does nothing if the text is not watched
// Returns the text of watch `i`, borrowed, or NULL if `i` is out of range.
const char *sql_get_watch(const sql_o *s, uint32_t i);
// Runs the watched queries until one returns a row. Then removes the watch of this query and returns the query's text
// (at most 255 bytes, valid until the next call). Returns NULL if no query returned a row. Removes a query with a
// warning if it fails, for example because its component no longer exists. All watches together may use `budget_ms` of
// the thread's CPU time (0: no limit). The query that is running when this limit is exceeded is also removed with a
// warning.
const char *sql_check_watches(sql_o *s, uint32_t budget_ms);

// Moves all watches of `source` to `target`.
void sql_move_watches(sql_o *target, sql_o *source);

// Prints a result as an aligned table with column names.
void sql_print_result(const sql_result_t *result, FILE *out);

#endif
