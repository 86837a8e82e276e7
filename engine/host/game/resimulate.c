// Iterates over the logged input of past ticks.
#include "game/resimulate.h"

#include "base/assert.h"

// Runs all logged inputs up to the end of the next tick. Returns true on success, or false if the log lacks the tick or
// `run` returned false.
static bool run_next_tick(const resimulate_desc_t *d) {
  input_log_reader_t reader;
  logged_input_t item;
  uint64_t next_tick = world_tick(d->world) + 1;
  input_log_begin(&reader, d->log, next_tick);
  while (input_log_next(&reader, &item))
    if (!d->run(d->context, d->log, &item))
      return false;
  return world_tick(d->world) == next_tick;
}

bool resimulate(const resimulate_desc_t *d, error_info_t *error) {
  shoal_assert(d->world && d->run && d->log, "world, run and log must not be NULL");
  if (d->start && !snapshot_restore(d->start, d->world, error))
    return false;
  while (world_tick(d->world) < d->end_tick && run_next_tick(d)) {
  }
  return true;
}
