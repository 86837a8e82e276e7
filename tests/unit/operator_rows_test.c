// Rows of operators' commands, and their changes of accounts: served/commands.h, served/account_changes.h.
#include "served_fixture.h"

#include "served/account_changes.h"
#include "served/account_rows.h"
#include "served/code_rows.h"
#include "served/room_changes.h"

FIXTURE(fixture_t, setup, teardown)

// Adds a command for a room (0: the world). Returns its number.
static int64_t add(fixture_t *f, int64_t room, const char *kind, const char *data) {
  command_t *c = calloc(1, sizeof *c);
  c->room = room;
  snprintf(c->kind, sizeof c->kind, "%s", kind);
  snprintf(c->data, sizeof c->data, "%s", data);
  snprintf(c->author, sizeof c->author, "ada");
  assert_done(f, command_add(f->b, c, &f->error));
  int64_t id = c->id;
  free(c);
  return id;
}

// Commits a record with a change.
static void commit(fixture_t *f, room_claim_t *claim, room_change_kind_t kind, const void *bytes, size_t size,
                   room_answers_t *answers) {
  static uint8_t block_bytes[1 << 12];
  test_snapshot_t snapshot;
  room_block_t block = make_block(claim->last + 1, claim->last + 1, block_bytes, sizeof block_bytes);
  room_change_t change = {kind, bytes, size};
  make_snapshot(claim->last, &snapshot);
  assert_done(f, world_store_commit(f->a, claim,
                                    &(room_commit_t){.blocks = &block,
                                                     .block_count = 1,
                                                     .tick = claim->last + 1,
                                                     .state = ROOM_STATE_RUNNING,
                                                     .snapshot = claim->has_snapshot ? NULL : &snapshot.row,
                                                     .changes = &change,
                                                     .change_count = 1,
                                                     .answers = answers},
                                    &f->error));
}

// Returns true if the database lets the room execute the command.
static bool take(fixture_t *f, room_claim_t *claim, int64_t id) {
  room_answers_t answers = {0};
  room_answer_t answer;
  command_take_t change = {id};
  size_t at = 0;
  commit(f, claim, ROOM_CHANGE_COMMAND_TAKEN, &change, sizeof change, &answers);
  bool is_taken = room_answers_read(&answers, &at, &answer) && answer.kind == ROOM_ANSWER_COMMAND_TAKEN;
  room_answers_free(&answers);
  return is_taken;
}

static void finish(fixture_t *f, room_claim_t *claim, int64_t id, bool is_ok, const char *text) {
  uint8_t bytes[256];
  room_answers_t answers = {0};
  command_done_t done = {id, is_ok};
  memcpy(bytes, &done, sizeof done);
  memcpy(bytes + sizeof done, text, strlen(text));
  commit(f, claim, ROOM_CHANGE_COMMAND_DONE, bytes, sizeof done + strlen(text), &answers);
  room_answers_free(&answers);
}

// Returns the numbers of the offered commands as one text; "!" follows the number of a lost command.
static const char *poll(fixture_t *f, const room_claim_t *claim) {
  static char text[256];
  room_answers_t answers = {0};
  room_answer_t answer;
  size_t at = 0;
  text[0] = '\0';
  assert_done(f, commands_poll(f->a, claim, &answers, &f->error));
  while (room_answers_read(&answers, &at, &answer)) {
    command_offer_t offer;
    assert_int_equal(answer.kind, ROOM_ANSWER_COMMAND);
    memcpy(&offer, answer.bytes, sizeof offer);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%lld%s ", (long long)offer.id, offer.is_lost ? "!" : "");
  }
  room_answers_free(&answers);
  return text;
}

// Asserts the state of a command: "waits", "taken", or "ok" or "failed" with the result.
static void expect(fixture_t *f, int64_t id, const char *expected) {
  command_t *c = calloc(1, sizeof *c);
  char state[256];
  c->id = id;
  assert_done(f, command_read(f->b, c, &f->error));
  if (c->is_done)
    snprintf(state, sizeof state, "%s %.200s", c->is_ok ? "ok" : "failed", c->result);
  else
    snprintf(state, sizeof state, "%s", c->is_taken ? "taken" : "waits");
  assert_string_equal(state, expected);
  assert_string_equal(c->author, "ada");
  free(c);
}

