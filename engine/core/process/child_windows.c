// Child processes on Windows, which cannot copy a process: a function that forks reports ENOSYS, and its caller
// continues without the child. Programs run with pipes, limits and exit codes as on Linux.
#include "process/child.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/native_file.h"
#include "base/now.h"
#include "base/program_path.h"
#include "process/child_time.h"
#include "process/fault_code.h"
#include "process/signals.h"
#include "process/spawn.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define POLL_MS 20 // interval at which the time limit and exit requests are checked

static int fail_without_fork(void) {
  errno = ENOSYS;
  return -1;
}

// --- handles of children

// An open handle keeps the id of an ended process valid, and its exit code. A child's id and pipe are ints for the
// callers; values of handles have at most 32 significant bits.
typedef struct kept_t kept_t;
struct kept_t {
  kept_t *next;
  HANDLE process, job; // job: NULL if the process does not end with this process
  int id;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects `kept`
static kept_t *kept;

// Keeps the handles, which take_process returns. Returns the process's id, or 0 without memory; the handles are then
// closed and the process ended.
static int keep_process(HANDLE process, HANDLE job) {
  kept_t *k = malloc(sizeof *k);
  if (!k) {
    TerminateProcess(process, 1);
    CloseHandle(process);
    native_close(job);
    errno = ENOMEM;
    return 0;
  }
  pthread_mutex_lock(&lock);
  *k = (kept_t){.next = kept, .process = process, .job = job, .id = (int)GetProcessId(process)};
  kept = k;
  pthread_mutex_unlock(&lock);
  return k->id;
}

// Removes the handles of a process. Returns its handle and stores the handle of its job; both are NULL if the process
// is not a child.
static HANDLE take_process(int id, HANDLE *job) {
  HANDLE process = *job = NULL;
  pthread_mutex_lock(&lock);
  for (kept_t **link = &kept; *link; link = &(*link)->next)
    if ((*link)->id == id) {
      kept_t *found = *link;
      process = found->process;
      *job = found->job;
      *link = found->next;
      free(found);
      break;
    }
  pthread_mutex_unlock(&lock);
  return process;
}

static HANDLE get_pipe(int pipe_end) {
  return (HANDLE)(intptr_t)pipe_end;
}

// --- children

void child_set_start_callback(void (*callback)(char *shared_text, size_t bytes)) {
  (void)callback; // only forked children write a shared text
}

bool child_can_fork(void) {
  return false;
}

bool child_begin(child_t *child, uint32_t limit_ms, void (*run)(void *context, int pipe_end), void *context) {
  shoal_assert(run && limit_ms > 0, "run must not be NULL, and limit_ms must not be 0");
  *child = (child_t){.limit_ms = limit_ms};
  (void)run;
  (void)context;
  return fail_without_fork() == 0;
}

bool spawn_child(child_t *child, uint32_t limit_ms, spawn_t *desc, void *read_end, void *write_end) {
  HANDLE job = NULL;
  desc->job = &job;
  *child = (child_t){.limit_ms = limit_ms};
  HANDLE process = spawn_program(desc);
  native_close(write_end);
  child->process = process ? keep_process(process, job) : 0;
  if (child->process == 0) {
    native_close(read_end);
    return false;
  }
  child->pipe = (int)(intptr_t)read_end;
  child->start_ms = child->last_active_ms = now_ns() / NS_PER_MS;
  return true;
}

// The program does not use the pipe; its end of the pipe closes when it exits.
bool child_begin_program(child_t *child, uint32_t limit_ms, const char *const *arguments) {
  shoal_assert(arguments && arguments[0] && limit_ms > 0, "arguments and limit_ms must be set");
  void *read_end, *write_end;
  if (!spawn_create_pipe(&read_end, &write_end))
    return false;
  spawn_t desc = {.path = program_path_to_execute(arguments[0]),
                  .arguments = arguments,
                  .handles = {write_end},
                  .is_silent = true,
                  .limit_ms = limit_ms};
  return spawn_child(child, limit_ms, &desc, read_end, write_end);
}

void child_write(int pipe_end, const void *message, size_t bytes) {
  DWORD written;
  for (const char *next = message; bytes > 0; next += written, bytes -= written)
    if (!WriteFile(get_pipe(pipe_end), next, (DWORD)bytes, &written, NULL))
      _exit(1);
}

// Returns the number of bytes that can be read without waiting, or -1 if the other end is closed.
static int64_t count_readable(int pipe_end) {
  DWORD bytes = 0;
  return PeekNamedPipe(get_pipe(pipe_end), NULL, 0, NULL, &bytes, NULL) ? (int64_t)bytes : -1;
}

// Waits for output from the child or the end of its stream; Windows cannot wait for pipes without a name. Returns true
// if data has arrived. Returns false if the stream has ended, and also sets `late` if the child exceeded its limit or
// the program must exit.
static bool wait_for_output(child_t *child) {
  for (uint32_t pause_ms = 1;; pause_ms = pause_ms < POLL_MS ? pause_ms + 1 : POLL_MS) {
    int64_t bytes = count_readable(child->pipe);
    if (bytes != 0)
      return bytes > 0;
    child->interrupted = interrupt_is_requested();
    child->late = child_time_has_expired(child) || child->interrupted;
    if (child->late)
      return false;
    now_sleep_ns(pause_ms * (int64_t)NS_PER_MS);
  }
}

bool child_read(child_t *child, void *message, size_t bytes) {
  for (size_t received = 0; received < bytes;) {
    DWORD count = 0;
    if (!wait_for_output(child) ||
        !ReadFile(get_pipe(child->pipe), (char *)message + received, (DWORD)(bytes - received), &count, NULL))
      return false;
    received += count;
  }
  return true;
}

bool child_is_readable(child_t *child) {
  if (count_readable(child->pipe) != 0)
    return true;
  child->late |= child_time_has_expired(child);
  return child->late;
}

size_t child_read_some(child_t *child, void *out, size_t bytes, bool *has_ended) {
  DWORD count = 0;
  int64_t readable = count_readable(child->pipe);
  *has_ended = readable < 0 || (readable > 0 && !ReadFile(get_pipe(child->pipe), out, (DWORD)bytes, &count, NULL));
  return count;
}

void child_kill(child_t *child) {
  child->late = true;
  child_end(child);
}

void child_end(child_t *child) {
  child_discard_messages(child);
  CloseHandle(get_pipe(child->pipe));
  HANDLE job, process = take_process(child->process, &job);
  if (!process)
    return;
  if (child->late)
    TerminateProcess(process, fault_code_of_signal(FAULT_SIGKILL));
  child->status = (int)spawn_await_end(process);
  native_close(job);
}

void child_detach(child_t *child) {
  HANDLE job, process = take_process(child->process, &job);
  CloseHandle(get_pipe(child->pipe));
  native_close(process); // the handle of a job stays open, because closing it would end the process
}

bool child_has_crashed(const child_t *child, int *signal_number) {
  *signal_number = fault_signal_of_exit((uint32_t)child->status);
  return *signal_number != 0;
}

int child_exit_code(const child_t *child) {
  return child->status & 0xFF; // as on Linux
}

// --- programs

bool child_launch_detached(const char *const *arguments) {
  shoal_assert(arguments && arguments[0], "arguments must begin with the program's name");
  HANDLE process = spawn_program(&(spawn_t){.arguments = arguments, .is_silent = true, .is_detached = true});
  native_close(process);
  return process || errno == ENOENT; // as on Linux, a missing program is not reported
}

bool child_run_program(void (*run)(void *context), void *context, int *exit_code, int *signal_number) {
  (void)run, (void)context;
  *exit_code = *signal_number = 0;
  return fail_without_fork() == 0;
}

bool child_run_command(const char *const *arguments, int *exit_code, int *signal_number) {
  shoal_assert(arguments && arguments[0], "arguments must begin with the program's name");
  *exit_code = *signal_number = 0;
  fflush(NULL);
  HANDLE process = spawn_program(&(spawn_t){.arguments = arguments});
  if (!process && errno == ENOENT)
    *exit_code = CHILD_MISSING_PROGRAM;
  if (!process)
    return errno == ENOENT;
  signals_forward_termination((int)GetProcessId(process));
  uint32_t code = spawn_await_end(process);
  signals_forward_termination(0);
  *signal_number = fault_signal_of_exit(code);
  *exit_code = *signal_number != 0 ? 0 : (int)code;
  return true;
}

// --- services

bool child_start_service(child_service_t *out, const char *const *arguments, error_info_t *error) {
  shoal_assert(arguments && arguments[0], "arguments must begin with the program's path");
  *out = (child_service_t){.pipe = -1};
  return error_set(error, "cannot start %s: services are not supported on Windows", arguments[0]);
}

int child_fork_service(child_service_t *out, error_info_t *error) {
  *out = (child_service_t){.pipe = -1};
  error_set(error, "cannot copy this process: Windows does not support this");
  return fail_without_fork();
}

_Noreturn void child_exit(int status) {
  fflush(NULL);
  _exit(status);
}

// child_start_service never succeeds, so the following functions have no service to work on.

size_t child_read_service(child_service_t *service, void *out, size_t bytes) {
  (void)service, (void)out, (void)bytes;
  return 0;
}

bool child_service_has_ended(child_service_t *service, int *exit_code, int *signal_number) {
  (void)service, (void)exit_code, (void)signal_number;
  return false;
}

void child_stop_service(const child_service_t *service, bool kills) {
  (void)service, (void)kills;
}

void child_close_service(child_service_t *service) {
  service->pipe = -1;
}

bool child_service_use_pipe(int pipe_end) {
  (void)pipe_end;
  return false;
}

bool child_service_is_orphaned(int pipe_end) {
  (void)pipe_end;
  return true;
}

void child_service_write(int pipe_end, const char *line, size_t bytes) {
  (void)pipe_end, (void)line, (void)bytes;
}

// --- crashes, priorities and other processes

int child_fork(void) {
  return fail_without_fork();
}

// Only forked processes leave their session, and Windows does not fork.
void child_leave_session(void) {
}

bool child_fork_has_exited(int child, int *exit_code) {
  (void)child;
  *exit_code = -1;
  return true;
}

void child_fork_kill(int child) {
  (void)child;
}

void process_lower_priority(process_priority_t priority) {
  SetPriorityClass(GetCurrentProcess(),
                   priority == PROCESS_PRIORITY_LOWEST ? IDLE_PRIORITY_CLASS : BELOW_NORMAL_PRIORITY_CLASS);
}

// Returns a handle, or NULL. Process ids are multiples of 4, and OpenProcess ignores the lowest two bits.
static HANDLE open_process(long process, DWORD rights) {
  HANDLE handle = NULL;
  if (process > 0 && process % 4 == 0)
    handle = OpenProcess(rights, FALSE, (DWORD)process);
  else
    SetLastError(ERROR_INVALID_PARAMETER);
  return handle;
}

bool process_exists(long process) {
  HANDLE handle = open_process(process, SYNCHRONIZE);
  if (!handle)
    return GetLastError() == ERROR_ACCESS_DENIED; // the process of a different user
  bool exists = WaitForSingleObject(handle, 0) == WAIT_TIMEOUT;
  CloseHandle(handle);
  return exists;
}

void process_kill(long process) {
  HANDLE handle = open_process(process, PROCESS_TERMINATE);
  if (!handle)
    return;
  TerminateProcess(handle, fault_code_of_signal(FAULT_SIGKILL));
  CloseHandle(handle);
}
