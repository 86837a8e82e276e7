// Messages form one byte stream in each direction: the size of each message as a varint, and its bytes. A datagram
// carries at most one piece of the stream, of any length and at any offset:
//
//   flags (1)
//   FLAG_ACK:   low half of the highest received number (2), its age in ms (1), size of the bit field (1), bit field:
//               bit i stands for the number that is i + 1 lower
//   FLAG_LIMIT: offset up to which the receiver accepts bytes (varint)
//   FLAG_UNRELIABLE: size (varint), unreliable part
//   FLAG_DATA:  offset (varint), bytes up to the end of the datagram
//
// The sender stores which piece each of its recent datagrams carried. For each byte of its buffer, one bit marks
// whether the byte was acknowledged, and a second bit whether it must be sent again. Without other data, bytes in
// flight are sent a second time, because a loss would otherwise cost more than a round trip. The receiver's bit field
// ends slightly below the highest number whose acknowledgement has itself been acknowledged: in a quiet connection, the
// field has two or three bytes.
#include "link/stream.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/varint.h"
#include "link/bit_ring.h"
#include "link/sequence_window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUFFER_BYTES (256u << 10)
#define DEFAULT_RATE 2000000u
#define INITIAL_CREDIT 16384u // bytes that may be sent before the peer's first datagram
#define RECORDS 1024u         // number of remembered datagrams, a power of two
#define MAX_ACK_BYTES 32u
// number of sequence numbers below `peer_ack` that are acknowledged again, because datagrams may be reordered
#define ACK_MARGIN 16u
#define ACK_DELAY_US 20000
#define INITIAL_TIMEOUT_US 300000
#define MIN_TIMEOUT_US 30000
#define MAX_TIMEOUT_US 2000000
#define TICK_US 20000 // assumed length of a tick: datagrams are written in bursts, once per tick
// The second copy is sent in a later tick, so that a short outage does not lose both copies.
#define REPEAT_US 15000
#define REPEAT_BYTES 16384u // maximum number of bytes in flight; above it, no bytes are repeated
#define MIN_WINDOW_BYTES (4 * SEAL_PAYLOAD_BYTES)

enum { FLAG_ACK = 1, FLAG_LIMIT = 2, FLAG_UNRELIABLE = 4, FLAG_DATA = 8, FLAGS = 15 };

typedef enum record_state_t { RECORD_NONE, RECORD_SENT, RECORD_LOST, RECORD_ACKNOWLEDGED } record_state_t;

// A written datagram.
typedef struct record_t {
  // `limit`: offset up to which this side accepts bytes; `acknowledged`: highest received number; both as written in
  // the datagram, 0 if not written
  uint64_t number, offset, limit, acknowledged;
  int64_t sent_us;
  uint32_t size; // number of stream bytes
  record_state_t state;
} record_t;

typedef struct sender_t {
  uint8_t *bytes;
  bit_ring_t acknowledged, lost;
  uint64_t base, next, end, limit; // offsets at which acknowledged, sent, filled and accepted bytes end
  bool has_lost;
  uint64_t repeated; // offset below which bytes have already been repeated
  int64_t first_us;  // time at which the latest piece that was not a repetition was sent
  record_t records[RECORDS];
  uint64_t highest;  // highest number of a written datagram
  uint64_t oldest;   // records with lower numbers are no longer in flight
  uint64_t peer_ack; // highest number up to which the peer has received this side's acknowledgements
  uint32_t in_flight;
} sender_t;

typedef struct receiver_t {
  uint8_t *bytes;
  bit_ring_t received;
  uint64_t taken, ready;      // offsets at which the delivered bytes and the complete bytes end
  uint64_t limit, peer_limit; // `limit`: end of the accepted bytes; `peer_limit`: limit that the peer certainly has
  uint64_t written_limit;     // highest limit written so far
  sequence_window_t numbers;
  int64_t highest_us; // arrival time of the highest number
  int64_t data_us;    // arrival time of the first piece that has not been acknowledged
  uint32_t unacknowledged;
  uint8_t *message; // STREAM_MESSAGE_BYTES; the message is at the end: AddressSanitizer detects reads past it
} receiver_t;

