// `for i = -n, n`: LuaJIT's interpreter begins at -0 where n is 0, and its compiled code at 0, for that counts whole
// numbers; of a step of -0 they make different things, too. So each start and each step that is written out as more
// than a number is loaded as `0+(…)`, which is never -0. What stands in which line stays, and a text that cannot be
// loaded is refused in the words that LuaJIT has for the original.
#ifndef SHOAL_LUAJIT_LOOP_STARTS_H
#define SHOAL_LUAJIT_LOOP_STARTS_H

#include <stddef.h>

struct lua_State;

// The text with these starts, malloc'd, the caller frees it; NULL when none of it is changed. Safe for any bytes.
char *loop_starts_mend(const char *text, size_t size, size_t *out_size);
// As luaL_loadbufferx of a text ("t"): 0 with the function on the stack, or the error's number with its message.
int loop_starts_load(struct lua_State *L, const char *text, size_t size, const char *name);
// From here on the globals `load` and `loadstring` of this VM mend the texts that they are given. Once, when it is new.
void loop_starts_open(struct lua_State *L);

#endif
