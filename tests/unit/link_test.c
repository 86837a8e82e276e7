// Addresses, the simulated network, UDP on the loopback interface, rate limits and windows of sequence numbers.
#include "link/link_address.h"
#include "link/link_bridge.h"
#include "link/link_sim.h"
#include "link/link_udp.h"
#include "link/rate_limit.h"
#include "link/sequence_window.h"

#include "base/now.h"
#include "base/random.h"
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOCALHOST 0x7f000001u

// --- addresses

TEST(addresses_are_parsed_and_formatted) {
  static const char *const TEXTS[][2] = {{"192.168.1.5:4711", "192.168.1.5:4711"},
                                         {"192.168.1.5", "192.168.1.5:99"},
                                         {"[::1]:65535", "[::1]:65535"},
                                         {"[2001:db8::7]", "[2001:db8::7]:99"},
                                         {"::1", "[::1]:99"},
                                         {"fe80::2%3", "[fe80::2%3]:99"},
                                         {"[::ffff:1.2.3.4]:5", "1.2.3.4:5"}};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i) {
    link_address_t address;
    error_info_t error = {0};
    char text[LINK_ADDRESS_TEXT_BYTES];
    assert_true(link_address_parse(TEXTS[i][0], 99, &address, &error));
    assert_string_equal(link_address_format(&address, text), TEXTS[i][1]);
  }
}

TEST(malformed_addresses_are_refused_with_the_problem) {
  static const char *const TEXTS[][2] = {
      {"1.2.3.4", "port is missing"},
      {"1.2.3.4:0", "port must be"},
      {"1.2.3.4:65536", "port must be"},
      {"1.2.3.4:12x", "port must be"},
      {"1.2.3.4:99999999999", "port must be"},
      {"[::1]4711", "expected :PORT"},
      {"fish:4711", "expected an IPv4 address"},
      {"1.2.3:4711", "expected an IPv4 address"},
      {"[::1%nosuchinterface]:5", "expected an IPv4 address"},
      {"", "port is missing"},
      {"111111111111111111111111111111111111111111111111111111111111111111111111111", "too long"}};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i) {
    link_address_t address;
    error_info_t error = {0};
    assert_false(link_address_parse(TEXTS[i][0], 0, &address, &error));
    assert_non_null(strstr(error.text, TEXTS[i][1]));
  }
}

// --- the simulated network

TEST(network_conditions_are_parsed) {
  link_sim_conditions_t c;
  error_info_t error = {0};
  assert_true(link_sim_parse("120ms,40ms,5%", &c, &error));
  assert_int_equal(c.round_trip_us, 120000);
  assert_int_equal(c.jitter_us, 40000);
  assert_float_equal(c.loss, 0.05, 1e-9);
  assert_float_equal(c.duplication, 0, 1e-9);
  assert_true(link_sim_parse("1.5s,250us,0%,1%,2.5%", &c, &error));
  assert_int_equal(c.round_trip_us, 1500000);
  assert_int_equal(c.jitter_us, 250);
  assert_float_equal(c.duplication, 0.01, 1e-9);
  assert_float_equal(c.reordering, 0.025, 1e-9);
  assert_int_equal(c.bytes_per_s, 0);
  assert_true(link_sim_parse("40ms,0ms,0%,0%,0%,20KB/s", &c, &error));
  assert_int_equal(c.bytes_per_s, 20000);
}

TEST(malformed_network_conditions_are_refused_with_the_problem) {
  static const char *const TEXTS[][2] = {{"", "expected round trip, jitter and loss"},
                                         {"120ms,40ms", "expected round trip, jitter and loss"},
                                         {"120,40ms,5%", "round trip must be a time such as 120ms, got \"120\""},
                                         {"120ms,,5%", "jitter must be a time"},
                                         {"120ms,40ms,5", "loss must be a percentage such as 5%, got \"5\""},
                                         {"120ms,40ms,101%", "loss must be at most 100%"},
                                         {"11s,40ms,5%", "round trip must be at most 10s"},
                                         {"10ms,40ms,5%", "jitter must be at most the round trip"},
                                         {"120ms,40ms,5%,1%,x", "reordering must be a percentage"},
                                         {"1ms,1ms,5%,1%,1%,1%", "bandwidth must be a rate such as 20KB/s, got \"1%\""},
                                         {"1ms,1ms,5%,1%,1%,0KB/s", "bandwidth must be from 1KB/s to 1000000KB/s"},
                                         {"1ms,1ms,5%,1%,1%,1KB/s,1", "at most six"},
                                         {"-1ms,0ms,0%", "round trip must be a time"},
                                         {"99999999999999999999999999999999999999999ms,1ms,1%", "at most six short"}};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i) {
    link_sim_conditions_t c;
    error_info_t error = {0};
    assert_false(link_sim_parse(TEXTS[i][0], &c, &error));
    assert_non_null(strstr(error.text, TEXTS[i][1]));
  }
}

