// The patched interpreter's `a % b` for fractions (luajit/modulo_patch.h).
#include "luajit/modulo_patch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void modulo_is_exact_after_patching(void **state) {
  (void)state;
  modulo_patch_interpreter();
  assert_true(modulo_is_exact());
  modulo_patch_interpreter(); // patching again has no effect
  assert_true(modulo_is_exact());
}

int modulo_patch_tests(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(modulo_is_exact_after_patching)};
  return cmocka_run_group_tests_name("modulo_patch", tests, NULL, NULL);
}
