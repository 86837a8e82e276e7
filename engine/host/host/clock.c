// Accumulates time in whole nanoseconds and computes the number of ticks due. A single call adds at most one second.
#include "host/clock.h"

#include "base/assert.h"

#include <math.h>

#define NS_PER_S 1000000000

void clock_init(frame_clock_t *c, uint32_t tick_rate) {
  shoal_assert(tick_rate > 0, "tick_rate must not be 0");
  *c = (frame_clock_t){.tick_rate = tick_rate};
}

void clock_set_rate(frame_clock_t *c, uint32_t tick_rate) {
  shoal_assert(tick_rate > 0, "tick_rate must not be 0");
  // `accumulator` stays valid, because its unit is 10⁻⁹ ticks: the elapsed fraction of a tick is preserved.
  c->tick_rate = tick_rate;
}

// Advances the clock and returns the elapsed time in nanoseconds, at most one second.
static uint64_t advance_time(frame_clock_t *clock, double now_s) {
  int64_t now_ns = (int64_t)llround(now_s * NS_PER_S);
  int64_t elapsed_ns = clock->started ? now_ns - clock->now_ns : 0;
  if (elapsed_ns >= 0)
    clock->now_ns = now_ns;
  else
    elapsed_ns = 0; // a previous call, such as clock_skip, has passed a later time
  clock->started = true;
  if (elapsed_ns > NS_PER_S)
    elapsed_ns = NS_PER_S;
  clock->frame_s = (double)elapsed_ns / NS_PER_S;
  return (uint64_t)elapsed_ns;
}

uint32_t clock_advance(frame_clock_t *clock, double now_s) {
  bool is_first = !clock->started;
  clock->accumulator += advance_time(clock, now_s) * clock->tick_rate;
  if (is_first)
    clock->accumulator += NS_PER_S;
  uint64_t due_ticks = clock->accumulator / NS_PER_S;
  clock->accumulator %= NS_PER_S;
  if (due_ticks <= CLOCK_MAX_CATCH_UP)
    return (uint32_t)due_ticks;
  clock->dropped_ticks += due_ticks - CLOCK_MAX_CATCH_UP;
  return CLOCK_MAX_CATCH_UP;
}

void clock_skip(frame_clock_t *c, double now_s) {
  advance_time(c, now_s);
}

float clock_alpha(const frame_clock_t *c) {
  shoal_assert(c->accumulator < NS_PER_S, "the remaining time must be less than a tick");
  float alpha = (float)((double)c->accumulator / NS_PER_S);
  return alpha < 1.0f ? alpha : 0.99999994f; // largest float below 1
}
