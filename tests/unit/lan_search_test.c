// Searching hosts in the local network: link/lan_search.h.
#include "link/lan_search.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const lan_offer_t OFFER = {
    .game = 0x123456789abcdef0u, .port = 47110, .players = 2, .max_players = 8, .title = "Rockfall äöü"};

static void make_question(uint8_t question[LAN_DATAGRAM_BYTES]) {
  memset(question, 0, LAN_DATAGRAM_BYTES);
  memcpy(question, "shoal?\1", 7);
  question[7] = 42; // nonce
}

static void answers_round_trip(void **state) {
  (void)state;
  uint8_t question[LAN_DATAGRAM_BYTES], answer[LAN_DATAGRAM_BYTES];
  uint64_t host = 0;
  lan_offer_t offer;
  make_question(question);
  size_t size = lan_write_answer(question, sizeof question, 7, &OFFER, answer);
  assert_in_range(size, 1, LAN_DATAGRAM_BYTES);
  assert_true(lan_read_answer(answer, size, 42, &host, &offer));
  assert_int_equal(host, 7);
  assert_memory_equal(&offer, &OFFER, sizeof offer);
  assert_false(lan_read_answer(answer, size, 43, &host, &offer)); // an answer to another question
}

static void malformed_questions_get_no_answer(void **state) {
  (void)state;
  uint8_t question[LAN_DATAGRAM_BYTES + 1] = {0}, answer[LAN_DATAGRAM_BYTES];
  make_question(question);
  assert_int_equal(lan_write_answer(question, LAN_DATAGRAM_BYTES - 1, 7, &OFFER, answer), 0); // would amplify
  assert_int_equal(lan_write_answer(question, LAN_DATAGRAM_BYTES + 1, 7, &OFFER, answer), 0);
  for (uint32_t i = 0; i < 7; ++i) {
    make_question(question);
    question[i] ^= 1;
    assert_int_equal(lan_write_answer(question, LAN_DATAGRAM_BYTES, 7, &OFFER, answer), 0);
  }
}

// Accepted bytes must be those that the host would write: no field has two encodings, and no title can control a
// terminal.
static void changed_answers_are_rejected_or_canonical(void **state) {
  (void)state;
  uint8_t question[LAN_DATAGRAM_BYTES], answer[LAN_DATAGRAM_BYTES], changed[LAN_DATAGRAM_BYTES + 4],
      again[LAN_DATAGRAM_BYTES];
  random_t r;
  uint32_t accepted = 0;
  random_seed(&r, 5);
  make_question(question);
  size_t size = lan_write_answer(question, sizeof question, 7, &OFFER, answer);
  for (uint32_t round = 0; round < 20000; ++round) {
    uint64_t host;
    lan_offer_t offer;
    size_t changed_size = random_u32(&r) % 4 ? size : random_u32(&r) % sizeof changed;
    memset(changed, 0, sizeof changed);
    memcpy(changed, answer, size);
    for (uint32_t i = random_u32(&r) % 3; i > 0; --i)
      changed[random_u32(&r) % size] = (uint8_t)random_u32(&r);
    if (!lan_read_answer(changed, changed_size, 42, &host, &offer))
      continue;
    ++accepted;
    assert_int_equal(lan_write_answer(question, sizeof question, host, &offer, again), changed_size);
    assert_memory_equal(again, changed, changed_size);
    assert_true(offer.port > 0 && offer.players <= offer.max_players);
    for (const char *c = offer.title; *c; ++c)
      assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
  }
  assert_in_range(accepted, 100, 19000);
}

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void two_hosts_of_a_machine_are_found_once_each(void **state) {
  (void)state;
  error_info_t error = {0};
  lan_host_o *hosts[2] = {lan_host_create(&error), lan_host_create(&error)};
  lan_search_o *search = lan_search_create(&error);
  uint32_t ports[2] = {0}, count = 0;
  if (!hosts[0] || !hosts[1] || !search) {
    print_message("# skipped: %s\n", error.text);
    lan_host_destroy(hosts[0]);
    lan_host_destroy(hosts[1]);
    lan_search_destroy(search);
    skip();
  }
  int64_t end_us = now_us() + 20000000, quiet_us = 0;
  for (int64_t us; (us = now_us()) < end_us && (count < 2 || us < quiet_us);) {
    lan_found_t found;
    for (uint16_t i = 0; i < 2; ++i) {
      lan_offer_t offer = OFFER;
      offer.port = (uint16_t)(1000 + i);
      lan_host_update(hosts[i], us, &offer);
    }
    while (lan_search_update(search, us, &found)) {
      if (found.offer.game != OFFER.game)
        continue; // a host of another process
      assert_in_range(found.offer.port, 1000, 1001);
      assert_int_equal(found.address.port, found.offer.port);
      assert_string_equal(found.offer.title, OFFER.title);
      ++ports[found.offer.port - 1000];
      quiet_us = ++count == 2 ? us + 1200000 : 0; // two more questions
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  assert_int_equal(ports[0], 1);
  assert_int_equal(ports[1], 1);
  lan_host_destroy(hosts[0]);
  lan_host_destroy(hosts[1]);
  lan_search_destroy(search);
}

int lan_search_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_round_trip),
      cmocka_unit_test(malformed_questions_get_no_answer),
      cmocka_unit_test(changed_answers_are_rejected_or_canonical),
      cmocka_unit_test(two_hosts_of_a_machine_are_found_once_each),
  };
  return cmocka_run_group_tests_name("lan_search", tests, NULL, NULL);
}
