// The handler of main.c that turns a failed shoal_assert into a failed test: runs the tests of planted_failures.c in a
// child process.
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs this program with one argument. Stores its output in `out` and returns its exit status.
static int run_self(const char *argument, char *out, size_t bytes) {
  int ends[2], status = 0;
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execl("/proc/self/exe", "unit", argument, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t got; (got = read(ends[0], out + used, bytes - 1 - used)) > 0;)
    used += (size_t)got;
  out[used] = 0;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(failed_assertion_is_shown_and_later_tests_run) {
  static char out[65536];
  assert_int_equal(run_self("--planted-failures", out, sizeof out), 1);
  static const char *const expected[] = {
      "\"the failed assertion\" != \"of the test\"",
      "the world leaks 3 blocks",
      "the row is not alive",
      "[       OK ] test_that_passes",
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    if (!strstr(out, expected[i]))
      fail_msg("the output lacks '%s':\n%s", expected[i], out);
}
