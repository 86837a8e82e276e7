// Lines of predicted ticks, in a ring.
#include "match/match_output.h"

#include "platform/audio.h"

void match_output_begin(match_output_t *o, uint64_t tick) {
  uint32_t slot = (uint32_t)(tick % MATCH_SLOTS);
  log_free_deferred(&o->ticks[slot].lines);
  o->ticks[slot].tick = tick;
  log_defer(&o->ticks[slot].lines);
  audio_begin_tick(o->audio, tick);
}

void match_output_end(match_output_t *o) {
  audio_end_tick(o->audio);
  log_defer(NULL);
}

void match_output_confirm(match_output_t *o, uint64_t tick) {
  uint32_t slot = (uint32_t)(tick % MATCH_SLOTS);
  if (o->ticks[slot].tick == tick)
    log_write_deferred(o->log, &o->ticks[slot].lines);
}

void match_output_drop(match_output_t *o) {
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    log_free_deferred(&o->ticks[i].lines);
}
