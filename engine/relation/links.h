// The way back of one entity field: who has a row whose field names this entity. It follows from the column and holds
// nothing that is not in it, so it is no part of the state: it is built when somebody asks first, kept up to date by
// rows_port (ecs/rows_port.h), and built anew after a restore.
//
// Every row is a node of a list that begins at the entity it names. Nodes are numbered by the entity that has the row,
// or, where an entity can have several, by the row.
#ifndef SHOAL_RELATION_LINKS_H
#define SHOAL_RELATION_LINKS_H

#include "ecs/manager.h"

// Who points: the index of an entity above, its row below. Owners and instances are read from the manager.
typedef uint64_t link_t;

static inline uint32_t link_row(link_t link) {
  return (uint32_t)link;
}

typedef struct links_t {
  manager_o *manager;
  uint32_t column;
  bool built;
  uint64_t passed;  // of the world (world_links_pass) when it was last compared with the column
  uint64_t version; // grows with every change of it
  uint64_t steps;   // nodes and rows that were looked at so far: what questions have cost
  uint32_t *head;   // by index of the entity that is named: node + 1
  uint32_t head_capacity;
  uint32_t *next, *prev; // by node: node + 1
  shoal_entity *named;   // by node: what the field says, 0 for none
  uint32_t capacity;     // of nodes
  allocator_t *allocator;
} links_t;

links_t *links_create(manager_o *m, uint32_t column, allocator_t *a);
void links_destroy(links_t *x);

void links_came(links_t *x, uint32_t first, uint32_t count);
void links_going(links_t *x, uint32_t row);
void links_going_many(links_t *x, const shoal_entity *entities, uint32_t count);
void links_written(links_t *x, uint32_t row);
void links_replaced(links_t *x);

// Brings it up to date: builds it, or compares it with the column where somebody may have written in place.
void links_settle(links_t *x, uint64_t passed);
// Those that name e, in the order of their entities' indices, then of rows. `out` has room for `most`; NULL counts. →
// how many they are. It is settled.
uint32_t links_of(links_t *x, shoal_entity e, link_t *out, uint32_t most);
// Brings links into that order.
void links_sort(link_t *links, uint32_t count, allocator_t *a);

#endif
