// Reliable messages: bad networks, slow and lying peers, flow and rate control, and the same over sealed sessions.
// slow: takes seconds under the sanitizers
#include "link/link_sim.h"
#include "link/stream.h"

#include "base/random.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_US 16667
#define NUMBER_BYTES 8u // the test's datagrams begin with their number, in place of a seal

// A stream's datagram and its number fit into a link datagram, because a seal would take more space.
_Static_assert(NUMBER_BYTES + SEAL_PAYLOAD_BYTES <= LINK_DATAGRAM_BYTES, "a numbered payload must fit a datagram");

typedef struct side_t {
  link_t link;
  link_address_t address;
  stream_o *stream;
  uint64_t number;
  random_t random; // determines the messages that this side sends
  uint32_t to_send, sent, received;
  random_t expected; // the same generator as the sender's: predicts its messages
  size_t unsent;     // size of the message that did not fit; 0: none
  uint8_t message[STREAM_MESSAGE_BYTES];
  uint32_t unreliable_received, datagrams, ticks;
  uint32_t unreliable_size;
  bool does_not_read;
  uint64_t datagram_bytes;
} side_t;

typedef struct fixture_t {
  link_sim_o *sim;
  int64_t now_us;
  side_t sides[2];
} fixture_t;

static void side_init(fixture_t *f, uint32_t i, uint64_t seed, uint32_t to_send, uint32_t buffer_bytes) {
  side_t *side = &f->sides[i];
  side->address = link_address_from_ipv4(0x0a000001 + i, 1);
  side->link = link_sim_add(f->sim, &side->address);
  side->stream = stream_create(&(stream_desc_t){.buffer_bytes = buffer_bytes});
  side->to_send = to_send;
  side->unreliable_size = 30;
  random_seed(&side->random, seed * 2 + i);
  random_seed(&side->expected, seed * 2 + 1 - i);
}

static fixture_t *fixture_create(uint64_t seed, const char *conditions, uint32_t messages, uint32_t buffer_bytes) {
  fixture_t *f = calloc(1, sizeof *f);
  link_sim_conditions_t c;
  error_info_t error = {0};
  if (!link_sim_parse(conditions, &c, &error))
    fail_msg("%s", error.text);
  f->sim = link_sim_create(seed, &c);
  f->now_us = 1000000;
  side_init(f, 0, seed, messages, buffer_bytes);
  side_init(f, 1, seed, messages, buffer_bytes);
  return f;
}

static void fixture_free(fixture_t *f) {
  stream_destroy(f->sides[0].stream);
  stream_destroy(f->sides[1].stream);
  link_sim_destroy(f->sim);
  free(f);
}

// Generates the next message. Returns its size: mostly small, some of the maximum size.
static size_t make_message(random_t *random, uint8_t *out) {
  uint32_t kind = random_u32(random) % 8;
  size_t size = kind == 0  ? STREAM_MESSAGE_BYTES
                : kind < 3 ? 1 + random_u32(random) % 4000
                           : 1 + random_u32(random) % 60;
  uint8_t first = (uint8_t)random_u32(random);
  for (size_t i = 0; i < size; ++i)
    out[i] = (uint8_t)(first + i * 31 + i / 256);
  return size;
}

static void push_messages(side_t *side) {
  while (side->sent < side->to_send) {
    if (side->unsent == 0)
      side->unsent = make_message(&side->random, side->message);
    if (!stream_push(side->stream, side->message, side->unsent))
      return;
    side->unsent = 0;
    ++side->sent;
  }
}

static void pop_messages(side_t *side) {
  static uint8_t expected[STREAM_MESSAGE_BYTES];
  size_t size;
  const uint8_t *message;
  while (!side->does_not_read && (message = stream_pop(side->stream, &size)) != NULL) {
    assert_int_equal(size, make_message(&side->expected, expected));
    assert_memory_equal(message, expected, size);
    ++side->received;
  }
}

static void read_datagrams(fixture_t *f, side_t *side) {
  uint8_t bytes[LINK_DATAGRAM_BYTES];
  const uint8_t *unreliable;
  link_address_t from;
  uint64_t number;
  size_t size, unreliable_size;
  error_info_t error = {0};
  while ((size = link_receive(&side->link, f->now_us, &from, bytes)) > 0) {
    memcpy(&number, bytes, NUMBER_BYTES);
    if (!stream_read(side->stream, f->now_us, number, bytes + NUMBER_BYTES, size - NUMBER_BYTES, &unreliable,
                     &unreliable_size, &error))
      fail_msg("%s", error.text);
    side->unreliable_received += unreliable_size > 0;
    for (size_t i = 0; i < unreliable_size; ++i)
      assert_int_equal(unreliable[i], (uint8_t)(number + i));
  }
}

