// Fuzzer for network links. The first byte of an input selects what receives the rest:
//
//   0  a host: one datagram from a stranger
//   1  a host: the content of a JOIN, which the fuzzer seals as a joiner with a valid cookie would
//   2  a joiner: the content of an ANSWER, which the fuzzer seals as the host would
//   3  a stream in the middle of a transfer: opened datagrams of the peer, each after its size in two bytes
//
// Even correctly sealed data may be hostile, because the peer has the keys.
static const char *const reader_words[] = {"\xc1\x01\x00\x00", "\xc3\x01\x00\x00", "\xff\xff\xff\x7f", 0};
#include "reader.h"

#include "link/link_sim.h"
#include "link/stream.h"

#include <sodium.h>

#define MAX_DATAGRAMS 64u

static struct {
  link_sim_o *sim;
  link_t outside; // link of the fuzzer
  link_address_t host_address, joiner_address, outside_address;
  seal_o *host, *joiner;
  int64_t now_us;
} f;

// --- seals

static bool poll_seal(seal_o *seal, seal_event_t *out) {
  bool has_event = seal_poll(seal, f.now_us, out);
  if (has_event && (out->peer == 0 || out->size > SEAL_REQUEST_BYTES || (out->size > 0 && !out->bytes)))
    reader_fail("an event of kind %d with %zu bytes", (int)out->kind, out->size);
  return has_event;
}

// Receives a datagram of this type. Returns its size, or 0 if none has arrived.
static size_t receive(seal_type_t type, uint8_t *out) {
  link_address_t from;
  size_t size;
  while ((size = link_receive(&f.outside, f.now_us, &from, out)) > 0)
    if (out[0] == type)
      return size;
  return 0;
}

static bool try_datagram(const uint8_t *data, size_t size) {
  seal_event_t event;
  seal_counts_t before = seal_get_counts(f.host);
  if (size == 0 || size > LINK_DATAGRAM_BYTES)
    return false;
  link_send(&f.outside, f.now_us, &f.host_address, data, size);
  if (poll_seal(f.host, &event))
    reader_fail("a datagram without a cookie caused event %d", (int)event.kind);
  seal_counts_t after = seal_get_counts(f.host);
  if (after.exchanges != before.exchanges || after.openings != before.openings)
    reader_fail("a datagram without a cookie was decrypted");
  return after.handshakes > before.handshakes;
}

// Seals a body with a random nonce. Returns the size of the datagram `out`, whose first `head` bytes are set.
static size_t seal_body(const uint8_t *body, size_t size, const uint8_t *key, const uint8_t *associated,
                        size_t associated_size, size_t head, uint8_t *out) {
  uint8_t *nonce = out + head;
  randombytes_buf(nonce, SEAL_NONCE_BYTES);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + SEAL_NONCE_BYTES, NULL, body, size, associated, associated_size,
                                             NULL, nonce, key);
  return head + SEAL_NONCE_BYTES + size + SEAL_TAG_BYTES;
}

static bool try_join(const uint8_t *data, size_t size) {
  uint8_t public_key[SEAL_KEY_BYTES], secret_key[SEAL_KEY_BYTES], keys[2][SEAL_KEY_BYTES];
  uint8_t out[LINK_DATAGRAM_BYTES] = {SEAL_TYPE_HELLO, SEAL_VERSION}, cookie[LINK_DATAGRAM_BYTES];
  size_t overhead = SEAL_JOIN_HEAD_BYTES + SEAL_NONCE_BYTES + SEAL_TAG_BYTES;
  seal_event_t event;
  if (size + overhead > LINK_DATAGRAM_BYTES)
    return false;
  crypto_kx_keypair(public_key, secret_key);
  memcpy(out + 4, public_key, SEAL_KEY_BYTES);
  link_send(&f.outside, f.now_us, &f.host_address, out, SEAL_HELLO_BYTES);
  poll_seal(f.host, &event);
  if (receive(SEAL_TYPE_COOKIE, cookie) != SEAL_COOKIE_MESSAGE_BYTES)
    reader_fail("no cookie");
  if (crypto_kx_client_session_keys(keys[0], keys[1], public_key, secret_key, seal_get_key(f.host)) != 0)
    reader_fail("the host's key is invalid");
  out[0] = SEAL_TYPE_JOIN;
  memcpy(out + 36, cookie + 72, SEAL_COOKIE_BYTES);
  size = seal_body(data, size, keys[1], out, SEAL_JOIN_HEAD_BYTES, SEAL_JOIN_HEAD_BYTES, out);
  link_send(&f.outside, f.now_us, &f.host_address, out, size);
  if (!poll_seal(f.host, &event))
    return false;
  if (event.kind != SEAL_EVENT_REQUEST)
    reader_fail("a JOIN caused event %d", (int)event.kind);
  seal_accept(f.host, f.now_us, event.peer, event.bytes, event.size);
  seal_close(f.host, f.now_us, event.peer, 0);
  return true;
}

