// Lines and requests of predicted ticks, in a ring.
#include "match/match_output.h"

#include <string.h>

static uint32_t get_slot(uint64_t tick) {
  return (uint32_t)(tick % MATCH_SLOTS);
}

void match_output_begin(match_output_t *o, uint64_t tick, script_requests_t *requests) {
  uint32_t slot = get_slot(tick);
  log_free_deferred(&o->ticks[slot].lines);
  if (o->ticks[slot].tick != tick)
    o->ticks[slot].requests = (script_requests_t){0};
  o->ticks[slot].tick = tick;
  log_defer(&o->ticks[slot].lines);
  audio_begin_tick(o->audio, tick);
  o->pending = *requests;
  *requests = (script_requests_t){0};
}

// Requests the rumble of a tick, unless its previous run has requested the same. Ends a rumble that only the previous
// run has requested.
static void add_rumbles(script_requests_t *to, const script_requests_t *current, const script_requests_t *previous) {
  for (uint32_t pad = 0; pad < INPUT_PADS; ++pad) {
    bool is_same = memcmp(current->rumble[pad], previous->rumble[pad], sizeof current->rumble[pad]) == 0;
    if (current->rumbles[pad] == previous->rumbles[pad] && is_same)
      continue;
    to->rumbles[pad] = true;
    memcpy(to->rumble[pad], current->rumble[pad], sizeof to->rumble[pad]); // zero without a request
  }
}

void match_output_end(match_output_t *o, uint64_t tick, script_requests_t *requests) {
  script_requests_t *kept = &o->ticks[get_slot(tick)].requests;
  audio_end_tick(o->audio);
  log_defer(NULL);
  add_rumbles(&o->pending, requests, kept);
  *kept = *requests;
  *requests = o->pending;
}

// The host applies the other requests that a match allows: a restart, and the beginning of the game from the lobby.
static void add_requests(script_requests_t *to, const script_requests_t *from) {
  to->options_of |= from->options_of;
  to->quit_of |= from->quit_of;
  to->leave_match = from->leave_match ? from->leave_match : to->leave_match;
  to->pause = from->pause ? from->pause : to->pause;
}

void match_output_confirm(match_output_t *o, uint64_t tick, script_requests_t *requests) {
  uint32_t slot = get_slot(tick);
  if (o->ticks[slot].tick != tick)
    return;
  log_write_deferred(o->log, &o->ticks[slot].lines);
  add_requests(requests, &o->ticks[slot].requests);
  o->ticks[slot].tick = 0;
}

void match_output_drop(match_output_t *o) {
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i) {
    log_free_deferred(&o->ticks[i].lines);
    o->ticks[i].tick = 0;
  }
}