TEST_IN(room_takes_only_its_own_commands_in_their_order, fixture_t, f) {
  room_claim_t town = start_room(f, "town"), mine = start_room(f, "mine");
  int64_t first = add(f, town.number, "say", "{}"), second = add(f, mine.number, "say", "{}");
  int64_t third = add(f, town.number, "say", "{}");
  add(f, 0, "stop", "{}");
  assert_int_equal(second, first + 1);
  assert_string_equal(poll(f, &town), "1 3 ");
  assert_string_equal(poll(f, &mine), "2 ");
  assert_true(take(f, &town, first));
  assert_false(take(f, &town, first)); // already taken
  expect(f, first, "taken");
  assert_string_equal(poll(f, &town), "3 ");
  finish(f, &town, first, true, "sent");
  finish(f, &town, first, false, "again");
  expect(f, first, "ok sent");
  expect(f, third, "waits");
}

TEST_IN(taken_command_of_an_earlier_start_is_offered_as_lost, fixture_t, f) {
  room_claim_t town = start_room(f, "town");
  int64_t id = add(f, town.number, "emit", "{}");
  assert_true(take(f, &town, id));
  assert_string_equal(poll(f, &town), "");
  town = start_room(f, "town");
  assert_string_equal(poll(f, &town), "1! ");
  assert_false(take(f, &town, id));
  finish(f, &town, id, false, COMMAND_LOST_TEXT);
  assert_string_equal(poll(f, &town), "");
  expect(f, id, "failed " COMMAND_LOST_TEXT);
}

TEST_IN(command_is_either_cancelled_or_taken, fixture_t, f) {
  room_claim_t town = start_room(f, "town");
  int64_t first = add(f, town.number, "emit", "{}"), second = add(f, town.number, "emit", "{}");
  bool is_cancelled = false;
  assert_done(f, command_cancel(f->b, first, &is_cancelled, &f->error));
  assert_true(is_cancelled);
  assert_false(take(f, &town, first));
  assert_true(take(f, &town, second));
  assert_done(f, command_cancel(f->b, second, &is_cancelled, &f->error));
  assert_false(is_cancelled);
  expect(f, second, "taken");
}

TEST_IN(owner_of_the_world_takes_commands_without_a_room_once, fixture_t, f) {
  command_t *c = calloc(1, sizeof *c);
  room_claim_t town = start_room(f, "town");
  add(f, town.number, "say", "{}");
  assert_done(f, command_take_of_world(f->a, 7, c, &f->error));
  assert_int_equal(c->id, 0);
  int64_t first = add(f, 0, "stop", "{}");
  assert_done(f, command_take_of_world(f->a, 7, c, &f->error));
  assert_int_equal(c->id, first);
  assert_string_equal(c->kind, "stop");
  assert_done(f, command_take_of_world(f->a, 7, c, &f->error));
  assert_int_equal(c->id, 0);
  expect(f, first, "taken");
  assert_done(f, command_take_of_world(f->a, 8, c, &f->error)); // a later owner
  assert_int_equal(c->id, 0);
  expect(f, first, "failed " COMMAND_LOST_TEXT);
  free(c);
}

static void append_room(void *context, const char *room) {
  strcat(strcat(context, room), " ");
}

TEST_IN(rooms_with_waiting_commands_are_listed, fixture_t, f) {
  char rooms[128] = "";
  room_claim_t town = start_room(f, "town"), mine = start_room(f, "mine");
  add(f, town.number, "emit", "{}");
  int64_t taken = add(f, mine.number, "emit", "{}");
  assert_true(take(f, &mine, taken));
  assert_done(f, command_list_waiting_rooms(f->b, append_room, rooms, &f->error));
  assert_string_equal(rooms, "town ");
}

