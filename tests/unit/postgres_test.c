// Worlds on PostgreSQL: failures that a file cannot have. The tests are skipped unless SHOAL_TEST_POSTGRES is set,
// because they need a server; the suite postgres_rooms sets it.
#include "served_fixture.h"

#include <pthread.h>

FIXTURE(fixture_t, setup, teardown)

static void require_server(const fixture_t *f) {
  if (!world_store_is_address(f->path))
    skip();
}

static void assert_refused_address(fixture_t *f, const char *address, store_result_t result, const char *words) {
  world_store_o *s = NULL;
  assert_result(
      f, world_store_open(&(world_store_desc_t){.path = address, .game = "hamlet", .may_create = true}, &s, &f->error),
      result);
  assert_null(s);
  assert_says(f, words);
}

// Ends all sessions of the database except the session of the connection `b`, like a server that stops.
static void end_session(fixture_t *f) {
  int64_t count = 0;
  assert_done(f, store_query_number(f->b,
                                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                                    " AND backend_type = 'client backend'",
                                    NULL, 0, &count, &f->error));
  assert_true(count > 0);
}

static void assert_explained(const char *state, store_result_t result, const char *words) {
  char text[400];
  if (postgres_explain_state(state, "message", text, sizeof text) != result || !strstr(text, words))
    fail_msg("%s: %s", state, text);
}

TEST(server_errors_are_repeated_or_end_the_process_with_a_fix) {
  static const char *const REPEATED[] = {"08000", "08006", "40001", "40P01", "53200",
                                         "57P01", "57P03", "25P02", "55006", "23514"};
  for (size_t i = 0; i < sizeof REPEATED / sizeof *REPEATED; ++i)
    assert_explained(REPEATED[i], STORE_FAILED, "message");
  assert_explained("53100", STORE_FAILED, ": free space");
  assert_explained("28P01", STORE_FAILED, ": check the user and its password");
  assert_explained("XX001", STORE_DAMAGED, "message: the database is damaged: restore a backup");
  assert_explained("23503", STORE_DAMAGED, "message: the database is damaged: restore a backup");
  assert_explained("42P01", STORE_DAMAGED, "message: the tables were changed: restore a backup");
}

TEST(unknown_server_error_is_named_with_its_code_and_text) {
  static const char *const UNKNOWN[] = {"54000", "0A000", "XX000", "99999"};
  char text[400];
  for (size_t i = 0; i < sizeof UNKNOWN / sizeof *UNKNOWN; ++i) {
    assert_explained(UNKNOWN[i], STORE_DAMAGED, "start the room again");
    postgres_explain_state(UNKNOWN[i], "too complex", text, sizeof text);
    assert_non_null(strstr(text, UNKNOWN[i]));
    assert_non_null(strstr(text, "(too complex)"));
    assert_null(strstr(text, "damaged"));
  }
}

TEST(password_is_removed_from_an_address) {
  char name[128];
  world_store_hide_password("postgres://a:secret@host/db?password=secret&x=1", name, sizeof name);
  assert_string_equal(name, "postgres://a@host/db?password=&x=1");
  world_store_hide_password("postgresql://host:5433/db", name, sizeof name);
  assert_string_equal(name, "postgresql://host:5433/db");
  world_store_hide_password("folder:x@y/world.db", name, sizeof name);
  assert_string_equal(name, "folder:x@y/world.db");
  assert_false(world_store_is_address("postgres.db"));
}

TEST_IN(commit_succeeds_after_the_server_has_ended_the_session, fixture_t, f) {
  require_server(f);
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  end_session(f);
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_loads(f, f->b, "town", 4, 7);
}

