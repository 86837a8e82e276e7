// Explains error messages of Lua and LuaJIT to game developers.
#ifndef SHOAL_LUAJIT_ERROR_WORDING_H
#define SHOAL_LUAJIT_ERROR_WORDING_H

#include <stddef.h>

// Appends the cause and a fix: "'then' expected near '!'" becomes "'then' expected near '!': Lua writes "not equal" as
// ~=, …". Messages that are not Lua's own are not changed. `message` is a terminated buffer of `bytes`.
void error_wording_add(char *message, size_t bytes);

#endif
