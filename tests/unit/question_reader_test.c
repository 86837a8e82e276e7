// Questions about the chronicle of a world: served/question_reader.h. On PostgreSQL (SHOAL_TEST_POSTGRES), the same
// questions must have the same answers.
#include "served_fixture.h"

#include "base/now.h"
#include "served/question_reader.h"

#include <time.h>

typedef struct case_t {
  fixture_t *f;
  question_reader_o *reader;
  question_answer_t answer;
} case_t;

static const chronicle_view_t VIEWS[] = {{"trade",
                                          {{"player", CHRONICLE_INTEGER},
                                           {"gold", CHRONICLE_REAL},
                                           {"good", CHRONICLE_TEXT},
                                           {"pos.x", CHRONICLE_REAL},
                                           {"fair", CHRONICLE_BOOLEAN}},
                                          5,
                                          0},
                                         {"quest_done", {{"player", CHRONICLE_INTEGER}}, 1, 0}};

static void fill(fixture_t *f) {
  assert_done(f, chronicle_create_views(f->a, f->owner, VIEWS, 2, &f->error));
  run_sql(f, "INSERT INTO room VALUES (1, 'town', 1, 1, 0, 0, 0, 0, 0, '')");
  run_sql(
      f, "INSERT INTO account (id, digest, name, name_key, session, wanted, place, origin, created, seen, banned_until,"
         " muted_until, reason) VALUES (7, x'736563726574', 'Ada', 'ada', 0, 0, '', '', 0, 0, 0, 0, '')");
  run_sql(f, "INSERT INTO chronicle VALUES (1, 1, 10, 0, 'trade', 7, 1000, NULL,"
             " '{\"player\":1,\"gold\":2.5,\"good\":\"sword\",\"pos.x\":-4,\"fair\":true}')");
  run_sql(f, "INSERT INTO chronicle VALUES (1, 1, 11, 0, 'trade', NULL, 1001, NULL,"
             " '{\"player\":2,\"gold\":3,\"good\":\"\",\"pos.x\":0,\"fair\":false}')");
}

static int setup_case(void **state) {
  static case_t c;
  if (setup(state) != 0)
    return -1;
  c = (case_t){.f = *state};
  fill(c.f);
  c.reader = question_reader_create(c.f->path);
  *state = &c;
  return 0;
}

static int teardown_case(void **state) {
  case_t *c = *state;
  question_reader_destroy(c->reader);
  *state = c->f;
  return teardown(state);
}
FIXTURE(case_t, setup_case, teardown_case)