TEST_IN(transaction_whose_session_has_ended_changes_nothing, fixture_t, f) {
  require_server(f);
  int64_t changed = 0;
  start_room(f, "town");
  assert_done(f, store_begin_write(f->a, &f->error));
  assert_done(f, store_execute(f->a, "UPDATE room SET players = 9", NULL, 0, &changed, &f->error));
  assert_int_equal(changed, 1);
  end_session(f);
  assert_result(f, store_execute(f->a, "UPDATE room SET players = 10", NULL, 0, &changed, &f->error), STORE_FAILED);
  assert_result(f, store_execute(f->a, "UPDATE room SET players = 11", NULL, 0, &changed, &f->error), STORE_FAILED);
  assert_says(f, "the connection to the server was lost");
  assert_result(f, store_end(f->a, STORE_DONE, &f->error), STORE_FAILED);
  int64_t players = -1;
  assert_done(f, store_query_number(f->a, "SELECT players FROM room", NULL, 0, &players, &f->error));
  assert_int_equal(players, 0);
}

TEST_IN(locked_row_fails_after_the_time_limit, fixture_t, f) {
  require_server(f);
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  run_sql(f, "BEGIN; UPDATE room SET players = 9");
  assert_result(f, commit_records(f, f->a, &claim, 3, false), STORE_FAILED);
  assert_says(f, "a different program holds the database");
  run_sql(f, "ROLLBACK");
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_loads(f, f->b, "town", 4, 7);
}

