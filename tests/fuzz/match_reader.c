// Fuzzer for the data that the two sides of a match read from the seal and the stream. The first byte of an input
// selects the reader of the rest (bits 0 and 1), and the state of the session in which it reads it (bits 2 to 4,
// state_t):
//
//   0  a host: the unreliable part of a peer's datagram
//   1  a host: a message in a peer's stream
//   2  a peer: the unreliable part of the host's datagram
//   3  a peer: a message in the host's stream
//
// Most generated inputs are messages that the other side could send in this state, with mutations. All inputs of a run
// (READER_RUN) share one match: it is brought to the state, reads the input, and continues. A frame is run after every
// 16th input. Inputs may cost only the session: the peer then joins again, and must agree with the host, whose own
// player loses no press.
//
// Unlike in the program, most rejected inputs do not close the session, because joining again would take most of the
// time. The state stays valid: it is the state after the part of the message that precedes the malformed bytes.
static const char *const reader_words[] = {"\xff\xff\xff\x7f", "\x81\x01\x01", "\x01\x01\x01\x01", 0};
#define READER_RUN 4096u
#include "reader.h"

#include "match/match_host.h"
#include "match/match_message.h"
#include "match/match_peer.h"
#include "match/match_state.h"

#define TICK_US 16667
#define SNAPSHOT_BYTES 64u
#define PAST_TICKS 64u
#define PEER 1u           // number of the peer, on both sides
#define STATE_INPUTS 256u // number of consecutive inputs generated for the same state
#define FRAME_INPUTS 16u  // number of inputs generated per frame
#define MAX_FRAMES 30u    // maximum number of frames until a state is reached
#define MAX_MEMORY (4u << 20)

enum { TO_HOST, TO_HOST_MESSAGE, TO_PEER, TO_PEER_MESSAGE };

typedef enum state_t {
  STATE_PLAYING,
  STATE_JOINING, // connected, but no datagram has arrived
  STATE_PAUSED,
  STATE_RELOADING, // both sides try changed code
  STATE_REPAIRING, // the peer has reported a desync, and the host's answer is under way
  STATE_COUNT
} state_t;

// A world of one number.
typedef struct side_t {
  uint64_t state, slots[MATCH_SLOTS];
  uint64_t past[PAST_TICKS]; // states after recent ticks
  uint64_t code, trial;
  uint8_t snapshot[SNAPSHOT_BYTES];
  match_o *match;
  uint64_t number;   // number of the latest datagram
  uint64_t presses;  // host: number of its player's presses in ticks that have run
  bool is_damaged;   // the ticks of this side give wrong results
  bool is_undefined; // a snapshot was read during this input
} side_t;

static side_t sides[2]; // host and peer
static int64_t now_us;
static bool is_open;      // the sides are connected
static bool must_close;   // the stream between them can no longer be used
static bool holds_trials; // trials of changed code do not end
static uint32_t frames;   // frames since the sides were connected
static uint64_t presses;  // number of presses of the host's player
static uint64_t code_count;
static uint64_t inputs[STATE_COUNT], joins;

static match_o *get_host(void) {
  return sides[0].match;
}

static match_o *get_peer(void) {
  return sides[1].match;
}

// --- the world

// Adds an external result to every seventh tick, which then cannot be predicted, and a parked piece to every eleventh.
static void add_items(record_t *record) {
  static const uint8_t bytes[] = "result or parked piece";
  if (record->tick % 7 == 0 && record->item_count < RECORD_MAX_ITEMS)
    record->items[record->item_count++] = (record_item_t){RECORD_ITEM_RESULT, 0, sizeof bytes, bytes};
  if (record->tick % 11 == 0 && record->item_count < RECORD_MAX_ITEMS)
    record->items[record->item_count++] = (record_item_t){RECORD_ITEM_PARK, 0, sizeof bytes, bytes};
}

static bool run_tick(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  side_t *side = context;
  if (record->kind != RECORD_TICK || record->item_count > RECORD_MAX_ITEMS)
    reader_fail("a tick of kind %d with %u items", (int)record->kind, record->item_count);
  if (mode == MATCH_RUN_PREDICTED && record->tick % 7 == 0)
    return false;
  if (mode == MATCH_RUN_HOST) {
    add_items(record);
    side->presses += record->inputs.players[0].pressed & 1;
  }
  side->state = side->state * 31 + record->tick + record->inputs.present + record_hash_items(record) + side->code +
                side->is_damaged;
  side->past[record->tick % PAST_TICKS] = side->state;
  *hash = side->state | 1;
  return true;
}

