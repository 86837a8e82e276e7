// SQL over a live world: every component, single and event is a table, and so are the world's own lists. A table is not a copy:
// SQLite reads the columns in place while a statement runs, and keeps nothing between two statements.
//
// | table                 | columns                                                                                      |
// |-----------------------|----------------------------------------------------------------------------------------------|
// | a component           | entity, (MANY: instance,) a column per field that scripts see                                |
// | a single              | a column per field; one row                                                                  |
// | an event              | a column per field; the rows that are alive                                                  |
// | entities              | entity, "index", generation, name, assemblage, state                                         |
// | entity_components     | entity, component, component_id, component_data_id (row of its table, from 1), instance      |
// | components            | component_id, name, description, table_name, kind, rows, origin                              |
// | assemblages           | assemblage_id, name, description, entities (alive)                                           |
// | assemblage_components | assemblage_id, assemblage, component_id, component, instance, state                          |
// | events                | event, number, age (0: of this tick, 1: of the last), fields (JSON)                          |
// | systems               | "order", name, phase, runs, cost_us (mean), median_us                                        |
//
// Values: entities are their ids (0 is none), enums their words, truths 0 and 1, matrices blobs of 16 floats, NaN is NULL. Names:
// tools/table_names.h. `entity = …` is a look-up and no scan, so that joins over it are cheap.
//
// Writes are commands: they are applied together when the statement ends, and dropped together when it fails. INSERT adds a
// component (fields that are not named get their defaults), into `entities` it spawns, into an event it emits; UPDATE sets fields;
// DELETE removes, from `entities` it destroys. What breaks a type is refused by table and column.
#ifndef SHOAL_TOOLS_SQL_H
#define SHOAL_TOOLS_SQL_H

#include "ecs/schedule.h"
#include "ecs/world.h"
#include "script/sql_port.h"

#include <stdio.h>

#define SQL_RESULT_MAX_BYTES (256u << 20) // of one answer; more is refused
#define SQL_WATCH_LIMIT_MS 50u

typedef struct sql_o sql_o;

typedef struct sql_desc_t {
  world_o *world;              // borrowed
  schedule_o *const *schedule; // borrowed: where the schedule of the moment is found, for `systems`; NULL: none
  log_o *log;                  // borrowed
} sql_desc_t;

// Opens nothing before it is asked something.
sql_o *sql_create(const sql_desc_t *desc);
void sql_destroy(sql_o *s); // NULL is fine

// Runs one statement to its end. False with a message; then no entity, row or field has changed and `out` is empty. Free it with
// sql_result_fini.
bool sql_run(sql_o *s, const sql_ask_t *ask, sql_result_t *out, error_t *error);
void sql_result_fini(sql_result_t *r);

// A query that is looked at after each tick until it has a row for the first time. The same text again begins anew.
bool sql_watch(sql_o *s, const char *text, error_t *error);
// The text of a watched query that has a row now and is watched no longer; NULL when there is none. One that cannot be asked any
// more (its component is gone) is dropped with a warning.
const char *sql_check_watches(sql_o *s);

// Those of `from`, which has none any more, are watched by `to` as well.
void sql_take_watches(sql_o *to, sql_o *from);

// For scripts: the functions above behind the script room's interface.
sql_port_t sql_port(sql_o *s);

// A result as an aligned table with a line of names.
void sql_print(const sql_result_t *r, FILE *out);

#endif
