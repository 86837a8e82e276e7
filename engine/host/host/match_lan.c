// Matches in the local network. A host answers searches, and `--join lan` joins the first host of the same game. A
// machine that has lost its host joins the machine that continues as the host.
#include "base/hash.h"
#include "base/utf8.h"
#include "host/match_play_internal.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define SEARCH_US 5000000 // time without a suitable host after which a search fails

static uint64_t hash_identity(const match_identity_t *identity) {
  uint8_t bytes[MATCH_IDENTITY_BYTES];
  return hash_bytes(bytes, match_identity_write(identity, bytes), 1);
}

_Static_assert(MATCH_KEY_BYTES == crypto_shorthash_KEYBYTES && crypto_shorthash_BYTES == 8, "the sizes differ");

// Returns a hash of `bytes` that only machines of the match can compute, or 0 if this machine lacks the match's secret.
static uint64_t compute_mark(const match_play_o *p, const void *bytes, size_t size) {
  uint64_t mark = 0;
  const uint8_t *key = match_get_key(p->match);
  if (key)
    crypto_shorthash((uint8_t *)&mark, bytes, size, key);
  return mark;
}

static uint64_t compute_match(const match_play_o *p) {
  return compute_mark(p, "match", 5);
}

static uint64_t compute_proof(const match_play_o *p, const uint8_t *host_key) {
  return compute_mark(p, host_key, SEAL_KEY_BYTES);
}

void match_lan_open(match_play_o *p) {
  error_info_t error = {0};
  p->lan_files = sources_hash_all(p->sources, p->identity.engine);
  p->lan_game = hash_identity(&p->identity);
  if (!p->lan_host && !(p->lan_host = lan_host_create(&error)))
    log_warn(p->host->session.log, "match: %s: --join lan does not find this host: join its address", error.text);
}

// Returns the value of lan_offer_t.rank for this host. A host to which machines are connected has rank 0, because these
// machines keep their host. Otherwise, the rank is the number of the host's first player, which is unique, or
// PLAYER_MAX + 1 for a host without players. `players`: mask of the local players.
static uint8_t compute_rank(const match_play_o *p, player_mask_t players) {
  if (match_link_count_peers(p->link) > 0)
    return 0;
  return (uint8_t)(players ? (uint32_t)__builtin_ctz(players) + 1 : PLAYER_MAX + 1);
}

void match_lan_answer(match_play_o *p, int64_t now_us) {
  if (!p->lan_host)
    return;
  const game_o *g = p->host->session.game;
  match_status_t status = match_get_status(p->match, now_us);
  lan_offer_t offer = {.game = p->lan_game,
                       .files = p->lan_files,
                       .match = compute_match(p),
                       .proof = compute_proof(p, match_link_get_key(p->link)),
                       .port = p->own_addresses[0].port,
                       .rank = compute_rank(p, status.players)};
  offer.players = (uint8_t)__builtin_popcount(status.present | status.joining);
  offer.max_players = (uint8_t)p->max_players;
  size_t length = strlen(p->title);
  length = length < LAN_TITLE_BYTES ? length : utf8_character_start(p->title, LAN_TITLE_BYTES - 1);
  memcpy(offer.title, p->title, length);
  const char *name = g->local_player_count > 0 ? g->player_infos[g->local_players[0] - 1].name : "";
  (void)snprintf(offer.name, sizeof offer.name, "%s", name[0] ? name : p->name); // name of this machine's first player
  lan_host_update(p->lan_host, now_us, &offer);
}

bool match_lan_begin_search(match_play_o *p, int64_t now_us, error_info_t *error) {
  p->lan_game = hash_identity(&p->identity);
  p->lan_end_us = now_us + SEARCH_US;
  p->lan_search = lan_search_create(error);
  return p->lan_search != NULL;
}

static void fail(match_play_o *p) {
  char text[512], address[LINK_ADDRESS_TEXT_BYTES];
  const lan_found_t *other = &p->lan_other;
  if (other->offer.port != 0)
    (void)snprintf(text, sizeof text, "%s plays “%s” with different files, plugins or version of Shoal",
                   link_address_format(&other->address, address), other->offer.title);
  else
    (void)snprintf(text, sizeof text,
                   "--join lan: no host answered on UDP port %u within %u s: is the host running, and does a firewall "
                   "block the port? Else pass its address",
                   LAN_PORT, SEARCH_US / 1000000);
  match_connect_fail(
      p, &(match_text_t){other->offer.port != 0 ? "join_other_version" : "join_no_match", {{"title", p->title}}}, text);
}

void match_lan_update_search(match_play_o *p, int64_t now_us) {
  lan_found_t found;
  char address[LINK_ADDRESS_TEXT_BYTES];
  while (lan_search_update(p->lan_search, now_us, &found)) {
    if (found.offer.game != p->lan_game) {
      p->lan_other = found;
      continue;
    }
    log_info(p->host->session.log, "match: found “%s” at %s (%u of %u players)", found.offer.title,
             link_address_format(&found.address, address), found.offer.players, found.offer.max_players);
    match_lan_end_search(p);
    match_connect_join(p, now_us, &found.address);
    return;
  }
  if (now_us >= p->lan_end_us)
    fail(p);
}

void match_lan_begin_successor_search(match_play_o *p, int64_t now_us) {
  error_info_t error = {0};
  match_lan_end_search(p);
  p->lan_end_us = now_us + MATCH_REJOIN_US;
  if (!(p->lan_search = lan_search_create(&error)))
    log_warn(p->host->session.log, "match: %s: this machine cannot find a different host automatically", error.text);
}

bool match_lan_find_successor(match_play_o *p, int64_t now_us) {
  lan_found_t found;
  match_status_t status = match_get_status(p->match, now_us);
  uint8_t rank = status.role == MATCH_HOST ? compute_rank(p, status.players) : UINT8_MAX;
  while (p->lan_search && lan_search_update(p->lan_search, now_us, &found)) {
    if (found.offer.match != compute_match(p) || found.offer.rank >= rank)
      continue;
    p->successor = found;
    return true;
  }
  return false;
}

bool match_lan_is_successor(const match_play_o *p, const uint8_t *host_key) {
  return p->successor.offer.proof == compute_proof(p, host_key);
}

void match_lan_end_search(match_play_o *p) {
  lan_search_destroy(p->lan_search);
  p->lan_search = NULL;
}