static void save_state(void *context, uint32_t slot) {
  side_t *side = context;
  side->slots[slot] = side->state;
}

static void restore_state(void *context, uint32_t slot) {
  side_t *side = context;
  side->state = side->slots[slot];
}

static void apply_record(void *context, const record_t *record) {
  side_t *side = context;
  side->state += (uint64_t)record->kind;
}

static size_t write_state(side_t *side, uint64_t state, const uint8_t **bytes) {
  memcpy(side->snapshot, &state, sizeof state);
  *bytes = side->snapshot;
  return SNAPSHOT_BYTES;
}

static size_t write_snapshot(void *context, const uint8_t **bytes) {
  side_t *side = context;
  return write_state(side, side->state, bytes);
}

static bool read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  side_t *side = context;
  if (size != SNAPSHOT_BYTES)
    return error_set(error, "a snapshot of %zu bytes", size);
  memcpy(&side->state, bytes, sizeof side->state);
  side->is_undefined = true;
  *hash = side->state | 1;
  return true;
}

// Writes a report or a finding of a few bytes, which the other side checks.
static size_t trace_tick(void *context, const match_o *m, uint64_t tick, uint64_t hash, const uint8_t *other,
                         size_t other_size, uint8_t *out) {
  record_t record;
  (void)context, (void)hash, (void)other;
  if (other_size > MATCH_MAX_REPORT_BYTES || !match_find_record(m, tick, &record) || record.tick != tick)
    reader_fail("a report of %zu bytes about tick %llu", other_size, (unsigned long long)tick);
  out[0] = (uint8_t)tick;
  return 1;
}

static size_t write_traced(void *context, uint64_t tick, const uint8_t **bytes) {
  side_t *side = context;
  return write_state(side, side->past[tick % PAST_TICKS], bytes);
}

static size_t find_difference(void *context, const match_o *m, uint64_t tick, const uint8_t *report, size_t report_size,
                              const uint8_t *snapshot, size_t snapshot_size, uint8_t *out) {
  (void)context, (void)m, (void)tick, (void)report, (void)snapshot;
  if (report_size > MATCH_MAX_REPORT_BYTES || snapshot_size > 1u << 20)
    reader_fail("a report of %zu bytes with a snapshot of %zu", report_size, snapshot_size);
  memset(out, 7, 7);
  return 7;
}

static bool describe_difference(void *context, uint64_t tick, const uint8_t *finding, size_t size, char *out) {
  (void)context, (void)tick, (void)finding;
  if (size > MATCH_MAX_FINDING_BYTES)
    reader_fail("a finding of %zu bytes", size);
  strcpy(out, size == 7 ? "a difference" : "");
  return size % 2 == 1;
}

// --- the code of the world: 8 bytes

static uint64_t get_code_hash(void *context) {
  const side_t *side = context;
  return side->code + 1;
}

static bool begin_trial(void *context, const uint8_t *bytes, size_t size, bool is_complete, uint32_t proposer,
                        error_info_t *reason) {
  (void)proposer;
  side_t *side = context;
  (void)is_complete;
  if (size != sizeof side->trial)
    return error_set(reason, "The code is malformed.\n%zu bytes", size);
  memcpy(&side->trial, bytes, sizeof side->trial);
  return true;
}

static match_trial_t poll_trial(void *context, uint64_t *hash, error_info_t *reason) {
  side_t *side = context;
  *hash = side->trial + 1;
  if (holds_trials)
    return MATCH_TRIAL_RUNNING;
  if (side->trial % 8 == 7) {
    error_set(reason, "The code has an error.\nline 1");
    return MATCH_TRIAL_FAILED;
  }
  return MATCH_TRIAL_PASSED;
}

static void end_trial(void *context) {
  side_t *side = context;
  side->trial = 0;
}

static bool replace_code(void *context, error_info_t *reason) {
  side_t *side = context;
  if (side->trial % 8 == 6)
    return error_set(reason, "The state cannot be converted.\nline 2");
  side->code = side->trial;
  return true;
}

static size_t write_changes(void *context, const uint8_t **bytes) {
  side_t *side = context;
  *bytes = (const uint8_t *)&side->code;
  return sizeof side->code;
}

