// Sealed sessions: handshake, replayed, cut and forged datagrams, floods, and lossy networks.
// slow: takes seconds under the sanitizers
#include "link/link_sim.h"
#include "link/network_limit.h"
#include "link/seal.h"

#include "base/random.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TAPPED 4096u

typedef struct datagram_t {
  link_address_t other; // recipient of a sent datagram, sender of an injected one
  size_t size;
  uint8_t bytes[LINK_DATAGRAM_BYTES];
} datagram_t;

// A link that records what is sent, can hold it back, and can inject datagrams from any address.
typedef struct tap_t {
  link_t inner;
  bool is_blocked; // sent datagrams are recorded, but do not arrive
  datagram_t *sent, *injected;
  uint32_t sent_count, injected_count, injected_at;
} tap_t;

static bool tap_send(void *context, int64_t now_us, const link_address_t *to, const void *bytes, size_t size) {
  tap_t *tap = context;
  datagram_t *copy = &tap->sent[tap->sent_count++ % MAX_TAPPED];
  copy->other = *to;
  copy->size = size;
  memcpy(copy->bytes, bytes, size);
  return tap->is_blocked || link_send(&tap->inner, now_us, to, bytes, size);
}

static size_t tap_receive(void *context, int64_t now_us, link_address_t *from, uint8_t *out) {
  tap_t *tap = context;
  if (tap->injected_at == tap->injected_count)
    return link_receive(&tap->inner, now_us, from, out);
  const datagram_t *datagram = &tap->injected[tap->injected_at++];
  *from = datagram->other;
  memcpy(out, datagram->bytes, datagram->size);
  return datagram->size;
}

static void inject(tap_t *tap, const link_address_t *from, const void *bytes, size_t size) {
  if (tap->injected_at == tap->injected_count)
    tap->injected_at = tap->injected_count = 0;
  assert_true(tap->injected_count < MAX_TAPPED);
  datagram_t *datagram = &tap->injected[tap->injected_count++];
  datagram->other = *from;
  datagram->size = size;
  memcpy(datagram->bytes, bytes, size);
}

static const datagram_t *last_sent(const tap_t *tap) {
  return &tap->sent[(tap->sent_count - 1) % MAX_TAPPED];
}

typedef struct side_t {
  tap_t tap;
  link_address_t address;
  seal_o *seal;
  seal_event_t last;                 // last event that is not data
  uint8_t bytes[SEAL_PAYLOAD_BYTES]; // payload of the last event
  uint32_t peer, counts[SEAL_EVENT_TIMEOUT + 1];
  uint64_t data_bytes, last_sequence;
} side_t;

typedef struct fixture_t {
  link_sim_o *sim;
  int64_t now_us;
  bool accepts; // the host accepts requests immediately
  bool refuses; // the host refuses requests immediately, unless it accepts them
  side_t host, joiner;
} fixture_t;

static void side_init(fixture_t *f, side_t *side, uint32_t ip, bool is_host, uint32_t max_peers) {
  error_info_t error = {0};
  side->address = link_address_from_ipv4(ip, 4711);
  side->tap.inner = link_sim_add(f->sim, &side->address);
  side->tap.sent = calloc(MAX_TAPPED, sizeof *side->tap.sent);
  side->tap.injected = calloc(MAX_TAPPED, sizeof *side->tap.injected);
  side->seal = seal_create(
      &(seal_desc_t){.link = {&side->tap, tap_send, tap_receive, NULL}, .is_host = is_host, .max_peers = max_peers},
      &error);
  assert_non_null(side->seal);
}

static void side_fini(side_t *side) {
  seal_destroy(side->seal);
  free(side->tap.sent);
  free(side->tap.injected);
}

static fixture_t *fixture_create(uint64_t seed, const char *conditions) {
  fixture_t *f = calloc(1, sizeof *f);
  link_sim_conditions_t c;
  error_info_t error = {0};
  assert_true(link_sim_parse(conditions, &c, &error));
  f->sim = link_sim_create(seed, &c);
  f->accepts = true;
  f->now_us = 1000000;
  side_init(f, &f->host, 0x0a000001, true, 0);
  side_init(f, &f->joiner, 0x0a000002, false, 0);
  return f;
}

static void fixture_free(fixture_t *f) {
  side_fini(&f->host);
  side_fini(&f->joiner);
  link_sim_destroy(f->sim);
  free(f);
}

static void poll_side(fixture_t *f, side_t *side) {
  seal_event_t event;
  while (seal_poll(side->seal, f->now_us, &event)) {
    ++side->counts[event.kind];
    if (event.size > 0)
      memcpy(side->bytes, event.bytes, event.size);
    if (event.kind == SEAL_EVENT_DATA) {
      side->data_bytes += event.size;
      side->last_sequence = event.sequence;
      continue;
    }
    side->last = event;
    side->peer = event.kind == SEAL_EVENT_REQUEST || event.kind == SEAL_EVENT_CONNECTED ? event.peer : 0;
    if (event.kind == SEAL_EVENT_REQUEST && f->accepts)
      seal_accept(side->seal, f->now_us, event.peer, "welcome", 7);
    else if (event.kind == SEAL_EVENT_REQUEST && f->refuses)
      seal_refuse(side->seal, f->now_us, event.peer, "full", 4);
  }
}

static void run_for(fixture_t *f, int64_t us) {
  for (int64_t end_us = f->now_us + us; f->now_us < end_us; f->now_us += 10000) {
    poll_side(f, &f->host);
    poll_side(f, &f->joiner);
  }
}

static void join(fixture_t *f, const char *request) {
  error_info_t error = {0};
  assert_true(seal_join(f->joiner.seal, f->now_us, &f->host.address, NULL, request, strlen(request), &error) > 0);
}

static fixture_t *connected_fixture(void) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  join(f, "let me in");
  run_for(f, 200000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_CONNECTED);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_CONNECTED);
  return f;
}

// --- handshake

