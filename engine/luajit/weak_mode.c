// LuaJIT keeps the names of metamethods as strings in an array of references in global_State (gcroot, lj_obj.h), in the
// order …, __gc, __mode, __eq, … The state and its global_State are one allocation (GG_State, lj_state.h), so the array
// is found by searching the memory after the start of the state for these three neighbours.
#include "luajit/weak_mode.h"

#include <stdint.h>
#include <string.h>

#define SEARCHED_BYTES 4096u  // GG_State is larger, because it also contains the compiler's state
#define MIN_STRING_HEADER 16u // sizeof(GCstr) is between these sizes in all versions of LuaJIT 2.1
#define MAX_STRING_HEADER 32u
#define ANCHOR "shoal.weak_mode" // registry key that keeps the new name alive

// Returns the address of the characters of an interned string. The string is a metamethod's name, which is never freed.
static uintptr_t get_text_address(lua_State *L, const char *text) {
  lua_pushstring(L, text);
  uintptr_t address = (uintptr_t)lua_tostring(L, -1);
  lua_pop(L, 1);
  return address;
}

static uint64_t *find_mode(lua_State *L, size_t *header) {
  const uintptr_t gc = get_text_address(L, "__gc"), mode = get_text_address(L, "__mode"),
                  eq = get_text_address(L, "__eq");
  uint64_t *words = (uint64_t *)(void *)L;
  for (size_t i = 0; i + 2 < SEARCHED_BYTES / sizeof *words; ++i) {
    size_t offset = (size_t)(gc - (uintptr_t)words[i]);
    if (offset < MIN_STRING_HEADER || offset > MAX_STRING_HEADER || words[i + 1] != mode - offset ||
        words[i + 2] != eq - offset)
      continue;
    *header = offset;
    return &words[i + 1];
  }
  return NULL;
}

bool weak_mode_rename(lua_State *L, const char *name) {
  size_t header = 0;
  uint64_t *mode = find_mode(L, &header);
  if (!mode)
    return false;
  lua_pushstring(L, name);
  *mode = (uintptr_t)lua_tostring(L, -1) - header;
  lua_setfield(L, LUA_REGISTRYINDEX, ANCHOR);
  return true;
}
