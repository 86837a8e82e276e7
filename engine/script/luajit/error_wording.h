// Explains error messages of Lua and LuaJIT to game developers.
#ifndef SHOAL_LUAJIT_ERROR_WORDING_H
#define SHOAL_LUAJIT_ERROR_WORDING_H

#include <stddef.h>

// Appends the cause and a fix: "'then' expected near '!'" becomes "'then' expected near '!': Lua writes "not equal" as
// ~=, …". Leaves all other messages unchanged. `message` is a '\0'-terminated string in a buffer of `bytes` bytes.
// `line`: the source line that raised the error; "" if unknown.
void error_wording_append_hint(char *message, size_t bytes, const char *line);

#endif
