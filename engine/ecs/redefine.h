// Assemblages that are defined anew while the world lives. Private to ecs and snapshot.
#ifndef SHOAL_ECS_REDEFINE_H
#define SHOAL_ECS_REDEFINE_H

#include "base/array.h"
#include "ecs/world.h"

// A definition that is not over yet: the entities of before follow when the commands are applied.
typedef struct redefined_t {
  uint32_t depth;      // of deferral
  uint32_t version;    // of definitions, before it
  uint32_t name, json; // of the definition: text ids (ecs/definitions.h)
  ARRAY(shoal_entity) entities;
} redefined_t;

// Between begin and end those that change are retired and declared anew.
void redefine_begin(world_o *w, uint32_t name, uint32_t json); // name 0: no entity follows
void redefine_retire(world_o *w, uint32_t name);               // nothing where code has declared it
void redefine_end(world_o *w);
void redefine_drop(world_o *w, uint32_t depth); // those begun at this depth of deferral or deeper never were
void redefine_lift(world_o *w, uint32_t depth);
void redefine_settle(world_o *w); // what is gone goes, and the others lie in the order of their names

#endif