TEST(join_carries_a_request_and_a_reply) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  f->accepts = false;
  join(f, "let me in");
  run_for(f, 100000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_REQUEST);
  assert_int_equal(f->host.last.size, 9);
  assert_memory_equal(f->host.bytes, "let me in", 9);
  assert_true(link_address_equals(&f->host.last.address, &f->joiner.address));
  assert_int_equal(seal_get_next_sequence(f->host.seal, f->host.peer), 0);
  seal_accept(f->host.seal, f->now_us, f->host.peer, "welcome", 7);
  run_for(f, 100000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_CONNECTED);
  assert_int_equal(f->joiner.last.size, 7);
  assert_memory_equal(f->joiner.bytes, "welcome", 7);
  assert_int_equal(f->host.counts[SEAL_EVENT_CONNECTED], 1);
  fixture_free(f);
}

TEST(host_may_decide_after_minutes) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  f->accepts = false;
  join(f, "");
  run_for(f, 180000000);
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_NONE);
  seal_accept(f->host.seal, f->now_us, f->host.peer, NULL, 0);
  run_for(f, 200000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_CONNECTED);
  fixture_free(f);
}

TEST(refusal_carries_the_reason) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  f->accepts = false;
  join(f, "old version");
  run_for(f, 100000);
  seal_refuse(f->host.seal, f->now_us, f->host.peer, "the game is version 2", 21);
  run_for(f, 100000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_REFUSED);
  assert_memory_equal(f->joiner.bytes, "the game is version 2", 21);
  run_for(f, 12000000); // the host forgets the peer without an event
  assert_int_equal(f->host.last.kind, SEAL_EVENT_REQUEST);
  fixture_free(f);
}

TEST(host_with_a_different_key_is_refused) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  error_info_t error = {0};
  uint8_t key[SEAL_KEY_BYTES];
  memcpy(key, seal_get_key(f->host.seal), sizeof key);
  seal_join(f->joiner.seal, f->now_us, &f->host.address, key, "a", 1, &error);
  run_for(f, 200000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_CONNECTED);
  seal_close(f->joiner.seal, f->now_us, f->joiner.peer, 0);
  key[3] ^= 1;
  seal_join(f->joiner.seal, f->now_us, &f->host.address, key, "a", 1, &error);
  run_for(f, 200000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_REFUSED);
  assert_non_null(strstr((const char *)f->joiner.bytes, "not the expected key"));
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  fixture_free(f);
}

static bool refuse_host(void *context, const link_address_t *address, const uint8_t *key, uint8_t *request) {
  fixture_t *f = context;
  (void)request;
  assert_true(link_address_equals(address, &f->host.address));
  assert_memory_equal(key, seal_get_key(f->host.seal), SEAL_KEY_BYTES);
  return false;
}

TEST(joiner_can_refuse_a_host_before_its_request_is_sent) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  seal_destroy(f->joiner.seal);
  f->joiner.seal = seal_create(&(seal_desc_t){.link = {&f->joiner.tap, tap_send, tap_receive, NULL},
                                              .check_host = refuse_host,
                                              .check_context = f},
                               NULL);
  join(f, "a");
  run_for(f, 200000);
  assert_int_equal(f->joiner.counts[SEAL_EVENT_REFUSED], 1);
  assert_non_null(strstr((const char *)f->joiner.bytes, "not the expected key"));
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 0);
  fixture_free(f);
}

static bool write_key(void *context, const link_address_t *address, const uint8_t *key, uint8_t *request) {
  (void)context, (void)address;
  request[1] = key[0];
  return true;
}

TEST(joiner_can_complete_its_request_once_it_has_the_hosts_key) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  seal_destroy(f->joiner.seal);
  f->joiner.seal =
      seal_create(&(seal_desc_t){.link = {&f->joiner.tap, tap_send, tap_receive, NULL}, .check_host = write_key}, NULL);
  join(f, "a?c");
  run_for(f, 200000);
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  assert_int_equal(f->host.bytes[0], 'a');
  assert_int_equal(f->host.bytes[1], seal_get_key(f->host.seal)[0]);
  assert_int_equal(f->host.bytes[2], 'c');
  fixture_free(f);
}

TEST(key_is_determined_by_its_seed) {
  uint8_t secret[SEAL_KEY_BYTES] = {1, 2, 3};
  seal_o *seals[3];
  for (uint32_t i = 0; i < 3; ++i)
    seals[i] = seal_create(&(seal_desc_t){.secret_seed = i < 2 ? secret : NULL}, NULL);
  assert_memory_equal(seal_get_key(seals[0]), seal_get_key(seals[1]), SEAL_KEY_BYTES);
  assert_memory_not_equal(seal_get_key(seals[0]), seal_get_key(seals[2]), SEAL_KEY_BYTES);
  for (uint32_t i = 0; i < 3; ++i)
    seal_destroy(seals[i]);
}

TEST(different_protocol_version_is_named) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  f->host.tap.is_blocked = true;
  join(f, "a");
  run_for(f, 50000);
  datagram_t cookie = *last_sent(&f->host.tap);
  assert_int_equal(cookie.bytes[0], SEAL_TYPE_COOKIE);
  cookie.bytes[4] = 9;
  inject(&f->joiner.tap, &f->host.address, cookie.bytes, cookie.size);
  run_for(f, 10000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_REFUSED);
  assert_non_null(strstr((const char *)f->joiner.bytes, "link protocol is 9"));
  fixture_free(f);
}

TEST(answers_are_never_longer_than_their_requests) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  f->accepts = false;
  join(f, "a");
  for (uint32_t i = 0; i < 40 && f->host.last.kind != SEAL_EVENT_REQUEST; ++i)
    run_for(f, 10000);
  static char reply[300];
  memset(reply, 'x', sizeof reply);
  seal_accept(f->host.seal, f->now_us, f->host.peer, reply, sizeof reply);
  f->joiner.tap.is_blocked = true; // only injected packets arrive after this line
  for (uint32_t i = 0; i < f->joiner.tap.sent_count; ++i) {
    const datagram_t *question = &f->joiner.tap.sent[i];
    uint32_t before = f->host.tap.sent_count;
    f->now_us += 1000000;
    inject(&f->host.tap, &f->joiner.address, question->bytes, question->size);
    poll_side(f, &f->host);
    assert_true(f->host.tap.sent_count <= before + 1);
    if (f->host.tap.sent_count > before)
      assert_true(last_sent(&f->host.tap)->size <= question->size);
  }
  run_for(f, 100000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_CONNECTED);
  assert_int_equal(f->joiner.last.size, SEAL_REPLY_BYTES); // the rest is cut
  fixture_free(f);
}