static bool try_answer(const uint8_t *data, size_t size) {
  uint8_t public_key[SEAL_KEY_BYTES], secret_key[SEAL_KEY_BYTES], keys[2][SEAL_KEY_BYTES];
  uint8_t out[LINK_DATAGRAM_BYTES] = {SEAL_TYPE_COOKIE}, in[LINK_DATAGRAM_BYTES], head[4 + SEAL_KEY_BYTES];
  seal_event_t event = {0};
  if (size + 4 + SEAL_NONCE_BYTES + SEAL_TAG_BYTES > LINK_DATAGRAM_BYTES)
    return false;
  uint32_t peer = seal_join(f.joiner, f.now_us, &f.outside_address, NULL, "join", 4, NULL);
  if (peer == 0 || receive(SEAL_TYPE_HELLO, in) != SEAL_HELLO_BYTES)
    reader_fail("no HELLO");
  crypto_kx_keypair(public_key, secret_key);
  memcpy(out + 1, in + 36, 3);
  memcpy(head + 1, in + 36, 3);
  out[4] = SEAL_VERSION;
  memcpy(out + 8, in + 4, SEAL_KEY_BYTES);
  memcpy(out + 40, public_key, SEAL_KEY_BYTES);
  link_send(&f.outside, f.now_us, &f.joiner_address, out, SEAL_COOKIE_MESSAGE_BYTES);
  poll_seal(f.joiner, &event);
  if (receive(SEAL_TYPE_JOIN, in) < SEAL_JOIN_MIN_BYTES)
    reader_fail("no JOIN");
  if (crypto_kx_server_session_keys(keys[0], keys[1], public_key, secret_key, in + 4) != 0)
    reader_fail("the joiner's key is invalid");
  out[0] = head[0] = SEAL_TYPE_ANSWER;
  memcpy(head + 4, in + 4, SEAL_KEY_BYTES);
  size = seal_body(data, size, keys[1], head, sizeof head, SEAL_ANSWER_HEAD_BYTES, out);
  link_send(&f.outside, f.now_us, &f.joiner_address, out, size);
  bool has_event = poll_seal(f.joiner, &event);
  if (has_event && event.kind != SEAL_EVENT_CONNECTED && event.kind != SEAL_EVENT_REFUSED)
    reader_fail("an ANSWER caused event %d", (int)event.kind);
  seal_close(f.joiner, f.now_us, peer, 0);
  return has_event;
}

// --- streams

static size_t write_stream(stream_o *s, int64_t now_us, uint64_t *number, uint8_t *out) {
  size_t size = stream_write(s, now_us, ++*number, "input", 5, out);
  if (size == 0 || size > SEAL_PAYLOAD_BYTES)
    reader_fail("a datagram of %zu bytes", size);
  return size;
}

static stream_o *create_stream(uint64_t *number) {
  stream_o *s = stream_create(&(stream_desc_t){.buffer_bytes = STREAM_MIN_BUFFER_BYTES});
  static uint8_t message[5000], out[SEAL_PAYLOAD_BYTES];
  for (uint32_t i = 0; i < 4; ++i)
    stream_push(s, message, sizeof message);
  for (int64_t now_us = 0; now_us < 100000; now_us += 10000)
    write_stream(s, now_us, number, out);
  return s;
}

// Copies the datagram, so that AddressSanitizer catches reads past its end.
static bool read_datagram(stream_o *s, int64_t now_us, uint64_t number, const uint8_t *data, size_t size) {
  const uint8_t *unreliable;
  size_t unreliable_size;
  uint8_t *exact = malloc(size ? size : 1);
  if (size > 0)
    memcpy(exact, data, size);
  bool ok = stream_read(s, now_us, number, exact, size, &unreliable, &unreliable_size, NULL);
  if (unreliable_size > STREAM_UNRELIABLE_BYTES || unreliable_size > size || (unreliable_size > 0 && !unreliable))
    reader_fail("an unreliable part of %zu bytes", unreliable_size);
  for (size_t i = 0; i < unreliable_size; ++i)
    reader_state += unreliable[i]; // read every byte
  free(exact);
  return ok;
}

