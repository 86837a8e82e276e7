// Executes questions on a connection of SQLite. The guard does not rely on the names of views, because a query can name
// its own subqueries like a view: it permits only the columns that the views show.
#include "served/question_sql.h"

#include "base/now.h"
#include "sql/sql_internal.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS_PER_CHECK 100 // SQLite VM steps between two checks of the time limit; few, because a step can be slow
#define MAX_MEMORY_BYTES (16u << 20)

// --- the guard

// The columns of tables that the views show. NULL: all columns; "": the number of rows.
static const struct {
  const char *table, *column;
} READABLE[] = {{"chronicle", NULL}, {"room", "number"},  {"room", "name"}, {"room", ""},
                {"account", "id"},   {"account", "name"}, {"account", ""}};

static bool is_readable(const char *table, const char *column) {
  for (size_t i = 0; i < sizeof READABLE / sizeof *READABLE; ++i)
    if (strcmp(table, READABLE[i].table) == 0 && (!READABLE[i].column || strcmp(column, READABLE[i].column) == 0))
      return true;
  return false;
}

// Returns true for a view that questions can read. `schema`: may be NULL, for a name without a schema.
static bool is_view(const char *name, const char *schema) {
  bool is_account = strcmp(name, "account") == 0 && (!schema || strcmp(schema, "temp") == 0);
  return is_account || strncmp(name, "chronicle_", 10) == 0 || strcmp(name, "json_each") == 0 ||
         strcmp(name, "json_tree") == 0;
}

// Returns true if the database, or SQLite itself, has a table of this name. Other names are names of subqueries.
static bool is_table(const question_sql_t *c, const char *name) {
  bool found = strncmp(name, "sqlite_", 7) == 0 || strncmp(name, "pragma_", 7) == 0;
  for (uint32_t i = 0; i < c->table_count; ++i)
    found |= strcmp(c->tables[i], name) == 0;
  return found;
}

// Authorizer: `view` is the innermost view or subquery that reads the column. The column is "" if the query reads no
// column of the table, as in SELECT count(*), and `view` is then NULL.
static int authorize(void *context, int action, const char *a, const char *b, const char *schema, const char *view) {
  question_sql_t *c = context;
  bool is_allowed = false;
  if (action == SQLITE_SELECT || action == SQLITE_RECURSIVE)
    is_allowed = true;
  else if (action == SQLITE_FUNCTION)
    is_allowed = sql_function_is_allowed(b) || strcmp(b, "store_now") == 0;
  else if (action == SQLITE_READ)
    is_allowed = is_view(a, schema) || ((view || !b[0]) && is_readable(a, b)) || (!b[0] && !schema && !is_table(c, a));
  c->has_denied |= !is_allowed;
  return is_allowed ? SQLITE_OK : SQLITE_DENY;
}

static bool can_continue(void *context) {
  question_sql_t *c = context;
  c->has_timed_out |= now_ns() >= c->end_ns;
  return !c->has_timed_out;
}

static int check_progress(void *context) {
  return !can_continue(context);
}

static void set_limits(sqlite3 *db) {
  static const int LIMITS[][2] = {{SQLITE_LIMIT_LENGTH, 1 << 17},     {SQLITE_LIMIT_SQL_LENGTH, 5000},
                                  {SQLITE_LIMIT_COLUMN, 100},         {SQLITE_LIMIT_EXPR_DEPTH, 100},
                                  {SQLITE_LIMIT_COMPOUND_SELECT, 20}, {SQLITE_LIMIT_FUNCTION_ARG, 20},
                                  {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200},
                                  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},    {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; ++i)
    sqlite3_limit(db, LIMITS[i][0], LIMITS[i][1]);
}

// Implements store_now(), the time of the column `at`.
static void call_now(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  (void)values;
  sqlite3_result_int64(context, (sqlite3_int64)time(NULL));
}

// Reads the names of all tables.
static int list_tables(question_sql_t *c) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(c->db, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &statement, NULL);
  while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW && c->table_count < QUESTION_MAX_TABLES)
    (void)snprintf(c->tables[c->table_count++], CHRONICLE_NAME_BYTES, "%s",
                   (const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  return code;
}

int question_sql_guard(question_sql_t *c) {
  int code = list_tables(c);
  set_limits(c->db);
  sqlite3_create_function(c->db, "store_now", 0, SQLITE_UTF8, NULL, call_now, NULL, NULL);
  sqlite3_set_authorizer(c->db, authorize, c);
  sqlite3_progress_handler(c->db, STEPS_PER_CHECK, check_progress, c);
  return code;
}

// --- queries

// Returns the result for an SQLite error code. Sets the error, except for QUESTION_UNAVAILABLE.
static question_result_t fail(question_sql_t *c, int code, error_info_t *error) {
  int kind = code & 0xff;
  if (!can_continue(c))
    error_set(error, "the query takes longer than %u ms: read fewer rows, for example with conditions on at or account",
              QUESTION_MS);
  else if (c->has_denied)
    error_set(error, "%s: a question can read only the views chronicle_EVENT and account", sqlite3_errmsg(c->db));
  else if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_CANTOPEN || kind == SQLITE_IOERR)
    return QUESTION_UNAVAILABLE;
  else if (kind == SQLITE_NOMEM)
    error_set(error, "the query needs too much memory: read fewer rows or columns");
  else
    error_set(error, "%s", sqlite3_errmsg(c->db));
  return QUESTION_WRONG;
}

