// Requests that wait for the decision of the host's user, and closed connections: machines of a model world, over a
// simulated network.
#include "match_fixture.h"

#include "base/log.h"
#include "match/match_link.h"
#include "match/match_message.h"
#include "match/match_state.h"

#define MACHINES 4u // the last one is started by a test

typedef struct case_t {
  fixture_t *f; // provides the model world
  log_o *log;
  match_link_o *links[MACHINES];
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

static void start_machine(case_t *c, uint32_t i, uint32_t players) {
  error_info_t error = {0};
  machine_start(c->f, i == 0 ? MATCH_HOST : MATCH_PEER, players);
  c->links[i] = match_link_create(&(match_link_desc_t){.link = c->f->machines[i].link,
                                                       .match = c->f->machines[i].match,
                                                       .identity = &c->identity,
                                                       .tick_us = TICK_US,
                                                       .is_host = i == 0,
                                                       .asks = i == 0,
                                                       .log = c->log},
                                  &error);
  assert_non_null(c->links[i]);
}

static int setup(void **state) {
  case_t *c = calloc(1, sizeof *c);
  c->f = fixture_create(1, "40ms,10ms,2%");
  c->f->names = NAMES;
  c->log = log_create(LOG_INFO);
  log_set_listener(c->log, add_line, c);
  log_set_terminal(c->log, false);
  for (uint32_t i = 0; i + 1 < MACHINES; ++i)
    start_machine(c, i, 1);
  *state = c;
  return 0;
}

static int teardown(void **state) {
  case_t *c = *state;
  for (uint32_t i = 0; i < MACHINES; ++i)
    match_link_destroy(c->links[i]);
  fixture_free(c->f);
  log_destroy(c->log);
  free(c);
  return 0;
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

static void machine_waits_until_the_user_accepts(void **state) {
  case_t *c = *state;
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

static void refused_machine_gets_the_reason(void **state) {
  case_t *c = *state;
  match_request_t request;
  join(c, 1);
  join(c, 2);
  expect_request(c, "Ada", &request); // the oldest one
  match_link_decide(c->links[0], c->f->now_us, request.peer, false);
  expect_request(c, "", &request); // the name has a control character
  match_link_decide(c->links[0], c->f->now_us, request.peer, true);
  run(c, 60);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_REFUSED);
  assert_int_equal(match_link_get_end(c->links[1])->refusal.number, MATCH_REFUSAL_DECLINED);
  assert_int_equal(match_link_get_state(c->links[2]), MATCH_LINK_CONNECTED);
}

static void request_of_a_machine_that_gives_up_disappears(void **state) {
  case_t *c = *state;
  match_request_t request;
  join(c, 1);
  expect_request(c, "Ada", &request);
  match_link_destroy(c->links[1]);
  c->links[1] = NULL;
  run(c, 60 * 12);
  assert_false(match_link_get_request(c->links[0], &request));
  match_link_decide(c->links[0], c->f->now_us, 1, true); // has no effect
}

static void machine_that_comes_back_does_not_wait(void **state) {
  case_t *c = *state;
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

static void machine_that_does_not_fit_is_refused_without_a_question(void **state) {
  case_t *c = *state;
  match_request_t request;
  start_machine(c, 3, PLAYER_MAX);
  join(c, 3);
  assert_int_equal(match_link_get_state(c->links[3]), MATCH_LINK_REFUSED);
  assert_int_equal(match_link_get_end(c->links[3])->refusal.number, MATCH_REFUSAL_FULL);
  assert_false(match_link_get_request(c->links[0], &request));
}

static void other_version_is_refused_without_a_question(void **state) {
  case_t *c = *state;
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

// The host has closed the connection to machine 1: the host's log names the player and the reason.
static void expect_closed_by_host(case_t *c, match_close_t reason, const char *developers) {
  char text[512];
  (void)snprintf(text, sizeof text, "match: closed the connection to player 2 (Ada): %s\n", developers);
  expect_text(c->lines, text);
  assert_int_equal(c->lost, reason);
  (void)snprintf(text, sizeof text, "the host: %s", developers);
  expect_closed(c, reason, true, text);
}

static void machine_that_sends_invalid_data_is_closed_with_the_reason(void **state) {
  case_t *c = *state;
  play(c);
  match_push(&c->f->machines[1].match->connections[0], 77, "hello", 5);
  run(c, 30);
  expect_closed_by_host(c, MATCH_CLOSE_MALFORMED, "malformed message or unknown message");
}

static void machine_that_lies_about_its_state_is_closed_with_the_reason(void **state) {
  case_t *c = *state;
  play(c);
  for (uint32_t i = 0; i < 100; ++i)
    match_push(&c->f->machines[1].match->connections[0], MATCH_MESSAGE_DESYNC, "\x05\x07", 2);
  run(c, 120);
  expect_closed_by_host(c, MATCH_CLOSE_DESYNCS, "the state differs too often, in more than 64 ticks");
}

static void machine_that_stops_reading_is_closed_with_the_reason(void **state) {
  case_t *c = *state;
  play(c);
  c->f->machines[1].match->has_state = false; // acknowledges nothing
  run(c, 60 * 12);
  expect_closed_by_host(c, MATCH_CLOSE_STALLED,
                        "acknowledged nothing for 10 seconds: no record, and no byte of a snapshot");
}

static size_t write_damaged_snapshot(void *context, const uint8_t **bytes) {
  (void)context;
  *bytes = (const uint8_t *)"damaged";
  return 7;
}

static void hostile_snapshot_makes_the_machine_leave_with_the_reason(void **state) {
  case_t *c = *state;
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

static void hostile_sources_make_the_machine_leave_with_the_reason(void **state) {
  case_t *c = *state;
  play(c);
  match_push(&c->f->machines[0].match->connections[0], MATCH_MESSAGE_TRY, "\x09", 1);
  run(c, 30);
  expect_closed(c, MATCH_CLOSE_CODE, false, "malformed code");
  expect_text(c->lines, "match: closed the connection to the host: malformed code\n");
}

static void host_that_closes_without_a_reason_has_left(void **state) {
  case_t *c = *state;
  play(c);
  match_link_close(c->links[0], c->f->now_us);
  run(c, 30);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_LEFT);
}

static void silent_host_is_lost(void **state) {
  case_t *c = *state;
  play(c);
  match_link_destroy(c->links[0]);
  c->links[0] = NULL;
  run(c, 60 * 11);
  assert_int_equal(match_link_get_state(c->links[1]), MATCH_LINK_LOST);
}

int match_link_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(machine_waits_until_the_user_accepts, setup, teardown),
      cmocka_unit_test_setup_teardown(refused_machine_gets_the_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(request_of_a_machine_that_gives_up_disappears, setup, teardown),
      cmocka_unit_test_setup_teardown(machine_that_comes_back_does_not_wait, setup, teardown),
      cmocka_unit_test_setup_teardown(machine_that_does_not_fit_is_refused_without_a_question, setup, teardown),
      cmocka_unit_test_setup_teardown(other_version_is_refused_without_a_question, setup, teardown),
      cmocka_unit_test_setup_teardown(machine_that_sends_invalid_data_is_closed_with_the_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(machine_that_lies_about_its_state_is_closed_with_the_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(machine_that_stops_reading_is_closed_with_the_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(hostile_snapshot_makes_the_machine_leave_with_the_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(hostile_sources_make_the_machine_leave_with_the_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(host_that_closes_without_a_reason_has_left, setup, teardown),
      cmocka_unit_test_setup_teardown(silent_host_is_lost, setup, teardown),
  };
  return cmocka_run_group_tests_name("match_link", tests, NULL, NULL);
}
