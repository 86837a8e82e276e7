// Rows of the table `owned`: random visits of several rooms, with trades and losses, which must neither duplicate nor
// lose an item; malformed and large rows.
#include "served_fixture.h"

#include "base/random.h"
#include "owned/owned.h"
#include "served/account_rows.h"
#include "served/code_rows.h"
#include "served/owned_rewrite.h"
#include "served/owned_rows.h"
#include "served/owned_views.h"
#include "served/room_answers.h"
#include "store/item_parked.h"
#include "store/item_rows.h"

#include <inttypes.h>

FIXTURE(fixture_t, setup, teardown)

#define ROOMS 3u
#define ACCOUNTS 5
#define ITEMS 24
#define NOBODY 99 // owner of an item on the floor of a room

// --- rows

static json_t *make_row(int64_t item, int64_t parent, json_t *components) {
  return json_pack("{s:I, s:I, s:s, s:s, s:o}", "item", (json_int_t)item, "parent", (json_int_t)parent, "name", "√",
                   "assemblage", "sword", "components", components);
}

static json_t *make_components(int gold) {
  return json_pack("{s:{s:i, s:[s]}, s:{s:b}}", "purse", "gold", gold, "=", "gold", "=", "owned", 1);
}

static void add_account(fixture_t *f, int id) {
  uint8_t digest[ACCOUNT_DIGEST_BYTES] = {(uint8_t)id};
  char name[16];
  snprintf(name, sizeof name, "a%d", id);
  assert_done(f, store_begin_write(f->a, &f->error));
  store_result_t result = store_execute(
      f->a, "INSERT INTO account VALUES ($1, $2, $3, $4, NULL, 0, 0, '', '', 0, 0, 0, 0, '', NULL)",
      STORE_VALUES(STORE_NUMBER(id), STORE_BLOB(digest, sizeof digest), STORE_TEXT(name), STORE_TEXT(name)), NULL,
      &f->error);
  assert_done(f, store_end(f->a, result, &f->error));
}

// Puts an account into a room; 0: into no room.
static void place_account(fixture_t *f, int id, int64_t room) {
  assert_done(f, store_begin_write(f->a, &f->error));
  store_result_t result =
      store_execute(f->a, "UPDATE account SET room = $1 WHERE id = $2",
                    STORE_VALUES(room ? STORE_NUMBER(room) : STORE_NULL, STORE_NUMBER(id)), NULL, &f->error);
  assert_done(f, store_end(f->a, result, &f->error));
}

// Replaces an account's rows with `rows`, which have the code `code` and are consumed. `item`: the only item in the
// room that the player does not own, or NULL if there is none. Returns the number of dropped items.
static uint32_t replace_with(fixture_t *f, int64_t room, int id, int64_t code, const account_item_t *item, json_t *rows,
                             int64_t *first) {
  allocator_t memory = {0};
  size_t size = 0, item_bytes = item ? sizeof *item : 0;
  uint32_t dropped = 0;
  uint8_t *packed = item_rows_pack(rows, &memory, &size, &f->error);
  assert_non_null(packed);
  uint8_t *bytes = alloc_resize(&memory, NULL, 0, item_bytes + size);
  if (item)
    memcpy(bytes, item, sizeof *item);
  memcpy(bytes + item_bytes, packed, size);
  assert_done(f, store_begin_write(f->a, &f->error));
  account_leave_t leave = {.account = id, .code = code, .item_count = item != NULL, .has_items = true};
  store_result_t result = owned_rows_replace(f->a, room, &leave, bytes, item_bytes + size, &dropped, first, &f->error);
  assert_done(f, store_end(f->a, result, &f->error));
  alloc_resize(&memory, packed, size, 0);
  alloc_resize(&memory, bytes, item_bytes + size, 0);
  json_decref(rows);
  return dropped;
}

static uint32_t replace(fixture_t *f, int64_t room, int id, json_t *rows, int64_t *first) {
  return replace_with(f, room, id, code_rows_get_key(77, 0), NULL, rows, first);
}

// Returns the rows of an account, or an empty list.
static json_t *read_rows(fixture_t *f, int id) {
  owned_rows_t rows = {0};
  assert_done(f, owned_rows_read(f->a, id, &rows, &f->error));
  assert_int_equal(rows.state, OWNED_ROWS_SOUND);
  json_t *out = rows.bytes ? item_rows_unpack(rows.bytes, rows.size, &f->error) : json_array();
  assert_non_null(out);
  owned_rows_free(&rows);
  return out;
}

static void assert_state(fixture_t *f, int id, owned_rows_state_t state, const char *words) {
  owned_rows_t rows = {0};
  assert_done(f, owned_rows_read(f->a, id, &rows, &f->error));
  if (rows.state != state || !strstr(rows.problem, words))
    fail_msg("state %d instead of %d: %s", (int)rows.state, (int)state, rows.problem);
  assert_null(rows.bytes);
  owned_rows_free(&rows);
}

static void execute(fixture_t *f, const char *sql) {
  assert_done(f, store_begin_write(f->a, &f->error));
  assert_done(f, store_end(f->a, store_execute(f->a, sql, NULL, 0, NULL, &f->error), &f->error));
}

