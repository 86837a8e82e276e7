// A query: which entities have these components. Interned by the world (the same terms give the same query_o, whatever
// VM asks) and kept up to date in O(1) per change. Iteration order is deterministic: entities in the order in which
// they began to match, with the last one filling the place of one that leaves.
//
// With a `many` component among the `with` terms (at most one) the query has one row per instance, and the entity
// repeats.
//
// A row map per component gives the component's row for each query row. Where all of them are the identity
// (components that were always added and removed together) the term is `aligned` and the loop index is the row.
//
// A component that is disabled is not there to a query: its entity does not match, or its optional row is none.
// `without` asks whether an entity has a component, disabled or not. What is disabled is said by a component too,
// `disabled`, with a row for each, of its name, or of DISABLED_WHOLE. A query that names `disabled` sees all.
//
// A query can be made a group (world_group): it then owns the row order of its plain `with` components, which are
// `owned` terms and aligned by construction, at O(1) row swaps per entity that joins or leaves. Each component is owned
// by one group at most. Other queries over the same components are told of the swaps and keep their row maps. A group
// changes no query's order or result, only where rows lie.
#ifndef SHOAL_ECS_QUERY_H
#define SHOAL_ECS_QUERY_H

#include "ecs/manager.h"

#define QUERY_MAX_TERMS 16
#define DISABLED_WHOLE "entity" // a name that no component has

typedef enum query_role_t { QUERY_WITH, QUERY_WITHOUT, QUERY_ANY, QUERY_OPTIONAL } query_role_t;

typedef struct query_term_desc_t {
  uint32_t manager; // id
  query_role_t role;
} query_term_desc_t;

typedef struct query_desc_t {
  query_term_desc_t terms[QUERY_MAX_TERMS];
  uint32_t term_count;
} query_desc_t;

// One column as a loop sees it. C fills it, Lua reads it through a bounds-checked proxy laid over this very struct
// (bindings/abi.h). Valid between query_open and query_close only: afterwards count is 0, so that a kept proxy is out
// of range and not out of memory.
typedef struct column_view_t {
  void *data;           // the whole column of the manager; of a derived field the manager itself
  const uint32_t *rows; // NULL when aligned; else row by query row, ROW_NONE where an optional component is absent
  uint32_t count;       // query rows
  uint32_t first;       // of a derived field: the row of element 0 where `rows` is NULL
  uint8_t *marks;       // who writes element i of `data` sets mark i; NULL where nothing is tracked (columns.h)
} column_view_t;

typedef struct query_term_t {
  manager_o *manager;
  query_role_t role;
  bool owned;           // by this query, which is a group: row i is query row i, and `rows` is not kept
  uint32_t *rows;       // by query row (not for WITHOUT)
  uint32_t misaligned;  // how many rows[i] != i; 1 in a query over pairs, where none is
  column_view_t *views; // one per field of the schema, the derived ones last
  uint32_t view_count;  // none for WITHOUT
  // For whoever keeps the address of a view (scripts do): one view per column that has rows while the term is aligned
  // and is empty otherwise, and behind them one per column that goes through the row map, and is empty when there is
  // none (owned terms).
  column_view_t *lasting;
  column_view_t present; // ANY, OPTIONAL: rows only; present where rows[i] != ROW_NONE
} query_term_t;

struct query_o {
  uint32_t count;
  uint32_t capacity;
  shoal_entity *entities; // by query row; of a group: borrowed from the owners of a component's rows
  column_view_t entity_view;
  uint32_t term_count;
  query_term_t terms[QUERY_MAX_TERMS];
  world_o *world;
  uint32_t id;   // 1-based, in order of interning
  uint32_t open; // nesting depth of query_open
  bool grouped;
  // Changes when a term's alignment changed at query_open: proxies of the other kind are needed.
  uint32_t layout_version;
};

// Fills the views from the columns as they are now. Opens nest (a loop inside a loop); no structure may change while a
// query is open, and the world's deferral sees to it.
void query_open(query_o *q);
void query_close(query_o *q);

bool query_matches(const query_o *q, shoal_entity e);
const query_term_t *query_find_with(const query_o *q, uint32_t manager); // that every row has; NULL if it has no such
bool query_hides(const query_o *q); // something is disabled, and the query passes over it

// A watcher gets the entities that start and stop matching, in order, with pairs that cancel out removed. Part of the
// world's state, kept by name, so that a reload does not lose or repeat any. A new watcher starts with every current
// match as entered.
typedef struct query_watch_t {
  shoal_entity entity;
  bool entered;               // false: left
  uint32_t assemblage, state; // text ids, of one that left
  uint32_t removal;           // world_o.removal when it left: last rows from there on are its own (last_values.h)
} query_watch_t;

#endif
