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

// Functions of access/ that the tables call directly, because they need no further checks.
#define api_last_error world_access_last_error
#define api_string world_access_string
#define api_find_interned world_access_find_interned
#define api_is_alive world_access_is_alive
#define api_find_entity world_access_find_entity
#define api_spawn_with world_access_spawn_with
#define api_add_with world_access_add_with
#define api_observe_changes world_access_observe_changes
#define api_enter_state world_access_enter_state
#define api_entity_state world_access_entity_state
#define api_entity_name world_access_entity_name
#define api_entity_assemblage world_access_entity_assemblage
#define api_get_children world_access_get_children
#define api_query_begin world_access_query_begin
#define api_query_end world_access_query_end
#define api_query_pairs_begin world_access_query_pairs_begin

#define API_DECLARATION(name_, result_, otherwise_, where_, parameters_, ...) result_ api_##name_ parameters_;
SHOAL_HOST_FUNCTIONS(API_DECLARATION)
SHOAL_WORLD_FUNCTIONS(API_DECLARATION)
#undef API_DECLARATION

#endif