TEST_IN(rows_are_read_as_they_were_stored, fixture_t, f) {
  int64_t first = 0;
  add_account(f, 1);
  json_t *rows = json_array();
  json_array_append_new(rows, make_row(4294967297, 0, make_components(3)));
  json_array_append_new(rows, make_row(4294967298, 4294967297, make_components(-4)));
  assert_int_equal(replace(f, 1, 1, json_incref(rows), &first), 0);
  json_t *again = read_rows(f, 1);
  assert_true(json_equal(rows, again));
  json_decref(again);
  json_decref(rows);
  assert_int_equal(replace(f, 1, 1, json_array(), &first), 0);
  again = read_rows(f, 1);
  assert_int_equal(json_array_size(again), 0);
  json_decref(again);
}

TEST_IN(item_of_an_account_elsewhere_stays_there, fixture_t, f) {
  int64_t first = 0;
  add_account(f, 1);
  add_account(f, 2);
  json_t *rows = json_array(), *two = json_array();
  json_array_append_new(rows, make_row(7, 0, make_components(3)));
  json_array_append_new(two, make_row(7, 0, make_components(8)));
  json_array_append_new(two, make_row(8, 0, make_components(9)));
  replace(f, 1, 1, json_incref(rows), &first);
  assert_int_equal(replace(f, 2, 2, json_incref(two), &first), 1);
  assert_int_equal(first, 7);
  json_t *one = read_rows(f, 1);
  assert_true(json_equal(one, rows)); // the rows are unchanged
  json_decref(one);
  place_account(f, 1, 2); // account 1 may have given its item to account 2, which is in the same room
  assert_int_equal(replace(f, 2, 2, json_incref(two), &first), 0);
  one = read_rows(f, 1);
  assert_int_equal(json_array_size(one), 0);
  json_decref(one);
  one = read_rows(f, 2);
  assert_true(json_equal(one, two));
  json_decref(one);
  json_decref(rows);
  json_decref(two);
}

TEST_IN(large_and_malformed_rows_are_described, fixture_t, f) {
  int64_t first = 0;
  random_t random;
  random_seed(&random, 3);
  json_t *rows = json_array();
  for (int i = 1; i <= 200; ++i) {
    char text[120];
    for (size_t k = 0; k + 1 < sizeof text; ++k)
      text[k] = (char)('a' + random_u32(&random) % 26);
    text[sizeof text - 1] = '\0';
    json_array_append_new(rows, make_row(i, 0, json_pack("{s:{s:s}}", "label", "text", text)));
  }
  for (int id = 1; id <= 3; ++id)
    add_account(f, id);
  replace(f, 1, 1, rows, &first);
  json_t *read = read_rows(f, 1); // larger than an item of a record: a player brings them in parts
  assert_int_equal(json_array_size(read), 200);
  json_decref(read);
  char *text = calloc(1, ITEM_ROWS_MAX_TEXT + 64);
  snprintf(text, 64, "UPDATE owned SET name = '");
  memset(text + strlen(text), 'n', ITEM_ROWS_MAX_TEXT);
  strcat(text, "' WHERE item = 7");
  execute(f, text);
  free(text);
  assert_state(f, 1, OWNED_ROWS_TOO_LARGE, "at most 4194304");
  execute(f, "INSERT INTO owned VALUES (900, 2, 0, '', 'sword', '{\"purse\": ', 0)");
  assert_state(f, 2, OWNED_ROWS_MALFORMED, "row 1 of account 2 is malformed");
  execute(f, "UPDATE owned SET components = '[]' WHERE item = 900");
  assert_state(f, 2, OWNED_ROWS_MALFORMED, "components");
  execute(f, "UPDATE owned SET components = '{}', parent = -3 WHERE item = 900");
  assert_state(f, 2, OWNED_ROWS_MALFORMED, "malformed");
  execute(f, "DELETE FROM owned WHERE account = 1");
  for (int i = 1; i <= 257; ++i) {
    char sql[120];
    snprintf(sql, sizeof sql, "INSERT INTO owned VALUES (%d, 3, 0, '', '', '{}', 0)", i);
    execute(f, sql);
  }
  assert_state(f, 3, OWNED_ROWS_TOO_LARGE, "257");
  assert_done(f, store_begin_write(f->a, &f->error));
  uint32_t dropped;
  assert_result(f,
                owned_rows_replace(f->a, 1, &(account_leave_t){.account = 3, .code = 77}, (const uint8_t *)"xx", 2,
                                   &dropped, &first, &f->error),
                STORE_DAMAGED);
  assert_result(f, store_end(f->a, STORE_DAMAGED, &f->error), STORE_DAMAGED);
}

// --- rewriting

static owned_account_t *find_account(owned_accounts_t *list, int64_t id) {
  for (uint32_t i = 0; i < list->count; ++i)
    if (list->items[i].account == id)
      return &list->items[i];
  fail_msg("account %lld is not listed", (long long)id);
  return NULL;
}

static int64_t query(fixture_t *f, const char *sql) {
  int64_t number = -1;
  assert_done(f, store_query_number(f->a, sql, NULL, 0, &number, &f->error));
  return number;
}

static void set_gold(json_t *rows, int gold) {
  json_t *row = json_deep_copy(json_array_get(rows, 0));
  json_object_set_new(json_object_get(json_object_get(row, "components"), "purse"), "gold", json_integer(gold));
  json_array_set_new(rows, 0, row);
}

#define GOLD(id) "SELECT count(*) FROM owned WHERE account = " #id " AND components LIKE '%\"gold\":99%'"

