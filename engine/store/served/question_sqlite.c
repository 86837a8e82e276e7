// Questions to a world's database in a file of SQLite.
#include "served/question_sql.h"

#include "sql/sql_internal.h"

#include <sqlite3.h>
#include <stdlib.h>

#define BUSY_MS 500

static void close_connection(void *connection) {
  question_sql_t *c = connection;
  sqlite3_close(c->db);
  free(c);
}

static void *open_connection(const char *database, error_info_t *error) {
  sql_memory_install();
  question_sql_t *c = alloc_object(sizeof *c);
  int code = sqlite3_open_v2(database, &c->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(c->db, BUSY_MS);
    code = sqlite3_exec(c->db, QUESTION_SQL_SETUP, NULL, NULL, NULL);
  }
  if (code == SQLITE_OK)
    code = question_sql_guard(c);
  if (code == SQLITE_OK)
    return c;
  error_set(error, "%s: %s", database, sqlite3_errmsg(c->db));
  close_connection(c);
  return NULL;
}

static question_result_t ask(void *connection, const char *sql, const json_t *parameters, question_rows_t *rows,
                             error_info_t *error) {
  return question_sql_ask(connection, sql, parameters, rows, error);
}

const question_driver_t QUESTION_SQLITE_DRIVER = {open_connection, close_connection, ask};