// Round trip and rate.
typedef struct pace_t {
  int64_t round_trip_us, deviation_us, min_round_trip_us;
  uint32_t backoff; // number of timeouts since the last acknowledgement
  bool is_starting; // true while the window doubles every round trip
  uint32_t window;  // size of the window in bytes
  int64_t credit_us, credit_bytes;
  int64_t round_us;     // start of the current round trip
  int64_t round_min_us; // minimum round trip measured in this round; 0: not measured
  uint32_t round_acknowledged, round_lost;
  bool round_was_full; // true if the window limited the rate in this round
  int64_t checked_us;  // time of the last search for lost datagrams
} pace_t;

struct stream_o {
  allocator_t memory;
  uint32_t size; // size of each buffer in bytes
  uint32_t max_rate;
  sender_t out;
  receiver_t in;
  pace_t pace;
  stream_status_t status;
  bool has_failed;
  char failure[128];
};

// --- creation

static bit_ring_t create_ring(stream_o *s) {
  bit_ring_t ring = {alloc_resize(&s->memory, NULL, 0, s->size / 8), s->size};
  memset(ring.bits, 0, s->size / 8);
  return ring;
}

stream_o *stream_create(const stream_desc_t *desc) {
  stream_o *s = alloc_object(sizeof *s);
  s->size = desc->buffer_bytes > 0 ? desc->buffer_bytes : DEFAULT_BUFFER_BYTES;
  s->max_rate = desc->max_bytes_per_s > 0 ? desc->max_bytes_per_s : DEFAULT_RATE;
  shoal_assert(s->size >= STREAM_MIN_BUFFER_BYTES && s->size <= STREAM_MAX_BUFFER_BYTES &&
                   (s->size & (s->size - 1)) == 0,
               "buffer_bytes %u must be a power of two in [32768, 1048576]", s->size);
  shoal_assert(s->max_rate >= STREAM_MIN_RATE, "max_bytes_per_s %u is below 32000", s->max_rate);
  s->out.bytes = alloc_resize(&s->memory, NULL, 0, s->size);
  s->in.bytes = alloc_resize(&s->memory, NULL, 0, s->size);
  s->in.message = alloc_resize(&s->memory, NULL, 0, STREAM_MESSAGE_BYTES);
  s->out.acknowledged = create_ring(s);
  s->out.lost = create_ring(s);
  s->in.received = create_ring(s);
  s->out.limit = s->in.peer_limit = s->in.written_limit = INITIAL_CREDIT;
  s->in.limit = s->size;
  s->out.oldest = 1;
  s->pace = (pace_t){.is_starting = true, .window = 10 * SEAL_PAYLOAD_BYTES, .credit_bytes = 10 * SEAL_PAYLOAD_BYTES};
  return s;
}

void stream_destroy(stream_o *s) {
  if (!s)
    return;
  alloc_resize(&s->memory, s->out.bytes, s->size, 0);
  alloc_resize(&s->memory, s->in.bytes, s->size, 0);
  alloc_resize(&s->memory, s->in.message, STREAM_MESSAGE_BYTES, 0);
  alloc_resize(&s->memory, s->out.acknowledged.bits, s->size / 8, 0);
  alloc_resize(&s->memory, s->out.lost.bits, s->size / 8, 0);
  alloc_resize(&s->memory, s->in.received.bits, s->size / 8, 0);
  shoal_assert(s->memory.bytes == 0, "%zu bytes of the stream were not freed", s->memory.bytes);
  free(s);
}

// --- circular buffers

static void copy_in(const stream_o *s, uint8_t *ring, uint64_t offset, const uint8_t *bytes, size_t size) {
  size_t at = offset & (s->size - 1), first = size < s->size - at ? size : s->size - at;
  memcpy(ring + at, bytes, first);
  memcpy(ring, bytes + first, size - first);
}

