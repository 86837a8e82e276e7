// Sets and restores the options of matches that are started from the menu.
#include "host/play_together.h"

#include "base/assert.h"
#include "host/host_internal.h"

#include <stdio.h>
#include <string.h>

void play_together_restore_options(host_o *h) {
  if (h->together.is_active)
    h->session.options = h->together.options;
  h->together.is_active = false;
}

bool play_together_set_options(host_o *h, error_info_t *error) {
  options_t *o = &h->session.options;
  const char *name = strrchr(h->session.folder, '/');
  shoal_assert(!h->together.is_active, "the previous match has not ended");
  h->together.options = *o;
  h->together.is_active = true;
  (void)snprintf(h->together.target, sizeof h->together.target, "%.63s", name ? name + 1 : h->session.folder);
  o->target = h->together.target; // name of the game, which the lobby shows in its command
  o->host = h->together.is_host;
  o->join = o->host ? NULL : h->together.address;
  o->world = !o->host && h->together.is_world ? h->together.address : NULL;
  o->room = o->world && h->together.room[0] ? h->together.room : NULL;
  o->code = o->world && h->together.code[0] ? h->together.code : NULL;
  o->key = !o->host && h->together.key[0] ? h->together.key : NULL;
  o->players = 0; // the lobby waits for players instead
  bool is_possible = options_check_match(o, error);
  if (is_possible)
    options_disable_history(o);
  else
    play_together_restore_options(h);
  return is_possible;
}

void play_together_leave(host_o *h, const char *message) {
  if (!h->together.is_active) {
    h->session.stopping = true;
    return;
  }
  (void)snprintf(h->requested_game, sizeof h->requested_game, "%s", h->session.paths.menu);
  (void)snprintf(h->requested_message, sizeof h->requested_message, "%.*s", (int)strcspn(message, "\n"), message);
}

bool play_together_is_leaving(const host_o *h) {
  return h->together.is_active && strcmp(h->requested_game, h->session.paths.menu) == 0;
}