// --- the sides

static void create_side(uint32_t i) {
  static const uint8_t secret[SEAL_KEY_BYTES];
  side_t *side = &sides[i];
  *side = (side_t){.number = side->number};
  match_world_t world = {.context = side,
                         .run = run_tick,
                         .save = save_state,
                         .restore = restore_state,
                         .apply = apply_record,
                         .write_snapshot = write_snapshot,
                         .read_snapshot = read_snapshot,
                         .trace = trace_tick,
                         .write_traced = write_traced,
                         .find = find_difference,
                         .describe = describe_difference,
                         .code = {.context = side,
                                  .get_hash = get_code_hash,
                                  .begin_trial = begin_trial,
                                  .poll_trial = poll_trial,
                                  .end_trial = end_trial,
                                  .replace = replace_code,
                                  .write_changes = write_changes}};
  match_desc_t desc = {.role = i == 0 ? MATCH_HOST : MATCH_PEER,
                       .world = world,
                       .tick_us = TICK_US,
                       .secret = secret,
                       .local_players = 1,
                       .max_players = 8,
                       .log_records = 16 * MATCH_BLOCK_RECORDS,
                       .stream_bytes = STREAM_MIN_BUFFER_BYTES,
                       .max_snapshot_bytes = 1u << 20};
  side->match = match_create(&desc, 0, now_us);
}

static void close_session(void) {
  match_disconnect(get_host(), now_us, PEER, true);
  match_disconnect(get_peer(), now_us, PEER, true);
  is_open = must_close = false;
}

// Lets the peer join again with its token. Replaces the peer if its match has ended, or if it has begun with different
// code than the host.
static void join(bool is_new) {
  uint8_t request[MATCH_REQUEST_BYTES], reply[MATCH_REPLY_BYTES];
  match_refusal_t refusal;
  close_session();
  if (is_new || get_peer()->has_ended) {
    match_destroy(get_peer());
    create_side(1);
  }
  // Resets the host's limits on snapshots: inputs make the peer join more often than they allow.
  memset(get_host()->snapshot_limits, 0, sizeof get_host()->snapshot_limits);
  match_write_request(get_peer(), request);
  if (!match_accept(get_host(), now_us, PEER, request, sizeof request, reply, &refusal) ||
      !match_connect(get_host(), now_us, PEER, NULL, 0, NULL) ||
      !match_connect(get_peer(), now_us, PEER, reply, sizeof reply, NULL))
    reader_fail("the peer cannot join");
  sides[1].is_damaged = false;
  is_open = true;
  frames = 0;
  ++joins;
}

static connection_t *get_connection(uint32_t side) {
  return match_find_connection(sides[side].match, PEER);
}

// Passes a datagram in an allocation of its exact size, so that AddressSanitizer catches reads past its end.
static bool read_datagram(uint32_t to, uint64_t number, const uint8_t *bytes, size_t size) {
  uint8_t *exact = malloc(size ? size : 1);
  memcpy(exact, bytes, size);
  bool ok = match_read(sides[to].match, now_us, PEER, number, exact, size, NULL);
  free(exact);
  return ok;
}

// Passes a datagram from one side to the other. Returns false if nothing was sent or the receiver rejects the datagram.
static bool exchange(uint32_t from) {
  uint8_t out[SEAL_PAYLOAD_BYTES];
  side_t *side = &sides[from];
  size_t size = match_write(side->match, now_us, PEER, ++side->number, out);
  return size > 0 && read_datagram(1 - from, side->number, out, size);
}

static void play(uint32_t i) {
  player_input_t input = {.pressed = sides[i].number % 3 == 0, .motion_x = (int32_t)(sides[i].number << 29)};
  bool is_added = match_add_input(sides[i].match, 0, &input);
  presses += i == 0 && is_added && input.pressed;
  if (sides[i].number % 5 == 0)
    match_add_command(sides[i].match, 0, "command", 7);
}

static void check_limits(void) {
  const match_o *host = get_host(), *peer = get_peer();
  for (uint32_t i = 0; i < 2; ++i)
    if (sides[i].match->memory.bytes > MAX_MEMORY)
      reader_fail("side %u uses %zu bytes", i, sides[i].match->memory.bytes);
  if (host->connections[0].acked > host->next_number || peer->own.acked > peer->own.next)
    reader_fail("a side acknowledges what was not sent");
}

