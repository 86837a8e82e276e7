// Read-only access to the content of assemblages, for tools that show or save them. Returned pointers are borrowed
// until the next declaration.
#ifndef SHOAL_ECS_ASSEMBLAGE_INSPECT_H
#define SHOAL_ECS_ASSEMBLAGE_INSPECT_H

#include "ecs/world.h"

// A component in a template of an assemblage.
typedef struct assemblage_part_t {
  uint32_t state; // string id; 0 for the template of all states
  uint32_t manager, instance;
  const double *values; // values of the part as stored, indexed by column; borrowed
} assemblage_part_t;

uint32_t world_assemblage_count(const world_o *w); // returns the number of assemblages, which are numbered from 1
// Returns true for a replaced version, which is kept only for queued spawns and pending updates of entities.
bool world_assemblage_is_retired(const world_o *w, uint32_t assemblage);
uint32_t world_assemblage_name(const world_o *w, uint32_t assemblage); // returns a string id; 0 if unknown
// Returns the description shown to users; NULL if the assemblage is unknown or has no description.
const char *world_assemblage_doc(const world_o *w, uint32_t assemblage);
// Stores the i-th part, counted from 0 through all templates, and returns true; returns false past the last part.
bool world_assemblage_get_part(const world_o *w, uint32_t assemblage, uint32_t i, assemblage_part_t *out);
// Returns the number of entities per spawn, including the root. Returns 0 with an error if the assemblage is unknown or
// its children are nested too deeply.
uint32_t world_assemblage_tree_size(world_o *w, uint32_t assemblage, error_info_t *error);
// Return the name (string id) of the i-th state or child; 0 past the end. State 0 is the initial state.
uint32_t world_assemblage_state_name(const world_o *w, uint32_t assemblage, uint32_t i);
uint32_t world_assemblage_child_name(const world_o *w, uint32_t assemblage, uint32_t i);
// Returns the assemblage number of the i-th child; 0 past the last child.
uint32_t world_assemblage_child_number(const world_o *w, uint32_t assemblage, uint32_t i);

#endif
