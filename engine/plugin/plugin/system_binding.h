// A system or observer of a plugin, bound to the world.
#ifndef SHOAL_PLUGIN_SYSTEM_BINDING_H
#define SHOAL_PLUGIN_SYSTEM_BINDING_H

#include "base/array.h"
#include "plugin/binding.h"
#include "plugin/part_check.h"
#include "schedule/schedule.h"

// A component or singleton in .reads that is not part of the query.
typedef struct read_rows_t {
  access_binding_t *binding;
  scratch_t copies; // values before the run, for detecting writes
} read_rows_t;

struct run_t {
  plugin_t *plugin;
  const shoal_system *def;
  const shoal_observer *observer; // declaration of the observer; NULL for systems
  uint32_t observes;              // id of the observer in ecs/changes.h
  shoal_system observer_system;   // description of an observer, to which `def` points
  char name[2 * COMPONENT_NAME_MAX];
  phase_t phase;
  access_view_t rows;
  scratch_t copies[QUERY_MAX_TERMS]; // values before the run, for detecting writes to read-only columns
  ARRAY(read_rows_t) read_rows;
  bool refusal_reported; // true once the refusal of a removal queued by the system's parts has been logged
  bool ready;            // true if the components were found and the query was created
  bool parked;           // true if the system does not run
  bool tried;            // true while the system is retried (content/parked_pieces.h)
  bool permanent;        // true if a parked system is not retried
  bool crashes;          // true if the system crashed in a trial: it stays parked until its library changes
  uint32_t run_number;   // number of runs so far
  shoal_view view;       // view of all rows
  float dt_s;            // tick length in seconds; only for systems that run in parts
  bool checks_reads;     // true if this run is checked for writes to read-only columns
  // Number of rows per part, number of parts, and index of the first chunk. Set only for systems that run in parts.
  uint32_t part_rows, part_count, first_chunk;
  // Check of the rows that the parts write. Only for systems that run in parts.
  part_check_t part_check;
};

// Finds the components and creates the query. Returns true on success, or false with a message if a component is
// missing or the query is invalid.
bool plugin_bind_run(plugins_o *plugins, run_t *run, error_info_t *error);
void plugin_free_run(plugins_o *plugins, run_t *run);
// Returns true if the query or .reads contains this component.
bool plugin_run_has_manager(const run_t *run, const access_binding_t *binding);
#define RUN_MAX_ACCESS (QUERY_MAX_TERMS + SHOAL_MAX_NAMES)
// Lists the columns that the system reads and writes, for the schedule. Returns the number of entries stored in
// `access`.
uint32_t plugin_list_run_access(const run_t *run, system_access_t access[RUN_MAX_ACCESS]);

// Opens the query and a view of all rows, and begins a new run.
void plugin_open_rows(run_t *run);
// Updates the columns of all components that the parts may read. Call before running the parts.
void plugin_refresh_columns(const run_t *run);
// plugin_checks_reads returns true if this run must be checked. plugin_copy_reads copies the read-only columns before
// the run. plugin_check_reads_unchanged compares them after the run. It returns true if they are unchanged, or false
// with a message if a column was written. All three are callable from any thread.
bool plugin_checks_reads(const run_t *run);
void plugin_copy_reads(run_t *run);
bool plugin_check_reads_unchanged(const run_t *run, error_info_t *error);

#endif