static void copy_out(const stream_o *s, const uint8_t *ring, uint64_t offset, uint8_t *bytes, size_t size) {
  size_t at = offset & (s->size - 1), first = size < s->size - at ? size : s->size - at;
  memcpy(bytes, ring + at, first);
  memcpy(bytes + first, ring, size - first);
}

// --- messages

uint32_t stream_get_free_bytes(const stream_o *s) {
  uint64_t free_bytes = s->size - (s->out.end - s->out.base);
  if (free_bytes <= 3)
    return 0;
  return free_bytes - 3 < STREAM_MESSAGE_BYTES ? (uint32_t)free_bytes - 3 : STREAM_MESSAGE_BYTES;
}

bool stream_push(stream_o *s, const void *bytes, size_t size) {
  uint8_t head[VARINT_BYTES];
  shoal_assert(size > 0 && size <= STREAM_MESSAGE_BYTES, "message of %zu bytes is out of range [1, 16384]", size);
  if (s->has_failed || size > stream_get_free_bytes(s))
    return false;
  size_t head_size = varint_write(size, head);
  copy_in(s, s->out.bytes, s->out.end, head, head_size);
  copy_in(s, s->out.bytes, s->out.end + head_size, bytes, size);
  s->out.end += head_size + size;
  return true;
}

// Marks the stream as failed. Returns false.
static bool fail(stream_o *s, const char *problem) {
  if (!s->has_failed)
    snprintf(s->failure, sizeof s->failure, "%s", problem);
  s->has_failed = true;
  return false;
}

// Reads the size of the next message. Returns the varint's size, or 0 if it is incomplete or invalid. An invalid size
// fails the stream.
static size_t read_message_size(stream_o *s, uint64_t *size) {
  uint8_t head[3];
  uint64_t ready = s->in.ready - s->in.taken;
  size_t available = ready < sizeof head ? (size_t)ready : sizeof head;
  copy_out(s, s->in.bytes, s->in.taken, head, available);
  size_t head_size = varint_read(head, available, size);
  bool is_incomplete = head_size == 0 && available < sizeof head;
  if (!is_incomplete && (head_size == 0 || *size == 0 || *size > STREAM_MESSAGE_BYTES))
    fail(s, "the peer sent a message of an invalid size");
  return s->has_failed ? 0 : head_size;
}

const uint8_t *stream_pop(stream_o *s, size_t *size) {
  uint64_t message_size = 0;
  size_t head_size = read_message_size(s, &message_size);
  if (head_size == 0 || s->in.ready - s->in.taken < head_size + message_size)
    return NULL;
  uint8_t *message = s->in.message + STREAM_MESSAGE_BYTES - message_size;
  copy_out(s, s->in.bytes, s->in.taken + head_size, message, message_size);
  s->in.taken += head_size + message_size;
  s->in.limit = s->in.taken + s->size;
  *size = message_size;
  return message;
}

// --- round trip and rate

static void measure_round_trip(pace_t *p, int64_t sample_us) {
  if (p->round_min_us == 0 || sample_us < p->round_min_us)
    p->round_min_us = sample_us;
  if (p->round_trip_us == 0) {
    p->round_trip_us = sample_us > 0 ? sample_us : 1;
    p->deviation_us = sample_us / 2;
    p->min_round_trip_us = p->round_trip_us;
    return;
  }
  int64_t difference = sample_us - p->round_trip_us;
  p->round_trip_us += difference / 8;
  p->deviation_us += ((difference < 0 ? -difference : difference) - p->deviation_us) / 4;
  if (p->round_trip_us < 1)
    p->round_trip_us = 1;
  if (sample_us < p->min_round_trip_us)
    p->min_round_trip_us = sample_us > 0 ? sample_us : 1;
}

// Returns the round trip plus one tick: on average, each side reads a datagram half a tick after its arrival.
static int64_t full_round_trip_us(const pace_t *p) {
  return p->round_trip_us + TICK_US;
}