// --- accounts

static void add_account(fixture_t *f, int id, const char *name, const char *key, int64_t room) {
  assert_done(f, store_execute(f->b,
                               "INSERT INTO account (id, digest, name, name_key, room, session, wanted, place, origin,"
                               " created, seen, banned_until, muted_until, reason, reset)"
                               " VALUES ($1, $2, $3, $4, $5, 1, 0, '', '', 1, 1, 0, 0, '', NULL)",
                               STORE_VALUES(STORE_NUMBER(id), STORE_BLOB(&id, sizeof id), STORE_TEXT(name),
                                            STORE_TEXT(key), room != 0 ? STORE_NUMBER(room) : STORE_NULL),
                               NULL, &f->error));
}

static account_t read_account(fixture_t *f, const char *name) {
  account_t account;
  bool is_found = false;
  assert_done(f, account_read_by_name(f->b, name, &account, &is_found, &f->error));
  assert_true(is_found);
  return account;
}

static bool has_account(fixture_t *f, const char *name) {
  account_t account;
  bool is_found = false;
  assert_done(f, account_read_by_name(f->b, name, &account, &is_found, &f->error));
  return is_found;
}

static command_t *create_log(const char *kind) {
  command_t *log = calloc(1, sizeof *log);
  snprintf(log->kind, sizeof log->kind, "%s", kind);
  snprintf(log->data, sizeof log->data, "{}");
  snprintf(log->author, sizeof log->author, "ada");
  snprintf(log->result, sizeof log->result, "changed");
  return log;
}

TEST_IN(account_is_found_and_renamed_regardless_of_case, fixture_t, f) {
  add_account(f, 1, "Ada", "ada", 0);
  add_account(f, 2, "Bob", "bob", 0);
  account_t ada = read_account(f, "ADA");
  assert_string_equal(ada.name, "Ada");
  assert_false(has_account(f, "Eve"));
  bool is_found = false;
  assert_done(f, account_read_by_name(f->b, ada.name, &ada, &is_found, &f->error)); // reads the row again
  assert_true(is_found);
  command_t *log = create_log("rename");
  assert_done(f, account_rename(f->b, &ada, "BOB", log, &f->error));
  assert_false(log->is_ok);
  expect(f, log->id, "failed nothing has changed");
  snprintf(log->result, sizeof log->result, "changed");
  assert_done(f, account_rename(f->b, &ada, "ADA", log, &f->error)); // only the case changes
  assert_true(log->is_ok);
  expect(f, log->id, "ok changed");
  assert_string_equal(read_account(f, "ada").name, "ADA");
  free(log);
}

TEST_IN(bans_and_mutes_end_after_their_time, fixture_t, f) {
  add_account(f, 1, "Ada", "ada", 0);
  account_t ada = read_account(f, "ada");
  command_t *log = create_log("ban");
  assert_done(f, account_ban(f->b, &ada, 3600, "cheats", log, &f->error));
  assert_done(f, account_mute(f->b, &ada, ACCOUNT_FOREVER_S, log, &f->error));
  ada = read_account(f, "ada");
  assert_in_range(ada.banned_s, 3590, 3600);
  assert_in_range(ada.muted_s, ACCOUNT_FOREVER_S - 10, ACCOUNT_FOREVER_S);
  assert_string_equal(ada.reason, "cheats");
  assert_done(f, account_ban(f->b, &ada, 0, "", log, &f->error));
  run_sql(f, "UPDATE account SET muted_until = 5");
  ada = read_account(f, "ada");
  assert_int_equal(ada.banned_s, 0);
  assert_int_equal(ada.muted_s, 0);
  free(log);
}

