// Requests that wait for the decision of the host's user, and closed connections: machines of a model world, over a
// simulated network.
#include "match_fixture.h"

#include "base/log.h"
#include "match/match_account.h"
#include "match/match_link.h"
#include "match/match_message.h"
#include "match/match_state.h"

#define MACHINES 4u // maximum number of machines; tests start the last machine

typedef struct case_t {
  fixture_t *f; // provides the model world
  log_o *log;
  match_link_o *links[MACHINES];
  match_guard_t guard;  // guard of the host
  bool is_room;         // the host is a room, which checks accounts
  const char *password; // password of the next link that create_link creates
  bool is_trusted;      // joiners know the host's key
  match_identity_t identity;
  char lines[4096];   // lines of the log
  match_close_t lost; // reason of the host's latest event LOST
} case_t;

static void add_line(void *context, log_level_t level, const char *line) {
  case_t *c = context;
  size_t length = strlen(c->lines);
  (void)level;
  (void)snprintf(c->lines + length, sizeof c->lines - length, "%s\n", line);
}

static const char *const NAMES[] = {"Host", "Ada", "Bo\nb", "Crowd"};
static const uint8_t SECRETS[MACHINES][SEAL_KEY_BYTES] = {{1}, {2}, {3}, {4}}; // secrets of the users' accounts

static bool check_host(void *context, const link_address_t *address, const uint8_t *key, bool *is_trusted) {
  const case_t *c = context;
  (void)address, (void)key;
  *is_trusted = c->is_trusted;
  return true;
}

static void create_link(case_t *c, uint32_t i, const uint8_t *account_secret) {
  error_info_t error = {0};
  match_link_destroy(c->links[i]);
  c->links[i] = match_link_create(&(match_link_desc_t){.link = c->f->machines[i].link,
                                                       .match = c->f->machines[i].match,
                                                       .identity = &c->identity,
                                                       .tick_us = TICK_US,
                                                       .is_host = i == 0,
                                                       .asks = i == 0 && !c->is_room,
                                                       .claims = i == 0 && c->is_room,
                                                       .guard = &c->guard,
                                                       .account_secret = account_secret,
                                                       .check_host = check_host,
                                                       .check_context = c,
                                                       .password = c->password,
                                                       .log = c->log},
                                  &error);
  assert_non_null(c->links[i]);
}

static void start_machine(case_t *c, uint32_t i, uint32_t players) {
  machine_start(c->f, i == 0 ? MATCH_HOST : MATCH_PEER, players);
  create_link(c, i, SECRETS[i]);
}

SETUP(case_t, c) {
  c->f = fixture_create(1, "40ms,10ms,2%");
  c->f->names = NAMES;
  c->log = log_create(LOG_INFO);
  log_set_listener(c->log, add_line, c);
  log_set_terminal(c->log, false);
  for (uint32_t i = 0; i + 1 < MACHINES; ++i)
    start_machine(c, i, 1);
}

TEARDOWN(case_t, c) {
  for (uint32_t i = 0; i < MACHINES; ++i)
    match_link_destroy(c->links[i]);
  fixture_free(c->f);
  log_destroy(c->log);
}

static void run(case_t *c, uint32_t steps) {
  match_event_t event;
  for (uint32_t step = 0; step < steps; ++step, c->f->now_us += TICK_US) {
    for (uint32_t i = 0; i < MACHINES; ++i) {
      if (!c->links[i])
        continue;
      match_link_receive(c->links[i], c->f->now_us);
      match_update(c->f->machines[i].match, c->f->now_us);
      match_link_send(c->links[i], c->f->now_us);
      while (match_pop_event(c->f->machines[i].match, &event))
        if (i == 0 && event.kind == MATCH_EVENT_LOST)
          c->lost = event.reason;
    }
  }
}

static void join(case_t *c, uint32_t i) {
  match_link_join(c->links[i], c->f->now_us, &c->f->machines[0].address);
  run(c, 30);
}

static void expect_request(case_t *c, const char *name, match_request_t *out) {
  assert_true(match_link_get_request(c->links[0], out));
  assert_string_equal(out->applicant.name, name);
  assert_int_equal(out->applicant.players, 1);
}

TEST_IN(machine_waits_until_the_user_accepts, case_t, c) {
  match_request_t request;
  assert_false(match_link_get_request(c->links[0], &request));
  join(c, 1);
  run(c, 60 * 30); // longer than the timeout of a connection
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_JOINING);
  assert_int_equal(match_get_status(c->f->machines[0].match, c->f->now_us).present, 1);
  expect_request(c, "Ada", &request);
  match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
  assert_int_equal(match_get_status(c->f->machines[0].match, c->f->now_us).present, 3);
  assert_false(match_link_get_request(c->links[0], &request));
}

