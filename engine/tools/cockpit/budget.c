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

void budget_spend(cockpit_o *cockpit, double start_us) {
  double spent_us = budget_now_us() - start_us;
  cockpit->credit_us -= spent_us;
  cockpit->spent_us += spent_us;
}

void budget_earn(cockpit_o *cockpit) {
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  shoal_assert(now_us() >= cockpit->credit_updated_us, "the clock went backwards");
  bool is_paused = host_state.session_paused || host_state.game_paused;
  double now = now_us(), max = is_paused ? COCKPIT_HELD_FRAME_US : COCKPIT_FRAME_US;
  cockpit->credit_us = cockpit->credit_us < -MAX_DEBT_US ? -MAX_DEBT_US : cockpit->credit_us;
  cockpit->credit_us += (now - cockpit->credit_updated_us) * (is_paused ? PAUSED_SHARE : RUNNING_SHARE);
  cockpit->credit_us = cockpit->credit_us > max ? max : cockpit->credit_us;
  cockpit->credit_updated_us = now;
}
