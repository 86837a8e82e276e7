// Child processes with pipes: fork, spawn, poll and wait. No other file forks this process.
#include "process/child.h"

#include "base/assert.h"
#include "base/files.h"
#include "base/pages.h"
#include "base/program_path.h"
#include "process/child_time.h"
#include "process/foreign_call.h"
#include "base/interrupt.h"
#include "base/now.h"
#include "process/signals.h"
#include "process/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 20 // interval at which the time limit and exit requests are checked

static void (*start_callback)(char *shared_text, size_t bytes);

void child_set_start_callback(void (*callback)(char *shared_text, size_t bytes)) {
  start_callback = callback;
}

bool child_can_fork(void) {
  return true;
}

static char *create_shared_text(void) {
  return start_callback ? pages_map_shared(CHILD_TEXT_BYTES) : NULL;
}

static void copy_shared_text(child_t *child) {
  if (!child->shared_text)
    return;
  snprintf(child->crash_location, sizeof child->crash_location, "%.*s", (int)sizeof child->crash_location - 1,
           child->shared_text);
  pages_release(child->shared_text, CHILD_TEXT_BYTES);
  child->shared_text = NULL;
}

static void set_up_child(uint32_t limit_ms) {
  signals_reset_in_child(0, true);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  child_extend_timeout(limit_ms);
  int null_device = open("/dev/null", O_WRONLY);
  dup2(null_device, STDOUT_FILENO);
  dup2(null_device, STDERR_FILENO);
  foreign_reset_after_fork();
}

bool child_begin(child_t *child, uint32_t limit_ms, void (*run)(void *context, int pipe_end), void *context) {
  shoal_assert(run && limit_ms > 0, "run must not be NULL, and limit_ms must not be 0");
  int pipe_ends[2];
  *child = (child_t){.limit_ms = limit_ms};
  if (pipe(pipe_ends) != 0)
    return false;
  fflush(NULL);
  child->shared_text = create_shared_text();
  child->process = fork();
  if (child->process == 0) {
    close(pipe_ends[0]);
    set_up_child(limit_ms);
    if (child->shared_text)
      start_callback(child->shared_text, CHILD_TEXT_BYTES);
    run(context, pipe_ends[1]);
    _exit(0);
  }
  close(pipe_ends[1]);
  child->pipe = pipe_ends[0];
  child->start_ms = child->last_active_ms = now_ns() / NS_PER_MS;
  if (child->process < 0) {
    close(pipe_ends[0]);
    copy_shared_text(child);
  }
  return child->process > 0;
}

// File descriptors of a program: silent standard streams, and the pipe's write end as PROGRAM_PIPE. Further
// descriptors, up to MAX_FILES, are closed.
#define PROGRAM_PIPE 3
#define MAX_FILES 4096

static void choose_files(posix_spawn_file_actions_t *files, int pipe_end) {
  posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(files, pipe_end, PROGRAM_PIPE);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(files, PROGRAM_PIPE + 1);
#else
  for (int file = PROGRAM_PIPE + 1; file < MAX_FILES; ++file)
    posix_spawn_file_actions_addclose(files, file);
#endif
}

// Starts a program with `pipe_end` as PROGRAM_PIPE. Returns the id of its process, or 0 on failure.
static pid_t spawn_program(const char *const *arguments, int pipe_end) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t empty_mask;
  pid_t process = 0;
  sigemptyset(&empty_mask);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  choose_files(&files, pipe_end);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &empty_mask);
  const char *path = program_path_to_execute(arguments[0]);
  if (posix_spawn(&process, path, &files, &attributes, (char *const *)(uintptr_t)arguments, environ) != 0)
    process = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return process;
}

// Limits the program's CPU time to the next whole second after `limit_ms`, and forbids core dumps. The limits hold even
// if this process ends before the program.
static void set_program_limits(pid_t process, uint32_t limit_ms) {
  rlim_t seconds = limit_ms / 1000 + 1;
  prlimit(process, RLIMIT_CPU, &(struct rlimit){seconds, seconds}, NULL);
  prlimit(process, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL);
}

bool child_begin_program(child_t *child, uint32_t limit_ms, const char *const *arguments) {
  shoal_assert(arguments && arguments[0] && limit_ms > 0, "arguments must begin with the program's name");
  int pipe_ends[2];
  *child = (child_t){.limit_ms = limit_ms};
  if (pipe(pipe_ends) != 0)
    return false;
  child->process = spawn_program(arguments, pipe_ends[1]);
  close(pipe_ends[1]);
  child->pipe = pipe_ends[0];
  child->start_ms = child->last_active_ms = now_ns() / NS_PER_MS;
  if (child->process > 0)
    set_program_limits(child->process, limit_ms);
  else
    close(pipe_ends[0]);
  return child->process > 0;
}

