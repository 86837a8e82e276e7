// The rows of a query as a program sees them: element i of every column is row i. Columns that are stored in this
// order, as those of a group are, are not copied; others are copied, and copied back if they are written.
#ifndef SHOAL_ACCESS_VIEW_H
#define SHOAL_ACCESS_VIEW_H

#include "access/binding.h"
#include "shoal/world.h"

struct access_o;

typedef struct access_term_t {
  access_binding_t *bound; // NULL: the program declares no columns of it
  manager_o *manager;
  query_role_t role;
  bool written;
  void **columns;   // indexed by the declaration's column: the store's own, or a copy
  scratch_t copies; // in the query's order
  uint8_t *there;   // of optional and any terms
  uint32_t there_capacity;
} access_term_t;

typedef struct access_view_t {
  query_o *query; // NULL: no components are named
  access_term_t terms[QUERY_MAX_TERMS];
  shoal_term shown[QUERY_MAX_TERMS];
  uint32_t term_count;
} access_view_t;

// Finds the components and makes the query. `wanted` must live as long as `v`, which is to be freed also after a
// failure. False after access_fail.
bool access_view_make(struct access_o *a, access_view_t *v, const shoal_wanted *wanted, bool writes);
void access_view_free(struct access_o *a, access_view_t *v);

// Opens the query and allocates what the copies need. Main thread.
void access_view_open(struct access_o *a, access_view_t *v, shoal_view *out);
void access_view_lay(struct access_o *a, access_view_t *v);             // lays out the columns. Any thread
void access_view_take_back(const struct access_o *a, access_view_t *v); // copies back what was written. Any thread
void access_view_close(const struct access_o *a, access_view_t *v);     // main thread

#endif
