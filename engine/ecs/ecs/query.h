// Queries: all entities with certain components. Queries are interned by the world: equal terms give the same query_o
// in every Lua state. Each change to an entity updates a query in O(1). The iteration order is deterministic: entities
// in the order in which they started to match; when an entity leaves, the last entity takes its place.
//
// With a `many` component among the `with` terms (at most one), the query has one row per instance, so entities repeat.
//
// Each component has a row map from query rows to component rows. If the map is the identity, because components were
// always added and removed together, the term is `aligned` and the loop index is the row.
//
// Queries skip disabled components: the entity does not match, or its optional row is ROW_NONE. A `without` term also
// excludes entities whose component is disabled. The component `disabled` has one row per disabled component, with that
// component's name as instance, or DISABLED_WHOLE for the whole entity. A query that names `disabled` sees disabled
// components, too.
//
// A query can be made a group (world_group_query): it then owns the row order of its plain `with` components. The terms
// of these components are `owned` and always aligned, at the cost of O(1) row swaps per entity that joins or leaves. A
// component can belong to at most one group. Other queries over the same components are notified of the swaps and keep
// their row maps. A group does not affect the order or result of any query, only the order of rows in memory.
//
// Inspection queries (world_find_or_create_inspection) serve code that must not change the world: the console, the
// cockpit, drawing, hosts. Inspection queries are not part of the state: not hashed, not in snapshots, never groups,
// and not shared with systems. An inspection query is populated when it is opened, if rows have changed since the last
// time. Its rows have the order of its `with` component with the fewest rows, so the order depends only on the state,
// not on earlier inspections.
#ifndef SHOAL_ECS_QUERY_H
#define SHOAL_ECS_QUERY_H

#include "ecs/manager.h"

#define QUERY_MAX_TERMS 16
#define DISABLED_WHOLE "entity" // instance name of a row that disables its whole entity; not a valid component name

typedef enum query_role_t { QUERY_WITH, QUERY_WITHOUT, QUERY_ANY, QUERY_OPTIONAL } query_role_t;

typedef struct query_term_desc_t {
  uint32_t manager; // id of the component
  query_role_t role;
} query_term_desc_t;

typedef struct query_desc_t {
  query_term_desc_t terms[QUERY_MAX_TERMS];
  uint32_t term_count;
} query_desc_t;

// One column as seen by a loop. Filled by C; Lua reads it through a bounds-checked proxy over this struct
// (bindings/abi.h). Valid only between query_open and query_close: afterwards `count` is 0, so a proxy that a script
// kept fails its bounds check.
typedef struct column_view_t {
  // The manager's whole column. For an event: its column, from the first opened row on. For a derived matrix: the
  // manager. For a derived f32: values that query_compute_derived has computed; until then, `count` is 0.
  void *data;
  // NULL if aligned; otherwise indexed by query row: component row, or ROW_NONE if an optional component is absent
  const uint32_t *rows;
  uint32_t count; // number of query rows
  uint32_t first; // component row of element 0, for a derived matrix without `rows`
  uint8_t *marks; // marks: set marks[i] after writing element i of `data`; NULL if marks are not tracked (columns.h)
} column_view_t;

typedef struct query_term_t {
  manager_o *manager;
  query_role_t role;
  // true if this query is a group that owns the component: component row i is query row i, and `rows` is unused
  bool owned;
  uint32_t *rows;       // component row of each query row; NULL for WITHOUT
  uint32_t misaligned;  // number of rows with rows[i] != i; always 1 in queries over pairs
  column_view_t *views; // views, one per field of the schema, derived fields last
  uint32_t view_count;  // number of views; 0 for WITHOUT
  // Scripts cache view addresses, so each column has two stable views. The first view_count views are empty unless the
  // term is aligned. The next view_count views read through the row map and are empty without a map (owned terms).
  column_view_t *stable_views;
  // view for QUERY_ANY and QUERY_OPTIONAL with only `rows` and `count`: rows[i] is ROW_NONE if the component is absent
  column_view_t present;
  // Values of the derived f32 fields: consecutive columns, indexed by component row (query_compute_derived).
  float *derived;
  size_t derived_bytes;
  bool is_derived_ready; // true if `derived` was computed since the query was opened
  manager_workspace_t workspace;
} query_term_t;

struct query_o {
  uint32_t count;
  uint32_t capacity;
  shoal_entity *entities; // indexed by query row; in a group, borrowed from a component's owners
  column_view_t entity_view;
  uint32_t term_count;
  query_term_t terms[QUERY_MAX_TERMS];
  world_o *world;
  uint32_t id;   // 1-based position in the world's list of queries
  uint32_t open; // nesting depth of query_open
  bool grouped;
  // Incremented when scripts need new proxies: when query_open finds that a term's alignment has changed, and when
  // views are re-created because a component was redeclared.
  uint32_t layout_version;
};

// Appends a sleeping query to the world's list and populates it with the entities that currently match. Updates the
// rows of an inspection query that is closed.
void query_wake(query_o *q);
// Fills the views from the current columns. Calls may be nested. No structural change may happen while a query is open;
// the world's deferral prevents structural changes.
void query_open(query_o *q);
void query_close(query_o *q);
// Computes the derived f32 fields of a component for the rows of an open query, and shows them in the query's views.
// Does nothing if the fields have already been computed since the query was opened, even if the component has changed
// since then. Main thread only.
void query_compute_derived(query_o *q, uint32_t manager);

bool query_matches(const query_o *q, shoal_entity e);
// Returns the `with` term for this component, or NULL if the query has no such term.
const query_term_t *query_find_with(const query_o *q, uint32_t manager);
// Returns a counter that increases whenever rows of the query's components, or of the component `disabled`, are added,
// removed or moved. As long as the counter is the same, the query has the same rows in the same order. Not part of the
// state.
uint64_t query_row_version(const query_o *q);

// Entry of a watcher. Watchers collect the entities that start or stop matching, in order. If an entity stops matching
// before the entry for its start has been read, both entries are dropped. Entries are part of the world's state and
// identified by name, so a reload neither loses nor repeats them. The first entries of a new watcher are all current
// matches.
typedef struct query_watch_t {
  shoal_entity entity;
  bool entered;               // true if the entity started to match; false if it stopped matching
  uint32_t assemblage, state; // string ids; set only if the entity stopped matching
  // value of world_o.removal when the entity stopped matching; later removals may contain its last rows (last_values.h)
  uint32_t removal;
} query_watch_t;

#endif
