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
  struct registered_test_t *next; // set by test_register
} registered_test_t;

// Called before main. `test` must live until the program ends.
void test_register(registered_test_t *test);

#define REGISTER_TEST(name_, run_, fixture_)                                                                           \
  __attribute__((constructor)) static void register_##name_(void) {                                                    \
    static registered_test_t test = {__FILE__, #name_, __LINE__, run_, fixture_, NULL};                                \
    test_register(&test);                                                                                              \
  }

#define TEST(name)                                                                                                     \
  static void name(void **state);                                                                                      \
  REGISTER_TEST(name, name, NULL)                                                                                      \
  static void name(__attribute__((unused)) void **state)

#define FIXTURE(fixture, setup, teardown) static const test_fixture_t fixture##_functions = {setup, teardown};

#define TEST_WITH(name, fixture)                                                                                       \
  static void name(void **state);                                                                                      \
  REGISTER_TEST(name, name, &fixture##_functions)                                                                      \
  static void name(__attribute__((unused)) void **state)

#define TEST_IN(name, fixture, variable)                                                                               \
  static void run_##name(fixture *variable);                                                                           \
  static void name(void **state) {                                                                                     \
    run_##name(*state);                                                                                                \
  }                                                                                                                    \
  REGISTER_TEST(name, name, &fixture##_functions)                                                                      \
  static void run_##name(fixture *variable)

// Repeats a test with a different fixture of the same type, as "name (label)".
#define TEST_ALSO_IN(name, fixture, label)                                                                             \
  static registered_test_t name##_in_##fixture = {__FILE__, #name " (" label ")", __LINE__,                            \
                                                  name,     &fixture##_functions, NULL};                               \
  __attribute__((constructor)) static void register_##name##_in_##fixture(void) {                                      \
    test_register(&name##_in_##fixture);                                                                               \
  }

// Functions that run once before and after the tests of the file.
#define GROUP_FIXTURE(setup, teardown)                                                                                 \
  FIXTURE(group, setup, teardown)                                                                                      \
  REGISTER_TEST(group, NULL, &group_functions)

#endif
