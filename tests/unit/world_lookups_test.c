// Account lookups for players who ask for rooms, with a responsive and with a locked database: serve/world_lookups.h.
#include "served_fixture.h"

#include "base/now.h"
#include "serve/world_lookups.h"

#include <time.h>

#define LIMIT_NS (INT64_C(20) * 1000000000)

FIXTURE(fixture_t, setup, teardown)

static const link_address_t LOCAL = {.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}};

// Lookups with their own database connection, which waits up to 1 s for a lock.
typedef struct lookups_t {
  world_lookups_t lookups;
  world_store_o *store;
  log_o *log;
} lookups_t;

static world_lookups_t *begin(fixture_t *f, lookups_t *t) {
  world_store_desc_t desc = {.path = f->path, .game = "hamlet", .busy_ms = 1000};
  *t = (lookups_t){.log = log_create(LOG_NONE)};
  assert_done(f, world_store_open(&desc, &t->store, &f->error));
  t->lookups.accounts = (world_accounts_t){.store = t->store, .owner = f->owner, .log = t->log};
  t->lookups.statements = world_statements_create(t->store, t->log, &f->error);
  assert_non_null(t->lookups.statements);
  return &t->lookups;
}

static void end(lookups_t *t) {
  world_statements_destroy(t->lookups.statements);
  world_store_close(t->store);
  log_destroy(t->log);
}

static world_request_t make_request(uint8_t user) {
  world_request_t request = {.account = {user}, .name = "Ada"};
  return request;
}

static match_refusal_t ask(world_lookups_t *l, uint8_t user, account_info_t *account) {
  match_refusal_t refusal = {0};
  world_request_t request = make_request(user);
  world_lookups_begin(l);
  world_statements_update(l->statements);
  world_lookups_find(l, now_ns() / 1000, &LOCAL, &request, account, &refusal);
  return refusal;
}

// Asks until the account is found, as a player's machine does.
static account_info_t ask_until_found(world_lookups_t *l, uint8_t user) {
  account_info_t account = {0};
  for (int64_t end = now_ns() + LIMIT_NS; !account.exists && now_ns() < end;)
    ask(l, user, &account);
  assert_true(account.exists);
  return account;
}

TEST_IN(accounts_are_found_and_released_by_statements_on_a_thread, fixture_t, f) {
  static lookups_t t;
  world_lookups_t *l = begin(f, &t);
  int64_t wanted = 0;
  account_info_t ada = ask_until_found(l, 1);
  assert_string_equal(ada.name, "Ada");
  assert_string_equal(ask_until_found(l, 2).name, "Ada 2");
  assert_int_equal(ask_until_found(l, 1).id, ada.id);
  run_sql(f, "UPDATE account SET room = 1");
  world_lookups_want(l, &ada);
  for (int64_t end = now_ns() + LIMIT_NS; wanted == 0 && now_ns() < end; world_statements_update(l->statements))
    assert_done(f, store_query_number(f->b, "SELECT MAX(wanted) FROM account", NULL, 0, &wanted, &f->error));
  assert_int_equal(wanted, 1);
  end(&t);
}

// The account is a secret of one user, so requests with equal accounts come from this user, also from a new address.
TEST_IN(user_with_a_different_name_and_address_receives_the_same_account, fixture_t, f) {
  static lookups_t t;
  require_file(f);
  world_lookups_t *l = begin(f, &t);
  account_info_t account = {0}, again = {0};
  match_refusal_t refusal = {0};
  world_request_t request = make_request(1);
  link_address_t address = {.ip = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 9}};
  run_sql(f, "BEGIN IMMEDIATE");
  ask(l, 1, &account); // the lookup waits
  run_sql(f, "ROLLBACK");
  snprintf(request.name, sizeof request.name, "Eve");
  for (int64_t end = now_ns() + LIMIT_NS; !again.exists && now_ns() < end;) {
    world_lookups_begin(l);
    world_statements_update(l->statements);
    world_lookups_find(l, now_ns() / 1000, &address, &request, &again, &refusal);
  }
  account = ask_until_found(l, 1);
  assert_int_equal(again.id, account.id);
  assert_string_equal(again.name, "Ada");
  end(&t);
}

// Lookups of new accounts wait for the lock. Machines that ask again receive the results of their first requests.
TEST_IN(lookups_of_a_locked_database_do_not_block_the_loop, fixture_t, f) {
  static lookups_t t;
  require_file(f);
  world_lookups_t *l = begin(f, &t);
  account_info_t account = {0};
  run_sql(f, "BEGIN IMMEDIATE");
  for (uint8_t user = 1; user <= WORLD_MAX_LOOKUPS + 8; ++user) {
    int64_t begin_ns = now_ns();
    match_refusal_t refusal = ask(l, user, &account);
    assert_in_range(now_ns() - begin_ns, 0, 500000000);
    assert_false(account.exists);
    assert_int_equal(refusal.number, MATCH_REFUSAL_ROOM_STARTS);
    assert_in_range(refusal.value, 1, 1000);
  }
  run_sql(f, "ROLLBACK");
  for (uint8_t user = 1; user <= WORLD_MAX_LOOKUPS + 8; ++user)
    ask_until_found(l, user);
  end(&t);
}

TEST_IN(thread_ends_while_statements_wait, fixture_t, f) {
  static lookups_t t;
  require_file(f);
  world_lookups_t *l = begin(f, &t);
  account_info_t account = {0};
  int64_t count = 0;
  run_sql(f, "BEGIN IMMEDIATE");
  for (uint8_t user = 1; user <= 8; ++user)
    ask(l, user, &account);
  end(&t);
  run_sql(f, "ROLLBACK");
  assert_done(f, store_query_number(f->a, "SELECT count(*) FROM account", NULL, 0, &count, &f->error));
  assert_int_equal(count, 0);
}
