// Creates and updates queries. Private to ecs, snapshot and migrate.
#ifndef SHOAL_ECS_QUERY_INTERNAL_H
#define SHOAL_ECS_QUERY_INTERNAL_H

#include "base/array.h"
#include "base/error.h"
#include "ecs/query.h"

// A query_o with its internal state.
typedef struct live_query_t {
  query_o shared;    // must be first, so that a query_o can be cast to live_query_t
  int32_t driver;    // index of the term whose `many` component defines the rows; -1 if no `many` component does
  manager_o *leader; // owned component whose first rows are the members of a group; NULL without a group
  // `pages`: entity → query row + 1. Queries with a driver use `rows_by_driver` instead: driver row → query row + 1.
  uint32_t **pages;
  uint32_t page_count;
  uint32_t *rows_by_driver;
  uint32_t rows_by_driver_capacity;
  bool was_aligned[QUERY_MAX_TERMS]; // alignment of each term at the last query_open
  ARRAY(uint32_t) watchers;          // ids of the watchers to notify
  // For a group: the queries, without the group itself, that map rows of its components. Valid while
  // `followers_version` is the world's plan version.
  ARRAY(query_o *) followers;
  uint32_t followers_version;
  bool includes_disabled; // true if the query names `disabled`, and therefore sees disabled components
  // True if the query is not updated and not in the world's list: it is new, or a snapshot older than the query was
  // restored. Requesting or opening the query wakes it up and populates it again.
  bool asleep;
  bool is_inspection; // true for an inspection query (world_find_or_create_inspection)
  // Inspection queries: true if the rows match the components' rows at `populated_version` (query_row_version).
  bool populated;
  uint64_t populated_version;
} live_query_t;

// Content of a query, built separately and then moved into the query.
typedef struct query_data_t {
  uint32_t count, capacity;
  bool grouped;
  shoal_entity *entities;                                       // entities of the rows; NULL for groups
  uint32_t *rows[QUERY_MAX_TERMS], misaligned[QUERY_MAX_TERMS]; // unused for owned terms
  uint32_t **pages, page_count;
  uint32_t *rows_by_driver, rows_by_driver_capacity;
} query_data_t;

// Returns the terms sorted by component and role and without duplicates, so that equal queries are interned as one.
query_desc_t query_canonicalize(const query_desc_t *desc);
// Returns true if disabled components are visible to a query with these terms.
bool query_includes_disabled(const world_o *w, const query_desc_t *desc);
// Creates a query, which is asleep at first. `desc` must be canonical.
query_o *query_create(world_o *w, const query_desc_t *desc);
// Creates an inspection query. `desc` must be canonical.
query_o *query_create_inspection(world_o *w, const query_desc_t *desc);
// Makes all inspection queries populate themselves again. Call after the rows of components were replaced.
void query_forget_inspections(world_o *w);
void query_destroy(query_o *q);
// Moves a closed query from the world's list to the list of sleeping queries, and frees its rows.
void query_sleep(query_o *q);
// Moves the rows of a query that is not a group to `out`, for query_load. The query is then empty; it must be put to
// sleep next.
void query_take_content(query_o *q, query_data_t *out);
// Puts a sleeping query back into the world's list with the rows in `data`, of which the query takes ownership.
void query_load(query_o *q, query_data_t *data);
// Returns the query with this description, awake or asleep; NULL if not found. `desc` must be canonical.
query_o *query_find(world_o *w, const query_desc_t *desc);
bool query_check_desc(world_o *w, const query_desc_t *desc, error_info_t *error);

// --- views (query_views.c)
uint32_t query_view_count(const query_term_t *t); // returns the number of views of a term
void query_create_views(query_term_t *t, allocator_t *a);
void query_free_views(query_term_t *t, uint32_t count, allocator_t *a);
void query_rebuild_views(query_o *q, manager_o *m);
// Fills the views of a term in an opened query with `count` rows.
void query_fill_views(query_term_t *t, uint32_t count);

// --- membership (query_members.c)

// Returns true if an entity with exactly these components would match. `managers` are ids; from index `enabled_count`
// on, the components are disabled.
bool query_matches_set(const query_o *q, const uint32_t *managers, uint32_t enabled_count, uint32_t count);
// Adds e, which matches and has just received all of its components in one step.
void query_add_entity(query_o *q, shoal_entity e);
// Removes the rows of e, if any, regardless of its components. Call when e is about to die or to lose a component that
// a group owns.
void query_remove_entity(query_o *q, shoal_entity e);
// Like query_add_entity and query_remove_entity for many entities, in order.
void query_add_entities(query_o *q, const shoal_entity *entities, uint32_t count);
void query_remove_entities(query_o *q, const shoal_entity *entities, uint32_t count);
// The two steps of query_remove_entities: notify watchers; remove rows.
void query_notify_leaving(query_o *q, const shoal_entity *entities, uint32_t count);
void query_drop_rows(query_o *q, const shoal_entity *entities, uint32_t count);
// Like query_drop_rows if these entities include all entities of the query.
void query_drop_all_rows(query_o *q, const shoal_entity *entities, uint32_t count);
// Keeps the entities that match, in order and in place, and returns their number. Assumes that `with` and `without`
// terms on `checked` are satisfied.
uint32_t query_filter_matching(const query_o *q, const manager_o *checked, shoal_entity *entities, uint32_t count);
// Keeps the entities that have m if `present` is true, or lack m otherwise. Returns the number of kept entities.
uint32_t query_filter_by_component(const manager_o *m, shoal_entity *entities, uint32_t count, bool present);
// Updates all queries that see the change after e has gained or lost this instance of the component `disabled`.
void query_notify_disabled(world_o *w, shoal_entity e, uint32_t instance);
// Update the query after e has gained `row` of m, or lost it (index and chain no longer contain it). `roles`: roles of
// m in the query.
void query_notify_row_added(query_o *q, manager_o *m, shoal_entity e, uint32_t row);
void query_notify_row_removed(query_o *q, manager_o *m, uint32_t roles, shoal_entity e, uint32_t row);

// --- groups. query_group takes ownership of the components of the `with` terms. These must be at least one, all
// plain, and in no other group.
void query_group(query_o *q);
void query_ungroup(query_o *q);

// Returns true if e matches and a watcher keeps the last rows of entities that stop matching.
bool query_keeps_last_rows(query_o *q, shoal_entity e);

#endif