TEST(cookie_is_valid_for_its_address_and_key_only) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  join(f, "a");
  f->accepts = false;
  for (uint32_t i = 0; i < 40 && last_sent(&f->joiner.tap)->bytes[0] != SEAL_TYPE_JOIN; ++i)
    run_for(f, 10000);
  datagram_t request = *last_sent(&f->joiner.tap);
  f->joiner.tap.is_blocked = true;
  link_sim_disconnect(f->sim, &f->joiner.address, true);
  run_for(f, 100000); // the datagram under way makes a request
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  seal_close(f->host.seal, f->now_us, f->host.peer, 0);
  uint64_t exchanges = seal_get_counts(f->host.seal).exchanges;
  link_address_t other = link_address_from_ipv4(0x0a000003, 4711);
  inject(&f->host.tap, &other, request.bytes, request.size); // a different address
  request.bytes[10] ^= 1;
  inject(&f->host.tap, &f->joiner.address, request.bytes, request.size); // a different key
  poll_side(f, &f->host);
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  assert_int_equal(seal_get_counts(f->host.seal).exchanges, exchanges); // no keys were exchanged
  fixture_free(f);
}

TEST(replayed_join_creates_no_second_request) {
  fixture_t *f = connected_fixture();
  datagram_t request = {0};
  for (uint32_t i = 0; i < f->joiner.tap.sent_count; ++i)
    if (f->joiner.tap.sent[i].bytes[0] == SEAL_TYPE_JOIN)
      request = f->joiner.tap.sent[i];
  seal_close(f->joiner.seal, f->now_us, f->joiner.peer, 7);
  run_for(f, 100000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_CLOSED);
  assert_int_equal(f->host.last.size, 1);
  assert_int_equal(f->host.bytes[0], 7); // reason for the refusal
  for (uint32_t i = 0; i < 100; ++i) {
    inject(&f->host.tap, &f->joiner.address, request.bytes, request.size);
    run_for(f, 1000000);
  }
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  assert_int_equal(seal_get_counts(f->host.seal).exchanges, 2); // the exchange of the first JOIN
  fixture_free(f);
}

TEST(requests_are_limited_per_address_and_in_total) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  f->accepts = false;
  for (uint32_t i = 0; i < 8; ++i)
    join(f, "a");
  error_info_t error = {0};
  assert_int_equal(seal_join(f->joiner.seal, f->now_us, &f->host.address, NULL, "a", 1, &error), 0);
  assert_non_null(strstr(error.text, "at most 8"));
  run_for(f, 3000000);
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], SEAL_MAX_WAITING_ADDRESS);
  static uint8_t long_request[SEAL_REQUEST_BYTES + 1];
  assert_int_equal(
      seal_join(f->joiner.seal, f->now_us, &f->host.address, NULL, long_request, sizeof long_request, &error), 0);
  fixture_free(f);
}

static fixture_t *refusing_fixture(uint32_t max_peers) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  f->accepts = false;
  f->refuses = true;
  seal_destroy(f->joiner.seal);
  f->joiner.seal =
      seal_create(&(seal_desc_t){.link = {&f->joiner.tap, tap_send, tap_receive, NULL}, .max_peers = max_peers}, NULL);
  return f;
}

TEST(refused_requests_do_not_count_as_waiting) {
  fixture_t *f = refusing_fixture(32);
  for (uint32_t i = 0; i < 32; ++i)
    join(f, "a");
  run_for(f, 500000);
  assert_int_equal(f->joiner.counts[SEAL_EVENT_REFUSED], 32);
  fixture_free(f);
}

TEST(lost_refusal_is_repeated) {
  fixture_t *f = refusing_fixture(8);
  join(f, "a");
  for (uint32_t i = 0; i < 40 && last_sent(&f->joiner.tap)->bytes[0] != SEAL_TYPE_JOIN; ++i)
    run_for(f, 10000);
  f->host.tap.is_blocked = true;
  run_for(f, 600000); // two copies of the refusal are lost
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  assert_int_equal(f->joiner.counts[SEAL_EVENT_REFUSED], 0);
  f->host.tap.is_blocked = false;
  run_for(f, 400000);
  assert_int_equal(f->joiner.counts[SEAL_EVENT_REFUSED], 1);
  assert_memory_equal(f->joiner.bytes, "full", 4);
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  fixture_free(f);
}

// Makes a JOIN with a new key and a valid cookie for an address. Returns false if the host computes no cookie.
static bool make_join(fixture_t *f, const link_address_t *from, datagram_t *out) {
  error_info_t error = {0};
  uint32_t answers = f->host.tap.sent_count;
  bool was_blocked = f->joiner.tap.is_blocked;
  f->joiner.tap.is_blocked = true;
  uint32_t peer = seal_join(f->joiner.seal, f->now_us, &f->host.address, NULL, "a", 1, &error);
  assert_true(peer > 0);
  inject(&f->host.tap, from, last_sent(&f->joiner.tap)->bytes, last_sent(&f->joiner.tap)->size);
  poll_side(f, &f->host);
  bool has_cookie = f->host.tap.sent_count > answers;
  if (has_cookie) {
    inject(&f->joiner.tap, &f->host.address, last_sent(&f->host.tap)->bytes, last_sent(&f->host.tap)->size);
    poll_side(f, &f->joiner);
    *out = *last_sent(&f->joiner.tap);
    assert_int_equal(out->bytes[0], SEAL_TYPE_JOIN);
  }
  seal_close(f->joiner.seal, f->now_us, peer, 0);
  f->joiner.tap.is_blocked = was_blocked;
  return has_cookie;
}

