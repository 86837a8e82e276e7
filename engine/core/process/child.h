// A child process that runs code which may crash or hang, and reports through a pipe. The state of the parent
// does not change. The child is silent: it writes no output, core dump or crash report.
//
// The child's limit is in CPU time, so that a busy machine does not reduce the available time. A child is considered
// hung if it uses less than 1 % of its limit in CPU time within a wall-clock time equal to the limit. A child that runs
// longer than CHILD_WALL_FACTOR times its limit in wall-clock time is always considered late.
//
// Only the forking thread exists in the child, and locks held by other threads stay locked. The child must therefore
// not call libraries whose threads are missing (such as plugins with threads), and must call jobs_reset_after_fork for
// the host's job pool. Main thread only.
#ifndef SHOAL_PROCESS_CHILD_H
#define SHOAL_PROCESS_CHILD_H

#include "base/error.h"
#include "base/process_id.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHILD_WALL_FACTOR 6u
#define CHILD_TEXT_BYTES 512u

typedef struct child_t {
  int process; // id of the child
  int pipe;    // read end of the pipe
  uint32_t limit_ms;
  int64_t start_ms;
  int64_t start_cpu_ns;  // CPU time used before the most recent child_reset_time_used; does not count towards the limit
  int64_t active_cpu_ns; // CPU time of the child, updated each time it has grown by 1 % of the limit
  int64_t last_active_ms; // wall-clock time of the last update of `active_cpu_ns`
  // true if child_end must kill the child, because it exceeded its limit, the program must exit, or waiting failed
  bool late;
  bool interrupted;  // true if an exit request (base/interrupt.h) arrived while waiting for the child
  int status;        // status from waitpid, set by child_end
  char *shared_text; // memory shared with the child until child_end; NULL: no start callback or no memory
  char crash_location[CHILD_TEXT_BYTES]; // copy of the shared text, set by child_end; "" if the child wrote no location
} child_t;

// Sets the function that each child calls first; NULL removes it. `shared_text` is an empty buffer of `bytes` bytes, to
// which the child may write until it ends, even in signal handlers.
void child_set_start_callback(void (*callback)(char *shared_text, size_t bytes));

// Returns true if the system can copy a process, or false if all functions below that fork fail.
bool child_can_fork(void);
// Forks and calls run(context, pipe_end) in the child, which exits with status 0 when the call returns. Returns true on
// success, or false if the system cannot create a pipe or a process.
bool child_begin(child_t *child, uint32_t limit_ms, void (*run)(void *context, int pipe), void *context);
// Runs this process's executable with these arguments (the list ends with NULL; arguments[0] is used if the executable
// is unknown). Unlike a fork, does not copy memory. The program is silent. It inherits the priority of the calling
// thread, but no files except standard input; its end of the pipe closes when it exits. On Linux, it is killed at the
// next whole second of CPU time after `limit_ms`, even if this process has ended. Returns true on success, or false if
// the system cannot create a process. Any thread; call the other functions on the main thread.
bool child_begin_program(child_t *child, uint32_t limit_ms, const char *const *arguments);
// Writes a message to the pipe. Call in the child, which exits if the write fails, for example because the parent has
// closed the pipe.
void child_write(int pipe_end, const void *message, size_t bytes);
// Reads the next message of `bytes` bytes. Returns true on success, or false if the child has closed its end or is
// late, if the program must exit, or if reading fails.
bool child_read(child_t *child, void *message, size_t bytes);
// Returns true if the child has sent data, has ended, or is late. Does not wait.
bool child_is_readable(child_t *child);
// Reads up to `bytes` bytes that the child has sent. Does not wait. Returns the number of bytes read, or 0 if no unread
// bytes have arrived. *has_ended receives true if the child has closed its end or reading has failed, otherwise false.
size_t child_read_some(child_t *child, void *out, size_t bytes, bool *has_ended);
// child_reset_time_used restarts the limit of a child that does several tasks sequentially. In addition, the child must
// call child_extend_timeout, which restarts its own timeout.
void child_reset_time_used(child_t *child);
void child_extend_timeout(uint32_t limit_ms);
// Waits for the child to end, discarding its remaining messages, and kills the child if it is `late`. Sets `status` and
// `crash_location`.
void child_end(child_t *child);
// Kills the child immediately. Call this instead of child_end.
void child_kill(child_t *child);
// Makes the child independent of this process, which the child may outlive. Call this instead of child_end.
void child_detach(child_t *child);

