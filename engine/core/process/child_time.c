// Measures the CPU time, idle time and wall-clock time of child processes.
#include "process/child_time.h"

#include "base/now.h"
#include "process/signals.h"

// Minimum CPU time, in ns per ms of the limit: a child that uses less while the limit elapses in wall-clock time is
// considered hung.
#define IDLE_NS_PER_MS INT64_C(10000)

void child_extend_timeout(uint32_t limit_ms) {
  // Terminates the child after a wall-clock limit, even if its parent no longer exists.
  signals_set_alarm(limit_ms / 1000 * CHILD_WALL_FACTOR + 10);
}

// Returns the CPU time used by the child, or the value in `active_cpu_ns` if the CPU time is not available.
static int64_t read_cpu_time_ns(const child_t *child) {
  int64_t ns = now_process_ns(child->process);
  return ns < 0 ? child->active_cpu_ns : ns; // the CPU time is unavailable once the child has ended
}

bool child_time_has_expired(child_t *child) {
  int64_t now_ms = now_ns() / NS_PER_MS, cpu_ns = read_cpu_time_ns(child);
  if (cpu_ns - child->active_cpu_ns >= child->limit_ms * IDLE_NS_PER_MS) {
    child->active_cpu_ns = cpu_ns;
    child->last_active_ms = now_ms;
  }
  return (cpu_ns - child->start_cpu_ns) / NS_PER_MS >= child->limit_ms ||
         now_ms - child->last_active_ms >= child->limit_ms ||
         now_ms - child->start_ms >= (int64_t)child->limit_ms * CHILD_WALL_FACTOR;
}

void child_reset_time_used(child_t *child) {
  child->start_cpu_ns = child->active_cpu_ns = read_cpu_time_ns(child);
  child->start_ms = child->last_active_ms = now_ns() / NS_PER_MS;
}

// A child may write without end, so the time is also checked while messages arrive.
void child_discard_messages(child_t *child) {
  char discarded[4096];
  bool has_ended = false;
  while (!has_ended && !child->late && child_read(child, discarded, 1)) {
    child_read_some(child, discarded, sizeof discarded, &has_ended);
    child->late |= child_time_has_expired(child);
  }
}
