// Life cycle and frames of a room process.
#include "room/room_internal.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "game/players.h"
#include "game/served_rooms.h"
#include "game/world_files.h"
#include "host/failures.h"
#include "match/match_files.h"
#include "saves/game_saves.h"
#include "script/sources.h"
#include "start/package.h"
#include "watchdog/watchdog.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLEEP_US 60000000 // time without players after which the room sleeps
#define MIN_WAIT_US 2000  // minimum time between two frames, so that many datagrams share a frame
// Rate limit of log lines about one player's joins and departures: EVENT_LINES lines, then one per interval. A client
// that joins and leaves without a pause would otherwise fill the log.
#define EVENT_LINES 10u
#define EVENT_LINE_US 5000000
#define OMITTED_US 10000000 // time between two lines about omitted lines
// Maximum time for which a room without machines delays its ticks, and maximum number of delayed ticks, to run several
// in sequence. The first tick after a wait takes much longer than the following ticks, because its code and data are no
// longer in the processor's caches, and each sequence causes one commit. A crash must not undo more than 2 s.
#define MAX_IDLE_US 1000000
#define MAX_IDLE_TICKS 64

// --- start

// Describes this program and the game. Only the same engine with the same files can restore a snapshot.
static bool compute_identity(room_o *r, error_info_t *error) {
  const session_t *s = &r->host->session;
  uint64_t engine = s->options.package ? s->options.package->engine_hash : 0;
  r->files = file_hashes_create();
  if ((!s->options.package && !sources_hash_engine(s->paths.engine, &engine, error)) ||
      !match_identity_compute(s->game, engine, &r->identity, r->files, error))
    return false;
  const match_identity_t *id = &r->identity;
  (void)snprintf(r->engine, sizeof r->engine, "%s %016llx %.60s", SHOAL_VERSION, (unsigned long long)id->engine,
                 id->arithmetic);
  uint64_t hashes[] = {id->sources, id->assets, id->plugins};
  r->base = hash_bytes(hashes, sizeof hashes, 1);
  return true;
}

static bool open_store(room_o *r) {
  error_info_t error = {0};
  store_result_t result = world_store_open(
      &(world_store_desc_t){.path = r->options->db, .engine = r->engine, .base = r->base}, &r->store, &error);
  if (result == STORE_DONE)
    result = world_store_start_room(r->store, r->options->owner, r->name, &r->claim, &error);
  return result == STORE_DONE || room_fail_with(r, result, &error);
}

static bool open_link(room_o *r) {
  uint8_t secret[SEAL_KEY_BYTES];
  char text[LINK_ADDRESS_TEXT_BYTES];
  r->identity.shares_code = match_reload_has_changed(r->code.reload);
  link_address_t addresses[LINK_UDP_MAX_OWN_ADDRESSES];
  error_info_t error = {0};
  r->udp = link_udp_create(&(link_udp_desc_t){.port = r->options->has_port ? r->options->port : MATCH_PORT}, &error);
  if (!r->udp || !match_files_read_world_secret(r->world_path, secret, &error))
    return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
  r->link = match_link_create(&(match_link_desc_t){.link = link_udp_get_link(r->udp),
                                                   .match = r->match,
                                                   .identity = &r->identity,
                                                   .files = r->files,
                                                   .tick_us = r->tick_us,
                                                   .is_host = true,
                                                   .is_world = true,
                                                   .claims = true,
                                                   .guard = &r->guard,
                                                   .secret_seed = secret,
                                                   .log = r->host->session.log},
                              &error);
  sodium_memzero(secret, sizeof secret);
  if (!r->link)
    return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
  if (r->options->port == 0) { // no supervisor has chosen the port and printed the world's address
    link_udp_find_own_addresses(addresses);
    addresses[0].port = link_udp_get_port(r->udp);
    printf("listening: %s\n", link_address_format(&addresses[0], text));
    fflush(stdout);
  }
  room_beat_write_line(r, "open");
  return true;
}

