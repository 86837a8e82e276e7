// C functions for the engine's Lua: assets, saves, scene files, pausing, the menu, the lobby.
#ifndef SHOAL_GAME_GAME_BINDINGS_H
#define SHOAL_GAME_GAME_BINDINGS_H

typedef struct lua_State lua_State;

void game_bindings_open(lua_State *L, void *game); // adds the functions to a VM; used as vm_library_t.open

#endif
