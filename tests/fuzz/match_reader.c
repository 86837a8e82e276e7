// Fuzzer for what the two sides of a match read behind the seal and the stream. The first byte of an input selects the
// reader of the rest, in the middle of a match:
//
//   0  a host: the unreliable part of a peer's datagram
//   1  a host: a message in a peer's stream
//   2  a peer: the unreliable part of the host's datagram
//   3  a peer: a message in the host's stream
//
// Afterwards both sides continue for some ticks; the bytes may cost only the session between them.
static const char *const reader_words[] = {"\xff\xff\xff\x7f", "\x81\x01\x01", "\x01\x01\x01\x01", 0};
#include "reader.h"

#include "match/match_message.h"
#include "match/match_state.h"

#define TICK_US 16667
#define SNAPSHOT_BYTES 64u
#define PAST_TICKS 64u

// A world of one number.
typedef struct side_t {
  uint64_t state, slots[MATCH_SLOTS];
  uint64_t past[PAST_TICKS]; // states after recent ticks
  uint8_t snapshot[SNAPSHOT_BYTES];
  match_o *match;
  uint64_t number;
} side_t;

static bool run_tick(void *context, record_t *record, match_run_t mode, uint64_t *hash) {
  side_t *side = context;
  (void)mode;
  if (record->kind != RECORD_TICK || record->item_count > RECORD_MAX_ITEMS)
    reader_fail("a tick of kind %d with %u items", (int)record->kind, record->item_count);
  side->state = side->state * 31 + record->tick + record->inputs.present + record_hash_items(record);
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

static size_t write_snapshot(void *context, const uint8_t **bytes) {
  side_t *side = context;
  memcpy(side->snapshot, &side->state, sizeof side->state);
  *bytes = side->snapshot;
  return SNAPSHOT_BYTES;
}

static bool read_snapshot(void *context, const uint8_t *bytes, size_t size, uint64_t *hash, error_info_t *error) {
  side_t *side = context;
  if (size != SNAPSHOT_BYTES)
    return error_set(error, "a snapshot of %zu bytes", size);
  memcpy(&side->state, bytes, sizeof side->state);
  *hash = side->state | 1;
  return true;
}

// A report and a finding are a few bytes, which the other side checks.
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
  memcpy(side->snapshot, &side->past[tick % PAST_TICKS], sizeof side->state);
  *bytes = side->snapshot;
  return SNAPSHOT_BYTES;
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

static side_t sides[2]; // host and peer
static int64_t now_us;

static void create_side(uint32_t i) {
  static const uint8_t secret[SEAL_KEY_BYTES];
  sides[i] = (side_t){0};
  match_world_t world = {.context = &sides[i],
                         .run = run_tick,
                         .save = save_state,
                         .restore = restore_state,
                         .apply = apply_record,
                         .write_snapshot = write_snapshot,
                         .read_snapshot = read_snapshot,
                         .trace = trace_tick,
                         .write_traced = write_traced,
                         .find = find_difference,
                         .describe = describe_difference};
  match_desc_t desc = {.role = i == 0 ? MATCH_HOST : MATCH_PEER,
                       .world = world,
                       .tick_us = TICK_US,
                       .secret = secret,
                       .local_players = 1,
                       .log_records = 4 * MATCH_BLOCK_RECORDS,
                       .stream_bytes = STREAM_MIN_BUFFER_BYTES,
                       .max_snapshot_bytes = 1u << 20};
  sides[i].match = match_create(&desc, 0, now_us);
}

// Runs a frame of both sides. Returns false if one of them has closed the connection.
static bool run_frame(void) {
  uint8_t out[SEAL_PAYLOAD_BYTES];
  bool ok = true;
  for (uint32_t i = 0; i < 2; ++i) {
    player_input_t input = {.pressed = sides[i].number % 3 == 0};
    match_add_input(sides[i].match, 0, &input);
    match_update(sides[i].match, now_us);
    size_t size = match_write(sides[i].match, now_us, 1, ++sides[i].number, out);
    ok &= size > 0 && match_read(sides[1 - i].match, now_us, 1, sides[i].number, out, size, NULL);
  }
  now_us += TICK_US;
  return ok;
}

static void create_sides(void) {
  uint8_t request[MATCH_REQUEST_BYTES], reply[MATCH_REPLY_BYTES];
  now_us = 1000000;
  create_side(0);
  create_side(1);
  match_write_request(sides[1].match, request);
  if (!match_accept(sides[0].match, now_us, 1, request, sizeof request, reply, NULL) ||
      !match_connect(sides[0].match, now_us, 1, NULL, 0, NULL) ||
      !match_connect(sides[1].match, now_us, 1, reply, sizeof reply, NULL))
    reader_fail("the peer cannot join");
  for (uint32_t i = 0; i < 30; ++i)
    if (!run_frame())
      reader_fail("the match does not run");
  if (match_get_status(sides[0].match, now_us).present != 3)
    reader_fail("the peer has not joined");
}

static bool read_unreliable(uint32_t to, const uint8_t *data, size_t size) {
  stream_o *stream = sides[1 - to].match->connections[0].stream;
  uint8_t out[SEAL_PAYLOAD_BYTES];
  if (size > STREAM_UNRELIABLE_BYTES)
    return false;
  uint64_t number = ++sides[1 - to].number;
  size = stream_write(stream, now_us, number, data, size, out);
  return match_read(sides[to].match, now_us, 1, number, out, size, NULL);
}

static bool push_message(uint32_t to, const uint8_t *data, size_t size) {
  return size > 0 && size <= STREAM_MESSAGE_BYTES &&
         stream_push(sides[1 - to].match->connections[0].stream, data, size);
}

static bool reader_try(const uint8_t *data, size_t size) {
  if (size == 0 || data[0] > 3)
    return false;
  uint32_t to = data[0] / 2;
  uint64_t state = reader_state;
  create_sides();
  bool ok = data[0] % 2 == 0 ? read_unreliable(to, data + 1, size - 1) : push_message(to, data + 1, size - 1);
  bool is_open = ok;
  for (uint32_t i = 0; i < 20 && is_open; ++i)
    is_open = run_frame();
  ok &= is_open || data[0] % 2 == 0; // a message is read in a later frame
  for (uint32_t i = 0; i < 2; ++i) {
    if (sides[i].match->memory.bytes > 4u << 20)
      reader_fail("side %u uses %zu bytes", i, sides[i].match->memory.bytes);
    match_destroy(sides[i].match);
  }
  reader_state = state;
  return ok;
}

static void seed(uint8_t kind, const uint8_t *bytes, size_t size) {
  uint8_t data[STREAM_MESSAGE_BYTES + 1] = {kind};
  memcpy(data + 1, bytes, size);
  reader_seed(data, size + 1);
}

static void seed_message(uint8_t kind, match_message_t type, const char *content) {
  uint8_t message[64] = {(uint8_t)type};
  memcpy(message + 1, content, strlen(content));
  seed(kind, message, 1 + strlen(content));
}

// Adds a block of inputs or records that continues the match after create_sides.
static void seed_block(uint8_t kind, uint64_t number, uint64_t tick, const uint8_t *head, size_t head_size) {
  uint8_t bytes[RECORD_MAX_BYTES];
  record_coder_t coder = {0};
  size_t size = head_size;
  memcpy(bytes, head, head_size);
  for (uint64_t i = 0; i < 3; ++i) {
    record_t record = {.number = number + i, .kind = RECORD_TICK, .tick = tick + i, .inputs.present = 2};
    record.inputs.players[1].values[3] = (int8_t)(5 + i);
    record.inputs.players[1].pressed = 1u << i;
    record.items[0] = (record_item_t){RECORD_ITEM_COMMAND, 1, 5, (const uint8_t *)"build"};
    record.item_count = i == 1;
    size += record_write(&coder, &record, bytes + size, sizeof bytes - size);
  }
  seed(kind, bytes, size);
}

static void reader_setup(void) {
  create_sides();
  uint64_t next = sides[1].match->own.next, tick = sides[1].match->frontier;
  uint64_t number = sides[1].match->received;
  match_destroy(sides[0].match);
  match_destroy(sides[1].match);
  uint8_t head[8] = {(uint8_t)number};
  seed_block(0, next, tick + 1, head, 1);
  uint8_t host_head[8] = {1, (uint8_t)number, 1, 40};
  seed(2, host_head, 4);
  seed_message(1, MATCH_MESSAGE_DESYNC, "\x0a\x07\x01\x02report");
  seed_message(1, MATCH_MESSAGE_FINDING,
               "\x0a"
               "finding");
  seed_message(1, MATCH_MESSAGE_LEAVE, "");
  seed_message(3, MATCH_MESSAGE_REPORT, "\x0ahashes");
  uint8_t records[1] = {3};
  seed_block(3, 1, 1, records, 1); // records that have arrived before
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)room;
  if (size > 0 && reader_random_below(2))
    data[0] &= 3;
  return size;
}

static void reader_teardown(void) {
}
