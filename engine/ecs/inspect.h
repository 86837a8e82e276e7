// What assemblages are made of, for tools that show or save them. Reads only; nothing here is borrowed for longer than
// until the next declaration.
#ifndef SHOAL_ECS_INSPECT_H
#define SHOAL_ECS_INSPECT_H

#include "ecs/world.h"

// One component of one template of an assemblage.
typedef struct assemblage_part_t {
  uint32_t state; // string id; 0: every spawn gets it
  uint32_t manager, instance;
  const double *values; // by column, as stored; borrowed
} assemblage_part_t;

uint32_t world_assemblage_count(const world_o *w);                       // numbers are 1 … count
bool world_assemblage_is_retired(const world_o *w, uint32_t assemblage); // it is there for spawns that are queued
uint32_t world_assemblage_name(const world_o *w, uint32_t assemblage);   // string id, 0 when there is none
const char *world_assemblage_doc(const world_o *w, uint32_t assemblage); // NULL for none
// The i-th part, over all templates in order. False past the last one.
bool world_assemblage_part(const world_o *w, uint32_t assemblage, uint32_t i, assemblage_part_t *out);
// How many entities a spawn of it makes, its own included. 0 with a message when there is none or its children never
// end.
uint32_t world_assemblage_tree_size(world_o *w, uint32_t assemblage, error_t *error);
// The i-th state's name, the initial one first, and the i-th child's; string ids, 0 past the last one.
uint32_t world_assemblage_state_name(const world_o *w, uint32_t assemblage, uint32_t i);
uint32_t world_assemblage_child_name(const world_o *w, uint32_t assemblage, uint32_t i);
uint32_t world_assemblage_child_number(const world_o *w, uint32_t assemblage, uint32_t i); // the assemblage that it is

#endif
