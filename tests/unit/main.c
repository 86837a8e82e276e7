// Runs the test groups of test_groups.h: all of them, or for each argument the group with this name, or the groups
// whose name contains it. Prints "suite unit NAME" before each group. The exit status is 0 only if all tests passed.
//
// A failed shoal_assert in a test, or in its setup or teardown, fails that test, and the next test runs. Without this,
// an abort in a teardown would hide the test's failed assertion and end the group.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int run_planted_failures(void);
#define TEST_GROUP(name) int name##_tests(void);
#include "test_groups.h"
#undef TEST_GROUP

static const struct {
  const char *name;
  int (*run)(void);
} groups[] = {
#define TEST_GROUP(name) {#name, name##_tests},
#include "test_groups.h"
#undef TEST_GROUP
};

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

static bool is_group(const char *name) {
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    if (strcmp(groups[i].name, name) == 0)
      return true;
  return false;
}

// Returns the number of failed tests, or -1 if no group matches.
static int run_groups(const char *filter) {
  int failed = 0, ran = 0;
  bool exact = is_group(filter);
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    if (exact ? strcmp(groups[i].name, filter) == 0 : strstr(groups[i].name, filter) != NULL) {
      printf("suite unit %s\n", groups[i].name);
      fflush(stdout); // keeps the output if the test crashes
      failed += groups[i].run();
      ++ran;
    }
  if (ran > 0)
    return failed;
  fprintf(stderr, "no group of unit tests has \"%s\" in its name\n", filter);
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
