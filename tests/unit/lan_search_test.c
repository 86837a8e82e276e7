// Searching for hosts in the local network: link/lan_search.h, link/lan_list.h.
#include "link/lan_list.h"

#include "base/random.h"
#include "test.h"

#include <string.h>
#include <time.h>

static const lan_offer_t OFFER = {.game = 0x123456789abcdef0u,
                                  .files = 0x0fedcba987654321u,
                                  .match = 0x0fedcba987654321u,
                                  .proof = 0x1122334455667788u,
                                  .port = 47110,
                                  .players = 2,
                                  .max_players = 8,
                                  .rank = 3,
                                  .title = "Rockfall äöü",
                                  .name = "Böb"};

static void make_question(uint8_t question[LAN_DATAGRAM_BYTES]) {
  memset(question, 0, LAN_DATAGRAM_BYTES);
  memcpy(question, "shoal?\5", 7);
  question[7] = 42; // nonce
}

TEST(answers_round_trip) {
  uint8_t question[LAN_DATAGRAM_BYTES], answer[LAN_DATAGRAM_BYTES];
  uint64_t host = 0;
  lan_offer_t offer;
  make_question(question);
  size_t size = lan_write_answer(question, sizeof question, 7, &OFFER, answer);
  assert_in_range(size, 1, LAN_DATAGRAM_BYTES);
  assert_true(lan_read_answer(answer, size, 42, &host, &offer));
  assert_int_equal(host, 7);
  assert_memory_equal(&offer, &OFFER, sizeof offer);
  assert_false(lan_read_answer(answer, size, 43, &host, &offer)); // the answer to a different question
}

TEST(malformed_questions_get_no_answer) {
  uint8_t question[LAN_DATAGRAM_BYTES + 1] = {0}, answer[LAN_DATAGRAM_BYTES];
  make_question(question);
  // A question that is shorter than its answer would amplify traffic.
  assert_int_equal(lan_write_answer(question, LAN_DATAGRAM_BYTES - 1, 7, &OFFER, answer), 0);
  assert_int_equal(lan_write_answer(question, LAN_DATAGRAM_BYTES + 1, 7, &OFFER, answer), 0);
  for (uint32_t i = 0; i < 7; ++i) {
    make_question(question);
    question[i] ^= 1;
    assert_int_equal(lan_write_answer(question, LAN_DATAGRAM_BYTES, 7, &OFFER, answer), 0);
  }
}

// Accepted bytes must equal the bytes that the host would write: no field has two encodings, and no title can control
// a terminal.
TEST(changed_answers_are_rejected_or_canonical) {
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
    for (const char *c = offer.name; *c; ++c)
      assert_true((unsigned char)*c >= ' ' && *c != 0x7f);
  }
  assert_in_range(accepted, 100, 19000);
}

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

// Two hosts of this machine, and a list of the hosts in the network.
typedef struct network_t {
  lan_host_o *hosts[2];
  lan_list_o *list;
} network_t;

static void close_network(network_t *n) {
  lan_host_destroy(n->hosts[0]);
  lan_host_destroy(n->hosts[1]);
  lan_list_destroy(n->list);
}

static void open_network(network_t *n) {
  error_info_t error = {0};
  *n = (network_t){.hosts = {lan_host_create(&error), lan_host_create(&error)}, .list = lan_list_create()};
  if (n->hosts[0] && n->hosts[1] && lan_list_update(n->list, now_us(), &error))
    return;
  print_message("# skipped: %s\n", error.text);
  close_network(n);
  skip();
}

// Lets the hosts answer with `players` players each; 0: the host does not answer.
static void answer(network_t *n, int64_t us, const uint8_t players[2]) {
  for (uint16_t i = 0; i < 2; ++i) {
    lan_offer_t offer = OFFER;
    offer.port = (uint16_t)(1000 + i);
    offer.players = players[i];
    if (players[i] > 0)
      lan_host_update(n->hosts[i], us, &offer);
  }
}

// Returns the host with this port, or NULL if it is not in the list. Stores in `times` how often it is in the list.
static const lan_found_t *find_host(const network_t *n, uint16_t port, uint32_t *times) {
  uint32_t count;
  const lan_found_t *hosts = lan_list_get_hosts(n->list, &count), *found = NULL;
  *times = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (hosts[i].offer.game == OFFER.game && hosts[i].offer.port == port) { // ignores hosts of other processes
      found = &hosts[i];
      ++*times;
    }
  return found;
}

// Runs for at least `min_us`, and until the list shows these numbers of players. Returns the time.
static int64_t run_until(network_t *n, int64_t us, int64_t min_us, const uint8_t players[2]) {
  int64_t start_us = us, offset_us = us - now_us(), end_us = us + 20000000;
  bool is_done = false;
  error_info_t error = {0};
  for (; us < end_us && !(is_done && us - start_us >= min_us); us = now_us() + offset_us) {
    answer(n, us, players);
    assert_true(lan_list_update(n->list, us, &error));
    is_done = true;
    for (uint16_t i = 0; i < 2; ++i) {
      uint32_t times;
      const lan_found_t *host = find_host(n, (uint16_t)(1000 + i), &times);
      assert_in_range(times, 0, 1);
      is_done &= host ? host->offer.players == players[i] : players[i] == 0;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  assert_true(is_done);
  return us;
}

TEST(hosts_of_a_machine_are_listed_once_while_they_answer) {
  network_t n;
  uint32_t times;
  open_network(&n);
  int64_t us = run_until(&n, now_us(), 600000, (uint8_t[]){1, 2}); // two questions
  const lan_found_t *host = find_host(&n, 1001, &times);
  assert_int_equal(host->address.port, 1001);
  assert_string_equal(host->offer.title, OFFER.title);
  assert_string_equal(host->offer.name, OFFER.name);
  us = run_until(&n, us, 0, (uint8_t[]){1, 3}); // the latest answer of the second machine counts
  run_until(&n, us + LAN_LIST_TIMEOUT_US, 0, (uint8_t[]){1, 0});
  lan_list_close(n.list);
  assert_null(find_host(&n, 1000, &times));
  run_until(&n, now_us(), 0, (uint8_t[]){1, 2});
  close_network(&n);
}
