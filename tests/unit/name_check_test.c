// Reading dumps of Lua chunks, and following values through their bytecode.
#include "luajit/name_check.h"

#include "base/random.h"
#include "luajit/bytecode.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lauxlib.h>
#include <lualib.h>

// Types: `world` has the function `scene`, which takes the name of a level, and the member `score` with the field
// `value`. The file returns a function `each`, whose parameter is a score.
static const char TYPES[] =
    "local function reject(_, key) if type(key) == 'string' then return false end end\n"
    "local function strict(t) return setmetatable(t, { __index = reject }) end\n"
    "return { { world = 3, pcall = 6 }, { [-5] = true, each = 8 }, strict { scene = 4, score = 5, list = 9 },\n"
    "  { [1] = 10 }, strict { value = 0 }, { [1] = 7 }, { [-6] = true }, { [-11] = 5 }, { [-1] = 11 },\n"
    "  strict { [-4] = true, one = 0, two = 0 }, { [-3] = 5 } },\n"
    "  function(_, name, line) found[#found + 1] = name .. ':' .. line end";

// Returns the invalid names of a chunk with their lines: "three:2 valu:5".
static const char *check(const char *text) {
  static char out[512];
  bytecode_bytes_t bytes = {0};
  allocator_t memory = {0};
  dump_t dump;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_newtable(L);
  lua_setglobal(L, "found");
  assert_int_equal(luaL_dostring(L, TYPES), 0);
  assert_int_equal(luaL_loadstring(L, text), 0);
  assert_true(bytecode_dump(L, &bytes));
  lua_pop(L, 1);
  assert_true(dump_read(&dump, &memory, bytes.items, bytes.count));
  assert_int_equal(name_check_run(L, &dump, &memory), 0);
  assert_int_equal(luaL_dostring(L, "return table.concat(found, ' ')"), 0);
  snprintf(out, sizeof out, "%s", lua_tostring(L, -1));
  dump_fini(&dump, &memory);
  free(bytes.items);
  lua_close(L);
  assert_int_equal(memory.bytes, 0);
  return out;
}

TEST(invalid_names_are_found_in_functions_that_have_not_run) {
  assert_string_equal(check("local function f()\nworld.scene('three')\nworld.scene('one')\nend"), "three:2");
  assert_string_equal(check("return { each = function(s)\ns.valu = 1\nreturn s.value\nend }"), "valu:2");
  assert_string_equal(check("local function each(s) return s.valu end\nreturn { each = each }"), "valu:1");
  assert_string_equal(check("local w = world\nreturn function() return function() w.scene('x') end end"), "x:2");
  assert_string_equal(check("for s in world.list() do\nprint(s.valu)\nend"), "valu:2");
  assert_string_equal(check("for s in world.list() do\nif s.value then return s end\nend\nworld.scene('x')"), "x:4");
  assert_string_equal(check("local n = 'three'\nworld.scene(n)"), "three:2");
}

TEST(values_that_depend_on_the_path_have_no_type) {
  assert_string_equal(check("local world = {}\nworld.scene('three')"), "");
  assert_string_equal(check("local w = x and world or y\nw.scene('three') w.other()"), "");
  assert_string_equal(check("local n = 'three'\nif x then n = 'one' end\nworld.scene(n)"), "");
  assert_string_equal(check("local s = world.score\nfor i = 1, 2 do print(s.other) s = {} end"), "");
  assert_string_equal(check("local s = world.score\nwhile x do print(s.other) s = {} end"), "");
  assert_string_equal(check("local s = world.score\nrepeat print(s.other) s = {} until x"), "");
  assert_string_equal(check("local s = world.score\nlocal function f() return s.other end\ns = {}"), "");
  assert_string_equal(check("pcall(function() world.scene('three') end)"), "");
  assert_string_equal(check("local function each(s) return s.other end\neach({})\nreturn { each = each }"), "");
  assert_string_equal(check("local function each(s) return s.other end\nx(each)\nreturn { each = each }"), "");
}

TEST(damaged_dumps_are_read_safely) {
  static const char text[] = "local t = { a = 1, b = 'x', { c = 'y' } }\n"
                             "return { each = function(s, ...) for k in pairs(t) do s.value = k or s.b end return "
                             "function() return s, t end end }";
  bytecode_bytes_t bytes = {0};
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  random_t random;
  random_seed(&random, 7);
  lua_newtable(L);
  lua_setglobal(L, "found");
  assert_int_equal(luaL_dostring(L, TYPES), 0);
  assert_int_equal(luaL_loadstring(L, text), 0);
  assert_true(bytecode_dump(L, &bytes));
  lua_pop(L, 1);
  for (uint32_t i = 0; i < 4000; ++i) {
    allocator_t memory = {0};
    dump_t dump;
    size_t size = i % 2 ? bytes.count : random_u32(&random) % bytes.count;
    uint8_t *copy = malloc(size + 1); // no slack, so that a sanitizer finds reads past the end
    memcpy(copy, bytes.items, size);
    for (uint32_t k = 0; i % 2 && k < 3; ++k)
      copy[random_u32(&random) % size] = (uint8_t)random_u32(&random);
    if (dump_read(&dump, &memory, copy, size) && name_check_run(L, &dump, &memory) != 0)
      lua_pop(L, 1);
    dump_fini(&dump, &memory);
    assert_int_equal(memory.bytes, 0);
    free(copy);
  }
  free(bytes.items);
  lua_close(L);
}
