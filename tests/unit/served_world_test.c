// A served world without its database: the choice of rooms, the port for requests of players, and the metrics file.
#include "match/world_finder.h"
#include "serve/metrics.h"
#include "serve/room_choice.h"
#include "serve/world_door.h"

#include "base/files.h"
#include "base/random.h"
#include "link/link_udp.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROOMS 4u // mine-1, mine-2, vault, town

typedef struct case_t {
  served_kind_t kinds[3];
  world_room_t items[ROOMS];
  world_rooms_t rooms;
  int64_t last_account;
  bool watches; // the requests are requests of spectators
} case_t;

SETUP(case_t, c) {
  c->kinds[0] = (served_kind_t){.name = "mine", .count = 2, .enter = true, .sleeps = true};
  c->kinds[1] = (served_kind_t){.name = "town", .enter = true, .sleeps = true};
  c->kinds[2] = (served_kind_t){.name = "vault", .enter = false, .sleeps = true};
  static const char *const NAMES[ROOMS] = {"mine-1", "mine-2", "town", "vault"};
  for (uint32_t i = 0; i < ROOMS; ++i) {
    world_room_t *r = &c->items[i];
    *r = (world_room_t){.room = {.index = i, .players = 2, .kind = &c->kinds[i < 2 ? 0 : i - 1]},
                        .process = {.name = NAMES[i], .phase = ROOM_OPEN, .starts = 1},
                        .port = (uint16_t)(5001 + i)};
    (void)snprintf(r->room.name, sizeof r->room.name, "%s", NAMES[i]);
  }
  c->rooms = (world_rooms_t){.items = c->items, .count = ROOMS, .first_process = 1000};
}

TEARDOWN(case_t, c) {
}

static match_refusal_t answer_account(case_t *c, int64_t now_us, const char *room, bool returns,
                                      const account_info_t *account) {
  match_refusal_t out;
  world_request_t request = {.returns = returns, .watches = c->watches};
  (void)snprintf(request.room, sizeof request.room, "%s", room);
  world_room_t *needed = room_choice_answer(&c->rooms, now_us, &request, account, &out);
  assert_int_equal(needed != NULL, out.number == MATCH_REFUSAL_ROOM || out.number == MATCH_REFUSAL_ROOM_STARTS);
  return out;
}

static match_refusal_t answer(case_t *c, int64_t now_us, const char *room, bool returns) {
  return answer_account(c, now_us, room, returns, &(account_info_t){.exists = true, .id = ++c->last_account});
}

static void expect_room(case_t *c, int64_t now_us, const char *request, const char *room, uint16_t port) {
  uint16_t found_port = 0;
  uint64_t process = 0;
  match_refusal_t out = answer(c, now_us, request, false);
  assert_true(world_answer_get_room(&out, &found_port, &process));
  assert_string_equal(out.texts[0], room);
  assert_int_equal(found_port, port);
  assert_true(process == 1001);
}

static void expect_refusal(case_t *c, const char *request, match_refusal_kind_t kind) {
  assert_int_equal(answer(c, 0, request, false).number, kind);
}

TEST_IN(request_selects_a_room_by_name_by_kind_or_the_first, case_t, c) {
  expect_room(c, 0, "town", "town", 5003);
  expect_room(c, 0, "mine-2", "mine-2", 5002);
  expect_room(c, 0, "mine", "mine-1", 5001);
  expect_room(c, 0, "", "mine-1", 5001);
}

TEST_IN(requests_fill_a_room_before_the_next_room, case_t, c) {
  expect_room(c, 0, "mine", "mine-1", 5001);
  expect_room(c, 0, "mine", "mine-1", 5001);
  expect_room(c, 0, "mine", "mine-2", 5002);
  c->items[1].process.beat.players = 1;
  expect_refusal(c, "mine", MATCH_REFUSAL_FULL);
  expect_room(c, 0, "", "town", 5003);
  expect_room(c, ROOM_ARRIVAL_US, "mine", "mine-1", 5001); // no player has arrived
}

TEST_IN(machine_that_returns_is_sent_to_its_full_room, case_t, c) {
  c->items[2].process.beat.players = 2;
  expect_refusal(c, "town", MATCH_REFUSAL_FULL);
  assert_int_equal(answer(c, 0, "town", true).number, MATCH_REFUSAL_ROOM);
  assert_int_equal(c->items[2].process.arrival_count, 0);
}

