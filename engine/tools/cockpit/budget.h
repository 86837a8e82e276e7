// Limits the CPU time that the cockpit takes from the game: credit accrues over time and is spent by requests.
#ifndef SHOAL_COCKPIT_BUDGET_H
#define SHOAL_COCKPIT_BUDGET_H

typedef struct cockpit_o cockpit_o;

// Returns the CPU time of this thread in µs, so that the time of other threads and programs does not count towards a
// request.
double budget_now_us(void);
// Subtracts the time since `start_us` (from budget_now_us) from the credit.
void budget_spend(cockpit_o *cockpit, double start_us);
// Adds credit for the time since the last call. Must be called once per frame.
void budget_earn(cockpit_o *cockpit);

#endif