static int64_t timeout_us(const pace_t *p) {
  int64_t timeout = p->round_trip_us == 0 ? INITIAL_TIMEOUT_US : full_round_trip_us(p) + 4 * p->deviation_us;
  timeout = timeout < MIN_TIMEOUT_US ? MIN_TIMEOUT_US : timeout;
  timeout <<= p->backoff < 6 ? p->backoff : 6;
  return timeout < MAX_TIMEOUT_US ? timeout : MAX_TIMEOUT_US;
}

static uint32_t clamp_window(const stream_o *s, uint64_t window) {
  uint64_t round_trip_us = (uint64_t)full_round_trip_us(&s->pace);
  uint64_t min = STREAM_MIN_RATE * round_trip_us / 1000000, max = s->max_rate * round_trip_us / 1000000;
  min = min < MIN_WINDOW_BYTES ? MIN_WINDOW_BYTES : min;
  max = max < s->size ? max : s->size;
  window = window < max ? window : max;
  return (uint32_t)(window < min ? min : window);
}

// Adapts the window once per round trip. The window shrinks after heavy loss, and when the delay has grown, because
// full queues on the route also delay the inputs. Otherwise it grows if it limited the rate.
static void adapt_window(stream_o *s, int64_t now_us) {
  pace_t *p = &s->pace;
  if (p->round_trip_us == 0 || now_us - p->round_us < full_round_trip_us(p))
    return;
  bool is_lossy = p->round_lost >= 2 && p->round_lost * 3 > p->round_acknowledged;
  bool is_delayed = p->round_min_us > p->min_round_trip_us * 3 / 2 + 30000;
  uint32_t growth = p->window / 16 > SEAL_PAYLOAD_BYTES ? p->window / 16 : SEAL_PAYLOAD_BYTES;
  p->min_round_trip_us += (p->round_trip_us - p->min_round_trip_us) / 256; // the route may have changed
  if (is_lossy || is_delayed) {
    p->is_starting = false;
    p->window = clamp_window(s, p->window / 4 * 3);
  } else if (p->round_was_full) {
    p->window = clamp_window(s, (uint64_t)p->window + (p->is_starting ? p->window : growth));
  }
  p->round_us = now_us;
  p->round_min_us = 0;
  p->round_acknowledged = p->round_lost = 0;
  p->round_was_full = false;
}

// Adds the credit for the time since the previous call: the bytes of one window per half round trip, limited to a burst
// of one tick.
static void add_credit(stream_o *s, int64_t now_us) {
  pace_t *p = &s->pace;
  int64_t rate = (int64_t)p->window * 2000000 / (p->round_trip_us > 0 ? full_round_trip_us(p) : INITIAL_TIMEOUT_US);
  int64_t max = rate * TICK_US / 1000000 + 2 * SEAL_PAYLOAD_BYTES;
  int64_t elapsed_us = now_us - p->credit_us < 1000000 ? now_us - p->credit_us : 1000000;
  if (elapsed_us * rate < 1000000) // less than one byte of credit
    return;
  p->credit_bytes += elapsed_us * rate / 1000000;
  p->credit_bytes = p->credit_bytes < max ? p->credit_bytes : max;
  p->credit_us = now_us;
}

// --- acknowledgements

static record_t *find_record(stream_o *s, uint64_t number) {
  record_t *record = &s->out.records[number % RECORDS];
  return record->number == number && record->state != RECORD_NONE ? record : NULL;
}

bool stream_is_acknowledged(const stream_o *s, uint64_t number) {
  const record_t *record = &s->out.records[number % RECORDS];
  return record->number == number && record->state == RECORD_ACKNOWLEDGED;
}

