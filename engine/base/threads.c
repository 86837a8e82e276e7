// A thread has the mask of the one that makes it.
#include "base/threads.h"

#include "base/assert.h"

#include <signal.h>

bool thread_start(pthread_t *out, void *(*run)(void *), void *context) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  sigset_t all, before;
  shoal_assert(out && run, "a thread that does nothing");
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(out, NULL, run, context) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}
