// A tick on trial: a copy of the process runs the next tick of a game, and what Lua draws of it, and says how it went. Nothing of this
// process changes: the copy makes no sound, draws nothing, says nothing, and ends. What would crash or never end does so in there.
//
// In the copy there is one thread: other threads' work waits for nobody there, and locks that they held stay held. So nobody who asks
// for a trial may have a thread inside SQLite (an autosave) at that moment. Where a system has no fork, nothing is tried.
#ifndef SHOAL_HOST_TRIAL_H
#define SHOAL_HOST_TRIAL_H

#include "host/game.h"

#define TRIAL_MAX_REPORTS 16u

typedef struct trial_t {
  bool ran;   // false: there is no fork here, or the system refused one
  bool ended; // the tick came to its end; otherwise `lost` says what became of it
  script_report_t lost;
  script_report_t reports[TRIAL_MAX_REPORTS]; // what failed on the way
  uint32_t report_count;
} trial_t;

// Waits for `limit_ms` at most. The game is as before.
void trial_run(game_o *g, uint32_t limit_ms, trial_t *out);

#endif