// Asks a question, and waits for its answer.
static void ask_with(case_t *c, const char *sql, const char *parameters) {
  static uint64_t number;
  int64_t end = now_ns() + 20 * INT64_C(1000000000);
  assert_true(question_reader_add(c->reader, ++number, sql, parameters, &c->f->error));
  while (!question_reader_take(c->reader, &c->answer)) {
    assert_true(now_ns() < end);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  assert_int_equal(c->answer.number, number);
  assert_int_equal(c->answer.size, strlen(c->answer.text));
}

static void answers(case_t *c, const char *sql, const char *parameters, const char *rows) {
  ask_with(c, sql, parameters);
  if (c->answer.is_error)
    fail_msg("%s: %s", sql, c->answer.text);
  assert_string_equal(c->answer.text, rows);
  assert_false(c->answer.is_cut);
}

static void refuses(case_t *c, const char *sql, const char *words) {
  ask_with(c, sql, "[]");
  if (!c->answer.is_error)
    fail_msg("answered: %s: %s", sql, c->answer.text);
  if (!strstr(c->answer.text, words))
    fail_msg("%s: \"%s\" does not contain \"%s\"", sql, c->answer.text, words);
}

TEST_IN(question_reads_typed_columns_of_a_view, case_t, c) {
  answers(c, "SELECT * FROM chronicle_trade ORDER BY tick LIMIT 1", "[]",
          "[{\"room\":\"town\",\"tick\":10,\"at\":1000,\"account\":7,\"player\":1,\"gold\":2.5,\"good\":\"sword\","
          "\"pos_x\":-4,\"fair\":1}]");
  answers(c, "SELECT typeof(player) AS p, typeof(gold) AS g, typeof(good) AS t FROM chronicle_trade LIMIT 1", "[]",
          "[{\"p\":\"integer\",\"g\":\"real\",\"t\":\"text\"}]");
}

TEST_IN(question_joins_accounts_by_number, case_t, c) {
  answers(c,
          "SELECT a.name, sum(t.gold) AS gold FROM chronicle_trade t JOIN account a ON a.number = t.account GROUP BY 1",
          "[]", "[{\"name\":\"Ada\",\"gold\":2.5}]");
}

TEST_IN(question_may_use_common_table_expressions_and_count_without_columns, case_t, c) {
  answers(c, "WITH t AS (SELECT gold FROM chronicle_trade) SELECT count(*) AS n FROM t", "[]", "[{\"n\":2}]");
  answers(c, "SELECT count(*) AS n FROM chronicle_quest_done", "[]", "[{\"n\":0}]");
  answers(c, "SELECT count(*) AS n FROM account", "[]", "[{\"n\":1}]");
}

TEST_IN(question_reads_the_values_of_lists, case_t, c) {
  answers(c, "SELECT sum(value) AS n FROM json_each('[1,2]')", "[]", "[{\"n\":3}]");
  answers(c, "SELECT count(*) AS n FROM json_tree('[1,[2]]')", "[]", "[{\"n\":4}]");
}

TEST_IN(parameters_are_numbers_strings_and_booleans, case_t, c) {
  answers(c, "SELECT tick FROM chronicle_trade WHERE good = $2 AND gold > $1 AND fair = $3", "[1.5,\"sword\",true]",
          "[{\"tick\":10}]");
  answers(c, "SELECT $2 AS b, $1 AS a, $1 AS c", "[1,\"x'; DROP TABLE room\"]",
          "[{\"b\":\"x'; DROP TABLE room\",\"a\":1,\"c\":1}]");
  refuses(c, "SELECT $1 AS a", "the query uses $1, but chronicle.ask has 0 parameters");
  refuses(c, "SELECT ? AS a", "parameters must be written as $1");
}

TEST_IN(null_has_no_key_and_numbers_stay_finite, case_t, c) {
  answers(c, "SELECT NULL AS a, 1e999 AS b, 0.1 AS c", "[]", "[{\"b\":null,\"c\":0.1}]");
  answers(c, "SELECT account FROM chronicle_trade WHERE tick = 11", "[]", "[{}]");
}

TEST_IN(question_cannot_write, case_t, c) {
  static const char *const QUERIES[] = {"DELETE FROM chronicle",
                                        "INSERT INTO account (id) VALUES (9)",
                                        "UPDATE account SET name = 'x'",
                                        "CREATE TABLE t (a)",
                                        "CREATE TEMP TABLE t (a)",
                                        "DROP VIEW chronicle_trade",
                                        "ATTACH 'other.db' AS other",
                                        "PRAGMA query_only = OFF",
                                        "PRAGMA table_info(account)",
                                        "VACUUM INTO 'copy.db'",
                                        "BEGIN",
                                        "SAVEPOINT s",
                                        "REINDEX",
                                        "ANALYZE",
                                        "WITH t AS (SELECT 1) DELETE FROM chronicle_trade",
                                        "EXPLAIN SELECT 1"};
  for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; ++i)
    refuses(c, QUERIES[i], "");
  answers(c, "SELECT count(*) AS n FROM chronicle_trade", "[]", "[{\"n\":2}]");
}

TEST_IN(question_cannot_read_other_tables, case_t, c) {
  static const char *const QUERIES[] = {
      "SELECT digest FROM main.account", "SELECT reason FROM main.account", "SELECT name FROM room",
      "SELECT * FROM chronicle", "SELECT body FROM journal", "SELECT count(*) AS n FROM journal",
      "SELECT owner FROM world", "SELECT sql FROM sqlite_schema", "SELECT name FROM sqlite_temp_schema",
      "SELECT statement FROM kept_view", "SELECT name FROM pragma_table_info('account')", "SELECT load_extension('x')",
      "SELECT number FROM account WHERE (SELECT digest FROM main.account) > 'a'",
      // A subquery with the name of a view
      "WITH account AS (SELECT digest FROM main.account) SELECT * FROM account",
      "WITH chronicle_trade AS (SELECT * FROM journal) SELECT * FROM chronicle_trade",
      "SELECT * FROM (SELECT digest AS d FROM main.account) AS chronicle_trade"};
  for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; ++i)
    refuses(c, QUERIES[i], "can read only the views chronicle_EVENT and account");
}

