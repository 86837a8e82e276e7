// C functions for the engine's Lua: assets, saves, scene files and the pause.
#ifndef SHOAL_GAME_GAME_BINDINGS_H
#define SHOAL_GAME_GAME_BINDINGS_H

typedef struct lua_State lua_State;

void game_bindings_open(lua_State *L, void *game); // `open` of a vm_library_t

#endif
