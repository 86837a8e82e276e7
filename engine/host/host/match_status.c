// Information about a match for players: log lines, notices, pings, the command for joining and a badge.
#include "host/match_play_internal.h"

#include "game/players.h"
#include "session/notices.h"

#include <stdio.h>
#include <string.h>

#define SILENT_US 1500000       // minimum silence of the host that is reported
#define SERVER_COLOUR 0xffffffu // colour of server lines
#define CHAT_LINE_S 8.0f        // seconds for which a chat line is visible
#define WAITING_US 200000 // minimum wait for the host that is reported; shorter waits are frequent on bad networks

static bool is_host(const match_play_o *p) {
  return match_get_status(p->match, 0).role == MATCH_HOST;
}

// --- events

void match_status_add_notice(match_play_o *p, notice_kind_t kind, const match_text_t *text) {
  char localized[MATCH_TEXT_BYTES];
  notice_add(&p->host->session.notices, kind, "%s", match_text_format(p->host, text, localized));
}

// Logs "player N" followed by `what`, and shows the string `key` with the player's name and `value`.
static void announce(match_play_o *p, notice_kind_t kind, uint32_t player, const char *what, const char *key,
                     match_value_t value) {
  player_info_t info = players_get_info(p->host->session.game, player + 1);
  log_info(p->host->session.log, "match: player %u %s", player + 1, what);
  match_status_add_notice(p, kind, &(match_text_t){key, {{"name", info.name}, value}});
}

static void announce_loss(match_play_o *p, const match_event_t *event) {
  char text[160], seconds[16];
  if (event->reason == MATCH_CLOSE_NONE) {
    (void)snprintf(seconds, sizeof seconds, "%d", MATCH_REJOIN_US / 1000000);
    announce(p, NOTICE_BAD, event->player, "has lost the connection and can come back for 60 s", "match_may_return",
             (match_value_t){"n", seconds});
    return;
  }
  (void)snprintf(text, sizeof text, "was disconnected: %s", match_close_get_details(event->reason));
  announce(p, NOTICE_BAD, event->player, text, "match_closed",
           (match_value_t){"reason", match_text_get_close_reason(event->reason)});
}

const char *match_status_get_host_title(const match_play_o *p) {
  return match_host_title(p->host->session.options.world != NULL);
}

// Reports a desync as a log line and a notice. The match continues. print_difference later names the differences.
static void report_desync(match_play_o *p, const match_event_t *event) {
  if (is_host(p)) {
    player_info_t info = players_get_info(p->host->session.game, event->player + 1);
    log_warn(p->host->session.log, "match: the machine of player %u has a different state after tick %llu",
             event->player + 1, (unsigned long long)event->tick);
    match_status_add_notice(p, NOTICE_BAD, &(match_text_t){"match_differed", {{"name", info.name}}});
  } else {
    log_warn(p->host->session.log, "match: the state of this machine differs from %s's after tick %llu",
             match_status_get_host_title(p), (unsigned long long)event->tick);
    match_status_add_notice(p, NOTICE_BAD, &(match_text_t){"match_differs", {{0}}});
  }
}

// Prints the difference that caused a desync, and adds it to the report. The host and the peer print the same line.
static void print_difference(match_play_o *p, const match_event_t *event) {
  printf("desync: tick %llu: %s\n", (unsigned long long)event->tick, match_get_line(p->match, event));
  fflush(stdout);
  match_report_add_line(p, MATCH_LINE_DESYNC, event->tick, match_get_line(p->match, event));
}

void match_status_show_refused_change(match_play_o *p, const char *text, bool is_own) {
  session_t *s = &p->host->session;
  error_card_t *card = &p->host->card;
  script_report_t report = {.piece = "the match"};
  const char *details = strchr(text, '\n');
  log_warn(s->log, "match: %.*s", details ? (int)(details - text) : (int)strlen(text), text);
  if (details)
    log_warn(s->log, "match: %s", details + 1);
  (void)snprintf(report.message, sizeof report.message, "%s", text);
  if (!is_own || !details || sscanf(details + 1, "%255[^:\n]:%9d:", report.file, &report.line) != 2)
    report.file[0] = '\0';
  error_card_add(card, ERROR_CARD_RELOAD, &report, s->folder, s->paths.engine);
  if (!report.file[0])
    (void)snprintf(card->hint, sizeof card->hint, "F8 hides this card.");
}

static char *format_machine(uint32_t player, char out[32]) {
  if (player < PLAYER_MAX)
    (void)snprintf(out, 32, "player %u", player + 1);
  else
    (void)snprintf(out, 32, "a machine without players");
  return out;
}