TEST_IN(account_counts_once_while_it_repeats_its_request, case_t, c) {
  account_info_t ada = {.exists = true, .id = 100}, bob = {.exists = true, .id = 101};
  for (int64_t i = 0; i < 4; ++i)
    assert_int_equal(answer_account(c, i * 1000000, "town", false, &ada).number, MATCH_REFUSAL_ROOM);
  assert_int_equal(answer_account(c, 4000000, "town", false, &bob).number, MATCH_REFUSAL_ROOM);
  assert_int_equal(c->items[2].process.arrival_count, 2);
}

TEST_IN(each_expected_player_counts_for_its_own_time, case_t, c) {
  account_info_t ada = {.exists = true, .id = 100}, bob = {.exists = true, .id = 101},
                 eve = {.exists = true, .id = 102};
  assert_int_equal(answer_account(c, 0, "town", false, &ada).number, MATCH_REFUSAL_ROOM);
  assert_int_equal(answer_account(c, 2000000, "town", false, &bob).number, MATCH_REFUSAL_ROOM);
  assert_int_equal(answer_account(c, 2999999, "town", false, &eve).number, MATCH_REFUSAL_FULL);
  assert_int_equal(answer_account(c, 3000000, "town", false, &eve).number, MATCH_REFUSAL_ROOM);
  assert_int_equal(answer_account(c, 4000000, "town", false, &ada).number, MATCH_REFUSAL_FULL);
}

TEST_IN(sleeping_and_crashed_rooms_must_start_first, case_t, c) {
  static const room_phase_t PHASES[] = {ROOM_ASLEEP, ROOM_STARTING, ROOM_CRASHED, ROOM_STOPPING};
  for (uint32_t i = 0; i < sizeof PHASES / sizeof *PHASES; ++i) {
    c->items[2].process.phase = PHASES[i];
    expect_refusal(c, "town", MATCH_REFUSAL_ROOM_STARTS);
  }
}

TEST_IN(damaged_rooms_are_skipped_or_refused, case_t, c) {
  c->items[0].process.phase = ROOM_DAMAGED;
  expect_room(c, 0, "mine", "mine-2", 5002);
  expect_refusal(c, "mine-1", MATCH_REFUSAL_ROOM_FAILED);
}

// Code 1 has written what Ada owns, and mine-1 has refused this code.
TEST_IN(rooms_that_have_refused_the_code_of_an_account_are_skipped_or_refused, case_t, c) {
  account_info_t ada = {.exists = true, .id = 100, .code = 1};
  c->items[0].process.refused = 1;
  assert_string_equal(answer_account(c, 0, "mine", false, &ada).texts[0], "mine-2");
  assert_string_equal(answer_account(c, 0, "", false, &ada).texts[0], "mine-2");
  match_refusal_t out = answer_account(c, 0, "mine-1", false, &ada);
  assert_int_equal(out.number, MATCH_REFUSAL_OLD_ROOM);
  assert_string_equal(out.texts[0], "mine-1");
  assert_string_equal(out.texts[1], "code 1, not 0");
  (void)snprintf(ada.place, sizeof ada.place, "mine-1");
  out = answer_account(c, 0, "", false, &ada); // the room of the last visit
  assert_int_equal(out.number, MATCH_REFUSAL_ROOM);
  assert_string_equal(out.texts[0], "mine-2");
  c->items[0].process.code = 1; // a later trial has accepted the code
  assert_string_equal(answer_account(c, 0, "mine", false, &ada).texts[0], "mine-1");
  c->items[0].process.code = 0;
  ada.code = 0;
  assert_string_equal(answer_account(c, 0, "mine", false, &ada).texts[0], "mine-1");
}

TEST_IN(closed_and_unknown_rooms_are_refused, case_t, c) {
  expect_refusal(c, "vault", MATCH_REFUSAL_ROOM_CLOSED);
  assert_int_equal(answer(c, 0, "vault", true).number, MATCH_REFUSAL_ROOM_CLOSED);
  match_refusal_t out = answer(c, 0, "twon", false);
  assert_int_equal(out.number, MATCH_REFUSAL_NO_ROOM);
  assert_string_equal(out.texts[0], "twon");
  assert_string_equal(out.texts[1], "town");
  expect_refusal(c, "mine-3", MATCH_REFUSAL_NO_ROOM);
}

static void expect_account(case_t *c, const account_info_t *account, const char *request, const char *room) {
  match_refusal_t out = answer_account(c, 0, request, false, account);
  assert_int_equal(out.number, MATCH_REFUSAL_ROOM);
  assert_string_equal(out.texts[0], room);
}

