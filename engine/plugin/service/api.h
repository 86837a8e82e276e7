// The functions that plugins call: the tables of contexts and worlds, and api_NAME for rows of the lists
// (shoal/functions.h), implemented in this folder (draw.c, rows.c, …). Only the tables call these
// functions, after checking the context and where the call is made. `c` is a context_t (context_of, context_of_world).
// Pointers come from the plugin and may be NULL.
#ifndef SHOAL_SERVICE_API_H
#define SHOAL_SERVICE_API_H

#include "access/access.h"
#include "shoal/plugin.h"

extern const shoal_api service_api;
extern const shoal_world_api service_world_api;

// For <shoal/world.h>, only the functions that the rules in api.c name are defined.
#define API_DECLARATION(name_, result_, otherwise_, where_, parameters_, ...) result_ api_##name_ parameters_;
SHOAL_HOST_FUNCTIONS(API_DECLARATION)
SHOAL_WORLD_FUNCTIONS(API_DECLARATION)
#undef API_DECLARATION

#endif