static void report_reload(match_play_o *p, const match_event_t *event) {
  char proposer[32], text[80];
  if (is_host(p))
    match_link_set_shares_code(p->link, match_reload_has_changed(p->reload));
  (void)snprintf(text, sizeof text, "all machines run the changes of %s", format_machine(event->player, proposer));
  log_info(p->host->session.log, "match: %s from tick %llu on", text, (unsigned long long)event->tick + 1);
  match_report_add_line(p, MATCH_LINE_RELOADED, event->tick, text);
}

static void report_refusal(match_play_o *p, const match_event_t *event) {
  char proposer[32], refuser[32], text[1200];
  (void)snprintf(text, sizeof text, "The changes of %s were refused by %s: %s", format_machine(event->player, proposer),
                 format_machine(event->refuser, refuser), match_get_refusal(p->match));
  match_status_show_refused_change(p, text, event->is_own);
  match_report_add_line(p, MATCH_LINE_REFUSED, match_get_status(p->match, 0).tick, text);
}

void match_status_report(match_play_o *p, const match_event_t *event) {
  bool host = is_host(p);
  switch (event->kind) {
  case MATCH_EVENT_JOINED:
    announce(p, NOTICE_GOOD, event->player, "has joined", "lobby_joined", (match_value_t){0});
    return;
  case MATCH_EVENT_LEFT:
    p->muted &= ~player_mask_of(event->player); // a player who joins later with this number is not muted
    announce(p, NOTICE_PLAIN, event->player, "has left", "lobby_left", (match_value_t){0});
    return;
  case MATCH_EVENT_LOST:
    if (host)
      announce_loss(p, event);
    return;
  case MATCH_EVENT_REJOINED:
    announce(p, NOTICE_GOOD, event->player, "is back", "match_back", (match_value_t){0});
    return;
  case MATCH_EVENT_DESYNC: report_desync(p, event); return;
  case MATCH_EVENT_NAMED: print_difference(p, event); return;
  case MATCH_EVENT_REPAIRED:
    log_info(p->host->session.log, "match: took over %s's state of tick %llu", match_status_get_host_title(p),
             (unsigned long long)event->tick);
    return;
  case MATCH_EVENT_RELOADED:
  case MATCH_EVENT_REFUSED:
    if (event->is_own)
      match_reload_note_result(p->reload, event->kind == MATCH_EVENT_RELOADED ? NULL : match_get_refusal(p->match));
    (event->kind == MATCH_EVENT_RELOADED ? report_reload : report_refusal)(p, event);
    return;
  case MATCH_EVENT_ENDED:
    if (!host)
      log_info(p->host->session.log, "match: %s has ended the match after tick %llu", match_status_get_host_title(p),
               (unsigned long long)event->tick);
    return;
  default: return;
  }
}

void match_status_update_players(match_play_o *p) {
  match_status_t status = match_get_status(p->match, match_play_now_us(p));
  for (uint32_t i = 0; i < PLAYER_MAX; ++i)
    if (status.present >> i & 1)
      players_set_status(p->host->session.game, i + 1, (uint32_t)(match_get_round_trip_us(p->match, i) / 1000),
                         status.connected >> i & 1, p->muted >> i & 1);
}

// Removes the first chat line, and moves the remaining lines up.
static void remove_chat_line(match_play_o *p) {
  const size_t last = MATCH_CHAT_LINES_SHOWN - 1;
  memmove(p->chat, p->chat + 1, last * sizeof *p->chat);
  memmove(p->chat_age_s, p->chat_age_s + 1, last * sizeof *p->chat_age_s);
  p->chat[last] = (script_match_chat_line_t){0};
}

// Shows a chat line: in the menu or, without a menu, as a notice. `colour`: the speaker's colour.
static void show_chat_line(match_play_o *p, const char *speaker, uint32_t colour, const char *text) {
  uint32_t i = 0;
  while (i < MATCH_CHAT_LINES_SHOWN && p->chat[i].text[0])
    ++i;
  if (i == MATCH_CHAT_LINES_SHOWN)
    remove_chat_line(p), --i;
  p->chat[i].colour = colour;
  p->chat_age_s[i] = 0;
  (void)snprintf(p->chat[i].text, sizeof p->chat[i].text, "%s: %s", speaker, text);
  if (!p->menu)
    notice_add(&p->host->session.notices, NOTICE_PLAIN, "%s", p->chat[i].text);
}

