// Rooms of a served world: this machine requests its room from the world, and repeats the request when the room is
// silent. After a crash, a room has a new process, which knows this machine by its token.
#include "host/match_play_internal.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define SILENT_US 2000000     // silence of the room after which this machine sends a request to the world
#define SPREAD_US 1000000u    // maximum random delay of this request, so that not all machines send it at the same time
#define ASK_AGAIN_US 2000000  // time between two requests while the room is silent
#define MAX_UNANSWERED 2u     // number of unanswered requests after which joining a world that has never answered fails
#define MIN_ASK_AGAIN_MS 100u // lower limit for the delay that the world sends
#define MAX_ASK_AGAIN_MS 5000u
#define MOVE_US 10000000 // time after which a player returns if the new room does not open
#define JOIN_US 30000000 // time after which this machine stops joining a room that does not answer or is full

static log_o *get_log(const match_play_o *p) {
  return p->host->session.log;
}

bool match_world_is_used(const match_play_o *p) {
  return p->host->session.options.world != NULL;
}

void match_world_end(match_play_o *p) {
  world_finder_destroy(p->world.finder);
  p->world.finder = NULL;
}

// --- keys

bool match_world_check_key(match_play_o *p, const link_address_t *address, const uint8_t *key, bool *is_trusted) {
  match_world_play_t *w = &p->world;
  if (!w->has_key) {
    if (!match_connect_check_key(p, address, key, is_trusted))
      return false;
    memcpy(w->key, key, sizeof w->key);
    return w->has_key = true;
  }
  *is_trusted = sodium_memcmp(w->key, key, sizeof w->key) == 0;
  if (!*is_trusted) {
    p->key_problem = "join_wrong_key";
    (void)snprintf(p->key_details, sizeof p->key_details, "a process at the address of the world has a different key");
  }
  return *is_trusted;
}

// --- questions

static void plan_question(match_play_o *p, int64_t time_us) {
  p->world.ask_us = time_us > 0 ? time_us : 1;
}

static void ask(match_play_o *p, int64_t now_us) {
  match_world_play_t *w = &p->world;
  uint8_t token[MATCH_TOKEN_BYTES], secret[SEAL_KEY_BYTES];
  error_info_t error = {0}, problem = {0};
  bool has_secret = match_files_read_secret(MATCH_FILES_ACCOUNT_SECRET, secret, &problem);
  world_finder_desc_t desc = {.world = w->address,
                              .request = {.returns = !w->origin[0] && match_get_token(p->match, token)},
                              .account_secret = has_secret ? secret : NULL,
                              .code = p->host->session.options.code};
  sodium_memzero(token, sizeof token);
  memcpy(desc.request.room, w->room, sizeof desc.request.room);
  (void)snprintf(desc.request.name, sizeof desc.request.name, "%s", p->name);
  w->ask_us = 0;
  w->finder = world_finder_create(&desc, now_us, &error);
  sodium_memzero(secret, sizeof secret);
  if (!w->finder)
    match_connect_fail(p, &(match_text_t){"match_failed", {{0}}}, error.text);
}

void match_world_begin(match_play_o *p, int64_t now_us, const link_address_t *world) {
  const char *room = p->host->session.options.room;
  p->world.address = *world;
  p->world.begin_us = now_us;
  (void)snprintf(p->world.room, sizeof p->world.room, "%s", room ? room : "");
  p->phase = MATCH_PHASE_ASKING;
  ask(p, now_us);
}

// --- the room

// Waits for the room without a connection: frees the old session, whose process no longer exists or no longer answers.
static void begin_rejoin(match_play_o *p, int64_t now_us) {
  p->phase = p->tick > 0 ? MATCH_PHASE_LOST : MATCH_PHASE_ASKING;
  p->lost_us = p->world.begin_us = now_us;
  p->world.is_joining = false;
  match_link_close(p->link, now_us);
  match_drop_predictions(p->match);
}

void match_world_lose_room(match_play_o *p, int64_t now_us, const match_failure_t *failure) {
  if (failure) {
    match_drop_predictions(p->match);
    match_connect_fail(p, &failure->text, failure->details);
    return;
  }
  log_warn(get_log(p), "match: the room %s: joining it again",
           p->has_host_left ? "has closed the connection" : "does not answer");
  begin_rejoin(p, now_us);
  if (!p->world.finder)
    plan_question(p, now_us);
}

void match_world_move(match_play_o *p, int64_t now_us) {
  match_world_play_t *w = &p->world;
  memcpy(w->origin, w->room, sizeof w->origin);
  w->room[0] = '\0'; // the world chooses the room
  w->moved_us = now_us;
  log_info(get_log(p), "match: leaves the room %s for a different room", w->origin);
  begin_rejoin(p, now_us);
  plan_question(p, now_us);
}

