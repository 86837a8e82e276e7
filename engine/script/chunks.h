// Chunks of Lua: the sources of a game and of the engine, compiled, and those that scripts make.
#ifndef SHOAL_SCRIPT_CHUNKS_H
#define SHOAL_SCRIPT_CHUNKS_H

#include <lua.h>
#include <stdbool.h>

// Pushes the chunk of one of the VM's sources and returns true, or pushes a message and returns false.
bool chunk_compile(lua_State *L, const char *name);
// Registers the function at the top of the stack, made by a script from text, for the search of a loop's line.
void chunk_note_made(lua_State *L);

#endif
