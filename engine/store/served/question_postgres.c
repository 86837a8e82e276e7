// Questions to a world's database on a PostgreSQL server. SQLite executes them on the tables of question_tables.h, with
// the views that the owner of the world has created. The server executes only reads, each of at most QUESTION_MS.
#include "served/question_sql.h"
#include "served/question_tables.h"

#include "base/alloc.h"
#include "base/now.h"
#include "sql/sql_internal.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_MS 1500   // `busy_ms` of the connection; a server that is silent for twice this time is unavailable
#define SILENT_MS 1500 // a failure more than this long after the question's time limit: the server is unavailable
#define MAX_VIEW_BYTES (128u << 10)

typedef struct connection_t {
  question_sql_t sql; // database in memory
  question_tables_o *tables;
  world_store_o *store;
} connection_t;

static void close_connection(void *connection) {
  connection_t *c = connection;
  sqlite3_close(c->sql.db);
  question_tables_destroy(c->tables);
  world_store_close(c->store);
  free(c);
}

// Permits the statements of views, which come from the database.
static int authorize_view(void *context, int action, const char *a, const char *b, const char *schema,
                          const char *view) {
  (void)context;
  (void)b;
  (void)schema;
  (void)view;
  bool writes_schema = (action == SQLITE_INSERT || action == SQLITE_UPDATE) && strcmp(a, "sqlite_master") == 0;
  bool is_allowed = writes_schema || action == SQLITE_CREATE_VIEW || action == SQLITE_SELECT || action == SQLITE_READ ||
                    action == SQLITE_FUNCTION;
  return is_allowed ? SQLITE_OK : SQLITE_DENY;
}

// Creates the views. A view that a former version has stored differently is left out until the world starts again.
static store_result_t create_views(connection_t *c, error_info_t *error) {
  store_query_t query = {0};
  char *sql = alloc_object(MAX_VIEW_BYTES);
  sqlite3_set_authorizer(c->sql.db, authorize_view, NULL);
  store_query_begin(c->store, &query, "SELECT statement FROM kept_view ORDER BY name", NULL, 0, error);
  while (store_next(c->store, &query, error))
    if (store_read_text(&query, 0, sql, MAX_VIEW_BYTES))
      sqlite3_exec(c->sql.db, sql, NULL, NULL, NULL);
  sqlite3_set_authorizer(c->sql.db, NULL, NULL);
  free(sql);
  return store_query_end(&query);
}

static bool open_tables(connection_t *c, error_info_t *error) {
  if (sqlite3_open_v2(":memory:", &c->sql.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL) !=
      SQLITE_OK)
    return error_set(error, "cannot open a database in memory: end other programs");
  c->tables = question_tables_create(c->sql.db, c->store, error);
  if (!c->tables || create_views(c, error) != STORE_DONE)
    return false;
  int code = sqlite3_exec(c->sql.db, QUESTION_SQL_SETUP, NULL, NULL, NULL);
  if (code == SQLITE_OK)
    code = question_sql_guard(&c->sql);
  return code == SQLITE_OK || error_set(error, "%s: %s", c->store->path, sqlite3_errmsg(c->sql.db));
}

static void *open_connection(const char *database, error_info_t *error) {
  sql_memory_install();
  connection_t *c = alloc_object(sizeof *c);
  bool ok =
      world_store_open(&(world_store_desc_t){.path = database, .busy_ms = BUSY_MS}, &c->store, error) == STORE_DONE &&
      open_tables(c, error);
  if (!ok)
    close_connection(c);
  return ok ? c : NULL;
}

// Limits the time and the memory of the statements of this transaction.
static store_result_t set_limits(connection_t *c, error_info_t *error) {
  char sql[200];
  (void)snprintf(sql, sizeof sql,
                 "SET LOCAL statement_timeout = %d; SET LOCAL work_mem = '4MB'; SET LOCAL jit = off;"
                 " SET LOCAL max_parallel_workers_per_gather = 0",
                 QUESTION_MS);
  return store_execute_script(c->store, sql, error);
}

static question_result_t ask(void *connection, const char *sql, const json_t *parameters, question_rows_t *rows,
                             error_info_t *error) {
  connection_t *c = connection;
  error_info_t failure = {0};
  question_result_t answer = QUESTION_UNAVAILABLE;
  store_result_t result = question_tables_begin(c->tables, error);
  if (result != STORE_DONE)
    return QUESTION_UNAVAILABLE;
  result = set_limits(c, error);
  if (result == STORE_DONE)
    answer = question_sql_ask(&c->sql, sql, parameters, rows, error);
  result = question_tables_end(c->tables, &failure);
  if (result == STORE_FAILED &&
      now_ns() > c->sql.end_ns + SILENT_MS * NS_PER_MS) // the server was too slow, not the question
    return QUESTION_UNAVAILABLE;
  if (result == STORE_DAMAGED && answer == QUESTION_UNAVAILABLE) { // the server has refused a statement
    *error = failure;
    return QUESTION_WRONG;
  }
  return answer;
}

const question_driver_t QUESTION_POSTGRES_DRIVER = {open_connection, close_connection, ask};
