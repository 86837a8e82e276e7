// How queries are built and kept up to date. Private to ecs, snapshot and migrate.
#ifndef SHOAL_ECS_QUERY_INTERNAL_H
#define SHOAL_ECS_QUERY_INTERNAL_H

#include "base/array.h"
#include "base/error.h"
#include "ecs/query.h"

// A query_o as ecs sees it.
typedef struct live_query_t {
  query_o shared;  // first, so that a query_o is a live_query_t
  int32_t driver;  // the term of the `many` component that gives the rows, or -1
  manager_o *lead; // of a group: the owned component whose rows say who is in it; NULL of others
  // From an entity to its query row + 1; with a driver, from the driver's row to the query row + 1.
  uint32_t **pages;
  uint32_t page_count;
  uint32_t *by_row;
  uint32_t by_row_capacity;
  bool was_aligned[QUERY_MAX_TERMS]; // at the last query_open
  ARRAY(uint32_t) watchers;          // numbers of those that hear of changes
  bool sees_disabled;                // nothing of what it names is hidden from it
  // It is not among the world's queries and is not kept up to date: a snapshot of before its time was restored. Whoever
  // asks for it or opens it wakes it, and it is then as new.
  bool asleep;
} live_query_t;

// What a query holds, built beside it. The memory goes to the query.
typedef struct query_data_t {
  uint32_t count, capacity;
  bool grouped;
  shoal_entity *entities;                                       // not of a group
  uint32_t *rows[QUERY_MAX_TERMS], misaligned[QUERY_MAX_TERMS]; // not of owned terms
  uint32_t **pages, page_count;
  uint32_t *by_row, by_row_capacity;
} query_data_t;

// Sorted by component and role, without repetition: the same question is always the same query.
query_desc_t query_canonical(const query_desc_t *desc);
// Is nothing of what it names hidden from such a query?
bool query_sees_disabled(const world_o *w, const query_desc_t *desc);
// `desc` is canonical. Asleep.
query_o *query_create(world_o *w, const query_desc_t *desc);
void query_destroy(query_o *q);
// One that sleeps joins the world's queries as the last one and is filled with the entities that match now.
void query_wake(query_o *q);
// Leaves them, empty.
void query_sleep(query_o *q);
// Joins them with this content.
void query_load(query_o *q, query_data_t *data);
// Awake or asleep; NULL when there is none. `desc` is canonical.
query_o *query_find(world_o *w, const query_desc_t *desc);
bool query_is_possible(world_o *w, const query_desc_t *desc, error_t *error);

// --- views (query_views.c)
uint32_t query_views_of(const query_term_t *t); // how many a term has
void query_make_views(query_term_t *t, allocator_t *a);
void query_free_views(query_term_t *t, uint32_t count, allocator_t *a);
void query_rebuild_views(query_o *q, manager_o *m);

// --- members (query_members.c)

// Would an entity with exactly these managers match? `managers` are ids, from `shown` on of what is disabled.
bool query_matches_set(const query_o *q, const uint32_t *managers, uint32_t shown, uint32_t count);
// e has just got all its components at once and matches.
void query_add_entity(query_o *q, shoal_entity e);
// e is about to die, or to lose a component that a group owns: its rows leave, if there are any, whatever components it
// still has.
void query_forget(query_o *q, shoal_entity e);
// The same for many, in order.
void query_add_many(query_o *q, const shoal_entity *entities, uint32_t count);
void query_forget_many(query_o *q, const shoal_entity *entities, uint32_t count);
// Its two halves: watchers hear of those that are in the query, and rows leave.
void query_tell_leaving(query_o *q, const shoal_entity *entities, uint32_t count);
void query_drop_many(query_o *q, const shoal_entity *entities, uint32_t count);
// Keeps those that match (in order, in place) and returns how many they are. What `with` and `without` terms say of
// `known` is taken to be true.
uint32_t query_keep_matching(const query_o *q, const manager_o *known, shoal_entity *entities, uint32_t count);
// The same by whether they have m.
uint32_t query_keep_those_with(const manager_o *m, shoal_entity *entities, uint32_t count, bool wanted);
// e has got or lost this instance of the component `disabled`.
void query_tell_disabled(world_o *w, shoal_entity e, uint32_t instance);
// e has got `row` of m, or has lost it (index and chain are as if it were gone).
void query_row_added(query_o *q, manager_o *m, shoal_entity e, uint32_t row);
void query_row_removed(query_o *q, manager_o *m, shoal_entity e, uint32_t row);

// --- groups. query_group takes over the components of the `with` terms: there is one, all are plain, and no group owns
// them.
void query_group(query_o *q);
void query_ungroup(query_o *q);

bool query_keeps_last(query_o *q, shoal_entity e); // e is in it, and a watcher keeps the rows of those that leave

#endif
