// Connection and presses of a bot.
#include "serve/world_bot.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/random.h"
#include "link/link_bridge.h"
#include "serve/echo_world.h"
#include "serve/hostile_bot.h"
#include "match/match_link.h"
#include "match/world_finder.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SILENT_US 2000000      // silence of the room after which the bot sends a question to the world
#define SPREAD_US 1000000u     // maximum random delay of a question, so that not all bots send it at the same time
#define DOOR_US 10000000       // time for which the bot requests the room to which a door leads
#define RETRY_US 500000        // time until the next question after a failure
#define HOSTILE_RETRY_US 20000 // time until a hostile bot's next question after a failure
#define WARN_US 10000000       // time without a connection after which the bot logs the reason
#define RECEIVE_US 50000       // maximum time between two polls of the sockets; a poll also repeats lost datagrams
#define MIN_PRESS_US 50000     // time between two changes of an action: MIN_PRESS_US to MIN_PRESS_US + PRESS_SPREAD_US
#define PRESS_SPREAD_US 400000u
#define MAX_STICK_STEP 12 // maximum change of an axis per tick: a stick moves from end to end in a third of a second
#define LOG_RECORDS 1024u // number of records: 17 s at 60 Hz, more than a machine may be behind

struct world_bot_o {
  world_bot_desc_t desc;
  random_t random;
  link_udp_o *udp;
  link_bridge_o *bridge; // simulated network, or NULL
  match_o *match;
  echo_world_t echo;
  match_link_o *link;
  world_finder_o *finder; // finder with a pending question, or NULL
  int64_t ask_us;         // time of the next question; 0: no question
  int64_t received_us, press_us, move_us;
  uint64_t process;   // number of the room's process that the bot has joined or is joining
  bool is_joined;     // true if the bot has joined `process`, or is joining it
  int64_t left_us;    // time at which the bot was last connected or, before the first connection, began to join
  bool has_moved;     // true after a door, until DOOR_US have passed without a connection: the world chooses the room
  bool has_warned;    // true if a refusal has been logged since `left_us`
  bool was_connected; // true if the bot has been connected to `process`
  player_input_t input;
  hostile_bot_t hostile;
  uint16_t room_port; // port of the room that the bot has joined or is joining
};

static uint32_t get_random_us(world_bot_o *b, uint32_t limit_us) {
  return random_u32(&b->random) % limit_us;
}

// --- creation

// Derives the secret of the bot's account from its number, so that the bot has the same account in each run.
static void compute_account_secret(uint32_t number, uint8_t out[SEAL_KEY_BYTES]) {
  char name[32];
  int length = snprintf(name, sizeof name, "shoal bot %u", number);
  crypto_generichash(out, SEAL_KEY_BYTES, (const uint8_t *)name, (unsigned long long)length, NULL, 0);
}

static void write_name(uint32_t number, char out[PLAYER_NAME_BYTES]) {
  (void)snprintf(out, PLAYER_NAME_BYTES, "Bot %u", number);
}

static bool open_socket(world_bot_o *b, link_t *out, error_info_t *error) {
  b->udp = link_udp_create(&(link_udp_desc_t){.address = b->desc.address}, error);
  if (!b->udp)
    return false;
  *out = link_udp_get_link(b->udp);
  if (b->desc.network) {
    b->bridge = link_bridge_create(out, b->desc.number, b->desc.network);
    *out = link_bridge_get_link(b->bridge);
  }
  return true;
}

static bool open_link(world_bot_o *b, int64_t now_us, error_info_t *error) {
  const world_bot_desc_t *d = &b->desc;
  uint8_t account_secret[SEAL_KEY_BYTES];
  char name[PLAYER_NAME_BYTES];
  write_name(d->number, name);
  compute_account_secret(d->number, account_secret);
  b->match = match_create(&(match_desc_t){.role = d->watches ? MATCH_SPECTATOR : MATCH_PEER,
                                          .world = echo_world_get(&b->echo),
                                          .tick_us = d->tick_us,
                                          .name = name,
                                          .local_players = d->watches ? 0 : 1,
                                          .max_players = d->max_players,
                                          .log_records = LOG_RECORDS},
                          0, now_us);
  link_t socket;
  if (open_socket(b, &socket, error))
    b->link = match_link_create(&(match_link_desc_t){.link = socket,
                                                     .match = b->match,
                                                     .identity = d->identity,
                                                     .tick_us = d->tick_us,
                                                     .is_world = true,
                                                     .account_secret = account_secret,
                                                     .log = d->log},
                                error);
  return b->link != NULL;
}

world_bot_o *world_bot_create(const world_bot_desc_t *desc, int64_t now_us, error_info_t *error) {
  world_bot_o *b = alloc_object(sizeof *b);
  b->desc = *desc;
  b->ask_us = b->left_us = desc->begin_us;
  random_seed(&b->random, desc->number);
  random_seed(&b->hostile.random, desc->number);
  if (open_link(b, now_us, error))
    return b;
  world_bot_destroy(b);
  return NULL;
}

