// Random numbers from the system, for secrets and seeds. They must never reach the simulation.
#ifndef SHOAL_BASE_SYSTEM_RANDOM_H
#define SHOAL_BASE_SYSTEM_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

// Fills `out` with `bytes` random bytes, at most 256. Returns true on success, or false if the system provides no
// random numbers. `out` is then unchanged.
bool system_random(void *out, size_t bytes);

#endif
