// Signals: faults that end a child process with a message, and timers that watch a thread.
#include "process/signals.h"

#include "process/child.h"
#include "test.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(signals_have_names_and_descriptions) {
  assert_string_equal(signals_name(11), "SIGSEGV");
  assert_string_equal(signals_description(11), "invalid memory access");
  assert_string_equal(signals_name(9), "SIGKILL");
  assert_string_equal(signals_name(99), "signal 99");
  assert_string_equal(signals_description(99), "unknown signal");
  assert_true(signals_is_abort(6));
  assert_false(signals_is_abort(11));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // sanitizers install handlers for these signals
static int write_to;
static char *away;

static void write_address(int number, const void *address, const void *code) {
  child_write(write_to, &address, sizeof address);
  (void)number, (void)code;
}

static void crash(void *context, int to) {
  (void)context;
  write_to = to;
  signals_catch_faults_in_child(write_address);
  (void)*(volatile const char *)away;
}

TEST(crashing_child_reports_the_address_and_dies_of_the_signal) {
  child_t child;
  const void *address = NULL;
  int number = 0;
  away = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(child_begin(&child, 5000, crash, NULL));
  assert_true(child_read(&child, &address, sizeof address));
  child_end(&child);
  assert_ptr_equal(address, away);
  assert_true(child_has_crashed(&child, &number));
  assert_string_equal(signals_name(number), "SIGSEGV");
  munmap(away, 4096);
}
#endif

static void pause_forever(void *context, int to) {
  (void)context, (void)to;
  pause();
}

TEST(hanging_child_is_terminated_at_its_time_limit) {
  int copy = child_fork(), code = 0;
  if (copy == 0) {
    signals_reset_in_child(1, false);
    pause_forever(NULL, 0);
  }
  while (!child_fork_has_exited(copy, &code))
    usleep(10000);
  assert_int_equal(code, -1);
  copy = child_fork();
  if (copy == 0)
    pause_forever(NULL, 0);
  assert_false(child_fork_has_exited(copy, &code));
  child_fork_kill(copy);
}

static volatile int timer_calls;
static _Thread_local signals_timer_t timer;

static void count_timer_calls(void *state, int64_t cpu_ns, bool late) {
  (void)late;
  timer_calls += state == &timer && cpu_ns > 0;
  if (timer_calls >= 3)
    signals_timer_disarm(&timer);
}

// Waits for three timer calls. Runs in a child process, because the timer callback stays installed.
static void wait_for_timer_calls(void *context, int to) {
  (void)context;
  signals_set_timer_handler(SIGNALS_SCRIPT, count_timer_calls);
  bool armed = signals_timer_arm(&timer, SIGNALS_SCRIPT, 1000, &timer);
  while (armed && timer_calls < 3)
    ;
  child_write(to, (const void *)&timer_calls, sizeof timer_calls);
}

TEST(timer_watches_the_thread_that_armed_it_until_disarmed) {
  child_t child;
  int seen = 0;
  assert_true(child_begin(&child, 10000, wait_for_timer_calls, NULL));
  assert_true(child_read(&child, &seen, sizeof seen));
  child_end(&child);
  assert_int_equal(seen, 3);
}