// Starts the program arguments[0], searched in PATH. The list ends with NULL. The program is detached: this process
// does not wait for it, and its standard streams are connected to /dev/null. Returns true on success, or false if the
// system cannot create a process; does not report whether the program exists.
bool child_launch_detached(const char *const *arguments);
// Runs a program in a child process and waits for its end. The child calls run(context), which must replace the process
// with the program, or exit. Passes on exit requests that only this process receives; requests from the terminal reach
// the program directly. Stores the exit code of the program and, if a signal has terminated it, the signal (otherwise
// 0). Returns true on success, or false if the system cannot create a process.
bool child_run_program(void (*run)(void *context), void *context, int *exit_code, int *signal);
#define CHILD_MISSING_PROGRAM 127 // exit code of child_run_command if the program cannot be executed
// Like child_run_program, but runs the program arguments[0], which is searched in PATH, with these arguments (the list
// ends with NULL). The program shares the standard streams of this process.
bool child_run_command(const char *const *arguments, int *exit_code, int *signal);

// A service: a program that runs in parallel with this process, writes lines to a pipe, shares the standard streams of
// this process, and ends on its own or when it is stopped. If this process ends, the service receives SIGTERM.
typedef struct child_service_t {
  int process; // id of the process; 0: not running
  int pipe;    // read end of the pipe; -1: closed
} child_service_t;

#define CHILD_SERVICE_PIPE 3 // file descriptor of the pipe's write end in the service

// Starts the program arguments[0], a path, with these arguments (the list ends with NULL). Returns true on success, or
// false with a message if the system cannot create a pipe or a process. A program that cannot be executed ends with
// exit code 127.
bool child_start_service(child_service_t *out, const char *const *arguments, error_info_t *error);
// Forks a service without a pipe, and closes all its files except the standard streams. No other thread of this process
// may hold a lock. Returns 0 in the service, which must end with child_exit. In this process, returns the id of the
// service's process, or a negative number with a message if the system cannot create a process.
int child_fork_service(child_service_t *out, error_info_t *error);
// Ends this forked process without calling the atexit handlers of its parent.
_Noreturn void child_exit(int status);
// Reads up to `bytes` bytes that the service has written. Does not wait. Returns the number of bytes, or 0 if no bytes
// are available.
size_t child_read_service(child_service_t *service, void *out, size_t bytes);
// Returns true if the service has ended, and stores its exit code and the signal that has terminated it (0: no signal).
// Does not wait. Data in the pipe can still be read; call child_close_service afterwards.
bool child_service_has_ended(child_service_t *service, int *exit_code, int *signal);
// Requests that a service ends (SIGTERM), or kills it if `kills` is true (SIGKILL). Does nothing if the service is not
// running.
void child_stop_service(const child_service_t *service, bool kills);
// Closes the pipe. Accepts a closed pipe.
void child_close_service(child_service_t *service);

// --- functions for the process of a service

// Prepares the service's end of the pipe: writing never blocks, and programs that the service starts do not inherit it.
// Returns true on success, or false if the descriptor is not open.
bool child_service_use_pipe(int pipe);
// Returns true if the process that has started the service has closed the pipe or ended.
bool child_service_is_orphaned(int pipe);
// Writes a line, which is lost if the pipe is full. Does nothing in an orphaned service.
void child_service_write(int pipe, const char *line, size_t bytes);

// --- crashes, exit codes and priorities

// Forks a crashing process. Returns 0 in the child and the child's id in the parent, or a negative number on failure.
// With glibc 2.34 or newer, does not call fork handlers, which may take locks held by the crashed thread.
int child_fork(void);
// Makes this process independent of its terminal, unless it leads a process group. Async-signal-safe.
void child_leave_session(void);
// Returns true if a child of child_fork has ended. Stores its exit code in *exit_code, or -1 if it crashed.
bool child_fork_has_exited(int child, int *exit_code);
// Kills a child of child_fork and waits for it to exit.
void child_fork_kill(int child);

// Returns true if a signal terminated the child, and stores the signal.
bool child_has_crashed(const child_t *child, int *signal);
// Returns the exit code of a child that has not crashed.
int child_exit_code(const child_t *child);

typedef enum process_priority_t {
  PROCESS_PRIORITY_LOW,   // low priority: processes with normal priority have precedence
  PROCESS_PRIORITY_LOWEST // lowest priority: runs mainly while the processor would otherwise be idle
} process_priority_t;

// Lowers the priority of the calling thread, and of the threads that it starts, until the process ends. The process
// leaves its session, unless it leads a process group, so that signals from a terminal no longer reach it.
void process_lower_priority(process_priority_t priority);
// Returns true if a process with this id exists.
bool process_exists(long process);
// Kills the process with this id, which need not be a child. Does nothing if the process does not exist.
void process_kill(long process);

#endif
