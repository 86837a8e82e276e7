// Stores the exit request (never cleared), whether it is deferred, and, for each thread, the addresses of the flags
// that stop its work.
#include "base/interrupt.h"

#include <stddef.h>

static atomic_int exit_requested, exit_deferred;
static _Thread_local interrupt_thread_t watched_flag;

_Thread_local const volatile int *interrupt_script_flag;

void interrupt_request(void) {
  atomic_store(&exit_requested, 1);
}

void interrupt_defer_exit(void) {
  atomic_store(&exit_deferred, 1);
}

bool interrupt_is_exit_requested(void) {
  return atomic_load(&exit_requested) != 0;
}

const interrupt_thread_t *interrupt_thread(void) {
  return &watched_flag;
}

bool interrupt_is_requested(void) {
  return interrupt_is_requested_on(&watched_flag);
}

bool interrupt_is_requested_on(const interrupt_thread_t *thread) {
  const atomic_int *flag = *thread;
  return (interrupt_is_exit_requested() && atomic_load(&exit_deferred) == 0) || (flag && atomic_load(flag) != 0);
}

void interrupt_watch_flag(const atomic_int *flag) {
  watched_flag = flag;
}

bool interrupt_is_pending(void) {
  const volatile int *script_flag = interrupt_script_flag;
  return script_flag ? *script_flag != 0 : interrupt_is_requested();
}
