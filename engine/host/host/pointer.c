// Decides in each frame which pointer the window shows.
#include "host/pointer.h"

#include "host/host_internal.h"
#include "host/match_play.h"

// Returns true while the user needs the normal pointer: in tools, menus and cards of Shoal, in other windows, and while
// the game does not run or its input is replayed.
static bool needs_normal_pointer(host_o *h) {
  const session_t *s = &h->session;
  bool is_card_shown = h->card.kind != ERROR_CARD_NONE && !h->card.hidden;
  return !s->game || !h->has_focus || h->tools_open || is_card_shown || s->time.session_paused || s->game->paused ||
         s->recording.replay || time_travel_is_replaying(s) || ui_has_options(s->game->ui) ||
         match_play_needs_pointer(h);
}

void pointer_update(host_o *h) {
  script_pointer_t pointer = needs_normal_pointer(h) ? (script_pointer_t){0} : h->pointer;
  sheets_o *sheets = h->session.game ? components_sheets(h->session.game->components) : NULL;
  char requester[160];
  error_info_t error = {0};
  if (h->session.options.headless)
    return;
  if (!render_set_pointer_image(h->session.render, sheets, pointer.image, &error) &&
      !assets_has_reported(&h->session.assets, pointer.image))
    log_warn(h->session.log, "window.pointer: %s%s", error.text,
             assets_format_requester(&h->session.assets, pointer.image, requester, sizeof requester));
  platform_set_pointer(
      h->session.platform,
      &(platform_pointer_t){.hidden = pointer.hidden, .confined = pointer.confined, .relative = pointer.relative});
}
