// State of a world's systems: whether a system has started, and whether it was switched on or off. Stored as rows of
// the singleton shoal.systems, so snapshots, saves and hashes include it. Main thread only.
#ifndef SHOAL_ECS_SYSTEM_ROWS_H
#define SHOAL_ECS_SYSTEM_ROWS_H

#include "ecs/world.h"

// State of a system's switch. The values are duplicated in scripts/shoal/systems/system.lua.
typedef enum system_switch_t { SWITCH_NONE /* as declared */, SWITCH_OFF, SWITCH_ON } system_switch_t;

bool system_rows_declare(world_o *w, error_info_t *error);

// `system`: string id of the system's name, or 0 for a system without a row. Render systems start while the world is
// drawn; their `started` flag is not part of the state.
bool system_has_started(world_o *w, uint32_t system);
void system_set_started(world_o *w, uint32_t system);
// Returns the state of the system's switch, a system_switch_t.
uint32_t system_get_switch(world_o *w, uint32_t system);
void system_set_switch(world_o *w, uint32_t system, bool enabled);
// Moves the switch of `from` to each system in `to` that does not have a switch yet.
void system_move_switch(world_o *w, uint32_t from, const uint32_t *to, uint32_t count);

#endif
