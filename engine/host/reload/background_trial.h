// Tries a reload in a child process while the game continues: the child builds the new game, migrates its copy of the
// world and runs a trial tick. The parent meanwhile loads the new version on a thread (background_load.h). If the trial
// succeeds, the new version is applied between two ticks (reload_apply). See design/0010.
//
// The child is a fork of this process or, where the system cannot fork, a task (trial_task.h). Main thread only.
#ifndef SHOAL_RELOAD_BACKGROUND_TRIAL_H
#define SHOAL_RELOAD_BACKGROUND_TRIAL_H

#include "game/game.h"
#include "reload/background_load.h"
#include "reload/reload_verdict.h"
#include "reload/trial_task.h"

// A trial in a child process, and the load that runs at the same time. Zero-initialize.
typedef struct background_trial_t {
  child_t child;
  trial_task_t task; // memory of the child, if it is a task
  const game_o *old; // the running game; borrowed until the trial ends
  background_load_t load;
  reload_verdict_t verdict;
  bool running;
  bool has_verdict;       // true once the child has ended; the new version may still be loading
  uint32_t restart_count; // number of trials replaced by trials of newer files since the last verdict
  bool needs_restart;     // true if the files have changed since the trial began and need a new trial
} background_trial_t;

// Starts a trial, and abandons a running trial. Returns true on success. Returns false if the system cannot create a
// process, if threads of plugins do not stop, if no snapshot can be taken, or if a task cannot try this game
// (trial_task_begin). The caller must then call reload_game. Call between two ticks, while no autosave is running.
bool background_trial_begin(background_trial_t *t, game_o *old, const game_desc_t *desc);
// Returns true and fills `out` once the trial has ended and, if it has passed, the new version is loaded. Until then,
// returns false without waiting. If the trial has passed, `loaded` receives the new version for reload_apply, or NULL
// if it could not be loaded in the background.
bool background_trial_poll(background_trial_t *t, reload_verdict_t *out, game_o **loaded);
void background_trial_abandon(background_trial_t *t);

#endif
