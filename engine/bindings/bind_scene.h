// Scenes as text for scripts: world.export and world.import.
#ifndef SHOAL_BINDINGS_BIND_SCENE_H
#define SHOAL_BINDINGS_BIND_SCENE_H

#include "bindings/bind.h"
#include "store/scene.h"

// Each returns nil and a message on failure.
int bind_scene_write(lua_State *L); // (address of ids, count) → text
int bind_scene_check(lua_State *L); // (text, components to ignore) → true; nil, message, line, place
// (text, components to ignore) → array of handles, table of handles by name; nil, message, line, place
int bind_scene_read(lua_State *L);

// For bindings that get the text elsewhere: pushes what bind_scene_read returns. Call after host_call_enter; calls
// host_call_leave.
int bind_scene_read_in(lua_State *L, const scene_ask_t *ask);
int bind_scene_refuse(lua_State *L, const scene_fault_t *fault); // → nil, message, line, place

#endif
