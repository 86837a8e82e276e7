// Feeds recorded input to ticks.
#include "host/playback.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "host/console.h"
#include "host/host_internal.h"
#include "host/tick.h"

#define TOLD_MAX 5u // log at most this many missing systems

// Replays one item of a timeline. If scripts now pause elsewhere than before, the recorded input would be stuck: the
// pause is ended. If the replay starts in the middle of a pause, the game is paused to match.
static void replay_input(host_o *h, const input_log_item_t *x) {
  game_o *g = h->session.game;
  if (x->idle && h->session.time.past.begins)
    g->paused = true;
  if (x->idle && !g->paused)
    return;
  if (!x->idle && g->paused) {
    g->paused = false;
    if (h->session.recording.recorder)
      recorder_host(h->session.recording.recorder, RECORDING_DO_UNPAUSE);
  }
  g->input = x->before;
  if (x->idle)
    tick_idle(h, &x->now);
  else
    tick_run(h, &x->now);
}

void playback_again(host_o *h) {
  input_log_item_t x;
  uint64_t next = world_tick(h->session.game->world) + 1;
  bool ticked = false;
  h->paused_frames = 0;
  for (uint32_t i = 0;
       h->session.time.past.again && !ticked && input_log_get(h->session.time.past.left.inputs, next, i, &x); ++i) {
    ticked = !x.idle;
    replay_input(h, &x);
  }
  if (!ticked && h->session.time.past.again)
    time_travel_set_again(&h->session, false); // this tick has no recorded input
}

static void fail_pause_mismatch(host_o *h) {
  log_error(h->session.log, "replay: after tick %llu the game is %s, but was %s in the recording",
            (unsigned long long)world_tick(h->session.game->world), h->session.game->paused ? "paused" : "running",
            h->session.game->paused ? "running" : "paused");
  h->session.exit_code = 1;
  h->session.stopping = true;
}

// Parks a system as the recording did. Recordings repeat the list of parked systems every second.
static void park(host_o *h, const char *piece) {
  if (!vm_park(h->session.game->vm, piece) && h->session.recording.not_parked++ < TOLD_MAX)
    log_warn(h->session.log, "replay: %s was parked in the recording, but does not exist here", piece);
}

void playback_replay(host_o *h) {
  shoal_assert(h->session.recording.replay, "no replay is running");
  error_t error = {0};
  recording_item_t *x = &h->session.recording.heard;
  for (recording_next(h->session.recording.replay, x, &error);
       x->kind == RECORDING_PARK || x->kind == RECORDING_OUTSIDE;
       recording_next(h->session.recording.replay, x, &error)) {
    if (x->kind == RECORDING_PARK)
      park(h, x->piece);
    if (x->kind == RECORDING_OUTSIDE) {
      external_put(h->session.outside, x->answer);
      external_release(x->answer);
    }
    if (interrupt_pending()) // the next safepoint may be far away
      return;
  }
  external_set_strict(h->session.outside, x->kind != RECORDING_TICK || x->seen);
  switch (x->kind) {
  case RECORDING_TICK:
  case RECORDING_IDLE:
    h->session.game->input = x->before;
    if (h->session.game->paused != (x->kind == RECORDING_IDLE))
      fail_pause_mismatch(h);
    else if (x->kind == RECORDING_TICK)
      tick_run(h, &x->input);
    else
      tick_idle(h, &x->input);
    break;
  case RECORDING_BACK: time_travel_back(&h->session, x->ticks, true); break;
  case RECORDING_DO:
    if (x->ticks == RECORDING_DO_UNPAUSE)
      h->session.game->paused = false;
    else if (x->ticks == RECORDING_DO_CONSOLE)
      console_replay(h);
    else
      time_travel_set_again(&h->session, x->ticks == RECORDING_DO_AGAIN);
    break;
  case RECORDING_FORWARD:
    if (timelines_has_next(&h->session.time.past))
      timelines_forward(&h->session.time.past, h->session.game->world, &error);
    break;
  case RECORDING_RELOAD:
    if (x->game_hash != sources_hash(vm_sources(h->session.game->vm)))
      log_warn(h->session.log, "replay: the game's files changed here during recording; the replay may diverge");
    h->session.want_reload = h->session.reload_by_script = true;
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
  error_t error = {0};
  if (h->session.recording.replay)
    playback_replay(h);
  else if (time_travel_plays(&h->session) && !timelines_has_next(&h->session.time.past))
    playback_again(h);
  else if (!timelines_has_next(&h->session.time.past))
    tick_run(h, NULL);
  else if (!timelines_forward(&h->session.time.past, h->session.game->world, &error))
    toast_add(&h->session.toasts, TOAST_BAD, "Step: %s", error.text);
  else if (h->session.recording.recorder)
    recorder_forward(h->session.recording.recorder);
}

static bool step_back(host_o *h) {
  if (h->session.recording.replay) {
    toast_add(&h->session.toasts, TOAST_BAD, "A replay only runs forward");
    return false;
  }
  if (!time_travel_back(&h->session, 1, true))
    return false;
  if (h->session.recording.recorder)
    recorder_back(h->session.recording.recorder, 1);
  return true;
}

void playback_steps(host_o *h) {
  shoal_assert(h->session.time.held && h->session.game, "the game must be held to step");
  input_state_t unheard; // input belongs to the host while held
  platform_sample(h->session.platform, &unheard);
  for (; h->session.time.want_steps < 0; ++h->session.time.want_steps)
    if (!step_back(h))
      h->session.time.want_steps = -1;
  for (; h->session.time.want_steps > 0 && !h->session.stopping; --h->session.time.want_steps)
    step_forward(h);
}

void playback_toggle_hold(host_o *h) {
  if (h->session.time.held)
    time_travel_set_again(&h->session, false);
  time_travel_hold(&h->session, !h->session.time.held);
}

void playback_repeat_input(host_o *h) {
  if (h->session.recording.replay)
    return;
  time_travel_set_again(&h->session, true);
  time_travel_hold(&h->session, false);
}

void playback_step(host_o *h, int ticks) {
  h->session.time.held = true;
  h->session.time.want_steps += ticks;
}
