// Threads that work behind the main one. Signals of the watchdog, of timers and of whoever ends the program are for the
// threads that they were made for, so none of these hears of them; faults of its own are told as everywhere.
#ifndef SHOAL_PROCESS_THREADS_H
#define SHOAL_PROCESS_THREADS_H

#include <pthread.h>
#include <stdbool.h>

// Calls run(context) in a thread, which is joined by whoever has made it. False when the system makes none.
bool thread_start(pthread_t *out, void *(*run)(void *), void *context);

#endif
