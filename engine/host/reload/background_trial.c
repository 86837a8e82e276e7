// Runs reload_try_in_child in a child process and receives the verdict. Meanwhile, loads the new version.
#include "reload/background_trial.h"

#include "base/assert.h"
#include "process/jobs.h"
#include "process/threads.h"
#include "reload/reload.h"
#include "watchdog/watchdog.h"

#include <string.h>

// CPU time limit of a fork in milliseconds. Scripts and trial ticks in the child have shorter limits.
#define LIMIT_MS (BUDGET_LOAD_MS * 2u + RELOAD_LONG_TRIAL_MS)

typedef struct trial_input_t {
  game_o *old;
  const game_desc_t *desc;
  snapshot_o *snapshot;
} trial_input_t;

static void run_in_child(void *context, int to) {
  const trial_input_t *input = context;
  game_desc_t desc = *input->desc;
  reload_verdict_t verdict;
  memset(&verdict, 0, sizeof verdict);
  thread_lower_priority();
  audio_mute(desc.audio, true);
  log_mute(desc.log, true); // the log file belongs to the parent, which logs the same lines when it reloads
  watchdog_reset_after_fork();
  jobs_reset_after_fork(desc.jobs);
  if (desc.external)
    external_clear_assets(desc.external); // the cached results may be stale: files may have been added
  desc.in_fork = true;
  desc.render = NULL; // the parent's graphics context must not be used
  reload_try_in_child(input->old, &desc, input->snapshot, &verdict);
  child_write(to, &verdict, sizeof verdict);
}

static bool begin_fork(background_trial_t *t, game_o *old, const game_desc_t *desc) {
  trial_input_t input = {.old = old, .desc = desc};
  bool ok = true;
  if (plugins_are_open(old->plugins)) { // an old library could wait for locks of threads that the child lacks
    input.snapshot = snapshot_create(&old->memory);
    ok = snapshot_take(input.snapshot, old->world, NULL);
  }
  ok = ok && child_begin(&t->child, LIMIT_MS, run_in_child, &input);
  if (input.snapshot)
    snapshot_release(input.snapshot);
  return ok;
}

bool background_trial_begin(background_trial_t *t, game_o *old, const game_desc_t *desc) {
  shoal_assert(!world_is_deferring(old->world), "cannot try a reload while a system runs");
  error_info_t error;
  background_trial_abandon(t);
  if (!plugins_stop_threads(&error))
    return false;
  t->running = child_can_fork() ? begin_fork(t, old, desc) : trial_task_begin(&t->task, &t->child, old, desc);
  t->old = old;
  if (t->running) // the thread starts after the fork, because the child must not inherit locks that the thread holds
    background_load_begin(&t->load, desc);
  return t->running;
}

bool background_trial_poll(background_trial_t *t, reload_verdict_t *out, game_o **loaded) {
  *loaded = NULL;
  if (t->running && !t->has_verdict && trial_task_is_readable(&t->task, &t->child)) {
    trial_task_receive(&t->task, &t->child, t->old, &t->verdict);
    t->has_verdict = true;
  }
  bool passed = t->has_verdict && t->verdict.passed;
  if (!t->has_verdict || (passed && t->load.running && !background_load_poll(&t->load)))
    return false;
  *out = t->verdict;
  if (passed && t->load.running)
    *loaded = background_load_end(&t->load);
  background_load_abandon(&t->load);
  t->running = t->has_verdict = false;
  t->restart_count = 0;
  return true;
}

void background_trial_abandon(background_trial_t *t) {
  if (t->running && !t->has_verdict)
    child_kill(&t->child);
  trial_task_end(&t->task);
  background_load_abandon(&t->load);
  t->running = t->has_verdict = t->needs_restart = false;
}
