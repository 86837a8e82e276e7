// Scenes as text for scripts: world.export and world.import.
#ifndef SHOAL_BINDINGS_BIND_SCENE_H
#define SHOAL_BINDINGS_BIND_SCENE_H

#include "bindings/bind.h"
#include "store/scene.h"

// Each returns nil and a message when it fails.
int bind_scene_write(lua_State *L); // (address of ids, how many) → text
int bind_scene_check(lua_State *L); // (text, components that are passed over) → true; nil, message, line, place
int bind_scene_read(lua_State *L);  // the same → array of handles; nil, message, line, place

// For bindings that get the text elsewhere: between host_call_enter and the host_call_leave in here, pushes what
// bind_scene_read returns.
int bind_scene_read_in(lua_State *L, const scene_ask_t *ask);
int bind_scene_refuse(lua_State *L, const scene_fault_t *fault); // → nil, message, line, place, place

#endif
