// Clocks for measurements, budgets and waiting, not for the simulation. Async-signal-safe.
#ifndef SHOAL_BASE_NOW_H
#define SHOAL_BASE_NOW_H

#include <stdint.h>

#define NS_PER_MS 1000000

int64_t now_ns(void);                 // time of a monotonic clock with an arbitrary start
int64_t now_thread_ns(void);          // CPU time used by this thread
int64_t now_process_ns(long process); // CPU time of a process; -1 if the process has ended or the time is unknown
void now_sleep_ns(int64_t ns);        // suspends this thread for at least this time, regardless of signals
static inline double now_us(void) {
  return (double)now_ns() * 1e-3;
}
static inline double now_s(void) {
  return (double)now_ns() * 1e-9;
}

#endif
