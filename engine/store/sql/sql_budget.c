// Enforces the limits of a statement: its steps and the thread's CPU time. Statements also stop when the program is
// exiting.
#include "sql/sql_internal.h"

#include "base/interrupt.h"
#include "base/now.h"

#define CHECKS_PER_CLOCK 16 // number of checks for each reading of the thread's clock, which is a system call

static bool is_over_time_limit(sql_o *s) {
  return s->deadline_ns > 0 && ++s->check_count % CHECKS_PER_CLOCK == 0 && now_thread_ns() > s->deadline_ns;
}

void sql_set_budget(sql_o *s, uint32_t ms) {
  s->deadline_ns = ms > 0 ? now_thread_ns() + (int64_t)ms * 1000000 : 0;
  s->stop_reason = SQL_STOP_NONE;
}

bool sql_can_continue(sql_o *s) {
  if (s->is_uninterruptible)
    return true;
  if (s->stop_reason == SQL_STOP_NONE && interrupt_is_pending())
    s->stop_reason = SQL_STOP_WATCHDOG;
  if (s->stop_reason == SQL_STOP_NONE && is_over_time_limit(s))
    s->stop_reason = SQL_STOP_TIME;
  return s->stop_reason == SQL_STOP_NONE;
}

bool sql_charge_steps(sql_o *s, uint64_t steps) {
  s->step_count += steps;
  if (s->stop_reason == SQL_STOP_NONE && s->max_steps > 0 && s->step_count > s->max_steps)
    s->stop_reason = SQL_STOP_STEPS;
  return sql_can_continue(s);
}