// Continues a move that a room or the world has not allowed yet: repeats the request, or returns to the previous room
// after MOVE_US. Returns true if a request is planned, or false if this machine does not move or cannot return.
static bool retry_move(match_play_o *p, int64_t now_us) {
  match_world_play_t *w = &p->world;
  if (!w->origin[0])
    return false;
  if (now_us - w->moved_us >= MOVE_US) {
    if (strcmp(w->room, w->origin) == 0)
      return false;
    log_warn(get_log(p), "match: the new room does not open: returns to the room %s", w->origin);
    memcpy(w->room, w->origin, sizeof w->room);
    w->moved_us = now_us;
  }
  plan_question(p, now_us + ASK_AGAIN_US / 4);
  return true;
}

static void join_room(match_play_o *p, int64_t now_us, uint16_t port, uint64_t process) {
  bool is_lost = p->phase == MATCH_PHASE_LOST;
  link_address_t address = p->world.address;
  address.port = port;
  p->world.process = process;
  p->world.is_joining = true;
  match_connect_join(p, now_us, &address);
  p->phase = is_lost ? MATCH_PHASE_LOST : MATCH_PHASE_JOINING;
}

// --- answers

static void fail_refused(match_play_o *p, const match_refusal_t *answer) {
  match_failure_t failure;
  match_end_t end = {.refusal = *answer};
  if (answer->number == MATCH_REFUSAL_VERSION)
    (void)snprintf(end.details, sizeof end.details, "--world: no served world of this version of Shoal has answered");
  match_text_describe_refusal(&end, &p->identity, p->files, true, &failure);
  match_connect_fail(p, &failure.text, failure.details);
}

static void fail_without_answer(match_play_o *p, const link_address_t *at, const char *hint) {
  char text[256], address[LINK_ADDRESS_TEXT_BYTES];
  (void)snprintf(text, sizeof text, "no answer from %s%s", link_address_format(at, address), hint);
  match_connect_fail(p, &(match_text_t){"join_no_answer", {{0}}}, text);
}

// Handles an answer with the room's name and port. If it is the same room in the same process, the session continues.
static void handle_room(match_play_o *p, int64_t now_us, const match_refusal_t *answer, uint16_t port,
                        uint64_t process) {
  char former[sizeof p->world.room];
  memcpy(former, p->world.room, sizeof former);
  (void)snprintf(p->world.found, sizeof p->world.found, "%.*s", (int)sizeof p->world.found - 1, answer->texts[0]);
  if (!p->world.origin[0])
    memcpy(p->world.room, p->world.found, sizeof p->world.room);
  bool is_same = strcmp(former, p->world.room) == 0; // false if the player has moved during the silence
  if (p->phase == MATCH_PHASE_PLAYING && is_same && process == p->world.process) {
    plan_question(p, now_us + ASK_AGAIN_US);
    return;
  }
  if (p->phase == MATCH_PHASE_PLAYING) {
    log_warn(get_log(p), "match: the room %s %s", former,
             is_same ? "has started again: joining it again"
                     : "is silent, and the player has left it for a different room");
    begin_rejoin(p, now_us);
  }
  join_room(p, now_us, port, process);
}

// Handles the answer that the room is starting. If the match runs, the room's former process has therefore ended.
static void handle_start(match_play_o *p, int64_t now_us, uint32_t delay_ms) {
  delay_ms = delay_ms < MIN_ASK_AGAIN_MS ? MIN_ASK_AGAIN_MS : delay_ms;
  delay_ms = delay_ms > MAX_ASK_AGAIN_MS ? MAX_ASK_AGAIN_MS : delay_ms;
  if (p->phase == MATCH_PHASE_PLAYING) {
    log_warn(get_log(p), "match: the room %s starts again: joining it again", p->world.room);
    begin_rejoin(p, now_us);
  }
  // The delay is random, because machines with the same address share a rate limit: if they sent their requests in
  // lockstep, the same machines would always be refused.
  if (!p->world.origin[0] || now_us - p->world.moved_us < MOVE_US || !retry_move(p, now_us))
    plan_question(p, now_us + delay_ms * INT64_C(1000) + randombytes_uniform(delay_ms * 1000));
}

