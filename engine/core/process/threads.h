// Background threads, which block the signals of the watchdog, timers and exit requests, so that the remaining threads
// handle these signals. Faults of background threads are handled as usual.
#ifndef SHOAL_PROCESS_THREADS_H
#define SHOAL_PROCESS_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// Calls run(context) on a new thread, which the caller must join. Returns true on success, or false if the system
// cannot create a thread.
bool thread_start(pthread_t *out, void *(*run)(void *), void *context);
// Joins a thread that ends within `limit_ms`. Returns true on success, or false if the thread continues, and must be
// joined later. Changes to the system time do not affect the limit.
bool thread_join_within(pthread_t thread, uint32_t limit_ms);
// Returns the CPU time that a thread has used, in ns. Call this before the thread is joined; the time of an ended
// thread may be 0.
int64_t thread_cpu_ns(pthread_t thread);
// Calls `callback` in each process that is forked, in its only thread, except with child_fork (process/child.h). Does
// nothing on systems that cannot copy a process.
void threads_at_fork(void (*callback)(void));
// Lowers the priority of the calling thread (in a child process, of all its threads), for work that must not delay
// frames. Cannot be undone.
void thread_lower_priority(void);

uint32_t threads_count(void);       // returns the number of threads of this process, 0 if unknown
uint32_t threads_count_cores(void); // returns the number of cores that this process may use, at least 1

#endif