// Injects a JOIN. Returns true if it is a new request.
static bool is_new_request(fixture_t *f, const link_address_t *from, const datagram_t *request) {
  uint32_t before = f->host.counts[SEAL_EVENT_REQUEST];
  inject(&f->host.tap, from, request->bytes, request->size);
  poll_side(f, &f->host);
  return f->host.counts[SEAL_EVENT_REQUEST] > before;
}

TEST(flood_of_requests_from_one_address_refuses_no_others) {
  fixture_t *f = refusing_fixture(8);
  enum { FLOOD = 400, OTHERS = 50 };
  static datagram_t flood[FLOOD];
  uint32_t count = 0, passed = 0;
  link_address_t attacker = link_address_from_ipv4(0x0a000009, 1);
  for (uint32_t tick = 0; tick < 1000; ++tick, f->now_us += 10000) { // ten seconds
    if (count < FLOOD && make_join(f, &attacker, &flood[count]))
      ++count;
    // JOINs that were dropped stay valid, and refused ones are repeated. SEAL_MAX_COOKIE_CHECKS allows 200 in 10 ms.
    for (uint32_t i = count > 150 ? count - 150 : 0; i < count; ++i)
      passed += is_new_request(f, &attacker, &flood[i]);
    datagram_t request;
    link_address_t other = link_address_from_ipv4(0x0b000000 + tick % OTHERS, 4711);
    if (tick % 20 != 0)
      continue;
    assert_true(make_join(f, &other, &request));
    assert_true(is_new_request(f, &other, &request));
  }
  assert_int_equal(count, FLOOD);
  assert_in_range(passed, SEAL_MAX_ADDRESS_EXCHANGES * 9,
                  SEAL_ADDRESS_EXCHANGE_BURST + SEAL_MAX_ADDRESS_EXCHANGES * 10);
  fixture_free(f);
}

// Owners of many addresses: of an IPv4 /24, of an IPv4 /16, or of an IPv6 /48.
typedef enum owner_t { OWNER_OF_NETWORK, OWNER_OF_REGION, OWNER_OF_IPV6_REGION, OWNER_COUNT } owner_t;

// Returns one of the owner's addresses. Different numbers below 256 give different addresses.
static link_address_t get_owned_address(owner_t owner, uint32_t number) {
  link_address_t address = {.ip = {0x20, 1, 0x0d, 0xb8, 0, 1, (uint8_t)(number >> 8), (uint8_t)number, [15] = 1}};
  if (owner != OWNER_OF_IPV6_REGION) // consecutive numbers of a region are in different networks
    address = link_address_from_ipv4(0x0a320000 + (owner == OWNER_OF_REGION ? number % 256 << 8 : number % 256), 1);
  address.port = 4711;
  return address;
}

TEST(requests_from_all_addresses_of_one_owner_leave_places_for_other_owners) {
  static const uint32_t MAX_WAITING[OWNER_COUNT] = {SEAL_MAX_WAITING_NETWORK, SEAL_MAX_WAITING_REGION,
                                                    SEAL_MAX_WAITING_REGION};
  for (owner_t owner = 0; owner < OWNER_COUNT; ++owner) {
    fixture_t *f = refusing_fixture(32);
    datagram_t request;
    uint32_t count = 0;
    f->refuses = false;
    seal_destroy(f->host.seal);
    f->host.seal = seal_create(&(seal_desc_t){.link = {&f->host.tap, tap_send, tap_receive, NULL},
                                              .is_host = true,
                                              .max_peers = SEAL_MAX_PEERS},
                               NULL);
    for (uint32_t i = 0; i < 4 * SEAL_MAX_WAITING; ++i, f->now_us += 1000) {
      link_address_t from = get_owned_address(owner, i % 16);
      assert_true(make_join(f, &from, &request));
      count += is_new_request(f, &from, &request);
    }
    assert_int_equal(count, MAX_WAITING[owner]);
    link_address_t other = link_address_from_ipv4(0x0b000001, 4711);
    assert_true(make_join(f, &other, &request));
    assert_true(is_new_request(f, &other, &request));
    fixture_free(f);
  }
}

TEST(requests_from_all_addresses_of_one_owner_leave_key_exchanges_for_other_owners) {
  for (owner_t owner = 0; owner < OWNER_COUNT; ++owner) {
    fixture_t *f = refusing_fixture(8);
    uint32_t passed = 0, others = 0;
    for (uint32_t tick = 0; tick < 300; ++tick, f->now_us += 10000) { // three seconds
      datagram_t request;
      for (uint32_t i = 0; i < 4; ++i) { // twice as many as the limit of all senders
        link_address_t from = get_owned_address(owner, tick * 4 + i);
        assert_true(make_join(f, &from, &request));
        passed += is_new_request(f, &from, &request);
      }
      link_address_t other = link_address_from_ipv4(0x0b000000 + tick, 4711);
      if (tick % 10 != 9)
        continue;
      assert_true(make_join(f, &other, &request));
      others += is_new_request(f, &other, &request);
    }
    assert_int_equal(others, 30);
    assert_in_range(passed, 100, 3 * SEAL_MAX_REGION_EXCHANGES + 40);
    fixture_free(f);
  }
}

TEST(replayed_joins_are_dropped_after_the_maximum_number_of_requests) {
  fixture_t *f = refusing_fixture(8);
  datagram_t first[2], request;
  link_address_t from = link_address_from_ipv4(0x0a000009, 1);
  f->now_us = 30000000; // an epoch of cookies begins
  assert_true(make_join(f, &from, &first[0]));
  assert_true(is_new_request(f, &from, &first[0]));
  uint32_t requests = 0;
  for (uint32_t i = 0; i < 60 * SEAL_MAX_EXCHANGES - 400; ++i, f->now_us += 1000000 / SEAL_MAX_EXCHANGES) {
    link_address_t other =
        link_address_from_ipv4(0x0b000000 + (i % 64 << 16) + i, 4711); // the requests come from 64 regions
    assert_true(make_join(f, &other, &request));
    requests += is_new_request(f, &other, &request);
    if (i == 0)
      first[1] = request;
  }
  assert_true(requests > 58 * SEAL_MAX_EXCHANGES - 400);
  assert_false(is_new_request(f, &from, &first[0])); // its cookie is still valid
  from = link_address_from_ipv4(0x0b000000, 4711);
  assert_false(is_new_request(f, &from, &first[1]));
  fixture_free(f);
}

