// Transactions and statements on the database of a world. All SQLite result codes become results here.
#include "served/world_store_internal.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

store_result_t store_fail(const world_store_o *s, store_result_t result, error_info_t *error, const char *format, ...) {
  char text[900];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  error_set(error, "%s: %s", s->path, text);
  return result;
}

// Returns what the user can do about a failure.
static const char *get_fix(int code) {
  switch (code & 0xff) {
  case SQLITE_FULL: return ": free space on this disk";
  case SQLITE_BUSY:
  case SQLITE_LOCKED: return ": a different program holds the database for long: end it";
  case SQLITE_READONLY:
  case SQLITE_PERM: return ": make the file and its folder writable";
  case SQLITE_CANTOPEN: return ": check that its folder exists and is writable";
  case SQLITE_IOERR: return ": check the disk";
  default: return "";
  }
}

store_result_t store_get_result(world_store_o *s, int code, error_info_t *error) {
  switch (code & 0xff) {
  case SQLITE_OK:
  case SQLITE_ROW:
  case SQLITE_DONE: return STORE_DONE;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_FULL:
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_CANTOPEN:
  case SQLITE_IOERR:
  case SQLITE_PROTOCOL:
  case SQLITE_INTERRUPT:
  case SQLITE_NOMEM: return store_fail(s, STORE_FAILED, error, "%s%s", sqlite3_errmsg(s->db), get_fix(code));
  default:
    return store_fail(s, STORE_DAMAGED, error, "%s: the database is damaged: restore a backup", sqlite3_errmsg(s->db));
  }
}

// --- transactions

static uint64_t find_log_file(const world_store_o *s) {
  char path[4096];
  struct stat file;
  snprintf(path, sizeof path, "%s-wal", s->path);
  return stat(path, &file) == 0 ? (uint64_t)file.st_ino : 0;
}

// SQLite keeps the write-ahead log until the last connection is closed, so it must remain the same file.
void store_note_log(world_store_o *s) {
  s->log_file = find_log_file(s);
}

// Fails if the file was moved or replaced, because commits would then reach a file that no other process finds.
store_result_t store_begin_write(world_store_o *s, error_info_t *error) {
  int has_moved = 0;
  sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  has_moved |= s->log_file != 0 && find_log_file(s) != s->log_file;
  if (has_moved)
    return store_fail(
        s, STORE_FAILED, error,
        "the file or its log (-wal) was moved, replaced or removed while it is in use: put it back, or end"
        " all processes that use it");
  return store_execute(s, "BEGIN IMMEDIATE", NULL, 0, NULL, error);
}

store_result_t store_begin_read(world_store_o *s, error_info_t *error) {
  return store_execute(s, "BEGIN", NULL, 0, NULL, error);
}

store_result_t store_end(world_store_o *s, store_result_t result, error_info_t *error) {
  if (result == STORE_DONE)
    result = store_execute(s, "COMMIT", NULL, 0, NULL, error);
  // SQLite has already rolled back after some errors
  if (result != STORE_DONE && !sqlite3_get_autocommit(s->db))
    store_execute(s, "ROLLBACK", NULL, 0, NULL, NULL);
  return result;
}

// --- statements

static int bind(sqlite3_stmt *statement, const store_value_t *values, uint32_t count) {
  int code = SQLITE_OK;
  for (uint32_t i = 0; code == SQLITE_OK && i < count; ++i) {
    const store_value_t *v = &values[i];
    if (!v->bytes)
      code = sqlite3_bind_int64(statement, (int)i + 1, v->number);
    else if (v->number < 0)
      code = sqlite3_bind_text(statement, (int)i + 1, v->bytes, -1, SQLITE_STATIC);
    else
      code = sqlite3_bind_blob64(statement, (int)i + 1, v->bytes, (sqlite3_uint64)v->number, SQLITE_STATIC);
  }
  return code;
}

static int prepare(world_store_o *s, sqlite3_stmt **out, const char *sql, const store_value_t *values, uint32_t count) {
  int code = sqlite3_prepare_v2(s->db, sql, -1, out, NULL);
  shoal_assert(code != SQLITE_OK || sqlite3_bind_parameter_count(*out) == (int)count, "%u values for: %s", count, sql);
  return code == SQLITE_OK ? bind(*out, values, count) : code;
}

store_result_t store_execute(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                             int64_t *changed, error_info_t *error) {
  sqlite3_stmt *statement = NULL;
  int code = prepare(s, &statement, sql, values, count);
  while (code == SQLITE_OK || code == SQLITE_ROW)
    code = sqlite3_step(statement);
  store_result_t result = store_get_result(s, code, error);
  if (changed)
    *changed = result == STORE_DONE ? sqlite3_changes(s->db) : 0;
  sqlite3_finalize(statement);
  return result;
}

void store_query_begin(world_store_o *s, store_query_t *query, const char *sql, const store_value_t *values,
                       uint32_t count, error_info_t *error) {
  query->result = store_get_result(s, prepare(s, &query->statement, sql, values, count), error);
}

bool store_next(world_store_o *s, store_query_t *query, error_info_t *error) {
  if (query->result != STORE_DONE)
    return false;
  int code = sqlite3_step(query->statement);
  query->result = store_get_result(s, code, error);
  return code == SQLITE_ROW;
}

store_result_t store_query_end(store_query_t *query) {
  sqlite3_finalize(query->statement);
  query->statement = NULL;
  return query->result;
}

store_result_t store_query_number(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                                  int64_t *out, error_info_t *error) {
  store_query_t query = {0};
  store_query_begin(s, &query, sql, values, count, error);
  bool has_row = store_next(s, &query, error);
  bool is_number = has_row && sqlite3_column_type(query.statement, 0) == SQLITE_INTEGER;
  *out = is_number ? sqlite3_column_int64(query.statement, 0) : 0;
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !is_number)
    result = store_fail(s, STORE_DAMAGED, error, "a row is missing or malformed (%s): restore a backup", sql);
  return result;
}

// --- columns

bool store_read_bits(const store_query_t *query, int column, uint64_t *out) {
  *out = (uint64_t)sqlite3_column_int64(query->statement, column);
  return sqlite3_column_type(query->statement, column) == SQLITE_INTEGER;
}

bool store_read_number(const store_query_t *query, int column, uint64_t max, uint64_t *out) {
  return store_read_bits(query, column, out) && *out <= max;
}

bool store_read_text(const store_query_t *query, int column, char *out, size_t capacity) {
  bool is_text = sqlite3_column_type(query->statement, column) == SQLITE_TEXT;
  const char *text = is_text ? (const char *)sqlite3_column_text(query->statement, column) : NULL;
  size_t length = text ? strlen(text) : 0;
  bool fits = text && length < capacity && length == (size_t)sqlite3_column_bytes(query->statement, column);
  snprintf(out, capacity, "%s", fits ? text : "");
  return fits;
}

bool store_read_blob(const store_query_t *query, int column, size_t max_bytes, const uint8_t **bytes, size_t *size) {
  bool is_blob = sqlite3_column_type(query->statement, column) == SQLITE_BLOB;
  *bytes = is_blob ? sqlite3_column_blob(query->statement, column) : NULL;
  *size = is_blob ? (size_t)sqlite3_column_bytes(query->statement, column) : 0;
  return is_blob && *size <= max_bytes && (*bytes || *size == 0);
}
