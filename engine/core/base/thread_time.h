// CPU times of threads and processes on Windows. Any thread.
#ifndef SHOAL_BASE_THREAD_TIME_H
#define SHOAL_BASE_THREAD_TIME_H

#include <stdint.h>

// Returns the CPU time of a thread in ns, or -1 on failure. `thread`: a HANDLE with THREAD_QUERY_INFORMATION. The first
// call takes a lock of the loader and lasts 5 ms: call the function once before other threads are suspended. Later
// calls take no lock of this process.
int64_t thread_time_ns(void *thread);
// Returns the largest step in which thread_time_ns advances; 0 if it advances continuously.
int64_t thread_time_step_ns(void);
// Returns the CPU time of a process in ns, in steps of 16 ms, or -1 on failure. `process`: a HANDLE with
// PROCESS_QUERY_LIMITED_INFORMATION.
int64_t thread_time_of_process_ns(void *process);

#endif
