// Ring buffer for the log lines, requests and reports of predicted ticks.
#include "match/match_output.h"

#include "game/game.h"

#include <string.h>

static uint32_t get_slot(uint64_t tick) {
  return (uint32_t)(tick % MATCH_SLOTS);
}

void match_output_begin(match_output_t *o, uint64_t tick, game_o *g) {
  uint32_t slot = get_slot(tick);
  log_free_deferred(&o->ticks[slot].lines);
  if (o->ticks[slot].tick != tick)
    o->ticks[slot].requests = (script_requests_t){0};
  o->ticks[slot].tick = tick;
  o->ticks[slot].reports.count = 0;
  log_defer(&o->ticks[slot].lines);
  audio_begin_tick(o->audio, tick);
  o->pending = g->requests;
  g->requests = (script_requests_t){0};
}

// Updates the pad's rumble after the tick has run. `requested`: strength and duration, or NULL without a request;
// `previous`: the values in the tick's previous run, or NULL. Returns true if the pad must start `requested`.
static bool update_rumble(playing_rumble_t *playing, uint64_t tick, const float *requested, const float *previous) {
  bool is_near = (tick < playing->tick ? playing->tick - tick : tick - playing->tick) <= REPEATED_SOUNDS_WAIT;
  if (requested && previous && memcmp(requested, previous, sizeof playing->request) == 0)
    return false;
  if (requested) {
    bool is_taken_over = playing->waits && is_near && memcmp(requested, playing->request, sizeof playing->request) == 0;
    *playing = (playing_rumble_t){.tick = tick};
    memcpy(playing->request, requested, sizeof playing->request);
    return !is_taken_over;
  }
  playing->waits |= previous && playing->tick == tick;
  return false;
}

static void add_rumbles(match_output_t *o, uint64_t tick, const script_requests_t *current,
                        const script_requests_t *previous) {
  for (uint32_t pad = 0; pad < INPUT_PADS; ++pad) {
    if (!update_rumble(&o->rumbles[pad], tick, current->rumbles[pad] ? current->rumble[pad] : NULL,
                       previous->rumbles[pad] ? previous->rumble[pad] : NULL))
      continue;
    o->pending.rumbles[pad] = true;
    memcpy(o->pending.rumble[pad], current->rumble[pad], sizeof current->rumble[pad]);
  }
}

// Stops the rumbles that no tick has taken over within REPEATED_SOUNDS_WAIT ticks.
static void end_rumbles(match_output_t *o, uint64_t confirmed, script_requests_t *requests) {
  for (uint32_t pad = 0; pad < INPUT_PADS; ++pad) {
    if (!o->rumbles[pad].waits || o->rumbles[pad].tick + REPEATED_SOUNDS_WAIT > confirmed)
      continue;
    requests->rumbles[pad] = true;
    memset(requests->rumble[pad], 0, sizeof requests->rumble[pad]);
    o->rumbles[pad] = (playing_rumble_t){0};
  }
}

void match_output_end(match_output_t *o, uint64_t tick, game_o *g) {
  uint32_t slot = get_slot(tick);
  script_report_t report;
  audio_end_tick(o->audio);
  log_defer(NULL);
  add_rumbles(o, tick, &g->requests, &o->ticks[slot].requests);
  o->ticks[slot].requests = g->requests;
  g->requests = o->pending;
  while (game_pop_reports(g, &report, 1) > 0)
    array_push(o->memory, &o->ticks[slot].reports, report);
}

// Adds the requests that every machine applies, and the moves to other rooms, which a room applies. The remaining
// requests that a match allows are a restart and the switch from the lobby to the game, which only the host applies.
static void add_requests(script_requests_t *to, const script_requests_t *from) {
  to->options_of |= from->options_of;
  to->quit_of |= from->quit_of;
  to->players_of |= from->players_of;
  to->leave_match = from->leave_match ? from->leave_match : to->leave_match;
  to->pause = from->pause ? from->pause : to->pause;
  for (uint32_t i = 0; i < from->move_count && to->move_count < PLAYER_MAX; ++i)
    to->moves[to->move_count++] = from->moves[i];
}

const script_report_t *match_output_confirm(match_output_t *o, uint64_t tick, game_o *g, uint32_t *report_count) {
  uint32_t slot = get_slot(tick);
  audio_confirm_tick(o->audio, tick);
  end_rumbles(o, tick, &g->requests);
  *report_count = 0;
  if (o->ticks[slot].tick != tick)
    return NULL;
  log_write_deferred(o->log, &o->ticks[slot].lines);
  add_requests(&g->requests, &o->ticks[slot].requests);
  o->ticks[slot].tick = 0;
  *report_count = o->ticks[slot].reports.count;
  return o->ticks[slot].reports.items;
}

void match_output_drop(match_output_t *o) {
  audio_confirm_tick(o->audio, UINT64_MAX);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i) {
    log_free_deferred(&o->ticks[i].lines);
    o->ticks[i].tick = 0;
  }
}

void match_output_fini(match_output_t *o) {
  match_output_drop(o);
  for (uint32_t i = 0; i < MATCH_SLOTS; ++i)
    array_free(o->memory, &o->ticks[i].reports);
}
