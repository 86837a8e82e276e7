// Process ids on POSIX systems.
#include "net_process.h"

#include <unistd.h>

long net_process_id(void) {
  return getpid();
}
