// Checks and executes moderation actions.
#include "host/match_moderation.h"

#include "base/nearest_name.h"
#include "game/players.h"
#include "host/match_play_internal.h"
#include "session/notices.h"

#include <stdio.h>
#include <string.h>

#define PLAYER_LIST_BYTES 128u // size of a list of all player numbers, separated by commas

static const char *const NAMES[MATCH_MODERATION_COUNT] = {
    [MATCH_MODERATION_REMOVE] = "remove",       [MATCH_MODERATION_BAN] = "ban",
    [MATCH_MODERATION_GIVE_AWAY] = "give_away", [MATCH_MODERATION_MUTE] = "mute",
    [MATCH_MODERATION_UNMUTE] = "unmute",       [MATCH_MODERATION_LIFT_BANS] = "lift_bans",
};

match_moderation_t match_moderation_find(const char *name, error_info_t *error) {
  nearest_name_t nearest;
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_init(&nearest, name);
  for (uint32_t i = 1; i < MATCH_MODERATION_COUNT; ++i) {
    if (strcmp(name, NAMES[i]) == 0)
      return (match_moderation_t)i;
    nearest_name_offer(&nearest, NAMES[i]);
  }
  error_set(error, "unknown action “%.60s”%s", name, nearest_name_hint(&nearest, hint, sizeof hint));
  return MATCH_MODERATION_NONE;
}

// --- checks

static const char *format_players(player_mask_t players, char out[PLAYER_LIST_BYTES]) {
  size_t at = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (players >> i & 1)
      at += (size_t)snprintf(out + at, PLAYER_LIST_BYTES - at, "%s%u", at > 0 ? ", " : "", i + 1);
  return out;
}

static bool check_player(const match_status_t *status, uint32_t number, error_info_t *error) {
  player_mask_t players = status->present | status->joining;
  char list[PLAYER_LIST_BYTES];
  if (number < 1 || number > PLAYER_MAX || !(players >> (number - 1) & 1))
    return error_set(error, "player %u does not take part: the players are %s", number, format_players(players, list));
  return !(status->players >> (number - 1) & 1) ||
         error_set(error, "player %u plays on this machine: choose a player of a different machine", number);
}

static bool check(const match_play_o *p, match_moderation_t action, uint32_t number, error_info_t *error) {
  match_status_t status = match_get_status(p->match, match_play_now_us(p));
  bool is_chat = action == MATCH_MODERATION_MUTE || action == MATCH_MODERATION_UNMUTE;
  if (!is_chat && (status.role != MATCH_HOST || p->phase != MATCH_PHASE_PLAYING))
    return error_set(error, "only the host of the match can do this");
  if (action == MATCH_MODERATION_LIFT_BANS)
    return true;
  if (!check_player(&status, number, error))
    return false;
  return action != MATCH_MODERATION_GIVE_AWAY || !(status.connected >> (number - 1) & 1) ||
         error_set(error, "player %u is connected: only the place of a lost player can be given away", number);
}

// --- actions

static bool remove_player(match_play_o *p, match_moderation_t action, uint32_t number, error_info_t *error) {
  static const struct {
    match_close_t reason;
    const char *text;
  } KINDS[] = {[MATCH_MODERATION_REMOVE] = {MATCH_CLOSE_REMOVED, "removed"},
               [MATCH_MODERATION_BAN] = {MATCH_CLOSE_BANNED, "banned"},
               [MATCH_MODERATION_GIVE_AWAY] = {MATCH_CLOSE_NONE, "gave away the place of"}};
  player_info_t info = players_get_info(p->host->session.game, number);
  player_mask_t players = match_link_remove_player(p->link, match_play_now_us(p), number - 1, KINDS[action].reason);
  if (players == 0)
    return error_set(error, "player %u cannot be removed", number);
  log_info(p->host->session.log, "match: %s player %u (%s)", KINDS[action].text, number, info.name);
  return action != MATCH_MODERATION_BAN || match_files_write_bans(&p->guard, error);
}

static bool lift_bans(match_play_o *p, error_info_t *error) {
  uint32_t count = match_guard_count_bans(&p->guard);
  match_guard_lift_bans(&p->guard);
  log_info(p->host->session.log, "match: lifted %u bans", count);
  return match_files_write_bans(&p->guard, error);
}

bool match_moderation_apply(host_o *h, match_moderation_t action, uint32_t number, error_info_t *error) {
  match_play_o *p = h->match;
  if (!p || !p->link || p->twin || !h->session.game)
    return error_set(error, "no match with different machines is played");
  if (!check(p, action, number, error))
    return false;
  switch (action) {
  case MATCH_MODERATION_REMOVE:
  case MATCH_MODERATION_BAN:
  case MATCH_MODERATION_GIVE_AWAY: return remove_player(p, action, number, error);
  case MATCH_MODERATION_MUTE: p->muted |= player_mask_of(number - 1); return true;
  case MATCH_MODERATION_UNMUTE: p->muted &= ~player_mask_of(number - 1); return true;
  case MATCH_MODERATION_LIFT_BANS: return lift_bans(p, error);
  default: return error_set(error, "no action");
  }
}

// --- the menu

static void describe_players(const match_play_o *p, int64_t now_us, script_match_menu_t *out) {
  match_status_t status = match_get_status(p->match, now_us);
  out->is_host = status.role == MATCH_HOST;
  out->is_world = p->host->session.options.world != NULL;
  out->present = status.present | status.joining;
  out->own = status.players;
  out->lost = status.present & ~status.connected;
  out->muted = p->muted;
  out->bans = out->is_host ? match_guard_count_bans(&p->guard) : 0;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    player_info_t info = players_get_info(p->host->session.game, i + 1);
    (void)snprintf(out->names[i], sizeof out->names[i], "%s", info.name);
    out->reserved_s[i] = (uint32_t)((match_get_absent_us(p->match, i, now_us) + 999999) / 1000000);
  }
}

void match_moderation_update_menu(match_play_o *p, int64_t now_us) {
  script_match_menu_t players = {0};
  match_moderation_t action;
  uint32_t number;
  error_info_t error = {0};
  if (match_menu_pop_moderation(p->menu, &action, &number) && !match_moderation_apply(p->host, action, number, &error))
    notice_add(&p->host->session.notices, NOTICE_BAD, "%s", error.text);
  describe_players(p, now_us, &players);
  match_menu_set_players(p->menu, &players);
}
