// Detects writes to columns of components that a query lists in `reads`. Such columns are passed in place or as copies
// that are not written back, so a write would change the world only in some cases.
#ifndef SHOAL_ACCESS_READ_CHECK_H
#define SHOAL_ACCESS_READ_CHECK_H

#include "access/view.h"
#include "base/array.h"

// The first READ_CHECK_INITIAL openings of a query are checked, and then every READ_CHECK_INTERVAL-th opening. For a
// plugin's system, the first READ_CHECK_INITIAL runs are checked, and then the runs in ticks that are multiples of
// READ_CHECK_INTERVAL.
#define READ_CHECK_INITIAL 4u
#define READ_CHECK_INTERVAL 64u

typedef struct read_check_t {
  uint32_t openings;
  bool is_running;
  uint64_t write_count; // access_o.write_count when the query was opened
  ARRAY(uint64_t) hashes;
} read_check_t;

// Stores the hashes of the columns if this opening is checked. Call after access_view_gather.
void read_check_begin(struct access_o *a, read_check_t *check, const access_view_t *v);
// Returns true if the read-only columns are unchanged or were not checked; otherwise returns false after calling
// access_fail. Call before access_view_scatter.
bool read_check_end(const struct access_o *a, read_check_t *check, const access_view_t *v);

#endif
