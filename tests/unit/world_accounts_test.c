// Accounts of players who ask a world for a room: serve/world_accounts.h and served/account_rows.h.
#include "served_fixture.h"

#include "match/match_account.h"
#include "serve/world_accounts.h"

FIXTURE(fixture_t, setup, teardown)

static const link_address_t LOCAL = {.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}};

static world_accounts_t begin(const fixture_t *f, bool needs_invite) {
  return (world_accounts_t){.store = f->a, .owner = f->owner, .needs_invite = needs_invite};
}

static world_request_t make_request(uint8_t user, const char *name) {
  world_request_t request = {.account = {user}};
  snprintf(request.name, sizeof request.name, "%s", name);
  return request;
}

// Asserts that the user's account has this name.
static void expect_name(world_accounts_t *a, uint8_t user, const char *wanted, const char *name) {
  account_info_t account;
  match_refusal_t refusal;
  world_request_t request = make_request(user, wanted);
  assert_true(world_accounts_find(a, 0, &LOCAL, &request, &account, &refusal));
  assert_true(account.exists);
  assert_string_equal(account.name, name);
}

static match_refusal_t expect_refusal(world_accounts_t *a, int64_t now_us, const link_address_t *address,
                                      const world_request_t *request, match_refusal_kind_t kind) {
  account_info_t account;
  match_refusal_t refusal = {0};
  assert_false(world_accounts_find(a, now_us, address, request, &account, &refusal));
  assert_int_equal(refusal.number, kind);
  return refusal;
}

TEST_IN(taken_names_get_a_number_regardless_of_case, fixture_t, f) {
  world_accounts_t a = begin(f, false);
  expect_name(&a, 1, "Ada", "Ada");
  expect_name(&a, 2, "ADA", "ADA 2");
  expect_name(&a, 3, "ada", "ada 3");
  expect_name(&a, 2, "Bob", "ADA 2"); // the name stays
  expect_name(&a, 4, "", "Player");
  expect_name(&a, 5, "player", "player 2");
  expect_name(&a, 6, "ÄNNE", "ÄNNE");
  expect_name(&a, 7, "änne", "änne 2");
  expect_name(&a, 8, "Жанна", "Жанна");
  expect_name(&a, 9, "жАННА", "жАННА 2");
  expect_name(&a, 10, "ADA 2", "ADA 2 2");
}

TEST_IN(tenth_equal_name_gets_the_number_of_its_account, fixture_t, f) {
  world_accounts_t a = begin(f, false);
  char name[40];
  for (uint8_t user = 1; user <= 9; ++user) {
    snprintf(name, sizeof name, user > 1 ? "Eve %u" : "Eve", user);
    expect_name(&a, user, "Eve", name);
  }
  account_info_t account;
  match_refusal_t refusal;
  for (uint8_t user = 10; user < 40; ++user) {
    world_request_t request = make_request(user, "Eve");
    assert_true(world_accounts_find(&a, 0, &LOCAL, &request, &account, &refusal));
  }
  int64_t names = 0;
  assert_done(f, store_query_number(f->b, "SELECT count(DISTINCT name_key) FROM account", NULL, 0, &names, &f->error));
  assert_int_equal(names, 39);
}

TEST(folding_keeps_the_size_and_other_characters) {
  static const char *const PAIRS[][2] = {{"Ada", "ada"},   {"ÅSE", "åse"},   {"ΩMEGA", "ωmega"}, {"ЁЛКА", "ёлка"},
                                         {"ＡＢ", "ａｂ"}, {"日本", "日本"}, {"Łódź", "łódź"},   {"ŽAK", "žak"},
                                         {"×÷ß", "×÷ß"},   {"", ""}};
  for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; ++i) {
    char out[PLAYER_NAME_BYTES + 1];
    account_name_fold(PAIRS[i][0], out);
    assert_string_equal(out, PAIRS[i][1]);
    account_name_fold(PAIRS[i][1], out);
    assert_string_equal(out, PAIRS[i][1]);
  }
}

TEST_IN(address_can_create_five_accounts_per_hour, fixture_t, f) {
  world_accounts_t a = begin(f, false);
  account_info_t account;
  match_refusal_t refusal;
  link_address_t address = link_address_from_ipv4(0x0a000001u, 5), other = link_address_from_ipv4(0x0a000002u, 5);
  for (uint8_t user = 1; user <= 5; ++user) {
    world_request_t request = make_request(user, "Ada");
    address.port = user; // the port does not matter
    assert_true(world_accounts_find(&a, 1000, &address, &request, &account, &refusal));
  }
  world_request_t request = make_request(6, "Ada");
  refusal = expect_refusal(&a, 2000, &address, &request, MATCH_REFUSAL_MANY_ACCOUNTS);
  assert_in_range(refusal.value, 3590, 3600);
  assert_true(world_accounts_find(&a, 2000, &other, &request, &account, &refusal));
  request = make_request(1, "Ada"); // known accounts may always join
  assert_true(world_accounts_find(&a, 2000, &address, &request, &account, &refusal));
  request = make_request(7, "Ada");
  assert_true(world_accounts_find(&a, 1000 + WORLD_ACCOUNTS_HOUR_US, &address, &request, &account, &refusal));
  for (uint8_t user = 20; user < 40; ++user) { // requests of this machine
    request = make_request(user, "Zoe");
    assert_true(world_accounts_find(&a, 0, &LOCAL, &request, &account, &refusal));
  }
}

