// Life cycle and frames of a match.
#include "host/match_play.h"

#include "base/assert.h"
#include "game/players.h"
#include "host/failures.h"
#include "host/game_options.h"
#include "host/game_switch.h"
#include "host/match_play_internal.h"
#include "host/play_together.h"
#include "host/script_requests.h"
#include "host/slow_systems.h"
#include "host/window.h"
#include "session/notices.h"
#include "start/package.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFIRM_US 8000      // maximum time per frame for confirming ticks
#define FINISH_US 3000000    // maximum time until all machines have confirmed the end, or repaired their states
#define LEAVE_US 1000000     // maximum time until the host has confirmed that a peer leaves
#define MAX_GAP_US 1000000   // maximum gap between two frames of the host that counts as silence of its peers
#define FINISH_SLEEP_S 0.004 // sleep between two frames at the end
#define FINISH_MIN_FRAMES 2u // minimum number of frames in which a peer confirms the end

static const options_t *get_options(const match_play_o *p) {
  return &p->host->session.options;
}

static game_o *get_game(const match_play_o *p) {
  return p->host->session.game;
}

static bool is_twin(const options_t *o) {
  return !o->host && !o->join;
}

// Returns the host's match object if the host is in this process, otherwise NULL.
static match_o *get_host_match(const match_play_o *p) {
  return p->twin ? match_twin_get_match(p->twin) : match_get_status(p->match, 0).role == MATCH_HOST ? p->match : NULL;
}

// --- creation

static game_o *restart_game(void *context, uint64_t seed) {
  match_play_o *p = context;
  return game_switch_restart_in_match(p->host, seed);
}

static bool has_time(void *context) {
  return match_play_now_us(context) < ((const match_play_o *)context)->confirm_end_us;
}

static void confirm_tick(void *context, uint64_t tick, uint64_t hash) {
  match_play_o *p = context;
  const options_t *o = get_options(p);
  if (p->is_complete)
    return;
  p->tick = tick;
  p->hash = hash;
  p->is_complete = o->has_ticks && tick >= o->ticks;
  if (o->hash_every > 0 && tick % o->hash_every == 0)
    match_play_print_hash(p->host);
}

static void report_failure(void *context, const script_report_t *report) {
  const match_play_o *p = context;
  failures_report(p->host, ERROR_CARD_RUN, report);
}

static void measure_tick(void *context, bool begins) {
  host_o *h = ((const match_play_o *)context)->host;
  if (h->session.options.stats)
    (begins ? stats_begin_tick : stats_end_tick)(&h->stats, h->session.game, platform_seconds(h->session.platform));
}

static recorder_o *create_recorder(void *context, journal_o *journal, uint64_t tick, char *path, size_t path_bytes) {
  match_play_o *p = context;
  player_mask_t players = match_get_status(p->match, 0).players;
  if (get_host_match(p) == p->match)
    (void)snprintf(path, path_bytes, "desync-%llu-host.replay", (unsigned long long)tick);
  else
    (void)snprintf(path, path_bytes, "desync-%llu-player%d.replay", (unsigned long long)tick,
                   players ? __builtin_ctz(players) + 1 : 0);
  return recording_control_create_recorder(&p->host->session, journal);
}

static bool check_players(match_play_o *p, error_info_t *error) {
  const options_t *o = get_options(p);
  const vm_game_t *config = &get_game(p)->config;
  uint32_t local = o->local ? o->local : 1;
  // With --net-sim, the peer in this process has one player.
  uint32_t peers = is_twin(o) && local < config->max_players ? 1 : 0;
  uint32_t wanted = config->min_players > local + peers ? config->min_players : local + peers;
  p->awaited = o->players ? o->players : wanted;
  if (p->awaited > config->max_players || p->awaited < config->min_players)
    return error_set(error, "--players %u is out of range: the game has %u to %u players (multiplayer in game.lua)",
                     p->awaited, config->min_players, config->max_players);
  return local <= p->awaited ||
         error_set(error, "--local %u is out of range: the match has %u players", local, p->awaited);
}