TEST_IN(only_an_account_that_is_in_no_room_is_deleted, fixture_t, f) {
  room_claim_t town = start_room(f, "town");
  add_account(f, 1, "Ada", "ada", town.number);
  account_t ada = read_account(f, "ada");
  assert_string_equal(ada.room, "town");
  command_t *log = create_log("delete");
  assert_done(f, account_delete(f->b, &ada, log, &f->error));
  assert_false(log->is_ok);
  assert_true(has_account(f, "ada"));
  account_t stale = ada;
  snprintf(stale.room, sizeof stale.room, "mine"); // the account has moved since it was read
  assert_done(f, account_release(f->b, &stale, log, &f->error));
  assert_false(log->is_ok);
  assert_done(f, account_release(f->b, &ada, log, &f->error));
  assert_true(log->is_ok);
  run_sql(f, "INSERT INTO chronicle VALUES (1, 1, 1, 1, 'trade', 1, 1, NULL, '{}'), (1, 1, 1, 2, 'trade', 2, 1, NULL,"
             " '{}')");
  run_sql(f, "INSERT INTO owned VALUES (1, 1, 0, '', 'coin', '{}', 0), (2, 2, 0, '', 'coin', '{}', 0)");
  assert_done(f, account_delete(f->b, &ada, log, &f->error));
  assert_true(log->is_ok);
  assert_false(has_account(f, "ada"));
  int64_t count = 0;
  assert_done(f, store_query_number(f->b, "SELECT MAX(account) + count(*) - 1 FROM owned", NULL, 0, &count, &f->error));
  assert_int_equal(count, 2);
  assert_done(f, store_query_number(f->b, "SELECT count(account) FROM chronicle", NULL, 0, &count, &f->error));
  assert_int_equal(count, 1); // the row of the other account
  account_info_t next;
  account_desc_t desc = {.digest = (const uint8_t[ACCOUNT_DIGEST_BYTES]){9}, .name = "Ada"};
  assert_done(f, world_store_open_account(f->b, f->owner, &desc, &next, &f->error));
  assert_int_equal(next.id, 2); // number 1 belonged to the deleted account
  free(log);
}

TEST_IN(number_of_a_deleted_account_is_not_used_again, fixture_t, f) {
  uint8_t digest[ACCOUNT_DIGEST_BYTES] = {1};
  account_info_t first, second;
  account_desc_t desc = {.digest = digest, .name = "Ada"};
  assert_done(f, world_store_open_account(f->a, f->owner, &desc, &first, &f->error));
  account_t ada = read_account(f, "ada");
  command_t *log = create_log("delete");
  assert_done(f, account_delete(f->b, &ada, log, &f->error));
  assert_true(log->is_ok);
  assert_done(f, world_store_open_account(f->a, f->owner, &desc, &second, &f->error));
  assert_int_equal(second.id, first.id + 1);
  free(log);
}

// --- taken accounts

static int64_t query(fixture_t *f, const char *sql) {
  int64_t number = 0;
  assert_done(f, store_query_number(f->b, sql, NULL, 0, &number, &f->error));
  return number;
}

// Takes the account ada. Returns its rows; NULL if the command failed.
static json_t *take_ada(fixture_t *f) {
  account_t ada = read_account(f, "ada");
  json_t *rows = NULL;
  command_t *log = create_log("take");
  assert_done(f, account_take(f->b, &ada, &rows, log, &f->error));
  if (!log->is_ok) {
    json_decref(rows);
    rows = NULL;
  }
  free(log);
  return rows;
}

static account_outcome_t claim_ada(fixture_t *f, room_claim_t *room) {
  room_answers_t answers = {0};
  room_answer_t answer;
  account_answer_t outcome = {0};
  account_claim_t claim = {.ticket = 1, .is_open = true};
  int id = 1;
  size_t at = 0;
  memcpy(claim.digest, &id, sizeof id);
  commit(f, room, ROOM_CHANGE_CLAIM, &claim, sizeof claim, &answers);
  assert_true(room_answers_read(&answers, &at, &answer));
  memcpy(&outcome, answer.bytes, sizeof outcome);
  room_answers_free(&answers);
  return outcome.outcome;
}

static void count_account(void *context, const account_t *account) {
  (void)account;
  ++*(int *)context;
}

