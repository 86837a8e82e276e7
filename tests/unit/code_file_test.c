// Files of compiled Lua chunks: luajit/code_file.h.
#include "base/file_system.h"
#include "luajit/code_file.h"

#include "base/files.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <lauxlib.h>
#include <luajit.h>
#include <lualib.h>

static char folder[64], code[128];

static void write_file(const char *name, const char *text) {
  char path[256];
  assert_true(file_write(path_join(path, sizeof path, folder, name), text, strlen(text), NULL));
}

static const char SEVEN[] = "return 7", EIGHT[] = "return 8";

static void setup(void) {
  char path[256];
  temporary_folder_create(folder, sizeof folder, "code");
  assert_true(file_system_create_folder(path_join(path, sizeof path, folder, "more"), false));
  write_file("seven.lua", SEVEN);
  write_file("more/eight.lua", EIGHT);
  path_join(code, sizeof code, folder, "made.code");
}

static void teardown(void) {
  temporary_folder_remove(folder);
}
STATIC_FIXTURE(fixture, setup, teardown)

static double run_chunk(const void *bytes, size_t size) {
  lua_State *L = luaL_newstate();
  assert_int_equal(luaL_loadbufferx(L, bytes, size, "code", "b"), 0);
  assert_int_equal(lua_pcall(L, 0, 1, 0), 0);
  double result = lua_tonumber(L, -1);
  lua_close(L);
  return result;
}

TEST_WITH(chunk_is_found_by_name_and_source, fixture) {
  size_t size = 0;
  assert_true(code_file_write(folder, "[here]/", code, NULL));
  code_file_o *c = code_file_open(code);
  assert_non_null(c);
  const void *bytes = code_file_find_chunk(c, "[here]/seven.lua", SEVEN, strlen(SEVEN), &size);
  assert_true(run_chunk(bytes, size) == 7);
  bytes = code_file_find_chunk(c, "[here]/more/eight.lua", EIGHT, strlen(EIGHT), &size);
  assert_true(run_chunk(bytes, size) == 8);
  assert_null(code_file_find_chunk(c, "[here]/seven.lua", EIGHT, strlen(EIGHT), &size));
  assert_null(code_file_find_chunk(c, "seven.lua", SEVEN, strlen(SEVEN), &size));
  code_file_close(c);
}

TEST_WITH(compile_error_names_the_script_and_line, fixture) {
  error_info_t error = {0};
  write_file("broken.lua", "return 1\nreturn");
  assert_false(code_file_write(folder, "[here]/", code, &error));
  assert_non_null(strstr(error.text, "[here]/broken.lua:2:"));
  assert_false(file_exists(code));
}

TEST_WITH(truncated_or_changed_code_file_is_ignored, fixture) {
  allocator_t memory = {0};
  size_t size = 0;
  assert_true(code_file_write(folder, "[here]/", code, NULL));
  char *whole = file_read(&memory, code, &size, NULL);
  assert_non_null(whole);
  for (size_t cut = 0; cut < size; cut += 7) {
    assert_true(file_write(code, whole, cut, NULL));
    assert_null(code_file_open(code));
  }
  for (size_t at = 0; at < size; at += 3) {
    whole[at] = (char)(whole[at] ^ 16);
    assert_true(file_write(code, whole, size, NULL));
    assert_null(code_file_open(code));
    whole[at] = (char)(whole[at] ^ 16);
  }
  assert_null(code_file_open("/nowhere at all"));
  file_free(&memory, whole, size);
}

// The same version of LuaJIT can have different bytecode, for example after a change of its source.
TEST_WITH(code_file_of_a_different_luajit_build_is_ignored, fixture) {
  allocator_t memory = {0};
  size_t size = 0;
  assert_true(code_file_write(folder, "[here]/", code, NULL));
  char *whole = file_read(&memory, code, &size, NULL);
  assert_non_null(whole);
  char *build = strstr(whole, LUAJIT_BUILD); // the header is terminated by '\0'
  assert_non_null(build);
  *build = (char)(*build == '1' ? '2' : '1');
  assert_true(file_write(code, whole, size, NULL));
  assert_null(code_file_open(code));
  file_free(&memory, whole, size);
}