static void write_datagram(fixture_t *f, side_t *side, size_t unreliable_size) {
  uint8_t bytes[LINK_DATAGRAM_BYTES], unreliable[STREAM_UNRELIABLE_BYTES] = {0};
  uint64_t number = ++side->number;
  for (size_t i = 0; i < unreliable_size; ++i)
    unreliable[i] = (uint8_t)(number + i);
  memcpy(bytes, &number, NUMBER_BYTES);
  size_t size = stream_write(side->stream, f->now_us, number, unreliable, unreliable_size, bytes + NUMBER_BYTES);
  assert_in_range(size, 1, SEAL_PAYLOAD_BYTES);
  ++side->datagrams;
  side->datagram_bytes += size;
  link_send(&side->link, f->now_us, &f->sides[side == f->sides].address, bytes, size + NUMBER_BYTES);
}

static void run_tick(fixture_t *f) {
  for (uint32_t i = 0; i < 2; ++i) {
    side_t *side = &f->sides[i];
    read_datagrams(f, side);
    pop_messages(side);
    push_messages(side);
    write_datagram(f, side, side->unreliable_size);
    ++side->ticks;
    for (uint32_t k = 0; k < 200 && stream_has_work(side->stream, f->now_us); ++k)
      write_datagram(f, side, 0);
  }
  f->now_us += TICK_US;
}

static bool is_done(const fixture_t *f) {
  return f->sides[0].received == f->sides[1].to_send && f->sides[1].received == f->sides[0].to_send;
}

// Runs until all messages have arrived. Returns the number of ticks; fails after `max_ticks`.
static uint32_t run_until_done(fixture_t *f, uint32_t max_ticks, uint64_t seed) {
  uint32_t tick = 0;
  for (; tick < max_ticks && !is_done(f); ++tick)
    run_tick(f);
  if (!is_done(f))
    fail_msg("seed %llu: %u of %u and %u of %u messages arrived", (unsigned long long)seed, f->sides[0].received,
             f->sides[1].to_send, f->sides[1].received, f->sides[0].to_send);
  return tick;
}

TEST(messages_arrive_in_order_over_bad_networks) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    char conditions[64];
    uint32_t round_trip_ms = (uint32_t)(seed * 7 % 301);
    snprintf(conditions, sizeof conditions, "%ums,%ums,%u%%,%u%%,%u%%", round_trip_ms,
             round_trip_ms * (uint32_t)(seed % 3) / 2, (uint32_t)(seed % 41), (uint32_t)(seed % 7),
             (uint32_t)(seed % 11));
    fixture_t *f = fixture_create(seed, conditions, 40, seed % 2 ? 0 : STREAM_MIN_BUFFER_BYTES);
    run_until_done(f, 60 * 60, seed); // limit: one minute
    fixture_free(f);
  }
}

TEST(unreliable_data_arrives_alongside_messages) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%", 200, 0);
  run_until_done(f, 1000, 1);
  for (uint32_t i = 0; i < 10; ++i)
    run_tick(f);
  assert_int_equal(f->sides[0].unreliable_received, f->sides[0].ticks - 2); // two are under way
  fixture_free(f);
}

TEST(messages_progress_alongside_the_largest_unreliable_data) {
  fixture_t *f = fixture_create(1, "40ms,10ms,2%", 20, 0);
  f->sides[0].unreliable_size = f->sides[1].unreliable_size = STREAM_UNRELIABLE_BYTES;
  uint32_t ticks = run_until_done(f, 600, 1);
  assert_true(f->sides[0].unreliable_received > ticks * 9 / 10 - 5);
  fixture_free(f);
}

TEST(quiet_connection_costs_few_bytes) {
  fixture_t *f = fixture_create(1, "80ms,40ms,2%", 0, 0);
  f->sides[0].unreliable_size = f->sides[1].unreliable_size = 0;
  for (uint32_t i = 0; i < 60; ++i)
    run_tick(f);
  f->sides[0].datagram_bytes = f->sides[0].datagrams = 0;
  for (uint32_t i = 0; i < 600; ++i)
    run_tick(f);
  assert_int_equal(f->sides[0].datagrams, 600); // one per tick
  assert_true(f->sides[0].datagram_bytes <= 600 * 9);
  fixture_free(f);
}