static void check_chat(match_o *m) {
  match_chat_t line;
  while (match_pop_chat(m, &line))
    if (line.player > MATCH_CHAT_SERVER || line.text[0] == '\0' || strlen(line.text) > MATCH_CHAT_BYTES)
      reader_fail("a line of %zu bytes of player %u", strlen(line.text), line.player);
}

// Runs a frame of both sides. Returns false if the session was closed, or if one of the sides closes it.
static bool run_frame(void) {
  bool ok = is_open;
  for (uint32_t i = 0; i < 2; ++i) {
    match_event_t event;
    play(i);
    match_update(sides[i].match, now_us);
    ok = ok && exchange(i);
    while (match_pop_event(sides[i].match, &event))
      if (event.kind == MATCH_EVENT_NAMED && !match_get_line(sides[i].match, &event))
        reader_fail("a desync without a line");
    check_chat(sides[i].match);
  }
  check_limits();
  now_us += TICK_US;
  ++frames;
  if (is_open && !ok)
    close_session();
  return ok;
}

static void create_sides(void) {
  now_us = 1000000;
  presses = code_count = 0;
  holds_trials = is_open = must_close = false;
  sides[0] = sides[1] = (side_t){0};
  create_side(0);
  create_side(1);
}

// Runs the ticks that take the queued presses, fails if the host has lost a press, and destroys both sides.
static void destroy_sides(void) {
  if (!get_host())
    return;
  if (get_host()->is_paused)
    match_add_record(get_host(), now_us, RECORD_RESUME);
  now_us += TICK_US;
  for (uint32_t i = 0; i < LOCAL_INPUT_EDGES; ++i, now_us += TICK_US)
    match_update(get_host(), now_us);
  if (sides[0].presses != presses)
    reader_fail("%llu of %llu presses of the host's player are in its ticks", (unsigned long long)sides[0].presses,
                (unsigned long long)presses);
  for (uint32_t i = 0; i < 2; ++i)
    match_destroy(sides[i].match);
  sides[0] = sides[1] = (side_t){0};
}

// --- states

static bool is_playing(void) {
  const connection_t *c = get_connection(0);
  const match_o *host = get_host(), *peer = get_peer();
  return c && c->state == CONNECTION_LIVE && c->players != 0 && !c->snapshot.bytes && c->traced == 0 &&
         (host->inputs.present & c->players) == c->players && peer->has_state && peer->is_playing &&
         !peer->is_repairing && !peer->has_ended && peer->is_paused == host->is_paused;
}

static bool is_in_state(state_t state) {
  const match_o *host = get_host(), *peer = get_peer();
  switch (state) {
  case STATE_JOINING: return frames == 0;
  case STATE_PAUSED: return is_playing() && host->is_paused;
  case STATE_RELOADING: return is_playing() && host->share.is_trying && peer->share.is_trying;
  case STATE_REPAIRING: return frames > 0 && peer->is_repairing && get_connection(0)->traced != 0;
  default: return is_playing() && !host->is_paused && !host->share.is_active;
  }
}

// Makes the changes that bring the session to the state in the next frames.
static void prepare_state(state_t state) {
  match_o *host = get_host();
  holds_trials = state == STATE_RELOADING;
  if (host->is_paused != (state == STATE_PAUSED))
    match_add_record(host, now_us, state == STATE_PAUSED ? RECORD_PAUSE : RECORD_RESUME);
  if (state == STATE_RELOADING && is_playing() && !host->share.is_active && !host->share.is_proposing) {
    uint64_t code = ++code_count;
    match_propose_code(host, (const uint8_t *)&code, sizeof code);
  }
  if (state == STATE_REPAIRING && is_playing() && !sides[1].is_damaged) {
    now_us += 1000000; // the host answers one desync per second
    sides[1].is_damaged = true;
  }
  if (get_peer()->is_repairing)
    sides[1].is_damaged = false;
}

// Fails if the peer's state differs from the host's state after the same tick. The peer has joined, and has read only
// messages of the host.
static void check_agreement(void) {
  uint64_t tick = get_peer()->tick;
  if (get_host()->tick - tick > 8 || sides[0].past[tick % PAST_TICKS] != sides[1].past[tick % PAST_TICKS])
    reader_fail("tick %llu of the peer differs from the host's, which is at tick %llu", (unsigned long long)tick,
                (unsigned long long)get_host()->tick);
}

