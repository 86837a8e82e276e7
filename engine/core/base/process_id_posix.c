// Process id on POSIX systems.
#include "base/process_id.h"

#include <unistd.h>

long process_id(void) {
  return getpid();
}