TEST(round_trip_is_measured) {
  fixture_t *f = fixture_create(1, "100ms,20ms,5%", 0, 0);
  for (uint32_t i = 0; i < 300; ++i)
    run_tick(f);
  stream_status_t status = stream_get_status(f->sides[0].stream);
  assert_in_range(status.round_trip_us, 90000, 140000); // includes the ticks in which datagrams wait to be read
  assert_in_range(status.min_round_trip_us, 80000, 120000);
  assert_in_range(status.jitter_us, 1000, 20000);
  fixture_free(f);
}

TEST(acknowledged_datagrams_are_reported) {
  fixture_t *f = fixture_create(1, "40ms,0ms,0%", 0, 0);
  for (uint32_t i = 0; i < 20; ++i)
    run_tick(f);
  assert_true(stream_is_acknowledged(f->sides[0].stream, 1));
  assert_true(stream_is_acknowledged(f->sides[0].stream, 10));
  assert_false(stream_is_acknowledged(f->sides[0].stream, f->sides[0].number));
  assert_false(stream_is_acknowledged(f->sides[0].stream, f->sides[0].number + 1));
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.loss = 1});
  run_tick(f);
  uint64_t lost = f->sides[0].number;
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.round_trip_us = 40000});
  for (uint32_t i = 0; i < 60; ++i)
    run_tick(f);
  assert_false(stream_is_acknowledged(f->sides[0].stream, lost));
  assert_true(stream_is_acknowledged(f->sides[0].stream, lost + 1));
  fixture_free(f);
}

// --- flow and rate

// Sends `bytes` from side 0 and runs until they have arrived. Returns the number of ticks.
static uint32_t transfer(fixture_t *f, uint32_t bytes) {
  static uint8_t block[STREAM_MESSAGE_BYTES];
  uint32_t pushed = 0, popped = 0, ticks = 0;
  size_t size;
  for (; popped < bytes && ticks < 6000; ++ticks) {
    while (pushed < bytes && stream_push(f->sides[0].stream, block, sizeof block))
      pushed += sizeof block;
    f->sides[1].does_not_read = true;
    run_tick(f);
    while (stream_pop(f->sides[1].stream, &size))
      popped += (uint32_t)size;
  }
  assert_true(popped >= bytes);
  return ticks;
}

TEST(snapshot_of_a_megabyte_arrives_in_seconds) {
  static const struct {
    const char *conditions;
    uint32_t max_ticks;
  } CASES[] = {{"1ms,0ms,0%", 90}, {"40ms,10ms,1%", 120}, {"120ms,40ms,5%", 240}, {"300ms,120ms,20%", 2400}};
  for (uint32_t i = 0; i < 4; ++i) {
    fixture_t *f = fixture_create(3, CASES[i].conditions, 0, 0);
    uint32_t ticks = transfer(f, 1 << 20);
    stream_status_t status = stream_get_status(f->sides[0].stream);
    print_message("%s: 1 MiB in %.1f s, %.0f %% sent again\n", CASES[i].conditions, ticks / 60.0,
                  100.0 * (double)status.resent_bytes / (double)status.message_bytes);
    assert_true(ticks <= CASES[i].max_ticks);
    fixture_free(f);
  }
}

// The second copy arrives, instead of one that is sent after the loss has been noticed. Nothing is sent a third time.
TEST(loss_of_a_datagram_delays_a_small_message_by_one_tick) {
  fixture_t *f = fixture_create(1, "120ms,0ms,0%", 0, 0);
  uint32_t ticks = 0;
  size_t size;
  f->sides[1].does_not_read = true;
  for (uint32_t i = 0; i < 60; ++i)
    run_tick(f);
  assert_true(stream_push(f->sides[0].stream, "hello", 5));
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.loss = 1});
  run_tick(f);
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.round_trip_us = 120000});
  for (; ticks < 60 && !stream_pop(f->sides[1].stream, &size); ++ticks)
    run_tick(f);
  assert_in_range(ticks, 4, 5); // 4 ticks for 60 ms, and at most one more
  for (uint32_t i = 0; i < 60; ++i)
    run_tick(f);
  stream_status_t status = stream_get_status(f->sides[0].stream);
  assert_int_equal(status.message_bytes, 12);
  assert_int_equal(status.resent_bytes, 6);
  fixture_free(f);
}

TEST(reordered_datagrams_are_rarely_sent_again) {
  fixture_t *f = fixture_create(3, "100ms,60ms,0%", 0, 0);
  transfer(f, 1 << 20);
  stream_status_t status = stream_get_status(f->sides[0].stream);
  double share = (double)status.resent_bytes / (double)status.message_bytes;
  print_message("%.1f %% sent again\n", share * 100);
  assert_true(share < 0.02);
  fixture_free(f);
}

