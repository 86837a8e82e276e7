// Starts threads with blocked signals. A new thread inherits the signal mask of its creator.
#include "process/threads.h"

#include "base/assert.h"
#include "process/signals.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
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
