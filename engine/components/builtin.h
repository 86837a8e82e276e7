// How the built-in components are declared: with the macros that plugins use, by the rules that hold for plugins and
// scripts. Each component's file has its list of fields and calls builtin_declare.
#ifndef SHOAL_COMPONENTS_BUILTIN_H
#define SHOAL_COMPONENTS_BUILTIN_H

#include "ecs/world.h"
#include "shoal/builtin.h"
#include "shoal/declare.h"

// How sprites, shapes and texts mix with what lies behind them.
#define BUILTIN_BLEND "alpha add"

// False with a message when the world refuses it.
bool builtin_declare(world_o *w, const shoal_component *component, error_t *error);

#endif