// Accounts 1 to 5 own an item of the code 77. Account 2 is in a room, account 3 visits a room in the meantime, account
// 4 loses its item, and the row of account 5 is malformed.
TEST_IN(rows_of_absent_accounts_are_rewritten, fixture_t, f) {
  int64_t first = 0, count = 0;
  bool is_due = false;
  owned_accounts_t list = {0};
  for (int id = 1; id <= 5; ++id) {
    add_account(f, id);
    json_t *rows = json_array();
    json_array_append_new(rows, make_row(id * 10, 0, make_components(3)));
    replace(f, 1, id, rows, &first);
  }
  place_account(f, 2, 1);
  execute(f, "UPDATE owned SET components = '{' WHERE account = 5");
  assert_done(f, owned_rewrite_count(f->a, 6, &count, &f->error));
  assert_int_equal(count, 4);
  assert_done(f, owned_rewrite_list(f->a, 6, 10, &list, &f->error));
  assert_int_equal(list.count, 4);
  assert_null(find_account(&list, 5)->rows);
  for (int id = 1; id <= 3; id += 2) {
    owned_account_t *a = find_account(&list, id);
    json_decref(a->rewritten);
    a->rewritten = json_copy(a->rows);
    set_gold(a->rewritten, 99);
  }
  owned_account_t *loser = find_account(&list, 4);
  json_decref(loser->rewritten);
  loser->rewritten = json_array();
  execute(f, "UPDATE account SET session = session + 1 WHERE id = 3");
  assert_result(f, owned_rewrite_store(f->a, f->owner + 1, 6, list.items, list.count, &f->error), STORE_LOST);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE code = 77"), 5);
  assert_done(f, owned_rewrite_store(f->a, f->owner, 6, list.items, list.count, &f->error));
  assert_int_equal(query(f, GOLD(1)), 1);
  assert_int_equal(query(f, GOLD(3)), 0);
  assert_int_equal(query(f, "SELECT code FROM owned WHERE account = 1"), 6);
  assert_int_equal(query(f, "SELECT code FROM owned WHERE account = 2"), 77);
  assert_int_equal(query(f, "SELECT code FROM owned WHERE account = 3"), 77);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE account = 4"), 0);
  assert_int_equal(query(f, "SELECT code FROM owned WHERE account = 5 AND components = '{'"), 6);
  assert_done(f, owned_rewrite_is_due(f->a, 6, &is_due, &f->error));
  assert_true(is_due); // account 3 is left
  assert_done(f, owned_rewrite_list(f->a, 6, 10, &list, &f->error));
  assert_int_equal(list.count, 1);
  assert_done(f, owned_rewrite_store(f->a, f->owner, 6, list.items, list.count, &f->error));
  assert_done(f, owned_rewrite_is_due(f->a, 6, &is_due, &f->error));
  assert_false(is_due);
  assert_done(f, owned_rewrite_list_all(f->a, 2, 10, &list, &f->error));
  assert_int_equal(list.count, 2);
  assert_int_equal(list.items[0].account, 3);
  owned_accounts_free(&list);
}

TEST_IN(room_reads_rows_of_its_code_and_the_code_before_it, fixture_t, f) {
  static uint8_t bundle[] = {0};
  // Keys of rows: a different release, the release 77, and its codes. A row per code of the room, from 0.
  static const struct {
    int64_t key;
    const char *fits;
  } CASES[] = {{5000, "1000"}, {77, "1100"}, {1, "0110"}, {2, "0011"}, {3, "0001"}};
  int64_t first = 0;
  uint64_t number = 0;
  add_account(f, 1);
  json_t *rows = json_array();
  json_array_append_new(rows, make_row(7, 0, make_components(3)));
  replace(f, 1, 1, rows, &first);
  for (uint64_t i = 0; i < 3; ++i) {
    code_row_t row = {.base = 77, .former = i, .bundle = bundle, .size = sizeof bundle};
    assert_done(f, code_rows_add(f->a, &row, i, &number, &f->error));
  }
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    assert_done(f, store_begin_write(f->a, &f->error));
    assert_done(f, store_end(f->a, owned_rows_set_code(f->a, 1, CASES[i].key, &f->error), &f->error));
    for (uint64_t code = 0; code < 4; ++code) {
      owned_code_t found = {0};
      assert_done(f, owned_rows_check_code(f->a, 1, 77, code, false, &found, &f->error));
      assert_int_equal(found.fits, CASES[i].fits[code] == '1');
      assert_done(f, owned_rows_check_code(f->a, 1, 77, code, true, &found, &f->error));
      assert_int_equal(found.fits, CASES[i].key == code_rows_get_key(77, code));
    }
  }
}

static void set_session(fixture_t *f, int id, int session) {
  char sql[80];
  snprintf(sql, sizeof sql, "UPDATE account SET session = %d WHERE id = %d", session, id);
  execute(f, sql);
}

static json_t *make_list(int64_t item) {
  json_t *rows = json_array();
  json_array_append_new(rows, make_row(item, 0, make_components(3)));
  return rows;
}

// Returns the parked silver of an account's only row, or -1 if the account has no row or the row has no parked values.
static int64_t read_silver(fixture_t *f, int id) {
  json_t *rows = read_rows(f, id);
  const json_t *parked = item_parked_get(json_array_get(rows, 0));
  int64_t silver =
      parked
          ? json_integer_value(json_object_get(json_object_get(json_object_get(parked, "fields"), "purse"), "silver"))
          : -1;
  json_decref(rows);
  return silver;
}