static bool start_writer(room_o *r) {
  error_info_t error = {0};
  r->writer = room_writer_create(r->store, &r->claim, &error);
  if (!r->writer)
    return room_fail(r, ROOM_EXIT_UNAVAILABLE, error.text);
  r->store = NULL;
  if (r->begins_anew) // the first commit must contain the snapshot
    room_writer_hold_records(r->writer);
  room_code_watch(r);
  room_chronicle_begin(r);
  room_begin_journal(r);
  room_proof_begin(r);
  return true;
}

static bool start(room_o *r) {
  error_info_t error = {0};
  served_room_t room;
  if (sodium_init() < 0)
    return room_fail(r, ROOM_EXIT_UNAVAILABLE, "libsodium cannot start: the system provides no random numbers");
  if (interrupt_is_exit_requested()) {
    r->is_ending = true; // the game is loaded, but the room is not
    return false;
  }
  if (!r->host->session.game)
    return room_fail(r, ROOM_EXIT_DAMAGED, "the game could not start");
  bool is_child = r->options->has_prove || r->options->try_code || r->options->check_items || r->options->rows;
  bool is_any = r->options->rows || (is_child && strcmp(r->name, "-") == 0);
  if (is_any) { // the process needs any room, so it uses the first room that the game declares
    served_room_t rooms[SERVED_MAX_ROOMS];
    served_rooms_list(&r->host->session.game->config, rooms);
    (void)snprintf(r->first_name, sizeof r->first_name, "%s", rooms[0].name);
    r->name = r->first_name;
  }
  if (!served_rooms_find(&r->host->session.game->config, r->name, &room)) {
    error_set(&error, "game.lua declares no room of this name: add it to `serve`, or remove it from the database");
    return room_fail(r, ROOM_EXIT_DAMAGED, error.text);
  }
  r->max_players = room.players;
  r->sleeps = room.kind->sleeps;
  (void)snprintf(r->scene, sizeof r->scene, "%s", room.kind->scene);
  if (!is_child && !room_beat_open(r))
    return false;
  if (!compute_identity(r, &error) ||
      !world_files_find(r->host->session.game, r->options->db, r->world_path, sizeof r->world_path, &error))
    return room_fail(r, ROOM_EXIT_DAMAGED, error.text);
  room_code_begin(r);
  return is_child ||
         (open_store(r) && room_lock(r) && room_load(r) && room_accounts_begin(r) && start_writer(r) && open_link(r));
}

// --- frames

// Logs that a player has joined, left, lost the connection or returned. Omits and counts lines above the rate limit.
static void log_player(room_o *r, int64_t now_us, const match_event_t *event) {
  static const char *const WORDS[] = {
      [MATCH_EVENT_LEFT] = "left", [MATCH_EVENT_LOST] = "lost the connection", [MATCH_EVENT_REJOINED] = "is back"};
  unsigned number = event->player + 1u;
  if (!rate_limit_take_interval(&r->event_lines[event->player], now_us, EVENT_LINE_US, EVENT_LINES))
    ++r->omitted_lines;
  else if (event->kind == MATCH_EVENT_JOINED)
    log_info(r->host->session.log, "player %u joined: %s", number,
             players_get_info(r->host->session.game, number).name);
  else
    log_info(r->host->session.log, "player %u %s", number, WORDS[event->kind]);
}

static void report_omitted_lines(room_o *r, int64_t now_us) {
  if (r->omitted_lines == 0 || now_us - r->omitted_us < OMITTED_US)
    return;
  log_info(r->host->session.log, "room %s: omitted %u lines about players who join and leave too often", r->name,
           r->omitted_lines);
  r->omitted_lines = 0;
  r->omitted_us = now_us;
}

