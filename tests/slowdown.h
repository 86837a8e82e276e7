// Slowdown of this machine relative to an idle Zen 4 core, as measured by tests/run; at least 1.
#pragma once
#include <stdlib.h>

static inline double read_slowdown(const char *variable) {
  const char *percent = getenv(variable);
  return percent && atof(percent) > 100 ? atof(percent) / 100 : 1;
}

// Returns the factor for limits on CPU time.
static inline double cpu_slowdown(void) {
  return read_slowdown("SLOW_CPU");
}

// Returns the factor for limits on wall time, which grows with the load.
static inline double wall_slowdown(void) {
  return read_slowdown("SLOW");
}
