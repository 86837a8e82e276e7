// Copies of a process that dies, one after the other.
#include "crash/stage.h"

#include "base/assert.h"
#include "base/child.h"
#include "base/now.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STAGE_MS 3000 // of processor time for each part, and of standing still

static void be_plain(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  sigset_t none;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    signal(signals[i], SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); // in a handler its own signal waits
  alarm(60);                             // should the parent be gone
}

// A busy machine lets a child wait; one that hangs uses nothing.
static bool ended_in_time(pid_t child, int *status) {
  int64_t used = 0; // ms
  for (int still_ms = 0; still_ms < STAGE_MS && used < STAGE_MS; still_ms += 5) {
    if (waitpid(child, status, WNOHANG) == child)
      return true;
    int64_t now = now_process_ns(child) / NOW_NS_PER_MS;
    still_ms = now > used ? 0 : still_ms;
    used = now > used ? now : used;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  return false;
}

bool crash_stage(void (*part)(const void *context), const void *context) {
  shoal_assert(part, "a part of a report that does nothing");
  pid_t child = child_copy();
  int status = 0;
  if (child < 0)
    return false;
  if (child == 0) {
    be_plain();
    part(context);
    _exit(0);
  }
  if (ended_in_time(child, &status))
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}
