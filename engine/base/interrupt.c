// A flag that a signal handler sets and that is never taken back, and who knows more than the flag.
#include "base/interrupt.h"

#include <stddef.h>

static volatile int asked;
static bool (*volatile looks)(void);

void interrupt_ask(void) {
  asked = 1;
}

bool interrupt_asked(void) {
  return asked != 0;
}

bool interrupt_wanted(void) {
  bool (*look)(void) = looks;
  return look ? look() : interrupt_asked();
}

void interrupt_look_with(bool (*look)(void)) {
  looks = look;
}
