// Windows is tested only with Wine.
#include "base/system_note.h"

const char *system_note(void) {
  return "Tested under Wine 8, not on Windows.";
}
