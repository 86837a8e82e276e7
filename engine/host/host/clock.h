// Fixed-timestep clock: plain data, to which callers pass the current time. Counts whole nanoseconds, so that irregular
// frames over hours yield exactly the right number of ticks.
#ifndef SHOAL_HOST_CLOCK_H
#define SHOAL_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

// Maximum number of ticks per frame. Excess ticks are dropped, so that a game on a slow machine slows down instead of
// accumulating more and more due ticks.
#define CLOCK_MAX_CATCH_UP 5u

typedef struct frame_clock_t {
  uint32_t tick_rate; // ticks per second
  bool started;
  int64_t now_ns;
  uint64_t accumulator;   // time not yet simulated, in ticks × 10⁹
  double frame_s;         // duration of the last frame in seconds, at most 1
  uint64_t dropped_ticks; // number of ticks dropped because a frame had more than CLOCK_MAX_CATCH_UP due ticks
} frame_clock_t;

void clock_init(frame_clock_t *c, uint32_t tick_rate);
// Changes the rate and keeps the elapsed fraction of a tick.
void clock_set_rate(frame_clock_t *c, uint32_t tick_rate);

// Advances the clock to `now_s`, a monotonic time in seconds. Call once per frame. Returns the number of ticks to run,
// 0 to CLOCK_MAX_CATCH_UP. The first call starts the clock and returns one tick, so that the first frame has a world to
// draw.
uint32_t clock_advance(frame_clock_t *c, double now_s);
// Advances the clock without accumulating ticks. Call while the game is paused, or after a delay such as loading.
void clock_skip(frame_clock_t *c, double now_s);

// Returns the interpolation factor between the last tick and the next: 0 ≤ alpha < 1.
float clock_alpha(const frame_clock_t *c);

#endif