static bool run_to_state(state_t state) {
  for (uint32_t i = 0; i < MAX_FRAMES && is_open; ++i) {
    prepare_state(state);
    if (is_in_state(state))
      return true;
    run_frame();
  }
  return false;
}

// Brings the session to a state. After a join, the session must reach it.
static void enter_state(state_t state) {
  bool is_lost = !is_open || must_close || get_connection(0)->players == 0 || get_peer()->has_ended;
  bool must_join = state == STATE_JOINING && frames > 0;
  if (!is_lost && !must_join && run_to_state(state))
    return;
  for (uint32_t is_new = 0; is_new < 2; ++is_new) {
    prepare_state(STATE_JOINING);
    join(is_new);
    if (state != STATE_JOINING && run_to_state(STATE_PLAYING) && run_frame())
      check_agreement();
    if (is_open && run_to_state(state))
      return;
  }
  reader_fail("the match does not reach state %u after a join", (uint32_t)state);
}

// Begins a new match, unless this input and the previous one belong to the same run of generated inputs.
static void enter_run(void) {
  static uint64_t run = UINT64_MAX;
  uint64_t next = reader_is_generated ? reader_at / READER_RUN : UINT64_MAX;
  if (next == run && next != UINT64_MAX)
    return;
  destroy_sides();
  create_sides();
  run = next;
}

// --- delivery

static bool has_failed(uint32_t side) {
  const connection_t *c = get_connection(side);
  return !c || c->failure;
}

static bool read_unreliable(uint32_t to, const uint8_t *data, size_t size) {
  uint8_t out[SEAL_PAYLOAD_BYTES];
  if (size > STREAM_UNRELIABLE_BYTES)
    return false;
  uint64_t number = ++sides[1 - to].number;
  size = stream_write(get_connection(1 - to)->stream, now_us, number, data, size, out);
  return read_datagram(to, number, out, size);
}

// Sends a message before the messages that wait in the stream. The stream cannot be used afterwards.
static bool inject_message(uint32_t to, const uint8_t *data, size_t size) {
  uint8_t out[SEAL_PAYLOAD_BYTES] = {8}; // flags: a piece
  must_close = true;
  if (!exchange(to)) // acknowledges the data that has arrived
    return false;
  size_t at = 1 + varint_write(stream_get_status(get_connection(1 - to)->stream).acknowledged_bytes, out + 1);
  at += varint_write(size, out + at);
  if (size > sizeof out - at)
    return false;
  memcpy(out + at, data, size);
  return read_datagram(to, ++sides[1 - to].number, out, at + size);
}

static bool send_message(uint32_t to, const uint8_t *data, size_t size) {
  connection_t *c = get_connection(1 - to);
  bool ok = stream_push(c->stream, data, size);
  for (uint32_t i = 0; i < 20 && ok && (i == 0 || stream_has_work(c->stream, now_us)); ++i)
    ok = exchange(1 - to);
  return ok;
}

static bool read_message(uint32_t to, state_t state, const uint8_t *data, size_t size) {
  if (size == 0 || size > STREAM_MESSAGE_BYTES)
    return false;
  bool is_first = to == 1 && (state == STATE_JOINING || state == STATE_REPAIRING) && reader_random_below(2);
  bool ok = is_first ? inject_message(to, data, size) : send_message(to, data, size);
  match_update(sides[to].match, now_us); // a peer reads messages there
  return ok && !has_failed(to);
}

// Forgets a failure that has left the side in a valid state. Every 32nd one closes the session, as in the program,
// and so does a snapshot that does not have its hash.
static void handle_failure(uint32_t to) {
  connection_t *c = get_connection(to);
  if (!c || must_close || sides[to].is_undefined || reader_random_below(32) == 0)
    close_session();
  else
    c->failure = MATCH_CLOSE_NONE;
}

static bool reader_try(const uint8_t *data, size_t size) {
  uint64_t random = reader_state;
  if (size == 0 || data[0] / 4 >= STATE_COUNT)
    return false;
  uint8_t reader = data[0] & 3;
  state_t state = (state_t)(data[0] / 4);
  enter_run();
  enter_state(state);
  ++inputs[state];
  sides[1].is_undefined = false;
  bool ok = reader % 2 == 0 ? read_unreliable(reader / 2, data + 1, size - 1)
                            : read_message(reader / 2, state, data + 1, size - 1);
  if (has_failed(reader / 2))
    handle_failure(reader / 2);
  uint32_t count = reader_is_generated ? reader_at % FRAME_INPUTS == 0 : 20;
  for (uint32_t i = 0; i < count && is_open; ++i)
    run_frame();
  reader_state = random;
  return ok;
}

