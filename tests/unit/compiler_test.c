// Checks LuaJIT's compiler against its interpreter (luajit/compiler_check.h).
#include "luajit/compiler_check.h"

#include "luajit/machine_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void patched_luajit_compiler_matches_its_interpreter(void **state) {
  (void)state;
  machine_code_patch_length_operator();
  machine_code_patch_templates();
#if defined(__x86_64__)
  assert_int_equal(compiler_test(), COMPILER_EXACT);
#endif
  assert_int_equal(compiler_test(), compiler_test());
}

int compiler_tests(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(patched_luajit_compiler_matches_its_interpreter)};
  return cmocka_run_group_tests_name("compiler", tests, NULL, NULL);
}
