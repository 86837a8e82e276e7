// The attacks and their messages. Messages that a match never sends are added directly to its stream, and datagrams
// above the tick rate are sent directly through its seal.
#include "serve/hostile_bot.h"

#include "match/match_message.h"
#include "match/match_state.h"

#include <string.h>

#define ATTACK_FRAMES 60u
#define ATTACK_SESSIONS 3u
#define DATAGRAMS 100u       // number of datagrams per frame, which is half a tick
#define CLAIMS 8u            // number of requests per frame to join the room
#define MESSAGES 20u         // number of messages per frame
#define SESSION_FRAMES 4u    // mean number of frames until the bot leaves its room again
#define REPORT_BYTES 10000u  // size of a report about a false desync
#define CHAT_PLAYER_BYTES 1u // size of the player's index in a chat message

// Fills `out` with random bytes.
static void fill(hostile_bot_t *b, uint8_t *out, size_t size) {
  for (size_t i = 0; i < size; ++i)
    out[i] = (uint8_t)random_u32(&b->random);
}

// Returns the connection to the room, or NULL if the session has ended.
static connection_t *find_room(const hostile_target_t *t) {
  match_link_machine_t machines[MATCH_MAX_CONNECTIONS];
  uint32_t count = match_link_list_machines(t->link, machines);
  return count > 0 ? match_find_connection(t->match, machines[0].connection.peer) : NULL;
}

static void push(const hostile_target_t *t, match_message_t type, const void *bytes, size_t size) {
  connection_t *c = find_room(t);
  if (c && c->stream)
    match_push(c, (uint8_t)type, bytes, size);
}

// --- attacks

static bool report_false_desyncs(hostile_bot_t *b, const hostile_target_t *t) {
  uint8_t message[2 * VARINT_BYTES + REPORT_BYTES];
  size_t at = varint_write(match_get_status(t->match, t->now_us).tick, message);
  at += varint_write(1 + random_u32(&b->random) % 1000, message + at);
  fill(b, message + at, REPORT_BYTES);
  for (uint32_t i = 0; i < MESSAGES; ++i)
    push(t, MATCH_MESSAGE_DESYNC, message, at + (i == 0 ? REPORT_BYTES : 0));
  return false;
}

static bool leave(hostile_bot_t *b, const hostile_target_t *t) {
  if (random_u32(&b->random) % SESSION_FRAMES == 0)
    push(t, MATCH_MESSAGE_LEAVE, NULL, 0);
  return random_u32(&b->random) % SESSION_FRAMES == 0;
}

// Sends more valid datagrams than a match sends.
static bool flood(hostile_bot_t *b, const hostile_target_t *t) {
  uint8_t bytes[SEAL_PAYLOAD_BYTES];
  seal_o *seal = match_link_get_seal(t->link);
  const connection_t *c = find_room(t);
  (void)b;
  for (uint32_t i = 0; c && i < DATAGRAMS; ++i) {
    uint64_t number = seal_get_next_sequence(seal, c->peer);
    size_t size = number ? match_write(t->match, t->now_us, c->peer, number, bytes) : 0;
    if (size == 0 || !seal_send(seal, t->now_us, c->peer, bytes, size))
      return false;
  }
  return false;
}

static bool chat(hostile_bot_t *b, const hostile_target_t *t) {
  uint8_t line[CHAT_PLAYER_BYTES + MATCH_CHAT_BYTES];
  player_mask_t players = match_get_status(t->match, t->now_us).players;
  (void)b;
  memset(line, 'x', sizeof line);
  line[0] = players ? (uint8_t)__builtin_ctz(players) : 0;
  for (uint32_t i = 0; i < MESSAGES; ++i)
    push(t, MATCH_MESSAGE_CHAT, line, sizeof line);
  return false;
}

// Adds more commands than fit in a tick, and presses or releases all actions at random.
static bool command(hostile_bot_t *b, const hostile_target_t *t) {
  uint8_t bytes[MATCH_MAX_COMMAND_BYTES];
  player_input_t input = {0};
  fill(b, bytes, sizeof bytes);
  for (uint32_t i = 0; i < MESSAGES; ++i)
    match_add_command(t->match, 0, bytes, sizeof bytes);
  for (uint32_t i = 0; i < t->action_count; ++i) {
    bool is_down = random_u32(&b->random) % 2;
    input.values[i] = is_down ? PLAYER_VALUE_MAX : 0;
    input.pressed |= (uint64_t)is_down << i;
    input.released |= (uint64_t)!is_down << i;
  }
  match_add_input(t->match, 0, &input);
  return false;
}

static bool ask_for_states(hostile_bot_t *b, const hostile_target_t *t) {
  (void)b;
  for (uint32_t i = 0; i < MESSAGES; ++i)
    push(t, MATCH_MESSAGE_DROPPED, NULL, 0);
  return false;
}

// Sends random bytes with a random message type, including types that only the host sends, and unknown types.
static bool send_malformed(hostile_bot_t *b, const hostile_target_t *t) {
  uint8_t bytes[2000];
  size_t size = random_u32(&b->random) % sizeof bytes;
  fill(b, bytes, size);
  push(t, (match_message_t)(random_u32(&b->random) % (MATCH_MESSAGE_SILENT + 4)), bytes, size);
  return false;
}

// Requests further sessions for the same account from the room.
static bool claim(hostile_bot_t *b, const hostile_target_t *t) {
  uint8_t request[MATCH_REQUEST_BYTES + MATCH_IDENTITY_BYTES];
  (void)b;
  match_write_request(t->match, request);
  size_t size = MATCH_REQUEST_BYTES + match_identity_write(t->identity, request + MATCH_REQUEST_BYTES);
  for (uint32_t i = 0; i < CLAIMS; ++i)
    seal_join(match_link_get_seal(t->link), t->now_us, &t->room, NULL, request, size, NULL);
  return false;
}

// Keeps as many questions to the world pending as possible.
static bool ask(hostile_bot_t *b, const hostile_target_t *t) {
  match_refusal_t answer;
  for (uint32_t i = 0; i < HOSTILE_MAX_QUESTIONS; ++i) {
    if (b->questions[i] && world_finder_poll(b->questions[i], t->now_us, &answer) == WORLD_FINDER_ASKING)
      continue;
    world_finder_destroy(b->questions[i]);
    b->questions[i] = world_finder_create(t->question, t->now_us, NULL);
  }
  return false;
}

// --- frames

// Counts the frame and the session. Selects the next attack once the current attack has ended.
static void count_frame(hostile_bot_t *b, uint32_t peer) {
  b->sessions += peer != b->peer;
  b->peer = peer;
  if (++b->frames < ATTACK_FRAMES && b->sessions < ATTACK_SESSIONS)
    return;
  ++b->attack;
  b->frames = b->sessions = 0;
}

bool hostile_bot_update(hostile_bot_t *b, const hostile_target_t *t) {
  static bool (*const ATTACKS[])(hostile_bot_t *, const hostile_target_t *) = {
      report_false_desyncs, leave, flood, chat, command, ask_for_states, send_malformed, claim, ask};
  const connection_t *c = find_room(t);
  count_frame(b, c ? c->peer : 0);
  return ATTACKS[(b->attack + 2 * t->number) % (sizeof ATTACKS / sizeof *ATTACKS)](b, t);
}

void hostile_bot_fini(hostile_bot_t *b) {
  for (uint32_t i = 0; i < HOSTILE_MAX_QUESTIONS; ++i)
    world_finder_destroy(b->questions[i]);
}
