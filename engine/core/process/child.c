// Child processes with pipes: fork, poll and wait. No other file forks this process.
#include "process/child.h"

#include "base/assert.h"
#include "process/foreign_call.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "process/signals.h"

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 20 // interval between checks of the time limit and of the exit request
// Minimum CPU time, in ns per ms of the limit: a child that uses less while the limit elapses in wall-clock time is
// considered hung.
#define IDLE_NS_PER_MS INT64_C(10000)

void child_extend_timeout(uint32_t limit_ms) {
  // Terminate the child after a wall-clock limit, even if its parent no longer exists.
  signals_set_alarm(limit_ms / 1000 * CHILD_WALL_TIMES + 10);
}

static void (*start_callback)(char *shared_text, size_t bytes);

void child_set_start_callback(void (*callback)(char *shared_text, size_t bytes)) {
  start_callback = callback;
}

static char *create_shared_text(void) {
  void *shared_text =
      start_callback ? mmap(NULL, CHILD_TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) : NULL;
  return shared_text == MAP_FAILED ? NULL : shared_text;
}

static void copy_shared_text(child_t *c) {
  if (!c->shared_text)
    return;
  snprintf(c->where, sizeof c->where, "%.*s", (int)sizeof c->where - 1, c->shared_text);
  munmap(c->shared_text, CHILD_TEXT_BYTES);
  c->shared_text = NULL;
}

static void set_up_child(uint32_t limit_ms) {
  signals_reset_in_child(0, true);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  child_extend_timeout(limit_ms);
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  foreign_reset_after_fork();
}