TEST_IN(refused_machine_gets_the_reason, case_t, c) {
  match_request_t request;
  join(c, 1);
  join(c, 2);
  expect_request(c, "Ada", &request); // the oldest request
  match_link_decide(c->links[0], c->f->now_us, request.peer, false);
  expect_request(c, "", &request); // the name has a control character
  match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_REFUSED);
  assert_int_equal(match_link_get_end(c->links[1])->refusal.number, MATCH_REFUSAL_DECLINED);
  assert_int_equal(match_link_get_state(c->links[2]), MATCH_LINK_CONNECTED);
}

TEST_IN(request_contains_the_account_of_the_user_at_this_host, case_t, c) {
  match_request_t request;
  uint8_t expected[MATCH_ACCOUNT_BYTES];
  join(c, 1);
  expect_request(c, "Ada", &request);
  match_account_compute(SECRETS[1], match_link_get_key(c->links[0]), expected);
  assert_memory_equal(request.applicant.account, expected, sizeof expected);
  assert_false(request.applicant.watches);
}

TEST_IN(join_request_disappears_when_its_machine_gives_up, case_t, c) {
  match_request_t request;
  join(c, 1);
  expect_request(c, "Ada", &request);
  match_link_destroy(c->links[1]);
  c->links[1] = NULL;
  run(c, 60 * 12);
  assert_false(match_link_get_request(c->links[0], &request));
  match_link_decide(c->links[0], c->f->now_us, 1, true); // ignored: the request was withdrawn
}

TEST_IN(returning_machine_does_not_wait, case_t, c) {
  match_request_t request;
  join(c, 1);
  expect_request(c, "Ada", &request);
  match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  match_link_close(c->links[1], c->f->now_us);
  run(c, 30);
  assert_int_equal(match_get_status(c->f->machines[0].match, c->f->now_us).connected, 1);
  join(c, 1);
  run(c, 30);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
  assert_int_equal(match_get_status(c->f->machines[0].match, c->f->now_us).connected, 3);
}

TEST_IN(incompatible_machine_is_refused_without_a_question, case_t, c) {
  match_request_t request;
  start_machine(c, 3, PLAYER_MAX_LOBBY);
  join(c, 3);
  assert_int_equal(match_link_get_state(c->links[3]), MATCH_LINK_REFUSED);
  assert_int_equal(match_link_get_end(c->links[3])->refusal.number, MATCH_REFUSAL_FULL);
  assert_false(match_link_get_request(c->links[0], &request));
}

TEST_IN(flood_of_refused_requests_is_counted_instead_of_logged, case_t, c) {
  unsigned lines = 0, counted = 0, refused = 0, count;
  start_machine(c, 3, PLAYER_MAX_LOBBY);
  int64_t begin_us = c->f->now_us;
  for (uint32_t i = 0; i < 30; ++i) {
    match_link_join(c->links[3], c->f->now_us, &c->f->machines[0].address);
    for (uint32_t step = 0; step < 120 && match_link_get_state(c->links[3]) == MATCH_LINK_JOINING; ++step)
      run(c, 1);
    refused += match_link_get_state(c->links[3]) == MATCH_LINK_REFUSED;
  }
  int64_t seconds = (c->f->now_us - begin_us) / 1000000 + 1;
  run(c, 90); // waits until the last refusals are counted
  for (const char *line = c->lines; *line; line = strchr(line, '\n') + 1) {
    char end = 0;
    if (sscanf(line, "match: refused %u further request%c", &count, &end) == 2 && end == 's')
      counted += count;
    else
      lines += strncmp(line, "match: refused ", 15) == 0;
  }
  assert_int_equal(refused, 30);
  assert_int_equal(lines + counted, refused);
  assert_true(counted > 0);
  assert_true(lines <= 5 + 5 * seconds);
}

TEST_IN(different_version_is_refused_without_a_question, case_t, c) {
  match_request_t request;
  c->identity.sources = 1;
  match_link_destroy(c->links[1]);
  c->links[1] = match_link_create(&(match_link_desc_t){.link = c->f->machines[1].link,
                                                       .match = c->f->machines[1].match,
                                                       .identity = &c->identity,
                                                       .tick_us = TICK_US,
                                                       .log = c->log},
                                  NULL);
  join(c, 1);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_REFUSED);
  assert_false(match_link_get_request(c->links[0], &request));
}

// --- closed connections

// Lets machine 1 join. Both machines then play.
static void play(case_t *c) {
  match_request_t request;
  join(c, 1);
  expect_request(c, "Ada", &request);
  match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
}

static void expect_text(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("expected \"%s\" in \"%s\"", part, text);
}

static void expect_closed(case_t *c, match_close_t reason, bool is_by_host, const char *details) {
  const match_end_t *end = match_link_get_end(c->links[1]);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CLOSED);
  assert_int_equal(end->close, reason);
  assert_int_equal(end->is_by_host, is_by_host);
  assert_string_equal(end->details, details);
}

