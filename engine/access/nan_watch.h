// Finds NaNs that a program writes directly to columns of the fields in schema/nan_fields.h: the number of NaNs is
// compared with the number before the program got the columns, so that a NaN from elsewhere is not attributed to it.
#ifndef SHOAL_ACCESS_NAN_WATCH_H
#define SHOAL_ACCESS_NAN_WATCH_H

#include "ecs/manager.h"

struct access_o;
struct access_binding_t;

// Maximum number of rows of a column counted at once: 0.4 µs per 1,000 rows of a transform's five fields, twice.
#define NAN_WATCH_ROWS 16384u
// Maximum for shoal_rows_of, which programs also call only to read, possibly once per entity.
#define NAN_WATCH_ROWS_OF 4096u

typedef struct nan_watch_t {
  const manager_o *manager;
  uint32_t column;
  uint32_t first, end; // rows counted
  uint32_t before;     // number of NaNs in these rows at the beginning
} nan_watch_t;

// Counts the NaNs of at most `max_rows` rows, which follow those counted the previous time.
void nan_watch_begin(nan_watch_t *n, uint32_t max_rows);
// Returns whether the rows contain more NaNs now.
bool nan_watch_end(const nan_watch_t *n);

// Begins to watch the columns that the program gets through shoal_query or shoal_rows_of. Does nothing if
// schema/nan_fields.h lists none of their fields, if the columns are watched already, or without desc.reports_nan. Main
// thread.
void access_watch_nan(struct access_o *a, struct access_binding_t *b, uint32_t max_rows);
// Ends all watches, and adds the fields that received NaNs to access_o.nan_fields. Call when the program no longer uses
// the columns, before other code writes them.
void access_end_nan_watches(struct access_o *a);

#endif
