// Relations: who points at whom. A relation is a component with a field that names an entity: its rows are ordinary
// rows, so they are saved, restored, replayed, hashed, undone, written into scenes and seen in SQL as all others are.
// What stands here follows from them: the way back from the entity that is named (referrers.h), pairs, of which a
// `many` component has several for one entity, and what happens to a row whose entity dies (FIELD_CASCADE_, schema.h).
//
// Cascades run while entities are destroyed: those that point and go too join the batch, round after round, each once,
// so that circles end; rows then leave those that stay. In the order of components, then of the batch, then of the
// entities that point.
//
// Main thread only. Nothing of it is part of the state.
#ifndef SHOAL_ECS_RELATION_H
#define SHOAL_ECS_RELATION_H

#include "ecs/world.h"

#define RELATION_TARGET "target" // the field that a pair means; else the first one that names an entity

// From now on the world keeps relations; for its life. The same again does nothing.
void relation_attach(world_o *w);

// The column that a pair of this component means; -1 with a message.
int32_t relation_column(world_o *w, uint32_t manager, error_t *error);

// The pair (manager, target) of e. Adding one that is there changes nothing. A plain component points at one entity:
// a second pair takes the place of the first. One of `many` gets the lowest number as its name that e has free: "1",
// "2" … `instance` (may be NULL) is what it is called, for world_set. While commands are deferred these are commands,
// and what is queued is looked at. False with a message.
bool relation_add(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target, uint32_t *instance,
                  error_t *error);
bool relation_remove(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target); // false: there is no such pair
// ROW_NONE when there is none; of rows that are there, not of queued ones.
uint32_t relation_row(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);
// The instance under which it is, or is queued to be: ROW_NONE for no such pair; 0 of a plain component.
uint32_t relation_instance(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);

// At whom e points, in the order in which its pairs were added: up to `most` into `out`. → how many they are.
uint32_t relation_targets(world_o *w, shoal_entity e, uint32_t manager, shoal_entity *out, uint32_t most);

// Who points at e with this column, each entity once, in the order of their indices: borrowed until the next call.
// Costs as much as there are answers, once somebody has asked; and one pass over the rows where an entity field was
// written in place since the last question. Dead ones have none.
const shoal_entity *relation_sources(world_o *w, shoal_entity e, uint32_t manager, uint32_t column, uint32_t *count);

// The entities that match `base` and have all of `count` pairs, as a query of the same terms, whose rows are found
// through a map: filled, to be opened with pair_query_open. What is in it stays as long as it is open, and then until
// such pairs are asked for again; its address and those of its views stay for the world's life. The component of the
// first pair is one of the terms of `base`. NULL with a message.
typedef struct pair_t {
  uint32_t manager, column;
  shoal_entity target;
} pair_t;
#define PAIRS_MAX 4u
query_o *pair_query(world_o *w, query_o *base, const pair_t *pairs, uint32_t count, error_t *error);
// One of the caller's own, for the world's life: the targets of `pairs` do not matter, and before it is opened it is
// aimed at others, which are found anew. One that is none, or dead, has no rows.
query_o *pair_query_make(world_o *w, query_o *base, const pair_t *pairs, uint32_t count);
void pair_query_aim(query_o *q, const shoal_entity *targets);
void pair_query_open(query_o *q);
void pair_query_close(query_o *q);

#endif
