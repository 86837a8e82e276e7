// Changes of rows that are committed with records: served/room_changes.h, room_answers.h, and the queue of
// room_writer.h.
#include "served_fixture.h"

#include "base/now.h"
#include "served/accounts.h"

#include <time.h>

FIXTURE(fixture_t, setup, teardown)

#define TIMEOUT_MS 30000

// Adds an account, whose digest consists of its number.
static void add_account(fixture_t *f, int id, const char *name) {
  char sql[512], digest[2 * ACCOUNT_DIGEST_BYTES + 1];
  for (uint32_t i = 0; i < ACCOUNT_DIGEST_BYTES; ++i)
    snprintf(digest + 2 * i, 3, "%02x", id);
  snprintf(sql, sizeof sql,
           "INSERT INTO account VALUES (%d, x'%s', '%s', '%s', NULL, 0, 0, '', '', 1, 1, 0, 0, '', NULL)", id, digest,
           name, name);
  run_sql(f, sql);
}

// Asserts the room (0: none) and the session of an account.
static void assert_visit(fixture_t *f, int id, int64_t room, int64_t session) {
  int64_t got = 0;
  const store_value_t value = STORE_NUMBER(id);
  assert_done(
      f, store_query_number(f->b, "SELECT COALESCE(room, 0) FROM account WHERE id = $1", &value, 1, &got, &f->error));
  assert_int_equal(got, room);
  assert_done(f, store_query_number(f->b, "SELECT session FROM account WHERE id = $1", &value, 1, &got, &f->error));
  assert_int_equal(got, session);
}

typedef struct changes_t {
  account_claim_t claims[8];
  account_leave_t leaves[8];
  room_change_t rows[16];
  uint32_t claim_count, leave_count, count;
  room_answers_t answers;
  size_t read;
} changes_t;

static void claim_account(changes_t *c, int id, uint64_t ticket) {
  account_claim_t *claim = &c->claims[c->claim_count++];
  *claim = (account_claim_t){.ticket = ticket, .is_open = true};
  memset(claim->digest, id, sizeof claim->digest);
  c->rows[c->count++] = (room_change_t){ROOM_CHANGE_CLAIM, (const uint8_t *)claim, sizeof *claim};
}

static void leave_room(changes_t *c, int id, int64_t session, const char *place) {
  account_leave_t *leave = &c->leaves[c->leave_count++];
  *leave = (account_leave_t){.account = id, .session = session};
  snprintf(leave->place, sizeof leave->place, "%s", place);
  c->rows[c->count++] = (room_change_t){ROOM_CHANGE_LEAVE, (const uint8_t *)leave, sizeof *leave};
}

// Commits a record, and the changes.
static store_result_t commit(fixture_t *f, room_claim_t *claim, changes_t *c) {
  static uint8_t bytes[1 << 12];
  test_snapshot_t snapshot;
  room_block_t block = make_block(claim->last + 1, claim->last + 1, bytes, sizeof bytes);
  make_snapshot(claim->last, &snapshot);
  return world_store_commit(f->a, claim,
                            &(room_commit_t){.blocks = &block,
                                             .block_count = 1,
                                             .tick = claim->last + 1,
                                             .state = ROOM_STATE_RUNNING,
                                             .snapshot = claim->has_snapshot ? NULL : &snapshot.row,
                                             .changes = c->rows,
                                             .change_count = c->count,
                                             .answers = &c->answers},
                            &f->error);
}

static void expect_claim(changes_t *c, uint64_t ticket, account_outcome_t outcome, int64_t session) {
  account_answer_t got;
  room_answer_t answer;
  assert_true(room_answers_read(&c->answers, &c->read, &answer));
  assert_int_equal(answer.kind, ROOM_ANSWER_CLAIM);
  assert_int_equal(answer.size, sizeof got);
  memcpy(&got, answer.bytes, sizeof got);
  assert_int_equal(got.ticket, ticket);
  assert_int_equal(got.outcome, outcome);
  assert_int_equal(got.session, session);
}

