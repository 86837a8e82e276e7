// Trial tick: a forked child runs the next tick of a game and its Lua drawing code, and reports the outcome. Crashes
// and hangs happen in the child, which plays no sound, neither draws nor logs, and exits afterwards. The state of the
// parent process does not change.
//
// Only the forking thread exists in the child. Locks held by other threads stay locked there. Therefore no thread may
// be inside SQLite (an autosave) when a trial starts, and if plugins may have threads, the child reopens the plugins in
// a new game with the same world. In the task of a trial (trial_task.h), the tick runs in the task itself, and changes
// the game. On operating systems without fork, all other trial ticks are skipped.
#ifndef SHOAL_RELOAD_TRIAL_TICK_H
#define SHOAL_RELOAD_TRIAL_TICK_H

#include "game/game.h"
#include "process/child.h"

#define TRIAL_MAX_REPORTS 16u
#define TRIAL_NOT_RUN_BYTES 2048u

typedef struct trial_t {
  bool has_run;   // true if the trial ran; false if it was skipped, for example because the system cannot fork
  bool completed; // true if the tick finished; otherwise `crash_report` describes the failure
  script_report_t crash_report;
  char system[GAME_SYSTEM_NAME_BYTES];        // system that was running at the failure; "" if no system was running
  script_report_t reports[TRIAL_MAX_REPORTS]; // failures during the tick and while drawing
  uint32_t report_count;
  char not_run[TRIAL_NOT_RUN_BYTES]; // systems that the tick did not run (vm_list_systems_not_run)
} trial_t;

// Runs a trial tick of `g`, which does not change. `limit_ms`: CPU time limit of the child (process/child.h).
void trial_run_tick(game_o *g, uint32_t limit_ms, trial_t *out);

// Describes why a child ended during a trial tick without an answer. `system`: name of the system that was running; "":
// none. `g`: the game, in which the file of the system is looked up.
void trial_describe_lost_child(const game_o *g, const child_t *child, const char *system, script_report_t *out);

#endif
