// SQL over a live world: every component, single and event is a table, and so are the world's own lists. A table is
// not a copy: SQLite reads the columns in place while a statement runs, and keeps nothing between two statements.
//
// | table                 | columns                                                                                      |
// |-----------------------|----------------------------------------------------------------------------------------------|
// | a component           | entity, (MANY: instance,) a column per field that scripts see                                |
// | a single              | a column per field; one row                                                                  |
// | an event              | a column per field; the rows that are alive                                                  |
// | entities              | entity, "index", generation, name, assemblage, state; hidden: words, the last three in one   |
// | entity_components     | entity, component, component_id, component_data_id (row of its table, from 1), instance      |
// | components            | component_id, name, description, table_name, kind, rows, origin                              |
// | assemblages           | assemblage_id, name, description, entities (alive)                                           |
// | assemblage_components | assemblage_id, assemblage, component_id, component, instance, state                          |
// | events                | event, number, age (0: of this tick, 1: of the last), fields (JSON)                          |
// | systems               | "order", name, phase, runs, cost_us (mean), median_us, description, condition, is_on,          |
// |                       | together, apart, parts (schedule.h)                                                          |
//
// Values: entities are their ids (0 is none), enums their words, truths 0 and 1, matrices blobs of 16 floats, NaN is
// NULL. Names: sql/table_names.h. `entity = …` is a look-up and no scan, so that joins over it are cheap.
//
// Writes are commands: they are applied together when the statement ends, and dropped together when it fails. INSERT
// adds a component (fields that are not named get their defaults), into `entities` it spawns, into an event it emits;
// UPDATE sets fields; DELETE removes, from `entities` it destroys. What breaks a type is refused by table and column.
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
  SQL_TEXT,   // `bytes` of UTF-8 with a '\0' behind them
  SQL_BLOB,   // `bytes`
  SQL_BOOL,   // integer, 0 or 1
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

typedef struct sql_ask_t {
  const char *text;
  size_t text_bytes;
  bool several;                  // more statements may follow the first, which alone is run; else they are refused
  const sql_value_t *parameters; // for its `?`, in order
  uint32_t parameter_count;
  bool write;           // else anything but reading is refused
  bool measured;        // may read what was measured (systems.cost_us): for people, never for a script
  uint64_t limit_steps; // of SQLite's machine, sql_script_steps for scripts; 0: none
  uint32_t budget_ms;   // of the thread's time, for those that no watchdog looks at; 0: none
  uint32_t most_rows;   // of the answer, which says when there are more; 0: all
} sql_ask_t;

// Row by row; texts lie in `texts`. Zero-initialised is empty; freed with sql_result_fini.
typedef struct sql_result_t {
  uint32_t column_count, row_count;
  const char **names; // of the columns
  sql_value_t *values;
  char *texts;
  uint32_t value_count, value_capacity, text_count, text_capacity;
  uint64_t changed; // rows that a write changed
  bool more;        // than most_rows
  const char *rest; // of the text asked, behind the statement
  allocator_t *allocator;
} sql_result_t;

#define SQL_RESULT_MAX_BYTES (256u << 20)        // of one answer; more is refused
#define SQL_RESULT_MAX_BYTES_READING (64u << 20) // of one to a script
// Limits of values and memory, the same in every run. What a statement may cost besides: sql_ask_t.limit_steps.
#define SQL_VALUE_BYTES (256u << 10) // of one text or blob; less in a long statement
#define SQL_TEXT_BYTES (64u << 10)   // of a statement: taking one apart takes the square of its parts
#define SQL_MAX_WATCHED 64u
#define SQL_MAX_COLUMNS 500 // of an answer, of ORDER BY and the like

typedef struct sql_o sql_o;

typedef struct sql_desc_t {
  world_o *world;              // borrowed
  schedule_o *const *schedule; // borrowed: where the schedule of the moment is found, for `systems`; NULL: none
  log_o *log;                  // borrowed
} sql_desc_t;

// Opens nothing before it is asked something.
sql_o *sql_create(const sql_desc_t *desc);
void sql_destroy(sql_o *s); // NULL is fine

// limit_steps of a script's question, SQL_SCRIPT_STEPS until it is set; 0: none.
void sql_set_script_steps(sql_o *s, uint64_t steps);
uint64_t sql_script_steps(const sql_o *s);

// Runs one statement to its end. False with a message; then no entity, row or field has changed and `out` is empty.
// Free it with sql_result_fini.
bool sql_run(sql_o *s, const sql_ask_t *ask, sql_result_t *out, error_t *error);
void sql_result_fini(sql_result_t *r);
// Was it for its steps that the last one was refused?
bool sql_ran_out(const sql_o *s);

// A query that is looked at after each tick until it has a row for the first time. The same text again begins anew.
bool sql_watch(sql_o *s, const char *text, error_t *error);
void sql_unwatch(sql_o *s, const char *text);        // nothing where it is not watched
const char *sql_watched(const sql_o *s, uint32_t i); // its text; NULL behind the last one. Borrowed
// The text of a watched query that has a row now and is watched no longer; NULL when there is none. One that cannot
// be asked any more (its component is gone) is dropped with a warning, and so is the one at which all of them have
// taken budget_ms of the thread's time; 0: they may take any.
const char *sql_check_watches(sql_o *s, uint32_t budget_ms);

// Those of `from`, which has none any more, are watched by `to` as well.
void sql_take_watches(sql_o *to, sql_o *from);

// A result as an aligned table with a line of names.
void sql_print(const sql_result_t *r, FILE *out);

#endif