// Uses functions and tables of a PostgreSQL server, and strings that would end a statement that is built from strings.
TEST_IN(question_reaches_nothing_of_a_server, case_t, c) {
  static const char *const QUERIES[] = {"SELECT pg_sleep(10) AS a",
                                        "SELECT pg_read_file('/etc/passwd') AS a",
                                        "SELECT lo_import('/etc/passwd') AS a",
                                        "SELECT * FROM dblink('dbname=world', 'DELETE FROM account') AS t (a)",
                                        "SELECT query_to_xml('SELECT digest FROM account', true, true, '') AS a",
                                        "SELECT set_config('default_transaction_read_only', 'off', false) AS a",
                                        "SELECT current_setting('data_directory') AS a",
                                        "SELECT nextval('s') AS a",
                                        "SELECT pg_terminate_backend(pid) AS a FROM pg_stat_activity",
                                        "SELECT relname FROM pg_class",
                                        "SELECT rolpassword FROM pg_catalog.pg_authid",
                                        "SELECT table_name FROM information_schema.tables",
                                        "SELECT 'account'::regclass AS a",
                                        "SELECT 1 AS a; COMMIT; DELETE FROM chronicle",
                                        "COPY account TO '/tmp/accounts'",
                                        "SET statement_timeout = 0",
                                        "LOCK TABLE room",
                                        "LISTEN x",
                                        "DO $$ BEGIN END $$",
                                        "SELECT * FROM chronicle_trade FOR UPDATE",
                                        "FETCH 1 FROM q1",
                                        "SELECT * FROM world_table"};
  for (size_t i = 0; i < sizeof QUERIES / sizeof *QUERIES; ++i)
    refuses(c, QUERIES[i], "");
  answers(c, "SELECT count(*) AS n FROM chronicle_trade WHERE good = $1", "[\"'; DELETE FROM chronicle; --\"]",
          "[{\"n\":0}]");
  answers(c, "SELECT count(*) AS n FROM chronicle_trade", "[]", "[{\"n\":2}]");
}

// Adds trades of the ticks from 100 to 2,099 in two rooms, ten per second, and accounts from 100 to 1,199.
static void fill_many(case_t *c) {
  run_sql(c->f, "INSERT INTO room VALUES (2, 'mine', 1, 1, 0, 0, 0, 0, 0, '')");
  run_sql(c->f,
          "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2099) INSERT INTO chronicle"
          " SELECT 1 + i % 2, 1, i, 0, 'trade', i / 2 + 50, 2000 + i / 10, NULL, '{\"player\":1,\"gold\":' || i ||"
          " '.5,\"good\":\"g' || (i % 7) || '\"}' FROM n");
  assert_done(c->f, store_begin_write(c->f->b, &c->f->error));
  for (int i = 100; i < 1200; ++i) {
    char name[16];
    (void)snprintf(name, sizeof name, "N%d", i);
    assert_done(c->f, store_execute(c->f->b,
                                    "INSERT INTO account (id, digest, name, name_key, session, wanted, place, origin,"
                                    " created, seen, banned_until, muted_until, reason) VALUES"
                                    " ($1, $2, $3, $4, 0, 0, '', '', 0, 0, 0, 0, '')",
                                    STORE_VALUES(STORE_NUMBER(i), STORE_BLOB(name, strlen(name)), STORE_TEXT(name),
                                                 STORE_TEXT(name)),
                                    NULL, &c->f->error));
  }
  assert_done(c->f, store_end(c->f->b, STORE_DONE, &c->f->error));
}