static void create_match(match_play_o *p, int64_t now_us) {
  const options_t *o = get_options(p);
  game_o *g = get_game(p);
  p->tick_us = 1000000 / g->config.tick_rate;
  p->reload = match_reload_create(p->host);
  p->game = match_game_create(&(match_game_desc_t){.game = g,
                                                   .restart = restart_game,
                                                   .enter = match_lobby_enter,
                                                   .code = match_reload_get_code(p->reload, options_accept_code(o)),
                                                   .confirm = confirm_tick,
                                                   .report = report_failure,
                                                   .measure = measure_tick,
                                                   .create_recorder = create_recorder,
                                                   .context = p,
                                                   .corrections = o->headless ? NULL : &p->corrections});
  match_reload_set_game(p->reload, p->game);
  p->match = match_create(&(match_desc_t){.role = o->host ? MATCH_HOST : MATCH_PEER,
                                          .world = match_game_get_world(p->game),
                                          .limits = p->limits,
                                          .tick_us = p->tick_us,
                                          .secret = p->secret,
                                          .name = p->twin ? NULL : p->name,
                                          .local_players = o->local ? o->local : 1,
                                          .max_players = g->config.max_players,
                                          .has_time = has_time,
                                          .time_context = p,
                                          .last_tick = o->has_ticks ? o->ticks : 0},
                          world_tick(g->world), now_us);
}

static bool create_twin(match_play_o *p, int64_t now_us, error_info_t *error) {
  const options_t *o = get_options(p);
  match_twin_desc_t desc = {.game = get_game(p),
                            .identity = &p->identity,
                            .local_players = p->awaited - (o->local ? o->local : 1),
                            .conditions = p->network,
                            .last_tick = o->has_ticks ? o->ticks : 0};
  p->twin = match_twin_create(&desc, now_us, error);
  return p->twin != NULL;
}

static bool compute_identity(match_play_o *p, error_info_t *error) {
  const session_t *s = &p->host->session;
  uint64_t engine = s->options.package ? s->options.package->engine_hash : 0;
  return (s->options.package || sources_hash_engine(s->paths.engine, &engine, error)) &&
         match_identity_compute(s->game, engine, &p->identity, p->files, error);
}

bool match_play_begin(host_o *h, error_info_t *error) {
  const options_t *o = &h->session.options;
  if (!options_start_match(o) || options_run_room(o)) // room/room.c plays the match of a room
    return true;
  if (!h->session.game)
    return error_set(error, "the match cannot begin, because the game could not start");
  match_play_o *p = alloc_object(sizeof *p);
  int64_t now_us = p->frame_us = match_play_now_us(p);
  p->host = h;
  h->tools_requested |= h->tools_open; // closes the developer overlay, which may be open since the menu
  p->token.file = -1;
  p->files = file_hashes_create();
  p->limits = game_options_get_limits(h);
  p->has_network = o->net_sim && link_sim_parse(o->net_sim, &p->network, NULL);
  h->match = p;
  window_apply_settings(h);
  if (sodium_init() < 0)
    return error_set(error, "libsodium cannot start: the system provides no random numbers");
  randombytes_buf(p->secret, sizeof p->secret);
  if (!compute_identity(p, error) || (!o->join && !check_players(p, error)) ||
      !match_input_open(&p->input, &h->session.memory, o->replay, error) ||
      (is_twin(o) && !create_twin(p, now_us, error)))
    return false;
  match_lobby_init(p);
  create_match(p, now_us);
  if (!match_connect_open(p, error) || !match_lobby_begin(p, error))
    return false;
  if (o->host && !match_game_is_in_lobby(p->game))
    match_add_record(p->match, now_us, RECORD_PAUSE); // the match is paused until enough players have joined
  return true;
}

