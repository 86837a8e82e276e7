// Runs the registered tests (test.h): all groups, or for each argument the group with this name, or the groups whose
// names contain it. An argument "GROUP: PART" runs only tests whose names contain PART. Prints "suite unit NAME" before
// each group. The exit status is 0 only if all tests passed.
//
// A failed shoal_assert in a test, or in its setup or teardown, fails that test, and the next test runs. Without this,
// an abort in a teardown would hide the test's failed assertion and end the group.
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int run_planted_failures(void);

static pthread_t main_thread;
static pid_t main_process;

// Called by abort(). Child processes and other threads of tests abort as usual.
static void fail_on_abort(int number) {
  if (getpid() == main_process && pthread_equal(pthread_self(), main_thread)) {
    sigset_t aborts;
    sigemptyset(&aborts);
    sigaddset(&aborts, number);
    // fail_msg leaves this handler with a jump, which would keep the signal blocked
    pthread_sigmask(SIG_UNBLOCK, &aborts, NULL);
    fail_msg("aborted: the failed assertion is printed above");
  }
  signal(number, SIG_DFL);
  raise(number);
}

static registered_test_t *first; // in the order of test_compare

static void copy_group_name(const registered_test_t *test, char out[64]) {
  const char *slash = strrchr(test->file, '/'), *name = slash ? slash + 1 : test->file, *end = strstr(name, "_test.c");
  snprintf(out, 64, "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
}

// Orders tests by file, then by line.
static int test_compare(const registered_test_t *a, const registered_test_t *b) {
  int files = strcmp(a->file, b->file);
  return files != 0 ? files : (a->line > b->line) - (a->line < b->line);
}

void test_register(registered_test_t *test) {
  registered_test_t **at = &first;
  while (*at && test_compare(*at, test) <= 0)
    at = &(*at)->next;
  test->next = *at;
  *at = test;
}

static const registered_test_t *next_group(const registered_test_t *test) {
  const char *file = test->file;
  while (test && strcmp(test->file, file) == 0)
    test = test->next;
  return test;
}

static bool is_group(const char *name) {
  char group[64];
  for (const registered_test_t *test = first; test; test = next_group(test))
    if (copy_group_name(test, group), strcmp(group, name) == 0)
      return true;
  return false;
}

// Runs the group of `test`. Returns the number of failed tests.
static int run_group(const registered_test_t *test, const char *group, const char *part) {
  static struct CMUnitTest tests[256];
  size_t count = 0;
  test_fixture_t all = {0};
  for (const registered_test_t *end = next_group(test); test != end; test = test->next) {
    test_fixture_t own = test->fixture ? *test->fixture : (test_fixture_t){0};
    if (!test->run)
      all = own;
    else if (strstr(test->name, part)) {
      assert_true(count < sizeof tests / sizeof *tests);
      tests[count++] = (struct CMUnitTest){test->name, test->run, own.setup, own.teardown, NULL};
    }
  }
  printf("suite unit %s\n", group);
  fflush(stdout); // keeps the output if the test crashes
  return _cmocka_run_group_tests(group, tests, count, all.setup, all.teardown);
}

// Returns the number of failed tests, or -1 if no group matches.
static int run_groups(const char *filter) {
  int failed = 0, ran = 0;
  const char *colon = strstr(filter, ": ");
  char wanted[64], group[64];
  snprintf(wanted, sizeof wanted, "%.*s", colon ? (int)(colon - filter) : (int)strlen(filter), filter);
  bool exact = is_group(wanted);
  for (const registered_test_t *test = first; test; test = next_group(test)) {
    copy_group_name(test, group);
    if (exact ? strcmp(group, wanted) == 0 : strstr(group, wanted) != NULL) {
      failed += run_group(test, group, colon ? colon + 2 : "");
      ++ran;
    }
  }
  if (ran > 0)
    return failed;
  fprintf(stderr, "no group of unit tests has \"%s\" in its name\n", wanted);
  return -1;
}

int main(int argc, char **argv) {
  main_thread = pthread_self();
  main_process = getpid();
  signal(SIGABRT, fail_on_abort);
  if (argc == 2 && strcmp(argv[1], "--planted-failures") == 0) // see aborts_test.c
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
