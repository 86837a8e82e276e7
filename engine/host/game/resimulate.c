// Iterates over the logged input of past ticks.
#include "game/resimulate.h"

#include "base/assert.h"

// Runs the next tick, and the paused frames before it. Returns false if the log lacks the tick or `run` stopped.
static bool run_next_tick(const resimulate_desc_t *d) {
  input_log_item_t x = {.idle = true};
  uint64_t next = world_tick(d->world) + 1;
  for (uint32_t i = 0; x.idle; ++i)
    if (!input_log_get_item(d->log, next, i, &x) || !d->run(d->context, d->log, &x))
      return false;
  return world_tick(d->world) == next;
}

bool resimulate(const resimulate_desc_t *d, error_info_t *error) {
  shoal_assert(d->world && d->run && (d->item || d->log), "the world, the callback and the input must not be NULL");
  if (d->from && !snapshot_restore(d->from, d->world, error))
    return false;
  if (d->item) {
    d->run(d->context, NULL, d->item);
    return true;
  }
  while (world_tick(d->world) < d->until && run_next_tick(d)) {
  }
  return true;
}
