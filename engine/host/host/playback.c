// Feeds recorded input to ticks, and steps through the history of a held game.
#include "host/playback.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "game/resimulate.h"
#include "host/console.h"
#include "host/host_internal.h"
#include "host/logged_stops.h"
#include "host/tick.h"

#define MAX_REPORTED 5u // maximum number of missing systems to log

typedef struct playback_t {
  host_o *host;
  bool stopped; // the tick has run, or the input to replay has changed
} playback_t;

// Replays one item of a timeline. If scripts have paused the game at a tick that was recorded without a pause, resumes
// the game, because the pause would block the recorded input. If the replay starts within a recorded pause, pauses the
// game. Skips all other paused frames while the game runs.
static void replay_input(host_o *h, const input_log_item_t *x) {
  game_o *g = h->session.game;
  if (x->idle && h->session.time.past.replay_begins)
    g->paused = true;
  if (x->idle && !g->paused)
    return;
  if (!x->idle && g->paused) {
    g->paused = false;
    if (h->session.recording.recorder)
      recorder_add_action(h->session.recording.recorder, RECORDING_ACTION_RESUME);
  }
  g->input = x->before;
  if (x->idle) {
    tick_run_paused(h, &x->now);
    return;
  }
  logged_stops_park(h, world_tick(g->world) + 1);
  tick_run(h, &x->now);
}

static bool replay_item(void *context, const input_log_o *log, const input_log_item_t *x) {
  playback_t *p = context;
  const timelines_t *past = &p->host->session.time.past;
  replay_input(p->host, x);
  p->stopped = !x->idle || !past->replaying || past->abandoned.inputs != log;
  return !p->stopped;
}

void playback_play_input(host_o *h) {
  playback_t p = {.host = h};
  world_o *w = h->session.game->world;
  h->paused_frames = 0;
  if (!h->session.time.past.replaying)
    return;
  resimulate(&(resimulate_desc_t){.world = w,
                                  .log = h->session.time.past.abandoned.inputs,
                                  .until = world_tick(w) + 1,
                                  .run = replay_item,
                                  .context = &p},
             NULL);
  if (!p.stopped)
    time_travel_set_replaying(&h->session, false); // no input is recorded for this tick
}

static void report_pause_mismatch(host_o *h) {
  log_error(h->session.log, "replay: after tick %llu the game is %s, but was %s in the recording",
            (unsigned long long)world_tick(h->session.game->world), h->session.game->paused ? "paused" : "running",
            h->session.game->paused ? "running" : "paused");
  h->session.exit_code = 1;
  h->session.stopping = true;
}

// Parks a piece that failed in the recorded tick.
static void park_piece(host_o *h, const char *piece, bool stopped) {
  if (!vm_park_piece(h->session.game->vm, piece, stopped) && h->session.recording.missing_systems++ < MAX_REPORTED)
    log_warn(h->session.log, "replay: %s was parked in the recording, but does not exist in this run", piece);
}

void playback_play_recording(host_o *h) {
  shoal_assert(h->session.recording.replay, "no replay is running");
  error_info_t error = {0};
  recording_item_t *x = &h->session.recording.item;
  for (recording_read_item(h->session.recording.replay, x, &error);
       x->kind == RECORDING_PARK || x->kind == RECORDING_RESULT;
       recording_read_item(h->session.recording.replay, x, &error)) {
    if (x->kind == RECORDING_PARK)
      park_piece(h, x->piece, x->stopped);
    if (x->kind == RECORDING_RESULT) {
      external_queue_recorded(h->session.external, x->result);
      external_result_release(x->result);
    }
    if (interrupt_is_pending()) // the next safepoint may be far away
      return;
  }
  external_set_strict(h->session.external, x->kind != RECORDING_TICK || x->has_hash);
  switch (x->kind) {
  case RECORDING_TICK:
  case RECORDING_IDLE:
    h->session.game->input = x->before;
    if (h->session.game->paused != (x->kind == RECORDING_IDLE))
      report_pause_mismatch(h);
    else if (x->kind == RECORDING_TICK)
      tick_run(h, &x->input);
    else
      tick_run_paused(h, &x->input);
    break;
  case RECORDING_BACK: time_travel_rewind(&h->session, x->ticks, true); break;
  case RECORDING_ACTION:
    if (x->ticks == RECORDING_ACTION_RESUME)
      h->session.game->paused = false;
    else if (x->ticks == RECORDING_ACTION_CONSOLE)
      console_replay(h);
    else
      time_travel_set_replaying(&h->session, x->ticks == RECORDING_ACTION_REPLAY_INPUT);
    break;
  case RECORDING_FORWARD:
    if (timelines_has_next(&h->session.time.past))
      timelines_step_forward(&h->session.time.past, h->session.game->world, &error);
    break;
  case RECORDING_RELOAD:
    if (x->game_hash != sources_hash(vm_sources(h->session.game->vm)))
      log_warn(h->session.log, "replay: the recorded game reloaded other code after tick %llu: the replay may diverge",
               (unsigned long long)world_tick(h->session.game->world));
    h->session.reload_requested = h->session.reload_by_script = true;
    break;
  case RECORDING_END:
    log_info(h->session.log, "replay: %llu ticks match the recording", (unsigned long long)h->session.recording.played);
    h->session.stopping = true;
    break;
  default:
    log_error(h->session.log, "replay: %s: %s; %llu ticks matched", h->session.options.replay, error.text,
              (unsigned long long)h->session.recording.played);
    h->session.exit_code = 1;
    h->session.stopping = true;
    break;
  }
}

static void step_forward(host_o *h) {
  error_info_t error = {0};
  if (h->session.recording.replay)
    playback_play_recording(h);
  else if (time_travel_is_replaying(&h->session) && !timelines_has_next(&h->session.time.past))
    playback_play_input(h);
  else if (!timelines_has_next(&h->session.time.past))
    tick_run(h, NULL);
  else if (!timelines_step_forward(&h->session.time.past, h->session.game->world, &error))
    notice_add(&h->session.notices, NOTICE_BAD, "Cannot step: %s", error.text);
  else if (h->session.recording.recorder)
    recorder_add_step_forward(h->session.recording.recorder);
}

static bool step_back(host_o *h) {
  if (h->session.recording.replay) {
    notice_add(&h->session.notices, NOTICE_BAD, "Cannot step back: a replay runs only forward");
    return false;
  }
  if (!time_travel_rewind(&h->session, 1, true))
    return false;
  if (h->session.recording.recorder)
    recorder_add_rewind(h->session.recording.recorder, 1);
  return true;
}

void playback_run_steps(host_o *h) {
  shoal_assert(h->session.time.held && h->session.game, "the game must be loaded and held before it is stepped");
  input_state_t input; // while held, only the host receives input
  platform_sample_input(h->session.platform, &input);
  for (; h->session.time.pending_steps < 0; ++h->session.time.pending_steps)
    if (!step_back(h))
      h->session.time.pending_steps = -1;
  for (; h->session.time.pending_steps > 0 && !h->session.stopping; --h->session.time.pending_steps)
    step_forward(h);
}

void playback_toggle_hold(host_o *h) {
  if (h->session.time.held)
    time_travel_set_replaying(&h->session, false);
  time_travel_set_held(&h->session, !h->session.time.held);
}

void playback_toggle_replay(host_o *h) {
  if (h->session.recording.replay)
    return;
  time_travel_set_replaying(&h->session, true);
  time_travel_set_held(&h->session, false);
}

void playback_request_steps(host_o *h, int ticks) {
  h->session.time.held = true;
  h->session.time.pending_steps += ticks;
}
