// Applies script_requests_t (script/vm_desc.h) after a tick or a chunk of Lua.
#include "host/script_requests.h"

#include "game/players.h"
#include "host/host_internal.h"
#include "host/window.h"
#include "saves/game_saves.h"

#include <stdio.h>

void requests_apply_to_window(host_o *h, const script_requests_t *requests) {
  platform_window_t *window_settings = &h->session.game->config.window;
  window_request_fullscreen(h, requests->fullscreen);
  if (requests->has_pointer)
    h->pointer = requests->pointer;
  if (!requests->scale && !requests->vsync)
    return;
  window_settings->scale = requests->scale ? (letterbox_mode_t)(requests->scale - 1) : window_settings->scale;
  window_settings->tearing = requests->vsync ? requests->vsync < 0 : window_settings->tearing;
  window_apply_settings(h);
}

// Finishes a close request, then applies requests for the window, rumble and a restart. These requests are ignored
// while input is replayed, because a replay must not change the viewer's window, and ends where the recording ends.
static void apply_platform_requests(host_o *h, const script_requests_t *requests) {
  bool is_replay = h->session.recording.replay || time_travel_is_replaying(&h->session);
  window_finish_close(h, requests->quit < 0);
  if (!is_replay)
    requests_apply_to_window(h, requests);
  for (int32_t pad = 0; pad < INPUT_PADS && !is_replay; ++pad)
    if (requests->rumbles[pad])
      platform_rumble(h->session.platform, pad, requests->rumble[pad][0], requests->rumble[pad][1]);
  if (requests->restart && is_replay)
    log_warn(h->session.log, "world.restart() is ignored in a replay");
  h->restart_requested |= requests->restart && !is_replay;
}

static void restore_tick(host_o *h, uint64_t tick, bool replay) {
  uint64_t current_tick = world_tick(h->session.game->world);
  if (tick >= current_tick)
    return;
  if (time_travel_rewind(&h->session, current_tick - tick, replay) && replay)
    timelines_begin_replay(&h->session.time.timelines);
  if (h->session.recording.recorder)
    recorder_discard_recent(h->session.recording.recorder);
}

// Requests a game or, in the menu, a match. Matches are ignored in a replay.
static void request_game(host_o *h, const script_requests_t *requests) {
  bool is_match = requests->host_match || requests->join_match[0];
  if (is_match && (h->session.recording.replay || time_travel_is_replaying(&h->session))) {
    log_warn(h->session.log, "menu.host(), menu.join() and menu.join_world() are ignored in a replay");
    return;
  }
  snprintf(h->requested_game, sizeof h->requested_game, "%s", requests->game);
  h->together.is_requested = is_match;
  h->together.is_host = requests->host_match;
  snprintf(h->together.address, sizeof h->together.address, "%s", requests->join_match);
  snprintf(h->together.password, sizeof h->together.password, "%s", requests->match_password);
  h->together.is_world = requests->join_world;
  snprintf(h->together.room, sizeof h->together.room, "%s", requests->match_room);
  snprintf(h->together.code, sizeof h->together.code, "%s", requests->match_code);
  snprintf(h->together.key, sizeof h->together.key, "%s", requests->match_key);
}

void requests_apply(host_o *h) {
  script_requests_t *requests = &h->session.game->requests;
  apply_platform_requests(h, requests);
  if (requests->quit > 0 && h->started_from_menu && !h->session.options.headless)
    snprintf(h->requested_game, sizeof h->requested_game, "%s", h->session.paths.menu);
  else if (requests->quit > 0)
    h->session.stopping = true;
  players_request_count(h->session.game, (uint32_t)requests->players);
  if (requests->pause)
    h->session.game->paused = requests->pause > 0;
  if (requests->game[0])
    request_game(h, requests);
  h->session.reload_requested |= requests->reload;
  h->session.reload_by_script |= requests->reload;
  script_requests_t pending = *requests;
  *requests = (script_requests_t){0};
  game_saves_run_requests(&h->session, &pending);
  if (pending.restore)
    restore_tick(h, (uint64_t)pending.restore_tick, pending.restore_replay);
}