// Puts accounts 1 to 3 into room 1. Account 1 has brought item 7, whose row has code 2 and parked values.
static void bring_parked_values(fixture_t *f) {
  int64_t first = 0;
  for (int id = 1; id <= 3; ++id) {
    add_account(f, id);
    set_session(f, id, 10 + id);
  }
  json_t *rows = make_list(7),
         *parked = json_pack("{s:{}, s:{s:{s:i}}}", "components", "fields", "purse", "silver", 55);
  item_parked_set(json_array_get(rows, 0), parked);
  json_decref(parked);
  replace_with(f, 1, 1, 2, NULL, rows, &first);
  for (int id = 1; id <= 3; ++id)
    place_account(f, id, 1);
}

TEST_IN(kept_values_of_an_item_survive_the_departure_of_its_former_owner, fixture_t, f) {
  int64_t first = 0;
  bring_parked_values(f);
  replace_with(f, 1, 1, 2, &(account_item_t){7, 2}, json_array(), &first);
  place_account(f, 1, 0);
  assert_int_equal(read_silver(f, 1), -1);
  assert_int_equal(read_silver(f, 2), 55);
  replace_with(f, 1, 2, 3, &(account_item_t){7, 3}, json_array(), &first); // given again; the room runs later code
  place_account(f, 2, 0);
  assert_int_equal(read_silver(f, 2), -1);
  replace_with(f, 1, 3, 3, NULL, make_list(7), &first);
  assert_int_equal(read_silver(f, 3), 55);
}

TEST_IN(kept_values_of_an_item_that_nobody_owns_stay_with_its_number, fixture_t, f) {
  int64_t first = 0;
  bring_parked_values(f);
  replace_with(f, 1, 1, 2, &(account_item_t){7, 0}, json_array(), &first); // account 1 has put the item down
  place_account(f, 1, 0);
  assert_int_equal(read_silver(f, 1), -1);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE account < 0 AND assemblage = ''"), 1);
  replace_with(f, 1, 3, 2, &(account_item_t){7, 2}, json_array(), &first); // account 2 has picked it up
  place_account(f, 3, 0);
  assert_int_equal(replace_with(f, 1, 2, 3, NULL, make_list(7), &first), 0); // leaves after a change of the code
  assert_int_equal(read_silver(f, 2), 55);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE account < 0"), 0);
}

TEST_IN(kept_values_of_an_item_are_deleted_once_the_item_is_destroyed, fixture_t, f) {
  int64_t first = 0;
  bring_parked_values(f);
  replace_with(f, 1, 1, 2, &(account_item_t){7, 0}, json_array(), &first);
  place_account(f, 1, 0);
  replace_with(f, 2, 3, 2, NULL, json_array(), &first); // a departure from a different room does not list the item
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE account < 0"), 1);
  replace_with(f, 1, 2, 2, &(account_item_t){8, 0}, json_array(), &first); // the item does not exist any more
  assert_int_equal(query(f, "SELECT count(*) FROM owned"), 0);
}

TEST_IN(operator_removes_a_row_with_kept_values, fixture_t, f) {
  int64_t taken = 0;
  bring_parked_values(f);
  execute(f, "UPDATE owned SET components = '{\"=\":{\"parked\":true}}'"); // the whole row is kept
  json_t *rows = make_list(8);
  assert_done(f, store_begin_write(f->a, &f->error));
  assert_done(f, store_end(f->a, owned_rows_store(f->a, 1, rows, 2, &taken, &f->error), &f->error));
  json_decref(rows);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE item = 7"), 0);
  assert_int_equal(query(f, "SELECT count(*) FROM owned WHERE item = 8"), 1);
}

TEST_IN(kept_values_of_a_destroyed_item_are_dropped, fixture_t, f) {
  int64_t first = 0;
  bring_parked_values(f);
  replace_with(f, 1, 1, 2, &(account_item_t){8, 2}, json_array(), &first);
  place_account(f, 1, 0);
  for (int id = 1; id <= 3; ++id)
    assert_int_equal(read_silver(f, id), -1);
}

// The visit in which the account received the item was lost with its records, so the account is in a later visit.
TEST_IN(kept_values_that_later_code_has_restored_do_not_return_with_the_item, fixture_t, f) {
  int64_t first = 0;
  bring_parked_values(f);
  replace_with(f, 1, 1, 2, &(account_item_t){7, 2}, json_array(), &first);
  set_session(f, 2, 13);
  replace_with(f, 1, 2, 3, NULL, make_list(7), &first);
  assert_int_equal(read_silver(f, 2), -1);
}

TEST_IN(item_is_not_given_to_an_account_with_the_maximum_number_of_rows, fixture_t, f) {
  int64_t first = 0;
  bring_parked_values(f);
  json_t *rows = json_array();
  for (int64_t i = 0; i < OWNED_MAX_ENTITIES; ++i)
    json_array_append_new(rows, make_row(100 + i, 0, make_components(3)));
  replace_with(f, 1, 2, 2, NULL, rows, &first);
  replace_with(f, 1, 1, 2, &(account_item_t){7, 2}, json_array(), &first);
  json_t *now = read_rows(f, 2);
  assert_int_equal(json_array_size(now), OWNED_MAX_ENTITIES);
  json_decref(now);
}

