// Exit request, set by a signal handler and never cleared, and the pointer to the stop flag of this thread's script.
#include "base/interrupt.h"

#include <stddef.h>

static volatile int requested;

_Thread_local const volatile int *interrupt_script;

void interrupt_request(void) {
  requested = 1;
}

bool interrupt_is_requested(void) {
  return requested != 0;
}

bool interrupt_is_pending(void) {
  const volatile int *script = interrupt_script;
  return script ? *script != 0 : interrupt_is_requested();
}