void match_play_end(host_o *h) {
  match_play_o *p = h->match;
  if (!p)
    return;
  h->match = NULL;
  h->match_limits = NULL;
  match_menu_destroy(p->menu);
  match_lookup_end(p->lookup);
  lan_host_destroy(p->lan_host);
  match_lan_end_search(p);
  match_world_end(p);
  match_link_destroy(p->link);
  file_hashes_destroy(p->files);
  match_twin_destroy(p->twin);
  match_destroy(p->match);
  match_game_destroy(p->game);
  match_reload_destroy(p->reload);
  free(p->lines);
  pose_corrections_fini(&p->corrections);
  match_input_close(&p->input);
  link_bridge_destroy(p->bridge);
  link_udp_destroy(p->udp);
  match_token_close(&p->token, p->phase != MATCH_PHASE_ENDED);
  sources_release(p->menu_sources);
  sources_release(p->sources);
  sodium_memzero(p->secret, sizeof p->secret);
  sodium_memzero(p->password, sizeof p->password);
  free(p);
}

bool match_play_begin_requested(host_o *h) {
  error_info_t error = {0};
  if (!h->together.is_active || h->match || (h->session.game && match_play_begin(h, &error)))
    return true;
  match_play_end(h);
  bool has_game = h->session.game != NULL; // without a game, the error card shows why it cannot start
  if (has_game) {
    log_error(h->session.log, "match: %s", error.text);
    play_together_leave(h, error.text);
  }
  play_together_restore_options(h);
  return !has_game;
}

// --- players of this machine

// Sets the local players: first this machine's players, then the players of the twin, the host in this process. The
// first devices therefore belong to the peer, whose game is shown.
static void update_local_players(match_play_o *p, int64_t now_us) {
  uint8_t numbers[PLAYER_MAX];
  player_mask_t own = match_get_status(p->match, now_us).players;
  player_mask_t twin = p->twin ? match_get_status(match_twin_get_match(p->twin), now_us).players : 0;
  uint32_t count = 0;
  if ((own | twin) == p->local_players || own == 0)
    return;
  p->local_players = own | twin;
  for (uint8_t i = 0; i < PLAYER_MAX; ++i)
    if (own >> i & 1)
      numbers[count++] = (uint8_t)(i + 1);
  for (uint8_t i = 0; i < PLAYER_MAX; ++i)
    if (twin >> i & 1)
      numbers[count++] = (uint8_t)(i + 1);
  players_set_local(get_game(p), numbers, count);
}

static void add_inputs(match_o *m, int64_t now_us, const player_inputs_t *inputs) {
  player_mask_t players = match_get_status(m, now_us).players;
  for (uint32_t i = 0, local = 0; i < PLAYER_MAX; ++i)
    if (players >> i & 1)
      match_add_input(m, local++, &inputs->players[i]);
}

// Adds widget actions of players to the match `m`. `first`: index of the first player of `m` among the local players.
static void add_actions(match_play_o *p, match_o *m, int64_t now_us, uint32_t first) {
  uint8_t bytes[MATCH_MAX_COMMAND_BYTES];
  uint32_t count = (uint32_t)__builtin_popcount(match_get_status(m, now_us).players);
  for (uint32_t i = 0; i < count && first + i < get_game(p)->local_player_count; ++i) {
    size_t size = match_input_take_actions(&p->input, get_game(p), first + i, bytes);
    if (size > 0 && !match_add_command(m, i, bytes, size))
      log_warn(p->host->session.log, "match: the input of a widget was lost, because the host does not answer");
  }
}

// Reads the devices of this machine although its players have recorded inputs, because the boxes of the menu use the
// mouse.
static void read_devices(match_play_o *p) {
  p->devices_before = p->devices;
  platform_sample_input(p->host->session.platform, &p->devices);
  input_state_t sample = p->devices;
  if (p->menu)
    match_menu_run_frame(p->menu, &sample, false, false);
}

