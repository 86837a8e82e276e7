// The functions that plugins call: the tables of contexts and worlds, and api_NAME for each row of the lists
// (shoal/functions.h), implemented in this folder (draw.c, rows.c, …) or in access/. Only the tables call these
// functions, after checking the context and where the call is made. `c` is a context_t (context_of, context_of_world).
// Pointers come from the plugin and may be NULL.
#ifndef SHOAL_SERVICE_API_H
#define SHOAL_SERVICE_API_H

#include "access/access.h"
#include "shoal/plugin.h"

extern const shoal_api service_api;
extern const shoal_world_api service_world_api;

// Functions of access/ that the tables call directly, because they need no checks beyond those of the tables.
#define api_why world_access_why
#define api_text world_access_text
#define api_find_text_id world_access_find_text_id
#define api_alive world_access_alive
#define api_find world_access_find
#define api_spawn_with world_access_spawn_with
#define api_add_with world_access_add_with
#define api_observe world_access_observe
#define api_enter world_access_enter
#define api_state_of world_access_state_of
#define api_name_of world_access_name_of
#define api_assemblage_of world_access_assemblage_of
#define api_children world_access_children
#define api_query world_access_query
#define api_query_end world_access_query_end

#define API_DECLARATION(name_, result_, otherwise_, where_, parameters_, ...) result_ api_##name_ parameters_;
SHOAL_HOST_FUNCTIONS(API_DECLARATION)
SHOAL_WORLD_FUNCTIONS(API_DECLARATION)
#undef API_DECLARATION

#endif