// --- messages of the other side

static uint64_t near(uint64_t number) {
  uint32_t choice = reader_random_below(8);
  return choice == 0 ? reader_random_below(300) : choice == 1 ? number + reader_random_below(5) - 2 : number;
}

static size_t write_hash(uint64_t hash, uint8_t *out) {
  memcpy(out, &hash, sizeof hash);
  return sizeof hash;
}

// Writes a random byte repeatedly: usually a few times, sometimes more often than any limit.
static size_t write_filler(uint8_t *out) {
  size_t size = reader_random_below(reader_random_below(16) ? 40 : STREAM_MESSAGE_BYTES - 64);
  memset(out, (int)reader_random_below(256), size);
  return size;
}

static void make_record(record_t *record, player_mask_t players, bool is_of_host) {
  static const record_kind_t kinds[] = {RECORD_PAUSE,  RECORD_RESUME, RECORD_RESTART,
                                        RECORD_RELOAD, RECORD_END,    RECORD_SWITCH};
  static const uint8_t bytes[600];
  bool is_tick = !is_of_host || reader_random_below(16);
  record->kind = is_tick ? RECORD_TICK : kinds[reader_random_below(6)];
  record->inputs.present = players;
  record->hash = is_of_host && record->kind != RECORD_END ? 1 + reader_random_below(2) : 0;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    record->inputs.players[i].values[reader_random_below(PLAYER_MAX_ACTIONS)] =
        (int8_t)(reader_random_below(255) - 127);
    record->inputs.players[i].pressed = UINT64_C(1) << reader_random_below(64);
  }
  record->item_count = is_tick ? reader_random_below(reader_random_below(8) ? 2 : 8) : 0;
  for (uint32_t i = 0; i < record->item_count; ++i)
    record->items[i] =
        (record_item_t){is_of_host ? (record_item_kind_t)(1 + reader_random_below(5)) : RECORD_ITEM_COMMAND,
                        (uint8_t)(is_of_host ? reader_random_below(PLAYER_MAX) : 1),
                        reader_random_below(reader_random_below(16) ? 40 : sizeof bytes), bytes};
}

static size_t write_block(record_coder_t coder, uint64_t number, uint64_t tick, player_mask_t players, bool is_of_host,
                          uint8_t *out, size_t capacity) {
  static record_t record;
  size_t at = 0, size = 1;
  for (uint32_t i = reader_random_below(4); i < 4 && size > 0; ++i, at += size) {
    record.number = number++;
    make_record(&record, players, is_of_host);
    record.tick = record.kind == RECORD_TICK ? tick++ : 0;
    size = record_write(&coder, &record, out + at, capacity - at);
  }
  return at;
}

static size_t write_unreliable(uint32_t from, uint8_t *out) {
  const match_o *host = get_host(), *peer = get_peer();
  connection_t *c = get_connection(0);
  record_coder_t coder;
  if (reader_random_below(2))
    return from == 0 ? match_host_write(get_host(), c, out) : match_peer_write(get_peer(), out);
  size_t at = varint_write(from == 0 ? near(c->queue.received) : near(peer->received), out);
  if (from == 0) {
    at += varint_write(near(host->next_number - 1), out + at);
    at += varint_write(near(c->measured), out + at);
    at += varint_write(match_message_zigzag(reader_random_below(100000)), out + at);
    uint64_t record = near(host->next_number);
    at += match_message_write_base(host->log, reader_random_below(2) ? record - 1 : 0, out + at, &coder);
    return at +
           write_block(coder, record, near(host->tick + 1), host->inputs.present, true, out + at, MATCH_BLOCK_BYTES);
  }
  uint64_t input = near(peer->own.next);
  at += match_message_write_base(peer->own.log, reader_random_below(2) ? input - 1 : 0, out + at, &coder);
  return at + write_block(coder, input, near(peer->frontier + 1), c->players, false, out + at, MATCH_BLOCK_BYTES);
}

