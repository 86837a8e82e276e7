// A component manager: all rows of one component, in dense columns, with an owner column and a paged index from entity
// index to row. Lookups compare the result with the owner, so a stale id never finds another entity's row.
//
// A `many` component has several named rows per entity: the index finds the first row, and `next` chains the remaining
// rows in the order in which they were added. A singleton has one row that belongs to no entity; in shoal.systems and
// shoal.definitions, the following rows are the elements of a list. Rows move on every removal: store entities, not
// rows. A plain component may belong to a group (query.h): the group's entities then come first, in the group's order,
// and rows also move when an entity joins or leaves the group.
#ifndef SHOAL_ECS_MANAGER_H
#define SHOAL_ECS_MANAGER_H

#include "ecs/index.h"
#include "schema/columns.h"
#include "shoal/entity.h"

typedef struct world_o world_o;
typedef struct manager_o manager_o;
typedef struct query_o query_o;
typedef struct last_values_t last_values_t;

// Memory of a `derive_columns` hook, initially empty. Its owner frees the memory.
typedef struct manager_workspace_t {
  void *memory;
  size_t bytes;
} manager_workspace_t;

// Optional extensions of a component in C. Called on the main thread at sync points only, except `derive`.
typedef struct manager_hooks_t {
  void *context;
  // Called after rows have received their defaults and overrides, in the order in which they were added.
  void (*added)(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count);
  // Called before these entities lose a row, in this order; all rows still exist.
  void (*removing)(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count);
  // Called before any manager drops the rows of these destroyed entities. May destroy more entities (a subtree) with
  // world_destroy_entity: they join the same batch, and the hook is called again for them.
  void (*died)(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count);
  // Called before world_set_field changes a value or queues the change. Returns true to accept the value, or false with
  // an error, which world_set_field then returns. Code that writes columns in place is not checked.
  bool (*check_value)(void *context, world_o *w, manager_o *m, shoal_entity e, uint32_t column, double value,
                      error_info_t *error);
  // Called after all rows of all components were replaced with the rows of a snapshot. Hidden columns may contain any
  // value, because snapshots can be files.
  void (*restored)(void *context, world_o *w, manager_o *m);
  // Computes a derived field (schema.h) from the current columns: writes the value of row rows[i] (if `rows` is NULL,
  // of row first + i) of field number `field` to out[i]. For ROW_NONE, writes a matrix's default. May run on several
  // threads at the same time while no thread writes the columns.
  void (*derive)(void *context, const manager_o *m, uint32_t field, const uint32_t *rows, uint32_t first,
                 uint32_t count, void *out);
  // Computes all derived f32 fields of the given rows (if `rows` is NULL, of the first `count` rows): writes the value
  // of component row r in the i-th of these fields to columns[i][r]. Skips ROW_NONE. `workspace`: memory for temporary
  // values, the same in each call for the same query. Main thread only.
  void (*derive_columns)(void *context, const manager_o *m, const uint32_t *rows, uint32_t count, float *const *columns,
                         manager_workspace_t *workspace);
  // Storage besides the columns; define all three functions or no function. Snapshots and the world's hash include the
  // bytes written by `save` (16-byte aligned, `save_bytes` long; equal states must produce equal bytes). `load`
  // replaces the whole storage, after all rows are loaded and before `restored`; with NULL and 0 if none was saved.
  uint32_t storage_version;
  size_t (*save_bytes)(void *context, manager_o *m);
  void (*save)(void *context, manager_o *m, void *bytes);
  void (*load)(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size);
} manager_hooks_t;

// Storage from a snapshot for a component without storage hooks: kept unchanged and written to the next snapshot, as
// long as the component has the same entities (manager_has_foreign_storage).
typedef struct foreign_storage_t {
  void *bytes;
  size_t size;
  uint32_t version;
  uint64_t owners; // hash of the entities to which the bytes apply
} foreign_storage_t;

// Maximum number of instances per entity of a `many` component; lookups are linear. Duplicated in
// scripts/shoal/world/assemblage.lua.
#define MANAGER_MAX_INSTANCES 1024u

// A query that names a component, with the component's roles in the query as bits, 1 << role.
typedef struct manager_query_t {
  query_o *query;
  uint32_t roles;
} manager_query_t;

// Other modules may read these members; only ecs writes them. The first six members are part of bindings/abi.h.
struct manager_o {
  uint32_t **pages;    // pages, indexed by entity index / INDEX_PAGE; NULL if empty; entries are row + 1, or 0
  shoal_entity *owner; // owners, indexed by row, parallel to the columns
  void **data;         // addresses of the columns, equal to columns.data
  uint32_t count;      // number of rows, equal to columns.count
  uint32_t page_count;
  uint32_t id;           // 1-based id, dense, in order of declaration; never changes
  uint32_t *instance;    // string id of the instance name, indexed by row; for `many` components only
  uint32_t *next;        // next row of the same owner, or ROW_NONE, indexed by row; for `many` components only
  uint32_t row_capacity; // capacity of owner, instance and next
  columns_t columns;
  schema_t schema;
  manager_hooks_t hooks;
  manager_query_t *queries; // queries that name this component and are notified of every change
  uint32_t query_count, query_capacity;
  query_o *group; // group that owns the row order; NULL if the component is in no group
  uint64_t moves; // incremented whenever rows are added, removed or moved; not part of the state
  // One bit per column: set if code that sets no marks (columns.h) may have written the column. Each value that differs
  // from the template's value is then considered overridden.
  uint64_t unmarked_columns;
  uint64_t ranged; // bit mask of the columns whose fields are limited (field_is_limited)
  uint64_t listed; // bit mask of list columns
  // indexed by column: number of values clamped to the column's range; NULL if no column has a range; not part of the
  // state
  uint32_t *clamped;
  uint32_t clamped_count; // number of elements of `clamped`
  // bit mask of the `ranged` and `listed` columns that were written in place and are not yet clamped
  uint64_t unclamped;
  bool warned_full; // true once the warning about too many instances has been logged
  bool is_tracked;  // true if relations or change tracking must be notified when rows change (relation_internal.h)
  foreign_storage_t foreign_storage;
  last_values_t *last_values; // copies of removed rows (last_values.h); NULL until the first copy
  world_o *world;
};

// Returns the first row of e, or ROW_NONE if e has no row. Safe for any value of e. Not for singletons, whose row is 0.
static inline uint32_t manager_row(const manager_o *m, shoal_entity e) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  if (page >= m->page_count || !m->pages[page])
    return ROW_NONE;
  uint32_t row = m->pages[page][i % INDEX_PAGE];
  return row != 0 && m->owner[row - 1] == e ? row - 1 : ROW_NONE;
}

// Returns the row of e with this instance name, or ROW_NONE if not found. Plain components have only instance 0.
uint32_t manager_find_instance_row(const manager_o *m, shoal_entity e, uint32_t instance);

// Returns column `c` of the schema. Borrowed until rows are next added.
static inline void *manager_column(const manager_o *m, uint32_t c) {
  return m->data[c];
}
int32_t manager_find_column(const manager_o *m, const char *field);
// Computes a derived field with the `derive` hook for the given rows or, if `rows` is NULL, for `count` rows from
// `first` on. `out` is the caller's memory, with any alignment.
void manager_compute_derived_field(const manager_o *m, uint32_t field, const uint32_t *rows, uint32_t first,
                                   uint32_t count, void *out);
// Enlarges a workspace to at least `bytes`, keeping its content, and returns its memory.
void *manager_reserve_workspace(const manager_o *m, manager_workspace_t *workspace, size_t bytes);

#endif