TEST_IN(machine_without_an_account_is_refused, fixture_t, f) {
  world_accounts_t a = begin(f, false);
  world_request_t request = make_request(0, "Ada");
  expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_NO_ACCOUNT);
}

// Computes the digest of an invitation code with the hash { value }, as requests contain it.
static void get_code(uint8_t value, uint8_t digest[ACCOUNT_DIGEST_BYTES]) {
  uint8_t hash[MATCH_PASSWORD_HASH_BYTES] = {value};
  match_account_digest(hash, digest);
}

TEST_IN(invitation_creates_one_account, fixture_t, f) {
  world_accounts_t a = begin(f, true);
  account_info_t account;
  match_refusal_t refusal;
  uint8_t digest[ACCOUNT_DIGEST_BYTES];
  get_code(77, digest);
  assert_done(f, world_store_add_invite(f->b, digest, &f->error));
  world_request_t request = make_request(1, "Ada");
  expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_CODE);
  request.code[0] = 78;
  expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_CODE);
  request.code[0] = 77;
  assert_true(world_accounts_find(&a, 0, &LOCAL, &request, &account, &refusal));
  memset(request.code, 0, sizeof request.code);
  assert_true(world_accounts_find(&a, 0, &LOCAL, &request, &account, &refusal)); // the account now exists
  request = make_request(2, "Bob");
  request.code[0] = 77;
  expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_CODE); // the code is used up
}

TEST_IN(reset_code_moves_an_account_to_a_new_secret, fixture_t, f) {
  world_accounts_t a = begin(f, true);
  account_info_t account;
  match_refusal_t refusal;
  uint8_t digest[ACCOUNT_DIGEST_BYTES];
  bool is_found = false;
  world_accounts_t open = begin(f, false);
  expect_name(&open, 1, "Ada", "Ada");
  get_code(5, digest);
  assert_done(f, world_store_reset_account(f->b, "nobody", digest, &is_found, &f->error));
  assert_false(is_found);
  assert_done(f, world_store_reset_account(f->b, "ADA", digest, &is_found, &f->error));
  assert_true(is_found);
  world_request_t request = make_request(2, "Thief");
  request.code[0] = 5;
  assert_true(world_accounts_find(&a, 0, &LOCAL, &request, &account, &refusal));
  assert_int_equal(account.id, 1);
  assert_string_equal(account.name, "Ada");
  request = make_request(1, "Ada"); // the former secret
  expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_CODE);
  request = make_request(3, "Bob");
  request.code[0] = 5;
  expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_CODE);
}

TEST_IN(ban_is_explained_until_it_ends, fixture_t, f) {
  world_accounts_t a = begin(f, false);
  expect_name(&a, 1, "Ada", "Ada");
  run_sql(f, "UPDATE account SET banned_until = " STORE_NOW " + 7200, reason = 'spam'");
  world_request_t request = make_request(1, "Ada");
  match_refusal_t refusal = expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_ACCOUNT_BANNED);
  assert_in_range(refusal.value, 7100, 7200);
  assert_string_equal(refusal.texts[0], "spam");
  run_sql(f, "UPDATE account SET banned_until = " STORE_NOW " - 1");
  expect_name(&a, 1, "Ada", "Ada");
}

TEST_IN(only_the_owner_of_the_world_creates_accounts, fixture_t, f) {
  world_accounts_t a = begin(f, false);
  int64_t owner = 0;
  assert_done(f, world_store_claim_world(f->b, true, &owner, &f->error));
  a.has_failed = true; // no log in this test
  world_request_t request = make_request(1, "Ada");
  expect_refusal(&a, 0, &LOCAL, &request, MATCH_REFUSAL_ROOM_STARTS);
  int64_t accounts = 0;
  assert_done(f, store_query_number(f->b, "SELECT count(*) FROM account", NULL, 0, &accounts, &f->error));
  assert_int_equal(accounts, 0);
}

TEST(codes_are_readable_and_depend_on_the_world) {
  uint8_t key[SEAL_KEY_BYTES] = {1}, other[SEAL_KEY_BYTES] = {2}, a[MATCH_PASSWORD_HASH_BYTES], b[sizeof a];
  char code[MATCH_ACCOUNT_CODE_BYTES];
  match_account_make_code(code);
  assert_int_equal(strlen(code), MATCH_ACCOUNT_CODE_BYTES - 1);
  match_account_hash_code("abcd-efgh-jkmn", key, a);
  match_account_hash_code(" ABCDefgh JKMN", key, b);
  assert_memory_equal(a, b, sizeof a);
  match_account_hash_code("abcd-efgh-jkmn", other, b);
  assert_memory_not_equal(a, b, sizeof a);
}