static int count_accounts(fixture_t *f, account_filter_t filter) {
  int count = 0;
  assert_done(f, account_list(f->b, filter, count_account, &count, &f->error));
  return count;
}

// Adds the accounts ada, with the items 5 and 6, and bob, with the item 7.
static void add_owners(fixture_t *f) {
  add_account(f, 1, "Ada", "ada", 0);
  add_account(f, 2, "Bob", "bob", 0);
  int id = 1;
  uint8_t digest[ACCOUNT_DIGEST_BYTES] = {0};
  memcpy(digest, &id, sizeof id);
  assert_done(f, store_execute(f->b, "UPDATE account SET digest = $1 WHERE id = 1",
                               STORE_VALUES(STORE_BLOB(digest, sizeof digest)), NULL, &f->error));
  run_sql(f, "INSERT INTO owned VALUES (5, 1, 0, '', 'coin', '{}', 0), (6, 1, 5, '', 'coin', '{}', 0),"
             " (7, 2, 0, '', 'coin', '{}', 0)");
  assert_done(f, code_rows_set_release(f->a, &(code_release_t){.base = 77, .folder = "/game"}, &f->error));
}

TEST_IN(taken_account_is_in_no_room_and_cannot_be_claimed, fixture_t, f) {
  room_claim_t town = start_room(f, "town");
  add_owners(f);
  json_t *rows = take_ada(f);
  assert_int_equal(json_array_size(rows), 2);
  json_decref(rows);
  assert_null(take_ada(f));
  account_t ada = read_account(f, "ada");
  assert_true(ada.is_taken);
  assert_string_equal(ada.room, "");
  assert_int_equal(ada.session, 2);
  assert_int_equal(count_accounts(f, ACCOUNTS_TAKEN), 1);
  assert_int_equal(count_accounts(f, ACCOUNTS_IN_ROOMS), 0);
  assert_int_equal(count_accounts(f, ACCOUNTS_ALL), 2);
  assert_int_equal(claim_ada(f, &town), ACCOUNT_ELSEWHERE);
  bool is_lost[1];
  assert_done(f, world_store_settle_accounts(f->a, &town, NULL, 0, is_lost, &f->error)); // room 1 keeps its accounts
  assert_true(read_account(f, "ada").is_taken);
  command_t *log = create_log("release");
  assert_done(f, account_delete(f->b, &ada, log, &f->error));
  assert_false(log->is_ok);
  assert_done(f, account_release(f->b, &ada, log, &f->error));
  assert_true(log->is_ok);
  assert_int_equal(claim_ada(f, &town), ACCOUNT_GRANTED);
  assert_int_equal(read_account(f, "ada").session, 3);
  assert_null(take_ada(f)); // she is in the room
  free(log);
}

TEST_IN(malformed_row_of_an_account_is_not_taken, fixture_t, f) {
  add_owners(f);
  run_sql(f, "UPDATE owned SET components = '{' WHERE item = 6");
  account_t ada = read_account(f, "ada");
  json_t *rows = NULL;
  command_t *log = create_log("take");
  assert_result(f, account_take(f->b, &ada, &rows, log, &f->error), STORE_DAMAGED);
  assert_null(rows);
  assert_non_null(strstr(f->error.text, "row 2 of account 1 is malformed: restore a backup"));
  assert_false(read_account(f, "ada").is_taken);
  free(log);
}

// Gives ada one row. Returns the result.
static store_result_t give_ada(fixture_t *f, const account_t *account, int64_t item, uint64_t code, command_t *log) {
  json_t *rows = json_pack("[{s:I, s:i, s:s, s:s, s:{}}]", "item", (json_int_t)item, "parent", 0, "name", "Edge",
                           "assemblage", "sword", "components");
  account_gift_t gift = {.account = account, .rows = rows, .base = 99, .code = code};
  store_result_t result = account_give(f->b, &gift, log, &f->error);
  json_decref(rows);
  return result;
}