static void report_event(room_o *r, int64_t now_us, const match_event_t *event) {
  switch (event->kind) {
  case MATCH_EVENT_JOINED:
  case MATCH_EVENT_LEFT:
    log_player(r, now_us, event);
    room_beat_note_players(r, now_us,
                           event->kind == MATCH_EVENT_JOINED ? match_get_visit(r->match, event->player).account : 0);
    break;
  case MATCH_EVENT_LOST: log_player(r, now_us, event); break;
  case MATCH_EVENT_REJOINED:
    log_player(r, now_us, event);
    room_accounts_repeat_move(r, now_us, event->player);
    break;
  case MATCH_EVENT_REFUSED:
    if (event->is_own && event->is_late)
      room_code_note_late(r);
    else if (event->is_own)
      room_code_note_refusal(r, match_get_refusal(r->match));
    break;
  case MATCH_EVENT_NAMED:
    log_warn(r->host->session.log, "desync of player %u in tick %llu: %s", event->player + 1u,
             (unsigned long long)event->tick, match_get_line(r->match, event));
    break;
  default: break;
  }
}

static void report_events(room_o *r, int64_t now_us) {
  match_event_t event;
  while (match_pop_event(r->match, &event))
    report_event(r, now_us, &event);
  report_omitted_lines(r, now_us);
}

// Applies the requests of scripts that concern a room: saves, files, and moves to other rooms. A room has no window,
// menu or lobby.
static void apply_requests(room_o *r) {
  session_t *s = &r->host->session;
  script_requests_t requests = s->game->requests;
  s->game->requests = (script_requests_t){0};
  game_saves_run_requests(s, &requests);
  for (uint32_t i = 0; i < requests.move_count; ++i)
    room_accounts_move(r, room_now_us(), requests.moves[i].player - 1, requests.moves[i].room);
}

static void take_answers(room_o *r, int64_t now_us) {
  room_answer_t answer;
  while (room_writer_take_answer(r->writer, &answer)) {
    switch (answer.kind) {
    case ROOM_ANSWER_CLAIM:
    case ROOM_ANSWER_LEAVE:
    case ROOM_ANSWER_WANTED: room_accounts_take_answer(r, now_us, &answer); break;
    case ROOM_ANSWER_CODE: room_code_take(r, answer.bytes, answer.size); break;
    case ROOM_ANSWER_COMMAND:
    case ROOM_ANSWER_COMMAND_TAKEN: room_commands_take_answer(r, now_us, &answer); break;
    }
  }
}

// Ends the room once it has been empty for SLEEP_US. Machines that only watch do not count as players.
static void update_sleep(room_o *r, int64_t now_us) {
  match_status_t status = match_get_status(r->match, now_us);
  if ((status.present | status.joining) || room_accounts_are_busy(r))
    r->empty_us = 0;
  else if (r->empty_us == 0)
    r->empty_us = now_us;
  r->is_ending |= r->sleeps && r->empty_us != 0 && now_us - r->empty_us >= SLEEP_US;
}

// Returns true if no machine notices a tick: no machine is connected or joins, and no account change is pending. A room
// whose database does not answer is not idle: it must pause before it runs more ticks than a crash may undo.
static bool is_idle(const room_o *r) {
  match_request_t request;
  return match_link_count_peers(r->link) == 0 && !match_link_get_request_at(r->link, 0, &request) &&
         !room_accounts_are_busy(r) && room_writer_get_status(r->writer).waiting_us < MAX_IDLE_US;
}

// Returns the number of ticks that the next frame of an idle room runs, at least 1. All of them together take at most
// the time between two ticks, because a machine that asks to join waits for them. Returns 1 before the first tick of
// the process, because no duration is known yet.
static uint32_t count_idle_ticks(const room_o *r) {
  if (r->ticks.start_us == 0)
    return 1;
  int64_t count = MAX_IDLE_US / r->tick_us, affordable = r->tick_us / (r->ticks.average_us + 1);
  count = count < affordable ? count : affordable;
  return count < 1 ? 1 : count < MAX_IDLE_TICKS ? (uint32_t)count : MAX_IDLE_TICKS;
}