// Shows a line of the server's operator. No player can have sent it.
static void show_server_line(match_play_o *p, const char *text) {
  char speaker[MATCH_TEXT_BYTES];
  log_info(p->host->session.log, "chat: server: %s", text);
  show_chat_line(p, match_text_format(p->host, &(match_text_t){"match_server", {{0}}}, speaker), SERVER_COLOUR, text);
}

void match_status_update_chat(match_play_o *p, int64_t now_us) {
  const char *own_line = p->menu ? match_menu_get_line(p->menu) : NULL;
  match_chat_t line;
  if (own_line)
    match_menu_answer_line(p->menu, match_say(p->match, now_us, 0, own_line));
  for (uint32_t i = 0; i < MATCH_CHAT_LINES_SHOWN; ++i)
    p->chat_age_s[i] += (float)p->host->clock.frame_s;
  while (p->chat[0].text[0] && p->chat_age_s[0] >= CHAT_LINE_S)
    remove_chat_line(p);
  while (match_pop_chat(p->match, &line)) {
    if (line.player == MATCH_CHAT_SERVER) {
      show_server_line(p, line.text);
      continue;
    }
    if (p->muted >> line.player & 1)
      continue;
    player_info_t info = players_get_info(p->host->session.game, line.player + 1);
    log_info(p->host->session.log, "chat: %s: %s", info.name, line.text);
    show_chat_line(p, info.name, info.colour, line.text);
  }
}

void match_status_format_command(const match_play_o *p, char out[192]) {
  const options_t *o = &p->host->session.options;
  const link_address_t *host = is_host(p) ? &p->own_addresses[0] : &p->host_address;
  char address[LINK_ADDRESS_TEXT_BYTES];
  link_address_format(host, address);
  if (host->port == MATCH_PORT)
    *strrchr(address, ':') = '\0';
  if (o->package)
    (void)snprintf(out, 192, "--join %s", address);
  else
    (void)snprintf(out, 192, "./shoal %s %.90s --join %s", o->command == OPTIONS_RUN ? "run" : "play", o->target,
                   address);
}

const char *match_status_format_addresses(const match_play_o *p, char out[MATCH_ADDRESSES_TEXT_BYTES]) {
  size_t used = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < p->own_address_count; ++i) {
    char text[LINK_ADDRESS_TEXT_BYTES];
    link_address_format(&p->own_addresses[i], text);
    used += (size_t)snprintf(out + used, MATCH_ADDRESSES_TEXT_BYTES - used, "%s%s", i > 0 ? ", " : "", text);
  }
  return out;
}

// --- the screen

match_text_t match_status_get_badge(const match_status_t *status, bool has_begun, char value[24]) {
  player_mask_t missing = status->present & ~status->connected;
  value[0] = '\0';
  if (status->silent_us > SILENT_US) {
    (void)snprintf(value, 24, "%lld", (long long)(status->silent_us / 1000000));
    return (match_text_t){"match_silent", {{"n", value}}};
  }
  if (status->is_paused && (has_begun || status->tick > 0))
    return (match_text_t){status->role == MATCH_HOST ? "match_host_paused" : "match_paused", {{0}}};
  if (status->waiting_us > WAITING_US)
    return (match_text_t){"match_waits_for_host", {{0}}};
  player_mask_t shown = missing ? missing : status->silent;
  if (!shown)
    return (match_text_t){0};
  (void)snprintf(value, 24, "%d", __builtin_ctz(shown) + 1);
  return (match_text_t){missing ? "match_lost" : "match_unanswered", {{"name", value}}};
}

const char *match_play_get_badge(host_o *h) {
  match_play_o *p = h->match;
  char value[24], text[MATCH_TEXT_BYTES];
  if (!p || p->phase != MATCH_PHASE_PLAYING)
    return NULL;
  match_status_t status = match_get_status(p->match, match_play_now_us(p));
  match_text_t badge = match_status_get_badge(&status, p->has_begun, value);
  player_mask_t missing = status.present & ~status.connected;
  if (!badge.key)
    return NULL;
  player_mask_t shown = missing ? missing : status.silent;
  player_info_t info = players_get_info(h->session.game, shown ? (uint32_t)__builtin_ctz(shown) + 1 : 1);
  if (p->has_continued && !status.is_paused && missing)
    badge = (match_text_t){"match_is_host", {{0}}};
  else if (badge.values[0].name && strcmp(badge.values[0].name, "name") == 0)
    badge.values[0].text = info.name;
  (void)snprintf(p->badge, sizeof p->badge, "%.*s", (int)sizeof p->badge - 1, match_text_format(h, &badge, text));
  return p->badge;
}
