// Implements the interface for tools, including the controls of the time bar: pause, step, seek, speed.
#include "host/host_tools.h"

#include "base/assert.h"
#include "host/game_switch.h"
#include "host/host_internal.h"
#include "host/playback.h"
#include "host/window.h"

#include <math.h>

void host_get_state(host_o *h, host_state_t *out) {
  const timelines_t *timelines = &h->session.time.timelines;
  *out = (host_state_t){.session_paused = h->session.time.session_paused,
                        .game_paused = h->session.game && h->session.game->paused,
                        .replaying = h->session.recording.replay != NULL,
                        .replaying_input = timelines->replaying,
                        .history_bytes = timelines_bytes(timelines),
                        .speed = h->speed > 0 ? h->speed : 1,
                        .folder = h->session.folder,
                        .card = &h->card};
  if (!h->session.game)
    return;
  out->tick = out->first_tick = out->last_tick = world_tick(h->session.game->world);
  out->has_history =
      timelines->current.snapshots && history_get_oldest_tick(timelines->current.snapshots, &out->first_tick);
  if (out->has_history && input_log_last_tick(timelines->current.inputs) > out->last_tick &&
      timelines_has_next(timelines))
    out->last_tick = input_log_last_tick(timelines->current.inputs);
}

bool host_get_canvas(host_o *h, host_canvas_t *out) {
  const game_o *g = h->session.game;
  if (h->session.options.headless)
    return false;
  *out = (host_canvas_t){.platform = h->session.platform,
                         .render = h->session.render,
                         .draw = h->session.draw,
                         .width = g ? (float)g->config.width : (float)GAME_DEFAULTS.width,
                         .height = g ? (float)g->config.height : (float)GAME_DEFAULTS.height};
  return true;
}

session_t *host_session(host_o *h) {
  return &h->session;
}

platform_o *host_platform(host_o *h) {
  return h->session.platform;
}

audio_o *host_audio(host_o *h) {
  return h->audio;
}

const render_o *host_render(const host_o *h) {
  return h->session.render;
}

game_o *host_game(host_o *h) {
  return h->session.game;
}

log_o *host_log(host_o *h) {
  return h->session.log;
}

const options_t *host_options(const host_o *h) {
  return &h->session.options;
}

const paths_t *host_get_paths(const host_o *h) {
  return &h->session.paths;
}

void host_set_tools_open(host_o *h, bool is_open) {
  h->tools_open = is_open;
  window_dock_tools(h);
}

bool host_pop_tools_request(host_o *h) {
  bool requested = h->tools_requested;
  h->tools_requested = false;
  return requested;
}

// --- the time bar

void host_set_paused(host_o *h, bool paused) {
  if (h->session.time.session_paused && !paused)
    time_travel_set_replaying(&h->session, false);
  h->session.time.session_paused = paused;
}

void host_replay_input(host_o *h) {
  if (h->session.recording.replay)
    return;
  time_travel_set_replaying(&h->session, true);
  h->session.time.session_paused = false;
}

static bool seek_back(host_o *h, uint64_t ticks, error_info_t *error) {
  uint64_t tick = world_tick(h->session.game->world);
  if (h->session.recording.replay)
    return error_set(error, "cannot step back: a replay runs only forward");
  time_travel_set_replaying(&h->session, false); // stop replaying the abandoned timeline's input
  if (!time_travel_rewind(&h->session, ticks, true))
    return error_set(error, "tick %llu is not in the history", (unsigned long long)(tick - ticks));
  if (h->session.recording.recorder)
    recorder_add_rewind(h->session.recording.recorder, tick - world_tick(h->session.game->world),
                        world_tick(h->session.game->world));
  return true;
}

static bool seek_forward(host_o *h, uint64_t tick, error_info_t *error) {
  while (world_tick(h->session.game->world) < tick) {
    if (!timelines_has_next(&h->session.time.timelines))
      return error_set(error, "tick %llu has not been reached yet", (unsigned long long)tick);
    if (!time_travel_step_forward(&h->session, error))
      return false;
    if (h->session.recording.recorder)
      recorder_add_step_forward(h->session.recording.recorder, world_tick(h->session.game->world));
  }
  return true;
}

bool host_seek(host_o *h, uint64_t tick, error_info_t *error) {
  if (!h->session.game)
    return error_set(error, "the game could not start: fix the errors in the game's files");
  uint64_t current = world_tick(h->session.game->world);
  h->session.time.session_paused = true;
  h->session.time.pending_steps = 0;
  scrub_end(&h->session);
  return tick < current ? seek_back(h, current - tick, error) : seek_forward(h, tick, error);
}

void host_set_speed(host_o *h, double speed) {
  shoal_assert(speed > 0, "speed must be greater than 0");
  double rate = h->session.game ? round(h->session.game->config.tick_rate * speed) : 0;
  if (rate < 1)
    return;
  h->speed = speed;
  clock_set_rate(&h->clock, (uint32_t)rate);
}

void host_step(host_o *h, uint32_t ticks) {
  h->session.time.session_paused = true;
  h->session.time.pending_steps = 0;
  for (uint32_t i = 0; i < ticks && h->session.game && !h->session.stopping;) {
    uint64_t tick = world_tick(h->session.game->world);
    h->session.time.pending_steps = 1;
    playback_run_steps(h); // in a replay: runs the recording's next item, which may not be a tick
    i += world_tick(h->session.game->world) != tick ? 1 : 0;
    game_switch_apply(h);
  }
  h->session.time.pending_steps = 0;
}

void host_apply_game_switch(host_o *h) {
  h->waits_for_reload = true;
  game_switch_apply(h);
  h->waits_for_reload = false;
}

bool host_is_recording(const host_o *h) {
  return h->session.options.record != NULL;
}

void host_announce_edit(host_o *h, bool before_edit) {
  if (before_edit)
    time_travel_store_snapshot(&h->session);
  time_travel_on_edit(&h->session);
  rollback_check_clear(h->session.rollback);
}

void host_request_reload(host_o *h) {
  h->session.reload_requested = h->session.reload_is_explicit = true;
}

bool host_reload_asset(host_o *h, const char *path) {
  return game_switch_reload_asset(h, path);
}

void host_request_restart(host_o *h) {
  h->restart_requested = true;
}
