// Runs the registered tests (test.h): all groups, or for each argument the group with this name, or the groups whose
// names contain it. An argument "GROUP: PART" runs only tests whose names contain PART. Prints "suite unit NAME" before
// each group. The exit status is 0 only if all tests passed.
//
// A failed shoal_assert in a test, or in its setup or teardown, fails that test, and the next test runs. Without this,
// an abort in a teardown would hide the test's failed assertion and end the group.
#include "base/process_id.h"
#include "process/signals.h"
#include "host/program_tasks.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_planted_failures(void);

static pthread_t main_thread;
static long main_process;
static signals_mask_t unblocked; // the signal mask of the main thread

// Called by abort(). Child processes and other threads of tests abort as usual.
static void fail_on_abort(int number) {
  if (process_id() == main_process && pthread_equal(pthread_self(), main_thread)) {
    signal(number, fail_on_abort);    // Windows removes the handler of a signal that it calls
    signals_restore_mask(&unblocked); // fail_msg leaves this handler with a jump, which would keep the signal blocked
    fail_msg("aborted: the failed assertion is printed above");
  }
  signal(number, SIG_DFL);
  raise(number);
}

#define MAX_TESTS 4096u
static const registered_test_t *tests[MAX_TESTS]; // sorted by compare_tests once main has begun
static size_t test_count;

void test_register(const registered_test_t *test) {
  if (test_count == MAX_TESTS) {
    fprintf(stderr, "too many unit tests (at most %u): raise MAX_TESTS\n", MAX_TESTS);
    exit(2);
  }
  tests[test_count++] = test;
}

#define MAX_TASKS 32u
static const task_type_t *tasks[MAX_TASKS + 1]; // tasks of the tests; ends with NULL

void test_register_task(const task_type_t *type) {
  uint32_t count = 0;
  while (tasks[count])
    ++count;
  if (count == MAX_TASKS) {
    fprintf(stderr, "too many tasks of unit tests (at most %u): raise MAX_TASKS\n", MAX_TASKS);
    exit(2);
  }
  tasks[count] = type;
}

// Runs a task of the engine or of the tests (task_run_command).
static bool run_task(int argc, char **argv, int *exit_code) {
  for (const task_type_t *const *type = PROGRAM_TASKS; *type; ++type)
    test_register_task(*type);
  return task_run_command(tasks, argc, (const char *const *)argv, exit_code);
}

// Orders tests by file, then by line.
static int compare_tests(const void *left, const void *right) {
  const registered_test_t *a = *(const registered_test_t *const *)left, *b = *(const registered_test_t *const *)right;
  int files = strcmp(a->file, b->file);
  return files != 0 ? files : (a->line > b->line) - (a->line < b->line);
}

static void copy_group_name(const registered_test_t *test, char out[64]) {
  const char *slash = strrchr(test->file, '/'), *name = slash ? slash + 1 : test->file, *end = strstr(name, "_test.c");
  snprintf(out, 64, "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
}

// Returns the index of the first test of the next group, or `test_count` after the last group.
static size_t next_group(size_t first) {
  size_t end = first;
  while (end < test_count && strcmp(tests[end]->file, tests[first]->file) == 0)
    ++end;
  return end;
}

static bool is_group(const char *name) {
  char group[64];
  for (size_t first = 0; first < test_count; first = next_group(first))
    if (copy_group_name(tests[first], group), strcmp(group, name) == 0)
      return true;
  return false;
}

// Runs the tests of a group whose names contain `part`. Returns the number of failed tests.
static int run_group(size_t first, const char *group, const char *part) {
  static struct CMUnitTest selected[256];
  size_t count = 0;
  test_fixture_t all = {0};
  for (size_t i = first, end = next_group(first); i < end; ++i) {
    test_fixture_t own = tests[i]->fixture ? *tests[i]->fixture : (test_fixture_t){0};
    if (!tests[i]->run)
      all = own;
    else if (strstr(tests[i]->name, part)) {
      assert_true(count < sizeof selected / sizeof *selected);
      selected[count++] = (struct CMUnitTest){tests[i]->name, tests[i]->run, own.setup, own.teardown, NULL};
    }
  }
  printf("suite unit %s\n", group);
  fflush(stdout); // keeps the output if the test crashes
  return _cmocka_run_group_tests(group, selected, count, all.setup, all.teardown);
}

// Returns the number of failed tests, or -1 if no group matches.
static int run_groups(const char *filter) {
  int failed = 0, ran = 0;
  const char *colon = strstr(filter, ": ");
  char wanted[64], group[64];
  snprintf(wanted, sizeof wanted, "%.*s", colon ? (int)(colon - filter) : (int)strlen(filter), filter);
  bool exact = is_group(wanted);
  for (size_t first = 0; first < test_count; first = next_group(first)) {
    copy_group_name(tests[first], group);
    if (exact ? strcmp(group, wanted) == 0 : strstr(group, wanted) != NULL) {
      failed += run_group(first, group, colon ? colon + 2 : "");
      ++ran;
    }
  }
  if (ran > 0)
    return failed;
  fprintf(stderr, "no group of unit tests has \"%s\" in its name\n", wanted);
  return -1;
}

int main(int argc, char **argv) {
  int code = 0;
  if (run_task(argc, argv, &code))
    return code;
  main_thread = pthread_self();
  main_process = process_id();
  signals_block_all(&unblocked);
  signals_restore_mask(&unblocked);
  signal(SIGABRT, fail_on_abort);
  qsort(tests, test_count, sizeof *tests, compare_tests);
  if (argc == 2 && strcmp(argv[1], "--planted-failures") == 0) // see planted_failures.c
    return run_planted_failures() > 0;
  int failed = argc == 1 ? run_groups("") : 0;
  for (int i = 1; i < argc; ++i) {
    int failed_here = run_groups(argv[i]);
    if (failed_here < 0)
      return 2;
    failed += failed_here;
  }
  return failed == 0 ? 0 : 1;
}