static void expect_left(changes_t *c, int id, bool is_done) {
  account_left_t got;
  room_answer_t answer;
  assert_true(room_answers_read(&c->answers, &c->read, &answer));
  assert_int_equal(answer.kind, ROOM_ANSWER_LEAVE);
  assert_int_equal(answer.size, sizeof got);
  memcpy(&got, answer.bytes, sizeof got);
  assert_int_equal(got.account, id);
  assert_int_equal(got.is_done, is_done);
}

// Asserts that all answers were read, and forgets changes and answers.
static void reset(changes_t *c) {
  room_answer_t answer;
  assert_false(room_answers_read(&c->answers, &c->read, &answer));
  room_answers_free(&c->answers);
  assert_int_equal(c->answers.memory.blocks, 0);
  *c = (changes_t){0};
}

TEST_IN(changes_are_applied_in_their_order, fixture_t, f) {
  changes_t c = {0};
  room_claim_t town = start_room(f, "town");
  add_account(f, 1, "ada");
  claim_account(&c, 1, 10);
  leave_room(&c, 1, 1, "mine");
  claim_account(&c, 1, 11);
  claim_account(&c, 1, 12);
  claim_account(&c, 9, 13);
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 10, ACCOUNT_GRANTED, 1);
  expect_left(&c, 1, true);
  expect_claim(&c, 11, ACCOUNT_GRANTED, 2);
  expect_claim(&c, 12, ACCOUNT_HERE, 2);
  expect_claim(&c, 13, ACCOUNT_UNKNOWN, 0);
  assert_visit(f, 1, town.number, 2);
  assert_int_equal(town.serial, 2); // incremented by the start and by one transaction
  reset(&c);
}

TEST_IN(claim_of_an_account_in_a_different_room_requests_its_release, fixture_t, f) {
  changes_t c = {0};
  account_visit_t visit;
  room_answer_t answer;
  room_claim_t town = start_room(f, "town"), mine = start_room(f, "mine");
  add_account(f, 1, "ada");
  claim_account(&c, 1, 1);
  assert_done(f, commit(f, &town, &c));
  assert_done(f, account_poll_wanted(f->a, &town, &c.answers, &f->error));
  expect_claim(&c, 1, ACCOUNT_GRANTED, 1);
  reset(&c);
  claim_account(&c, 1, 2);
  assert_done(f, commit(f, &mine, &c));
  expect_claim(&c, 2, ACCOUNT_ELSEWHERE, 1);
  assert_visit(f, 1, town.number, 1);
  assert_done(f, account_poll_wanted(f->b, &town, &c.answers, &f->error));
  assert_true(room_answers_read(&c.answers, &c.read, &answer));
  assert_int_equal(answer.kind, ROOM_ANSWER_WANTED);
  memcpy(&visit, answer.bytes, sizeof visit);
  assert_int_equal(visit.account, 1);
  assert_int_equal(visit.session, 1);
  reset(&c);
  leave_room(&c, 1, 1, "");
  assert_done(f, commit(f, &town, &c));
  expect_left(&c, 1, true);
  reset(&c);
  claim_account(&c, 1, 3);
  assert_done(f, commit(f, &mine, &c));
  assert_done(f, account_poll_wanted(f->b, &mine, &c.answers, &f->error)); // the request was for the former room
  expect_claim(&c, 3, ACCOUNT_GRANTED, 2);
  reset(&c);
}

TEST_IN(leave_requires_the_room_and_the_session, fixture_t, f) {
  changes_t c = {0};
  room_claim_t town = start_room(f, "town"), mine = start_room(f, "mine");
  add_account(f, 1, "ada");
  claim_account(&c, 1, 1);
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 1, ACCOUNT_GRANTED, 1);
  reset(&c);
  leave_room(&c, 1, 1, "");
  assert_done(f, commit(f, &mine, &c));
  expect_left(&c, 1, false);
  reset(&c);
  leave_room(&c, 1, 2, "");
  leave_room(&c, 1, 0, "");
  assert_done(f, commit(f, &town, &c));
  expect_left(&c, 1, false);
  expect_left(&c, 1, false);
  assert_visit(f, 1, town.number, 1);
  reset(&c);
}