// Expects that the host has closed the connection to machine 1, and that its log names the player and the reason.
static void expect_closed_by_host(case_t *c, match_close_t reason, const char *developers) {
  char text[512];
  (void)snprintf(text, sizeof text, "match: closed the connection to player 2 (Ada): %s\n", developers);
  expect_text(c->lines, text);
  assert_int_equal(c->lost, reason);
  (void)snprintf(text, sizeof text, "the host: %s", developers);
  expect_closed(c, reason, true, text);
}

TEST_IN(machine_that_sends_invalid_data_is_disconnected_with_the_reason, case_t, c) {
  play(c);
  match_push(&c->f->machines[1].match->connections[0], 77, "hello", 5);
  run(c, 30);
  expect_closed_by_host(c, MATCH_CLOSE_MALFORMED, "malformed message or unknown message");
}

TEST_IN(machine_that_lies_about_its_state_is_disconnected_with_the_reason, case_t, c) {
  play(c);
  for (uint32_t i = 0; i < 100; ++i)
    match_push(&c->f->machines[1].match->connections[0], MATCH_MESSAGE_DESYNC, "\x05\x07", 2);
  run(c, 120);
  expect_closed_by_host(c, MATCH_CLOSE_DESYNCS, "the state differs too often, in more than 64 ticks");
}

TEST_IN(machine_that_stops_reading_is_disconnected_with_the_reason, case_t, c) {
  play(c);
  c->f->machines[1].match->has_state = false; // the peer then acknowledges nothing
  run(c, 60 * 12);
  expect_closed_by_host(c, MATCH_CLOSE_STALLED,
                        "acknowledged nothing for 10 seconds: no record, and no byte of a snapshot");
}

// The machine is killed while it loads the snapshot, so its last acknowledgement is older than its last datagram.
TEST_IN(machine_that_is_killed_while_it_joins_has_lost_the_connection, case_t, c) {
  play(c);
  c->f->machines[1].match->has_state = false; // the peer then acknowledges nothing
  run(c, 60 * 2);
  match_link_o *killed = c->links[1];
  c->links[1] = NULL;
  c->lost = MATCH_CLOSE_STALLED;
  run(c, 60 * 12);
  c->links[1] = killed;
  assert_int_equal(c->lost, MATCH_CLOSE_NONE);
  match_status_t status = match_get_status(c->f->machines[0].match, c->f->now_us);
  assert_int_equal(status.connected, 1);
  assert_int_equal(status.present, 3); // the seat is reserved
}

static size_t write_damaged_snapshot(void *context, const uint8_t **bytes) {
  (void)context;
  *bytes = (const uint8_t *)"damaged";
  return 7;
}

TEST_IN(hostile_snapshot_makes_the_machine_leave_with_the_reason, case_t, c) {
  c->f->machines[0].match->desc.world.write_snapshot = write_damaged_snapshot;
  match_request_t request;
  join(c, 1);
  expect_request(c, "Ada", &request);
  match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  expect_closed(c, MATCH_CLOSE_SNAPSHOT, false, "the snapshot is malformed or its hash differs");
  expect_text(c->lines, "match: closed the connection to the host: the snapshot is malformed or its hash differs\n");
  expect_text(c->lines, "match: player 2 (Ada) has closed the connection: the snapshot is malformed");
}

TEST_IN(hostile_sources_make_the_machine_leave_with_the_reason, case_t, c) {
  play(c);
  match_push(&c->f->machines[0].match->connections[0], MATCH_MESSAGE_TRY, "\x09", 1);
  run(c, 30);
  expect_closed(c, MATCH_CLOSE_CODE, false, "malformed code");
  expect_text(c->lines, "match: closed the connection to the host: malformed code\n");
}

TEST_IN(host_that_closes_without_a_reason_has_left, case_t, c) {
  play(c);
  match_link_close(c->links[0], c->f->now_us);
  run(c, 30);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_LEFT);
}

TEST_IN(silent_host_is_lost, case_t, c) {
  play(c);
  match_link_destroy(c->links[0]);
  c->links[0] = NULL;
  run(c, 60 * 11);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_LOST);
}

// --- removed players

static match_status_t get_status(const case_t *c, uint32_t machine) {
  return match_get_status(c->f->machines[machine].match, c->f->now_us);
}

static void admit(case_t *c, uint32_t machine) {
  match_request_t request;
  join(c, machine);
  if (match_link_get_request(c->links[0], &request))
    match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  assert_int_equal(match_link_get_state(c->links[machine]), MATCH_LINK_CONNECTED);
}

// Machines 1 and 2 play as the players 2 and 3.
static void play_with_three(case_t *c) {
  admit(c, 1);
  admit(c, 2);
  assert_int_equal(get_status(c, 0).present, 7);
}