TEST_IN(player_joins_the_room_of_the_account, case_t, c) {
  account_info_t account = {.exists = true, .place = "town"};
  expect_account(c, &account, "", "town");
  expect_account(c, &account, "mine", "mine-1");
  account = (account_info_t){.exists = true, .place = "town", .is_in_room = true, .room = "mine-2"};
  expect_account(c, &account, "", "mine-2");
  account = (account_info_t){.exists = true, .place = "removed", .is_in_room = true, .room = "gone"};
  expect_account(c, &account, "", "mine-1"); // the game no longer has these rooms
}

TEST_IN(doors_lead_into_closed_rooms_and_back, case_t, c) {
  account_info_t account = {.exists = true, .place = "vault", .origin = "town"};
  expect_account(c, &account, "", "vault");
  expect_account(c, &account, "vault", "vault");
  account = (account_info_t){.exists = true, .place = "mine", .origin = "vault"};
  expect_account(c, &account, "", "mine-1");
  expect_account(c, &account, "vault", "vault");
  account.origin[0] = '\0';
  assert_int_equal(answer_account(c, 0, "vault", false, &account).number, MATCH_REFUSAL_ROOM_CLOSED);
  account = (account_info_t){.exists = true, .is_in_room = true, .room = "vault"};
  expect_account(c, &account, "vault", "vault");
}

// The machine has lost its connection before the door, so it asks for the former room.
TEST_IN(machine_that_returns_after_a_door_is_sent_to_the_new_room, case_t, c) {
  account_info_t account = {.exists = true, .id = 60, .place = "mine-2", .origin = "town"};
  match_refusal_t out = answer_account(c, 0, "town", true, &account);
  assert_int_equal(out.number, MATCH_REFUSAL_ROOM);
  assert_string_equal(out.texts[0], "mine-2");
  out = answer_account(c, 0, "town", false, &account); // the player has chosen the room
  assert_string_equal(out.texts[0], "town");
  c->items[1].process.phase = ROOM_DAMAGED;
  out = answer_account(c, 0, "town", true, &account); // the new room refuses all players
  assert_int_equal(out.number, MATCH_REFUSAL_ROOM);
  assert_string_equal(out.texts[0], "town");
  account = (account_info_t){.exists = true, .id = 60, .is_in_room = true, .room = "town", .place = "town"};
  out = answer_account(c, 0, "town", true, &account);
  assert_string_equal(out.texts[0], "town");
}

TEST_IN(spectators_use_no_places_of_players, case_t, c) {
  account_info_t miner = {.exists = true, .id = 50, .is_in_room = true, .room = "vault"};
  c->items[2].process.beat.players = 2;
  c->watches = true;
  for (uint32_t i = 0; i < 3; ++i)
    expect_room(c, 0, "town", "town", 5003);
  assert_int_equal(c->items[2].process.arrival_count, 0);
  expect_refusal(c, "vault", MATCH_REFUSAL_ROOM_CLOSED);
  expect_account(c, &miner, "vault", "vault");
}

TEST_IN(player_who_is_in_a_full_room_may_join_it_again, case_t, c) {
  account_info_t account = {.exists = true, .is_in_room = true, .room = "town"};
  c->items[2].process.beat.players = 2;
  expect_account(c, &account, "town", "town");
  assert_int_equal(c->items[2].process.arrival_count, 0);
}

TEST_IN(restarted_room_has_a_different_process_number, case_t, c) {
  uint16_t port;
  uint64_t before, after;
  match_refusal_t out = answer(c, 0, "town", false);
  assert_true(world_answer_get_room(&out, &port, &before));
  ++c->items[2].process.starts;
  out = answer(c, 0, "town", false);
  assert_true(world_answer_get_room(&out, &port, &after));
  assert_true(before != after);
}

// --- messages

TEST(requests_are_read_as_they_were_written) {
  world_request_t in = {.room = "mine-12", .returns = true, .name = "Ada", .account = {1, 2}, .code = {3}}, out;
  uint8_t bytes[WORLD_REQUEST_BYTES];
  size_t size = world_request_write(&in, bytes);
  assert_true(world_request_read(bytes, size, &out));
  assert_string_equal(out.room, "mine-12");
  assert_string_equal(out.name, "Ada");
  assert_memory_equal(out.account, in.account, sizeof in.account);
  assert_memory_equal(out.code, in.code, sizeof in.code);
  assert_true(out.returns);
  assert_false(out.watches);
  in = (world_request_t){.room = "", .watches = true};
  size = world_request_write(&in, bytes);
  assert_true(world_request_read(bytes, size, &out));
  assert_string_equal(out.room, "");
  assert_string_equal(out.name, "");
  assert_false(out.returns);
  assert_true(out.watches);
  memset(in.room, 'm', sizeof in.room - 1); // a request of the maximum size
  memset(in.name, 'n', 24);
  size = world_request_write(&in, bytes);
  assert_true(size <= sizeof bytes);
  assert_true(world_request_read(bytes, size, &out));
  assert_string_equal(out.room, in.room);
}

