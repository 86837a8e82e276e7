// Cascades, applied to rows whose entity field points to a destroyed entity: they clear the field, remove the row, or
// destroy the row's entity as well. Private to ecs.
#ifndef SHOAL_ECS_CASCADE_H
#define SHOAL_ECS_CASCADE_H

#include "ecs/world.h"

// Appends the entities that cascades destroy along with `entities`, a range of the batch (world_internal.h), to the
// batch. Call again for the appended entities.
void cascade_collect_destroyed(world_o *w, const shoal_entity *entities, uint32_t count);
// Clears or removes the rows of surviving entities that point to the `count` entities of the batch. Call when the batch
// is complete and its rows still exist.
void cascade_release_referrers(world_o *w, uint32_t count);
// Returns true if destroying an entity can change additional entities, that is, if a field declares a cascade.
bool cascade_is_declared(world_o *w);

#endif
