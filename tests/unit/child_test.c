// Child processes (process/child.h): time limits on an idle and on an overloaded machine, pipes and programs.
#include "process/child.h"

#include "base/now.h"
#include "process/threads.h"
#include "process/wait.h"
#include "../slowdown.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms) {
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void use_cpu(void *context, int to) {
  (void)context, (void)to;
  for (volatile int i = 0;; i = 1 - i) {
  }
}

static void pause_forever(void *context, int to) {
  (void)context, (void)to;
  for (;;)
    pause();
}

static int64_t spent_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// Uses the CPU in short bursts, like a process on an overloaded machine.
static void use_cpu_in_bursts(void *context, int to) {
  const int *times = context;
  for (int i = 0; i < *times; ++i) {
    for (int64_t until = spent_ms() + 20; spent_ms() < until;) {
    }
    sleep_ms(100);
  }
  child_write(to, times, sizeof *times);
}

static bool run_child_and_check_reply(uint32_t limit_ms, void (*act)(void *context, int to), int *times, child_t *c) {
  int reply = 0;
  assert_true(child_begin(c, limit_ms, act, times));
  bool replied = child_read(c, &reply, sizeof reply);
  child_end(c);
  return replied && reply == *times;
}

// Sends the priority of the process's session: 0 to 19, or -1 if the kernel does not group sessions.
static void send_session_priority(void *context, int to) {
  (void)context;
  int priority = -1;
  process_lower_priority(PROCESS_PRIORITY_LOWEST);
  FILE *file = fopen("/proc/self/autogroup", "r");
  if (!file || fscanf(file, "/autogroup-%*d nice %d", &priority) != 1)
    priority = -1;
  child_write(to, &priority, sizeof priority);
}

TEST(process_with_the_lowest_priority_lowers_the_priority_of_its_session) {
  child_t c;
  int priority = 0;
  assert_true(child_begin(&c, 5000, send_session_priority, NULL));
  assert_true(child_read(&c, &priority, sizeof priority));
  child_end(&c);
  if (priority == -1)
    skip();
  assert_int_equal(priority, 19);
}

TEST(child_over_its_cpu_budget_is_killed) {
  child_t c;
  int times = 0, number = 0;
  assert_false(run_child_and_check_reply(200, use_cpu, &times, &c));
  assert_true(c.late);
  assert_false(c.interrupted);
  assert_true(child_has_crashed(&c, &number)); // killed by a signal
  assert_true(c.active_cpu_ns > 0);
}

TEST(child_that_blocks_forever_is_killed) {
  child_t c;
  int times = 0;
  assert_false(run_child_and_check_reply(200, pause_forever, &times, &c));
  assert_true(c.late);
  assert_true(c.active_cpu_ns < 200000000);
}

TEST(child_waiting_for_the_cpu_is_not_killed) {
  child_t c;
  int times = 40;
  // Takes 4.8 s, including 0.8 s of CPU time. On a busy machine, the child may wait for the CPU for seconds.
  assert_true(run_child_and_check_reply(4000, use_cpu_in_bursts, &times, &c));
  assert_false(c.late);
  assert_int_equal(child_exit_code(&c), 0);
}

static bool wait_for_file(const char *path) {
  for (int i = 0; i < 6000 * wall_slowdown() && access(path, F_OK) != 0; ++i)
    sleep_ms(10);
  return access(path, F_OK) == 0;
}

TEST(launched_program_gets_its_arguments_and_is_detached) {
  char folder[] = "/tmp/shoal-child-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a b;c", folder); // a shell would split this path
  assert_true(child_launch_detached((const char *const[]){"touch", path, NULL}));
  assert_true(wait_for_file(path));
  // a missing program is not reported (process/child.h), and no child process remains
  assert_true(child_launch_detached((const char *const[]){"no-program-is-called-like-this", NULL}));
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
  unlink(path);
  rmdir(folder);
}

// Runs this program again. Returns its exit code; -1 if it was terminated.
static int run_program(uint32_t limit_ms, const char *argument, child_t *c) {
  int number = 0;
  assert_true(child_begin_program(c, limit_ms, (const char *const[]){"unit", argument, NULL}));
  for (int i = 0; i < 3000 * wall_slowdown() && !child_is_readable(c); ++i)
    sleep_ms(10);
  child_end(c);
  return child_has_crashed(c, &number) ? -1 : child_exit_code(c);
}