// Writes a chat line of a random player, often of the sending peer's first player.
static size_t write_chat(uint8_t *out) {
  static const char line[] = "hé, “world”";
  out[0] = (uint8_t)(reader_random_below(2)
                         ? reader_random_below(PLAYER_MAX + 2)
                         : (uint32_t)__builtin_ctzll(get_connection(0)->players | UINT64_C(1) << PLAYER_MAX));
  memcpy(out + 1, line, sizeof line - 1);
  return sizeof line;
}

static size_t write_message_of_peer(uint8_t *out) {
  static const uint8_t types[] = {MATCH_MESSAGE_DESYNC, MATCH_MESSAGE_FINDING, MATCH_MESSAGE_PROPOSE,
                                  MATCH_MESSAGE_ACCEPT, MATCH_MESSAGE_REFUSE,  MATCH_MESSAGE_CODE_PART,
                                  MATCH_MESSAGE_CHAT};
  const match_o *host = get_host();
  size_t at = 1;
  out[0] = reader_random_below(32) ? types[reader_random_below(sizeof types)] : MATCH_MESSAGE_LEAVE;
  switch (out[0]) {
  case MATCH_MESSAGE_DESYNC:
    at += varint_write(near(host->tick), out + at);
    at += varint_write(1 + reader_random_below(1000), out + at);
    return at + write_filler(out + at);
  case MATCH_MESSAGE_FINDING: at += varint_write(near(get_connection(0)->traced), out + at); break;
  case MATCH_MESSAGE_PROPOSE: return at + varint_write(near(sizeof sides[0].code), out + at);
  case MATCH_MESSAGE_CODE_PART: return at + write_hash(reader_random_below(1000), out + at);
  case MATCH_MESSAGE_ACCEPT:
    at += varint_write(near(host->share.number), out + at);
    return at + write_hash(near(host->share.hash), out + at);
  case MATCH_MESSAGE_REFUSE: at += varint_write(near(host->share.number), out + at); break;
  case MATCH_MESSAGE_CHAT: return at + write_chat(out + at);
  default: return at;
  }
  return at + write_filler(out + at);
}

// Returns the host's players, sometimes with one more, whose number may exceed the match's maximum.
static player_mask_t choose_present(void) {
  player_mask_t added = reader_random_below(16) ? 0 : player_mask_of(reader_random_below(PLAYER_MAX));
  return get_host()->inputs.present | added;
}

static size_t write_snapshot_head(uint8_t *out) {
  static record_t record;
  const match_o *host = get_host();
  record_coder_t coder = {0};
  record = (record_t){.number = host->next_number, .kind = RECORD_TICK, .tick = near(host->tick + 1)};
  record.inputs = host->inputs;
  record.inputs.present = choose_present();
  record.hash = reader_random_below(2) ? 0 : match_fold_hash(sides[0].state | 1);
  size_t at = varint_write(near(host->next_number), out);
  at += varint_write(reader_random_below(8) ? SNAPSHOT_BYTES : reader_random_below(1u << 21), out + at);
  out[at++] = (uint8_t)reader_random_below(2);
  memcpy(out + at, host->digests, sizeof host->digests);
  at += sizeof host->digests;
  return at + record_write(&coder, &record, out + at, RECORD_HEAD_BYTES);
}

static size_t write_message_of_host(uint8_t *out) {
  static const uint8_t types[] = {MATCH_MESSAGE_SNAPSHOT, MATCH_MESSAGE_PART,      MATCH_MESSAGE_RECORDS,
                                  MATCH_MESSAGE_REPORT,   MATCH_MESSAGE_CODE,      MATCH_MESSAGE_TRY,
                                  MATCH_MESSAGE_REFUSED,  MATCH_MESSAGE_CODE_PART, MATCH_MESSAGE_CHAT};
  const match_o *host = get_host(), *peer = get_peer();
  size_t at = 1;
  out[0] = types[reader_random_below(sizeof types)];
  switch (out[0]) {
  case MATCH_MESSAGE_SNAPSHOT: return at + write_snapshot_head(out + at);
  case MATCH_MESSAGE_PART:
    memset(out + at, (int)reader_random_below(256), SNAPSHOT_BYTES);
    return at + (reader_random_below(4) ? SNAPSHOT_BYTES : reader_random_below(SNAPSHOT_BYTES));
  case MATCH_MESSAGE_RECORDS:
    return at + write_block((record_coder_t){0}, near(host->next_number), near(host->tick + 1), choose_present(), true,
                            out + at, RECORD_MAX_BYTES);
  case MATCH_MESSAGE_REPORT: at += varint_write(near(peer->desync.tick), out + at); break;
  case MATCH_MESSAGE_CODE:
    at += write_hash(near(sides[0].code + 1), out + at);
    return at + varint_write(near(sizeof sides[0].code), out + at);
  case MATCH_MESSAGE_TRY:
    at += varint_write(near(host->share.number + 1), out + at);
    out[at++] = (uint8_t)reader_random_below(PLAYER_MAX + 2);
    at += write_hash(near(sides[0].code + 1), out + at);
    return at + varint_write(near(sizeof sides[0].code), out + at);
  case MATCH_MESSAGE_REFUSED:
    at += varint_write(near(peer->share.number), out + at);
    out[at++] = (uint8_t)reader_random_below(PLAYER_MAX + 2);
    out[at++] = (uint8_t)reader_random_below(PLAYER_MAX + 2);
    break;
  case MATCH_MESSAGE_CHAT: return at + write_chat(out + at);
  default: return at + write_hash(reader_random_below(1000), out + at);
  }
  return at + write_filler(out + at);
}