static void acknowledge_bytes(sender_t *out, uint64_t from, uint64_t to) {
  from = from > out->base ? from : out->base;
  if (from >= to)
    return;
  bit_ring_set(&out->acknowledged, from, to, true);
  bit_ring_set(&out->lost, from, to, false);
  uint64_t base = bit_ring_find_end(&out->acknowledged, out->base, out->next, true);
  bit_ring_set(&out->acknowledged, out->base, base, false);
  out->base = base;
}

static void mark_lost(stream_o *s, record_t *record) {
  sender_t *out = &s->out;
  uint64_t to = record->offset + record->size, at = record->offset > out->base ? record->offset : out->base;
  record->state = RECORD_LOST;
  if (record->size == 0)
    return;
  out->in_flight -= record->size;
  ++s->pace.round_lost;
  ++s->status.lost;
  while (at < to) { // marks only bytes that no other datagram has delivered
    at = bit_ring_find_end(&out->acknowledged, at, to, true);
    uint64_t end = bit_ring_find_end(&out->acknowledged, at, to, false);
    bit_ring_set(&out->lost, at, end, true);
    out->has_lost |= at < end;
    at = end;
  }
}

static void acknowledge_record(stream_o *s, record_t *record) {
  sender_t *out = &s->out;
  if (record->state == RECORD_SENT && record->size > 0) {
    out->in_flight -= record->size;
    ++s->pace.round_acknowledged;
  }
  record->state = RECORD_ACKNOWLEDGED;
  s->pace.backoff = 0;
  acknowledge_bytes(out, record->offset, record->offset + record->size);
  s->in.peer_limit = record->limit > s->in.peer_limit ? record->limit : s->in.peer_limit;
  out->peer_ack = record->acknowledged > out->peer_ack ? record->acknowledged : out->peer_ack;
}

// Marks datagrams as lost: datagrams older than the timeout, and datagrams sent clearly before an acknowledged
// datagram. `acknowledged_us`: latest time at which an acknowledged datagram was sent; 0: no acknowledgement.
static void find_lost(stream_o *s, int64_t now_us, int64_t acknowledged_us) {
  sender_t *out = &s->out;
  int64_t margin_us = s->pace.round_trip_us / 4 + 2 * s->pace.deviation_us + 1000, timeout = timeout_us(&s->pace);
  bool is_at_start = true, has_timed_out = false;
  if (out->highest >= out->oldest + RECORDS)
    out->oldest = out->highest - RECORDS + 1;
  for (uint64_t number = out->oldest; number <= out->highest; ++number) {
    record_t *record = find_record(s, number);
    bool is_late = record && record->state == RECORD_SENT && now_us - record->sent_us > timeout;
    if (is_late || (record && record->state == RECORD_SENT && record->sent_us + margin_us < acknowledged_us))
      mark_lost(s, record);
    has_timed_out |= is_late && record->size > 0;
    is_at_start &= !record || record->state != RECORD_SENT;
    if (is_at_start)
      out->oldest = number + 1;
    if (record && record->state == RECORD_SENT && now_us - record->sent_us <= timeout &&
        record->sent_us + margin_us >= acknowledged_us)
      break; // all further datagrams were sent later
  }
  s->pace.backoff += has_timed_out && s->pace.backoff < 6;
}

// --- writing

static size_t write_acknowledgements(stream_o *s, int64_t now_us, uint8_t *out) {
  const sequence_window_t *w = &s->in.numbers;
  uint64_t known = s->out.peer_ack > ACK_MARGIN ? s->out.peer_ack - ACK_MARGIN : 0;
  uint64_t count = w->highest - known < MAX_ACK_BYTES * 8 ? w->highest - known : MAX_ACK_BYTES * 8;
  int64_t age_ms = (now_us - s->in.highest_us) / 1000;
  out[0] = (uint8_t)w->highest;
  out[1] = (uint8_t)(w->highest >> 8);
  out[2] = (uint8_t)(age_ms < 255 ? age_ms : 255);
  out[3] = (uint8_t)((count + 7) / 8);
  memset(out + 4, 0, out[3]);
  for (uint64_t i = 0; i < out[3] * UINT64_C(8) && i + 1 < w->highest; ++i)
    if (!sequence_window_is_new(w, w->highest - 1 - i))
      out[4 + i / 8] |= (uint8_t)(1u << i % 8);
  s->in.unacknowledged = 0;
  return 4u + out[3];
}

