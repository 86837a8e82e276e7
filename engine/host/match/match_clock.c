// Filters the reports about a peer's inputs, and slews its clock.
#include "match/match_clock.h"

#define SMOOTHING 16
#define SLEW 20 // the clock is corrected by at most 1/20 of the elapsed time
#define MAX_EARLY_TICKS 6

void match_clock_reset(match_clock_t *c, int64_t now_us, int64_t tick_us, uint64_t tick) {
  c->tick_us = tick_us;
  c->base_us = c->wanted_us = now_us - (int64_t)tick * tick_us;
  c->updated_us = now_us;
  c->has_report = false;
}

static int64_t get_target_us(const match_clock_t *c) {
  int64_t target = MATCH_CLOCK_EARLY_TICKS * c->tick_us + c->deviation_us, max = MAX_EARLY_TICKS * c->tick_us;
  return target < max ? target : max;
}

void match_clock_report(match_clock_t *c, uint64_t tick, int64_t made_us, int64_t early_us) {
  int64_t wanted_us = made_us + early_us - get_target_us(c) - (int64_t)tick * c->tick_us;
  int64_t error_us = wanted_us - c->wanted_us;
  if (!c->has_report) {
    c->wanted_us = wanted_us;
    c->early_us = early_us;
    c->has_report = true;
    return;
  }
  c->wanted_us += error_us / SMOOTHING;
  c->deviation_us += ((error_us < 0 ? -error_us : error_us) - c->deviation_us) / SMOOTHING;
  c->early_us += (early_us - c->early_us) / SMOOTHING;
}

void match_clock_update(match_clock_t *c, int64_t now_us) {
  int64_t error_us = c->wanted_us - c->base_us, max_us = (now_us - c->updated_us) / SLEW;
  c->updated_us = now_us;
  if (error_us > MATCH_CLOCK_JUMP_US || error_us < -MATCH_CLOCK_JUMP_US)
    c->base_us = c->wanted_us;
  else
    c->base_us += error_us > max_us ? max_us : error_us < -max_us ? -max_us : error_us;
}

bool match_clock_is_due(const match_clock_t *c, int64_t now_us, uint64_t tick) {
  return now_us >= c->base_us + (int64_t)tick * c->tick_us;
}