// The iteration order of tables differs between VMs, but the bytes of a code file must not.
TEST_WITH(code_files_of_the_same_scripts_are_byte_identical, fixture) {
  static const char TABLE[] =
      "return {a = 1, b = 2.5, c = 'c', [-7] = true, [0.5] = false, dd = -1, e = 1e300, f = 'f',\n"
      "  1, 2, 'three', {y = 1, x = 2, z = 3, w = {1, 2, k = 'l', m = 'n', o = 'p'}}}, {q = 1, r = 2}";
  allocator_t memory = {0};
  size_t size = 0, again_size = 0;
  write_file("table.lua", TABLE);
  assert_true(code_file_write(folder, "", code, NULL));
  char *bytes = file_read(&memory, code, &size, NULL);
  for (int i = 0; i < 20; ++i) {
    assert_true(code_file_write(folder, "", code, NULL));
    char *again = file_read(&memory, code, &again_size, NULL);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    file_free(&memory, again, again_size);
  }
  file_free(&memory, bytes, size);
  code_file_o *c = code_file_open(code);
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  const void *found = code_file_find_chunk(c, "table.lua", TABLE, strlen(TABLE), &size);
  assert_int_equal(luaL_loadbufferx(L, found, size, "code", "b"), 0);
  assert_int_equal(lua_pcall(L, 0, 1, 0), 0);
  lua_setglobal(L, "t");
  assert_int_equal(
      luaL_dostring(L, "assert(t.a == 1 and t.b == 2.5 and t.c == 'c' and t[-7] == true and t[0.5] == false)\n"
                       "assert(t.dd == -1 and t.e == 1e300 and t.f == 'f' and t[3] == 'three' and #t == 4)\n"
                       "assert(t[4].x == 2 and t[4].z == 3 and t[4].w.o == 'p' and #t[4].w == 2)"),
      0);
  lua_close(L);
  code_file_close(c);
}

static const char *const WITHOUT[] = {"more/", NULL};

// Scripts that are excluded from the file are loaded from source, so their errors are reported only then.
TEST_WITH(code_file_includes_game_scripts_except_excluded_and_broken_ones, fixture) {
  allocator_t memory = {0};
  size_t size = 0, again_size = 0;
  error_info_t error = {0};
  assert_true(code_file_write(folder, "[here]/", code, NULL));
  write_file("broken.lua", "return 1\nreturn");
  char *bytes = code_file_append_game(code, folder, WITHOUT, &memory, &size, &error);
  char *again = code_file_append_game(code, folder, WITHOUT, &memory, &again_size, &error);
  assert_non_null(bytes);
  assert_int_equal(again_size, size);
  assert_memory_equal(again, bytes, size);
  assert_true(file_write(code, bytes, size, NULL));
  code_file_o *c = code_file_open(code);
  assert_non_null(c);
  const void *found = code_file_find_chunk(c, "seven.lua", SEVEN, strlen(SEVEN), &size);
  assert_true(run_chunk(found, size) == 7);
  found = code_file_find_chunk(c, "[here]/more/eight.lua", EIGHT, strlen(EIGHT), &size);
  assert_true(run_chunk(found, size) == 8);
  assert_null(code_file_find_chunk(c, "more/eight.lua", EIGHT, strlen(EIGHT), &size));
  assert_null(code_file_find_chunk(c, "broken.lua", NULL, 0, &size));
  code_file_close(c);
  file_free(&memory, bytes, again_size);
  file_free(&memory, again, again_size);
  assert_true(memory.bytes == 0);
}

// An unrecognized file is returned unchanged.
TEST_WITH(game_scripts_are_not_added_to_an_unrecognized_code_file, fixture) {
  allocator_t memory = {0};
  size_t size = 0;
  assert_true(file_write(code, "shoal code of another kind", 26, NULL));
  char *bytes = code_file_append_game(code, folder, WITHOUT, &memory, &size, NULL);
  assert_int_equal(size, 26);
  assert_memory_equal(bytes, "shoal code of another kind", 26);
  file_free(&memory, bytes, size);
}
