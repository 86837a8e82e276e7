// Calls functions on the main thread for a background thread, which waits for the result. For work that only the main
// thread may do, such as opening plugins.
#ifndef SHOAL_PROCESS_MAIN_CALLS_H
#define SHOAL_PROCESS_MAIN_CALLS_H

#include <pthread.h>
#include <stdbool.h>

#define MAIN_CALLS_CLOSED "the main thread no longer waits for this work" // message for a failed call

typedef struct main_calls_t {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  void (*run)(void *context); // pending call; NULL: no call is pending
  void *context;
  bool closed;
} main_calls_t;

// Main thread: call before the background thread starts, and after it has ended.
void main_calls_init(main_calls_t *calls);
void main_calls_fini(main_calls_t *calls);
// Background thread: sends the thread's calls to the main thread from now on. NULL: stops sending.
void main_calls_use(main_calls_t *calls);
// Calls run(context) on the main thread and waits, or calls it directly on a thread without main_calls_use. Returns
// true after the call, or false without calling `run` if main_calls_close was called.
bool main_calls_invoke(void (*run)(void *context), void *context);
// Main thread: runs the pending call, if any. Does not wait.
void main_calls_run(main_calls_t *calls);
// Main thread: makes the pending call and all later calls fail.
void main_calls_close(main_calls_t *calls);

#endif
