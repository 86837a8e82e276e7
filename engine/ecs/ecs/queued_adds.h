// Components that queued commands will add to entities. Private to ecs and snapshot.
#ifndef SHOAL_ECS_QUEUED_ADDS_H
#define SHOAL_ECS_QUEUED_ADDS_H

#include "ecs/world_internal.h"

// Empties the table. Call after the queue was applied, dropped or renumbered. Also ends the current run of spawns, and
// prevents scripts from adding entities to the last command (world_lane_t).
void queued_adds_clear(world_o *w);
// Records that an indexed command spawns one more entity.
void queued_adds_record_spawn(world_o *w, shoal_entity e, uint32_t assemblage);
// Returns true if e will have the component once the queued commands have been applied.
bool queued_adds_will_have(world_o *w, shoal_entity e, uint32_t manager);
// Returns the state that e will have once the queued commands have been applied.
uint32_t queued_adds_state(world_o *w, shoal_entity e);

#endif
