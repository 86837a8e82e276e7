// The trial of a reload in a task (process/task.h), for systems that cannot copy a process. The task creates the
// running game again from the texts of its files and a snapshot of its world. Then it tries the change, as a forked
// child does (reload_try_in_child). It has no window, sound, worker threads or plugins. Main thread only.
#ifndef SHOAL_RELOAD_TRIAL_TASK_H
#define SHOAL_RELOAD_TRIAL_TASK_H

#include "game/game.h"
#include "process/task.h"
#include "reload/reload_verdict.h"

extern const task_type_t TRIAL_TASK; // answers with a reload_verdict_t

// Memory of a running task. Zero-initialize.
typedef struct trial_task_t {
  void *input; // memory shared with the task; NULL: no task is running
  size_t input_bytes;
  char *system;     // GAME_SYSTEM_NAME_BYTES, shared with the task: name of the system that its trial tick is running
  uint32_t tick_ms; // CPU time limit of the trial tick in milliseconds
  bool runs_tick;   // true once the trial tick has begun
} trial_task_t;

// Starts the trial of `desc`. Returns true on success. Returns false if plugins are open, if the game is the lobby or
// the menu of a match, if no snapshot of the world can be taken, or if the system cannot provide the memory or the
// process. Call between two ticks.
bool trial_task_begin(trial_task_t *t, child_t *child, game_o *old, const game_desc_t *desc);
// Returns true if the task, or a forked child with an empty `t`, has answered or ended, or is late. Does not wait.
bool trial_task_is_readable(trial_task_t *t, child_t *child);
// Waits for the verdict of a task or, with an empty `t`, of a forked child that sends a reload_verdict_t. Ends the
// child and frees the memory of the task. If the child has crashed or exceeded its limit, the verdict is a failure that
// names the system whose trial tick was running. `old`: the running game.
void trial_task_receive(trial_task_t *t, child_t *child, const game_o *old, reload_verdict_t *out);
// Frees the memory of a task that was killed. Does nothing without a task.
void trial_task_end(trial_task_t *t);
// Runs a trial and waits for its end. Returns true if `out` contains the verdict, or false for the same reasons as
// trial_task_begin.
bool trial_task_run(game_o *old, const game_desc_t *desc, reload_verdict_t *out);

#endif
