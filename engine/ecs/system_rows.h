// What a world records about its systems: whether each one has started and whether it was switched on or off. Rows of
// the single shoal.systems, so snapshots, saves and hashes include them. Main thread.
#ifndef SHOAL_ECS_SYSTEM_ROWS_H
#define SHOAL_ECS_SYSTEM_ROWS_H

#include "ecs/world.h"

// The numbers are repeated in scripts/shoal/systems/system.lua.
typedef enum system_switch_t { SWITCH_NONE /* as declared */, SWITCH_OFF, SWITCH_ON } system_switch_t;

bool system_rows_declare(world_o *w, error_t *error);

// `system` is the id of its name in the world's strings; 0 is a system without a row. A system of the render phase
// starts for what is drawn: while the world is drawn, `started` is no part of its state.
bool system_has_started(world_o *w, uint32_t system);
void system_set_started(world_o *w, uint32_t system);
// Returns a system_switch_t.
uint32_t system_switch(world_o *w, uint32_t system);
void system_set_switch(world_o *w, uint32_t system, bool on);
// The switch of `from` becomes that of each system in `to` that has none; `from` then has none.
void system_move_switch(world_o *w, uint32_t from, const uint32_t *to, uint32_t count);

#endif
