// Reverse lookup of one entity field: the entities with a row whose field names a given entity. It is derived from the
// column, so it is not part of the state: it is built on the first lookup, kept up to date by the reports of managers
// (relation_internal.h), and built again after a restore.
//
// Every row is a node, numbered by the entity that has it, or, where an entity can have several, by the row. Who names
// the same entity stands side by side in one list, in the order of the entities' indices as long as they come in it;
// what comes out of turn is sorted in when somebody asks. Who goes leaves a hole.
#ifndef SHOAL_ECS_REFERRERS_H
#define SHOAL_ECS_REFERRERS_H

#include "base/array.h"
#include "ecs/manager.h"

#define LINKS_FEW 2u // that need no memory of their own

typedef struct referrers_list_t {
  union {
    uint32_t few[LINKS_FEW], *many; // entities that point, or their rows + 1 where they can have several; 0: a hole
  };
  uint32_t count, capacity, holes;
  uint32_t last;      // the index of the entity that stands last
  shoal_entity named; // by all of them, but where `mixed`
  bool mixed;         // some name one that is dead and had the same index
  bool unsorted;
} referrers_list_t;

typedef struct referrers_node_t {
  shoal_entity named; // what the field says, 0 for none
  uint32_t place;     // in the list of those that name it
} referrers_node_t;

typedef struct referrers_t {
  manager_o *manager;
  uint32_t column;
  bool built;
  uint64_t passed;  // of the world (world_links_pass) when it was last compared with the column
  uint64_t version; // grows with every change of it
  uint64_t steps;   // places and rows that were looked at so far: what questions have cost
  uint32_t *head;   // by index of the entity that is named: its list + 1
  uint32_t head_capacity;
  ARRAY(referrers_list_t) lists;
  uint32_t free_list; // + 1; the next one in its `last`
  referrers_node_t *nodes;
  uint32_t capacity; // of nodes
  allocator_t *allocator;
} referrers_t;

referrers_t *referrers_create(manager_o *m, uint32_t column, allocator_t *a);
void referrers_destroy(referrers_t *x);

void referrers_came(referrers_t *x, uint32_t first, uint32_t count);
void referrers_going(referrers_t *x, uint32_t row);
void referrers_going_many(referrers_t *x, const shoal_entity *entities, uint32_t count);
void referrers_written(referrers_t *x, uint32_t row);
void referrers_replaced(referrers_t *x);

// Brings it up to date: builds it, or compares it with the column where somebody may have written in place.
void referrers_settle(referrers_t *x, uint64_t passed);
// Those that name e, in the order of their entities' indices, then of rows; it is settled. As entities, or, where one
// can have several, as rows: `out` has room for referrers_most of them. → how many they are.
uint32_t referrers_most(const referrers_t *x, shoal_entity e);
uint32_t referrers_of(referrers_t *x, shoal_entity e, uint32_t *out);
bool referrers_by_row(const referrers_t *x);

#endif