TEST(rate_adapts_to_the_bandwidth_and_inputs_are_not_delayed) {
  fixture_t *f = fixture_create(3, "40ms,0ms,0%", 0, 0);
  link_sim_set_conditions(f->sim, &(link_sim_conditions_t){.round_trip_us = 40000, .bytes_per_s = 250000});
  uint32_t ticks = transfer(f, 2 << 20);
  stream_status_t status = stream_get_status(f->sides[0].stream);
  print_message("2 MiB over 250 KB/s in %.1f s, round trip %.0f ms, %llu of %llu datagrams lost\n", ticks / 60.0,
                (double)status.round_trip_us * 1e-3, (unsigned long long)status.lost,
                (unsigned long long)status.written);
  assert_true(ticks < 60 * 15); // 8.4 s at the full bandwidth
  assert_true(status.round_trip_us < 200000);
  assert_true(status.lost * 10 < status.written);
  assert_true(f->sides[1].unreliable_received > ticks * 8 / 10);
  fixture_free(f);
}

TEST(peer_that_does_not_read_stops_the_sender_until_it_reads) {
  fixture_t *f = fixture_create(1, "40ms,10ms,5%", 100, STREAM_MIN_BUFFER_BYTES);
  f->sides[1].does_not_read = true;
  for (uint32_t i = 0; i < 600; ++i)
    run_tick(f);
  assert_int_equal(f->sides[1].received, 0);
  assert_true(f->sides[0].sent < 100);
  uint64_t written = stream_get_status(f->sides[0].stream).written;
  for (uint32_t i = 0; i < 600; ++i)
    run_tick(f);
  assert_int_equal(stream_get_status(f->sides[0].stream).written, written); // nothing more is sent
  f->sides[1].does_not_read = false;
  run_until_done(f, 3600, 1);
  fixture_free(f);
}

TEST(vanished_peer_costs_one_buffer_and_little_traffic) {
  fixture_t *f = fixture_create(1, "40ms,10ms,0%", 1000, 0);
  for (uint32_t i = 0; i < 60; ++i)
    run_tick(f);
  link_sim_disconnect(f->sim, &f->sides[1].address, true);
  for (uint32_t i = 0; i < 300; ++i)
    run_tick(f);
  uint64_t resent = stream_get_status(f->sides[0].stream).resent_bytes;
  for (uint32_t i = 0; i < 600; ++i)
    run_tick(f);
  assert_false(stream_push(f->sides[0].stream, f->sides[0].message, STREAM_MESSAGE_BYTES));
  assert_true(stream_get_free_bytes(f->sides[0].stream) < STREAM_MESSAGE_BYTES);
  assert_true(stream_get_status(f->sides[0].stream).resent_bytes - resent < 10 * 2 * STREAM_MIN_RATE);
  link_sim_disconnect(f->sim, &f->sides[1].address, false);
  run_until_done(f, 3600, 1);
  fixture_free(f);
}

// --- invalid datagrams

