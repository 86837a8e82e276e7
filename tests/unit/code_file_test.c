// Compiled chunks in a file: luajit/code_file.h.
#include "luajit/code_file.h"

#include "base/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <lauxlib.h>

static char folder[64], code[128];

static void write_file(const char *name, const char *text) {
  char path[256];
  assert_true(file_write(path_join(path, sizeof path, folder, name), text, strlen(text), NULL));
}

static const char SEVEN[] = "return 7", EIGHT[] = "return 8";

static int begin(void **state) {
  char path[256];
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/shoal_code_XXXXXX");
  assert_non_null(mkdtemp(folder));
  assert_int_equal(mkdir(path_join(path, sizeof path, folder, "more"), 0777), 0);
  write_file("seven.lua", SEVEN);
  write_file("more/eight.lua", EIGHT);
  path_join(code, sizeof code, folder, "made.code");
  return 0;
}

static int end(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static double result_of(const void *bytes, size_t size) {
  lua_State *L = luaL_newstate();
  assert_int_equal(luaL_loadbufferx(L, bytes, size, "code", "b"), 0);
  assert_int_equal(lua_pcall(L, 0, 1, 0), 0);
  double result = lua_tonumber(L, -1);
  lua_close(L);
  return result;
}

static void a_chunk_is_found_by_its_name_and_its_text(void **state) {
  (void)state;
  size_t size = 0;
  assert_true(code_file_write(folder, "[here]/", code, NULL));
  code_file_o *c = code_file_open(code);
  assert_non_null(c);
  const void *bytes = code_file_find(c, "[here]/seven.lua", SEVEN, strlen(SEVEN), &size);
  assert_true(result_of(bytes, size) == 7);
  bytes = code_file_find(c, "[here]/more/eight.lua", EIGHT, strlen(EIGHT), &size);
  assert_true(result_of(bytes, size) == 8);
  assert_null(code_file_find(c, "[here]/seven.lua", EIGHT, strlen(EIGHT), &size));
  assert_null(code_file_find(c, "seven.lua", SEVEN, strlen(SEVEN), &size));
  code_file_close(c);
}

static void a_script_that_does_not_compile_is_told_by_its_line(void **state) {
  (void)state;
  error_t error = {0};
  write_file("broken.lua", "return 1\nreturn");
  assert_false(code_file_write(folder, "[here]/", code, &error));
  assert_non_null(strstr(error.text, "[here]/broken.lua:2:"));
  assert_false(file_exists(code));
}

static void a_file_that_was_cut_or_changed_is_as_none(void **state) {
  (void)state;
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

int code_file_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_chunk_is_found_by_its_name_and_its_text, begin, end),
      cmocka_unit_test_setup_teardown(a_script_that_does_not_compile_is_told_by_its_line, begin, end),
      cmocka_unit_test_setup_teardown(a_file_that_was_cut_or_changed_is_as_none, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
