// What queued commands are about to give to entities. Private to ecs and snapshot.
#ifndef SHOAL_ECS_QUEUED_ADDS_H
#define SHOAL_ECS_QUEUED_ADDS_H

#include "ecs/world.h"

// What queued commands are about to give to entities, for world_set and for error messages: a hash table from (entity,
// manager) to 1, and from (entity, 0) to the assemblage that is being spawned.
typedef struct queued_adds_entry_t {
  uint64_t key;
  uint32_t stamp; // in use when equal to the table's
  uint32_t value;
} queued_adds_entry_t;

typedef struct queued_adds_t {
  queued_adds_entry_t *entries;
  uint32_t capacity, count, stamp;
} queued_adds_t;

void queued_adds_clear(world_o *w); // and nothing that is queued goes on
// One more entity that the command at `command` spawns, which may have been noted already.
void queued_adds_note_spawned(world_o *w, uint32_t command, shoal_entity e, uint32_t assemblage);

#endif