TEST_IN(conditions_select_the_same_rows_everywhere, case_t, c) {
  static const struct {
    const char *sql, *parameters, *rows;
  } CASES[] = {
      {"SELECT count(*) AS n, sum(gold) AS g FROM chronicle_trade", "[]", "[{\"n\":2002,\"g\":2200005.5}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE room = 'mine'", "[]", "[{\"n\":1000}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE at > 2100 AND at <= 2110", "[]", "[{\"n\":100}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE at >= 2100.5 AND at < 2101.5", "[]", "[{\"n\":10}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE at = 2100.0", "[]", "[{\"n\":10}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE at = '2100'", "[]", "[{\"n\":10}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE at > 'x' OR at < 1e300", "[]", "[{\"n\":2002}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE at > $1", "[1e300]", "[{\"n\":0}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE account = $1 OR account IS NULL", "[7]", "[{\"n\":2}]"},
      {"SELECT count(*) AS n FROM chronicle_trade WHERE account IN (100, 101, 102)", "[]", "[{\"n\":6}]"},
      {"SELECT tick FROM chronicle_trade WHERE at = 2050 AND room = 'town' LIMIT 3", "[]",
       "[{\"tick\":500},{\"tick\":502},{\"tick\":504}]"},
      {"SELECT tick FROM chronicle_trade WHERE room = 'town' ORDER BY at DESC LIMIT 2", "[]",
       "[{\"tick\":2098},{\"tick\":2096}]"},
      {"SELECT max(at) AS a, min(at) AS b FROM chronicle_trade", "[]", "[{\"a\":2209,\"b\":1000}]"},
      {"SELECT tick FROM chronicle_trade WHERE tick BETWEEN 998 AND 1002 AND room = 'town'", "[]",
       "[{\"tick\":998},{\"tick\":1000},{\"tick\":1002}]"},
      {"SELECT count(*) AS n, min(a.name) AS a FROM chronicle_trade t JOIN account a ON a.number = t.account", "[]",
       "[{\"n\":2001,\"a\":\"Ada\"}]"},
      {"SELECT sum(t.gold) AS g FROM account a JOIN chronicle_trade t ON t.account = a.number WHERE a.name = 'N600'",
       "[]", "[{\"g\":2202}]"},
      {"SELECT count(*) AS n, min(number) AS a, max(number) AS b FROM account", "[]",
       "[{\"n\":1101,\"a\":7,\"b\":1199}]"},
      {"SELECT name FROM account WHERE number = 611 OR number = 612.0 OR number = 'x'", "[]",
       "[{\"name\":\"N611\"},{\"name\":\"N612\"}]"},
      {"SELECT count(*) AS n FROM account WHERE number = -3 OR number = 5000 OR number IS NULL", "[]", "[{\"n\":0}]"},
      {"SELECT count(*) AS n FROM account a JOIN account b ON b.number = a.number + 512", "[]", "[{\"n\":589}]"},
      {"SELECT a.tick AS x, b.tick AS y FROM chronicle_trade a JOIN chronicle_trade b ON b.account = a.account"
       " WHERE a.tick = 300 ORDER BY 2",
       "[]", "[{\"x\":300,\"y\":300},{\"x\":300,\"y\":301}]"},
  };
  fill_many(c);
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i)
    answers(c, CASES[i].sql, CASES[i].parameters, CASES[i].rows);
}

// The view of a file ends such a string at the character, like all functions of SQLite for JSON.
TEST_IN(string_with_a_nul_character_does_not_break_its_view, case_t, c) {
  run_sql(c->f, "INSERT INTO chronicle VALUES (1, 1, 12, 0, 'trade', NULL, 1002, NULL,"
                " '{\"good\":\"a\\u0000b\",\"gold\":4}')");
  run_sql(c->f, "INSERT INTO chronicle VALUES (1, 1, 13, 0, 'trade', NULL, 1003, NULL,"
                " '{\"good\":\"\\\\u0000 \\\\\\u0000\\u0000\",\"gold\":5}')");
  answers(c, "SELECT good FROM chronicle_trade WHERE gold = 4", "[]", "[{\"good\":\"a\"}]");
  answers(c, "SELECT good FROM chronicle_trade WHERE gold = 5", "[]", "[{\"good\":\"\\\\u0000 \\\\\"}]");
  // Other programs read the view in the database.
  if (world_store_is_address(c->f->path)) {
    store_query_t query = {0};
    char text[64];
    store_query_begin(c->f->b, &query, "SELECT good FROM chronicle_trade WHERE gold >= 4 ORDER BY gold", NULL, 0,
                      &c->f->error);
    assert_true(store_next(c->f->b, &query, &c->f->error));
    assert_true(store_read_text(&query, 0, text, sizeof text));
    assert_string_equal(text, "a\ufffdb");
    assert_true(store_next(c->f->b, &query, &c->f->error));
    assert_true(store_read_text(&query, 0, text, sizeof text));
    assert_string_equal(text, "\\u0000 \\\ufffd\ufffd");
    assert_done(c->f, store_query_end(&query));
  }
}