TEST(longest_request_is_carried) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  static uint8_t request[SEAL_REQUEST_BYTES];
  for (uint32_t i = 0; i < sizeof request; ++i)
    request[i] = (uint8_t)(i * 7);
  f->accepts = false;
  assert_true(seal_join(f->joiner.seal, f->now_us, &f->host.address, NULL, request, sizeof request, NULL) > 0);
  run_for(f, 100000);
  assert_int_equal(f->host.last.size, sizeof request);
  assert_memory_equal(f->host.bytes, request, sizeof request);
  fixture_free(f);
}

TEST(only_hosts_answer) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  assert_true(seal_join(f->host.seal, f->now_us, &f->joiner.address, NULL, "a", 1, NULL) > 0);
  run_for(f, 11000000);
  assert_int_equal(f->joiner.tap.sent_count, 0);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_TIMEOUT);
  fixture_free(f);
}

// --- sessions

TEST(payloads_arrive_with_their_sequence_numbers) {
  fixture_t *f = connected_fixture();
  static uint8_t payload[SEAL_PAYLOAD_BYTES];
  memset(payload, 'p', sizeof payload);
  for (uint32_t i = 0; i < 100; ++i) {
    uint64_t sequence = seal_get_next_sequence(f->host.seal, f->host.peer);
    assert_true(seal_send(f->host.seal, f->now_us, f->host.peer, payload, 1 + i * 11 % sizeof payload));
    run_for(f, 30000);
    assert_int_equal(f->joiner.last_sequence, sequence);
    assert_int_equal(f->joiner.counts[SEAL_EVENT_DATA], i + 1);
  }
  assert_true(seal_send(f->joiner.seal, f->now_us, f->joiner.peer, payload, sizeof payload));
  run_for(f, 30000);
  assert_int_equal(f->host.data_bytes, sizeof payload);
  assert_memory_equal(f->host.bytes, payload, sizeof payload);
  assert_false(seal_send(f->joiner.seal, f->now_us, f->joiner.peer + 64, payload, 1)); // unknown peer
  fixture_free(f);
}

TEST(counts_of_a_session_show_traffic_and_loss) {
  fixture_t *f = connected_fixture();
  link_sim_conditions_t lossy = {.round_trip_us = 20000, .loss = 0.25};
  seal_session_counts_t sent, received;
  link_address_t address;
  link_sim_set_conditions(f->sim, &lossy);
  for (uint32_t i = 0; i < 1000; ++i) {
    assert_true(seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "position", 8));
    run_for(f, 10000);
  }
  assert_true(seal_get_session_counts(f->joiner.seal, f->joiner.peer, &sent));
  assert_true(seal_get_session_counts(f->host.seal, f->host.peer, &received));
  assert_in_range(sent.sent, 1000, 1020); // number of datagrams, including keepalives
  assert_in_range(sent.sent_bytes, 1000 * (8 + SEAL_DATA_HEAD_BYTES + SEAL_TAG_BYTES),
                  1020 * (8 + SEAL_DATA_HEAD_BYTES + SEAL_TAG_BYTES));
  assert_in_range(received.highest, sent.sent - 20, sent.sent);
  assert_in_range(received.received * 100 / received.highest, 70, 80);
  assert_in_range(received.received_bytes * 100 / sent.sent_bytes, 70, 80);
  assert_true(seal_get_address(f->host.seal, f->host.peer, &address));
  assert_true(link_address_equals(&address, &f->joiner.address));
  assert_false(seal_get_session_counts(f->host.seal, f->host.peer + 1, &received));
  assert_false(seal_get_address(f->host.seal, 0, &address));
  fixture_free(f);
}

TEST(same_payload_is_never_sealed_to_the_same_bytes) {
  fixture_t *f = connected_fixture();
  seal_send(f->host.seal, f->now_us, f->host.peer, "the same payload", 16);
  datagram_t first = *last_sent(&f->host.tap);
  seal_send(f->host.seal, f->now_us, f->host.peer, "the same payload", 16);
  datagram_t second = *last_sent(&f->host.tap);
  while (seal_get_next_sequence(f->joiner.seal, f->joiner.peer) < seal_get_next_sequence(f->host.seal, f->host.peer))
    seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "the same payload", 16);
  datagram_t other = *last_sent(&f->joiner.tap); // has the same sequence number in the other direction
  assert_int_equal(first.size, 16 + SEAL_DATA_HEAD_BYTES + SEAL_TAG_BYTES);
  assert_memory_equal(other.bytes + 4, second.bytes + 4, 4);
  assert_memory_not_equal(first.bytes + SEAL_DATA_HEAD_BYTES, second.bytes + SEAL_DATA_HEAD_BYTES, 16);
  assert_memory_not_equal(other.bytes + SEAL_DATA_HEAD_BYTES, second.bytes + SEAL_DATA_HEAD_BYTES, 16);
  assert_memory_not_equal(first.bytes + SEAL_DATA_HEAD_BYTES, "the same payload", 16);
  fixture_free(f);
}

TEST(replayed_datagrams_are_dropped) {
  fixture_t *f = connected_fixture();
  uint32_t first = f->joiner.tap.sent_count;
  for (uint32_t i = 0; i < 50; ++i)
    seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "once", 4);
  run_for(f, 50000);
  for (uint32_t i = 0; i < 50; ++i)
    inject(&f->host.tap, &f->joiner.address, f->joiner.tap.sent[first + i].bytes, f->joiner.tap.sent[first + i].size);
  run_for(f, 50000);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], 50);
  seal_counts_t counts = seal_get_counts(f->host.seal);
  assert_int_equal(counts.replayed, 50);
  assert_int_equal(counts.openings, counts.opened); // dropped before they were opened
  fixture_free(f);
}

