// What Lua's and LuaJIT's own messages mean for somebody who writes a game.
#ifndef SHOAL_LUAJIT_ERROR_WORDING_H
#define SHOAL_LUAJIT_ERROR_WORDING_H

#include <stddef.h>

// Adds the cause and what to write instead: "'then' expected near '!'" becomes "'then' expected near '!': not equal
// is ~= in Lua, …". Messages that are not Lua's own stay as they are. `message` (bytes long) is terminated before
// and after.
void wording_add(char *message, size_t bytes);

#endif
