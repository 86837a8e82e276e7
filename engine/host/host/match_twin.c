// A second game with the same code and without outputs.
#include "host/match_twin.h"

#include "base/alloc.h"
#include "game/game.h"
#include "match/match_game.h"

#include <sodium.h>
#include <stdlib.h>

#define HOST_IP 0x0a000001u // address 10.0.0.1, and 10.0.0.2 for the peer, on the simulated network only
#define PEER_IP 0x0a000002u
#define PORT 1u

struct match_twin_o {
  game_desc_t game_desc;
  log_o *log; // log that discards all messages
  draw_o *draw;
  audio_o *audio;
  game_o *game;
  match_game_o *match_game;
  match_o *match;
  match_link_o *link;
  link_sim_o *sim;
  match_guard_t guard;
  link_t peer_link;
};

static game_o *create_game(match_twin_o *t, uint64_t seed, error_info_t *error) {
  script_report_t report = {0};
  t->game_desc.seed = seed;
  game_o *g = game_create(&t->game_desc, false, &report);
  if (g && game_start(g, &report))
    return g;
  game_destroy(g);
  error_set(error, "the host's game cannot start: %.600s", report.message);
  return NULL;
}

static game_o *restart(void *context, uint64_t seed) {
  match_twin_o *t = context;
  t->game_desc.old_plugins = t->game->plugins;
  game_o *fresh = create_game(t, seed, NULL);
  if (!fresh)
    return t->game;
  game_destroy(t->game);
  return t->game = fresh;
}

static void build_game_desc(match_twin_o *t, const game_o *g) {
  t->log = log_create(LOG_NONE);
  log_set_terminal(t->log, false);
  t->draw = draw_create();
  t->audio = audio_create(true, g->desc.assets, t->log);
  t->game_desc = g->desc;
  t->game_desc.draw = t->draw;
  t->game_desc.audio = t->audio;
  t->game_desc.log = t->log;
  t->game_desc.render = NULL;
  t->game_desc.preload = NULL;
  t->game_desc.external = NULL;
  t->game_desc.library = (vm_library_t){0};
  t->game_desc.local_players = 0;
  t->game_desc.old_plugins = g->plugins;
  t->game_desc.reuse_libraries = true;
}

static bool create_match(match_twin_o *t, const match_twin_desc_t *desc, int64_t now_us, error_info_t *error) {
  uint8_t secret[SEAL_KEY_BYTES];
  link_address_t host = match_twin_get_address(), peer = link_address_from_ipv4(PEER_IP, PORT);
  randombytes_buf(secret, sizeof secret);
  t->match_game = match_game_create(&(match_game_desc_t){.game = t->game, .restart = restart, .context = t});
  t->match = match_create(&(match_desc_t){.role = MATCH_HOST,
                                          .world = match_game_get_world(t->match_game),
                                          .tick_us = 1000000 / t->game->config.tick_rate,
                                          .secret = secret,
                                          .local_players = desc->local_players,
                                          .max_players = t->game->config.max_players,
                                          .last_tick = desc->last_tick},
                          world_tick(t->game->world), now_us);
  match_add_record(t->match, now_us, RECORD_PAUSE);
  t->sim = link_sim_create((uint64_t)now_us, &desc->conditions);
  t->peer_link = link_sim_add(t->sim, &peer);
  t->link = match_link_create(&(match_link_desc_t){.link = link_sim_add(t->sim, &host),
                                                   .match = t->match,
                                                   .identity = desc->identity,
                                                   .tick_us = 1000000 / t->game->config.tick_rate,
                                                   .is_host = true,
                                                   .guard = &t->guard,
                                                   .log = t->log},
                              error);
  return t->link != NULL;
}

match_twin_o *match_twin_create(const match_twin_desc_t *desc, int64_t now_us, error_info_t *error) {
  match_twin_o *t = alloc_object(sizeof *t);
  build_game_desc(t, desc->game);
  t->game = create_game(t, desc->game->desc.seed, error);
  if (t->game && create_match(t, desc, now_us, error))
    return t;
  match_twin_destroy(t);
  return NULL;
}

void match_twin_destroy(match_twin_o *t) {
  if (!t)
    return;
  match_link_destroy(t->link);
  link_sim_destroy(t->sim);
  match_destroy(t->match);
  match_game_destroy(t->match_game);
  game_destroy(t->game);
  audio_destroy(t->audio);
  draw_destroy(t->draw);
  log_destroy(t->log);
  free(t);
}

match_o *match_twin_get_match(const match_twin_o *t) {
  return t->match;
}

void match_twin_set_conditions(match_twin_o *t, const link_sim_conditions_t *conditions) {
  link_sim_set_conditions(t->sim, conditions);
}

link_t match_twin_get_link(const match_twin_o *t) {
  return t->peer_link;
}

link_address_t match_twin_get_address(void) {
  return link_address_from_ipv4(HOST_IP, PORT);
}

void match_twin_receive(match_twin_o *t, int64_t now_us) {
  match_link_receive(t->link, now_us);
}

// Updates the match on the host's side. Discards failure reports, because the peer's game reports the same failures.
void match_twin_update(match_twin_o *t, int64_t now_us) {
  script_report_t report;
  match_event_t event;
  match_update(t->match, now_us);
  if (t->game->requests.restart)
    match_add_record(t->match, now_us, RECORD_RESTART);
  t->game->requests = (script_requests_t){0};
  while (match_pop_event(t->match, &event)) {
  }
  while (game_pop_reports(t->game, &report, 1)) {
  }
}

void match_twin_send(match_twin_o *t, int64_t now_us) {
  match_link_send(t->link, now_us);
}
