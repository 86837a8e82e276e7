// Process ids on Windows.
#include "net_process.h"

#include <windows.h>

long net_process_id(void) {
  return (long)GetCurrentProcessId();
}