TEST(truncated_and_changed_datagrams_are_dropped) {
  fixture_t *f = connected_fixture();
  uint8_t bytes[LINK_DATAGRAM_BYTES] = {0};
  f->joiner.tap.is_blocked = true;
  seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "a payload", 9);
  datagram_t sealed = *last_sent(&f->joiner.tap);
  for (size_t size = 1; size < sealed.size; ++size)
    inject(&f->host.tap, &f->joiner.address, sealed.bytes, size);
  for (size_t bit = 0; bit < sealed.size * 8; ++bit) {
    memcpy(bytes, sealed.bytes, sealed.size);
    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    inject(&f->host.tap, &f->joiner.address, bytes, sealed.size);
  }
  memcpy(bytes, sealed.bytes, sealed.size);
  inject(&f->host.tap, &f->joiner.address, bytes, sealed.size + 1); // a longer datagram
  link_address_t other = link_address_from_ipv4(0x0a000003, 4711);
  inject(&f->host.tap, &other, sealed.bytes, sealed.size); // sent from a different address
  run_for(f, 10000);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], 0);
  assert_int_equal(f->host.counts[SEAL_EVENT_CLOSED], 0);
  inject(&f->host.tap, &f->joiner.address, sealed.bytes, sealed.size); // unchanged: is accepted
  run_for(f, 10000);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], 1);
  fixture_free(f);
}

// Injects all shortened versions, and versions with one changed bit, of each datagram of a handshake.
TEST(truncated_and_changed_handshakes_are_dropped) {
  static const seal_type_t TYPES[] = {SEAL_TYPE_HELLO, SEAL_TYPE_COOKIE, SEAL_TYPE_JOIN, SEAL_TYPE_ANSWER};
  for (uint32_t type = 0; type < 4; ++type) {
    fixture_t *f = fixture_create(1, "0ms,0ms,0%");
    f->accepts = type != 2;
    side_t *from = type % 2 ? &f->host : &f->joiner, *to = type % 2 ? &f->joiner : &f->host;
    join(f, "a");
    for (uint32_t i = 0; i < 100 && last_sent(&from->tap)->bytes[0] != TYPES[type]; ++i, f->now_us += 10000) {
      poll_side(f, from == &f->joiner ? &f->joiner : &f->host);
      if (last_sent(&from->tap)->bytes[0] != TYPES[type])
        poll_side(f, to);
    }
    datagram_t sent = *last_sent(&from->tap);
    assert_int_equal(sent.bytes[0], TYPES[type]);
    uint8_t unused[LINK_DATAGRAM_BYTES];
    link_address_t unused_address;
    while (link_receive(&to->tap.inner, f->now_us, &unused_address, unused) > 0) { // the original is lost
    }
    for (size_t size = 1; size < sent.size; ++size)
      inject(&to->tap, &from->address, sent.bytes, size);
    for (size_t bit = 8; bit < sent.size * 8 && type > 0; bit += type == 2 ? 13 : 1) {
      datagram_t changed = sent;
      changed.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
      if (type != 1 || bit < 4 * 8 || (bit >= 8 * 8 && bit < 40 * 8)) // the rest of COOKIE is not authenticated
        inject(&to->tap, &from->address, changed.bytes, changed.size);
    }
    poll_side(f, to);
    assert_int_equal(to->counts[SEAL_EVENT_REQUEST] + to->counts[SEAL_EVENT_CONNECTED], 0);
    run_for(f, 3000000); // the handshake still succeeds
    assert_int_equal(to->counts[type == 2 ? SEAL_EVENT_REQUEST : SEAL_EVENT_CONNECTED], 1);
    fixture_free(f);
  }
}

TEST(sequence_far_ahead_is_accepted_and_earlier_ones_are_dropped) {
  fixture_t *f = connected_fixture();
  f->joiner.tap.is_blocked = true;
  seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "early", 5);
  datagram_t early = *last_sent(&f->joiner.tap);
  // A forged number far ahead must not move the window.
  datagram_t forged = early;
  forged.bytes[7] = 0x40;
  inject(&f->host.tap, &f->joiner.address, forged.bytes, forged.size);
  inject(&f->host.tap, &f->joiner.address, early.bytes, early.size);
  run_for(f, 10000);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], 1);
  seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "held", 4);
  datagram_t held = *last_sent(&f->joiner.tap);
  for (uint32_t i = 0; i < 100000; ++i)
    seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "lost", 4);
  f->joiner.tap.is_blocked = false;
  seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "far ahead", 9);
  run_for(f, 50000);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], 2);
  inject(&f->host.tap, &f->joiner.address, held.bytes, held.size);
  run_for(f, 50000);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], 2);
  fixture_free(f);
}

TEST(close_is_reported_and_invalidates_the_peer_number) {
  fixture_t *f = connected_fixture();
  uint32_t peer = f->host.peer;
  seal_close(f->joiner.seal, f->now_us, f->joiner.peer, 0);
  run_for(f, 50000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_CLOSED);
  assert_int_equal(f->host.counts[SEAL_EVENT_CLOSED], 1);
  assert_false(seal_send(f->host.seal, f->now_us, peer, "x", 1));
  join(f, "again");
  run_for(f, 200000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_CONNECTED);
  assert_int_not_equal(f->host.peer, peer);
  fixture_free(f);
}

TEST(idle_sessions_stay_alive_and_silent_sessions_time_out) {
  fixture_t *f = connected_fixture();
  run_for(f, 60000000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_CONNECTED);
  link_sim_disconnect(f->sim, &f->joiner.address, true);
  run_for(f, SEAL_TIMEOUT_US - 1500000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_CONNECTED);
  run_for(f, 2000000);
  assert_int_equal(f->host.last.kind, SEAL_EVENT_TIMEOUT);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_TIMEOUT);
  fixture_free(f);
}

TEST(attempt_to_join_a_missing_host_times_out) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  link_sim_disconnect(f->sim, &f->host.address, true);
  join(f, "a");
  run_for(f, SEAL_TIMEOUT_US + 100000);
  assert_int_equal(f->joiner.last.kind, SEAL_EVENT_TIMEOUT);
  assert_in_range(f->joiner.tap.sent_count, 90, 110);
  fixture_free(f);
}

// --- networks and floods

