// A system, observer or query of a plugin, bound to the world; and its columns in the query's order.
#ifndef SHOAL_PLUGIN_RUN_H
#define SHOAL_PLUGIN_RUN_H

#include "base/array.h"
#include "plugin/bound.h"
#include "schedule/schedule.h"

typedef struct term_run_t {
  bound_t *bound; // NULL if the plugin declares no columns of it
  uint32_t manager;
  query_role_t role;
  bool written;
  void **columns;   // indexed by the plugin's column: the store's own, or scratch
  scratch_t copies; // in the query's order
  scratch_t before; // values before the run, to find writes to columns that are only read
  uint8_t *there;
  size_t there_bytes;
} term_run_t;

// A component or single that a system reads and that its query does not name.
typedef struct table_run_t {
  bound_t *bound;
  scratch_t before; // as in term_run_t
} table_run_t;

typedef struct run_t {
  plugin_t *plugin;
  const shoal_system *def;
  const shoal_observer *observer; // NULL for systems
  uint32_t observes;              // its number in ecs/changes.h
  shoal_system own;               // `def` of observers and queries
  char name[2 * COMPONENT_NAME_MAX];
  phase_t phase;
  query_o *query; // NULL: it runs without rows
  term_run_t terms[QUERY_MAX_TERMS];
  shoal_term shown[QUERY_MAX_TERMS];
  uint32_t term_count;
  ARRAY(table_run_t) tables;
  bool ready, parked, crashes;
  uint32_t looked; // number of runs
  // of systems that run in parts:
  shoal_view view; // all rows
  float dt_s;
  bool looks; // this run compares what it only reads
  uint32_t part_rows, part_count, first_chunk;
} run_t;

// run.c: finds the components that it names and makes the query. False with a message.
bool plugin_bind_run(plugins_o *p, run_t *r, error_t *error);
void plugin_free_run(plugins_o *p, run_t *r);
// Does its query or .reads name this component?
bool plugin_reaches(const run_t *r, const bound_t *b);
// Tells the schedule which columns it reads and writes. Returns the number of entries in `access`.
#define RUN_MAX_ACCESS (QUERY_MAX_TERMS + SHOAL_MAX_NAMES)
uint32_t plugin_run_access(const run_t *r, system_access_t access[RUN_MAX_ACCESS]);

// rows.c: opens the query and the view of all rows; lays out columns; writes back what was written.
void plugin_open_rows(run_t *r);
void plugin_close_rows(run_t *r);
void plugin_lay_columns(run_t *r); // any thread
void plugin_take_back(run_t *r);   // any thread
// Updates the columns of every component that it may read, before parts run.
void plugin_refresh(const run_t *r);
// Copies the columns that it only reads; then compares them. False with a message if one was written. Any thread.
bool plugin_will_look(const run_t *r);
void plugin_keep_read(run_t *r);
bool plugin_is_as_it_was(const run_t *r, error_t *error);

#endif
