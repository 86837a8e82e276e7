// Restores a snapshot and re-runs the ticks that follow it with their logged input. Used by
// --check-rollback (session/rollback.h), by the history for ticks without a snapshot (session/time_travel.h), and by
// F7, which repeats past input with changed code (host/playback.h).
#ifndef SHOAL_GAME_RESIMULATE_H
#define SHOAL_GAME_RESIMULATE_H

#include "snapshot/state.h"
#include "journal/input_log.h"

// Runs an item of the log: a tick, or a frame of a paused game. Returns true to continue, or false to stop after this
// item.
typedef bool (*resimulate_run_t)(void *context, const input_log_o *log, const logged_input_t *item);

typedef struct resimulate_desc_t {
  world_o *world;
  snapshot_o *start;      // snapshot to restore first; NULL: starts from the current world
  const input_log_o *log; // input of the ticks up to `end_tick`
  uint64_t end_tick;
  resimulate_run_t run;
  void *context; // context that is passed to `run`
} resimulate_desc_t;

// Re-runs ticks up to `end_tick`, or until the log lacks a tick or `run` returns false; the world and the log are not
// accessed after `run` has returned false. Returns true once the run ends, for any of these reasons. Returns false with
// a message, without running anything, if `start` cannot be restored.
bool resimulate(const resimulate_desc_t *d, error_info_t *error);

#endif