TEST_IN(claim_of_an_account_with_old_rows_is_not_granted, fixture_t, f) {
  int64_t first = 0;
  room_claim_t room;
  room_answers_t answers = {0};
  room_answer_t got;
  account_answer_t answer;
  size_t at = 0;
  add_account(f, 1);
  json_t *rows = json_array();
  json_array_append_new(rows, make_row(7, 0, make_components(3)));
  replace(f, 1, 1, rows, &first);
  assert_done(f, world_store_start_room(f->a, f->owner, "town", &room, &f->error));
  account_claim_t c = {.ticket = 1, .is_open = true, .digest = {1}, .base = 77, .code = 9};
  for (int i = 0; i < 2; ++i) {
    assert_done(f, store_begin_write(f->a, &f->error));
    store_result_t result = account_claim_apply(f->a, &room, (const uint8_t *)&c, sizeof c, &answers, &f->error);
    assert_done(f, store_end(f->a, result, &f->error));
    assert_true(room_answers_read(&answers, &at, &got));
    memcpy(&answer, got.bytes, sizeof answer);
    assert_int_equal(answer.outcome, i == 0 ? ACCOUNT_OUTDATED : ACCOUNT_GRANTED);
    assert_int_equal(query(f, "SELECT count(*) FROM account WHERE room IS NOT NULL"), i);
    c.code = 0; // the release, which has written the rows
  }
  room_answers_free(&answers);
}

TEST_IN(room_that_has_refused_the_code_of_the_rows_refuses_their_account, fixture_t, f) {
  static uint8_t bundle[] = {0};
  // The room has the release, and has refused the codes up to `refused`. The rows have the code `key`.
  static const struct {
    uint64_t refused;
    int64_t key;
    account_outcome_t outcome;
  } CASES[] = {{0, 1, ACCOUNT_OUTDATED}, {1, 1, ACCOUNT_OLD_ROOM}, {1, 2, ACCOUNT_OUTDATED}, {2, 1, ACCOUNT_OLD_ROOM}};
  int64_t first = 0;
  uint64_t number = 0;
  room_claim_t room;
  room_answers_t answers = {0};
  room_answer_t got;
  account_answer_t answer;
  account_info_t account;
  size_t at = 0;
  add_account(f, 1);
  json_t *rows = json_array();
  json_array_append_new(rows, make_row(7, 0, make_components(3)));
  replace(f, 1, 1, rows, &first);
  assert_done(f, store_execute(f->a, "UPDATE world SET base = 77", NULL, 0, NULL, &f->error));
  for (uint64_t i = 0; i < 2; ++i)
    assert_done(f, code_rows_add(f->a, &(code_row_t){.base = 77, .bundle = bundle, .size = sizeof bundle}, i, &number,
                                 &f->error));
  assert_done(f, world_store_start_room(f->a, f->owner, "town", &room, &f->error));
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    account_claim_t c = {
        .ticket = 1, .is_open = true, .digest = {1}, .base = 77, .code = 0, .refused = CASES[i].refused};
    assert_done(f, store_begin_write(f->a, &f->error));
    assert_done(f, owned_rows_set_code(f->a, 1, CASES[i].key, &f->error));
    store_result_t result = account_claim_apply(f->a, &room, (const uint8_t *)&c, sizeof c, &answers, &f->error);
    assert_done(f, store_end(f->a, result, &f->error));
    assert_true(room_answers_read(&answers, &at, &got));
    memcpy(&answer, got.bytes, sizeof answer);
    assert_int_equal(answer.outcome, CASES[i].outcome);
    assert_int_equal(answer.code, CASES[i].key);
    assert_int_equal(query(f, "SELECT count(*) FROM account WHERE room IS NOT NULL"), 0);
    assert_done(f, world_store_find_account(f->a, c.digest, &account, &f->error));
    assert_int_equal(account.code, CASES[i].key);
  }
  room_answers_free(&answers);
}

// --- views

static void add_column(owned_columns_list_t *c, const char *component, const char *field, const char *name,
                       int32_t element, owned_type_t type) {
  owned_column_t column = {.element = element, .type = type};
  snprintf(column.component, sizeof column.component, "%s", component);
  snprintf(column.field, sizeof column.field, "%s", field);
  snprintf(column.name, sizeof column.name, "%s", name);
  array_push(&c->memory, &c->list, column);
}

static void assert_number(fixture_t *f, const char *sql, int64_t expected) {
  int64_t value = 0;
  assert_done(f, store_query_number(f->a, sql, NULL, 0, &value, &f->error));
  assert_int_equal(value, expected);
}