static bool try_stream(const uint8_t *data, size_t size) {
  uint8_t out[SEAL_PAYLOAD_BYTES];
  uint64_t written = 0, read = 0, state = reader_state;
  stream_o *s = create_stream(&written);
  int64_t now_us = 100000;
  bool ok = size >= 2;
  for (size_t at = 0, length; ok && at < size && read < MAX_DATAGRAMS; at += length, now_us += 20000) {
    if (size - at < 2)
      ok = false;
    length = ok ? data[at] | (size_t)data[at + 1] << 8 : 0;
    at += ok ? 2 : 0;
    if (!ok || length > size - at || length > SEAL_PAYLOAD_BYTES) {
      ok = false;
      break;
    }
    ok = read_datagram(s, now_us, ++read, data + at, length);
    for (size_t message_size; stream_pop(s, &message_size) != NULL;)
      if (message_size == 0 || message_size > STREAM_MESSAGE_BYTES)
        reader_fail("a message of %zu bytes", message_size);
    for (uint32_t i = 0; i < 4 && stream_has_work(s, now_us); ++i)
      write_stream(s, now_us, &written, out);
    write_stream(s, now_us, &written, out);
  }
  stream_status_t status = stream_get_status(s);
  if (status.waiting_bytes > STREAM_MIN_BUFFER_BYTES || status.in_flight_bytes > (1u << 24))
    reader_fail("%u bytes wait, %u are in flight", status.waiting_bytes, status.in_flight_bytes);
  stream_destroy(s);
  reader_state = state;
  return ok;
}

// --- the fuzzer

// Adds a seed of datagrams that a peer would send to a stream in the state of try_stream.
static void seed_stream(void) {
  static uint8_t seed[8192] = {3};
  size_t at = 1, size;
  uint64_t numbers[2] = {0, 0};
  stream_o *near = create_stream(&numbers[0]), *far = stream_create(&(stream_desc_t){0});
  stream_push(far, "a message", 9);
  for (uint32_t i = 0; i < 5; ++i) {
    uint8_t out[SEAL_PAYLOAD_BYTES];
    stream_push(far, seed, 300 + i * 200);
    size = write_stream(far, 100000 + i * 20000, &numbers[1], out);
    seed[at] = (uint8_t)size;
    seed[at + 1] = (uint8_t)(size >> 8);
    memcpy(seed + at + 2, out, size);
    at += 2 + size;
    reader_seed(seed, at);
    size = write_stream(near, 100000 + i * 20000, &numbers[0], out);
    read_datagram(far, 100000 + i * 20000, numbers[0], out, size);
  }
  stream_destroy(near);
  stream_destroy(far);
}

static void reader_setup(void) {
  uint8_t hello[1 + SEAL_HELLO_BYTES] = {0, SEAL_TYPE_HELLO, SEAL_VERSION}, body[512] = {1};
  f.sim = link_sim_create(1, &(link_sim_conditions_t){0});
  f.now_us = 1000000;
  f.host_address = link_address_from_ipv4(1, 1);
  f.joiner_address = link_address_from_ipv4(2, 1);
  f.outside_address = link_address_from_ipv4(3, 1);
  f.outside = link_sim_add(f.sim, &f.outside_address);
  f.host = seal_create(&(seal_desc_t){.link = link_sim_add(f.sim, &f.host_address), .is_host = true}, NULL);
  f.joiner = seal_create(&(seal_desc_t){.link = link_sim_add(f.sim, &f.joiner_address)}, NULL);
  if (!f.host || !f.joiner)
    reader_fail("libsodium cannot start");
  reader_seed(hello, sizeof hello);
  seal_write_join(&(seal_join_t){77, (const uint8_t *)"let me in", 9}, body + 1, 421);
  reader_seed(body, 422);
  uint8_t key[SEAL_KEY_BYTES] = {9};
  for (seal_answer_t kind = SEAL_ANSWER_ACCEPT; kind <= SEAL_ANSWER_REFUSE; ++kind) {
    seal_answer_message_t answer = {kind, 5, key, (const uint8_t *)"welcome", 7};
    body[0] = 2;
    reader_seed(body, 1 + seal_write_answer(&answer, body + 1));
  }
  seed_stream();
}

static bool reader_try(const uint8_t *data, size_t size) {
  uint8_t unused[LINK_DATAGRAM_BYTES];
  if (size == 0)
    return false;
  f.now_us += 1000000; // beyond all rate limits
  while (receive(SEAL_TYPE_NONE, unused) > 0) {
  }
  switch (data[0]) {
  case 0: return try_datagram(data + 1, size - 1);
  case 1: return try_join(data + 1, size - 1);
  case 2: return try_answer(data + 1, size - 1);
  case 3: return try_stream(data + 1, size - 1);
  default: return false;
  }
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)room;
  if (size > 3 && data[0] == 3 && reader_random_below(2)) { // one datagram, with the right size
    size = size < 3 + SEAL_PAYLOAD_BYTES ? size : 3 + SEAL_PAYLOAD_BYTES;
    data[1] = (uint8_t)(size - 3);
    data[2] = (uint8_t)((size - 3) >> 8);
  }
  return size;
}

static void reader_teardown(void) {
  seal_destroy(f.host);
  seal_destroy(f.joiner);
  link_sim_destroy(f.sim);
}
