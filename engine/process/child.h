// A forked child process that runs code which may crash or hang, and reports through a pipe. This process is not
// changed. The child is silent: no output, core dump or crash report.
//
// The child has a limit of processor time, so a busy machine does not shorten it. A child that uses less than a
// hundredth of the limit in as many milliseconds is considered hung, and after CHILD_WALL_TIMES the limit in wall-clock
// time it is late in any case.
//
// The child has a single thread, and locks held by other threads stay locked: it must not enter libraries whose own
// threads are missing (such as plugins with threads), and the host's job pool must be told with jobs_after_fork. Main
// thread.
#ifndef SHOAL_PROCESS_CHILD_H
#define SHOAL_PROCESS_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHILD_WALL_TIMES 6u
#define CHILD_TEXT_BYTES 512u

typedef struct child_t {
  int process, pipe; // read end
  uint32_t limit_ms;
  int64_t began_ms;
  int64_t before_ns;            // processor time before the last child_restart_limit, which does not count
  int64_t spent_ns, moved_ms;   // last known processor time, and when it last grew noticeably
  bool late;                    // the child exceeded its limit
  bool interrupted;             // the program was asked to exit meanwhile
  int status;                   // from waitpid, after child_end
  char *words;                  // memory shared by both processes; NULL without child_on_start
  char where[CHILD_TEXT_BYTES]; // after child_end: the text that the child left there; "" if none
} child_t;

// Sets a function that each child calls first. It receives `words`, an empty buffer of `bytes` that may be written
// until the child ends, also in signal handlers. NULL: none.
void child_on_start(void (*prepare)(char *words, size_t bytes));

// Forks and calls act(context, to) in the child, which exits with 0 when it returns. Returns false if the system cannot
// fork.
bool child_begin(child_t *c, uint32_t limit_ms, void (*act)(void *context, int to), void *context);
// Writes a message to the pipe. In the child, which exits if the parent has closed its end.
void child_write(int to, const void *message, size_t bytes);
// Reads the next message of `bytes`. Returns false if the other end is closed, the child is late, or the program must
// exit.
bool child_read(child_t *c, void *message, size_t bytes);
// Returns, without waiting, whether the child has sent data, has ended, or is late.
bool child_is_readable(child_t *c);
// Restarts the child's limit, when it does several tasks in a row. The child restarts its own timeout with
// child_extend_timeout.
void child_restart_limit(child_t *c);
void child_extend_timeout(uint32_t limit_ms);
// Waits for the child to end; kills it if it is late.
void child_end(child_t *c);
void child_kill(child_t *c); // kills it immediately; instead of child_end

// Starts the program words[0] (searched in PATH) with a NULL-terminated argument list, detached: this process does not
// wait for it, and its standard streams are closed. Returns false if the system cannot create a process; whether the
// program exists is unknown.
bool child_launch(const char *const *words);
// Forks for a process that is crashing: returns 0 in the child, its process id here, or a negative number on failure.
// Does not call fork handlers, which take locks that the crashed thread may hold.
int child_copy(void);
// Returns whether such a child has ended; *exit_code is then its exit code, or -1 if it crashed.
bool child_copy_ended(int copy, int *exit_code);
void child_copy_kill(int copy);

bool child_crashed(const child_t *c, int *signal); // by which signal
int child_exit_code(const child_t *c);             // of a child that has not crashed

#endif