// Returns true if the peer should be notified that this side accepts more bytes.
static bool is_limit_news(const stream_o *s) {
  return s->in.limit - s->in.peer_limit >= s->size / 8;
}

typedef struct piece_t {
  uint64_t from, to;
  bool is_repeated;
} piece_t;

// Stores in `piece` up to `max_bytes` bytes that are in flight and have been sent only once. Returns true on success,
// or false if no such bytes exist, if more than REPEAT_BYTES are in flight, or if the sender must wait longer
// (REPEAT_US).
static bool find_repetition(const sender_t *out, int64_t now_us, uint64_t max_bytes, piece_t *piece) {
  if (out->next - out->base > REPEAT_BYTES || now_us - out->first_us < REPEAT_US)
    return false;
  uint64_t from = out->repeated > out->base ? out->repeated : out->base;
  from = bit_ring_find_end(&out->acknowledged, from, out->next, true);
  uint64_t end = out->next < from + max_bytes ? out->next : from + max_bytes;
  *piece = (piece_t){from, bit_ring_find_end(&out->acknowledged, from, end, false), true};
  return piece->from < piece->to;
}

// Stores in `piece` the bytes to send next: first lost bytes, then new bytes, then bytes to be repeated. Returns true
// on success, or false if no bytes are pending or the peer accepts no more bytes.
static bool find_piece(sender_t *out, int64_t now_us, uint64_t max_bytes, piece_t *piece) {
  if (out->has_lost) {
    uint64_t from = bit_ring_find_end(&out->lost, out->base, out->next, false);
    uint64_t to = out->next < from + max_bytes ? out->next : from + max_bytes;
    *piece = (piece_t){from, bit_ring_find_end(&out->lost, from, to, true), false};
    if (piece->from < piece->to)
      return true;
    out->has_lost = false;
  }
  uint64_t end = out->end < out->limit ? out->end : out->limit;
  *piece = (piece_t){out->next, end < out->next + max_bytes ? end : out->next + max_bytes, false};
  return piece->from < piece->to || find_repetition(out, now_us, max_bytes, piece);
}

// Returns true if the rate permits sending bytes of the stream now.
static bool may_send(stream_o *s, int64_t now_us) {
  add_credit(s, now_us);
  bool is_full = s->out.in_flight + SEAL_PAYLOAD_BYTES > s->pace.window;
  s->pace.round_was_full |= is_full;
  return !is_full && s->pace.credit_bytes > 0;
}

static size_t write_piece(stream_o *s, int64_t now_us, record_t *record, uint8_t *out, size_t capacity) {
  sender_t *sender = &s->out;
  piece_t piece;
  if (capacity < VARINT_BYTES + 16 || !find_piece(sender, now_us, capacity - VARINT_BYTES, &piece))
    return 0;
  size_t head = varint_write(piece.from, out), size = (size_t)(piece.to - piece.from);
  copy_out(s, sender->bytes, piece.from, out + head, size);
  bit_ring_set(&sender->lost, piece.from, piece.to, false);
  s->status.resent_bytes += piece.from < sender->next ? size : 0;
  s->status.message_bytes += size;
  ++s->status.written;
  sender->next = piece.to > sender->next ? piece.to : sender->next;
  sender->repeated = piece.is_repeated ? piece.to : sender->repeated;
  sender->first_us = piece.is_repeated ? sender->first_us : now_us;
  sender->in_flight += (uint32_t)size;
  s->pace.credit_bytes -= (int64_t)size;
  record->offset = piece.from;
  record->size = (uint32_t)size;
  return head + size;
}

static void search_for_lost(stream_o *s, int64_t now_us) {
  if (s->pace.checked_us == now_us)
    return;
  s->pace.checked_us = now_us;
  find_lost(s, now_us, 0);
  adapt_window(s, now_us);
}