TEST(malformed_requests_are_rejected) {
  world_request_t in = {.room = "town", .name = "Ada"}, out;
  uint8_t bytes[WORLD_REQUEST_BYTES + 1] = {0}, copy[sizeof bytes];
  size_t size = world_request_write(&in, bytes), names = WORLD_REQUEST_CODE + MATCH_PASSWORD_HASH_BYTES;
  for (size_t i = 0; i < size; ++i)
    assert_false(world_request_read(bytes, i, &out));
  assert_false(world_request_read(bytes, size + 1, &out));
  for (size_t i = 0; i < size; ++i) {
    bool is_content = (i >= WORLD_REQUEST_ACCOUNT && i < names) || (i > names && i < names + 4) || i > names + 4;
    if (is_content)
      continue;
    memcpy(copy, bytes, sizeof copy); // the head, and the sizes of the names
    copy[i] ^= 0x40;
    assert_false(world_request_read(copy, size, &out));
  }
  memcpy(copy, bytes, sizeof copy);
  copy[names + 2] = '\0';
  assert_false(world_request_read(copy, size, &out));
  bytes[size - 1] = '\n';
  assert_false(world_request_read(bytes, size, &out));
}

TEST(mutated_requests_are_rejected_or_valid) {
  random_t random;
  random_seed(&random, 11);
  uint8_t bytes[WORLD_REQUEST_BYTES + 64];
  uint32_t valid = 0;
  for (uint32_t i = 0; i < 200000; ++i) {
    world_request_t in = {.room = "mine-2", .name = "Ada"}, out;
    size_t size = world_request_write(&in, bytes);
    for (uint32_t k = random_u32(&random) % 4; k > 0; --k)
      bytes[random_u32(&random) % size] = (uint8_t)random_u32(&random);
    if (random_u32(&random) % 4 == 0)
      size = random_u32(&random) % sizeof bytes;
    if (!world_request_read(bytes, size, &out))
      continue;
    ++valid;
    assert_true(memchr(out.room, 0, sizeof out.room) && memchr(out.name, 0, sizeof out.name));
    uint8_t again[WORLD_REQUEST_BYTES];
    world_request_t copy;
    assert_true(world_request_read(again, world_request_write(&out, again), &copy));
    assert_string_equal(copy.room, out.room);
    assert_string_equal(copy.name, out.name);
  }
  assert_in_range(valid, 10000, 190000);
}

TEST(malformed_answers_name_no_room) {
  match_refusal_t answer_in;
  uint16_t port;
  uint64_t process;
  world_answer_set_room(&answer_in, "town", 5003, 77);
  assert_true(world_answer_get_room(&answer_in, &port, &process));
  assert_true(process == 77);
  answer_in.value = 65536;
  assert_false(world_answer_get_room(&answer_in, &port, &process));
  answer_in.value = 0;
  assert_false(world_answer_get_room(&answer_in, &port, &process));
  world_answer_set_room(&answer_in, "town", 5003, 77);
  answer_in.texts[1][3] = '\0';
  assert_false(world_answer_get_room(&answer_in, &port, &process));
}

// --- the port

typedef struct door_case_t {
  world_door_o *door;
  uint32_t count;
  world_request_t last;
} door_case_t;

static void answer_door(void *context, int64_t now_us, const link_address_t *address, const world_request_t *request,
                        match_refusal_t *out) {
  door_case_t *d = context;
  (void)now_us;
  assert_true(link_address_is_local(address));
  ++d->count;
  d->last = *request;
  world_answer_set_room(out, "town", 5003, 42);
}