bool child_begin(child_t *c, uint32_t limit_ms, void (*act)(void *context, int to), void *context) {
  shoal_assert(act && limit_ms > 0, "act must not be NULL, and limit_ms must not be 0");
  int ends[2];
  *c = (child_t){.limit_ms = limit_ms};
  if (pipe(ends) != 0)
    return false;
  fflush(NULL);
  c->shared_text = create_shared_text();
  c->process = fork();
  if (c->process == 0) {
    close(ends[0]);
    set_up_child(limit_ms);
    if (c->shared_text)
      start_callback(c->shared_text, CHILD_TEXT_BYTES);
    act(context, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  c->pipe = ends[0];
  c->start_ms = c->last_active_ms = now_ns() / NS_PER_MS;
  if (c->process < 0) {
    close(ends[0]);
    copy_shared_text(c);
  }
  return c->process > 0;
}

void child_write(int to, const void *message, size_t bytes) {
  for (const char *at = message; bytes > 0;) {
    ssize_t wrote = write(to, at, bytes);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      _exit(1);
    at += wrote;
    bytes -= (size_t)wrote;
  }
}

// Returns the CPU time used by the child, or the value in `active_cpu_ns` if the CPU time is not available.
static int64_t read_cpu_time_ns(const child_t *c) {
  int64_t ns = now_process_ns(c->process);
  return ns < 0 ? c->active_cpu_ns : ns; // not available: the child has ended
}

// Updates the child's idle time. Returns true if the child has exceeded a limit.
static bool update_timeout(child_t *c) {
  int64_t now_ms = now_ns() / NS_PER_MS, cpu_ns = read_cpu_time_ns(c);
  if (cpu_ns - c->active_cpu_ns >= c->limit_ms * IDLE_NS_PER_MS) {
    c->active_cpu_ns = cpu_ns;
    c->last_active_ms = now_ms;
  }
  return (cpu_ns - c->start_cpu_ns) / NS_PER_MS >= c->limit_ms || now_ms - c->last_active_ms >= c->limit_ms ||
         now_ms - c->start_ms >= (int64_t)c->limit_ms * CHILD_WALL_TIMES;
}

void child_reset_time_used(child_t *c) {
  c->start_cpu_ns = c->active_cpu_ns = read_cpu_time_ns(c);
  c->start_ms = c->last_active_ms = now_ns() / NS_PER_MS;
}

// Waits for output from the child or the end of its stream. Returns false and sets `late` if the child exceeded its
// limit, the program must exit, or poll failed.
static bool wait_for_output(child_t *c) {
  struct pollfd x = {.fd = c->pipe, .events = POLLIN};
  for (;;) {
    int ready = poll(&x, 1, POLL_MS);
    if (ready > 0)
      return true;
    c->interrupted = interrupt_is_requested();
    c->late = update_timeout(c) || c->interrupted || (ready < 0 && errno != EINTR);
    if (c->late)
      return false;
  }
}

bool child_read(child_t *c, void *message, size_t bytes) {
  for (size_t got = 0; got < bytes;) {
    if (!wait_for_output(c))
      return false;
    ssize_t count = read(c->pipe, (char *)message + got, bytes - got);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    got += (size_t)count;
  }
  return true;
}

bool child_is_readable(child_t *c) {
  struct pollfd x = {.fd = c->pipe, .events = POLLIN};
  if (poll(&x, 1, 0) > 0)
    return true;
  c->late |= update_timeout(c);
  return c->late;
}

void child_kill(child_t *c) {
  c->late = true;
  child_end(c);
}

void child_end(child_t *c) {
  char rest;
  while (!c->late && child_read(c, &rest, 1)) // read until the child closes its end
    ;
  close(c->pipe);
  if (c->late)
    kill(c->process, SIGKILL);
  while (waitpid(c->process, &c->status, 0) < 0 && errno == EINTR)
    ;
  copy_shared_text(c);
}

static void exec_detached(const char *const *arguments) {
  int nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; ++i)
    dup2(nowhere, i);
  execvp(arguments[0], (char *const *)(uintptr_t)arguments);
}

bool child_launch_detached(const char *const *arguments) {
  shoal_assert(arguments && arguments[0], "arguments must begin with the program's name");
  pid_t between = fork(); // fork an intermediate process, so that the program does not become a child of this process
  if (between == 0) {
    if (fork() == 0)
      exec_detached(arguments);
    _exit(0);
  }
  if (between > 0)
    waitpid(between, NULL, 0); // the intermediate process exits immediately
  return between > 0;
}

bool child_fork_has_exited(int copy, int *exit_code) {
  int status = 0;
  if (waitpid(copy, &status, WNOHANG) != copy)
    return false;
  *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return true;
}

void child_fork_kill(int copy) {
  kill(copy, SIGKILL);
  waitpid(copy, NULL, 0);
}

int child_fork(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return _Fork();
#else
  return fork();
#endif
}

bool child_has_crashed(const child_t *c, int *signal_number) {
  *signal_number = WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
  return WIFSIGNALED(c->status);
}

int child_exit_code(const child_t *c) {
  return WEXITSTATUS(c->status);
}

#else

void child_set_start_callback(void (*callback)(char *shared_text, size_t bytes)) {
  (void)callback;
}

bool child_begin(child_t *c, uint32_t limit_ms, void (*act)(void *context, int to), void *context) {
  (void)limit_ms, (void)act, (void)context;
  *c = (child_t){0};
  return false;
}

void child_write(int to, const void *message, size_t bytes) {
  (void)to, (void)message, (void)bytes;
}

bool child_read(child_t *c, void *message, size_t bytes) {
  (void)c, (void)message, (void)bytes;
  return false;
}

bool child_is_readable(child_t *c) {
  (void)c;
  return true;
}

void child_reset_time_used(child_t *c) {
  (void)c;
}

void child_extend_timeout(uint32_t limit_ms) {
  (void)limit_ms;
}

void child_kill(child_t *c) {
  (void)c;
}

void child_end(child_t *c) {
  (void)c;
}

bool child_launch_detached(const char *const *arguments) {
  (void)arguments;
  return false;
}

int child_fork(void) {
  return -1;
}

bool child_fork_has_exited(int copy, int *exit_code) {
  (void)copy;
  *exit_code = -1;
  return true;
}

void child_fork_kill(int copy) {
  (void)copy;
}

bool child_has_crashed(const child_t *c, int *signal_number) {
  (void)c;
  *signal_number = 0;
  return false;
}

int child_exit_code(const child_t *c) {
  (void)c;
  return 0;
}

#endif

bool process_exists(long process) {
  return kill((pid_t)process, 0) == 0 || errno != ESRCH;
}
