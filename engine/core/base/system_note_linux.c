// Linux is fully tested.
#include "base/system_note.h"

#include <stddef.h>

const char *system_note(void) {
  return NULL;
}
