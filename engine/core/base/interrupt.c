// Exit request, set by a signal handler and never cleared, and the pointer to the stop flag of this thread's script.
#include "base/interrupt.h"

#include <stddef.h>

static atomic_int requested;
static _Thread_local const atomic_int *watched;

_Thread_local const volatile int *interrupt_script;

void interrupt_request(void) {
  atomic_store(&requested, 1);
}

bool interrupt_is_requested(void) {
  const atomic_int *stop = watched;
  return atomic_load(&requested) != 0 || (stop && atomic_load(stop) != 0);
}

void interrupt_watch_flag(const atomic_int *stop) {
  watched = stop;
}

bool interrupt_is_pending(void) {
  const volatile int *script = interrupt_script;
  return script ? *script != 0 : interrupt_is_requested();
}