static void expect_same_state(case_t *c, uint32_t machine) {
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_PAUSE); // the machines reach the same tick
  run(c, 120);
  assert_int_equal(get_status(c, machine).tick, get_status(c, 0).tick);
  assert_memory_equal(&c->f->machines[machine].state, &c->f->machines[0].state, sizeof(model_state_t));
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_RESUME);
}

static bool know_the_same_key(const case_t *c, uint32_t first, uint32_t second) {
  return memcmp(match_get_key(c->f->machines[first].match), match_get_key(c->f->machines[second].match),
                MATCH_KEY_BYTES) == 0;
}

TEST_IN(removed_player_leaves_with_the_reason, case_t, c) {
  play_with_three(c);
  assert_int_equal(match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_REMOVED), 2);
  run(c, 60);
  expect_closed(c, MATCH_CLOSE_REMOVED, true, "the host: a user has removed the player");
  assert_int_equal(get_status(c, 0).present, 5);
  assert_int_equal(get_status(c, 2).present, 5);
  expect_same_state(c, 2);
}

TEST_IN(machines_that_stay_get_a_new_secret_after_a_removal, case_t, c) {
  play_with_three(c);
  assert_true(know_the_same_key(c, 0, 1) && know_the_same_key(c, 0, 2));
  match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_REMOVED);
  run(c, 60);
  assert_true(know_the_same_key(c, 0, 2));
  assert_false(know_the_same_key(c, 0, 1)); // cannot prove that it is the successor of the host
}

TEST_IN(removal_of_a_machine_removes_all_its_players, case_t, c) {
  start_machine(c, 3, 2);
  admit(c, 1);
  admit(c, 3);
  assert_int_equal(get_status(c, 0).present, 15);
  assert_int_equal(match_link_remove_player(c->links[0], c->f->now_us, 3, MATCH_CLOSE_REMOVED), 12);
  run(c, 60);
  assert_int_equal(get_status(c, 0).present, 3);
}

TEST_IN(lost_player_can_be_removed, case_t, c) {
  play_with_three(c);
  match_link_close(c->links[1], c->f->now_us);
  run(c, 30);
  assert_int_equal(get_status(c, 0).connected, 5);
  assert_int_equal(match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_REMOVED), 2);
  run(c, 60);
  assert_int_equal(get_status(c, 0).present, 5);
  assert_true(know_the_same_key(c, 0, 2));
  expect_same_state(c, 2);
}

TEST_IN(players_of_the_host_and_absent_players_cannot_be_removed, case_t, c) {
  play(c);
  assert_int_equal(match_link_remove_player(c->links[0], c->f->now_us, 0, MATCH_CLOSE_REMOVED), 0);
  assert_int_equal(match_link_remove_player(c->links[0], c->f->now_us, 5, MATCH_CLOSE_REMOVED), 0);
  assert_int_equal(match_link_remove_player(c->links[1], c->f->now_us, 0, MATCH_CLOSE_REMOVED), 0); // not the host
  run(c, 60);
  assert_int_equal(get_status(c, 0).present, 3);
}

// No tick runs in a paused match, but the removed player's place is free for the next machine.
TEST_IN(seat_of_a_removed_player_is_free_in_a_paused_match, case_t, c) {
  start_machine(c, 3, PLAYER_MAX_LOBBY - 2);
  admit(c, 1);
  admit(c, 3); // the match is full
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_PAUSE);
  run(c, 30);
  match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_REMOVED);
  admit(c, 2);
  assert_int_equal(get_status(c, 2).players, 2);
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_RESUME);
  run(c, 60);
  assert_int_equal(get_status(c, 0).present, UINT8_MAX);
  expect_same_state(c, 2);
}

TEST_IN(malformed_secret_makes_the_machine_leave, case_t, c) {
  play(c);
  match_push(&c->f->machines[0].match->connections[0], MATCH_MESSAGE_KEY, "short", 5);
  run(c, 30);
  expect_closed(c, MATCH_CLOSE_MALFORMED, false, "malformed message or unknown message");
}

// --- refused users

static void expect_refusal(case_t *c, uint32_t machine, match_refusal_kind_t reason) {
  match_request_t request;
  assert_int_equal(match_link_get_state(c->links[machine]), MATCH_LINK_REFUSED);
  assert_int_equal(match_link_get_end(c->links[machine])->refusal.number, reason);
  assert_false(match_link_get_request(c->links[0], &request));
}

TEST_IN(removed_user_is_refused_until_the_match_ends, case_t, c) {
  play(c);
  match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_REMOVED);
  run(c, 60);
  join(c, 1); // the machine sends its token
  expect_refusal(c, 1, MATCH_REFUSAL_REMOVED);
  c->guard = (match_guard_t){0}; // the next match
  join(c, 1);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_JOINING);
}

TEST_IN(removed_user_does_not_block_an_address, case_t, c) {
  match_request_t request;
  play(c);
  match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_REMOVED);
  run(c, 60);
  create_link(c, 1, SECRETS[3]); // a different user of the same machine
  join(c, 1);
  expect_request(c, "Ada", &request);
}