static void handle_answer(match_play_o *p, int64_t now_us, const match_refusal_t *answer) {
  uint16_t port;
  uint64_t process;
  if (world_answer_get_room(answer, &port, &process))
    handle_room(p, now_us, answer, port, process);
  else if (answer->number == MATCH_REFUSAL_ROOM_STARTS)
    handle_start(p, now_us, answer->value);
  else if (p->phase == MATCH_PHASE_PLAYING)
    plan_question(p, now_us + ASK_AGAIN_US);
  else if (!retry_move(p, now_us))
    fail_refused(p, answer);
}

static void handle_silence_of_world(match_play_o *p, int64_t now_us) {
  match_world_play_t *w = &p->world;
  // A world that has answered before is busy or restarting, or has dropped the request because of a rate limit.
  bool is_missing = w->has_key ? now_us - w->begin_us >= JOIN_US : ++w->unanswered >= MAX_UNANSWERED;
  if (p->phase == MATCH_PHASE_ASKING && w->process == 0 && is_missing) {
    fail_without_answer(p, &w->address, ": is the address right, and does a firewall block its UDP port?");
    return;
  }
  if (p->phase == MATCH_PHASE_ASKING)
    log_warn(get_log(p), "match: the world does not answer: asking it again");
  plan_question(p, now_us + ASK_AGAIN_US);
}

static void poll_finder(match_play_o *p, int64_t now_us) {
  match_refusal_t answer;
  bool is_trusted = false;
  world_finder_state_t state = world_finder_poll(p->world.finder, now_us, &answer);
  if (state == WORLD_FINDER_ASKING)
    return;
  bool is_genuine = state == WORLD_FINDER_ANSWERED &&
                    match_world_check_key(p, &p->world.address, world_finder_get_key(p->world.finder), &is_trusted);
  match_world_end(p);
  if (is_genuine)
    handle_answer(p, now_us, &answer);
  else if (state == WORLD_FINDER_ANSWERED)
    match_connect_fail_refused(p);
  else
    handle_silence_of_world(p, now_us);
}

// Ends a move once this machine is connected to the room.
static void end_move(match_play_o *p) {
  match_world_play_t *w = &p->world;
  if (w->origin[0])
    memcpy(w->room, w->found, sizeof w->room);
  w->origin[0] = '\0';
}

// Plans a request when the room becomes silent, and cancels the plan when the room sends datagrams again.
static void watch_silence(match_play_o *p, int64_t now_us) {
  bool is_silent = match_get_status(p->match, now_us).silent_us >= SILENT_US;
  if (is_silent && p->world.ask_us == 0 && !p->world.finder)
    plan_question(p, now_us + randombytes_uniform(SPREAD_US));
  else if (!is_silent)
    p->world.ask_us = 0;
}

void match_world_update(match_play_o *p, int64_t now_us) {
  match_world_play_t *w = &p->world;
  if (w->finder)
    poll_finder(p, now_us);
  if (p->phase == MATCH_PHASE_FAILED || p->phase == MATCH_PHASE_ENDED || p->phase == MATCH_PHASE_LOOKUP)
    return;
  if (p->phase == MATCH_PHASE_PLAYING) {
    end_move(p);
    watch_silence(p, now_us);
  }
  if (w->ask_us != 0 && now_us >= w->ask_us && !w->finder)
    ask(p, now_us);
}

// A room that has just become full, has ended, has crashed, or waits for its database refuses this machine or does not
// answer. The world then names a room or process again.
void match_world_handle_end(match_play_o *p, int64_t now_us, match_link_state_t state) {
  match_world_play_t *w = &p->world;
  uint32_t number = match_link_get_end(p->link)->refusal.number;
  bool is_final = state == MATCH_LINK_REFUSED && number != MATCH_REFUSAL_FULL && number != MATCH_REFUSAL_OVER &&
                  number != MATCH_REFUSAL_ELSEWHERE && number != MATCH_REFUSAL_TOO_MANY_TRIES;
  if (!w->is_joining) // the world has not answered yet
    return;
  w->is_joining = false;
  if (retry_move(p, now_us)) {
    p->phase = p->phase == MATCH_PHASE_LOST ? MATCH_PHASE_LOST : MATCH_PHASE_ASKING;
  } else if (is_final || (state == MATCH_LINK_REFUSED && now_us - w->begin_us >= JOIN_US)) {
    match_connect_fail_refused(p);
  } else if (p->phase == MATCH_PHASE_JOINING && now_us - w->begin_us >= JOIN_US) {
    fail_without_answer(p, &p->host_address, ": a firewall may block the UDP ports of the world's rooms");
  } else {
    p->phase = p->phase == MATCH_PHASE_LOST ? MATCH_PHASE_LOST : MATCH_PHASE_ASKING;
    plan_question(p, now_us + ASK_AGAIN_US / 4);
  }
}
