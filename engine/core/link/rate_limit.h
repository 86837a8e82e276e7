// Rate limits by the generic cell rate algorithm: one number per limit, and no work while a limit is unused.
#ifndef SHOAL_LINK_RATE_LIMIT_H
#define SHOAL_LINK_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

// A rate limit, unused when zero-initialized. Times are in microseconds and must be at least 0.
typedef struct rate_limit_t {
  int64_t due_us; // time from which the limit counts as unused
} rate_limit_t;

// Counts one event and returns true, or returns false if the event exceeds one event per interval (microseconds, at
// least 1) after a burst of `burst` events.
static inline bool rate_limit_take_interval(rate_limit_t *limit, int64_t now_us, int64_t interval_us, uint32_t burst) {
  int64_t due_us = limit->due_us > now_us ? limit->due_us : now_us;
  if (due_us - now_us >= interval_us * burst)
    return false;
  limit->due_us = due_us + interval_us;
  return true;
}

// Like rate_limit_take_interval, for `per_second` events per second, in [1, 1000000].
static inline bool rate_limit_take(rate_limit_t *limit, int64_t now_us, uint32_t per_second, uint32_t burst) {
  return rate_limit_take_interval(limit, now_us, 1000000 / per_second, burst);
}

#endif