typedef struct sim_pair_t {
  link_sim_o *sim;
  link_t a, b;
  link_address_t a_address, b_address;
} sim_pair_t;

static sim_pair_t create_pair(uint64_t seed, const char *conditions) {
  link_sim_conditions_t c;
  error_info_t error = {0};
  sim_pair_t p = {.a_address = link_address_from_ipv4(0x0a000001, 1),
                  .b_address = link_address_from_ipv4(0x0a000002, 2)};
  assert_true(link_sim_parse(conditions, &c, &error));
  p.sim = link_sim_create(seed, &c);
  p.a = link_sim_add(p.sim, &p.a_address);
  p.b = link_sim_add(p.sim, &p.b_address);
  return p;
}

typedef struct arrival_t {
  uint32_t number;
  int64_t delay_us;
} arrival_t;

// Sends `count` numbered datagrams, one per millisecond. Stores the arrivals in order, and returns their number.
static uint32_t send_numbered(sim_pair_t *p, uint32_t count, arrival_t *arrivals, uint32_t max) {
  uint32_t arrived = 0;
  uint8_t bytes[LINK_DATAGRAM_BYTES];
  link_address_t from;
  for (int64_t now_us = 0; now_us < count * INT64_C(1000) + 2000000; now_us += 500) {
    uint32_t number = (uint32_t)(now_us / 1000);
    if (now_us % 1000 == 0 && number < count)
      link_send(&p->a, now_us, &p->b_address, &number, sizeof number);
    while (link_receive(&p->b, now_us, &from, bytes) == sizeof number && arrived < max) {
      memcpy(&number, bytes, sizeof number);
      assert_true(link_address_equals(&from, &p->a_address));
      arrivals[arrived++] = (arrival_t){number, now_us - number * INT64_C(1000)};
    }
  }
  return arrived;
}

TEST(perfect_network_delivers_everything_in_order) {
  static arrival_t arrivals[2000];
  sim_pair_t p = create_pair(1, "100ms,0ms,0%");
  assert_int_equal(send_numbered(&p, 1000, arrivals, 2000), 1000);
  for (uint32_t i = 0; i < 1000; ++i) {
    assert_int_equal(arrivals[i].number, i);
    assert_int_equal(arrivals[i].delay_us, 50000);
  }
  link_sim_destroy(p.sim);
}

TEST(conditions_determine_delay_loss_duplication_and_order) {
  static arrival_t arrivals[10000];
  sim_pair_t p = create_pair(7, "100ms,40ms,20%,10%,5%");
  uint32_t arrived = send_numbered(&p, 5000, arrivals, 10000), late = 0, reordered = 0;
  for (uint32_t i = 0; i < arrived; ++i) {
    assert_in_range(arrivals[i].delay_us, 30000, 170500);
    late += arrivals[i].delay_us > 70500;
    reordered += i > 0 && arrivals[i].number < arrivals[i - 1].number;
  }
  link_sim_counts_t counts = link_sim_get_counts(p.sim);
  assert_int_equal(counts.sent, 5000);
  assert_in_range(counts.lost, 850, 1150);      // 20 %
  assert_in_range(counts.duplicated, 320, 480); // 10 % of the rest
  assert_in_range(late, 120, 260);              // 5 % of the rest, unless the added delay is small
  assert_true(reordered > 1000);
  assert_int_equal(arrived, counts.sent - counts.lost + counts.duplicated);
  link_sim_destroy(p.sim);
}

