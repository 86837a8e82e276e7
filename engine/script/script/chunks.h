// Loads Lua chunks: the compiled sources of the game and the engine.
#ifndef SHOAL_SCRIPT_CHUNKS_H
#define SHOAL_SCRIPT_CHUNKS_H

#include <lua.h>
#include <stdbool.h>

// Loads the source file `name`. Pushes the chunk and returns true, or pushes an error message and returns false.
bool chunk_compile(lua_State *L, const char *name);

#endif
