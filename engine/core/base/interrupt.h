// Stop requests for long-running work: the program must exit (SIGTERM, SIGINT), a different thread no longer needs the
// result, or a script was stopped. Any thread; async-signal-safe.
#ifndef SHOAL_BASE_INTERRUPT_H
#define SHOAL_BASE_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

void interrupt_request(void);
// Defers exit requests until the process ends: they no longer interrupt any work. The program must call
// interrupt_is_exit_requested between units of work.
void interrupt_defer_exit(void);
// Returns true after a request to exit, including a deferred request.
bool interrupt_is_exit_requested(void);
// Returns true after a request to exit that is not deferred, or if the flag of the calling thread
// (interrupt_watch_flag) is non-zero.
bool interrupt_is_requested(void);
// interrupt_thread returns a pointer that identifies the calling thread, valid while this thread runs. Any thread may
// pass it to interrupt_is_requested_on, which returns the result of interrupt_is_requested for the identified thread.
typedef const atomic_int *interrupt_thread_t;
const interrupt_thread_t *interrupt_thread(void);
bool interrupt_is_requested_on(const interrupt_thread_t *thread);
// From now on, a non-zero `*flag` interrupts the work of the calling thread. NULL removes the flag.
void interrupt_watch_flag(const atomic_int *flag);

// Returns true if long work must stop: inside a script, if the script was stopped; otherwise, if interrupt_is_requested
// returns true.
bool interrupt_is_pending(void);

// Points to a value that becomes non-zero when the watchdog stops this thread's script; NULL outside scripts.
extern _Thread_local const volatile int *interrupt_script_flag;

#endif