TEST(bridge_degrades_both_directions_of_a_link) {
  link_sim_conditions_t c;
  uint32_t counts[2] = {0};
  int64_t delays_us[2] = {0};
  uint8_t bytes[LINK_DATAGRAM_BYTES];
  link_address_t from;
  sim_pair_t p = create_pair(1, "0ms,0ms,0%");
  assert_true(link_sim_parse("100ms,20ms,10%", &c, NULL));
  link_bridge_o *bridge = link_bridge_create(&p.a, 3, &c);
  link_t a = link_bridge_get_link(bridge), *sides[] = {&p.b, &a};
  const link_address_t *const addresses[] = {&p.a_address, &p.b_address};
  for (int64_t now_us = 0; now_us < 1200000; now_us += 1000) {
    if (now_us < 1000000) {
      link_send(&a, now_us, &p.b_address, &now_us, sizeof now_us);
      link_send(&p.b, now_us, &p.a_address, &now_us, sizeof now_us);
    }
    for (int side = 1; side >= 0; --side) {
      while (link_receive(sides[side], now_us, &from, bytes) == sizeof now_us) {
        int64_t sent_us;
        memcpy(&sent_us, bytes, sizeof sent_us);
        assert_true(link_address_equals(&from, addresses[side]));
        assert_in_range(now_us - sent_us, 40000, 61000);
        delays_us[side] += now_us - sent_us;
        ++counts[side];
      }
    }
  }
  for (int side = 0; side < 2; ++side) {
    assert_in_range(counts[side], 850, 940);
    assert_in_range(delays_us[side] / counts[side], 48000, 53000);
  }
  link_bridge_destroy(bridge);
  link_sim_destroy(p.sim);
}

TEST(conditions_of_a_bridge_can_be_changed) {
  uint8_t byte = 0;
  link_address_t from;
  sim_pair_t p = create_pair(1, "0ms,0ms,0%");
  link_bridge_o *bridge = link_bridge_create(&p.a, 3, &(link_sim_conditions_t){0});
  link_t a = link_bridge_get_link(bridge);
  link_send(&a, 0, &p.b_address, &byte, 1);
  link_receive(&a, 0, &from, &byte);
  assert_int_equal(link_receive(&p.b, 0, &from, &byte), 1);
  link_bridge_set_conditions(bridge, &(link_sim_conditions_t){.round_trip_us = 80000});
  link_send(&a, 0, &p.b_address, &byte, 1);
  link_receive(&a, 39000, &from, &byte);
  assert_int_equal(link_receive(&p.b, 39000, &from, &byte), 0);
  link_receive(&a, 40000, &from, &byte);
  assert_int_equal(link_receive(&p.b, 40000, &from, &byte), 1);
  link_bridge_set_conditions(bridge, &(link_sim_conditions_t){.loss = 1});
  link_send(&a, 50000, &p.b_address, &byte, 1);
  link_receive(&a, 90000, &from, &byte);
  assert_int_equal(link_receive(&p.b, 90000, &from, &byte), 0);
  link_bridge_destroy(bridge);
  link_sim_destroy(p.sim);
}

TEST(simulation_is_determined_by_its_seed) {
  static arrival_t first[4000], second[4000];
  for (uint64_t seed = 1; seed < 4; ++seed) {
    sim_pair_t p = create_pair(seed, "100ms,100ms,10%,5%,5%"), q = create_pair(seed, "100ms,100ms,10%,5%,5%");
    uint32_t count = send_numbered(&p, 1000, first, 4000);
    assert_int_equal(send_numbered(&q, 1000, second, 4000), count);
    assert_memory_equal(first, second, count * sizeof *first);
    link_sim_destroy(p.sim);
    link_sim_destroy(q.sim);
  }
}

