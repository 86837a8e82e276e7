// Reads the random number generator of Windows.
#include "base/system_random.h"

#include "base/assert.h"

#include <windows.h>
#include <ntsecapi.h>

bool system_random(void *out, size_t bytes) {
  shoal_assert(bytes <= 256, "at most 256 bytes are read in one step, got %zu", bytes);
  return RtlGenRandom(out, (ULONG)bytes);
}
