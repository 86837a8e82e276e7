// The interpreter's `a % b` of fractions (luajit/modulo.h).
#include "luajit/modulo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void every_step_of_it_is_rounded(void **state) {
  (void)state;
  modulo_mend();
  assert_true(modulo_is_exact());
  modulo_mend(); // what is mended stays so
  assert_true(modulo_is_exact());
}

int modulo_tests(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_step_of_it_is_rounded)};
  return cmocka_run_group_tests_name("modulo", tests, NULL, NULL);
}