static void read_inputs(match_play_o *p, int64_t now_us) {
  match_status_t status = match_get_status(p->match, now_us);
  bool takes_part =
      status.players != 0 && (status.present & status.players) == status.players && !match_game_is_in_lobby(p->game);
  // A recording is played only while this machine takes part in the match, so that none of its ticks is lost.
  while ((takes_part || !p->input.recording) &&
         match_input_read(&p->input, p->host->session.platform, now_us, p->tick_us)) {
    player_inputs_t inputs;
    if (!p->input.recording) {
      ui_toggle_actions(get_game(p)->ui, &p->input.previous, &p->input.sample);
      p->devices_before = p->devices;
      p->devices = p->input.sample; // the question and the panel also read the devices
    }
    if (!p->input.recording && p->menu)
      match_menu_run_frame(p->menu, &p->input.sample, p->phase == MATCH_PHASE_PLAYING && takes_part,
                           p->phase == MATCH_PHASE_PLAYING && match_game_is_in_lobby(p->game));
    match_input_compute(&p->input, get_game(p), match_game_get_confirmed(p->game, &status), &inputs);
    add_inputs(p->match, now_us, &inputs);
    add_actions(p, p->match, now_us, 0);
    if (p->twin) {
      add_inputs(match_twin_get_match(p->twin), now_us, &inputs);
      add_actions(p, match_twin_get_match(p->twin), now_us, (uint32_t)__builtin_popcount(status.players));
    }
    if (!p->input.recording)
      return;
  }
}

// --- frames

// Creates the menu, and re-creates it when the lobby or a shared reload has replaced the code of the game. In the
// lobby, the menu has only the players page.
static void update_menu(match_play_o *p, int64_t now_us) {
  bool is_host = match_get_status(p->match, now_us).role == MATCH_HOST;
  sources_o *sources = get_game(p)->desc.sources;
  char addresses[MATCH_ADDRESSES_TEXT_BYTES];
  if (get_options(p)->headless)
    return;
  if (sources != p->menu_sources) {
    match_menu_destroy(p->menu);
    p->menu = match_menu_create(p->host);
    sources_release(p->menu_sources);
    sources_retain(sources);
    p->menu_sources = sources;
  }
  match_panel_show_boxes(p);
  if (!p->menu)
    return;
  match_menu_set_addresses(p->menu, is_host ? match_status_format_addresses(p, addresses) : NULL);
  match_moderation_update_menu(p, now_us);
  if (p->opens_players)
    match_menu_open_players(p->menu);
  p->opens_players = false;
}

static void begin_if_ready(match_play_o *p, int64_t now_us) {
  match_o *m = get_host_match(p);
  if (!m || p->has_begun || match_game_is_in_lobby(p->game))
    return;
  match_status_t status = match_get_status(m, now_us);
  if ((uint32_t)__builtin_popcount(status.joining | status.present) < p->awaited)
    return;
  p->has_begun = true;
  match_add_record(m, now_us, RECORD_RESUME);
}

// Applies requests from scripts. Scripts on all machines request a restart in the same tick, so only the host restarts
// the match.
static void apply_requests(match_play_o *p) {
  script_requests_t *requests = &get_game(p)->requests, own = *requests;
  match_o *m = get_host_match(p);
  if (requests->pause > 0)
    log_warn(p->host->session.log, "world.pause() is ignored in a match: the host pauses it with F6");
  requests->pause = 0;
  if (m != p->match)
    requests->restart = false;
  requests_apply(p->host);
  match_lobby_apply_requests(p, &own);
  if (p->menu && (own.options_of & p->local_players))
    match_menu_open_options(p->menu);
  p->opens_players |= (own.players_of & p->local_players) != 0;
  if (p->menu && (own.quit_of & p->local_players))
    match_menu_open_question(p->menu);
  if (p->menu && match_menu_leaves(p->menu))
    play_together_leave(p->host, "");
}

static void end_match(match_play_o *p) {
  p->phase = MATCH_PHASE_ENDED;
  match_text_format(p->host, &(match_text_t){"match_ended", {{0}}}, p->failure);
  if (p->host->together.is_active)
    play_together_leave(p->host, p->failure);
}

static void handle_loss(match_play_o *p, int64_t now_us, const match_event_t *event) {
  bool is_silent = event->reason == MATCH_CLOSE_NONE || event->reason == MATCH_CLOSE_STALLED;
  if (p->phase != MATCH_PHASE_PLAYING)
    return;
  if (match_get_status(p->match, now_us).role != MATCH_HOST)
    match_connect_lose_host(p, now_us);
  else if (is_silent && !p->twin && !p->lan_search && match_link_count_peers(p->link) == 0)
    match_lan_begin_successor_search(p, now_us); // the other machines may have replaced this host
}