TEST_IN(views_have_typed_columns_for_each_component, fixture_t, f) {
  int64_t first = 0;
  owned_columns_list_t columns = {0};
  add_account(f, 1);
  json_t *rows = json_array();
  json_array_append_new(rows, make_row(7, 0, make_components(3)));
  json_array_append_new(rows,
                        make_row(8, 0,
                                 json_pack("{s:{s:i,s:s,s:b,s:{s:[f,f]}}, s:{}, s:n}", "purse", "gold", 40, "name",
                                           "big", "open", 1, "look", "tip", 0.5, 1.5, "frozen", "blade")));
  replace(f, 1, 1, rows, &first);
  add_column(&columns, "purse", "gold", "gold", -1, OWNED_INTEGER);
  add_column(&columns, "purse", "name", "purse_name", -1, OWNED_TEXT);
  add_column(&columns, "purse", "open", "open", -1, OWNED_BOOLEAN);
  add_column(&columns, "purse", "look.tip", "look_tip_x", 0, OWNED_REAL);
  add_column(&columns, "purse", "look.tip", "look_tip_y", 1, OWNED_REAL);
  add_column(&columns, "frozen", "", "", -1, OWNED_TEXT);
  add_column(&columns, "town.blade", "length", "length", -1, OWNED_REAL);
  for (int i = 0; i < 2; ++i) { // the second time, the views exist
    assert_done(f, owned_views_create(f->a, f->owner, &columns, &f->error));
    assert_number(f, "SELECT CAST(sum(gold) AS BIGINT) FROM owned_purse WHERE account = 1", 43);
    assert_number(f,
                  "SELECT count(*) FROM owned_purse WHERE gold > 5 AND purse_name = 'big' AND open = 1"
                  " AND look_tip_x = 0.5 AND look_tip_y = 1.5 AND assemblage = 'sword'",
                  1);
    assert_number(f, "SELECT item FROM owned_frozen", 8);
    assert_number(f, "SELECT count(*) FROM owned_town_blade WHERE length > 0", 0);
  }
  columns.list.count = 1; // the game has lost the other components
  assert_done(f, owned_views_create(f->a, f->owner, &columns, &f->error));
  assert_number(f, "SELECT count(*) FROM item_view", 1);
  assert_result(f, owned_views_create(f->a, f->owner + 1, &columns, &f->error), STORE_LOST);
  owned_columns_list_free(&columns);
}

TEST_IN(string_with_a_nul_character_does_not_break_its_view, fixture_t, f) {
  owned_columns_list_t columns = {0};
  add_column(&columns, "purse", "name", "purse_name", -1, OWNED_TEXT);
  add_column(&columns, "purse", "gold", "gold", -1, OWNED_INTEGER);
  assert_done(f, owned_views_create(f->a, f->owner, &columns, &f->error));
  run_sql(f, "INSERT INTO owned VALUES (1, 1, 0, '', 'sword', '{\"purse\":{\"name\":\"a\\u0000b\",\"gold\":3}}', 0)");
  run_sql(f, "INSERT INTO owned VALUES (2, 1, 0, '', 'sword', '{\"purse\":{\"name\":\"\\\\u0000\",\"gold\":4}}', 0)");
  assert_number(f, "SELECT CAST(sum(gold) AS BIGINT) FROM owned_purse", 7);
  assert_number(f, "SELECT gold FROM owned_purse WHERE purse_name LIKE 'a%'", 3);
  assert_number(f, "SELECT gold FROM owned_purse WHERE substr(purse_name, 2) = 'u0000'", 4);
  owned_columns_list_free(&columns);
}

TEST_IN(view_of_a_component_with_instances_has_a_row_for_each, fixture_t, f) {
  int64_t first = 0;
  owned_columns_list_t columns = {0};
  add_account(f, 1);
  json_t *rows = json_array();
  json_array_append_new(rows, make_row(7, 0,
                                       json_pack("{s:{s:{s:f,s:b},s:{s:f}}, s:{s:b}}", "gun", "left", "heat", 1.5, "=",
                                                 1, "", "heat", 2.0, "=", "owned", 1)));
  json_array_append_new(rows, make_row(8, 7, json_pack("{s:{s:{s:f},s:i}}", "gun", "right", "heat", 3.0, "spoilt", 4)));
  json_array_append_new(rows, make_row(9, 0, json_pack("{s:n}", "gun")));
  json_array_append_new(rows, make_row(10, 0, json_pack("{s:s}", "gun", "none")));
  json_array_append_new(rows, make_row(11, 0, json_object()));
  replace(f, 1, 1, rows, &first);
  add_column(&columns, "gun", "heat", "heat", -1, OWNED_REAL);
  add_column(&columns, "gun", "Instance", "Instance", -1, OWNED_TEXT);
  add_column(&columns, "mark", "", "", -1, OWNED_TEXT);
  for (uint32_t i = 0; i < columns.list.count; ++i)
    columns.list.items[i].is_many = true;
  assert_done(f, owned_views_create(f->a, f->owner, &columns, &f->error));
  assert_number(f, "SELECT count(*) FROM owned_gun", 3);
  assert_number(f, "SELECT CAST(2 * heat AS BIGINT) FROM owned_gun WHERE item = 7 AND instance = 'left'", 3);
  assert_number(f, "SELECT CAST(heat AS BIGINT) FROM owned_gun WHERE instance = '' AND parent = 0", 2);
  assert_number(f, "SELECT CAST(heat AS BIGINT) FROM owned_gun WHERE instance = 'right' AND parent = 7", 3);
  assert_number(f, "SELECT count(*) FROM owned_gun WHERE \"Instance_2\" IS NULL AND assemblage = 'sword'", 3);
  assert_number(f, "SELECT count(*) FROM owned_mark WHERE instance = ''", 0);
  owned_columns_list_free(&columns);
}