void child_write(int pipe_end, const void *message, size_t bytes) {
  if (!file_write_all(pipe_end, message, bytes))
    _exit(1);
}

// Waits for output from the child or the end of its stream. Returns true if the pipe is readable. Returns false and
// sets `late` if the child exceeded its limit, the program must exit, or poll failed.
static bool wait_for_output(child_t *child) {
  struct pollfd poll_fd = {.fd = child->pipe, .events = POLLIN};
  for (;;) {
    int ready = poll(&poll_fd, 1, POLL_MS);
    if (ready > 0)
      return true;
    child->interrupted = interrupt_is_requested();
    child->late = child_time_has_expired(child) || child->interrupted || (ready < 0 && errno != EINTR);
    if (child->late)
      return false;
  }
}

bool child_read(child_t *child, void *message, size_t bytes) {
  for (size_t received = 0; received < bytes;) {
    if (!wait_for_output(child))
      return false;
    ssize_t count = read(child->pipe, (char *)message + received, bytes - received);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    received += (size_t)count;
  }
  return true;
}

bool child_is_readable(child_t *child) {
  struct pollfd poll_fd = {.fd = child->pipe, .events = POLLIN};
  if (poll(&poll_fd, 1, 0) > 0)
    return true;
  child->late |= child_time_has_expired(child);
  return child->late;
}

size_t child_read_some(child_t *child, void *out, size_t bytes, bool *has_ended) {
  struct pollfd poll_fd = {.fd = child->pipe, .events = POLLIN};
  *has_ended = false;
  if (poll(&poll_fd, 1, 0) <= 0)
    return 0;
  ssize_t count = read(child->pipe, out, bytes);
  *has_ended = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
  return count > 0 ? (size_t)count : 0;
}

void child_kill(child_t *child) {
  child->late = true;
  child_end(child);
}

void child_end(child_t *child) {
  child_discard_messages(child);
  close(child->pipe);
  if (child->late)
    kill(child->process, SIGKILL);
  while (waitpid(child->process, &child->status, 0) < 0 && errno == EINTR)
    ;
  copy_shared_text(child);
}

void child_detach(child_t *child) {
  close(child->pipe);
  copy_shared_text(child);
}

static void exec_detached(const char *const *arguments) {
  int null_device = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; ++i)
    dup2(null_device, i);
  execvp(arguments[0], (char *const *)(uintptr_t)arguments);
}

bool child_launch_detached(const char *const *arguments) {
  shoal_assert(arguments && arguments[0], "arguments must begin with the program's name");
  // An intermediate process starts the program, so that the program does not become a child of this process.
  pid_t intermediate = fork();
  if (intermediate == 0) {
    if (fork() == 0)
      exec_detached(arguments);
    _exit(0);
  }
  if (intermediate > 0)
    waitpid(intermediate, NULL, 0); // the intermediate process exits immediately
  return intermediate > 0;
}

bool child_run_program(void (*run)(void *context), void *context, int *exit_code, int *signal_number) {
  signals_mask_t mask;
  int status = 0;
  signals_block_all(&mask); // signals stay blocked until they can be passed on
  pid_t program = fork();
  if (program == 0) {
    signals_restore_mask(&mask);
    run(context);
    _exit(127);
  }
  if (program > 0)
    signals_forward_termination(program);
  signals_restore_mask(&mask);
  while (program > 0 && waitpid(program, &status, 0) < 0 && errno == EINTR)
    ;
  signals_forward_termination(0);
  *signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return program > 0;
}

static void exec_command(void *arguments) {
  char *const *list = arguments;
  execvp(list[0], list);
  _exit(CHILD_MISSING_PROGRAM);
}

bool child_run_command(const char *const *arguments, int *exit_code, int *signal_number) {
  shoal_assert(arguments && arguments[0], "arguments must begin with the program's name");
  return child_run_program(exec_command, (void *)(uintptr_t)arguments, exit_code, signal_number);
}

// --- services

// Prepares a forked process to become a service. Closes all file descriptors from `first_file` on. `parent`: the id of
// the parent process.
static void begin_service(pid_t parent, int first_file) {
  signals_reset_in_child(0, true);
  signals_end_with_parent();
  if (getppid() != parent) // the parent has ended before the call above
    _exit(0);
  for (int file = first_file; file < MAX_FILES; ++file)
    close(file);
}