static void report_events(match_play_o *p, int64_t now_us) {
  match_event_t event;
  while (match_pop_event(p->match, &event)) {
    match_status_report(p, &event);
    if (event.kind == MATCH_EVENT_LOST)
      handle_loss(p, now_us, &event);
    if (event.kind == MATCH_EVENT_ENDED && p->phase == MATCH_PHASE_PLAYING)
      end_match(p);
  }
}

static void propose_changes(match_play_o *p, int64_t now_us) {
  error_info_t error = {0};
  if (p->phase == MATCH_PHASE_PLAYING && !match_reload_propose(p->reload, p->match, now_us, &error))
    match_status_show_refused_change(p, error.text, true);
}

static void receive(match_play_o *p, int64_t now_us) {
  if (p->twin)
    match_twin_receive(p->twin, now_us);
  if (p->link)
    match_link_receive(p->link, now_us);
}

static void send(match_play_o *p, int64_t now_us) {
  if (p->twin)
    match_twin_send(p->twin, now_us);
  if (p->link)
    match_link_send(p->link, now_us);
}

// Begins a frame and returns its time. On the host, the time excludes gaps between frames that are longer than
// MAX_GAP_US.
static int64_t begin_frame(match_play_o *p) {
  int64_t now_us = match_play_now_us(p), gap_us = now_us - p->frame_us;
  if (gap_us > MAX_GAP_US && match_get_status(p->match, now_us).role == MATCH_HOST) {
    p->gaps_us += gap_us;
    now_us = p->frame_us;
  }
  p->frame_us = now_us;
  return now_us;
}

void match_play_run_frame(host_o *h) {
  match_play_o *p = h->match;
  int64_t now_us = begin_frame(p);
  clock_advance(&h->clock, h->frame_start_s); // only measures the frame's duration
  pose_corrections_advance(&p->corrections, h->clock.frame_s);
  receive(p, now_us);
  match_lan_answer(p, now_us);
  match_connect_update(p, now_us);
  begin_if_ready(p, now_us);
  update_local_players(p, now_us);
  update_menu(p, now_us);
  read_inputs(p, now_us);
  if (p->input.recording)
    read_devices(p);
  match_question_update(p);
  match_panel_update(p, now_us);
  if (p->twin)
    match_twin_update(p->twin, now_us);
  p->confirm_end_us = match_play_now_us(p) + CONFIRM_US;
  match_update(p->match, now_us);
  pose_corrections_add(&p->corrections, get_game(p)->world); // adds corrections of ticks that were not run again
  report_events(p, now_us);
  propose_changes(p, now_us);
  send(p, now_us);
  match_status_update_players(p);
  match_status_update_chat(p, now_us);
  slow_systems_report(h);
  failures_report_new(h);
  apply_requests(p);
  h->session.stopping |= p->is_complete || (p->phase == MATCH_PHASE_ENDED && h->session.options.headless);
}

const pose_corrections_t *match_play_get_corrections(const host_o *h) {
  return h->match ? &h->match->corrections : NULL;
}

bool match_play_has_open_menu(const host_o *h) {
  return h->match && h->match->menu && match_menu_is_open(h->match->menu);
}

bool match_play_needs_pointer(host_o *h) {
  match_play_o *p = h->match;
  if (!p)
    return false;
  bool is_paused = p->phase == MATCH_PHASE_PLAYING && match_get_status(p->match, match_play_now_us(p)).is_paused;
  return is_paused || p->has_request || p->boxes[MATCH_BOX_PANEL].title[0] || match_play_has_open_menu(h);
}

void match_play_draw_menu(const host_o *h, float dt_s) {
  if (h->match && h->match->menu)
    match_menu_draw(h->match->menu, dt_s);
}

// --- the end

static bool has_finished(match_play_o *p, int64_t now_us, uint32_t frames) {
  match_status_t status = match_get_status(p->match, now_us);
  if (p->twin || match_link_count_peers(p->link) == 0)
    return true;
  if (status.role == MATCH_HOST)
    return status.is_acknowledged;
  return status.has_left || (status.has_ended && frames >= FINISH_MIN_FRAMES && !status.is_repairing);
}

