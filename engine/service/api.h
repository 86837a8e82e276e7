// The functions that plugins call: the tables behind every context and world, and a function for each row of the list
// (shoal/functions.h), in the file of its subject. Only the table calls them. It checks the context and the place of
// the call first: `c` is a context_t (context_of, context_of_world). Pointers are what the plugin passed, NULL too.
#ifndef SHOAL_SERVICE_API_H
#define SHOAL_SERVICE_API_H

#include "shoal/plugin.h"

extern const shoal_api service_api;
extern const shoal_world_api service_world_api;

#define API_DECLARATION(name_, result_, otherwise_, where_, parameters_, ...) result_ api_##name_ parameters_;
SHOAL_HOST_FUNCTIONS(API_DECLARATION)
SHOAL_WORLD_FUNCTIONS(API_DECLARATION)
#undef API_DECLARATION

#endif
