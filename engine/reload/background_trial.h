// Tries a reload in a forked child while the game goes on: the child builds the new game, migrates its copy of the
// world and runs a trial tick. If that succeeds, the game repeats the first two steps on its own world, between two
// ticks (reload_game), and no longer expects them to crash or hang.
//
// Without fork, a second game in the same process, as ghosts have, could do the same under the watchdog, except that a
// plugin's crash would end the program. See design/0010. Main thread only.
#ifndef SHOAL_RELOAD_BACKGROUND_TRIAL_H
#define SHOAL_RELOAD_BACKGROUND_TRIAL_H

#include "game/game.h"
#include "process/child.h"
#include "reload/reload_verdict.h"

// Zero-initialize.
typedef struct background_trial_t {
  child_t child;
  bool running;
  uint32_t restarts; // number of times that newer files have replaced the running trial, since the last verdict
  bool again;        // the files have changed since the last restart: they need another trial
} background_trial_t;

// Starts a trial; one that is running is abandoned. Returns false if the system cannot fork, or threads of plugins do
// not stop: call reload_game without a verdict then. Call between two ticks, while no autosave is running.
bool background_trial_begin(background_trial_t *t, game_o *old, const game_desc_t *desc);
// Returns true and fills `out` if the trial has ended. Does not wait.
bool background_trial_poll(background_trial_t *t, reload_verdict_t *out);
void background_trial_abandon(background_trial_t *t);

#endif
