// Limits the CPU time that the cockpit takes from the game: credit accrues over time and is spent by requests.
#include "cockpit/budget.h"

#include "base/assert.h"
#include "base/limits.h"
#include "base/now.h"
#include "cockpit/cockpit_state.h"

#define RUNNING_SHARE 0.018 // fraction of elapsed time while ticks run: 0.3 ms per tick at 60 Hz
#define PAUSED_SHARE 0.25   // fraction of elapsed time while the game is paused or held
#define MAX_DEBT_US 20000.0 // maximum debt; the excess of a longer request is not charged

double budget_now_us(void) {
  return (double)now_thread_ns() * 1e-3;
}

void budget_spend(cockpit_o *c, double start_us) {
  double spent_us = budget_now_us() - start_us;
  c->credit_us -= spent_us;
  c->spent_us += spent_us;
}

void budget_earn(cockpit_o *c) {
  host_state_t host_state;
  host_get_state(c->host, &host_state);
  shoal_assert(now_us() >= c->credit_updated_us, "the clock went backwards");
  bool is_paused = host_state.held || host_state.paused;
  double now = now_us(), max = is_paused ? COCKPIT_HELD_FRAME_US : COCKPIT_FRAME_US;
  c->credit_us = c->credit_us < -MAX_DEBT_US ? -MAX_DEBT_US : c->credit_us;
  c->credit_us += (now - c->credit_updated_us) * (is_paused ? PAUSED_SHARE : RUNNING_SHARE);
  c->credit_us = c->credit_us > max ? max : c->credit_us;
  c->credit_updated_us = now;
}
