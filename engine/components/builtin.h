// How the built-in components are declared: with the macros that plugins use, by the rules that hold for plugins and
// scripts. The fields of most are in <shoal/builtin.h>, so
// that plugins see the same ones; what only the engine knows of a component is in its file.
#ifndef SHOAL_COMPONENTS_BUILTIN_H
#define SHOAL_COMPONENTS_BUILTIN_H

#include "ecs/world.h"
#include "shoal/builtin.h"
#include "shoal/declare.h"

// False with a message when the world refuses it.
bool builtin_declare(world_o *w, const shoal_component *component, error_t *error);

// Names that came after there were games: a game or a plugin that has a component called so keeps it, and Shoal's is
// shoal.NAME in its world, in a save as well. So C asks here for them, not world_find_manager.
manager_o *builtin_find(world_o *w, const char *name);
bool builtin_may_give_way(world_o *w, const char *name);
// Before rows are there. `owner` goes into the log. False where it is none of Shoal's, or one of its first ones.
bool builtin_give_way(world_o *w, const char *name, const char *owner);
// An event of Shoal's; NULL where nobody listens to it, and where the game or a plugin has another one of that name.
event_o *builtin_event(world_o *w, const char *name);

#endif