TEST_IN(question_is_one_statement, case_t, c) {
  refuses(c, "SELECT 1 AS a; SELECT 2 AS b", "must be one SELECT statement");
  refuses(c, "-- nothing", "must be one SELECT statement");
  refuses(c, "SELECT gld FROM chronicle_trade", "no such column: gld");
  refuses(c, "SELEC 1", "syntax error");
  refuses(c, "SELECT 1 AS a, 2 AS a", "two columns are named a");
  answers(c, "SELECT 1 AS a; -- a comment", "[]", "[{\"a\":1}]");
}

TEST_IN(endless_question_stops_after_a_second, case_t, c) {
  static const char ENDLESS[] =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n";
  int64_t start = now_ns();
  refuses(c, ENDLESS, "takes longer than 1000 ms");
  assert_true(now_ns() - start < 10 * INT64_C(1000000000));
  answers(c, "SELECT 1 AS a", "[]", "[{\"a\":1}]");
}

TEST_IN(slow_functions_of_long_strings_stop_after_a_second, case_t, c) {
  int64_t begin = now_ns();
  refuses(c,
          "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT sum(instr(hex(zeroblob(60000)),"
          " hex(zeroblob(30000)) || x)) AS n FROM n",
          "takes longer than 1000 ms");
  assert_true(now_ns() - begin < INT64_C(4000000000));
}

TEST_IN(question_that_expands_without_limit_is_refused, case_t, c) {
  char sql[4000] = "WITH a0 AS (SELECT 1 AS x)";
  for (uint32_t i = 1; i < 60; ++i)
    snprintf(sql + strlen(sql), sizeof sql - strlen(sql), ", a%u AS (SELECT p.x FROM a%u p, a%u q)", i, i - 1, i - 1);
  strcat(sql, " SELECT x FROM a59");
  int64_t start = now_ns();
  refuses(c, sql, "");
  assert_true(now_ns() - start < 10 * INT64_C(1000000000));
}

TEST_IN(large_answers_are_cut_and_marked, case_t, c) {
  ask_with(c, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) SELECT i FROM n", "[]");
  assert_false(c->answer.is_error);
  assert_true(c->answer.is_cut);
  assert_string_equal(c->answer.text + c->answer.size - 10, "{\"i\":100}]");
  ask_with(c,
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50) SELECT i, printf('%200d', i) AS s"
           " FROM n",
           "[]");
  assert_true(c->answer.is_cut);
  assert_in_range(c->answer.size, 2500, QUESTION_MAX_BYTES);
  assert_string_equal(c->answer.text + c->answer.size - 2, "}]");
  ask_with(c, "SELECT printf('%5000d', 1) AS s", "[]");
  assert_true(c->answer.is_cut);
  assert_string_equal(c->answer.text, "[]");
}

TEST_IN(huge_values_are_refused, case_t, c) {
  refuses(c, "SELECT hex(zeroblob(100000000)) AS s", "");
  refuses(c, "SELECT group_concat(printf('%100000d', 1)) AS s FROM chronicle_trade a, chronicle_trade b", "");
  answers(c, "SELECT 1 AS a", "[]", "[{\"a\":1}]");
}

TEST_IN(question_does_not_delay_commits, case_t, c) {
  static const char ENDLESS[] =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n, chronicle_trade";
  room_claim_t claim = start_room(c->f, "mine");
  assert_true(question_reader_add(c->reader, 1000, ENDLESS, "[]", &c->f->error));
  int64_t start = now_ns();
  assert_done(c->f, commit_records(c->f, c->f->a, &claim, 1, true));
  assert_false(question_reader_take(c->reader, &c->answer)); // the question still runs
  assert_true(now_ns() - start < 1000000000);
  while (!question_reader_take(c->reader, &c->answer))
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  assert_true(c->answer.is_error);
}

TEST_IN(questions_wait_for_a_database_that_does_not_answer, case_t, c) {
  char hidden[128];
  snprintf(hidden, sizeof hidden, "%s/hidden.db", c->f->folder);
  question_reader_o *reader = question_reader_create(hidden);
  assert_true(question_reader_add(reader, 1, "SELECT count(*) AS n FROM account", "[]", &c->f->error));
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  assert_false(question_reader_take(reader, &c->answer));
  world_store_o *store = NULL;
  world_store_desc_t desc = {.path = hidden, .game = "hamlet", .may_create = true};
  assert_done(c->f, world_store_open(&desc, &store, &c->f->error));
  while (!question_reader_take(reader, &c->answer))
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  assert_string_equal(c->answer.text, "[{\"n\":0}]");
  question_reader_destroy(reader);
  world_store_close(store);
}
