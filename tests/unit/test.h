// Unit tests register themselves before main. A file x_test.c is the group x, whose tests run in the order of their
// definitions. A line `// slow: …` at the start of a file makes tests/run use a separate process for the group.
//
//   TEST(empty_list_has_no_items) { … }
//
//   FIXTURE(fixture_t, setup, teardown) // setup stores a fixture_t * in *state, or uses static variables
//   TEST_IN(pushed_item_is_last, fixture_t, f) { … } // f is the fixture of this test
//   TEST_WITH(failed_push_is_logged, fixture_t) { … } // runs with the fixture, but needs no pointer to it
#ifndef SHOAL_TESTS_TEST_H
#define SHOAL_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// Functions that cmocka calls before and after each test, or once before and after the tests of a group; may be NULL.
typedef struct test_fixture_t {
  int (*setup)(void **state), (*teardown)(void **state);
} test_fixture_t;

typedef struct registered_test_t {
  const char *file, *name;
  int line;
  void (*run)(void **state); // NULL: `fixture` is the fixture of the file's group
  const test_fixture_t *fixture;
} registered_test_t;

// Called before main. `test` must live until the program ends.
void test_register(const registered_test_t *test);

#define REGISTER_TEST(id, name_, run_, fixture_)                                                                       \
  __attribute__((constructor)) static void register_##id(void) {                                                       \
    static const registered_test_t test = {__FILE__, name_, __LINE__, run_, fixture_};                                 \
    test_register(&test);                                                                                              \
  }

#define TEST_WITH_FUNCTIONS(name, fixture_)                                                                            \
  static void name(void **state);                                                                                      \
  REGISTER_TEST(name, #name, name, fixture_)                                                                           \
  static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH_FUNCTIONS(name, NULL)

#define FIXTURE(fixture, setup, teardown) static const test_fixture_t fixture##_functions = {setup, teardown};

#define TEST_WITH(name, fixture) TEST_WITH_FUNCTIONS(name, &fixture##_functions)

#define TEST_IN(name, fixture, variable)                                                                               \
  static void run_##name(fixture *variable);                                                                           \
  TEST_WITH(name, fixture) {                                                                                           \
    run_##name(*state);                                                                                                \
  }                                                                                                                    \
  static void run_##name(fixture *variable)

// Repeats a test with a different fixture of the same type, as "name (label)".
#define TEST_ALSO_IN(name, fixture, label)                                                                             \
  REGISTER_TEST(name##_in_##fixture, #name " (" label ")", name, &fixture##_functions)

// Functions that run once before and after the tests of the file.
#define GROUP_FIXTURE(setup, teardown)                                                                                 \
  FIXTURE(group, setup, teardown)                                                                                      \
  REGISTER_TEST(group, "", NULL, &group_functions)

#endif