static void begin_end(match_play_o *p, int64_t now_us) {
  match_status_t status = match_get_status(p->match, now_us);
  if (status.role == MATCH_HOST && !status.has_ended)
    match_add_record(p->match, now_us, RECORD_END);
  else if (status.role != MATCH_HOST && !status.has_ended)
    match_leave(p->match);
}

// Reports the desyncs whose cause was found until the end of the match. Drops events of players and connections, which
// no longer matter.
static void report_desyncs(match_play_o *p) {
  match_event_t event;
  while (match_pop_event(p->match, &event))
    if (event.kind == MATCH_EVENT_NAMED)
      match_status_report(p, &event);
}

void match_play_finish(host_o *h) {
  match_play_o *p = h->match;
  if (!p || !p->match || !p->link)
    return;
  int64_t start_us = match_play_now_us(p);
  begin_end(p, start_us);
  match_status_t status = match_get_status(p->match, start_us);
  int64_t limit_us = status.role == MATCH_HOST || status.has_ended ? FINISH_US : LEAVE_US;
  for (uint32_t frames = 0;; ++frames) {
    int64_t now_us = match_play_now_us(p);
    receive(p, now_us);
    p->confirm_end_us = INT64_MAX;
    match_update(p->match, now_us);
    report_desyncs(p);
    send(p, now_us);
    if (has_finished(p, now_us, frames) || now_us - start_us > limit_us)
      break;
    platform_sleep(h->session.platform, FINISH_SLEEP_S);
  }
  bool has_lost_host = p->phase == MATCH_PHASE_LOST;
  match_drop_predictions(p->match);
  match_link_close(p->link, match_play_now_us(p));
  p->phase = has_lost_host ? MATCH_PHASE_LOST : MATCH_PHASE_ENDED;
}

void match_play_print_hash(const host_o *h) {
  if (h->match->hash == 0) // no tick was confirmed
    return;
  printf("tick %llu hash %016llx\n", (unsigned long long)h->match->tick, (unsigned long long)h->match->hash);
  fflush(stdout);
}

// --- user requests

bool match_play_refuses(host_o *h, const char *what) {
  if (!h->match)
    return false;
  notice_add(&h->session.notices, NOTICE_BAD, "%s is not possible in a match", what);
  log_info(h->session.log, "%s is not possible in a match", what);
  return true;
}

void match_play_toggle_pause(host_o *h) {
  match_play_o *p = h->match;
  match_o *m = get_host_match(p);
  int64_t now_us = match_play_now_us(p);
  if (!m) {
    match_status_add_notice(p, NOTICE_PLAIN, &(match_text_t){"match_only_host_pauses", {{0}}});
    return;
  }
  match_status_t status = match_get_status(m, now_us);
  if (p->has_begun && !status.has_ended)
    match_add_record(m, now_us, status.is_paused ? RECORD_RESUME : RECORD_PAUSE);
}

void match_play_restart(host_o *h) {
  match_play_o *p = h->match;
  match_o *m = get_host_match(p);
  if (!m)
    match_status_add_notice(p, NOTICE_PLAIN, &(match_text_t){"match_only_host_restarts", {{0}}});
  else if (p->has_begun && !match_get_status(m, 0).has_ended)
    match_add_record(m, match_play_now_us(p), RECORD_RESTART);
}

static void share_changes(host_o *h) {
  if (h->session.options.share_code)
    match_reload_note_changes(h->match->reload);
  else
    match_status_show_refused_change(h->match,
                                     "The change was not loaded: this match was started without --share-code.\n"
                                     "to change the game while you play, start it with --share-code on each machine",
                                     true);
}

void match_play_apply_requests(host_o *h) {
  if (!h->match)
    return;
  if (play_together_is_leaving(h)) { // game_switch_apply then opens the menu
    match_play_finish(h);
    match_play_end(h);
    play_together_restore_options(h);
    return;
  }
  if (h->restart_requested)
    match_play_restart(h);
  if (h->session.reload_requested)
    share_changes(h);
  if (h->requested_game[0])
    match_play_refuses(h, "Another game");
  h->requested_game[0] = 0;
  h->restart_requested = h->session.reload_requested = h->session.reload_by_script = false;
}
