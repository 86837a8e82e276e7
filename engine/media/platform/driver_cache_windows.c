// Drivers for Windows do not use Mesa's shader cache.
#include "platform/driver_cache.h"

bool driver_cache_check_space(void) {
  return false;
}