TEST_IN(banned_user_is_refused_at_a_different_address, case_t, c) {
  play(c);
  match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_BANNED);
  run(c, 60);
  expect_closed(c, MATCH_CLOSE_BANNED, true, "the host: a user has banned the player");
  create_link(c, 2, SECRETS[1]);
  join(c, 2);
  expect_refusal(c, 2, MATCH_REFUSAL_BANNED);
}

TEST_IN(banned_address_is_refused_with_a_different_account, case_t, c) {
  play(c);
  match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_BANNED);
  run(c, 60);
  create_link(c, 1, SECRETS[3]);
  join(c, 1);
  expect_refusal(c, 1, MATCH_REFUSAL_BANNED);
}

TEST_IN(user_who_has_lost_the_connection_can_be_banned, case_t, c) {
  play(c);
  match_link_close(c->links[1], c->f->now_us);
  run(c, 30);
  match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_BANNED);
  assert_int_equal(match_guard_count_bans(&c->guard), 1);
  assert_string_equal(c->guard.blocks[0].name, "Ada");
  create_link(c, 2, SECRETS[1]);
  join(c, 2);
  expect_refusal(c, 2, MATCH_REFUSAL_BANNED);
}

TEST_IN(hosts_user_is_not_asked_again_about_the_same_machine, case_t, c) {
  match_request_t request;
  join(c, 1);
  create_link(c, 2, SECRETS[1]); // requests of the same account from a different address
  join(c, 2);
  expect_request(c, "Ada", &request);
  match_link_refuse_always(c->links[0], c->f->now_us, request.peer);
  run(c, 30);
  for (uint32_t i = 1; i <= 2; ++i)
    expect_refusal(c, i, MATCH_REFUSAL_DECLINED);
  create_link(c, 1, SECRETS[3]);
  join(c, 1);
  expect_refusal(c, 1, MATCH_REFUSAL_DECLINED);
}

TEST_IN(machine_that_asks_eleven_times_is_refused_without_a_question, case_t, c) {
  match_request_t request;
  for (uint32_t i = 0; i < 10; ++i) {
    join(c, 1);
    expect_request(c, "Ada", &request);
    match_link_decide(c->links[0], c->f->now_us, request.peer, false);
    run(c, 60 * 12); // the seal repeats the answer to four requests until then
  }
  join(c, 1);
  expect_refusal(c, 1, MATCH_REFUSAL_TOO_MANY_TRIES);
  assert_in_range(match_link_get_end(c->links[1])->refusal.value, 400, 500); // seconds until the next try
  create_link(c, 1, SECRETS[3]);                                             // the address counts, too
  join(c, 1);
  expect_refusal(c, 1, MATCH_REFUSAL_TOO_MANY_TRIES);
  c->f->now_us += MATCH_GUARD_QUESTION_US;
  run(c, 60);
  join(c, 1);
  expect_request(c, "Ada", &request);
}

// Requests of modified programs, with names that a joiner would have sanitized and with malformed fields.
TEST_IN(names_and_fields_of_modified_requests_are_checked, case_t, c) {
  uint8_t request[MATCH_REQUEST_BYTES];
  match_applicant_t applicant;
  const match_o *host = c->f->machines[0].match;
  match_write_request(c->f->machines[1].match, request);
  memcpy(request + MATCH_REQUEST_NAME, "abcdefghijklmnopqrstuvwxy", 26); // 25 letters
  assert_true(match_read_request(host, request, sizeof request, &applicant));
  assert_string_equal(applicant.name, "abcdefghijklmnopqrstuvwx");
  memset(request + MATCH_REQUEST_NAME, 'a', PLAYER_NAME_BYTES); // the name lacks its '\0'
  assert_true(match_read_request(host, request, sizeof request, &applicant));
  assert_int_equal(strlen(applicant.name), 24);
  memcpy(request + MATCH_REQUEST_NAME, "A\033[2J\n", 7);
  assert_true(match_read_request(host, request, sizeof request, &applicant));
  assert_string_equal(applicant.name, "");
  request[MATCH_REQUEST_PLAYERS] = 9;
  assert_true(match_read_request(host, request, sizeof request, &applicant));
  assert_false(applicant.fits);
  request[MATCH_REQUEST_WATCH] = 2;
  assert_false(match_read_request(host, request, sizeof request, &applicant));
}

// --- passwords

static void create_with_password(case_t *c, uint32_t machine, const char *password) {
  c->password = password;
  create_link(c, machine, SECRETS[machine]);
}

static void join_with_password(case_t *c, uint32_t machine, const char *password) {
  create_with_password(c, machine, password);
  join(c, machine);
  run(c, 60 * 12); // the seal repeats the answer to four requests until then
}

