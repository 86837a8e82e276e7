// Forks a crashing process once for each part of a report, one fork at a time.
#include "crash/report_stage.h"

#include "base/assert.h"
#include "base/now.h"
#include "base/standard_streams.h"
#include "process/child.h"
#include "process/signals.h"
#include "process/supervised_program.h"

#include <stdlib.h>

// Limit for the CPU time of each part, and for the time without progress.
#define STAGE_LIMIT_MS 3000
#define ORPHAN_TIMEOUT_S 60u // seconds after which the child terminates, even if its parent has exited

// Waits for the child to exit as long as it makes progress, even if it is slow on a busy machine. Returns true if the
// child has exited, or false if it makes no progress or exceeds its CPU time.
static bool wait_for_child(int child, int *exit_code) {
  int64_t used_ms = 0; // CPU time of the child in ms
  for (int idle_ms = 0; idle_ms < STAGE_LIMIT_MS && used_ms < STAGE_LIMIT_MS; idle_ms += 5) {
    if (child_fork_has_exited(child, exit_code))
      return true;
    int64_t now_ms = now_process_ns(child) / NS_PER_MS;
    idle_ms = now_ms > used_ms ? 0 : idle_ms;
    used_ms = now_ms > used_ms ? now_ms : used_ms;
    now_sleep_ns(5 * NS_PER_MS);
  }
  return false;
}

// A fork needs no preparation.
void crash_prepare_stages(void) {
}

bool crash_run_stage(void (*run)(const void *context), const void *context) {
  shoal_assert(run, "run must not be NULL");
  int child = child_fork(), exit_code = 0;
  if (child < 0)
    return false;
  if (child == 0) {
    signals_reset_in_child(ORPHAN_TIMEOUT_S, false);
    run(context);
    _Exit(0);
  }
  if (wait_for_child(child, &exit_code))
    return exit_code == 0;
  child_fork_kill(child);
  return false;
}

void crash_fail_stage(void) {
  _Exit(1);
}

// A fault ends the child that runs a part.
void crash_leave_stage(void) {
}

static void replace_with_program(const void *arguments) {
  standard_error_silence();
  supervised_replace_process((char *const *)(uintptr_t)arguments);
}

bool crash_run_program(const char *const *arguments) {
  return crash_run_stage(replace_with_program, arguments);
}

static void start_program(const void *arguments) {
  signals_set_alarm(0);
  child_leave_session();
  if (child_fork() == 0)
    supervised_replace_process((char *const *)(uintptr_t)arguments);
}

bool crash_start_program(const char *const *arguments) {
  return crash_run_stage(start_program, arguments);
}
