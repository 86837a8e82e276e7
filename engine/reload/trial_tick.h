// A tick on trial: a copy of the process runs the next tick of a game, and what Lua draws of it, and says how it
// went. Nothing of this process changes: the copy makes no sound, draws nothing, says nothing, and ends. What would
// crash or never end does so in there.
//
// In the copy there is one thread: other threads' work does not go on there, and locks that they held stay held. So
// whoever asks for a trial must have no thread inside SQLite (an autosave) at that moment, and where plugins may run
// threads the copy opens them anew, in a game of its own with the same world. Where a system has no fork, nothing is
// tried.
#ifndef SHOAL_RELOAD_TRIAL_TICK_H
#define SHOAL_RELOAD_TRIAL_TICK_H

#include "game/game.h"

#define TRIAL_MAX_REPORTS 16u

typedef struct trial_t {
  bool ran;   // false: there is no fork here, or the system refused one
  bool ended; // the tick came to its end; otherwise `lost` says what became of it
  script_report_t lost;
  char system[96];                            // that ran when it was lost; "" for none
  script_report_t reports[TRIAL_MAX_REPORTS]; // what failed on the way
  uint32_t report_count;
} trial_t;

// `limit_ms`: of the copy's processor time (process/child.h). The game is as before.
void trial_run(game_o *g, uint32_t limit_ms, trial_t *out);

#endif
