// Components that queued commands will add to entities. Private to ecs and snapshot.
#ifndef SHOAL_ECS_QUEUED_ADDS_H
#define SHOAL_ECS_QUEUED_ADDS_H

#include "ecs/world.h"

enum { QUEUED_ADD = 1, QUEUED_REMOVE = 2 };

// Hash table for world_set_field, world_check_removal and error messages. It maps (entity, manager) to QUEUED_ADD if
// queued commands will add the component, plus QUEUED_REMOVE if the last of them removes it; (entity, 0) to the
// assemblage being spawned; and (entity, UINT32_MAX) to the state being entered.
typedef struct queued_adds_entry_t {
  uint64_t key;
  uint32_t stamp; // the entry is in use if this equals the table's stamp
  uint32_t value;
} queued_adds_entry_t;

typedef struct queued_adds_t {
  queued_adds_entry_t *entries;
  uint32_t capacity, count, stamp;
} queued_adds_t;

// Empties the table, after the queue was applied, dropped or renumbered. Also ends the current run of spawns and closes
// the lane.
void queued_adds_clear(world_o *w);
// Records another entity spawned by command number `command`, if the command is in the table already.
void queued_adds_record_spawn(world_o *w, uint32_t command, shoal_entity e, uint32_t assemblage);
// Returns true if e has the component after the queued commands.
bool queued_adds_will_have(world_o *w, shoal_entity e, uint32_t manager);
// Returns the state of e after the queued commands.
uint32_t queued_adds_state(world_o *w, shoal_entity e);

#endif