TEST_IN(spectators_are_checked_without_claiming_their_account, fixture_t, f) {
  changes_t c = {0};
  room_claim_t town = start_room(f, "town"), mine = start_room(f, "mine");
  for (int id = 1; id <= 4; ++id)
    add_account(f, id, (const char *[]){"", "ada", "bob", "eve", "dan"}[id]);
  claim_account(&c, 1, 1);
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 1, ACCOUNT_GRANTED, 1);
  reset(&c);
  run_sql(f, "UPDATE account SET banned_until = 99999999999 WHERE id = 2");
  run_sql(f, "UPDATE account SET place = 'mine' WHERE id = 3");
  for (int id = 1; id <= 4; ++id) {
    claim_account(&c, id, (uint64_t)id);
    c.claims[c.claim_count - 1].watches = true;
    c.claims[c.claim_count - 1].is_open = id == 1;
    snprintf(c.claims[c.claim_count - 1].kind, ROOM_NAME_BYTES, "mine");
  }
  claim_account(&c, 9, 9);
  c.claims[c.claim_count - 1].watches = true;
  assert_done(f, commit(f, &mine, &c));
  expect_claim(&c, 1, ACCOUNT_WATCHES, 1); // the account stays in the room in which it plays
  expect_claim(&c, 2, ACCOUNT_BANNED, 0);
  expect_claim(&c, 3, ACCOUNT_WATCHES, 0);
  expect_claim(&c, 4, ACCOUNT_OUTSIDE, 0);
  expect_claim(&c, 9, ACCOUNT_UNKNOWN, 0);
  reset(&c);
  assert_visit(f, 1, town.number, 1);
  assert_visit(f, 3, 0, 0);
  int64_t wanted = 0;
  assert_done(f, store_query_number(f->b, "SELECT sum(wanted) FROM account", NULL, 0, &wanted, &f->error));
  assert_int_equal(wanted, 0);
}

TEST_IN(banned_and_malformed_accounts_are_not_claimed, fixture_t, f) {
  require_file(f); // PostgreSQL refuses the text
  changes_t c = {0};
  room_claim_t town = start_room(f, "town");
  add_account(f, 1, "ada");
  add_account(f, 2, "bob");
  add_account(f, 3, "eve");
  run_sql(f, "UPDATE account SET banned_until = " STORE_NOW " + 100, reason = 'spam' WHERE id = 1");
  run_sql(f, "UPDATE account SET session = 'x' WHERE id = 2");
  run_sql(f, "UPDATE account SET banned_until = " STORE_NOW " - 1 WHERE id = 3");
  claim_account(&c, 1, 1);
  claim_account(&c, 2, 2);
  claim_account(&c, 3, 3);
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 1, ACCOUNT_BANNED, 0);
  expect_claim(&c, 2, ACCOUNT_DAMAGED, 0);
  expect_claim(&c, 3, ACCOUNT_GRANTED, 1);
  assert_visit(f, 1, 0, 0);
  reset(&c);
}

TEST_IN(only_doors_lead_into_a_closed_room, fixture_t, f) {
  changes_t c = {0};
  room_claim_t town = start_room(f, "town"), vault = start_room(f, "vault-1");
  add_account(f, 1, "ada");
  claim_account(&c, 1, 1);
  c.claims[0].is_open = false;
  strcpy(c.claims[0].kind, "vault");
  assert_done(f, commit(f, &vault, &c));
  expect_claim(&c, 1, ACCOUNT_OUTSIDE, 0);
  reset(&c);
  claim_account(&c, 1, 2);
  leave_room(&c, 1, 1, "vault");
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 2, ACCOUNT_GRANTED, 1);
  expect_left(&c, 1, true);
  reset(&c);
  claim_account(&c, 1, 3);
  c.claims[0].is_open = false;
  strcpy(c.claims[0].kind, "vault");
  assert_done(f, commit(f, &vault, &c));
  expect_claim(&c, 3, ACCOUNT_GRANTED, 2);
  reset(&c);
}