static size_t write_valid(uint8_t reader, uint8_t *out) {
  switch (reader) {
  case TO_HOST: return write_unreliable(1, out);
  case TO_HOST_MESSAGE: return write_message_of_peer(out);
  case TO_PEER: return write_unreliable(0, out);
  default: return write_message_of_host(out);
  }
}

// Selects reader and state, and replaces most inputs with a message that is valid in this state, with few mutations.
static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  state_t state = (state_t)(reader_at / STATE_INPUTS % STATE_COUNT);
  uint64_t random = reader_state;
  uint8_t reader = (uint8_t)reader_random_below(4);
  (void)room;
  if (size == 0)
    return 0;
  data[0] = (uint8_t)(reader | state << 2);
  if (reader_random_below(8) == 0)
    return size;
  enter_run();
  enter_state(state);
  reader_state = random + reader;
  size = write_valid(reader, data + 1);
  for (uint32_t i = reader_random_below(4); i > 0; --i)
    size = reader_mutate_once(data + 1, size);
  return 1 + size;
}

// --- seeds

static void seed(uint8_t reader, const void *bytes, size_t size) {
  uint8_t data[64] = {reader};
  memcpy(data + 1, bytes, size);
  reader_seed(data, 1 + size);
}

static void seed_message(uint8_t reader, match_message_t type, const char *content) {
  uint8_t message[32] = {(uint8_t)type};
  memcpy(message + 1, content, strlen(content));
  seed(reader, message, 1 + strlen(content));
}

static void reader_setup(void) {
  seed(TO_HOST, "\x01", 1);
  seed(TO_PEER, "\x01\x01\x01\x28", 4);
  seed_message(TO_HOST_MESSAGE, MATCH_MESSAGE_DESYNC, "\x01\x07\x01\x02report");
  seed_message(TO_HOST_MESSAGE, MATCH_MESSAGE_FINDING,
               "\x01"
               "finding");
  seed_message(TO_HOST_MESSAGE, MATCH_MESSAGE_LEAVE, "");
  seed_message(TO_HOST_MESSAGE, MATCH_MESSAGE_CHAT, "\x01hello");
  seed_message(TO_PEER_MESSAGE, MATCH_MESSAGE_REPORT, "\x01hashes");
  seed_message(TO_PEER_MESSAGE, MATCH_MESSAGE_CHAT, "\x01hello");
}

// Fails if a state has read less than a tenth of the inputs, unless there were few inputs.
static void reader_teardown(void) {
  uint64_t sum = 0;
  destroy_sides();
  for (uint32_t i = 0; i < STATE_COUNT; ++i)
    sum += inputs[i];
  printf("%llu inputs while playing, %llu joining, %llu paused, %llu reloading, %llu repairing; %llu joins\n",
         (unsigned long long)inputs[STATE_PLAYING], (unsigned long long)inputs[STATE_JOINING],
         (unsigned long long)inputs[STATE_PAUSED], (unsigned long long)inputs[STATE_RELOADING],
         (unsigned long long)inputs[STATE_REPAIRING], (unsigned long long)joins);
  for (uint32_t i = 0; i < STATE_COUNT && sum > 10000; ++i)
    if (inputs[i] < sum / 10)
      reader_fail("only %llu inputs in state %u", (unsigned long long)inputs[i], i);
}
