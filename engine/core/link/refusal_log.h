// Limits log lines about refused requests, which a flood of requests would otherwise cause. Plain data: valid when
// zero-initialized.
#ifndef SHOAL_LINK_REFUSAL_LOG_H
#define SHOAL_LINK_REFUSAL_LOG_H

#include "link/rate_limit.h"

#define REFUSAL_LOG_LINES 5u // maximum number of lines per second, and in a burst
#define REFUSAL_LOG_US 1000000

typedef struct refusal_log_t {
  rate_limit_t lines;
  uint32_t omitted; // number of refusals without a line since `since_us`
  int64_t since_us;
} refusal_log_t;

// Returns true if a refusal may be logged now. Returns false if the refusal must not be logged, and counts it.
static inline bool refusal_log_take(refusal_log_t *l, int64_t now_us) {
  if (rate_limit_take(&l->lines, now_us, REFUSAL_LOG_LINES, REFUSAL_LOG_LINES))
    return true;
  if (l->omitted++ == 0)
    l->since_us = now_us;
  return false;
}

// If REFUSAL_LOG_US have passed since the first omitted refusal, returns the number of omitted refusals, and resets
// this number. Otherwise returns 0.
static inline uint32_t refusal_log_take_omitted(refusal_log_t *l, int64_t now_us) {
  uint32_t omitted = now_us - l->since_us >= REFUSAL_LOG_US ? l->omitted : 0;
  l->omitted -= omitted;
  return omitted;
}

#endif