// Returns true if the text after the statement contains no further statement.
static bool is_blank(sqlite3 *db, const char *text) {
  sqlite3_stmt *next = NULL;
  bool is_single = sqlite3_prepare_v2(db, text, -1, &next, NULL) == SQLITE_OK && !next;
  sqlite3_finalize(next);
  return is_single;
}

static int bind_parameter(sqlite3_stmt *statement, int index, const json_t *value) {
  if (json_is_string(value))
    return sqlite3_bind_text(statement, index, json_string_value(value), (int)json_string_length(value), SQLITE_STATIC);
  if (json_is_integer(value))
    return sqlite3_bind_int64(statement, index, json_integer_value(value));
  return json_is_real(value) ? sqlite3_bind_double(statement, index, json_real_value(value))
                             : sqlite3_bind_int(statement, index, json_is_true(value));
}

static bool bind(sqlite3_stmt *statement, const json_t *parameters, error_info_t *error) {
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); ++i) {
    const char *name = sqlite3_bind_parameter_name(statement, i);
    char *end = NULL;
    unsigned long number = name && name[0] == '$' ? strtoul(name + 1, &end, 10) : 0;
    if (number == 0 || *end)
      return error_set(error, "parameters must be written as $1, $2 …, got %s", name ? name : "?");
    if (number > json_array_size(parameters))
      return error_set(error, "the query uses $%lu, but chronicle.ask has %zu parameters", number,
                       json_array_size(parameters));
    bind_parameter(statement, i, json_array_get(parameters, number - 1));
  }
  return true;
}

static bool read_columns(sqlite3_stmt *statement, question_rows_t *rows, error_info_t *error) {
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char *name = sqlite3_column_name(statement, i);
    if (!question_rows_add_column(rows, name ? name : "", error))
      return false;
  }
  return true;
}

static store_cell_t read_cell(sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_INTEGER: return (store_cell_t){STORE_KIND_NUMBER, .number = sqlite3_column_int64(statement, column)};
  case SQLITE_FLOAT: return (store_cell_t){STORE_KIND_REAL, .real = sqlite3_column_double(statement, column)};
  case SQLITE_TEXT: {
    const void *text = sqlite3_column_text(statement, column);
    size_t size = (size_t)sqlite3_column_bytes(statement, column);
    return text ? (store_cell_t){STORE_KIND_TEXT, .bytes = text, .size = size} : (store_cell_t){0};
  }
  default: return (store_cell_t){0};
  }
}

static question_result_t read_rows(question_sql_t *c, sqlite3_stmt *statement, question_rows_t *rows,
                                   error_info_t *error) {
  store_cell_t cells[CHRONICLE_MAX_COLUMNS];
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (uint32_t i = 0; i < rows->column_count; ++i)
      cells[i] = read_cell(statement, (int)i);
    if (!question_rows_add(rows, cells))
      return QUESTION_ANSWERED;
  }
  return code == SQLITE_DONE ? QUESTION_ANSWERED : fail(c, code, error);
}

static question_result_t run(question_sql_t *c, sqlite3_stmt *statement, const char *tail, const json_t *parameters,
                             question_rows_t *rows, error_info_t *error) {
  if (!statement || !is_blank(c->db, tail))
    error_set(error, "a question must be one SELECT statement");
  else if (!sqlite3_stmt_readonly(statement) || sqlite3_stmt_isexplain(statement))
    error_set(error, "a question must be a SELECT statement, which only reads");
  else if (bind(statement, parameters, error) && read_columns(statement, rows, error))
    return read_rows(c, statement, rows, error);
  return QUESTION_WRONG;
}

question_result_t question_sql_ask(question_sql_t *c, const char *sql, const json_t *parameters, question_rows_t *rows,
                                   error_info_t *error) {
  sqlite3_stmt *statement = NULL;
  const char *tail = "";
  c->end_ns = now_ns() + QUESTION_MS * INT64_C(1000000);
  c->has_timed_out = c->has_denied = false;
  sql_memory_begin_counting(can_continue, c, MAX_MEMORY_BYTES);
  int code = sqlite3_prepare_v2(c->db, sql, -1, &statement, &tail);
  question_result_t result =
      code == SQLITE_OK ? run(c, statement, tail, parameters, rows, error) : fail(c, code, error);
  sql_memory_end_counting();
  sqlite3_finalize(statement);
  return result;
}