TEST_IN(repeated_commit_applies_changes_once, fixture_t, f) {
  changes_t c = {0};
  room_claim_t town = start_room(f, "town");
  add_account(f, 1, "ada");
  room_claim_t before = town;
  claim_account(&c, 1, 1);
  leave_room(&c, 1, 1, "");
  claim_account(&c, 1, 2);
  assert_done(f, commit(f, &town, &c));
  before.is_uncertain = true; // stands for a connection that was lost while the commit succeeded
  assert_done(f, commit(f, &before, &c));
  assert_int_equal(before.serial, town.serial);
  expect_claim(&c, 1, ACCOUNT_GRANTED, 1); // the answers of the commit that has succeeded
  expect_left(&c, 1, true);
  expect_claim(&c, 2, ACCOUNT_GRANTED, 2);
  assert_visit(f, 1, town.number, 2);
  reset(&c);
}

TEST_IN(repeated_commit_drops_the_answers_of_a_commit_that_was_lost, fixture_t, f) {
  changes_t c = {0};
  room_claim_t town = start_room(f, "town");
  add_account(f, 1, "ada");
  town.is_uncertain = true; // the connection was lost, and the commit had no effect
  account_answer_t lost = {.ticket = 1, .outcome = ACCOUNT_GRANTED, .session = 77};
  room_answers_add(&c.answers, ROOM_ANSWER_CLAIM, &lost, sizeof lost);
  claim_account(&c, 1, 1);
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 1, ACCOUNT_GRANTED, 1);
  reset(&c);
}

TEST_IN(answers_of_a_failed_attempt_are_dropped, fixture_t, f) {
  require_file(f); // PostgreSQL has a different syntax of triggers
  changes_t c = {0};
  room_claim_t town = start_room(f, "town");
  add_account(f, 1, "ada");
  claim_account(&c, 1, 1);
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 1, ACCOUNT_GRANTED, 1);
  reset(&c);
  leave_room(&c, 1, 1, "");
  claim_account(&c, 1, 2);
  // The record that follows the changes does not fit.
  run_sql(f, "CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'full'); END");
  assert_result(f, commit(f, &town, &c), STORE_DAMAGED);
  assert_visit(f, 1, town.number, 1);
  run_sql(f, "DROP TRIGGER full");
  assert_done(f, commit(f, &town, &c));
  expect_left(&c, 1, true);
  expect_claim(&c, 2, ACCOUNT_GRANTED, 2);
  reset(&c);
}

TEST_IN(process_that_has_lost_its_room_claims_nothing, fixture_t, f) {
  changes_t c = {0};
  room_claim_t paused = start_room(f, "town");
  add_account(f, 1, "ada");
  room_claim_t town = start_room(f, "town");
  claim_account(&c, 1, 1);
  assert_result(f, commit(f, &paused, &c), STORE_LOST);
  assert_visit(f, 1, 0, 0);
  assert_done(f, commit(f, &town, &c));
  expect_claim(&c, 1, ACCOUNT_GRANTED, 1);
  reset(&c);
}