// Replaces this forked process with the program of a service.
static _Noreturn void exec_service(const char *const *arguments, int pipe_end, pid_t parent) {
  if (pipe_end == CHILD_SERVICE_PIPE)
    fcntl(pipe_end, F_SETFD, 0);
  else
    dup2(pipe_end, CHILD_SERVICE_PIPE);
  begin_service(parent, CHILD_SERVICE_PIPE + 1);
  execv(arguments[0], (char *const *)(uintptr_t)arguments);
  fprintf(stderr, "shoal: cannot run %s: %s\n", arguments[0], strerror(errno));
  _exit(127);
}

bool child_start_service(child_service_t *out, const char *const *arguments, error_info_t *error) {
  shoal_assert(arguments && arguments[0], "arguments must begin with the program's path");
  int ends[2];
  pid_t parent = getpid();
  *out = (child_service_t){.pipe = -1};
  if (pipe(ends) != 0)
    return error_set(error, "cannot create a pipe: %s", strerror(errno));
  fflush(NULL);
  pid_t process = fork();
  if (process == 0)
    exec_service(arguments, ends[1], parent);
  int reason = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return error_set(error, "cannot create a process: %s", strerror(reason));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  *out = (child_service_t){.process = process, .pipe = ends[0]};
  return true;
}

int child_fork_service(child_service_t *out, error_info_t *error) {
  pid_t parent = getpid();
  fflush(NULL);
  pid_t process = fork();
  if (process == 0)
    begin_service(parent, STDERR_FILENO + 1);
  if (process < 0)
    error_set(error, "cannot create a process: %s", strerror(errno));
  *out = (child_service_t){.process = process > 0 ? process : 0, .pipe = -1};
  return process;
}

_Noreturn void child_exit(int status) {
  fflush(NULL);
  _exit(status);
}

size_t child_read_service(child_service_t *service, void *out, size_t bytes) {
  ssize_t count = service->pipe >= 0 ? read(service->pipe, out, bytes) : 0;
  return count > 0 ? (size_t)count : 0;
}

bool child_service_has_ended(child_service_t *service, int *exit_code, int *signal_number) {
  int status = 0;
  if (service->process <= 0 || waitpid(service->process, &status, WNOHANG) != service->process)
    return false;
  service->process = 0;
  *signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return true;
}

void child_stop_service(const child_service_t *service, bool kills) {
  if (service->process > 0)
    kill(service->process, kills ? SIGKILL : SIGTERM);
}

void child_close_service(child_service_t *service) {
  if (service->pipe >= 0)
    close(service->pipe);
  service->pipe = -1;
}

bool child_service_use_pipe(int pipe) {
  int flags = fcntl(pipe, F_GETFL);
  return flags >= 0 && fcntl(pipe, F_SETFL, flags | O_NONBLOCK) >= 0 && fcntl(pipe, F_SETFD, FD_CLOEXEC) >= 0;
}

bool child_service_is_orphaned(int pipe) {
  return (wait_for(pipe, 0, 0) & WAIT_FAILURE) != 0;
}

void child_service_write(int pipe, const char *line, size_t bytes) {
  if (child_service_is_orphaned(pipe)) // writing would terminate this process (SIGPIPE)
    return;
  ssize_t written = write(pipe, line, bytes);
  (void)written; // the line is lost if the pipe is full
}

void child_leave_session(void) {
  setsid();
}

bool child_fork_has_exited(int child, int *exit_code) {
  int status = 0;
  if (waitpid(child, &status, WNOHANG) != child)
    return false;
  *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return true;
}

void child_fork_kill(int child) {
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

int child_fork(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  return _Fork();
#else
  return fork();
#endif
}

bool child_has_crashed(const child_t *child, int *signal_number) {
  *signal_number = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0;
  return WIFSIGNALED(child->status);
}

int child_exit_code(const child_t *child) {
  return WEXITSTATUS(child->status);
}

// Linux may first divide the processor time between sessions (sched_autogroup_enabled). Priorities then apply only
// within a session, so the process also creates its own session, with a low priority.
void process_lower_priority(process_priority_t priority) {
  int nice_value = priority == PROCESS_PRIORITY_LOWEST ? 19 : 10;
  setpriority(PRIO_PROCESS, 0, nice_value);
  if (setsid() < 0)
    return; // this process leads a process group
  int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return; // the kernel does not group sessions
  (void)dprintf(file, "%d", nice_value);
  close(file);
}

bool process_exists(long process) {
  return kill((pid_t)process, 0) == 0 || errno != ESRCH;
}

void process_kill(long process) {
  if (process > 0)
    kill((pid_t)process, SIGKILL);
}