TEST(invalid_datagrams_fail_the_stream_with_the_problem) {
  static const struct {
    const char *bytes;
    size_t size;
    const char *problem;
  } CASES[] = {{"", 0, "malformed datagram"},
               {"\x10", 1, "malformed datagram"},
               {"\x00x", 2, "malformed datagram"},
               {"\x01\x01", 2, "malformed acknowledgement"},
               {"\x01\x01\x00\x00\x01", 5, "malformed acknowledgement"},
               {"\x01\x01\x00\x00\x21zzzzzzzzbbbbbbbbccccccccdddddddde", 38, "malformed acknowledgement"},
               {"\x01\x02\x00\x00\x00", 5, "acknowledged a datagram that was not sent"},
               {"\x01\x00\x00\x00\x00", 5, "acknowledged a datagram that was not sent"},
               {"\x02", 1, "invalid limit"},
               {"\x02\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, "invalid limit"},
               {"\x04\x05xx", 4, "malformed unreliable part"},
               {"\x04\xff\x7fxx", 5, "malformed unreliable part"},
               {"\x08\x00", 2, "malformed piece"},
               {"\x08", 1, "malformed piece"},
               {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01z", 12, "malformed piece"},
               {"\x08\xff\xff\x7fxx", 6, "more than this side accepts"},
               {"\x08\x00\x00x", 4, "message of an invalid size"},
               {"\x08\x00\x81\x80\x01x", 6, "message of an invalid size"},
               {"\x08\x00\xff\xff\xff\x01x", 7, "message of an invalid size"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    stream_o *s = stream_create(&(stream_desc_t){0});
    uint8_t out[SEAL_PAYLOAD_BYTES];
    const uint8_t *unreliable;
    size_t size;
    error_info_t error = {0};
    stream_write(s, 0, 1, NULL, 0, out);
    if (stream_read(s, 0, 1, (const uint8_t *)CASES[i].bytes, CASES[i].size, &unreliable, &size, &error))
      fail_msg("case %zu was accepted", i);
    if (!strstr(error.text, CASES[i].problem))
      fail_msg("case %zu: %s", i, error.text);
    assert_false(stream_read(s, 0, 2, (const uint8_t *)"\0", 1, &unreliable, &size, &error)); // the stream stays failed
    assert_false(stream_push(s, "x", 1));
    assert_null(stream_pop(s, &size));
    stream_destroy(s);
  }
}

TEST(repeated_datagrams_are_ignored) {
  stream_o *s = stream_create(&(stream_desc_t){0});
  const uint8_t *unreliable;
  size_t size;
  assert_true(stream_read(s, 0, 5, (const uint8_t *)"\x0c\x01u\x00\x02hi", 7, &unreliable, &size, NULL));
  assert_int_equal(size, 1);
  assert_true(stream_read(s, 0, 5, (const uint8_t *)"\x0c\x01u\x00\x02hi", 7, &unreliable, &size, NULL));
  assert_int_equal(size, 0);
  assert_memory_equal(stream_pop(s, &size), "hi", 2);
  assert_null(stream_pop(s, &size));
  stream_destroy(s);
}

// --- with seals

typedef struct sealed_side_t {
  seal_o *seal;
  stream_o *stream;
  uint32_t peer, received;
} sealed_side_t;

static void run_sealed_side(sealed_side_t *side, int64_t now_us) {
  seal_event_t event;
  const uint8_t *unreliable;
  uint8_t out[SEAL_PAYLOAD_BYTES];
  size_t size;
  while (seal_poll(side->seal, now_us, &event)) {
    if (event.kind == SEAL_EVENT_REQUEST)
      seal_accept(side->seal, now_us, event.peer, NULL, 0);
    else if (event.kind == SEAL_EVENT_CONNECTED)
      side->peer = event.peer;
    else if (event.kind == SEAL_EVENT_DATA)
      assert_true(stream_read(side->stream, now_us, event.sequence, event.bytes, event.size, &unreliable, &size, NULL));
    else
      fail_msg("event %d", (int)event.kind);
  }
  for (uint32_t i = 0; side->peer && i < 100 && (i == 0 || stream_has_work(side->stream, now_us)); ++i) {
    size = stream_write(side->stream, now_us, seal_get_next_sequence(side->seal, side->peer), "input", i == 0 ? 5 : 0,
                        out);
    seal_send(side->seal, now_us, side->peer, out, size);
  }
}

TEST(messages_arrive_over_sealed_sessions) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    link_sim_conditions_t c = {.round_trip_us = (int64_t)seed * 15000,
                               .jitter_us = (int64_t)seed * 5000,
                               .loss = (double)seed / 100,
                               .duplication = 0.05,
                               .reordering = 0.05};
    link_sim_o *sim = link_sim_create(seed, &c);
    sealed_side_t sides[2] = {{0}};
    link_address_t addresses[2];
    static uint8_t message[10000];
    for (uint32_t i = 0; i < 2; ++i) {
      addresses[i] = link_address_from_ipv4(0x0a000001 + i, 1);
      sides[i].seal = seal_create(&(seal_desc_t){.link = link_sim_add(sim, &addresses[i]), .is_host = i == 0}, NULL);
      sides[i].stream = stream_create(&(stream_desc_t){0});
    }
    seal_join(sides[1].seal, 0, &addresses[0], seal_get_key(sides[0].seal), "", 0, NULL);
    for (uint32_t k = 0; k < 10; ++k) {
      memset(message, 'a' + (int)k, sizeof message);
      assert_true(stream_push(sides[k % 2].stream, message, sizeof message));
    }
    for (int64_t now_us = 0; now_us < 30000000 && sides[0].received + sides[1].received < 10; now_us += TICK_US)
      for (uint32_t i = 0; i < 2; ++i) {
        run_sealed_side(&sides[i], now_us);
        size_t size;
        for (const uint8_t *m; (m = stream_pop(sides[i].stream, &size)) != NULL; ++sides[i].received)
          assert_int_equal(m[size - 1], 'a' + 1 - i + sides[i].received * 2);
      }
    assert_int_equal(sides[0].received + sides[1].received, 10);
    for (uint32_t i = 0; i < 2; ++i) {
      stream_destroy(sides[i].stream);
      seal_destroy(sides[i].seal);
    }
    link_sim_destroy(sim);
  }
}
