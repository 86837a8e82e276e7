// Relations between entities. A relation is a component with an entity field. Its rows are ordinary rows: they are
// saved, restored, replayed, hashed, undone, written into scenes and visible in SQL like all others. This module adds
// the reverse lookup from a target to its referrers (referrers.h), pairs, of which a `many` component has several per
// entity, and cascades when a target is destroyed (FIELD_CASCADE_, schema.h).
//
// Cascades run while entities are destroyed. Referrers that are destroyed too join the batch, each once, in rounds, so
// cycles terminate; then the rows of surviving referrers are removed or cleared. The order is: components, then the
// batch, then referrers.
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

// Returns a query of the entities that match `base` and have all `count` pairs. It has the same terms, with row maps,
// and is already filled; open it with pair_query_open. Its content is valid while it is open, and then until the same
// pairs are requested again; its address and those of its views are valid for the world's life. `base` must contain the
// component of the first pair. Returns NULL with an error.
typedef struct pair_t {
  uint32_t manager, column;
  shoal_entity target;
} pair_t;
#define PAIRS_MAX 4u
query_o *pair_query(world_o *w, query_o *base, const pair_t *pairs, uint32_t count, error_t *error);
// Creates a query owned by the caller for the world's life. The targets of `pairs` are ignored; set them with
// pair_query_aim before opening it, which fills the query again. With a target that is 0 or dead it has no rows.
query_o *pair_query_make(world_o *w, query_o *base, const pair_t *pairs, uint32_t count);
void pair_query_aim(query_o *q, const shoal_entity *targets);
void pair_query_open(query_o *q);
void pair_query_close(query_o *q);

#endif
