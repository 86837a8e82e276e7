// A timer that sends a signal to the thread that armed it, again and again until it is told to rest: for those who look
// from a signal handler at what the thread is doing. Each thread has its own, in thread-local memory that begins as
// zeros; it is deleted when the thread ends. POSIX timers with SIGEV_THREAD_ID: where they are missing nothing is ever
// signalled.
#ifndef SHOAL_BASE_THREAD_TIMER_H
#define SHOAL_BASE_THREAD_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct thread_timer_t thread_timer_t;
struct thread_timer_t {
  volatile bool armed;
  bool is_there, tried;
  uint32_t period_us;
  timer_t timer;
  thread_timer_t *next; // of the same thread
};

// Signals `signal` every `period_us`, or more often if it does already. The handler must be installed. False when
// there is no such timer.
bool thread_timer_arm(thread_timer_t *t, int signal, uint32_t period_us);

// Of the handler, and so async-signal-safe.
void thread_timer_hurry(thread_timer_t *t, uint32_t period_us); // signals more often from now on
void thread_timer_relax(thread_timer_t *t, uint32_t period_us); // at most so often
void thread_timer_rest(thread_timer_t *t);                      // not any more, until it is armed

// In a child after fork, which has no timers. `again`: arming makes a new one; otherwise it is refused from now on.
void thread_timer_after_fork(thread_timer_t *t, bool again);

#endif
