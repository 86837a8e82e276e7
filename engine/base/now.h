// What time it is, for measuring, for budgets and for waiting; never for the simulation. Async-signal-safe.
#ifndef SHOAL_BASE_NOW_H
#define SHOAL_BASE_NOW_H

#include <stdint.h>
#include <sys/types.h>

#define NOW_NS_PER_MS 1000000

int64_t now_ns(void);                  // of a clock that only goes on, from an arbitrary beginning
int64_t now_thread_ns(void);           // processor time that this thread has used
int64_t now_process_ns(pid_t process); // that a process has used; -1 when it is gone or the system does not tell
static inline double now_us(void) {
  return (double)now_ns() * 1e-3;
}
static inline double now_s(void) {
  return (double)now_ns() * 1e-9;
}

#endif