TEST(disconnected_endpoint_neither_sends_nor_receives) {
  sim_pair_t p = create_pair(1, "0ms,0ms,0%");
  uint8_t bytes[LINK_DATAGRAM_BYTES];
  link_address_t from;
  link_sim_disconnect(p.sim, &p.b_address, true);
  link_send(&p.a, 0, &p.b_address, "a", 1);
  link_send(&p.b, 0, &p.a_address, "b", 1);
  assert_int_equal(link_receive(&p.a, 0, &from, bytes), 0);
  assert_int_equal(link_receive(&p.b, 0, &from, bytes), 0);
  link_sim_disconnect(p.sim, &p.b_address, false);
  link_send(&p.a, 0, &p.b_address, "a", 1);
  assert_int_equal(link_receive(&p.b, 0, &from, bytes), 1);
  link_address_t nowhere = link_address_from_ipv4(1, 1);
  link_send(&p.a, 0, &nowhere, "a", 1);
  assert_int_equal(link_sim_get_counts(p.sim).lost, 3);
  link_sim_destroy(p.sim);
}

TEST(limited_bandwidth_delays_datagrams_and_drops_a_long_queue) {
  uint8_t bytes[LINK_DATAGRAM_BYTES] = {0};
  link_address_t from;
  sim_pair_t p = create_pair(1, "0ms,0ms,0%");
  link_sim_set_conditions(p.sim, &(link_sim_conditions_t){.bytes_per_s = 100000});
  for (uint32_t i = 0; i < 100; ++i)
    link_send(&p.a, 0, &p.b_address, bytes, 1000); // each datagram takes 10 ms
  uint32_t arrived = 0;
  for (; link_receive(&p.b, 100000, &from, bytes) > 0;)
    ++arrived;
  assert_int_equal(arrived, 10);
  assert_in_range(link_sim_get_counts(p.sim).lost, 78, 80); // would wait for more than 200 ms in the queue
  link_sim_destroy(p.sim);
}

TEST(memory_of_undelivered_datagrams_is_bounded) {
  uint8_t bytes[LINK_DATAGRAM_BYTES] = {0};
  sim_pair_t p = create_pair(1, "0ms,0ms,0%");
  for (uint32_t i = 0; i < 2 * LINK_SIM_MAX_IN_FLIGHT; ++i)
    link_send(&p.a, 0, &p.b_address, bytes, 100);
  assert_int_equal(link_sim_get_counts(p.sim).lost, LINK_SIM_MAX_IN_FLIGHT);
  link_sim_destroy(p.sim);
}

// --- UDP

// Waits up to two seconds for a datagram.
static size_t wait_for_datagram(const link_t *link, link_address_t *from, uint8_t *out) {
  for (uint32_t i = 0; i < 2000; ++i) {
    size_t size = link_receive(link, 0, from, out);
    if (size > 0)
      return size;
    usleep(1000);
  }
  return 0;
}

static link_udp_o *open_udp(const char *address, uint16_t port) {
  error_info_t error = {0};
  link_udp_o *udp = link_udp_create(&(link_udp_desc_t){.address = address, .port = port}, &error);
  if (!udp)
    print_message("%s\n", error.text);
  return udp;
}

static void exchange_over_udp(const char *address, const char *to) {
  link_udp_o *a = open_udp(address, 0), *b = open_udp(address, 0);
  if (!a || !b) {
    link_udp_destroy(a);
    link_udp_destroy(b);
    print_message("skipped: the machine has no address %s\n", to);
    return;
  }
  link_t from_a = link_udp_get_link(a), from_b = link_udp_get_link(b);
  uint8_t bytes[LINK_DATAGRAM_BYTES] = {1, 2, 3}, received[LINK_DATAGRAM_BYTES];
  error_info_t error = {0};
  link_address_t to_b, from;
  assert_true(link_address_parse(to, link_udp_get_port(b), &to_b, &error));
  assert_true(link_send(&from_a, 0, &to_b, bytes, LINK_DATAGRAM_BYTES));
  assert_int_equal(wait_for_datagram(&from_b, &from, received), LINK_DATAGRAM_BYTES);
  assert_memory_equal(bytes, received, sizeof bytes);
  assert_int_equal(from.port, link_udp_get_port(a));
  assert_true(link_send(&from_b, 0, &from, "x", 1)); // reply to the sender's address
  assert_int_equal(wait_for_datagram(&from_a, &from, received), 1);
  assert_true(link_address_equals(&from, &to_b));
  assert_true(link_udp_check(a, &error));
  link_udp_destroy(a);
  link_udp_destroy(b);
}

