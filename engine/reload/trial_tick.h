// Trial tick: a forked child runs the next tick of a game and its Lua drawing code, and reports how it went. This
// process does not change: the child plays no sound, draws and logs nothing, and exits. Crashes and hangs happen in the
// child.
//
// The child has one thread: other threads do not run in it, and locks that they held stay locked. So no thread may be
// inside SQLite (an autosave) when a trial starts; and if plugins may have threads, the child reopens the plugins in a
// new game with the same world. On systems without fork no trial is run.
#ifndef SHOAL_RELOAD_TRIAL_TICK_H
#define SHOAL_RELOAD_TRIAL_TICK_H

#include "game/game.h"

#define TRIAL_MAX_REPORTS 16u

typedef struct trial_t {
  bool ran;   // false: the system cannot fork
  bool ended; // the tick has finished; otherwise `lost` describes the failure
  script_report_t lost;
  char system[96];                            // running when it was lost; "" if none
  script_report_t reports[TRIAL_MAX_REPORTS]; // failures during the tick
  uint32_t report_count;
} trial_t;

// `limit_ms`: processor time of the child (process/child.h). The game does not change.
void trial_run(game_o *g, uint32_t limit_ms, trial_t *out);

#endif
