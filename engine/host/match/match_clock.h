// A peer's clock: decides when each tick is due, so that inputs reach the host shortly before their tick. The host
// reports how early each input arrived. From each report, the clock computes the time at which that input should have
// been created. This time does not depend on later corrections of the clock, so the delay of the reports causes no
// oscillation.
#ifndef SHOAL_MATCH_MATCH_CLOCK_H
#define SHOAL_MATCH_MATCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define MATCH_CLOCK_EARLY_TICKS 2 // target lead of the inputs, in addition to the mean deviation of their delays
#define MATCH_CLOCK_JUMP_US 250000

typedef struct match_clock_t {
  int64_t tick_us;
  int64_t base_us;      // an input for tick t is due at base_us + t * tick_us
  int64_t wanted_us;    // smoothed target of base_us
  int64_t deviation_us; // mean deviation of the reports
  int64_t early_us;     // smoothed lead of the inputs, as reported
  int64_t updated_us;
  bool has_report;
} match_clock_t;

// Sets the clock so that an input for `tick` is due now. Keeps the measured deviation.
void match_clock_reset(match_clock_t *c, int64_t now_us, int64_t tick_us, uint64_t tick);
// Adds a report: the input for `tick`, created at `made_us`, arrived `early_us` before its tick. A negative `early_us`
// means that the input was late.
void match_clock_report(match_clock_t *c, uint64_t tick, int64_t made_us, int64_t early_us);
// Moves the clock towards its target, by at most 5 % of the time since the last update. If the target is far away,
// jumps to it.
void match_clock_update(match_clock_t *c, int64_t now_us);
// Returns true if an input for `tick` is due.
bool match_clock_is_due(const match_clock_t *c, int64_t now_us, uint64_t tick);

#endif