TEST(udp_datagrams_are_exchanged_over_ipv4_and_ipv6) {
  exchange_over_udp(NULL, "127.0.0.1");
  exchange_over_udp("127.0.0.1", "127.0.0.1");
  exchange_over_udp(NULL, "::1");
  exchange_over_udp("::1", "::1");
}

TEST(udp_port_in_use_is_reported) {
  error_info_t error = {0};
  link_udp_o *a = open_udp(NULL, 0);
  assert_non_null(a);
  link_udp_desc_t desc = {.port = link_udp_get_port(a)};
  assert_null(link_udp_create(&desc, &error));
  assert_non_null(strstr(error.text, "choose a different port"));
  // The socket of a peer shares the port, but still no other program may use it.
  link_t link = link_udp_get_link(a);
  link_address_t peer = link_address_from_ipv4(LOCALHOST, 9);
  link_set_peer(&link, &peer, true);
  assert_null(link_udp_create(&desc, &error));
  assert_null(link_udp_create(&(link_udp_desc_t){.address = "192.0.2.7"}, &error)); // an address of a different machine
  assert_non_null(strstr(error.text, "192.0.2.7"));
  assert_null(link_udp_create(&(link_udp_desc_t){.address = "fish"}, &error));
  link_udp_destroy(a);
}

TEST(udp_peer_is_received_while_unknown_senders_fill_the_socket) {
  link_udp_o *host = open_udp("127.0.0.1", 0), *peer = open_udp("127.0.0.1", 0), *stranger = open_udp("127.0.0.1", 0);
  assert_true(host && peer && stranger);
  link_t links[3] = {link_udp_get_link(host), link_udp_get_link(peer), link_udp_get_link(stranger)};
  link_address_t host_address = link_address_from_ipv4(LOCALHOST, link_udp_get_port(host)), from;
  link_address_t peer_address = link_address_from_ipv4(LOCALHOST, link_udp_get_port(peer));
  uint8_t bytes[LINK_DATAGRAM_BYTES] = {0};
  uint32_t from_peer = 0;
  link_set_peer(&links[0], &peer_address, true);
  for (uint32_t i = 0; i < 5000; ++i)
    link_send(&links[2], 0, &host_address, bytes, 1200);
  for (uint32_t i = 0; i < 20; ++i)
    link_send(&links[1], 0, &host_address, "peer", 4);
  while (from_peer < 20 && wait_for_datagram(&links[0], &from, bytes) > 0)
    from_peer += from.port == peer_address.port;
  assert_int_equal(from_peer, 20);
  link_set_peer(&links[0], &peer_address, false);
  while (link_receive(&links[0], 0, &from, bytes) > 0) {
  }
  link_send(&links[1], 0, &host_address, "peer", 4); // received by the first socket again
  assert_int_equal(wait_for_datagram(&links[0], &from, bytes), 4);
  link_udp_destroy(host);
  link_udp_destroy(peer);
  link_udp_destroy(stranger);
}

TEST(udp_names_are_resolved) {
  link_address_t address;
  error_info_t error = {0};
  assert_true(link_udp_resolve("127.0.0.1:80", 0, &address, &error));
  assert_true(link_udp_resolve("localhost:4711", 0, &address, &error));
  assert_int_equal(address.port, 4711);
  assert_true(link_udp_resolve("localhost", 99, &address, &error));
  assert_int_equal(address.port, 99);
  assert_false(link_udp_resolve("localhost:x", 0, &address, &error));
  assert_non_null(strstr(error.text, "port must be"));
  assert_false(link_udp_resolve("1.2.3.4.5:80", 0, &address, &error));
  assert_false(link_udp_resolve("", 80, &address, &error));
}

// --- limits and windows

TEST(own_addresses_are_addresses_of_this_machine) {
  char text[LINK_ADDRESS_TEXT_BYTES];
  link_address_t own[LINK_UDP_MAX_OWN_ADDRESSES];
  uint32_t count = link_udp_find_own_addresses(own);
  error_info_t error = {0};
  assert_in_range(count, 1, LINK_UDP_MAX_OWN_ADDRESSES);
  for (uint32_t i = 0; i < count; ++i) {
    assert_int_equal(own[i].port, 0);
    link_address_format(&own[i], text);
    *strrchr(text, ':') = '\0';
    link_udp_o *udp = link_udp_create(&(link_udp_desc_t){.address = text}, &error);
    assert_non_null(udp);
    link_udp_destroy(udp);
  }
}

