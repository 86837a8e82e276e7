// The planted tests of aborts_test.c, run by `unit --planted-failures`.
#include "base/assert.h"
#include "test.h"

int run_planted_failures(void);

// A failed shoal_assert, also in release builds, in which the macro does nothing.
#define FAIL_ASSERT(message) assert_failed(__FILE__, __LINE__, "false", message)

static void test_that_fails(void **state) {
  (void)state;
  assert_string_equal("the failed assertion", "of the test");
}

static int teardown_that_aborts(void **state) {
  (void)state;
  FAIL_ASSERT("the world leaks 3 blocks");
  return 0;
}

static void test_that_aborts(void **state) {
  (void)state;
  FAIL_ASSERT("the row is not alive");
}

static void test_that_passes(void **state) {
  (void)state;
}

int run_planted_failures(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_that_fails, teardown_that_aborts),
      cmocka_unit_test(test_that_aborts),
      cmocka_unit_test(test_that_passes),
  };
  return cmocka_run_group_tests_name("planted failures", tests, NULL, NULL);
}
