// Applies window settings and handles close requests.
#include "host/window.h"

#include "base/limits.h"
#include "game/input_events.h"
#include "host/host_internal.h"
#include "overlay/dev_overlay.h"
#include "overlay/gui.h"

platform_window_t window_settings(const host_o *h, const vm_game_t *config) {
  platform_window_t window = config->window;
  if (h->session.options.width || h->session.options.height)
    window.width = window.height = 0;
  window.fullscreen |= h->session.options.fullscreen;
  window.same_view = window.same_view && h->match;
  return window;
}

void window_apply_settings(host_o *h) {
  const vm_game_t *config = &h->session.game->config;
  platform_window_t window = window_settings(h, config);
  platform_set_window(h->session.platform, &window);
  render_set_screen(h->session.render, config->width, config->height, platform_window_get_mode(&window), config->sharp);
  window_dock_tools(h);
}

void window_dock_tools(host_o *h) {
  const vm_game_t *config = h->session.game ? &h->session.game->config : &GAME_DEFAULTS;
  float unit = gui_get_unit((float)config->width, (float)config->height);
  float height = h->tools_open ? DEV_OVERLAY_BAR_HEIGHT * unit : 0;
  platform_set_strip(h->session.platform, height);
  render_set_strip(h->session.render, height);
}

void window_update_hold(host_o *h, const platform_events_t *events) {
  const session_t *s = &h->session;
  bool may_hold = s->options.package || (events->fullscreen && !h->is_edited);
  bool must_run = s->options.headless || h->match || s->options.every_tick || !s->game ||
                  s->game->config.window.run_in_background || s->recording.replay || time_travel_is_replaying(s);
  h->has_focus = !events->unfocused;
  h->had_focus |= h->has_focus; // a window that opens without the focus does not stop the game
  h->held = may_hold && !must_run && h->had_focus && !h->has_focus;
}

void window_announce_edit(host_o *h) {
  h->is_edited = true;
}

void window_request_fullscreen(host_o *h, int request) {
  bool is_forced = h->session.options.fullscreen && !h->fullscreen_settled;
  h->fullscreen_settled |= request == 0;
  if (request != 0 && !is_forced)
    platform_set_fullscreen(h->session.platform, request > 0);
}

// Returns true if the game can handle the close event. Returns false if the game could not start, plays a match, is
// held, is replayed, or has no system that handles shoal.window, or if the session is paused.
bool window_can_refuse_close(const host_o *h) {
  return h->session.game && !h->held && !h->match && !h->session.time.session_paused && !h->session.recording.replay &&
         !time_travel_is_replaying(&h->session) && input_events_has_window_handler(h->session.game->world);
}

void window_request_close(host_o *h, uint32_t count) {
  bool is_repeated = h->last_close_s > 0 && h->frame_start_s - h->last_close_s < CLOSE_CONFIRM_S;
  h->session.stopping |= count > 1 || is_repeated;
  h->last_close_s = h->frame_start_s;
  h->close_requested = true;
}

void window_finish_close(host_o *h, bool refused) {
  if (!h->close_requested || !h->session.game->input.window.closed)
    return;
  h->close_requested = false;
  h->session.stopping |= !refused;
  if (!refused)
    return;
  log_info(h->session.log, "the game refused to close: close the window again within %g seconds to quit anyway",
           CLOSE_CONFIRM_S);
  notice_add(&h->session.notices, NOTICE_PLAIN, "Close the window again to quit");
}