static int64_t real_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static world_finder_state_t ask(door_case_t *d, const world_finder_desc_t *desc, match_refusal_t *out,
                                uint8_t key[SEAL_KEY_BYTES]) {
  error_info_t error = {0};
  world_finder_o *f = world_finder_create(desc, real_us(), &error);
  world_finder_state_t state = WORLD_FINDER_ASKING;
  assert_non_null(f);
  for (int i = 0; i < 15000 && state == WORLD_FINDER_ASKING; ++i) {
    world_door_update(d->door, real_us());
    state = world_finder_poll(f, real_us(), out);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  memcpy(key, world_finder_get_key(f), SEAL_KEY_BYTES);
  world_finder_destroy(f);
  return state;
}

TEST(machine_learns_the_port_of_its_room_over_udp) {
  uint8_t seed[SEAL_KEY_BYTES] = {7}, key[SEAL_KEY_BYTES];
  door_case_t d = {0};
  error_info_t error = {0};
  match_refusal_t out;
  uint16_t port;
  uint64_t process;
  d.door = world_door_create(&(world_door_desc_t){.secret_seed = seed, .answer = answer_door, .context = &d}, &error);
  assert_non_null(d.door);
  world_finder_desc_t desc = {.world = link_address_from_ipv4(0x7f000001u, world_door_get_port(d.door)),
                              .request = {.room = "town", .returns = true}};
  assert_int_equal(ask(&d, &desc, &out, key), WORLD_FINDER_ANSWERED);
  assert_true(world_answer_get_room(&out, &port, &process));
  assert_int_equal(port, 5003);
  assert_true(process == 42);
  assert_int_equal(d.count, 1);
  assert_string_equal(d.last.room, "town");
  assert_true(d.last.returns);
  assert_memory_equal(key, world_door_get_key(d.door), sizeof key);
  world_door_destroy(d.door);
}

TEST(machine_that_asks_for_a_match_is_told_that_this_is_a_world) {
  uint8_t seed[SEAL_KEY_BYTES] = {7}, request[600] = {1};
  door_case_t d = {0};
  error_info_t error = {0};
  match_refusal_t out = {0};
  seal_event_t event = {0};
  d.door = world_door_create(&(world_door_desc_t){.secret_seed = seed, .answer = answer_door, .context = &d}, &error);
  link_udp_o *udp = link_udp_create(&(link_udp_desc_t){.port = 0}, &error);
  seal_o *joiner = seal_create(&(seal_desc_t){.link = link_udp_get_link(udp)}, &error);
  link_address_t address = link_address_from_ipv4(0x7f000001u, world_door_get_port(d.door));
  assert_true(seal_join(joiner, real_us(), &address, NULL, request, sizeof request, &error) != 0);
  for (int i = 0; i < 15000 && event.kind != SEAL_EVENT_REFUSED; ++i) {
    world_door_update(d.door, real_us());
    if (!seal_poll(joiner, real_us(), &event))
      nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  assert_true(match_refusal_read(event.bytes, event.size, &out));
  assert_int_equal(out.number, MATCH_REFUSAL_WORLD);
  assert_int_equal(d.count, 0);
  seal_destroy(joiner);
  link_udp_destroy(udp);
  world_door_destroy(d.door);
}

// --- metrics

static uint32_t synchronizations; // number of calls of fsync by this program

// Replaces the function of the C library in this program.
int fsync(int file) {
  ++synchronizations;
  return fdatasync(file);
}

TEST_IN(metrics_contain_the_figures_of_all_rooms, case_t, c) {
  char path[] = "/tmp/shoal-metrics-XXXXXX";
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size;
  world_requests_t requests = {.pause_us = 250000};
  requests.count[MATCH_REFUSAL_FULL] = 3;
  c->items[2].process.beat = (room_beat_t){.tick = 9000, .players = 2, .tick_p99_us = 1500, .acked_tick = 8990};
  c->items[2].process.crashes = 4;
  close(mkstemp(path));
  uint32_t before = synchronizations;
  assert_true(metrics_write(path, &c->rooms, &requests, &error));
  assert_int_equal(synchronizations, before); // the loop of the world does not wait for the disk
  assert_true(file_write(path, "", 0, &error));
  assert_int_equal(synchronizations, before + 1);
  assert_true(metrics_write(path, &c->rooms, &requests, &error));
  char *text = file_read(&memory, path, &size, &error);
  assert_non_null(text);
  static const char *const LINES[] = {"\nshoal_room_open{room=\"mine-2\"} 1\n",
                                      "\nshoal_room_tick{room=\"town\"} 9000\n",
                                      "\nshoal_room_players{room=\"town\"} 2\n",
                                      "\nshoal_room_tick_p99_seconds{room=\"town\"} 0.0015\n",
                                      "\nshoal_room_crashes_total{room=\"town\"} 4\n",
                                      "\n# TYPE shoal_room_crashes_total counter\n",
                                      "\nshoal_room_committed_tick{room=\"town\"} 8990\n",
                                      "\nshoal_world_requests_total{answer=\"full\"} 3\n",
                                      "\nshoal_world_pause_seconds 0.25\n"};
  for (size_t i = 0; i < sizeof LINES / sizeof *LINES; ++i)
    if (!strstr(text, LINES[i]))
      fail_msg("missing line %s in %s", LINES[i], text);
  file_free(&memory, text, size);
  unlink(path);
  assert_false(metrics_write("/nonexistent/world.prom", &c->rooms, &requests, &error));
}
