// Starts threads with blocked signals. A new thread inherits the signal mask of its creator.
#include "process/threads.h"

#include "base/assert.h"
#include "process/signals.h"

bool thread_start(pthread_t *out, void *(*run)(void *), void *context) {
  signals_mask_t before;
  shoal_assert(out && run, "out and run must not be NULL");
  signals_block_all(&before);
  bool started = pthread_create(out, NULL, run, context) == 0;
  signals_restore_mask(&before);
  return started;
}
