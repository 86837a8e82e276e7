// Lua functions for scenes as text (world.export and world.import) and for objects of maps.
#ifndef SHOAL_BINDINGS_BIND_SCENE_H
#define SHOAL_BINDINGS_BIND_SCENE_H

#include "bindings/bind.h"
#include "store/scene.h"

// Functions for Lua, described as (arguments) → results. On failure they return nil and a message.
int bind_scene_write(lua_State *L); // (address of ids, count) → text
// (text, components to ignore) → true, array of { message, line, place } about former names; on failure: nil, message,
// line, place
int bind_scene_check(lua_State *L);
// (text, components to ignore, accepts entity ids, is an import) → array of handles, table of handles by name,
// unresolved references and skipped fields (scene_spawned_t; may be ""); on failure: nil, message, line, place
int bind_scene_read(lua_State *L);
// () → no results. Spawns the objects of new tilemaps (store/map_objects.h). Must not be called while commands are
// queued.
int bind_fill_tilemaps(lua_State *L);

// Spawns a scene whose text a different binding has read, and pushes the results of bind_scene_read.
int bind_scene_spawn(lua_State *L, const scene_desc_t *desc);
int bind_scene_push_error(lua_State *L, const scene_fault_t *fault); // pushes nil, message, line, place; returns 4

#endif
