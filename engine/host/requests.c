// Applies script_requests_t (script/script.h) after a tick or a chunk of Lua.
#include "host/requests.h"

#include "host/host_internal.h"
#include "host/window.h"
#include "saves/game_saves.h"

#include <stdio.h>

// Applies window requests. Ignored in a replay, which leaves the viewer's window alone and ends with its recording.
static void change_window(host_o *h, const script_requests_t *asked) {
  bool played = h->session.recording.replay || time_travel_plays(&h->session);
  window_answer_close(h, asked->quit < 0);
  if (asked->fullscreen && !played)
    platform_set_fullscreen(h->session.platform, asked->fullscreen > 0);
  if ((asked->scale || asked->vsync) && !played) {
    platform_window_t *look = &h->session.game->facts.window;
    look->scale = asked->scale ? (letterbox_mode_t)(asked->scale - 1) : look->scale;
    look->tearing = asked->vsync ? asked->vsync < 0 : look->tearing;
    window_apply_look(h);
  }
  for (int32_t pad = 0; pad < INPUT_PADS && !played; ++pad)
    if (asked->rumbles[pad])
      platform_rumble(h->session.platform, pad, asked->rumble[pad][0], asked->rumble[pad][1]);
  if (asked->restart && played)
    log_warn(h->session.log, "world.restart() is ignored in a replay");
  h->want_restart |= asked->restart && !played;
}

static void restore_tick(host_o *h, uint64_t tick, bool replay) {
  uint64_t now = world_tick(h->session.game->world);
  if (tick >= now)
    return;
  if (time_travel_back(&h->session, now - tick, replay) && replay)
    timelines_begin_again(&h->session.time.past);
  if (h->session.recording.recorder)
    recorder_jump(h->session.recording.recorder);
}

void requests_take(host_o *h) {
  script_requests_t *asked = &h->session.game->requests;
  change_window(h, asked);
  if (asked->quit > 0 && h->from_menu && !h->session.options.headless)
    snprintf(h->want_game, sizeof h->want_game, "%s", h->session.places.menu);
  else if (asked->quit > 0)
    h->session.stopping = true;
  if (asked->pause)
    h->session.game->paused = asked->pause > 0;
  if (asked->game[0])
    snprintf(h->want_game, sizeof h->want_game, "%s", asked->game);
  h->session.want_reload |= asked->reload;
  h->session.reload_by_script |= asked->reload;
  script_requests_t rest = *asked;
  *asked = (script_requests_t){0};
  game_saves_requests(&h->session, rest.save, rest.drop, rest.load);
  if (rest.restore)
    restore_tick(h, (uint64_t)rest.restore_tick, rest.restore_replay);
}