TEST_IN(given_rows_replace_the_rows_of_a_taken_account_in_one_transaction, fixture_t, f) {
  add_owners(f);
  account_t absent = read_account(f, "ada");
  json_decref(take_ada(f));
  account_t ada = read_account(f, "ada");
  command_t *log = create_log("give");
  log->is_done = true;
  assert_done(f, command_add(f->b, log, &f->error));
  log->is_ok = true;
  assert_result(f, give_ada(f, &absent, 5, 0, log), STORE_LOST); // an earlier session
  assert_non_null(strstr(f->error.text, "Ada is not taken any more, or was taken again"));
  assert_result(f, give_ada(f, &ada, 7, 0, log), STORE_LOST);
  assert_non_null(strstr(f->error.text, "a different account has the item 7"));
  assert_result(f, give_ada(f, &ada, 5, 1, log), STORE_LOST);
  assert_non_null(strstr(f->error.text, "the world's code has changed meanwhile"));
  assert_true(read_account(f, "ada").is_taken);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE account = 1 AND assemblage = 'coin'"), 2);
  expect(f, log->id, "failed changed");
  assert_done(f, give_ada(f, &ada, 5, 0, log));
  assert_false(read_account(f, "ada").is_taken);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE account = 1"), 1);
  assert_int_equal(query(f, "SELECT item + code FROM owned WHERE account = 1 AND name = 'Edge'"), 104);
  assert_int_equal(query(f, "SELECT account FROM owned WHERE item = 7"), 2);
  expect(f, log->id, "ok changed");
  assert_result(f, give_ada(f, &ada, 5, 0, log), STORE_LOST); // the account was released
  free(log);
}

TEST_IN(room_that_has_not_committed_since_releases_all_accounts, fixture_t, f) {
  room_claim_t town = start_room(f, "town");
  room_list_t rooms = {0};
  int64_t count = 0;
  add_account(f, 1, "Ada", "ada", town.number);
  add_account(f, 2, "Bob", "bob", town.number);
  add_account(f, 3, "Eve", "eve", town.number + 1);
  command_t *log = create_log("release");
  assert_done(f, world_store_list_rooms(f->b, &rooms, &f->error));
  town = start_room(f, "town");
  assert_done(f, account_release_room(f->b, &rooms.items[0], &count, log, &f->error));
  assert_false(log->is_ok);
  assert_done(f, world_store_list_rooms(f->b, &rooms, &f->error));
  assert_done(f, account_release_room(f->b, &rooms.items[0], &count, log, &f->error));
  assert_true(log->is_ok);
  assert_int_equal(count, 2);
  expect(f, log->id, "ok 2 accounts released");
  assert_int_equal(query(f, "SELECT count(*) FROM account WHERE room IS NOT NULL"), 1);
  room_list_free(&rooms);
  free(log);
}

TEST_IN(backup_is_a_readable_world_and_replaces_no_file, fixture_t, f) {
  char path[512];
  int64_t count = 0;
  world_store_o *copy = NULL;
  room_claim_t town = start_room(f, "town");
  add(f, town.number, "say", "{}");
  if (getenv("SHOAL_TEST_POSTGRES")) {
    assert_int_equal(world_store_back_up(f->b, "/tmp/shoal-backup", &f->error), STORE_FAILED);
    assert_non_null(strstr(f->error.text, "pg_dump --format=custom --file=/tmp/shoal-backup"));
    return;
  }
  snprintf(path, sizeof path, "%s.backup", f->path);
  assert_done(f, world_store_back_up(f->b, path, &f->error));
  assert_int_equal(world_store_back_up(f->b, path, &f->error), STORE_FAILED);
  assert_non_null(strstr(f->error.text, "exists: name a new file"));
  add(f, town.number, "say", "{}");
  assert_done(f, world_store_open(&(world_store_desc_t){.path = path}, &copy, &f->error));
  assert_done(f, store_query_number(copy, "SELECT count(*) FROM command", NULL, 0, &count, &f->error));
  assert_int_equal(count, 1);
  world_store_close(copy);
  unlink(path);
}