size_t stream_write(stream_o *s, int64_t now_us, uint64_t number, const void *bytes, size_t size, uint8_t *out) {
  record_t *record = &s->out.records[number % RECORDS];
  size_t at = 1;
  shoal_assert(number > s->out.highest, "the datagram's number is not greater than the previous one");
  shoal_assert(size <= STREAM_UNRELIABLE_BYTES, "unreliable part of %zu bytes is out of range [0, 800]", size);
  size = size <= STREAM_UNRELIABLE_BYTES ? size : 0;
  search_for_lost(s, now_us);
  if (record->state == RECORD_SENT)
    mark_lost(s, record);
  *record = (record_t){.number = number, .sent_us = now_us, .state = RECORD_SENT};
  s->out.highest = number;
  out[0] = 0;
  if (s->in.numbers.highest > 0) {
    out[0] |= FLAG_ACK;
    at += write_acknowledgements(s, now_us, out + at);
    record->acknowledged = s->in.numbers.highest;
  }
  if (is_limit_news(s)) {
    out[0] |= FLAG_LIMIT;
    at += varint_write(s->in.limit, out + at);
    record->limit = s->in.written_limit = s->in.limit;
  }
  if (size > 0) {
    out[0] |= FLAG_UNRELIABLE;
    at += varint_write(size, out + at);
    memcpy(out + at, bytes, size);
    at += size;
  }
  size_t piece = may_send(s, now_us) ? write_piece(s, now_us, record, out + at, SEAL_PAYLOAD_BYTES - at) : 0;
  out[0] |= piece > 0 ? FLAG_DATA : 0;
  return at + piece;
}

bool stream_has_work(stream_o *s, int64_t now_us) {
  piece_t piece;
  search_for_lost(s, now_us);
  if (s->in.unacknowledged > 0 && now_us - s->in.data_us >= ACK_DELAY_US)
    return true;
  if (is_limit_news(s) && s->in.limit != s->in.written_limit)
    return true;
  return find_piece(&s->out, now_us, SEAL_PAYLOAD_BYTES, &piece) && may_send(s, now_us);
}

// --- reading

// The unread rest of a datagram. `is_valid` becomes false at the first read past its end.
typedef struct reader_t {
  const uint8_t *bytes;
  size_t size;
  bool is_valid;
} reader_t;

static const uint8_t *take_bytes(reader_t *r, uint64_t size) {
  const uint8_t *bytes = r->bytes;
  r->is_valid &= size <= r->size;
  if (!r->is_valid)
    return NULL;
  r->bytes += size;
  r->size -= size;
  return bytes;
}

static uint64_t take_varint(reader_t *r) {
  uint64_t value = 0;
  size_t size = r->is_valid ? varint_read(r->bytes, r->size, &value) : 0;
  r->is_valid &= size > 0;
  return take_bytes(r, size) ? value : 0;
}

static bool read_acknowledgements(stream_o *s, int64_t now_us, reader_t *r) {
  const uint8_t *head = take_bytes(r, 4);
  const uint8_t *bits = head ? take_bytes(r, head[3]) : NULL;
  if (!bits || head[3] > MAX_ACK_BYTES)
    return fail(s, "the peer sent a malformed acknowledgement");
  uint16_t behind = (uint16_t)(s->out.highest - (head[0] | (uint32_t)head[1] << 8));
  if (behind >= s->out.highest)
    return fail(s, "the peer acknowledged a datagram that was not sent");
  uint64_t latest = s->out.highest - behind;
  int64_t acknowledged_us = 0;
  for (uint32_t i = 0; i <= head[3] * 8u && i < latest; ++i) {
    record_t *record = i == 0 || bits[(i - 1) / 8] >> (i - 1) % 8 & 1 ? find_record(s, latest - i) : NULL;
    if (!record || record->state == RECORD_ACKNOWLEDGED)
      continue;
    if (i == 0) {
      int64_t sample_us = now_us - record->sent_us - head[2] * INT64_C(1000);
      measure_round_trip(&s->pace, sample_us > 0 ? sample_us : 0);
    }
    acknowledged_us = record->sent_us > acknowledged_us ? record->sent_us : acknowledged_us;
    acknowledge_record(s, record);
  }
  find_lost(s, now_us, acknowledged_us);
  adapt_window(s, now_us);
  return true;
}

