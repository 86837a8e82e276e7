#include "host/rehearse.h"

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void be_quiet(uint32_t limit_ms) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGALRM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  alarm(limit_ms / 1000 + 10); // should the parent be gone
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

// The child has nothing to say: that its end of the pipe closes is the answer. False when time is up.
static bool wait_for(int pipe, uint32_t limit_ms) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (int64_t at = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, end = at + limit_ms; at < end;) {
    struct pollfd x = {.fd = pipe, .events = POLLIN};
    int ready = poll(&x, 1, (int)(end - at));
    if (ready > 0)
      return true;
    if (ready < 0 && errno != EINTR)
      return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    at = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  }
  return false;
}

bool rehearse(void (*act)(void *context), void *context, uint32_t limit_ms, const char *what, error_t *error) {
  int ends[2], status = 0;
  if (pipe(ends) != 0)
    return true;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_quiet(limit_ms);
    act(context);
    _exit(0);
  }
  close(ends[1]);
  bool in_time = child < 0 || wait_for(ends[0], limit_ms);
  close(ends[0]);
  if (child < 0)
    return true;
  if (!in_time)
    kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!in_time)
    return error_set(error, "%s did not come to an end within %u ms", what, limit_ms);
  if (WIFSIGNALED(status))
    return error_set(error, "%s crashed: %s (signal %d)", what, strsignal(WTERMSIG(status)), WTERMSIG(status));
  return WEXITSTATUS(status) == 0 || error_set(error, "%s ended the program (exit code %d)", what, WEXITSTATUS(status));
}

#else

bool rehearse(void (*act)(void *context), void *context, uint32_t limit_ms, const char *what, error_t *error) {
  (void)act, (void)context, (void)limit_ms, (void)what, (void)error;
  return true;
}

#endif