TEST_IN(views_with_equal_names_are_numbered, fixture_t, f) {
  owned_columns_list_t columns = {0};
  add_column(&columns, "style", "shadow", "shadow_x", 0, OWNED_REAL);
  add_column(&columns, "style", "shadow_x", "shadow_x", -1, OWNED_REAL);
  add_column(&columns, "style", "Shadow_x", "Shadow_x", -1, OWNED_REAL);
  add_column(&columns, "town.blade", "length", "length", -1, OWNED_REAL);
  add_column(&columns, "town_blade", "edge", "edge", -1, OWNED_REAL);
  add_column(&columns, "account", "number", "number", -1, OWNED_REAL); // the table `account` exists already
  add_column(&columns, "view", "angle", "angle", -1, OWNED_REAL);
  assert_done(f, owned_views_create(f->a, f->owner, &columns, &f->error));
  assert_number(f, "SELECT count(*) FROM owned_style WHERE shadow_x + shadow_x_2 > 0", 0);
  assert_number(f, "SELECT count(*) FROM owned_town_blade WHERE length > 0", 0);
  assert_number(f, "SELECT count(*) FROM owned_town_blade_2 WHERE edge > 0", 0);
  assert_number(f, "SELECT count(*) FROM owned_account JOIN owned_view ON angle = number", 0);
  owned_columns_list_free(&columns);
}

// --- the model

// A room: its claim, the visits of the accounts, and the owners of the items in its world.
typedef struct room_model_t {
  room_claim_t claim;
  int64_t visits[ACCOUNTS + 1]; // session of the visit; 0: the account is not in the room
  int owners[ITEMS];            // account of each item in the room's world; NOBODY: no account; 0: missing
} room_model_t;

typedef struct moves_t {
  fixture_t *f;
  room_model_t rooms[ROOMS], older[ROOMS]; // `older`: states to which the rooms return after a loss
  room_answers_t answers;
  room_change_t change;
  uint8_t bytes[1 << 16];
  uint32_t seed, moves, dropped, lost_visits;
} moves_t;

static uint32_t below(moves_t *m, uint32_t limit) {
  m->seed = m->seed * 1664525 + 1013904223;
  return (m->seed >> 8) % limit;
}

static int64_t item_number(int i) {
  return ((int64_t)1 << 32) + i + 1;
}

// Commits a record with the change.
static void commit(moves_t *m, uint32_t room, bool has_change) {
  uint8_t bytes[4096];
  test_snapshot_t snapshot;
  room_claim_t *claim = &m->rooms[room].claim;
  room_block_t block = make_block(claim->last + 1, claim->last + 1, bytes, sizeof bytes);
  make_snapshot(claim->last, &snapshot);
  room_answers_clear(&m->answers);
  assert_done(m->f, world_store_commit(m->f->a, claim,
                                       &(room_commit_t){.blocks = &block,
                                                        .block_count = 1,
                                                        .tick = claim->last + 1,
                                                        .state = ROOM_STATE_RUNNING,
                                                        .snapshot = claim->has_snapshot ? NULL : &snapshot.row,
                                                        .changes = &m->change,
                                                        .change_count = has_change,
                                                        .answers = &m->answers},
                                       &m->f->error));
}

static void join(moves_t *m, uint32_t room, int account) {
  account_claim_t c = {.ticket = 1, .is_open = true, .digest = {(uint8_t)account}};
  room_model_t *r = &m->rooms[room];
  account_answer_t answer;
  room_answer_t got;
  size_t at = 0, i;
  json_t *row;
  m->change = (room_change_t){ROOM_CHANGE_CLAIM, (const uint8_t *)&c, sizeof c};
  commit(m, room, true);
  assert_true(room_answers_read(&m->answers, &at, &got));
  memcpy(&answer, got.bytes, sizeof answer);
  if (answer.outcome != ACCOUNT_GRANTED)
    return;
  r->visits[account] = answer.session;
  if (got.size == sizeof answer)
    return;
  json_t *rows = item_rows_unpack((const uint8_t *)got.bytes + sizeof answer, got.size - sizeof answer, &m->f->error);
  json_array_foreach(rows, i, row) {
    int64_t item = json_integer_value(json_object_get(row, "item"));
    r->owners[item - item_number(0)] = account; // replaces a stale copy
  }
  json_decref(rows);
}

static void leave(moves_t *m, uint32_t room, int account) {
  room_model_t *r = &m->rooms[room];
  allocator_t memory = {0};
  size_t size = 0, at = 0;
  account_left_t left;
  room_answer_t got;
  json_t *rows = json_array();
  account_leave_t change = {.account = account, .session = r->visits[account]};
  for (int i = 0; i < ITEMS; ++i) {
    if (r->owners[i] != account)
      continue;
    json_array_append_new(rows, make_row(item_number(i), 0, make_components(i)));
    r->owners[i] = 0;
  }
  uint8_t *packed = item_rows_pack(rows, &memory, &size, &m->f->error);
  memcpy(m->bytes, &change, sizeof change);
  memcpy(m->bytes + sizeof change, packed, size);
  m->change = (room_change_t){ROOM_CHANGE_LEAVE, m->bytes, sizeof change + size};
  commit(m, room, true);
  assert_true(room_answers_read(&m->answers, &at, &got));
  memcpy(&left, got.bytes, sizeof left);
  m->dropped += left.dropped;
  m->lost_visits += !left.is_done;
  r->visits[account] = 0;
  alloc_resize(&memory, packed, size, 0);
  json_decref(rows);
  ++m->moves;
}