TEST_IN(machine_with_the_right_password_joins_without_a_question, case_t, c) {
  c->is_trusted = true;
  create_with_password(c, 0, "tea at 5");
  join_with_password(c, 1, "tea at 5");
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
  join_with_password(c, 2, "tea at 6");
  expect_refusal(c, 2, MATCH_REFUSAL_PASSWORD);
  join_with_password(c, 2, NULL);
  expect_refusal(c, 2, MATCH_REFUSAL_PASSWORD);
  assert_false(match_link_lacks_trust(c->links[2]));
}

TEST_IN(sixth_password_within_a_minute_is_refused_without_comparing, case_t, c) {
  c->is_trusted = true;
  create_with_password(c, 0, "tea");
  create_with_password(c, 1, "coffee");
  for (uint32_t i = 0; i < 5; ++i) {
    join(c, 1);
    expect_refusal(c, 1, MATCH_REFUSAL_PASSWORD);
    run(c, i % 3 == 2 ? 60 * 11 : 0); // the seal repeats the answer to four requests until then
  }
  run(c, 60 * 11);
  create_with_password(c, 1, "tea");
  join(c, 1);
  expect_refusal(c, 1, MATCH_REFUSAL_TOO_MANY_TRIES);
  c->password = "tea"; // a different address is not affected
  create_link(c, 2, SECRETS[1]);
  join(c, 2);
  assert_int_equal(match_link_get_state(c->links[2]), MATCH_LINK_CONNECTED);
  run(c, 60 * 60);
  join(c, 1);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
}

TEST_IN(host_with_an_unknown_key_does_not_get_the_password, case_t, c) {
  match_request_t request;
  static const uint8_t NONE[MATCH_PASSWORD_HASH_BYTES];
  create_with_password(c, 1, "tea");
  join(c, 1);
  expect_request(c, "Ada", &request);
  assert_memory_equal(request.applicant.password, NONE, sizeof NONE);
  match_link_decide(c->links[0], c->f->now_us, request.peer, false);
  run(c, 30);
  assert_false(match_link_lacks_trust(c->links[1])); // refused for a different reason
  create_with_password(c, 0, "tea");
  join(c, 1);
  expect_refusal(c, 1, MATCH_REFUSAL_PASSWORD);
  assert_true(match_link_lacks_trust(c->links[1]));
}

TEST_IN(password_of_a_request_is_a_hash_for_this_host, case_t, c) {
  match_request_t request;
  uint8_t expected[MATCH_PASSWORD_HASH_BYTES];
  c->is_trusted = true;
  create_with_password(c, 1, "tea");
  join(c, 1);
  expect_request(c, "Ada", &request);
  match_account_hash_password("tea", match_link_get_key(c->links[0]), expected);
  assert_memory_equal(request.applicant.password, expected, sizeof expected);
  match_account_hash_password("tea", SECRETS[0], expected); // hash for a different host
  assert_memory_not_equal(request.applicant.password, expected, sizeof expected);
}

TEST_IN(returning_machine_needs_no_password, case_t, c) {
  c->is_trusted = true;
  create_with_password(c, 0, "tea");
  join_with_password(c, 1, "tea");
  match_link_close(c->links[1], c->f->now_us);
  c->is_trusted = false; // the host's address has changed
  run(c, 30);
  join(c, 1);
  run(c, 30);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
}

// --- places of lost players

// Fills the match with 8 players, and closes the connection of machine 1.
static void fill_and_lose(case_t *c) {
  start_machine(c, 3, PLAYER_MAX_LOBBY - 2);
  admit(c, 1);
  admit(c, 3);
  match_link_close(c->links[1], c->f->now_us);
  run(c, 30);
}

TEST_IN(host_can_give_away_the_seat_of_a_lost_player, case_t, c) {
  match_request_t request;
  fill_and_lose(c);
  join(c, 2);
  expect_request(c, "", &request);
  assert_false(request.applicant.fits);
  assert_int_equal(request.applicant.reserved, 2);
  match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  assert_int_equal(match_link_get_state(c->links[2]), MATCH_LINK_CONNECTED);
  assert_int_equal(get_status(c, 2).players, 2);
  assert_int_equal(get_status(c, 0).present, UINT8_MAX);
  expect_same_state(c, 3);
  expect_same_state(c, 2);
  join(c, 1); // machine 1 was removed, so its token is invalid
  expect_refusal(c, 1, MATCH_REFUSAL_FULL);
}

TEST_IN(refusing_a_machine_keeps_the_seat_of_a_lost_player, case_t, c) {
  match_request_t request;
  fill_and_lose(c);
  join(c, 2);
  expect_request(c, "", &request);
  match_link_decide(c->links[0], c->f->now_us, request.peer, false);
  run(c, 30);
  join(c, 1);
  run(c, 30);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
  assert_int_equal(get_status(c, 0).connected, UINT8_MAX);
}