TEST_IN(second_transaction_that_changes_a_row_fails, fixture_t, f) {
  require_server(f);
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  run_sql(f, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT serial FROM room");
  assert_done(f, commit_records(f, f->a, &claim, 3, false));
  assert_result(f, store_execute_script(f->b, "UPDATE room SET serial = serial + 1", &f->error), STORE_FAILED);
  run_sql(f, "ROLLBACK");
  assert_loads(f, f->b, "town", 4, 7);
}

TEST_IN(doubled_key_fails_once_before_it_counts_as_damage, fixture_t, f) {
  require_server(f);
  static const char SQL[] = "INSERT INTO room SELECT * FROM room";
  start_room(f, "town");
  assert_result(f, store_execute_script(f->a, SQL, &f->error), STORE_FAILED);
  assert_result(f, store_execute_script(f->a, SQL, &f->error), STORE_DAMAGED);
  assert_says(f, "restore a backup");
}

TEST_IN(room_is_lost_if_the_database_lacks_its_commits, fixture_t, f) {
  require_server(f);
  room_claim_t claim = start_room(f, "town");
  assert_done(f, commit_records(f, f->a, &claim, 4, true));
  run_sql(f, "UPDATE room SET serial = serial - 1");
  assert_result(f, commit_records(f, f->a, &claim, 3, false), STORE_LOST);
  assert_says(f, "the database lacks commits of this process");
}

TEST_IN(server_that_would_lose_commits_is_refused, fixture_t, f) {
  require_server(f);
  run_sql(f, "ALTER SYSTEM SET fsync = off");
  run_sql(f, "SELECT pg_reload_conf(); SELECT pg_sleep(0.3)");
  assert_refused_address(f, f->path, STORE_FAILED, "set fsync = on");
  run_sql(f, "ALTER SYSTEM RESET fsync");
  run_sql(f, "SELECT pg_reload_conf(); SELECT pg_sleep(0.3)");
}

TEST_IN(commits_are_synchronous_regardless_of_user_settings, fixture_t, f) {
  require_server(f);
  run_sql(f, "ALTER ROLE shoal SET synchronous_commit = off");
  world_store_o *s = open_world(f);
  run_sql(f, "ALTER ROLE shoal RESET synchronous_commit");
  store_query_t query = {0};
  char text[32];
  store_query_begin(s, &query, "SELECT current_setting('synchronous_commit')", NULL, 0, &f->error);
  assert_true(store_next(s, &query, &f->error));
  assert_true(store_read_text(&query, 0, text, sizeof text));
  assert_done(f, store_query_end(&query));
  assert_string_equal(text, "on");
  world_store_close(s);
}

TEST_IN(reason_with_invalid_utf8_is_stored, fixture_t, f) {
  room_list_t list = {0};
  assert_done(f, world_store_fail_room(f->a, f->owner, "town", "cut \xc3", &f->error));
  assert_done(f, world_store_list_rooms(f->b, &list, &f->error));
  assert_string_equal(list.items[0].reason, world_store_is_address(f->path) ? "cut ?" : "cut \xc3");
  room_list_free(&list);
}

TEST_IN(values_keep_their_types, fixture_t, f) {
  store_query_t query = {0};
  uint8_t bytes[] = {0, 1, 255};
  store_query_begin(f->a, &query,
                    "SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), $3, CAST(1.5 AS DOUBLE PRECISION), NULL, 'a' AS name",
                    STORE_VALUES(STORE_NUMBER(INT64_MIN), STORE_TEXT("ä"), STORE_BLOB(bytes, sizeof bytes)), &f->error);
  assert_int_equal(store_count_columns(&query), 6);
  assert_string_equal(store_get_column_name(&query, 5), "name");
  assert_true(store_next(f->a, &query, &f->error));
  uint64_t bits = 0, number = 0;
  const uint8_t *blob;
  size_t size;
  char text[8];
  assert_true(store_read_bits(&query, 0, &bits));
  assert_true(bits == (uint64_t)INT64_MIN);
  assert_false(store_read_number(&query, 0, INT64_MAX, &number));
  assert_true(store_read_text(&query, 1, text, sizeof text));
  assert_string_equal(text, "ä");
  assert_false(store_read_text(&query, 1, text, 2));
  assert_false(store_read_bits(&query, 1, &bits));
  assert_true(store_read_blob(&query, 2, sizeof bytes, &blob, &size));
  assert_int_equal(size, sizeof bytes);
  assert_memory_equal(blob, bytes, size);
  assert_false(store_read_blob(&query, 2, 2, &blob, &size));
  assert_int_equal(store_read_cell(&query, 3).kind, STORE_KIND_REAL);
  assert_true(store_read_cell(&query, 3).real == 1.5);
  assert_int_equal(store_read_cell(&query, 4).kind, STORE_KIND_NULL);
  assert_false(store_next(f->a, &query, &f->error));
  assert_done(f, store_query_end(&query));
}

TEST_IN(numeric_values_are_read_as_real, fixture_t, f) {
  require_server(f);
  static const struct {
    const char *sql;
    double value;
  } CASES[] = {{"SELECT 0.25", 0.25},       {"SELECT -12345678.5", -12345678.5},
               {"SELECT 0.00001", 0.00001}, {"SELECT 100000000.0", 1e8},
               {"SELECT 0.0", 0},           {"SELECT 12340000.0", 12340000}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    store_query_t query = {0};
    store_query_begin(f->a, &query, CASES[i].sql, NULL, 0, &f->error);
    assert_true(store_next(f->a, &query, &f->error));
    double difference = store_read_cell(&query, 0).real - CASES[i].value;
    assert_true(difference < 1e-12 && difference > -1e-12);
    assert_done(f, store_query_end(&query));
  }
}

// --- two processes that create the tables at the same time

static void *open_in_thread(void *context) {
  fixture_t *f = context;
  world_store_desc_t desc = {.path = f->path, .game = "hamlet", .may_create = true};
  world_store_open(&desc, &f->a, &f->error);
  return NULL;
}

TEST_IN(processes_may_create_the_tables_simultaneously, fixture_t, f) {
  require_server(f);
  fixture_t copies[3];
  pthread_t threads[3];
  world_store_close(f->a);
  run_sql(f, "DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  for (uint32_t i = 0; i < 3; ++i) {
    copies[i] = *f;
    copies[i].a = NULL;
    assert_int_equal(pthread_create(&threads[i], NULL, open_in_thread, &copies[i]), 0);
  }
  for (uint32_t i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  for (uint32_t i = 0; i < 3; ++i) {
    if (!copies[i].a)
      fail_msg("%s", copies[i].error.text);
    world_store_close(copies[i].a);
  }
  f->a = open_world(f);
}