// Sets the maximum number of ticks in the next frame. Returns the time of this frame: the due time of the next tick or,
// in an idle room, of the last tick that the frame can run.
static int64_t plan_frame(room_o *r, int64_t now_us) {
  uint32_t ticks = is_idle(r) ? count_idle_ticks(r) : 1;
  match_set_max_ticks(r->match, ticks > MATCH_MAX_TICKS_PER_UPDATE ? ticks : MATCH_MAX_TICKS_PER_UPDATE);
  return match_get_status(r->match, now_us).due_us + (ticks - 1) * r->tick_us;
}

// Waits until the next frame or datagram, at most MAX_IDLE_US. While machines are connected, datagrams are read at the
// earliest MIN_WAIT_US after the start of the previous frame.
static void wait_for_frame(room_o *r, int64_t frame_us) {
  int64_t now_us = room_now_us(), due_us = r->ticks.frame_us = plan_frame(r, now_us);
  int64_t early_us = frame_us + MIN_WAIT_US < due_us ? frame_us + MIN_WAIT_US : due_us;
  if (early_us > now_us && match_link_count_peers(r->link) > 0) {
    int64_t pause_us = early_us - now_us;
    nanosleep(&(struct timespec){.tv_sec = pause_us / 1000000, .tv_nsec = (long)(pause_us % 1000000) * 1000}, NULL);
    now_us = room_now_us();
  }
  int64_t left_us = due_us - now_us;
  if (left_us > WATCHDOG_PERIOD_MS * 1000) // the timer's signal would end the wait
    watchdog_rest();
  if (left_us > 0)
    link_udp_wait(r->udp, left_us < MAX_IDLE_US ? left_us : MAX_IDLE_US);
}

static void run_frame(room_o *r) {
  int64_t now_us = room_now_us();
  plugins_start_threads(r->host->session.game->plugins);
  match_link_receive(r->link, now_us);
  take_answers(r, now_us);
  room_beat_measure_delay(r);
  match_update(r->match, now_us);
  match_link_send(r->link, room_now_us());
  room_update_journal(r, now_us);
  room_accounts_update(r, now_us);
  room_commands_update(r, now_us);
  report_events(r, now_us);
  failures_report_new(r->host);
  apply_requests(r);
  vm_collect_garbage(r->host->session.game->vm); // a reload may have replaced the game
  update_sleep(r, now_us);
  room_proof_update(r, now_us);
  room_beat_update(r, now_us);
  r->is_ending |= interrupt_is_exit_requested();
  if (!r->is_ending)
    wait_for_frame(r, now_us);
}

// --- end

static void destroy(room_o *r) {
  match_link_destroy(r->link);
  room_chronicle_end(r);
  room_writer_destroy(r->writer);
  world_store_close(r->store);
  match_destroy(r->match);
  match_game_destroy(r->game);
  room_code_end(r);
  link_udp_destroy(r->udp);
  file_hashes_destroy(r->files);
  room_owned_free(r);
  free(r);
}

int room_run(host_o *h) {
  room_o *r = alloc_object(sizeof *r);
  r->host = h;
  r->options = &h->session.options;
  r->name = r->options->room;
  bool has_started = start(r);
  if (has_started && r->options->check_items) {
    r->status = room_check_items(r);
  } else if (has_started && (r->options->has_prove || r->options->try_code || r->options->rows)) {
    r->status = r->options->try_code ? room_try(r) : r->options->rows ? room_rows_rewrite(r) : room_prove(r);
  } else if (!r->is_ending) {
    while (!r->is_ending)
      run_frame(r);
    room_proof_end(r);
    if (r->status == 0)
      room_sleep(r);
    match_link_close(r->link, room_now_us());
  }
  int status = r->status;
  destroy(r);
  return status;
}