TEST(sessions_connect_over_bad_networks) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    char conditions[64];
    snprintf(conditions, sizeof conditions, "%ums,%ums,%u%%,5%%,5%%", (uint32_t)(seed % 300),
             (uint32_t)(seed % 300) / 3, (uint32_t)(seed % 41));
    fixture_t *f = fixture_create(seed, conditions);
    join(f, "let me in");
    for (uint32_t i = 0; i < 1000 && !(f->host.counts[SEAL_EVENT_CONNECTED] && f->joiner.counts[SEAL_EVENT_CONNECTED]);
         ++i)
      run_for(f, 10000);
    if (f->host.counts[SEAL_EVENT_CONNECTED] != 1 || f->joiner.counts[SEAL_EVENT_CONNECTED] != 1)
      fail_msg("seed %llu (%s) did not connect", (unsigned long long)seed, conditions);
    assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
    fixture_free(f);
  }
}

// Writes a junk datagram of one of several kinds. Returns its size.
static size_t make_junk(random_t *random, fixture_t *f, const datagram_t *sealed, link_address_t *from, uint8_t *out) {
  size_t size = 1 + random_u32(random) % LINK_DATAGRAM_BYTES;
  for (size_t i = 0; i + 4 <= LINK_DATAGRAM_BYTES; i += 4) {
    uint32_t number = random_u32(random);
    memcpy(out + i, &number, 4);
  }
  *from = link_address_from_ipv4(random_u32(random), (uint16_t)random_u32(random));
  switch (random_u32(random) % 6) {
  case 0: return size; // random bytes
  case 1: out[0] = SEAL_TYPE_HELLO; return SEAL_HELLO_BYTES;
  case 2: memcpy(out, (uint8_t[]){SEAL_TYPE_JOIN, SEAL_VERSION, 0, 0}, 4); return LINK_DATAGRAM_BYTES;
  case 3: memcpy(out, sealed->bytes, 4); return LINK_DATAGRAM_BYTES; // the id of a session, from a different address
  case 4: *from = f->joiner.address; return size;
  default: // the peer's address and the session's id, but not sealed by the peer
    *from = f->joiner.address;
    memcpy(out, sealed->bytes, 8);
    out[6] ^= 1;
    return LINK_DATAGRAM_BYTES;
  }
}

TEST(flood_costs_bounded_work_and_the_session_continues) {
  fixture_t *f = connected_fixture();
  random_t random;
  random_seed(&random, 3);
  uint8_t junk[LINK_DATAGRAM_BYTES];
  link_address_t from;
  seal_counts_t before = seal_get_counts(f->host.seal);
  for (uint32_t tick = 0; tick < 180; ++tick) { // three seconds of 100,000 datagrams each
    seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "input", 5);
    seal_send(f->host.seal, f->now_us, f->host.peer, "record", 6);
    datagram_t sealed = *last_sent(&f->joiner.tap);
    for (uint32_t i = 0; i < 1667; ++i) {
      size_t size = make_junk(&random, f, &sealed, &from, junk);
      inject(&f->host.tap, &from, junk, size);
    }
    f->now_us += 16667;
    poll_side(f, &f->host);
    poll_side(f, &f->host); // one call skips at most SEAL_MAX_RECEIVED datagrams
    poll_side(f, &f->joiner);
  }
  seal_counts_t after = seal_get_counts(f->host.seal);
  f->now_us += 20000;
  poll_side(f, &f->host);
  poll_side(f, &f->joiner);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], 180);
  assert_int_equal(f->joiner.counts[SEAL_EVENT_DATA], 180);
  assert_int_equal(f->host.counts[SEAL_EVENT_REQUEST], 1);
  assert_int_equal(after.exchanges, before.exchanges);
  assert_true(after.received - before.received > 290000);
  assert_true(after.cookies - before.cookies <= 4 * (SEAL_MAX_COOKIES + 2 * SEAL_MAX_COOKIE_CHECKS));
  assert_true(after.openings - before.openings <= 4 * SEAL_MAX_PEER_OPENINGS);
  assert_true(after.sent - before.sent <=
              4 * (SEAL_MAX_COOKIES + 2 * NETWORK_LIMIT_BUCKETS * NETWORK_LIMIT_PER_SECOND));
  assert_int_equal(after.received, after.malformed + after.unexpected + after.limited + after.replayed + after.forged +
                                       after.handshakes + after.opened);
  fixture_free(f);
}

TEST(forged_datagrams_of_one_session_are_limited) {
  fixture_t *f = connected_fixture();
  seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "input", 5);
  datagram_t forged = *last_sent(&f->joiner.tap);
  forged.bytes[5] = 1; // a later sequence number
  uint64_t before = seal_get_counts(f->host.seal).openings;
  for (uint32_t tick = 0; tick < 60; ++tick, f->now_us += 16667) { // 100,000 in a second
    for (uint32_t i = 0; i < 1667; ++i)
      inject(&f->host.tap, &f->joiner.address, forged.bytes, forged.size);
    poll_side(f, &f->host);
    poll_side(f, &f->host);
  }
  seal_counts_t counts = seal_get_counts(f->host.seal);
  assert_in_range(counts.openings - before, SEAL_MAX_PEER_OPENINGS / 2, SEAL_MAX_PEER_OPENINGS * 5 / 4 + 100);
  assert_true(counts.limited > 60000);
  fixture_free(f);
}

TEST(valid_datagrams_of_one_session_are_limited) {
  fixture_t *f = connected_fixture();
  for (uint32_t tick = 0; tick < 60; ++tick, f->now_us += 16667) { // 30,000 datagrams in a second
    for (uint32_t i = 0; i < 500; ++i)
      seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "input", 5);
    poll_side(f, &f->host);
  }
  assert_in_range(f->host.counts[SEAL_EVENT_DATA], SEAL_MAX_PEER_DATAGRAMS / 2, SEAL_MAX_PEER_DATAGRAMS * 5 / 4 + 100);
  run_for(f, 1000000);
  uint32_t before = f->host.counts[SEAL_EVENT_DATA];
  seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "input", 5);
  run_for(f, 100000);
  assert_int_equal(f->host.counts[SEAL_EVENT_DATA], before + 1); // the session continues
  fixture_free(f);
}

