// Makes `for i = -n, n` deterministic: if n is 0, LuaJIT's interpreter starts at -0, but compiled code, which counts
// integers, starts at 0. A step of -0 also makes interpreted and compiled loops differ. Therefore every start and step
// that is not a plain number is rewritten to `0+(…)`, which is never -0. Line numbers do not change, and syntax errors
// are those of the original text.
#ifndef SHOAL_LUAJIT_LOOP_STARTS_H
#define SHOAL_LUAJIT_LOOP_STARTS_H

#include <stddef.h>

struct lua_State;

// Returns the changed text (malloc'd, freed by the caller), or NULL if the text needs no change. Safe for any bytes.
char *loop_starts_rewrite(const char *text, size_t size, size_t *out_size);
// Like luaL_loadbufferx for text ("t"): returns 0 with the function on the stack, or an error code with the message.
int loop_starts_load(struct lua_State *L, const char *text, size_t size, const char *name);
// Replaces the globals `load` and `loadstring` of this VM by functions that apply the change. Must be called once for
// each new VM.
void loop_starts_install(struct lua_State *L);

#endif