TEST_IN(ninth_player_is_refused_without_a_question, case_t, c) {
  start_machine(c, 3, PLAYER_MAX_LOBBY - 2);
  admit(c, 1);
  admit(c, 3);
  join(c, 2);
  expect_refusal(c, 2, MATCH_REFUSAL_FULL);
}

TEST_IN(machine_with_the_password_waits_for_the_seat_of_a_lost_player, case_t, c) {
  match_request_t request;
  c->is_trusted = true;
  create_with_password(c, 0, "tea");
  for (uint32_t i = 1; i <= 2; ++i)
    create_with_password(c, i, "tea");
  fill_and_lose(c);
  join(c, 2);
  expect_request(c, "", &request);
  assert_int_equal(request.applicant.reserved, 2);
}

static link_address_t parse_address(const char *text) {
  link_address_t address;
  assert_true(link_address_parse(text, 1, &address, NULL));
  return address;
}

static match_refusal_kind_t find_block_of(const match_guard_t *g, const char *address) {
  link_address_t parsed = parse_address(address);
  return match_guard_find_block(g, SECRETS[0], &parsed);
}

TEST(bans_apply_to_networks_but_not_to_this_machine) {
  static const char *const BANNED[] = {"10.0.0.5:1", "[2001:db8:1:2::3]:1", "[fe80::1]:1", "127.0.0.1:1", "[::1]:1"};
  static match_guard_t g;
  g = (match_guard_t){0};
  for (uint32_t i = 0; i < sizeof BANNED / sizeof *BANNED; ++i)
    match_guard_block(&g, &(match_block_t){.kind = MATCH_BLOCK_BANNED, .address = parse_address(BANNED[i])});
  assert_int_equal(find_block_of(&g, "10.0.0.5:99"), MATCH_REFUSAL_BANNED);
  assert_int_equal(find_block_of(&g, "10.0.0.6:1"), MATCH_REFUSAL_NONE);
  assert_int_equal(find_block_of(&g, "[2001:db8:1:2:ffff::]:1"), MATCH_REFUSAL_BANNED);
  assert_int_equal(find_block_of(&g, "[2001:db8:1:3::3]:1"), MATCH_REFUSAL_NONE);
  assert_int_equal(find_block_of(&g, "[fe80::1]:1"), MATCH_REFUSAL_BANNED);
  assert_int_equal(find_block_of(&g, "[fe80::2]:1"), MATCH_REFUSAL_NONE);
  assert_int_equal(find_block_of(&g, "127.0.0.1:1"), MATCH_REFUSAL_NONE);
  assert_int_equal(find_block_of(&g, "[::1]:1"), MATCH_REFUSAL_NONE);
}

TEST(newest_bans_are_kept) {
  static match_guard_t g;
  g = (match_guard_t){0};
  for (uint32_t i = 0; i < 1000; ++i) {
    match_block_t block = {.kind = i % 2 ? MATCH_BLOCK_BANNED : MATCH_BLOCK_UNWANTED,
                           .address = link_address_from_ipv4(0x0a000000 + i, 1)};
    match_guard_block(&g, &block);
  }
  assert_true(g.block_count <= MATCH_GUARD_MAX_BLOCKS && match_guard_count_bans(&g) <= MATCH_GUARD_MAX_BANS);
  assert_int_equal(find_block_of(&g, "10.0.3.231"), MATCH_REFUSAL_BANNED); // the newest ban
  assert_int_equal(find_block_of(&g, "10.0.0.1"), MATCH_REFUSAL_NONE);
  match_guard_lift_bans(&g);
  assert_int_equal(match_guard_count_bans(&g), 0);
  assert_int_equal(find_block_of(&g, "10.0.3.230"), MATCH_REFUSAL_DECLINED);
}

// --- rooms

static void begin_room(case_t *c) {
  c->is_room = true;
  c->f->machines[0].match->desc.has_accounts = true;
  create_link(c, 0, SECRETS[0]);
}

TEST_IN(spectators_of_a_room_leave_connections_for_all_players, case_t, c) {
  match_o *m = c->f->machines[0].match;
  uint8_t request[MATCH_REQUEST_BYTES], reply[MATCH_REPLY_BYTES], account[MATCH_ACCOUNT_BYTES] = {3};
  match_refusal_t refusal;
  uint32_t max_spectators = MATCH_MAX_CONNECTIONS - m->desc.max_players;
  begin_room(c);
  match_write_request(c->f->machines[1].match, request);
  request[MATCH_REQUEST_PLAYERS] = 0;
  for (uint32_t i = 0; i <= max_spectators; ++i) {
    request[MATCH_REQUEST_ACCOUNT] = (uint8_t)i;
    assert_int_equal(match_accept(m, c->f->now_us, 1000 + i, request, sizeof request, reply, &refusal),
                     i < max_spectators);
  }
  assert_int_equal(refusal.number, MATCH_REFUSAL_FULL);
  assert_int_equal(match_find_spectator(m, account), 1003);
  request[MATCH_REQUEST_PLAYERS] = request[MATCH_REQUEST_WATCH] = 1; // players need a visit, whatever the request says
  assert_false(match_accept(m, c->f->now_us, 2000, request, sizeof request, reply, &refusal));
  for (uint32_t i = 1; i < m->desc.max_players; ++i) // the model's host has a player, too
    assert_true(match_accept_visit(m, c->f->now_us, 2000 + i, request, sizeof request, &(match_visit_t){i, 1}, "Ada",
                                   reply, &refusal));
}

