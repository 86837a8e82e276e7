// CPU times of threads on Windows. Any thread.
#ifndef SHOAL_BASE_THREAD_TIME_H
#define SHOAL_BASE_THREAD_TIME_H

#include <stdint.h>

// Returns the CPU time of a thread in ns, or -1 on failure. `thread`: a HANDLE with THREAD_QUERY_INFORMATION. Takes no
// lock of this process, except that the first call takes 5 ms: call it once before other threads are suspended.
int64_t thread_time_ns(void *thread);
// Returns the largest step in which thread_time_ns advances; 0 if it advances continuously.
int64_t thread_time_step_ns(void);

#endif