// Returns the room to its former state. Like a room that recovers, it releases accounts that are not in this state, and
// players whose visit has ended leave.
static void lose(moves_t *m, uint32_t room) {
  account_visit_t visits[ACCOUNTS];
  bool is_lost[ACCOUNTS];
  uint32_t count = 0;
  room_claim_t claim = m->rooms[room].claim;
  m->rooms[room] = m->older[room];
  m->rooms[room].claim = claim;
  room_model_t *r = &m->rooms[room];
  for (int account = 1; account <= ACCOUNTS; ++account)
    if (r->visits[account] != 0)
      visits[count++] = (account_visit_t){account, r->visits[account]};
  assert_done(m->f, world_store_settle_accounts(m->f->a, &r->claim, visits, count, is_lost, &m->f->error));
  for (uint32_t i = 0; i < count; ++i)
    if (is_lost[i])
      leave(m, room, (int)visits[i].account);
}

// Counts an item in the rows of absent accounts, and in the rooms. An item whose owner is in a room counts there.
static uint32_t count_item(moves_t *m, int i) {
  uint32_t copies = 0;
  int64_t rows = 0;
  for (uint32_t room = 0; room < ROOMS; ++room)
    copies += m->rooms[room].owners[i] != 0;
  assert_done(m->f, store_query_number(m->f->a,
                                       "SELECT count(*) FROM owned JOIN account ON account.id = owned.account"
                                       " WHERE item = $1 AND account.room IS NULL",
                                       STORE_VALUES(STORE_NUMBER(item_number(i))), &rows, &m->f->error));
  return copies + (uint32_t)rows;
}

static moves_t *create_moves(fixture_t *f) {
  static const char *const NAMES[ROOMS] = {"town", "mine", "wood"};
  moves_t *m = calloc(1, sizeof *m);
  m->f = f;
  m->seed = 5;
  for (uint32_t i = 0; i < ROOMS; ++i) {
    assert_done(f, world_store_start_room(f->a, f->owner, NAMES[i], &m->rooms[i].claim, &f->error));
    commit(m, i, false);
  }
  for (int id = 1; id <= ACCOUNTS; ++id)
    add_account(f, id);
  for (uint32_t i = 0; i < ITEMS; ++i)
    m->rooms[i % ROOMS].owners[i] = NOBODY;
  return m;
}

static void free_moves(moves_t *m) {
  room_answers_free(&m->answers);
  free(m);
}

// Moves an account at random, or gives an item to a different account in the same room, or to no account.
static void step(moves_t *m) {
  uint32_t room = below(m, ROOMS);
  room_model_t *r = &m->rooms[room];
  int account = 1 + (int)below(m, ACCOUNTS), item = (int)below(m, ITEMS);
  switch (below(m, 4)) {
  case 0: join(m, room, account); break;
  case 1:
    if (r->visits[account] != 0)
      leave(m, room, account);
    break;
  default:
    if (r->owners[item] != 0)
      r->owners[item] = r->visits[account] != 0 ? account : NOBODY;
    break;
  }
}

TEST_IN(random_moves_among_rooms_conserve_all_items, fixture_t, f) {
  moves_t *m = create_moves(f);
  for (uint32_t i = 0; i < 3000; ++i) {
    step(m);
    for (int item = 0; i % 50 == 0 && item < ITEMS; ++item)
      assert_int_equal(count_item(m, item), 1);
  }
  assert_true(m->moves > 100);
  assert_int_equal(m->dropped + m->lost_visits, 0);
  free_moves(m);
}

// After accepted losses, rooms have stale copies of items that were carried away. No account receives an item twice,
// and no two accounts have the same item, because the number of the item is the key.
TEST_IN(accepted_losses_double_no_item_of_an_account, fixture_t, f) {
  moves_t *m = create_moves(f);
  uint32_t losses = 0;
  for (uint32_t i = 0; i < 6000; ++i) {
    uint32_t room = below(m, ROOMS);
    step(m);
    if (below(m, 60) == 0)
      m->older[room] = m->rooms[room];
    else if (below(m, 150) == 0 && m->older[room].claim.serial != 0) {
      lose(m, room);
      ++losses;
    }
    for (int item = 0; i % 100 == 99 && item < ITEMS; ++item) {
      int64_t rows = 0;
      assert_done(f, store_query_number(f->a, "SELECT count(*) FROM owned WHERE item = $1",
                                        STORE_VALUES(STORE_NUMBER(item_number(item))), &rows, &f->error));
      assert_in_range(rows, 0, 1);
    }
  }
  assert_true(losses > 10 && m->dropped > 0 && m->lost_visits > 0);
  // Once all players have left, each item that any account owns has exactly one owner.
  for (uint32_t room = 0; room < ROOMS; ++room)
    for (int account = 1; account <= ACCOUNTS; ++account)
      if (m->rooms[room].visits[account] != 0)
        leave(m, room, account);
  json_t *seen = json_object();
  for (int account = 1; account <= ACCOUNTS; ++account) {
    json_t *rows = read_rows(f, account), *row;
    size_t i;
    json_array_foreach(rows, i, row) {
      char key[24];
      snprintf(key, sizeof key, "%" PRId64, (int64_t)json_integer_value(json_object_get(row, "item")));
      assert_null(json_object_get(seen, key));
      json_object_set_new(seen, key, json_true());
    }
    json_decref(rows);
  }
  json_decref(seen);
  free_moves(m);
}