TEST_IN(machines_without_players_wait_until_a_room_admits_them, case_t, c) {
  match_o *m = c->f->machines[0].match;
  match_request_t request;
  begin_room(c);
  machine_start(c->f, MATCH_SPECTATOR, 0);
  create_link(c, 3, SECRETS[3]);
  join(c, 3);
  assert_true(match_link_get_request(c->links[0], &request));
  assert_int_equal(request.applicant.players, 0);
  assert_true(match_link_admit(c->links[0], c->f->now_us, request.peer, NULL, NULL));
  run(c, 30);
  assert_int_equal(match_link_get_state(c->links[3]), MATCH_LINK_CONNECTED);
  // A player replaces the spectator if all connections are used.
  for (uint32_t i = 0; i < MATCH_MAX_CONNECTIONS; ++i)
    if (m->connections[i].state == CONNECTION_NONE)
      m->connections[i] = (connection_t){.state = CONNECTION_ACCEPTED, .peer = 1000 + i, .heard_us = INT64_MAX / 2};
  join(c, 1);
  assert_true(match_link_get_request(c->links[0], &request));
  assert_true(match_link_admit(c->links[0], c->f->now_us, request.peer, &(match_visit_t){7, 1}, "Ada"));
  run(c, 30);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_CONNECTED);
  assert_int_equal(match_link_get_state(c->links[3]), MATCH_LINK_LEFT);
}

// Each restart of the machine leaves a request of its account, also from different addresses.
TEST_IN(requests_of_one_account_leave_places_for_other_accounts_in_a_room, case_t, c) {
  match_request_t request;
  begin_room(c);
  for (uint32_t i = 0; i < 4; ++i) {
    create_link(c, 1, SECRETS[1]);
    join(c, 1);
    assert_int_equal(match_link_get_state(c->links[1]), i < 3 ? MATCH_LINK_JOINING : MATCH_LINK_REFUSED);
  }
  assert_int_equal(match_link_get_end(c->links[1])->refusal.number, MATCH_REFUSAL_TOO_MANY_TRIES);
  create_link(c, 2, SECRETS[1]);
  join(c, 2);
  assert_int_equal(match_link_get_state(c->links[2]), MATCH_LINK_REFUSED);
  create_link(c, 2, SECRETS[2]);
  join(c, 2);
  assert_int_equal(match_link_get_state(c->links[2]), MATCH_LINK_JOINING);
  assert_true(match_link_get_request_at(c->links[0], 3, &request));
}

// Lets a user join the room as player 2 and leave after a second. Returns true if the join completed within the second.
static bool visit_for_a_second(case_t *c, const uint8_t *account_secret, const match_visit_t *visit) {
  match_request_t request;
  create_link(c, 1, account_secret);
  join(c, 1);
  assert_true(match_link_get_request(c->links[0], &request));
  assert_true(match_link_admit(c->links[0], c->f->now_us, request.peer, visit, "Ada"));
  run(c, 60);
  bool has_joined = fixture_status(c->f, 0).present >> 1 & 1;
  assert_int_equal(match_link_remove_player(c->links[0], c->f->now_us, 1, MATCH_CLOSE_NONE), 2);
  run(c, 30);
  assert_int_equal(fixture_status(c->f, 0).present & 2, 0);
  return has_joined;
}

TEST_IN(successive_users_of_a_player_number_join_a_room_within_a_second, case_t, c) {
  begin_room(c);
  for (uint8_t i = 1; i <= 12; ++i)
    if (!visit_for_a_second(c, (uint8_t[SEAL_KEY_BYTES]){i}, &(match_visit_t){i, 1}))
      fail_msg("user %u did not join within a second", i);
}

TEST_IN(user_who_joins_a_room_every_two_seconds_gets_few_snapshots, case_t, c) {
  uint32_t joins = 0;
  begin_room(c);
  for (uint32_t i = 1; i <= 12; ++i) {
    joins += visit_for_a_second(c, SECRETS[1], &(match_visit_t){7, i});
    if (i == 5) // a second user does not wait, and does not affect the limit of the first user
      assert_true(visit_for_a_second(c, SECRETS[2], &(match_visit_t){8, 1}));
  }
  assert_in_range(joins, 4, 7);
}
