// Fixes `for i = -n, n`: if n is 0, LuaJIT's interpreter starts at -0, but its compiled code, which counts integers, at
// 0; with a step of -0 they differ as well. Every start and step that is more than a plain number is therefore loaded
// as `0+(…)`, which is never -0. Line numbers do not change, and syntax errors are those of the original text.
#ifndef SHOAL_LUAJIT_LOOP_STARTS_H
#define SHOAL_LUAJIT_LOOP_STARTS_H

#include <stddef.h>

struct lua_State;

// Returns the changed text (malloc'd, freed by the caller), or NULL if nothing changes. Safe for any bytes.
char *loop_starts_rewrite(const char *text, size_t size, size_t *out_size);
// Like luaL_loadbufferx for text ("t"): returns 0 with the function on the stack, or an error code with the message.
int loop_starts_load(struct lua_State *L, const char *text, size_t size, const char *name);
// Makes the globals `load` and `loadstring` of this VM apply the change. Call once for a new VM.
void loop_starts_open(struct lua_State *L);

#endif
