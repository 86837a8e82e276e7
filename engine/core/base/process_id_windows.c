// Process id on Windows.
#include "base/process_id.h"

#include <windows.h>

long process_id(void) {
  return (long)GetCurrentProcessId();
}
