// Relations and changes as ecs sees them: what a world keeps of them, and what its rows report. Private to ecs.
#ifndef SHOAL_ECS_RELATION_INTERNAL_H
#define SHOAL_ECS_RELATION_INTERNAL_H

#include "base/array.h"
#include "ecs/referrers.h"
#include "ecs/observed.h"
#include "ecs/shadow.h"
#include "ecs/world_internal.h"

// A field whose declaration says what happens when the entity that it names dies.
typedef struct cascade_t {
  referrers_t *links;
  uint32_t how; // one of FIELD_CASCADE_
} cascade_t;

// A pair that a queued command is about to give, or to take away (`gone`).
typedef struct queued_pair_t {
  shoal_entity e, target;
  uint32_t manager, instance;
  uint32_t older; // place + 1 of the one before of the same hash
  bool gone;
} queued_pair_t;

typedef struct queued_pairs_t {
  ARRAY(queued_pair_t) list;
  uint32_t *heads; // by hash of entity and manager: place + 1
  uint32_t head_capacity;
  uint32_t queue, noted; // of the world; how many of its commands are known
  uint32_t part;         // and how many numbers of the next one, which is COMMAND_PAIRS
} queued_pairs_t;

typedef struct pairs_t pairs_t;
enum { PAIR_BUCKET_BITS = 10, PAIR_BUCKETS = 1 << PAIR_BUCKET_BITS };

// A component that is compared with what it was.
typedef struct followed_t {
  manager_o *manager;
  uint64_t key, count; // hash of its name; of changes
  bool asked;          // by a counter: then the count is part of the state
  shadow_t shadow;
} followed_t;

typedef ARRAY(shoal_entity) observed_list_t;

typedef struct observer_t {
  uint64_t key;        // hash of its name
  query_o *query;      // NULL: in a snapshot, and not opened yet
  char *name;          // NULL as well
  bool compares;       // lists changed entities
  bool told;           // the lists of the previous `begin` were handled
  observed_list_t set; // changed entities that are not listed yet, in the order of their indices
  observed_list_t heard[OBSERVED_KINDS];
} observer_t;

typedef struct relation_o {
  world_o *world;
  ARRAY(referrers_t *) links;
  ARRAY(cascade_t) cascades;
  uint32_t plan_version; // of the world when cascades were last looked for
  ARRAY(uint32_t) found;
  ARRAY(int32_t) columns;         // by manager id: relation_column's answers, -1 for none
  uint32_t columns_version;       // of the world, as plan_version
  ARRAY(uint32_t) names;          // by number: the id of its text, 0 for what is not known
  ARRAY(pairs_t *) queries;       // pair queries, to be used again
  uint32_t buckets[PAIR_BUCKETS]; // of them, by whom the first pair points at: number + 1
  uint32_t next_closed;           // where one that is closed is looked for
  queued_pairs_t queued;
  ARRAY(followed_t *) followed; // in the order in which somebody asked first
  ARRAY(observer_t) observers;
} relation_o;

// --- relation_links.c. A component whose rows are followed has `told` set (manager.h); its manager reports changes of
// its rows, at sync points.
relation_o *relation_of(world_o *w);
bool relation_follows(const manager_o *m, uint32_t column);               // does the column name entities?
referrers_t *relation_find(relation_o *r, manager_o *m, uint32_t column); // makes it
// Who names e with it, in order, as referrers_of: borrowed until the next call, to be written.
uint32_t *relation_find_who(relation_o *r, referrers_t *x, shoal_entity e, uint32_t *count);
void relation_rows_came(manager_o *m, uint32_t first, uint32_t count); // they are there, with their values
void relation_row_going(manager_o *m, uint32_t row); // it is about to go; the last one takes its place
// Those of these entities that have one, of a plain component, are about to go.
void relation_rows_going(manager_o *m, const shoal_entity *entities, uint32_t count);
void relation_row_written(manager_o *m, uint32_t row, uint32_t column); // by world_set
void relation_rows_replaced(manager_o *m);                              // all its rows are others

void relation_fini(world_o *w);
void pairs_free_all(relation_o *r);

// --- change_tracking.c
followed_t *followed_find(const relation_o *r, const manager_o *m); // NULL: it is not compared
void followed_replaced(relation_o *r, const manager_o *m);

// --- changes.c
void changes_collect(relation_o *r);
void changes_tick_ends(relation_o *r);
void changes_free(relation_o *r);

// --- queued_pairs.c: what queued commands say of the pairs of one entity. ROW_NONE: nothing of this pair.
// `any`: is anything of its pairs of m?
uint32_t queued_pair_find(relation_o *r, shoal_entity e, const manager_o *m, shoal_entity target, bool *any);
bool queued_pair_changes(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance); // takes it or turns it
bool queued_pair_names(relation_o *r, shoal_entity e, const manager_o *m, uint32_t instance);
void queued_pairs_free(relation_o *r);

#endif
