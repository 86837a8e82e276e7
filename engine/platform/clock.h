// Fixed ticks out of a clock that runs as it likes. Plain data; the time comes in as a number. Whole nanoseconds
// inside, so that hours of uneven frames give exactly the ticks that the time holds.
#ifndef SHOAL_PLATFORM_CLOCK_H
#define SHOAL_PLATFORM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// More ticks than this in one frame are given up: a machine that is too slow runs the game slower instead of never
// catching up.
#define CLOCK_MAX_CATCH_UP 5u

typedef struct frame_clock_t {
  uint32_t tick_rate; // ticks per second
  bool started;
  int64_t now_ns;
  uint64_t debt;     // time not yet simulated, in 1/(tick_rate × 10⁹) seconds: one tick is 10⁹
  double frame_s;    // between the last two advances, at most 1
  uint64_t given_up; // ticks dropped so far
} frame_clock_t;

void clock_init(frame_clock_t *c, uint32_t tick_rate);
// Keeps the fraction of a tick that has passed.
void clock_set_rate(frame_clock_t *c, uint32_t tick_rate);

// Call once a frame with monotonic seconds: returns how many ticks are due, 0 … CLOCK_MAX_CATCH_UP. They count as run.
// The first call starts the clock and gives one tick, so that the first frame shows a world.
uint32_t clock_advance(frame_clock_t *c, double now_s);
// The same without owing ticks: a paused game, or a pause that was not the game's fault (a load).
void clock_skip(frame_clock_t *c, double now_s);

// How far between the last tick and the next: 0 ≤ alpha < 1.
float clock_alpha(const frame_clock_t *c);

#endif
