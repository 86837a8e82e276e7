// The functions that plugins call: the tables behind every context and world, and a function for each row of the list
// (shoal/functions.h), in the file of its subject. Only the table calls them. It checks the context and the place of
// the call first: `c` is a context_t (context_of, context_of_world). Pointers are what the plugin passed, NULL too.
#ifndef SHOAL_SERVICE_API_H
#define SHOAL_SERVICE_API_H

#include "access/access.h"
#include "shoal/plugin.h"

extern const shoal_api service_api;
extern const shoal_world_api service_world_api;

// Those that need no check but that of the place.
#define api_why world_access_why
#define api_text world_access_text
#define api_alive world_access_alive
#define api_find world_access_find
#define api_spawn_with world_access_spawn_with
#define api_add_with world_access_add_with
#define api_observe world_access_observe
#define api_enter world_access_enter
#define api_state_of world_access_state_of
#define api_children world_access_children
#define api_query world_access_query
#define api_query_end world_access_query_end

#define API_DECLARATION(name_, result_, otherwise_, where_, parameters_, ...) result_ api_##name_ parameters_;
SHOAL_HOST_FUNCTIONS(API_DECLARATION)
SHOAL_WORLD_FUNCTIONS(API_DECLARATION)
#undef API_DECLARATION

#endif
