// Runs a test program both compiled and interpreted, and compares the results.
#include "luajit/compiler_check.h"

#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>
#include <stdbool.h>
#include <string.h>

// Test program. Its arguments are 1, 100 and 1, which LuaJIT's compiler must not treat as constants.
static const char CODE[] = "local first, last, step = ...\n"
                           "local n, sum = 0, 0\n"
                           "for i = first, last, step do n = n + i end\n"
                           "for k = first, last do for i = first + k % 3, last - k, step do n = n + i end end\n"
                           "for i = 1, 200 do sum = sum + 1.1 * (i + 0.1) * 1.3 - sum * 0.013 end\n"
                           "local list = {}\n"
                           "local names, known = { a = list, b = list }, 0\n"
                           "for i = first, last do names.b[#names.a + 1] = i known = known + #names.a end\n"
                           "local t, set = { x = false }, 0\n"
                           "for i = first, last do\n"
                           "  set = set + (t.x and i or 0)\n"
                           "  t = { x = true }\n"
                           "  if i % 7 == 0 then t = { x = false } end\n"
                           "end\n"
                           "return n, sum, known + set";

typedef struct answer_t {
  double counted, sum, known;
} answer_t;

typedef enum run_mode_t { INTERPRETED, COMPILED, COMPILED_PLAINLY } run_mode_t;

static void disable_forwarding(lua_State *L) {
  luaL_loadstring(L, "require('jit').opt.start('-fwd')");
  lua_pcall(L, 0, 0, 0);
}

static answer_t run_program(run_mode_t mode) {
  answer_t answer = {0};
  lua_State *L = luaL_newstate();
  if (!L)
    return answer;
  luaL_openlibs(L);
  luaJIT_setmode(L, 0, LUAJIT_MODE_ENGINE | (mode == INTERPRETED ? LUAJIT_MODE_OFF : LUAJIT_MODE_ON));
  if (mode == COMPILED_PLAINLY)
    disable_forwarding(L);
  bool loaded = luaL_loadbuffer(L, CODE, sizeof CODE - 1, "=compiler") == 0;
  lua_pushnumber(L, 1);
  lua_pushnumber(L, 100);
  lua_pushnumber(L, 1);
  if (loaded && lua_pcall(L, 3, 3, 0) == 0)
    answer = (answer_t){.counted = lua_tonumber(L, -3), .sum = lua_tonumber(L, -2), .known = lua_tonumber(L, -1)};
  lua_close(L);
  return answer;
}

static bool matches_interpreter(run_mode_t mode) {
  answer_t interpreted = run_program(INTERPRETED), compiled = run_program(mode);
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): compares all bits
  return memcmp(&interpreted, &compiled, sizeof compiled) == 0;
}

compiler_t compiler_test(void) {
  static bool tested;
  static compiler_t found;
  if (!tested)
    found = matches_interpreter(COMPILED)           ? COMPILER_EXACT
            : matches_interpreter(COMPILED_PLAINLY) ? COMPILER_RESTRICTED
                                                    : COMPILER_WRONG;
  tested = true;
  return found;
}

void compiler_disable_faulty_optimization(lua_State *L) {
  if (compiler_test() == COMPILER_RESTRICTED)
    disable_forwarding(L);
}
