// Implements the Lua and SQL functions of <shoal/host.h>.
#include "library/library.h"

#include "access/last_error.h"
#include "base/assert.h"
#include "host/console.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- Lua

// Sets the message of an error in the chunk itself, with its line if it is known.
static void set_chunk_error(const char *function, const script_report_t *report) {
  static const char CHUNK[] = "[string \"console\"]:"; // name of the chunk in Lua's messages
  const char *message = report->message;
  if (strncmp(message, CHUNK, strlen(CHUNK)) == 0)
    error_set(access_last_error(), "%s: line %.900s", function, message + strlen(CHUNK));
  else if (report->line > 0)
    error_set(access_last_error(), "%s: line %d: %.900s", function, report->line, message);
  else
    error_set(access_last_error(), "%s: %.900s", function, message);
}

bool library_run_chunk(shoal_host *h, const char *function, const char *lua, char *out, size_t out_bytes) {
  script_report_t *report = calloc(1, sizeof *report);
  char unused_output[16];
  if (!report)
    return error_set(access_last_error(), "%s: out of memory", function);
  bool ok = console_run(h->host, lua, out && out_bytes ? out : unused_output,
                        out && out_bytes ? out_bytes : sizeof unused_output, report);
  if (!ok && report->file[0] && strcmp(report->file, "console") != 0)
    error_set(access_last_error(), "%s: %s:%d: %.700s", function, report->file, report->line, report->message);
  else if (!ok)
    set_chunk_error(function, report);
  free(report);
  return ok;
}

bool shoal_host_exec_lua(shoal_host *h, const char *lua, char *out, size_t out_bytes) {
  static const char function[] = "shoal_host_exec_lua";
  if (out && out_bytes)
    out[0] = '\0';
  if (!library_begin_call_while_running(h, function))
    return false;
  if (!lua)
    return library_end_call(error_set(access_last_error(), "%s: lua must not be NULL", function));
  return library_end_call(library_run_chunk(h, function, lua, out, out_bytes));
}

static bool check_writable(shoal_host *h, const char *function) {
  host_state_t state;
  host_get_state(h->host, &state);
  if (!state.replaying && !host_is_recording(h->host))
    return true;
  if (state.replaying)
    return error_set(access_last_error(), "%s: cannot change the world during a replay", function);
  return error_set(access_last_error(),
                   "%s: cannot write while a recording is made: use the functions of <shoal/world.h> or "
                   "shoal_host_exec_lua, which are recorded",
                   function);
}

// --- SQL

struct shoal_host_result {
  uint32_t column_count, row_count;
  uint64_t changed;
  const char **names;
  shoal_host_value *values;
};

static const char *copy_text(char **cursor, const char *text, size_t bytes) {
  char *copy = *cursor;
  shoal_assert(copy && (text || bytes == 0), "text must not be NULL (%zu bytes)", bytes);
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  *cursor += bytes + 1;
  return copy;
}

static bool has_bytes(const sql_value_t *value) {
  return value->kind == SQL_TEXT || value->kind == SQL_BLOB || value->kind == SQL_MATRIX;
}

static shoal_host_value copy_value(const sql_value_t *value, char **cursor) {
  shoal_host_value result = {.type = SHOAL_HOST_NULL};
  if (has_bytes(value)) {
    result.type = value->kind == SQL_TEXT ? SHOAL_HOST_STRING : SHOAL_HOST_BLOB;
    result.size = value->bytes;
    result.string = copy_text(cursor, value->text, value->bytes);
  } else if (value->kind == SQL_REAL) {
    result.type = SHOAL_HOST_REAL;
    result.real = value->real;
  } else if (value->kind != SQL_NULL) {
    result.type = SHOAL_HOST_INTEGER;
    result.integer = value->integer;
    result.real = (double)value->integer;
  }
  return result;
}

// Returns a copy of the rows in one memory block that is independent of the host, or NULL if memory is exhausted.
static shoal_host_result *copy_rows(const sql_result_t *result) {
  size_t count = (size_t)result->column_count * result->row_count, string_bytes = 0;
  for (uint32_t column = 0; column < result->column_count; ++column)
    string_bytes += strlen(result->names[column]) + 1u;
  for (size_t i = 0; i < count; ++i)
    string_bytes += has_bytes(&result->values[i]) ? result->values[i].bytes + 1u : 0;
  size_t header_bytes = sizeof(shoal_host_result), name_bytes = result->column_count * sizeof(char *),
         value_bytes = count * sizeof(shoal_host_value);
  shoal_host_result *rows = malloc(header_bytes + value_bytes + name_bytes + string_bytes);
  if (!rows)
    return NULL;
  char *cursor = (char *)rows + header_bytes + value_bytes + name_bytes;
  *rows = (shoal_host_result){
      .column_count = result->column_count, .row_count = result->row_count, .changed = result->changed_rows};
  rows->values = (shoal_host_value *)((char *)rows + header_bytes);
  rows->names = (const char **)((char *)rows + header_bytes + value_bytes);
  for (uint32_t column = 0; column < result->column_count; ++column)
    rows->names[column] = copy_text(&cursor, result->names[column], strlen(result->names[column]));
  for (size_t i = 0; i < count; ++i)
    rows->values[i] = copy_value(&result->values[i], &cursor);
  shoal_assert(cursor == (char *)rows + header_bytes + value_bytes + name_bytes + string_bytes,
               "the strings do not fill the allocated memory exactly");
  return rows;
}

