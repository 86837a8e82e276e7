// Internals of relations and change tracking: data per world, and notifications from rows. Private to ecs.
#ifndef SHOAL_ECS_RELATION_INTERNAL_H
#define SHOAL_ECS_RELATION_INTERNAL_H

#include "base/array.h"
#include "ecs/referrers.h"
#include "ecs/observed.h"
#include "ecs/row_copy.h"
#include "ecs/world_internal.h"

// An entity field whose declaration defines a cascade.
typedef struct cascade_t {
  referrers_t *links;
  uint32_t flags; // one of the FIELD_CASCADE_ flags
} cascade_t;

// A pair that a queued command will add or remove (`removed`).
typedef struct queued_pair_t {
  shoal_entity e, target;
  uint32_t manager, instance;
  uint32_t previous; // index + 1 of the previous entry with the same hash
  bool removed;
} queued_pair_t;

typedef struct queued_pairs_t {
  ARRAY(queued_pair_t) list;
  uint32_t *heads; // indexed by hash of entity and manager: index + 1 in `list`
  uint32_t head_capacity;
  uint32_t queue_version; // the world's queue_version at the last update
  uint32_t indexed;       // number of indexed commands
  uint32_t indexed_words; // number of indexed words of the next command, a COMMAND_PAIRS that may still grow
} queued_pairs_t;

typedef struct pair_query_t pair_query_t;
enum { PAIR_BUCKET_BITS = 10, PAIR_BUCKETS = 1 << PAIR_BUCKET_BITS };

// A component whose rows are compared with a saved copy.
typedef struct tracked_component_t {
  manager_o *manager;
  uint64_t key, count; // `key`: hash of the component's name; `count`: number of changes
  bool counted;        // true if a counter uses the component; `count` is then part of the state
  row_copy_t copy;
} tracked_component_t;

typedef ARRAY(shoal_entity) observed_list_t;

typedef struct observer_t {
  uint64_t key;   // hash of `name`
  query_o *query; // observed query; NULL if the observer was restored from a snapshot and not opened yet
  char *name;     // name of the observer; NULL if `query` is NULL
  bool compares;  // true if the observer also lists changed entities
  bool handled;   // true if observer_end_delivery was called for the current lists
  observed_list_t pending_changes; // changed entities not listed yet, in order of entity index
  observed_list_t lists[OBSERVED_KINDS];
} observer_t;

typedef struct relation_o {
  world_o *world;
  ARRAY(referrers_t *) links;
  ARRAY(cascade_t) cascades;
  uint32_t plan_version;         // plan version of the world when cascades were collected
  ARRAY(uint32_t) referrers;     // result of the last relation_find_referrers
  ARRAY(uint32_t) base_rows;     // result of find_all_rows (pair_queries.c)
  ARRAY(int32_t) columns;        // indexed by manager: cached result of relation_find_column; -1: no target column
  uint32_t columns_version;      // world's plan version when `columns` was cached
  ARRAY(uint32_t) names;         // indexed by number: string id, or 0 if not cached
  ARRAY(pair_query_t *) queries; // pair queries; closed queries are reused
  // indexed by hash of the first pair's target: number + 1 of the first query in that bucket
  uint32_t buckets[PAIR_BUCKETS];
  uint32_t next_closed;  // index from which to search for a closed query
  uint64_t row_capacity; // number of allocated rows in all pair queries
  queued_pairs_t queued_pairs;
  ARRAY(tracked_component_t *) tracked; // tracked components, in order of first use
  ARRAY(observer_t) observers;
} relation_o;

// --- relation_links.c: managers of tracked components (`is_tracked`, manager.h) call relation_notify_… at sync points

relation_o *relation_get(world_o *w);
bool relation_is_entity_field(const manager_o *m, uint32_t column);
// Returns the reverse lookup of a component's entity column, and creates it on first use.
referrers_t *relation_find_or_create_lookup(relation_o *r, manager_o *m, uint32_t column);
// Returns the referrers of e, like referrers_list. Borrowed until the next call; the caller may overwrite them.
uint32_t *relation_find_referrers(relation_o *r, referrers_t *lookup, shoal_entity e, uint32_t *count);
// Reports added rows, whose values have been set.
void relation_notify_rows_added(manager_o *m, uint32_t first, uint32_t count);
void relation_notify_row_removing(manager_o *m, uint32_t row); // reports a row that the last row will replace
// Reports that these entities are about to lose their row of a plain component; some of them may not have a row.
void relation_notify_rows_removing(manager_o *m, const shoal_entity *entities, uint32_t count);
void relation_notify_row_written(manager_o *m, uint32_t row, uint32_t column);
void relation_notify_rows_replaced(manager_o *m); // reports that all rows were replaced

void relation_fini(world_o *w);
void pairs_free_all(relation_o *r);

// --- tracked_component.c

// Returns the saved copy of a component; NULL if the component has no saved copy.
tracked_component_t *tracked_component_find(const relation_o *r, const manager_o *m);
void tracked_component_refresh_copy(relation_o *r, const manager_o *m);

// --- changes.c
void changes_collect(relation_o *r);
void changes_end_tick(relation_o *r);
void changes_free(relation_o *r);

// --- queued_pairs.c: pairs of one entity in queued commands

// Returns the instance of a queued pair, or ROW_NONE if the pair is not queued. Sets `has_queued` to true if any pair
// of m is queued for e.
uint32_t queued_pair_find(relation_o *r, shoal_entity e, const manager_o *m, shoal_entity target, bool *has_queued);
// Returns true if a queued command removes or retargets this pair.
bool queued_pair_is_changed(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance);
bool queued_pair_exists(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance);
void queued_pairs_free(relation_o *r);

#endif