TEST_IN(settling_releases_the_accounts_that_a_recovered_room_lacks, fixture_t, f) {
  changes_t c = {0};
  bool is_lost[3] = {false};
  room_claim_t town = start_room(f, "town"), mine = start_room(f, "mine");
  for (int i = 1; i <= 4; ++i) {
    char name[2] = {(char)('a' + i), 0};
    add_account(f, i, name);
  }
  claim_account(&c, 1, 1);
  claim_account(&c, 2, 2);
  claim_account(&c, 3, 3);
  assert_done(f, commit(f, &town, &c));
  c = (changes_t){.answers = c.answers};
  claim_account(&c, 4, 4);
  assert_done(f, commit(f, &mine, &c));
  room_answers_clear(&c.answers);
  reset(&c);
  town = start_room(f, "town");
  // The records contain the visit of account 1, a former visit of account 3, and an account of the other room.
  const account_visit_t visits[] = {{1, 1}, {3, 0}, {4, 1}};
  assert_done(f, world_store_settle_accounts(f->a, &town, visits, 3, is_lost, &f->error));
  assert_false(is_lost[0]);
  assert_true(is_lost[1]);
  assert_true(is_lost[2]);
  assert_visit(f, 1, town.number, 1);
  assert_visit(f, 2, 0, 1);
  assert_visit(f, 3, 0, 1);
  assert_visit(f, 4, mine.number, 1);
  assert_done(f, commit(f, &town, &c)); // the claim of the room is still valid
  reset(&c);
}

// --- the queue of the writer