static bool read_piece(stream_o *s, int64_t now_us, reader_t *r) {
  receiver_t *in = &s->in;
  uint64_t from = take_varint(r), to = from + r->size;
  if (!r->is_valid || r->size == 0 || from > UINT64_MAX / 2)
    return fail(s, "the peer sent a malformed piece of a message");
  if (to > in->written_limit)
    return fail(s, "the peer sent more than this side accepts");
  in->data_us = in->unacknowledged++ == 0 ? now_us : in->data_us;
  uint64_t skipped = from < in->ready ? in->ready - from : 0;
  if (skipped >= r->size)
    return true;
  copy_in(s, in->bytes, from + skipped, r->bytes + skipped, r->size - skipped);
  bit_ring_set(&in->received, from + skipped, to, true);
  uint64_t ready = bit_ring_find_end(&in->received, in->ready, in->taken + s->size, true);
  bit_ring_set(&in->received, in->ready, ready, false);
  in->ready = ready;
  return true;
}

static bool read_parts(stream_o *s, int64_t now_us, reader_t *r, const uint8_t **out, size_t *out_size) {
  const uint8_t *flags = take_bytes(r, 1);
  if (!flags || (*flags & ~FLAGS) != 0)
    return fail(s, "the peer sent a malformed datagram");
  if (*flags & FLAG_ACK && !read_acknowledgements(s, now_us, r))
    return false;
  if (*flags & FLAG_LIMIT) {
    uint64_t limit = take_varint(r);
    if (!r->is_valid || limit > s->out.next + STREAM_MAX_BUFFER_BYTES)
      return fail(s, "the peer sent an invalid limit");
    s->out.limit = limit > s->out.limit ? limit : s->out.limit;
  }
  if (*flags & FLAG_UNRELIABLE) {
    uint64_t size = take_varint(r);
    *out = size <= STREAM_UNRELIABLE_BYTES ? take_bytes(r, size) : NULL;
    if (!*out)
      return fail(s, "the peer sent a malformed unreliable part");
    *out_size = (size_t)size;
  }
  return *flags & FLAG_DATA ? read_piece(s, now_us, r) : r->size == 0 || fail(s, "the peer sent a malformed datagram");
}

bool stream_read(stream_o *s, int64_t now_us, uint64_t number, const uint8_t *bytes, size_t size, const uint8_t **out,
                 size_t *out_size, error_info_t *error) {
  reader_t reader = {bytes, size, true};
  uint64_t message_size;
  *out = NULL;
  *out_size = 0;
  if (!s->has_failed && sequence_window_is_new(&s->in.numbers, number)) {
    s->in.highest_us = number > s->in.numbers.highest ? now_us : s->in.highest_us;
    sequence_window_add(&s->in.numbers, number);
    if (read_parts(s, now_us, &reader, out, out_size))
      read_message_size(s, &message_size);
  }
  if (s->has_failed)
    *out_size = 0;
  return !s->has_failed || error_set(error, "%s", s->failure);
}

stream_status_t stream_get_status(const stream_o *s) {
  stream_status_t status = s->status;
  status.round_trip_us = s->pace.round_trip_us;
  status.min_round_trip_us = s->pace.min_round_trip_us;
  status.jitter_us = s->pace.deviation_us;
  status.window_bytes = s->pace.window;
  status.in_flight_bytes = s->out.in_flight;
  status.waiting_bytes = (uint32_t)(s->out.end - s->out.base);
  status.acknowledged_bytes = s->out.base;
  return status;
}
