// Reads the kernel's random number generator. Signals do not interrupt a read of up to 256 bytes.
#include "base/system_random.h"

#include "base/assert.h"

#include <sys/random.h>

bool system_random(void *out, size_t bytes) {
  shoal_assert(bytes <= 256, "at most 256 bytes are read in one step, got %zu", bytes);
  return getrandom(out, bytes, 0) == (ssize_t)bytes;
}
