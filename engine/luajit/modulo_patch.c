// Patches the modulo of LuaJIT's interpreter on arm64, which consists of these instructions. The following instruction,
// `go_on`, stores the result or returns:
//
//   fdiv d2, d0, d1;  frintm d2, d2;  fmsub d0, d2, d1, d0;  go_on
//
// The patch replaces the third instruction by a multiplication, and the fourth instruction by a jump to an existing
// subtraction in LuaJIT that is also followed by `go_on`.
#include "luajit/modulo_patch.h"

#include "luajit/machine_code.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#if defined(__aarch64__)
#include <stdint.h>

#define FDIV UINT32_C(0x1e611802)   // fdiv d2, d0, d1
#define FRINTM UINT32_C(0x1e654042) // frintm d2, d2
#define FMSUB UINT32_C(0x1f418040)  // fmsub d0, d2, d1, d0
#define FMUL UINT32_C(0x1e610841)   // fmul d1, d2, d1
#define FSUB UINT32_C(0x1e613800)   // fsub d0, d0, d1
#define B UINT32_C(0x14000000)      // branch: the low 26 bits are the distance in words

typedef struct code_t {
  uint32_t *words;
  size_t count;
} code_t;

static const uint32_t *find_subtraction(const code_t *code, uint32_t go_on) {
  for (size_t i = 0; i + 1 < code->count; ++i)
    if (code->words[i] == FSUB && code->words[i + 1] == go_on)
      return &code->words[i];
  return NULL;
}

void modulo_patch_interpreter(void) {
  machine_code_t luajit = machine_code_find();
  code_t code = {.words = (uint32_t *)(void *)luajit.bytes, .count = luajit.count / sizeof *code.words};
  for (size_t i = 0; i + 3 < code.count; ++i) {
    uint32_t *at = &code.words[i];
    if (at[0] != FDIV || at[1] != FRINTM || at[2] != FMSUB)
      continue;
    const uint32_t *difference = find_subtraction(&code, at[3]);
    if (!difference)
      continue;
    uint32_t patched[] = {FMUL, B | ((uint32_t)(difference - &at[3]) & 0x3ffffff)};
    if (!machine_code_write(&at[2], patched, sizeof patched))
      return;
  }
}
#else
void modulo_patch_interpreter(void) {
}
#endif

bool modulo_is_exact(void) {
  static const char code[] = "local a, b = ... return a % b";
  lua_State *L = luaL_newstate();
  bool exact = L && luaL_loadbuffer(L, code, sizeof code - 1, "=modulo") == 0;
  for (int i = 1; i <= 64 && exact; ++i) {
    double a = i * 1234.5678, b = i * 0.37 + 0.1;
    lua_pushvalue(L, 1);
    lua_pushnumber(L, a);
    lua_pushnumber(L, b);
    exact = lua_pcall(L, 2, 1, 0) == 0 && lua_tonumber(L, -1) == a - floor(a / b) * b;
    lua_settop(L, 1);
  }
  if (L)
    lua_close(L);
  return exact;
}
