// A system or observer of a plugin, bound to the world.
#ifndef SHOAL_PLUGIN_RUN_H
#define SHOAL_PLUGIN_RUN_H

#include "base/array.h"
#include "plugin/binding.h"
#include "schedule/schedule.h"

// A component or singleton in .reads that is not in the query.
typedef struct table_run_t {
  access_binding_t *bound;
  scratch_t before; // values before the run, to detect writes
} table_run_t;

typedef struct run_t {
  plugin_t *plugin;
  const shoal_system *def;
  const shoal_observer *observer; // NULL if it is a system
  uint32_t observes;              // its number in ecs/changes.h
  shoal_system own;               // for an observer: `def` points here
  char name[2 * COMPONENT_NAME_MAX];
  phase_t phase;
  access_view_t rows;
  scratch_t before[QUERY_MAX_TERMS]; // values before the run, to detect writes to read-only columns
  ARRAY(table_run_t) tables;
  bool ready, parked, crashes;
  uint32_t run_number; // number of runs
  // for systems that run in parts
  shoal_view view; // all rows
  float dt_s;
  bool checks_reads; // this run is checked for writes to read-only columns
  uint32_t part_rows, part_count, first_chunk;
} run_t;

// run.c: finds the components and creates the query. Returns false with a message.
bool plugin_bind_run(plugins_o *p, run_t *r, error_t *error);
void plugin_free_run(plugins_o *p, run_t *r);
// Returns true if the query or .reads name this component.
bool plugin_reaches(const run_t *r, const access_binding_t *b);
// Lists the columns that the system reads and writes, for the schedule. Returns the number of entries in `access`.
#define RUN_MAX_ACCESS (QUERY_MAX_TERMS + SHOAL_MAX_NAMES)
uint32_t plugin_run_access(const run_t *r, system_access_t access[RUN_MAX_ACCESS]);

// rows.c: opens the query and the view of all rows.
void plugin_open_rows(run_t *r);
// Updates the columns of all components that parts may read. Call before parts run.
void plugin_refresh(const run_t *r);
// plugin_checks_reads returns true if this run is to be checked. plugin_copy_reads copies the read-only columns before
// the run; plugin_reads_unchanged compares them afterwards, and returns false with a message if one was written. Any
// thread.
bool plugin_checks_reads(const run_t *r);
void plugin_copy_reads(run_t *r);
bool plugin_reads_unchanged(const run_t *r, error_t *error);

#endif