void world_bot_destroy(world_bot_o *b) {
  if (!b)
    return;
  world_finder_destroy(b->finder);
  hostile_bot_fini(&b->hostile);
  match_link_destroy(b->link);
  match_destroy(b->match);
  link_bridge_destroy(b->bridge);
  link_udp_destroy(b->udp);
  free(b);
}

// --- joining

// Logs once why the bot cannot join, if it has not been connected for WARN_US. Shorter waits are normal: a machine that
// is sent to a room and does not join it takes up a place for 3 s.
static void warn(world_bot_o *b, int64_t now_us, const char *problem) {
  if (b->has_warned || now_us - b->left_us < WARN_US)
    return;
  log_warn(b->desc.log, "bot %u cannot join the room %s: %s", b->desc.number, b->desc.room, problem);
  b->has_warned = true;
}

static void plan_question(world_bot_o *b, int64_t now_us) {
  b->ask_us = now_us + (b->desc.is_hostile ? HOSTILE_RETRY_US : RETRY_US + get_random_us(b, SPREAD_US));
}

// Stores the bot's question in `out`, which points to `account_secret` (SEAL_KEY_BYTES): the secret of its account.
static void describe_question(const world_bot_o *b, uint8_t *account_secret, world_finder_desc_t *out) {
  uint8_t token[MATCH_TOKEN_BYTES];
  *out = (world_finder_desc_t){.world = b->desc.world,
                               .address = b->desc.address,
                               .request = {.returns = match_get_token(b->match, token), .watches = b->desc.watches},
                               .account_secret = account_secret};
  compute_account_secret(b->desc.number, account_secret);
  if (!b->has_moved) // a request without a room leads to the room where the account belongs
    (void)snprintf(out->request.room, sizeof out->request.room, "%s", b->desc.room);
  write_name(b->desc.number, out->request.name);
}

static void ask(world_bot_o *b, int64_t now_us) {
  uint8_t account_secret[SEAL_KEY_BYTES];
  error_info_t error = {0};
  world_finder_desc_t desc;
  b->has_moved &= now_us - b->left_us < DOOR_US;
  describe_question(b, account_secret, &desc);
  b->ask_us = 0;
  b->finder = world_finder_create(&desc, now_us, &error);
  if (b->finder)
    return;
  warn(b, now_us, error.text);
  plan_question(b, now_us);
}

// Joins a process of a room. If the bot has already joined this process, the room is only slow, so the bot repeats its
// question later.
static void join(world_bot_o *b, int64_t now_us, uint16_t port, uint64_t process) {
  link_address_t address = b->desc.world;
  if (b->is_joined && process == b->process && port == b->room_port) {
    plan_question(b, now_us);
    return;
  }
  address.port = b->room_port = port;
  b->process = process;
  b->is_joined = true;
  b->was_connected = false;
  match_link_close(b->link, now_us);
  match_link_join(b->link, now_us, &address);
}

static void handle_answer(world_bot_o *b, int64_t now_us, const match_refusal_t *answer) {
  uint16_t port;
  uint64_t process;
  if (world_answer_get_room(answer, &port, &process)) {
    join(b, now_us, port, process);
    return;
  }
  if (answer->number != MATCH_REFUSAL_ROOM_STARTS)
    warn(b, now_us, match_refusal_get_details((match_refusal_kind_t)answer->number));
  plan_question(b, now_us);
}

static void poll_finder(world_bot_o *b, int64_t now_us) {
  match_refusal_t answer;
  world_finder_state_t state = world_finder_poll(b->finder, now_us, &answer);
  if (state == WORLD_FINDER_ASKING)
    return;
  world_finder_destroy(b->finder);
  b->finder = NULL;
  if (state == WORLD_FINDER_ANSWERED)
    handle_answer(b, now_us, &answer);
  else
    plan_question(b, now_us);
}

// Handles the end of a session or of an attempt to join.
static void update_state(world_bot_o *b, int64_t now_us) {
  match_link_state_t state = match_link_get_state(b->link);
  if (state == MATCH_LINK_CONNECTED) {
    b->left_us = now_us;
    b->has_warned = false;
    b->was_connected = true;
  }
  if (!b->is_joined || state == MATCH_LINK_JOINING || state == MATCH_LINK_CONNECTED)
    return;
  if (state == MATCH_LINK_REFUSED)
    warn(b, now_us, match_refusal_get_details((match_refusal_kind_t)match_link_get_end(b->link)->refusal.number));
  const match_end_t *end = match_link_get_end(b->link);
  bool has_moved = state == MATCH_LINK_CLOSED && end->is_by_host && end->close == MATCH_CLOSE_MOVED;
  if (b->was_connected && !has_moved && !b->desc.is_hostile)
    log_warn(b->desc.log, "bot %u has lost the connection to the room %s", b->desc.number, b->desc.room);
  b->was_connected = b->is_joined = false;
  b->has_moved |= has_moved;
  if (!b->finder)
    plan_question(b, now_us);
  if (has_moved)
    b->ask_us = now_us;
}

