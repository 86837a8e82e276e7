// Formats, prepares and executes SQL statements on the database of a save, and finds tables in its list of checksums.
#include "store/save_internal.h"

#include <stdarg.h>
#include <string.h>

static int prepare_format(sqlite3 *db, sqlite3_stmt **out, const char *format, va_list arguments) {
  char *text = sqlite3_vmprintf(format, arguments);
  *out = NULL;
  int code = text ? sqlite3_prepare_v2(db, text, -1, out, NULL) : SQLITE_NOMEM;
  sqlite3_free(text);
  return code;
}

int save_prepare_statement(sqlite3 *db, sqlite3_stmt **out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int code = prepare_format(db, out, format, arguments);
  va_end(arguments);
  return code;
}

bool save_has_column(sqlite3 *db, const char *schema, const char *table, const char *column) {
  return sqlite3_table_column_metadata(db, schema, table, column, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

bool save_execute_statement(sqlite3 *db, error_info_t *error, const char *format, ...) {
  va_list arguments;
  sqlite3_stmt *statement;
  va_start(arguments, format);
  int code = prepare_format(db, &statement, format, arguments);
  va_end(arguments);
  while (code == SQLITE_OK || code == SQLITE_ROW)
    code = sqlite3_step(statement);
  bool ok = code == SQLITE_DONE || error_set(error, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

bool save_read_number(sqlite3 *db, int64_t default_value, int64_t *out, error_info_t *error, const char *format, ...) {
  va_list arguments;
  sqlite3_stmt *statement;
  va_start(arguments, format);
  int code = prepare_format(db, &statement, format, arguments);
  va_end(arguments);
  code = code == SQLITE_OK ? sqlite3_step(statement) : code;
  *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : default_value;
  bool ok = code == SQLITE_ROW || code == SQLITE_DONE || error_set(error, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return ok;
}

const char *save_read_meta(sqlite3 *db, sqlite3_stmt **statement, const char *key) {
  bool found = save_prepare_statement(db, statement, "SELECT value FROM save.meta WHERE key = %Q", key) == SQLITE_OK &&
               sqlite3_step(*statement) == SQLITE_ROW;
  return found ? (const char *)sqlite3_column_text(*statement, 0) : NULL;
}

bool save_is_table_listed(const save_tables_t *tables, const char *name) {
  for (uint32_t i = 0; i < tables->count; ++i)
    if (strcmp(tables->items[i].name.text, name) == 0)
      return true;
  return false;
}
