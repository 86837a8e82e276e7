// Starts threads with blocked signals. A new thread inherits the signal mask of its creator.
#include "process/threads.h"

#include "base/assert.h"
#include "process/signals.h"

#include <errno.h>
#include <unistd.h>

#define LOW_PRIORITY 5 // about a third of the CPU time of a busy thread on the same core

bool thread_start(pthread_t *out, void *(*run)(void *), void *context) {
  signals_mask_t before;
  shoal_assert(out && run, "out and run must not be NULL");
  signals_block_all(&before);
  bool started = pthread_create(out, NULL, run, context) == 0;
  signals_restore_mask(&before);
  return started;
}

// On Linux, the value belongs to the thread, contrary to POSIX.
void thread_lower_priority(void) {
  int before = errno;
  (void)!nice(LOW_PRIORITY);
  errno = before;
}