// Schedules a question while the room is silent, and drops the question when the room sends datagrams again.
static void watch_silence(world_bot_o *b, int64_t now_us) {
  if (match_link_get_state(b->link) != MATCH_LINK_CONNECTED)
    return;
  bool is_silent = match_get_status(b->match, now_us).silent_us >= SILENT_US;
  if (is_silent && b->ask_us == 0 && !b->finder)
    b->ask_us = now_us + get_random_us(b, SPREAD_US);
  else if (!is_silent)
    b->ask_us = 0;
}

// --- playing

// Moves each axis of a stick by a random distance in each tick.
static void move_sticks(world_bot_o *b, int64_t now_us) {
  if (now_us < b->move_us || b->desc.stick_actions == 0)
    return;
  b->move_us = now_us + b->desc.tick_us;
  for (uint32_t i = 0; i < b->desc.stick_actions; ++i) {
    int value = b->input.values[i] + (int)(random_u32(&b->random) % (2 * MAX_STICK_STEP + 1)) - MAX_STICK_STEP;
    value = value > PLAYER_VALUE_MAX ? PLAYER_VALUE_MAX : value < -PLAYER_VALUE_MAX ? -PLAYER_VALUE_MAX : value;
    b->input.values[i] = (int8_t)value;
  }
  b->input.pressed = b->input.released = 0;
  match_add_input(b->match, 0, &b->input);
}

// Changes a random action that is not a stick to a random value: released, fully pressed, or fully negative as for an
// axis.
static void press(world_bot_o *b, int64_t now_us) {
  static const int8_t values[] = {0, PLAYER_VALUE_MAX, -PLAYER_VALUE_MAX};
  if (now_us < b->press_us || b->desc.action_count <= b->desc.stick_actions)
    return;
  b->press_us = now_us + MIN_PRESS_US + get_random_us(b, PRESS_SPREAD_US);
  uint32_t sticks = b->desc.stick_actions, action = sticks + random_u32(&b->random) % (b->desc.action_count - sticks);
  int8_t *value = &b->input.values[action];
  bool was_down = *value >= PLAYER_DOWN;
  *value = values[random_u32(&b->random) % 3];
  bool is_down = *value >= PLAYER_DOWN;
  b->input.pressed = (uint64_t)(is_down && !was_down) << action;
  b->input.released = (uint64_t)(was_down && !is_down) << action;
  match_add_input(b->match, 0, &b->input);
}

// Attacks the room. Leaves the room and immediately joins again if the attack requires this.
static void attack(world_bot_o *b, int64_t now_us) {
  uint8_t account_secret[SEAL_KEY_BYTES];
  world_finder_desc_t question;
  hostile_target_t target = {.match = b->match,
                             .link = b->link,
                             .identity = b->desc.identity,
                             .question = &question,
                             .room = b->desc.world,
                             .number = b->desc.number,
                             .action_count = b->desc.action_count,
                             .now_us = now_us};
  target.room.port = b->room_port;
  describe_question(b, account_secret, &question);
  if (!hostile_bot_update(&b->hostile, &target))
    return;
  match_link_close(b->link, now_us);
  b->is_joined = false;
  b->ask_us = now_us;
}

// Attacks the room if the bot is hostile. Otherwise, moves sticks and presses actions while the bot plays.
static void act(world_bot_o *b, int64_t now_us) {
  if (b->desc.is_hostile && match_link_get_state(b->link) == MATCH_LINK_CONNECTED) {
    attack(b, now_us);
  } else if (world_bot_is_playing(b) && !b->desc.watches) {
    move_sticks(b, now_us);
    press(b, now_us);
  }
}

void world_bot_update(world_bot_o *b, int64_t now_us, bool has_datagrams) {
  match_event_t event;
  if (b->finder)
    poll_finder(b, now_us);
  if (has_datagrams || b->bridge || now_us - b->received_us >= RECEIVE_US) {
    b->received_us = now_us;
    match_link_receive(b->link, now_us);
  }
  update_state(b, now_us);
  act(b, now_us);
  match_update(b->match, now_us);
  match_link_send(b->link, now_us);
  while (match_pop_event(b->match, &event)) {
  }
  watch_silence(b, now_us);
  if (b->ask_us != 0 && now_us >= b->ask_us && !b->finder)
    ask(b, now_us);
}

const link_udp_o *world_bot_get_udp(const world_bot_o *b) {
  return b->udp;
}

bool world_bot_get_counts(const world_bot_o *b, seal_session_counts_t *out) {
  match_link_machine_t machines[MATCH_MAX_CONNECTIONS];
  if (match_link_list_machines(b->link, machines) == 0)
    return false;
  *out = machines[0].counts;
  return true;
}

bool world_bot_is_playing(const world_bot_o *b) {
  match_status_t status = match_get_status(b->match, 0);
  return match_link_get_state(b->link) == MATCH_LINK_CONNECTED &&
         (b->desc.watches ? status.is_playing : status.players != 0) &&
         (status.present & status.players) == status.players;
}

int64_t world_bot_get_silence_us(const world_bot_o *b, int64_t now_us) {
  return match_link_get_state(b->link) == MATCH_LINK_CONNECTED ? match_get_status(b->match, now_us).silent_us : 0;
}
