// What a library does while it is loaded, and in `create` and `open`, cannot be undone here and may crash. So a forked child does all
// of it first and says how far it came; what killed it is left out. (design/0013)
#include "host/plugins_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROBE_LIMIT_MS = 10000 };

typedef struct progress_t {
  uint64_t hash; // of the library that is begun
  uint64_t done; // all are open
} progress_t;

static void say(int pipe, const progress_t *line) {
  const char *at = (const char *)line;
  for (size_t left = sizeof *line; left > 0;) {
    ssize_t wrote = write(pipe, at, left);
    if (wrote <= 0)
      _exit(1);
    at += wrote;
    left -= (size_t)wrote;
  }
}

void plugin_say_begun(plugins_o *p, const plugin_t *x) {
  if (p->quiet)
    say(p->progress, &(progress_t){.hash = x->hash});
}

// A crash here is an answer, not a report of a crash of the game.
static void be_plain(void) {
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT};
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
    signal(signals[i], SIG_DFL);
}

static void run_child(plugins_o *p, const char *const *names, uint32_t count) {
  be_plain();
  p->quiet = true;
  plugin_open_all(p, names, count);
  say(p->progress, &(progress_t){.done = 1});
  _exit(0);
}

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

// The last thing that the child says. False when it does not come to an end in time.
static bool listen_to(int pipe, progress_t *last) {
  progress_t line = {0};
  size_t have = 0;
  for (int64_t end = now_ms() + PROBE_LIMIT_MS;;) {
    int64_t left = end - now_ms();
    struct pollfd ready = {.fd = pipe, .events = POLLIN};
    int n = left > 0 ? poll(&ready, 1, (int)left) : 0;
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    ssize_t got = read(pipe, (char *)&line + have, sizeof line - have);
    if (got <= 0)
      return true;
    have += (size_t)got;
    if (have == sizeof line) {
      *last = line;
      have = 0;
    }
  }
}

static void refuse(plugins_o *p, int status, bool in_time, uint64_t hash) {
  refused_t x = {.hash = hash};
  if (!in_time)
    snprintf(x.why, sizeof x.why, "it does not come back from loading within %d seconds", PROBE_LIMIT_MS / 1000);
  else if (WIFSIGNALED(status))
    snprintf(x.why, sizeof x.why, "it crashes while it is loaded: %s (signal %d)", strsignal(WTERMSIG(status)),
             WTERMSIG(status));
  else
    snprintf(x.why, sizeof x.why, "it ends the program while it is loaded (exit code %d)", WEXITSTATUS(status));
  array_push(&p->memory, &p->refused, x);
}

bool plugin_probe(plugins_o *p, const char *const *names, uint32_t count) {
  int ends[2], status = 0;
  if (pipe(ends) != 0)
    return false;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    p->progress = ends[1];
    run_child(p, names, count);
  }
  close(ends[1]);
  progress_t last = {0};
  bool in_time = child < 0 || listen_to(ends[0], &last);
  close(ends[0]);
  if (child < 0) // no memory for a child: then without it
    return false;
  if (!in_time)
    kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (last.done || last.hash == 0)
    return false;
  refuse(p, status, in_time, last.hash);
  return true;
}
