// Check of parallel systems: a part may write only the rows of its view, because all parts run in parallel. Hashes of
// all remaining rows that the parts can reach are compared after the run. Only some runs are checked
// (plugin_checks_reads). In the first of these, the parts run sequentially, so that the result of the check does not
// depend on the order in which threads run.
#ifndef SHOAL_PLUGIN_PART_CHECK_H
#define SHOAL_PLUGIN_PART_CHECK_H

#include "access/access.h"
#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct run_t run_t;

// A column, and the hash of its elements outside the view at the start of the run.
typedef struct foreign_rows_t {
  const access_binding_t *binding;
  const access_term_t *term; // term of the query; NULL for a component outside the query
  uint32_t column;           // column of the declaration
  uint32_t rows;             // number of rows in the view
  uint64_t hash;
} foreign_rows_t;

// One written column of a part.
typedef struct part_rows_t {
  uint64_t hash; // hash of the part's elements, before its call or after it
  bool changed;  // true if a different part has changed the elements before this part was called
} part_rows_t;

typedef struct part_check_t {
  bool is_running;          // true if this run is checked
  bool is_in_order;         // true if the parts of this run must run sequentially
  ARRAY(part_rows_t) parts; // hashes, indexed by part × written columns of the view + column
  ARRAY(foreign_rows_t) foreign;
} part_check_t;

// Hashes the rows before the first part runs. Call after gathering the columns.
void part_check_begin(run_t *run);
// part_check_enter compares the part's rows with the hashes of part_check_begin before the part runs. part_check_leave
// hashes them again afterwards. Any thread.
void part_check_enter(run_t *run, uint32_t part);
void part_check_leave(run_t *run, uint32_t part);
// Records that a part has opened the rows of a component outside the query (shoal_get_rows), so that this check, if its
// parts run sequentially, and later checks include them. Any thread.
void part_check_open(run_t *run, access_binding_t *binding);
// Compares all rows with their last hashes. Returns true on success, or false with a message if a part has written rows
// of a different part or rows outside the view. Call after the last part, before scattering the columns.
bool part_check_end(run_t *run, error_info_t *error);
void part_check_free(run_t *run);

#endif