static void sleep_ms(int ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

static room_writer_o *start_writer(fixture_t *f, const char *room) {
  room_claim_t claim = start_room(f, room);
  room_writer_o *w = room_writer_create(open_world(f), &claim, &f->error);
  assert_non_null(w);
  char state[64];
  int size = snprintf(state, sizeof state, "state after record 0");
  assert_true(room_writer_add_snapshot(
      w, &(room_writer_snapshot_t){
             .hash = 1, .head = "head 0", .head_size = 6, .state = state, .state_size = (size_t)size}));
  return w;
}

// Waits for the next answer of the writer.
static room_answer_t wait_for_answer(room_writer_o *w) {
  room_answer_t answer;
  int64_t end = now_ns() + (int64_t)TIMEOUT_MS * NS_PER_MS;
  while (!room_writer_take_answer(w, &answer)) {
    assert_true(now_ns() < end);
    sleep_ms(2);
  }
  return answer;
}

static account_answer_t wait_for_claim(room_writer_o *w) {
  account_answer_t got;
  room_answer_t answer = wait_for_answer(w);
  assert_int_equal(answer.kind, ROOM_ANSWER_CLAIM);
  memcpy(&got, answer.bytes, sizeof got);
  return got;
}

static void claim_by(room_writer_o *w, int id, uint64_t ticket) {
  account_claim_t claim = {.ticket = ticket, .is_open = true};
  memset(claim.digest, id, sizeof claim.digest);
  room_writer_add_change(w, ROOM_CHANGE_CLAIM, &claim, sizeof claim);
}

TEST_IN(writer_commits_changes_with_the_record_before_them, fixture_t, f) {
  record_t record;
  add_account(f, 1, "ada");
  room_writer_o *w = start_writer(f, "town");
  make_record(1, &record);
  room_writer_add(w, &record);
  claim_by(w, 1, 5);
  account_answer_t got = wait_for_claim(w);
  assert_int_equal(got.ticket, 5);
  assert_int_equal(got.outcome, ACCOUNT_GRANTED);
  assert_string_equal(got.name, "ada");
  assert_loads(f, f->b, "town", 0, 1); // the record is committed, too
  room_writer_destroy(w);
}

TEST_IN(writer_commits_changes_without_records, fixture_t, f) {
  add_account(f, 1, "ada");
  room_writer_o *w = start_writer(f, "town");
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  for (uint64_t i = 0; i < 200; ++i)
    claim_by(w, 1, i);
  assert_true(room_writer_get_status(w).waiting_bytes > 0);
  for (uint64_t i = 0; i < 200; ++i) {
    account_answer_t got = wait_for_claim(w);
    assert_int_equal(got.ticket, i);
    assert_int_equal(got.outcome, i == 0 ? ACCOUNT_GRANTED : ACCOUNT_HERE);
  }
  assert_int_equal(room_writer_get_status(w).waiting_bytes, 0);
  assert_int_equal(room_writer_get_status(w).waiting_us, 0);
  room_writer_destroy(w);
}

TEST_IN(writer_repeats_changes_until_the_database_answers, fixture_t, f) {
  add_account(f, 1, "ada");
  room_writer_o *w = start_writer(f, "town");
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  run_sql(f, "BEGIN IMMEDIATE"); // a different program holds the database
  claim_by(w, 1, 1);
  claim_by(w, 1, 2);
  int64_t end = now_ns() + (int64_t)TIMEOUT_MS * NS_PER_MS;
  while (room_writer_get_status(w).failures < 2 && now_ns() < end)
    sleep_ms(5);
  room_answer_t answer;
  assert_false(room_writer_take_answer(w, &answer));
  assert_true(room_writer_get_status(w).waiting_us > 0);
  run_sql(f, "COMMIT");
  assert_int_equal(wait_for_claim(w).outcome, ACCOUNT_GRANTED);
  assert_int_equal(wait_for_claim(w).outcome, ACCOUNT_HERE);
  assert_visit(f, 1, 1, 1);
  room_writer_destroy(w);
}

TEST_IN(writer_polls_rows_of_other_processes, fixture_t, f) {
  account_visit_t visit;
  add_account(f, 1, "ada");
  room_writer_o *w = start_writer(f, "town");
  claim_by(w, 1, 1);
  assert_int_equal(wait_for_claim(w).outcome, ACCOUNT_GRANTED);
  run_sql(f, "UPDATE account SET wanted = 1");
  room_answer_t answer = wait_for_answer(w); // the answer of a poll, without a commit
  assert_int_equal(answer.kind, ROOM_ANSWER_WANTED);
  memcpy(&visit, answer.bytes, sizeof visit);
  assert_int_equal(visit.account, 1);
  assert_int_equal(visit.session, 1);
  room_writer_destroy(w);
}

TEST_IN(largest_change_is_committed_and_due_immediately, fixture_t, f) {
  static uint8_t bytes[ROOM_CHANGE_MAX_BYTES];
  room_writer_o *w = start_writer(f, "town");
  assert_done(f, room_writer_flush(w, TIMEOUT_MS));
  account_leave_t leave = {.account = 5};
  memcpy(bytes, &leave, sizeof leave);
  room_writer_add_change(w, ROOM_CHANGE_LEAVE, bytes, sizeof bytes);
  assert_int_equal(wait_for_answer(w).kind, ROOM_ANSWER_LEAVE);
  room_writer_destroy(w);
}

TEST_IN(answers_keep_their_order_and_bytes, fixture_t, f) {
  (void)f;
  room_answers_t a = {0}, b = {0};
  room_answer_t answer;
  size_t at = 0;
  room_answers_add(&a, ROOM_ANSWER_LEAVE, "first", 5);
  room_answers_add(&b, ROOM_ANSWER_WANTED, NULL, 0);
  room_answers_add(&b, ROOM_ANSWER_CLAIM, "third answer", 12);
  room_answers_append(&a, &b);
  const struct {
    room_answer_kind_t kind;
    const char *text;
  } expected[] = {{ROOM_ANSWER_LEAVE, "first"}, {ROOM_ANSWER_WANTED, ""}, {ROOM_ANSWER_CLAIM, "third answer"}};
  for (uint32_t i = 0; i < 3; ++i) {
    assert_true(room_answers_read(&a, &at, &answer));
    assert_int_equal(answer.kind, expected[i].kind);
    assert_int_equal(answer.size, strlen(expected[i].text));
    assert_memory_equal(answer.bytes, expected[i].text, answer.size);
  }
  assert_false(room_answers_read(&a, &at, &answer));
  room_answers_free(&a);
  room_answers_free(&b);
}
