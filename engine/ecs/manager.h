// A component manager: all rows of one component. Dense columns, the owner column, and a paged index from entity index
// to row whose answer is checked against the owner, so that a stale id never finds another entity's row.
//
// A `many` component has several named rows per entity: the index finds the first, `next` chains the others in the
// order in which they were added. A single has one row that belongs to no entity; in shoal.systems and
// shoal.definitions, a list of rows follows it. Rows move on every removal: keep
// entities, not rows. A plain component may be owned by a group (query.h): then the group's entities come first, in the
// group's order, and rows also move when an entity joins or leaves it.
#ifndef SHOAL_ECS_MANAGER_H
#define SHOAL_ECS_MANAGER_H

#include "ecs/index.h"
#include "schema/columns.h"
#include "shoal/entity.h"

typedef struct world_o world_o;
typedef struct manager_o manager_o;
typedef struct query_o query_o;
typedef struct last_values_t last_values_t;

// What a C component may add to the plain store. All optional. Called on the main thread at sync points only.
typedef struct manager_hooks_t {
  void *context;
  // These rows have just got their defaults and overrides; in the order in which they were added.
  void (*added)(void *context, world_o *w, manager_o *m, const uint32_t *rows, uint32_t count);
  // These entities are about to lose their row (in this order); all rows are still there.
  void (*removing)(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count);
  // These entities are being destroyed: once per batch, before any manager drops rows. May destroy further entities
  // (a subtree) with world_destroy: they join the same batch.
  void (*died)(void *context, world_o *w, manager_o *m, const shoal_entity *entities, uint32_t count);
  // All rows are those of a snapshot now; of every component. What hidden columns say may be anything: a snapshot comes
  // from a file.
  void (*restored)(void *context, world_o *w, manager_o *m);
  // Of a component with derived fields (schema.h): element i of field number `field` into place i of `out`, of row
  // rows[i], or, where `rows` is NULL, first + i, from the columns as they are. A row that is ROW_NONE gets what a
  // matrix is by default. Any thread, and several at once, while nobody writes the columns.
  void (*derive)(void *context, const manager_o *m, uint32_t field, const uint32_t *rows, uint32_t first,
                 uint32_t count, void *out);
  // Storage of its own beside the columns: all three or none. It is part of snapshots and of the world's hash as the
  // bytes that `save` writes (16-byte aligned, `save_bytes` of them; the same state gives the same bytes). `load` takes
  // the place of all that it held, after every row is in place and before `restored`; NULL and 0 where a snapshot holds
  // nothing of it.
  uint32_t storage_version;
  size_t (*save_bytes)(void *context, manager_o *m);
  void (*save)(void *context, manager_o *m, void *bytes);
  void (*load)(void *context, world_o *w, manager_o *m, uint32_t version, const void *bytes, size_t size);
} manager_hooks_t;

// What a snapshot holds for the storage of a component that has none here: kept as it is, and part of the next
// snapshot.
typedef struct manager_kept_t {
  void *bytes;
  size_t size;
  uint32_t version;
} manager_kept_t;

// MANY: of one entity. Every question about one of them walks past the others; repeated in
// scripts/shoal/world/assemblage.lua.
#define MANAGER_MAX_INSTANCES 1024u

// Open for reading by the modules above; written by ecs only. The first six members are part of bindings/abi.h.
struct manager_o {
  uint32_t **pages;    // page of entity index >> 12, NULL where empty; entries are row + 1, 0 for none
  shoal_entity *owner; // by row; parallel to the columns
  void **data;         // = columns.data
  uint32_t count;      // = columns.count
  uint32_t page_count;
  uint32_t id;            // 1-based, dense, in order of declaration; stays for the world's life
  uint32_t *instance;     // MANY: string id of the row's name, by row
  uint32_t *next;         // MANY: next row of the same owner, ROW_NONE at the end
  uint32_t side_capacity; // of owner, instance and next
  columns_t columns;
  schema_t schema;
  manager_hooks_t hooks;
  query_o **queries; // that name this component; notified of every change
  uint32_t query_count, query_capacity;
  query_o *group; // that owns the order of the rows, or NULL
  uint64_t moves; // grows with every row that comes, goes or changes its place; no part of the state
  // By column: somebody writes it in place without marks (columns.h), so that a value that is not its template's counts
  // as written, marked or not.
  uint64_t written_unmarked;
  bool told_full; // that an entity can have no more instances
  bool told;      // relations or changes follow its rows (relation_internal.h)
  manager_kept_t kept;
  last_values_t *last; // copies of removed rows (last_values.h), or NULL
  world_o *world;
};

// The first row of e, or ROW_NONE. Safe for any value of e. SINGLE: use row 0.
static inline uint32_t manager_row(const manager_o *m, shoal_entity e) {
  uint32_t i = shoal_entity_index(e), page = i / INDEX_PAGE;
  if (page >= m->page_count || !m->pages[page])
    return ROW_NONE;
  uint32_t row = m->pages[page][i % INDEX_PAGE];
  return row != 0 && m->owner[row - 1] == e ? row - 1 : ROW_NONE;
}

// MANY: the row of e with this instance name, or ROW_NONE. Others: manager_row when instance is 0.
uint32_t manager_instance_row(const manager_o *m, shoal_entity e, uint32_t instance);

// Borrowed until rows are next added: column `c` of the schema.
static inline void *manager_column(const manager_o *m, uint32_t c) {
  return m->data[c];
}
int32_t manager_find_column(const manager_o *m, const char *field);
// A derived field of these rows, or of `count` from `first` on where `rows` is NULL, into the caller's memory (any
// alignment); as the hook.
void manager_derive(const manager_o *m, uint32_t field, const uint32_t *rows, uint32_t first, uint32_t count,
                    void *out);

#endif