static bool read_parameters(const shoal_host_value *values, uint32_t count, sql_value_t *parameters,
                            error_info_t *error) {
  if (count > SQL_MAX_PARAMETERS)
    return error_set(error, "too many values: %u (at most %u)", count, SQL_MAX_PARAMETERS);
  if (count > 0 && !values)
    return error_set(error, "values must not be NULL (count %u)", count);
  for (uint32_t i = 0; i < count; ++i) {
    const shoal_host_value *value = &values[i];
    bool is_text = value->type == SHOAL_HOST_STRING || value->type == SHOAL_HOST_BLOB;
    if (is_text && !value->string)
      return error_set(error, "value %u: text must not be NULL", i + 1);
    size_t size =
        value->type == SHOAL_HOST_STRING && value->size == 0 && value->string ? strlen(value->string) : value->size;
    switch (value->type) {
    case SHOAL_HOST_NULL: parameters[i] = (sql_value_t){.kind = SQL_NULL}; break;
    case SHOAL_HOST_INTEGER: parameters[i] = (sql_value_t){.kind = SQL_INTEGER, .integer = value->integer}; break;
    case SHOAL_HOST_REAL: parameters[i] = (sql_value_t){.kind = SQL_REAL, .real = value->real}; break;
    case SHOAL_HOST_STRING:
      parameters[i] = (sql_value_t){.kind = SQL_TEXT, .bytes = (uint32_t)size, .text = value->string};
      break;
    case SHOAL_HOST_BLOB:
      parameters[i] = (sql_value_t){.kind = SQL_BLOB, .bytes = (uint32_t)size, .text = value->string};
      break;
    default:
      return error_set(error, "value %u: unknown kind %d: use a constant of shoal_host_type", i + 1, (int)value->type);
    }
  }
  return true;
}

shoal_host_result *shoal_host_query(shoal_host *h, const char *sql, const shoal_host_value *values,
                                    uint32_t value_count) {
  static const char function[] = "shoal_host_query";
  sql_value_t parameters[SQL_MAX_PARAMETERS];
  error_info_t error = {0};
  sql_result_t result;
  if (!library_begin_call_while_running(h, function))
    return NULL;
  if (!sql || !read_parameters(values, value_count, parameters, &error)) {
    library_end_call(sql ? library_fail(function, &error)
                         : error_set(access_last_error(), "%s: sql must not be NULL", function));
    return NULL;
  }
  sql_o *database = host_game(h->host)->sql;
  sql_run_desc_t desc = {.text = sql,
                         .text_bytes = strlen(sql),
                         .parameters = parameters,
                         .parameter_count = value_count,
                         .allow_measured = true};
  // Tries the statement as a read-only query first, because most statements only read.
  bool ok = sql_run_statement(database, &desc, &result, &error);
  if (!ok && strncasecmp(sql + strspn(sql, " \t\r\n("), "select", 6) != 0 && check_writable(h, function)) {
    desc.allow_writes = true;
    host_announce_edit(h->host, true);
    ok = sql_run_statement(database, &desc, &result, &error);
    host_announce_edit(h->host, false);
  } else if (!ok && access_last_error()->text[0]) {
    library_end_call(false);
    return NULL;
  }
  shoal_host_result *rows = ok ? copy_rows(&result) : NULL;
  if (ok) {
    sql_result_fini(&result);
    if (!rows)
      error_set(&error, "out of memory");
  }
  library_end_call(rows || library_fail(function, &error));
  return rows;
}

void shoal_host_result_free(shoal_host_result *rows) {
  free(rows);
}

uint32_t shoal_host_result_row_count(const shoal_host_result *rows) {
  return rows ? rows->row_count : 0;
}

uint32_t shoal_host_result_column_count(const shoal_host_result *rows) {
  return rows ? rows->column_count : 0;
}

uint64_t shoal_host_result_changes(const shoal_host_result *rows) {
  return rows ? rows->changed : 0;
}

const char *shoal_host_result_column_name(const shoal_host_result *rows, uint32_t column) {
  return rows && column < rows->column_count ? rows->names[column] : "";
}

shoal_host_value shoal_host_result_value(const shoal_host_result *rows, uint32_t row, uint32_t column) {
  if (!rows || row >= rows->row_count || column >= rows->column_count)
    return (shoal_host_value){.type = SHOAL_HOST_NULL};
  return rows->values[(size_t)row * rows->column_count + column];
}
