// Unit tests register themselves before main. A file x_test.c is the group x, whose tests run in the order of their
// definitions. A line `// slow: …` at the start of a file makes tests/run use a separate process for the group.
//
//   TEST(empty_list_has_no_items) { … }
//
//   SETUP(fixture_t, f) { … }                         // runs before each test; f is allocated and filled with zeros
//   TEARDOWN(fixture_t, f) { … }                      // runs after each test; f is then freed
//   TEST_IN(pushed_item_is_last, fixture_t, f) { … }  // f is the fixture of this test
//   TEST_WITH(failed_push_is_logged, fixture_t) { … } // runs with the fixture, but needs no pointer to it
//
//   FIXTURE(fixture_t, setup, teardown)               // instead of SETUP and TEARDOWN: functions that share code with
//                                                     // a different fixture, or allocate the fixture_t themselves
//   STATIC_FIXTURE(fixture, setup, teardown)          // void functions without parameters, which use static variables
#ifndef SHOAL_TESTS_TEST_H
#define SHOAL_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

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
struct task_type_t;
void test_register_task(const struct task_type_t *type); // called before main

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

#define STATIC_FIXTURE(fixture, setup, teardown)                                                                       \
  static int open_##fixture(__attribute__((unused)) void **state) {                                                    \
    setup();                                                                                                           \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static int close_##fixture(__attribute__((unused)) void **state) {                                                   \
    teardown();                                                                                                        \
    return 0;                                                                                                          \
  }                                                                                                                    \
  FIXTURE(fixture, open_##fixture, close_##fixture)

#define SETUP(fixture, variable)                                                                                       \
  static void setup_##fixture(fixture *variable);                                                                      \
  static int open_##fixture(void **state) {                                                                            \
    *state = calloc(1, sizeof(fixture));                                                                               \
    assert_non_null(*state);                                                                                           \
    setup_##fixture(*state);                                                                                           \
    return 0;                                                                                                          \
  }                                                                                                                    \
  static void setup_##fixture(__attribute__((unused)) fixture *variable)

#define TEARDOWN(fixture, variable)                                                                                    \
  static void teardown_##fixture(fixture *variable);                                                                   \
  static int close_##fixture(void **state) {                                                                           \
    teardown_##fixture(*state);                                                                                        \
    free(*state);                                                                                                      \
    return 0;                                                                                                          \
  }                                                                                                                    \
  FIXTURE(fixture, open_##fixture, close_##fixture)                                                                    \
  static void teardown_##fixture(__attribute__((unused)) fixture *variable)

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

// Adds a task to the program of the tests. `type` is a static task_type_t (process/task.h). At most once in a file.
#define TEST_TASK(type)                                                                                                \
  __attribute__((constructor)) static void register_task(void) {                                                       \
    test_register_task(&(type));                                                                                       \
  }

// Void functions without parameters, which run once before and after the tests of the file.
#define GROUP_FIXTURE(setup, teardown)                                                                                 \
  STATIC_FIXTURE(group, setup, teardown)                                                                               \
  REGISTER_TEST(group, "", NULL, &group_functions)

#endif
