// The lobby of a match, which is a game in a folder next to the menu, and the game that follows the lobby.
#include "host/match_play_internal.h"

#include "base/files.h"
#include "host/game_switch.h"
#include "host/play_together.h"
#include "platform/player_name.h"
#include "ui/ui.h"

#include <stdio.h>
#include <string.h>

bool match_lobby_is_unattended(const options_t *o) {
  return o->headless || o->has_ticks || o->replay;
}

// Returns true if the match begins in the lobby. Unattended matches and matches with a fixed number of players begin
// with the game. A match with shared reloads also begins with the game, because the reloads apply to the game's code.
static bool has_lobby(const options_t *o) {
  return o->host && !match_lobby_is_unattended(o) && o->players == 0 && !o->share_code;
}

void match_lobby_init(match_play_o *p) {
  const session_t *s = &p->host->session;
  const vm_game_t *config = &s->game->config;
  (void)snprintf(p->folder, sizeof p->folder, "%s", s->folder);
  (void)snprintf(p->title, sizeof p->title, "%s", config->title);
  p->max_players = config->max_players;
  p->sources = s->game->desc.sources;
  sources_retain(p->sources);
  if (s->options.name)
    player_name_clean(s->options.name, strlen(s->options.name), p->name);
  else
    match_files_read_name(p->name);
  p->lobby = (script_lobby_t){
      .min_players = config->min_players, .max_players = config->max_players, .has_menu = !s->options.package};
  memcpy(p->lobby.title, p->title, sizeof p->lobby.title);
  (void)snprintf(p->lobby.fonts, sizeof p->lobby.fonts, "%s", config->fonts);
}

bool match_lobby_begin(match_play_o *p, error_info_t *error) {
  return !has_lobby(&p->host->session.options) || match_game_enter_lobby(p->game) ||
         error_set(error, "the lobby cannot start");
}

static void describe_match(match_play_o *p) {
  bool is_host = match_get_status(p->match, 0).role == MATCH_HOST;
  p->lobby.addresses[0] = p->lobby.key[0] = '\0';
  if (!is_host)
    return;
  match_status_format_addresses(p, p->lobby.addresses);
  match_files_format_code(match_link_get_key(p->link), p->lobby.key);
}

// Starts the lobby or the game with this machine's volumes, window settings, language and fonts for the game. In the
// lobby, players can change only window settings, for example with F11.
static game_o *enter_with_settings(match_play_o *p, bool is_lobby, uint64_t seed) {
  session_t *s = &p->host->session;
  char folder[PATH_MAX_BYTES], assets[sizeof s->assets.game];
  vm_settings_t settings = {0};
  path_join(folder, sizeof folder, s->paths.engine, "lobby");
  path_join(assets, sizeof assets, p->folder, "assets");
  vm_copy_settings(s->game->vm, &s->memory, &settings);
  if (is_lobby)
    (void)snprintf(p->lobby.language, sizeof p->lobby.language, "%s", ui_get_language(s->game->ui));
  game_o *game = is_lobby ? game_switch_enter_in_match(p->host, folder, NULL, assets, seed)
                          : game_switch_enter_in_match(p->host, p->folder, p->sources, NULL, seed);
  if (settings.count > 0)
    vm_apply_settings_of_other_game(game->vm, settings.items, is_lobby);
  array_free(&s->memory, &settings);
  return game;
}

game_o *match_lobby_enter(void *context, bool is_lobby, uint64_t seed) {
  match_play_o *p = context;
  if (is_lobby)
    describe_match(p);
  else
    match_lobby_store_name(p);
  p->host->lobby = is_lobby ? &p->lobby : NULL;
  game_o *game = enter_with_settings(p, is_lobby, seed);
  p->host->lobby = NULL;
  p->has_begun |= !is_lobby;
  return game;
}

void match_lobby_apply_requests(match_play_o *p, const script_requests_t *requests) {
  const game_o *g = p->host->session.game;
  int32_t leaver = requests->leave_match;
  bool begins = requests->begin_match && match_game_is_in_lobby(p->game);
  if (leaver >= 1 && leaver <= (int32_t)PLAYER_MAX && g->player_status[leaver - 1].local) {
    match_lobby_store_name(p);
    play_together_leave(p->host, "");
  } else if (begins && match_get_status(p->match, 0).role == MATCH_HOST) {
    match_add_record(p->match, match_play_now_us(p), RECORD_SWITCH);
  }
}

void match_lobby_store_name(match_play_o *p) {
  const game_o *g = p->host->session.game;
  const char *name = g->local_player_count > 0 ? g->player_infos[g->local_players[0] - 1].name : "";
  if (name[0] == '\0' || strcmp(name, p->name) == 0)
    return;
  (void)snprintf(p->name, sizeof p->name, "%s", name);
  match_files_write_name(name);
}
