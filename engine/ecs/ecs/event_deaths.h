// Entities that died while an entity field of a pending event referred to them. Handlers of the event can read their
// last values (ecs/last_values.h) until the event expires. Part of snapshots and hashes.
#ifndef SHOAL_ECS_EVENT_DEATHS_H
#define SHOAL_ECS_EVENT_DEATHS_H

#include "ecs/world_internal.h"

#define EVENT_DEATHS_NONE UINT32_MAX

// Records the entities in world_o.destroy_batch that pending events name, so that their rows are copied. Called before
// these entities are destroyed.
void event_deaths_record(world_o *w);
void event_deaths_end_tick(world_o *w); // drops expired records; call after event_end_tick
// Replaces the records, and marks all events as unread.
void event_deaths_load(world_o *w, const event_death_t *deaths, uint32_t count);
void event_deaths_free(world_o *w);

// Returns the number of the operation that destroyed e, for last_values_find; EVENT_DEATHS_NONE if this event did not
// name e when e died, or if all events that named e have expired.
uint32_t event_deaths_removal(const world_o *w, shoal_entity e, uint32_t event);
// Returns the string id of the state in which e died; 0 if event_deaths_removal returns EVENT_DEATHS_NONE.
uint32_t event_deaths_state(const world_o *w, shoal_entity e, uint32_t event);

#endif