TEST(floods_in_four_sessions_do_not_delay_a_fifth) {
  enum { FLOODS = 4 };
  fixture_t *f = connected_fixture();
  datagram_t forged[FLOODS];
  side_t *sides = calloc(FLOODS, sizeof *sides);
  for (uint32_t i = 0; i < FLOODS; ++i) {
    side_init(f, &sides[i], 0x0a000003 + i, false, 0);
    seal_join(sides[i].seal, f->now_us, &f->host.address, NULL, "", 0, NULL);
    for (uint32_t k = 0; k < 30; ++k) {
      run_for(f, 10000);
      poll_side(f, &sides[i]);
    }
    assert_int_equal(sides[i].last.kind, SEAL_EVENT_CONNECTED);
    seal_send(sides[i].seal, f->now_us, sides[i].peer, "input", 5);
    forged[i] = *last_sent(&sides[i].tap);
    forged[i].bytes[5] = 1; // a later sequence number
  }
  uint32_t before = f->host.counts[SEAL_EVENT_DATA];
  for (uint32_t tick = 0; tick < 300; ++tick, f->now_us += 10000) { // 80,000 forged datagrams per second
    for (uint32_t i = 0; i < FLOODS * 200; ++i)
      inject(&f->host.tap, &sides[i % FLOODS].address, forged[i % FLOODS].bytes, forged[i % FLOODS].size);
    seal_send(f->joiner.seal, f->now_us, f->joiner.peer, "input", 5);
    poll_side(f, &f->host);
  }
  run_for(f, 50000);
  // Each of the four sessions has also sent one valid datagram, which may have arrived.
  assert_in_range(f->host.counts[SEAL_EVENT_DATA] - before, 300, 300 + FLOODS);
  for (uint32_t i = 0; i < FLOODS; ++i)
    side_fini(&sides[i]);
  free(sides);
  fixture_free(f);
}

TEST(flood_does_not_block_seal_poll) {
  fixture_t *f = connected_fixture();
  seal_event_t event;
  for (uint32_t i = 0; i < 3000; ++i)
    inject(&f->host.tap, &f->joiner.address, "junk", 4);
  seal_counts_t before = seal_get_counts(f->host.seal);
  assert_false(seal_poll(f->host.seal, f->now_us, &event));
  assert_int_equal(seal_get_counts(f->host.seal).received - before.received, SEAL_MAX_RECEIVED);
  fixture_free(f);
}

TEST(joiners_connect_during_a_flood_of_hellos) {
  fixture_t *f = fixture_create(1, "20ms,0ms,0%");
  random_t random;
  random_seed(&random, 3);
  uint8_t junk[SEAL_HELLO_BYTES] = {SEAL_TYPE_HELLO, SEAL_VERSION};
  join(f, "let me in");
  for (uint32_t tick = 0; tick < 600 && f->joiner.counts[SEAL_EVENT_CONNECTED] == 0; ++tick) {
    for (uint32_t i = 0; i < 160; ++i) { // twice the limit
      link_address_t from = link_address_from_ipv4(random_u32(&random), 5);
      inject(&f->host.tap, &from, junk, sizeof junk);
    }
    run_for(f, 16667);
  }
  assert_int_equal(f->joiner.counts[SEAL_EVENT_CONNECTED], 1);
  fixture_free(f);
}

static link_address_t ipv6_address(uint64_t network, uint64_t machine, uint16_t port) {
  link_address_t address = {.port = port};
  for (uint32_t i = 0; i < 8; ++i) {
    address.ip[i] = (uint8_t)(network >> (56 - 8 * i));
    address.ip[8 + i] = (uint8_t)(machine >> (56 - 8 * i));
  }
  return address;
}

// Injects `count` datagrams of the type from random addresses of a network: 192.0.2.0/24, or 2001:db8::/64.
static void inject_flood(fixture_t *f, random_t *random, seal_type_t type, bool is_ipv6, uint32_t count) {
  static uint8_t junk[SEAL_JOIN_MIN_BYTES];
  junk[0] = (uint8_t)type;
  junk[1] = SEAL_VERSION;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t number = random_u32(random);
    uint16_t port = (uint16_t)(1 + number % 60000);
    link_address_t from = is_ipv6 ? ipv6_address(0x20010db800000000u, number, port)
                                  : link_address_from_ipv4(0xc0000200u | number >> 24, port);
    memcpy(junk + 4, &number, sizeof number); // a key that no other datagram has
    inject(&f->host.tap, &from, junk, type == SEAL_TYPE_HELLO ? SEAL_HELLO_BYTES : sizeof junk);
  }
}

// Runs both sides for 200 ms, with 100,000 datagrams per second from one network.
static void run_with_flood(fixture_t *f, random_t *random, seal_type_t type, bool is_ipv6) {
  for (uint32_t i = 0; i < 40; ++i, f->now_us += 5000) {
    inject_flood(f, random, type, is_ipv6, 500);
    poll_side(f, &f->host);
    poll_side(f, &f->joiner);
  }
}

TEST(flood_from_one_network_delays_no_joins_from_others) {
  for (uint32_t flood = 0; flood < 4; ++flood) {
    fixture_t *f = fixture_create(1, "20ms,0ms,0%");
    seal_type_t type = flood % 2 ? SEAL_TYPE_HELLO : SEAL_TYPE_JOIN;
    bool is_ipv6 = flood / 2;
    random_t random;
    random_seed(&random, 3);
    for (uint32_t i = 0; i < 5; ++i) {
      run_with_flood(f, &random, type, is_ipv6);
      join(f, "let me in");
      run_with_flood(f, &random, type, is_ipv6);
      if (f->joiner.counts[SEAL_EVENT_CONNECTED] != i + 1)
        fail_msg("flood %u: join %u is not complete after 200 ms", flood, i);
      seal_close(f->joiner.seal, f->now_us, f->joiner.peer, 0);
    }
    // Most of the 200,000 datagrams were dropped before a cookie was computed.
    assert_true(seal_get_counts(f->host.seal).limited > 100000);
    fixture_free(f);
  }
}
