// Returns the id of this process with getpid.
#include "base/process_id.h"

#include <unistd.h>

long process_id(void) {
  return getpid();
}