TEST(program_reports_its_exit_code_and_is_killed_over_its_cpu_budget) {
  child_t c;
  assert_int_equal(run_program(60000, "utf8", &c), 0);
  assert_false(c.late);
  assert_in_range(run_program(60000, "no group has this name", &c), 1, 255);
  assert_int_equal(run_program(100, "history", &c), -1); // the tests of this group take longer than 100 ms
  assert_true(c.late);
}

static void *read_signal_mask(void *context) {
  pthread_sigmask(SIG_SETMASK, NULL, context);
  return NULL;
}

TEST(background_thread_blocks_all_signals_except_faults) {
  pthread_t thread;
  sigset_t there, here, after;
  pthread_sigmask(SIG_SETMASK, NULL, &here);
  assert_true(thread_start(&thread, read_signal_mask, &there));
  pthread_join(thread, NULL);
  assert_true(sigismember(&there, SIGTERM) && sigismember(&there, SIGINT) && sigismember(&there, SIGALRM));
  assert_false(sigismember(&there, SIGSEGV) || sigismember(&there, SIGFPE));
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  assert_int_equal(sigismember(&here, SIGTERM), sigismember(&after, SIGTERM));
}

// --- pipes of services

TEST(orphaned_service_writes_nothing_and_survives) {
  int ends[2];
  char line[16] = "";
  assert_int_equal(pipe(ends), 0);
  assert_true(child_service_use_pipe(ends[1]));
  assert_false(child_service_is_orphaned(ends[1]));
  child_service_write(ends[1], "beat\n", 5);
  assert_int_equal(wait_for(ends[0], WAIT_READ, -1), WAIT_READ);
  assert_int_equal(read(ends[0], line, sizeof line), 5);
  assert_string_equal(line, "beat\n");
  close(ends[0]);
  assert_true(child_service_is_orphaned(ends[1]));
  child_service_write(ends[1], "beat\n", 5); // a write would raise SIGPIPE
  close(ends[1]);
  assert_false(child_service_use_pipe(ends[1])); // not open
}

TEST(service_never_waits_for_a_reader) {
  static const char block[4096];
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_true(child_service_use_pipe(ends[1]));
  for (int i = 0; i < 1000; ++i) // more than the pipe holds
    child_service_write(ends[1], block, sizeof block);
  close(ends[1]);
  close(ends[0]);
}

// --- children

static void write_two_parts(void *context, int to) {
  child_write(to, "first", 5);
  now_sleep_ns(100 * NS_PER_MS);
  child_write(to, context, strlen(context));
}

TEST(child_is_read_without_waiting_until_it_ends) {
  child_t child;
  char text[64] = "", second[] = " second";
  size_t count = 0;
  bool has_ended = false;
  assert_true(child_begin(&child, 60000, write_two_parts, second));
  while (!has_ended) {
    int64_t start_ns = now_thread_ns();
    count += child_read_some(&child, text + count, sizeof text - count - 1, &has_ended);
    assert_true(now_thread_ns() - start_ns < 1000 * (int64_t)NS_PER_MS);
    now_sleep_ns(NS_PER_MS);
  }
  assert_string_equal(text, "first second");
  child_end(&child);
  assert_int_equal(child_exit_code(&child), 0);
}

TEST(command_reports_its_exit_code_its_signal_or_a_missing_program) {
  int code = -1, number = -1;
  assert_true(child_run_command((const char *const[]){"sh", "-c", "exit 3", NULL}, &code, &number));
  assert_int_equal(code, 3);
  assert_int_equal(number, 0);
  assert_true(child_run_command((const char *const[]){"sh", "-c", "kill -9 $$", NULL}, &code, &number));
  assert_int_equal(number, 9);
  assert_true(child_run_command((const char *const[]){"no-program-is-called-like-this", NULL}, &code, &number));
  assert_int_equal(code, CHILD_MISSING_PROGRAM);
  assert_int_equal(number, 0);
}
