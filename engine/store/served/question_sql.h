// Runs questions on an SQLite connection, either to a world's file or to the tables of question_tables.h. Private to
// served.
#ifndef SHOAL_SERVED_QUESTION_SQL_H
#define SHOAL_SERVED_QUESTION_SQL_H

#include "served/question_driver.h"

typedef struct sqlite3 sqlite3;

#define QUESTION_MAX_TABLES 64u
// Statements that prepare a connection: the view `account` for questions, and the virtual tables that cannot be
// connected once the guard is installed.
#define QUESTION_SQL_SETUP                                                                                             \
  "CREATE TEMP VIEW account AS SELECT id AS number, name FROM main.account;"                                           \
  "SELECT count(*) FROM json_each('[]'), json_tree('[]');"                                                             \
  "PRAGMA query_only = ON"

// Zero-initialize all members except `db`.
typedef struct question_sql_t {
  sqlite3 *db;    // connection, owned by the caller
  int64_t end_ns; // time at which the running question must stop
  bool has_timed_out, has_denied;
  char tables[QUESTION_MAX_TABLES][CHRONICLE_NAME_BYTES]; // names of the database's tables
  uint32_t table_count;
} question_sql_t;

// Installs the guard. The connection can then read only the views and `account`. Returns an SQLite result code.
int question_sql_guard(question_sql_t *c);
// Executes one query: see question_driver_t. Returns QUESTION_UNAVAILABLE if a table cannot be read.
question_result_t question_sql_ask(question_sql_t *c, const char *sql, const json_t *parameters, question_rows_t *rows,
                                   error_info_t *error);

#endif
