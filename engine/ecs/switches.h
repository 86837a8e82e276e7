// Which systems are switched on or off, by their names: a fact of the world, which snapshots, saves and hashes hold.
#ifndef SHOAL_ECS_SWITCHES_H
#define SHOAL_ECS_SWITCHES_H

#include "ecs/world.h"

// The numbers are repeated in scripts/shoal/systems/system.lua.
enum {
  SWITCH_NONE, // as the system declares
  SWITCH_OFF,
  SWITCH_ON
};

uint32_t switches_get(world_o *w, const char *system);
// Nothing in a world without the event shoal.started, where Lua has no systems.
void switches_set(world_o *w, const char *system, bool on);

#endif
