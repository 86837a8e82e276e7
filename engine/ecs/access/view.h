// The rows of a query, with the columns declared by a program: element i of each column belongs to row i. Columns
// stored in this order, such as the columns of a group, are used in place; all other columns are copied, and copied
// back if they are written.
#ifndef SHOAL_ACCESS_VIEW_H
#define SHOAL_ACCESS_VIEW_H

#include "access/binding.h"
#include "shoal/world.h"

struct access_o;

typedef struct access_term_t {
  access_binding_t *bound; // binding of the component; NULL if the program does not declare it
  manager_o *manager;
  query_role_t role;
  bool written;
  void **columns;   // indexed by the declaration's column: the store's column or a copy
  scratch_t copies; // buffers of the copied columns; rows are in the order of the query
  // Indexed by row: 1 if the entity has the component. Used only for QUERY_OPTIONAL and QUERY_ANY terms.
  uint8_t *presence;
  uint32_t presence_capacity;
  // Target of all rows in `fixed_column`, in a query over pairs; SHOAL_ENTITY_NONE if no column has the same target in
  // all rows.
  shoal_entity fixed_target;
  uint32_t fixed_column;
  bool fixed_unchanged; // true if the program has not changed the fixed column
} access_term_t;

// Returns the number of columns of the program's declaration; 0 if the program does not declare the component.
static inline uint32_t access_column_count(const access_term_t *term) {
  return term->bound ? term->bound->component->column_count : 0;
}

typedef struct access_view_t {
  // query of the view, which may be a query over pairs while the view is open; NULL if the query names no components
  query_o *query;
  query_o *base; // query of the same components that `query` replaces; NULL unless `query` is a query over pairs
  access_term_t terms[QUERY_MAX_TERMS];
  shoal_term shown[QUERY_MAX_TERMS];
  uint32_t term_count;
  uint64_t write_count; // access_o.write_count when the query was opened; read only for queries over pairs
} access_view_t;

// Finds the components and creates the query. `writes` is false for code that may not write, such as a render system.
// `desc` must outlive `view`. Returns true on success, or false after calling access_fail. Call access_view_fini in
// both cases.
bool access_view_init(struct access_o *access, access_view_t *view, const shoal_query_desc *desc, bool writes);
void access_view_fini(struct access_o *access, access_view_t *view);

// Opens the query and allocates the copies. To open a query over pairs (ecs/relation.h), set `query` and `base` first.
// Main thread.
void access_view_open(struct access_o *access, access_view_t *view, shoal_view *out);
void access_view_gather(struct access_o *access, access_view_t *view);        // copies the columns; any thread
void access_view_scatter(const struct access_o *access, access_view_t *view); // copies written columns back; any thread
void access_view_close(const struct access_o *access, access_view_t *view);   // closes the query; main thread

// Consecutive rows of an open view, for one part of a parallel loop. Valid while the view is open.
typedef struct access_view_part_t {
  shoal_view view;
  shoal_term terms[QUERY_MAX_TERMS];
  void *columns[QUERY_MAX_TERMS][SHOAL_MAX_COLUMNS];
} access_view_part_t;

// Writes a view of at most `max_count` rows from row `first` on to `out`. `all` is the view of all rows. Any thread.
void access_view_get_part(const access_view_t *view, const shoal_view *all, uint32_t first, uint32_t max_count,
                          access_view_part_t *out);

#endif
