// Implements the host's key actions.
#include "host/keys.h"

#include "host/host_internal.h"
#include "host/host_tools.h"
#include "host/match_play.h"
#include "host/playback.h"
#include "host/rewind_keys.h"
#include "host/window.h"

static void toggle_overlay(host_o *h, uint32_t times) {
  (void)times;
  h->tools_requested = true;
  window_announce_edit(h);
}

static void take_screenshot(host_o *h, uint32_t times) {
  (void)times;
  h->screenshot_requested = true;
}

static void cycle_debug_shapes(host_o *h, uint32_t times) {
  (void)times;
  if (h->watch) // files are watched only during development
    h->debug_level = (h->debug_level + 1) % DEBUG_DRAW_LEVELS;
}

static void request_restart(host_o *h, uint32_t times) {
  (void)times;
  if (h->match)
    match_play_restart(h);
  else
    h->restart_requested = true;
}

static void request_reload(host_o *h, uint32_t times) {
  (void)times;
  host_request_reload(h);
}

static void toggle_hold(host_o *h, uint32_t times) {
  (void)times;
  if (h->match)
    match_play_toggle_pause(h);
  else if (h->session.game)
    playback_toggle_pause(h);
}

static void toggle_input_replay(host_o *h, uint32_t times) {
  (void)times;
  if (h->session.game)
    playback_toggle_replay(h);
}

static void hide_error_card(host_o *h, uint32_t times) {
  (void)times;
  h->card.hidden = true;
}

static void step_back(host_o *h, uint32_t times) {
  rewind_keys_step(h, -(int)times);
}

static void step_forward(host_o *h, uint32_t times) {
  rewind_keys_step(h, (int)times);
}

static void toggle_fullscreen(host_o *h, uint32_t times) {
  (void)times;
  platform_toggle_fullscreen(h->session.platform);
}

static void write_recording(host_o *h, uint32_t times) {
  (void)times;
  excerpts_add(&h->session);
}

static const struct {
  void (*run)(host_o *h, uint32_t times); // `times`: number of presses since the last frame
  bool for_players;                       // true if the key works in all packaged games
  const char *refused; // action named in the notice that a match does not allow it; NULL: allowed in a match
} ACTIONS[HOST_KEY_COUNT] = {
    [HOST_KEY_TOOLS] = {toggle_overlay, .refused = "The cockpit overlay"},
    [HOST_KEY_SCREENSHOT] = {take_screenshot},
    [HOST_KEY_SHAPES] = {cycle_debug_shapes},
    [HOST_KEY_RESTART] = {request_restart},
    [HOST_KEY_RELOAD] = {request_reload, .refused = "A reload"},
    [HOST_KEY_HOLD] = {toggle_hold},
    [HOST_KEY_REPEAT] = {toggle_input_replay, .refused = "A replay"},
    [HOST_KEY_DISMISS] = {hide_error_card},
    [HOST_KEY_STEP_BACK] = {step_back, .refused = "Rewinding"},
    [HOST_KEY_STEP_FORWARD] = {step_forward, .refused = "Stepping"},
    [HOST_KEY_FULLSCREEN] = {toggle_fullscreen, .for_players = true},
    [HOST_KEY_FULLSCREEN_ENTER] = {toggle_fullscreen, .for_players = true},
    [HOST_KEY_RECORDING] = {write_recording, .refused = "A recording"},
};

// Returns true if players of a package may use the key.
static bool is_for_players(const host_o *h, int key) {
  const vm_game_t *config = h->session.game ? &h->session.game->config : NULL;
  switch (key) {
  case HOST_KEY_STEP_BACK:
  case HOST_KEY_STEP_FORWARD: return config && config->rewind;
  case HOST_KEY_RECORDING: return config && config->clips;
  default: return ACTIONS[key].for_players;
  }
}

static void run_action(host_o *h, int key, uint32_t times) {
  if (!ACTIONS[key].refused || !match_play_refuses(h, ACTIONS[key].refused))
    ACTIONS[key].run(h, times);
}

void keys_run_actions(host_o *h, const platform_events_t *events) {
  for (int key = 0; key < HOST_KEY_COUNT; ++key)
    if (events->keys[key] > 0 && !match_play_answers_key(h, (host_key_t)key) &&
        (!h->session.options.package || is_for_players(h, key)))
      run_action(h, key, events->keys[key]);
  if (!h->match)
    rewind_keys_hold(h, events);
}
