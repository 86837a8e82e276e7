// Changes to assemblages at run time. Private to content.
#ifndef SHOAL_CONTENT_ASSEMBLAGE_REDEFINE_H
#define SHOAL_CONTENT_ASSEMBLAGE_REDEFINE_H

#include "base/array.h"
#include "ecs/assemblage.h"

// A definition whose entities have not been updated yet, because commands are still queued.
typedef struct redefined_t {
  uint32_t depth;      // deferral depth at which the definition began
  uint32_t version;    // version of the definitions before this definition
  uint32_t name, json; // string ids (content/definitions.h)
  ARRAY(shoal_entity) entities;
} redefined_t;

// Begin and end a definition. In between, retire and declare the assemblages that change.
void redefine_begin(world_o *w, uint32_t name, uint32_t json); // `name` 0: no entity is updated
// Marks an assemblage as replaced, unless a file declared the assemblage.
void redefine_retire_assemblage(world_o *w, uint32_t name);
void redefine_end(world_o *w);
void redefine_drop_deeper(world_o *w, uint32_t depth); // undoes definitions that began at this deferral depth or deeper
void redefine_move_to_outer(world_o *w, uint32_t depth);
// Frees the replaced assemblages and sorts the assemblages defined at run time by name. Does nothing while a queued
// spawn needs a replaced assemblage.
void redefine_clean_up(world_o *w);
void redefine_clear(world_o *w); // clears the list of definitions whose entities must be updated

// Returns true if `a` was the current assemblage of its name in this version: added, and not yet retired.
bool redefine_is_current_at_version(const assemblage_t *a, uint32_t version);
// Returns the previous definition of e's assemblage if e has not been updated to the new definition yet; otherwise
// returns `current`.
assemblage_t *redefine_find_assemblage(world_o *w, shoal_entity e, assemblage_t *current);

#endif
