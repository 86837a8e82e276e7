// Finding writes to outer variables in a function's bytecode, and safe reading of damaged dumps.
#include "luajit/bytecode.h"

#include "base/random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lauxlib.h>
#include <lualib.h>

typedef struct lua_fixture_t {
  lua_State *L;
  bytecode_ops_t ops;
  bytecode_bytes_t bytes;
} lua_fixture_t;

static int open_fixture(void **state) {
  lua_fixture_t *f = calloc(1, sizeof *f);
  f->L = luaL_newstate();
  luaL_openlibs(f->L);
  *state = f;
  return bytecode_find_ops(f->L, &f->ops) ? 0 : -1;
}

static int close_fixture(void **state) {
  lua_fixture_t *f = *state;
  lua_close(f->L);
  free(f->bytes.items);
  free(f);
  return 0;
}
FIXTURE(lua_fixture_t, open_fixture, close_fixture)

// Dumps the function that the chunk `text` returns.
static void dump_chunk(lua_fixture_t *f, const char *text) {
  lua_settop(f->L, 0);
  assert_int_equal(luaL_dostring(f->L, text), 0);
  assert_true(bytecode_dump(f->L, &f->bytes));
}

// Finds the writes to outer variables and formats them: "line name=" for an assignment, "line name[]" for a table
// store.
static const char *find_writes(lua_fixture_t *f, const char *text) {
  static char words[1024];
  bytecode_write_t out[BYTECODE_MAX_WRITES];
  dump_chunk(f, text);
  int count = bytecode_list_writes(&f->ops, f->bytes.items, f->bytes.count, out);
  assert_true(count >= 0);
  words[0] = '\0';
  for (int i = 0; i < count; ++i) {
    size_t used = strlen(words);
    const char *upvalue = lua_getupvalue(f->L, -1, (int)out[i].upvalue);
    assert_non_null(upvalue);
    lua_pop(f->L, 1);
    snprintf(words + used, sizeof words - used, "%s%u %s%s", used ? ", " : "", out[i].line, upvalue,
             out[i].kind == BYTECODE_STORES ? "[]" : "=");
  }
  return words;
}

TEST_IN(assignment_to_an_upvalue_is_found_with_its_line, lua_fixture_t, f) {
  assert_string_equal(find_writes(f, "local n = 0\nreturn function()\n n = n + 1\nend"), "3 n=");
  assert_string_equal(find_writes(f, "local a, b, c, d\nreturn function(x)\n a = x\n b = 'x'\n c = 7\n d = nil end"),
                      "3 a=, 4 b=, 5 c=, 6 d=");
}

TEST_IN(reads_of_upvalues_and_writes_of_locals_are_not_reported, lua_fixture_t, f) {
  assert_string_equal(find_writes(f, "local n = 0 return function() local m = n m = m + 1 return m end"), "");
  assert_string_equal(find_writes(f, "return function() local n = 0 return function() n = n + 1 return n end end"), "");
  assert_string_equal(find_writes(f, "local t = {} return function() local u = {} u.n = t.n return u end"), "");
}

TEST_IN(writes_of_nested_functions_are_reported, lua_fixture_t, f) {
  assert_string_equal(
      find_writes(f, "local a, n\nreturn function()\n local b = a\n return function()\n return function()\n"
                     " b = 1\n n = b end end end"),
      "7 n=");
  // The inner `n` is a different variable with the same name.
  assert_string_equal(find_writes(f, "local n return function() local n = 0 return function() n = n + 1 end, n end"),
                      "");
}

TEST_IN(store_into_an_outer_table_is_found, lua_fixture_t, f) {
  assert_string_equal(find_writes(f, "local t\nreturn function(k, v)\n t[k] = v\n t.k = v\n t[1] = v end"),
                      "3 t[], 4 t[], 5 t[]");
  assert_string_equal(find_writes(f, "local t\nreturn function(k, f)\n t[f(k)] = f(k, t.n + 1) end"), "3 t[]");
  assert_string_equal(find_writes(f, "local t\nreturn function()\n local function add() t.n = t.n + 1 end\n add() end"),
                      "3 t[]");
  // `t` can still be the outer table
  assert_string_equal(find_writes(f, "local t return function(u) local v = u or t v.n = 1 end"), "1 t[]");
}

TEST_IN(store_into_a_reassigned_local_is_not_reported, lua_fixture_t, f) {
  assert_string_equal(find_writes(f, "local t return function() local u = t u = {} u.n = 1 end"), "");
  assert_string_equal(find_writes(f, "local t return function(u) local v = t or u v.n = 1 end"), "");
  assert_string_equal(find_writes(f, "local t return function(u) u[t] = 1 end"), "");
}

TEST_IN(bytecode_constants_of_every_type_are_skipped, lua_fixture_t, f) {
  const char *text =
      "local n return function() local t = { 1, 2.5, 'x', true, nil, a = { b = 1e300 }, [7] = -3 }\n"
      " local x = 1e10 + 0x7fffffff + 123456789012LL + 5ULL + 1.5i\n"
      " n = { t, x, 'a text that is longer than others, and is among the constants of this function' } end";
  assert_string_equal(find_writes(f, text), "3 n=");
}

TEST_IN(writes_are_found_in_long_functions_and_without_line_information, lua_fixture_t, f) {
  char text[8192] = "local n return function()\n", *at = text + strlen(text);
  for (int i = 0; i < 700; ++i)
    at += snprintf(at, 8, "\n");
  snprintf(at, 32, "n = 1 end");
  assert_string_equal(find_writes(f, text), "702 n=");
  dump_chunk(f, "local n return loadstring(string.dump(function() n = 1 end, true))");
  bytecode_write_t out[BYTECODE_MAX_WRITES];
  assert_int_equal(bytecode_list_writes(&f->ops, f->bytes.items, f->bytes.count, out), 1);
  assert_int_equal(out[0].line, 0);
}

TEST_IN(truncated_bytecode_is_rejected_and_corrupted_bytecode_is_read_safely, lua_fixture_t, f) {
  bytecode_write_t out[BYTECODE_MAX_WRITES];
  random_t r;
  random_seed(&r, 3);
  dump_chunk(f, "local n, t return function() local u = { 1, 'x', a = 2.5 } return function() n = u t[n] = 1e10 t.x = "
                "'__mode' end end");
  for (size_t cut = 0; cut < f->bytes.count; ++cut) {
    uint8_t *part = malloc(cut ? cut : 1); // a separate allocation, so that AddressSanitizer catches reads past the end
    memcpy(part, f->bytes.items, cut);
    assert_int_equal(bytecode_list_writes(&f->ops, part, cut, out), -1);
    free(part);
  }
  for (int i = 0; i < 20000; ++i) {
    size_t at = (size_t)(random_unit(&r) * (double)f->bytes.count);
    uint8_t before = f->bytes.items[at];
    f->bytes.items[at] = (uint8_t)random_u32(&r);
    bytecode_list_writes(&f->ops, f->bytes.items, f->bytes.count, out);
    f->bytes.items[at] = before;
  }
}

TEST_IN(c_function_has_no_bytecode, lua_fixture_t, f) {
  lua_getglobal(f->L, "print");
  assert_false(bytecode_dump(f->L, &f->bytes));
}
