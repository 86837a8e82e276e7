// Moves a world through the snapshots of a history, as timelines do (time/timelines.h).
#ifndef SHOAL_TESTS_HISTORY_STEPS_H
#define SHOAL_TESTS_HISTORY_STEPS_H

#include "time/history.h"

// Restores the snapshot `ticks` ticks earlier, or the oldest snapshot. Returns the number of ticks rewound, or 0 if no
// earlier snapshot is kept.
static inline uint64_t rewind_history(history_o *h, world_o *w, uint64_t ticks) {
  allocator_t memory = {0};
  uint64_t start_tick = world_tick(w), tick;
  const snapshot_o *s = history_find_snapshot(h, start_tick > ticks ? start_tick - ticks : 0, &tick, NULL);
  return s && tick < start_tick && history_restore_snapshot(s, &memory, w, NULL) ? start_tick - tick : 0;
}

// Restores the next snapshot. Returns true on success, or false if the world is at the newest snapshot.
static inline bool step_forward(history_o *h, world_o *w) {
  allocator_t memory = {0};
  if (!history_has_after(h, world_tick(w)))
    return false;
  uint64_t tick = history_get_tick(h, history_find(h, world_tick(w)) + 1);
  return history_restore_snapshot(history_get_snapshot(h, tick), &memory, w, NULL);
}

#endif
