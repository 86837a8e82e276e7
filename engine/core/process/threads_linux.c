// Starts threads with blocked signals. A new thread inherits the signal mask of its creator.
#include "process/threads.h"

#include "base/assert.h"
#include "process/signals.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOW_PRIORITY 5 // about a third of the CPU time of a busy thread on the same core

bool thread_start(pthread_t *out, void *(*run)(void *), void *context) {
  signals_mask_t saved_mask;
  shoal_assert(out && run, "out and run must not be NULL");
  signals_block_all(&saved_mask);
  bool started = pthread_create(out, NULL, run, context) == 0;
  signals_restore_mask(&saved_mask);
  return started;
}

bool thread_join_within(pthread_t thread, uint32_t limit_ms) {
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_nsec += (long)(limit_ms % 1000) * 1000000;
  deadline.tv_sec += (time_t)(limit_ms / 1000) + deadline.tv_nsec / 1000000000;
  deadline.tv_nsec %= 1000000000;
  return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &deadline) == 0;
}

int64_t thread_cpu_ns(pthread_t thread) {
  clockid_t clock;
  struct timespec used;
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return 0;
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

void threads_at_fork(void (*callback)(void)) {
  pthread_atfork(NULL, NULL, callback);
}

// Nice values are per thread, contrary to POSIX.
void thread_lower_priority(void) {
  int saved_errno = errno;
  (void)!nice(LOW_PRIORITY);
  errno = saved_errno;
}

uint32_t threads_count(void) {
  struct stat tasks;
  return stat("/proc/self/task", &tasks) == 0 ? (uint32_t)tasks.st_nlink - 2 : 0; // the links include "." and ".."
}

uint32_t threads_count_cores(void) {
  cpu_set_t allowed;
  long cores =
      sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 1 ? (uint32_t)cores : 1;
}