TEST(rate_limit_allows_a_burst_and_then_its_rate) {
  rate_limit_t limit = {0};
  uint32_t taken = 0;
  for (uint32_t i = 0; i < 100; ++i)
    taken += rate_limit_take(&limit, 5000000, 50, 10);
  assert_int_equal(taken, 10);
  for (int64_t now_us = 5000000; now_us < 7000000; now_us += 100)
    taken += rate_limit_take(&limit, now_us, 50, 10);
  assert_in_range(taken, 108, 111);
}

TEST(sequence_window_matches_a_list_of_numbers) {
  static bool received[20000];
  sequence_window_t w = {0};
  random_t random;
  random_seed(&random, 5);
  uint64_t highest = 0, top = 1;
  memset(received, 0, sizeof received);
  for (uint32_t i = 0; i < 40000; ++i) {
    top += random_u32(&random) % 5000 == 0 ? 1500 : random_u32(&random) % 3 == 0;
    uint64_t number = top > 1200 ? top - random_u32(&random) % 1200 : 1 + random_u32(&random) % top;
    if (number >= 20000)
      break;
    bool is_new = number > highest || (highest - number < SEQUENCE_WINDOW_SIZE && !received[number]);
    assert_int_equal(sequence_window_is_new(&w, number), is_new);
    if (is_new) {
      sequence_window_add(&w, number);
      received[number] = true;
      highest = number > highest ? number : highest;
    }
    assert_int_equal(w.highest, highest);
  }
  assert_true(highest > 5000);
  assert_false(sequence_window_is_new(&w, 0));
}

TEST(sequence_numbers_are_restored_from_their_low_half) {
  static const uint64_t HIGHEST[] = {0, 1, 0x7fffffff, 0xfffffff0, 0x100000000, 0x7ffffffff5};
  for (size_t i = 0; i < sizeof HIGHEST / sizeof *HIGHEST; ++i) {
    sequence_window_t w = {.highest = HIGHEST[i]};
    for (int64_t difference = -2000; difference <= 2000; ++difference)
      if ((int64_t)HIGHEST[i] + difference >= 0) {
        uint64_t number = HIGHEST[i] + (uint64_t)difference;
        assert_int_equal(sequence_window_expand(&w, (uint32_t)number), number);
      }
    assert_int_equal(sequence_window_expand(&w, (uint32_t)(HIGHEST[i] + 0x7fffffff)), HIGHEST[i] + 0x7fffffff);
  }
  assert_int_equal(sequence_window_expand(&(sequence_window_t){.highest = 5}, UINT32_MAX), 0);
}

TEST(udp_link_waits_for_a_datagram_or_the_timeout) {
  uint8_t byte = 1, out[LINK_DATAGRAM_BYTES];
  link_address_t from, to = link_address_from_ipv4(LOCALHOST, 0);
  error_info_t error = {0};
  link_udp_o *a = link_udp_create(&(link_udp_desc_t){.address = "127.0.0.1"}, &error);
  link_udp_o *b = link_udp_create(&(link_udp_desc_t){.address = "127.0.0.1"}, &error);
  assert_non_null(a);
  assert_non_null(b);
  link_t sender = link_udp_get_link(a), receiver = link_udp_get_link(b);
  int64_t start_ns = now_ns();
  link_udp_wait(b, 20000);
  assert_true(now_ns() - start_ns >= 20 * NS_PER_MS);
  to.port = link_udp_get_port(b);
  assert_true(sender.send(sender.context, 0, &to, &byte, 1));
  start_ns = now_ns();
  link_udp_wait(b, 60 * 1000000);
  assert_true(now_ns() - start_ns < INT64_C(30000) * NS_PER_MS);
  assert_int_equal(receiver.receive(receiver.context, 0, &from, out), 1);
  link_udp_destroy(a);
  link_udp_destroy(b);
}
