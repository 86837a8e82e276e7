// Runs SQL queries. A short query is answered immediately, from the live columns. A query that exceeds the frame's step
// budget is re-run in a child process, which may use COCKPIT_CHILD_MS of CPU time while the game continues.
#include "cockpit/sql_query.h"

#include "base/assert.h"
#include "cockpit/child_query.h"
#include "cockpit/cockpit_state.h"
#include "process/jobs.h"
#include "server/server.h"
#include "watchdog/watchdog.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

// Maximum size of an answer in bytes. The rest of a message to a client is small.
#define MAX_ANSWER_BYTES (SERVER_MAX_QUEUED - 65536u)

// --- values

void sql_query_write_value(json_writer_t *out, const sql_value_t *value) {
  float matrix[16];
  switch (value->kind) {
  case SQL_REAL:
    // Writes the shortest decimal of the float, because most values come from f32 columns.
    if ((double)(float)value->real == value->real)
      json_write_float(out, (float)value->real);
    else
      json_write_number(out, value->real);
    break;
  case SQL_INTEGER:
  case SQL_ENTITY: json_write_integer(out, value->integer); break;
  case SQL_BOOL: json_write_bool(out, value->integer != 0); break;
  case SQL_TEXT: json_write_string_n(out, value->text, value->bytes); break;
  case SQL_MATRIX:
    memcpy(matrix, value->text, sizeof matrix);
    json_write_floats(out, matrix, 16);
    break;
  case SQL_BLOB: json_write_string(out, "(bytes)"); break;
  default: json_write_null(out); break;
  }
}

void sql_query_write_row(const sql_result_t *result, uint32_t row, json_writer_t *out) {
  shoal_assert(row < result->row_count, "row %u is out of range (count %u)", row, result->row_count);
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < result->column_count; ++i)
    sql_query_write_value(out, &result->values[(size_t)row * result->column_count + i]);
  json_write_end(out, ']');
}

static bool write_result(const sql_result_t *result, json_writer_t *out, error_info_t *error) {
  json_write_key(out, "columns");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < result->column_count; ++i)
    json_write_string(out, result->names[i]);
  json_write_end(out, ']');
  json_write_key(out, "rows");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < result->row_count && out->text.count <= MAX_ANSWER_BYTES; ++i)
    sql_query_write_row(result, i, out);
  json_write_end(out, ']');
  json_write_bool_pair(out, "more", result->has_more);
  return out->text.count <= MAX_ANSWER_BYTES ||
         error_set(error, "the answer is too large (at most %u MB): add LIMIT, or select fewer columns",
                   SERVER_MAX_QUEUED >> 20);
}

// --- running queries

static bool read_parameter(const json_t *value, sql_value_t *out, error_info_t *error) {
  switch (json_typeof(value)) {
  case JSON_STRING:
    *out =
        (sql_value_t){.kind = SQL_TEXT, .bytes = (uint32_t)json_string_length(value), .text = json_string_value(value)};
    return true;
  case JSON_INTEGER: *out = (sql_value_t){.kind = SQL_INTEGER, .integer = json_integer_value(value)}; return true;
  case JSON_REAL: *out = (sql_value_t){.kind = SQL_REAL, .real = json_real_value(value)}; return true;
  case JSON_TRUE:
  case JSON_FALSE: *out = (sql_value_t){.kind = SQL_BOOL, .integer = json_is_true(value)}; return true;
  case JSON_NULL: *out = (sql_value_t){.kind = SQL_NULL}; return true;
  default: return error_set(error, "a parameter must be a number, string, boolean or null");
  }
}

uint64_t sql_query_max_steps(cockpit_o *cockpit) {
  host_state_t host_state;
  host_get_state(cockpit->host, &host_state);
  return host_state.session_paused || host_state.game_paused ? COCKPIT_HELD_QUERY_STEPS : COCKPIT_QUERY_STEPS;
}

bool sql_query_run(cockpit_o *cockpit, const sql_query_desc_t *query, uint64_t steps, json_writer_t *out,
                   bool *out_of_time, error_info_t *error) {
  game_o *game = host_game(cockpit->host);
  sql_value_t values[SQL_MAX_PARAMETERS];
  size_t count = json_array_size(query->parameters);
  *out_of_time = false;
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  if (count > SQL_MAX_PARAMETERS)
    return error_set(error, "too many parameters: %zu (at most %u)", (size_t)count, SQL_MAX_PARAMETERS);
  for (size_t i = 0; i < count; ++i)
    if (!read_parameter(json_array_get(query->parameters, i), &values[i], error))
      return false;
  sql_result_t result;
  sql_run_desc_t desc = {.text = query->text,
                         .text_bytes = strlen(query->text),
                         .parameters = values,
                         .parameter_count = (uint32_t)count,
                         .allow_measured = true,
                         .max_steps = steps,
                         .max_rows = query->max_rows};
  if (!sql_run_statement(game->sql, &desc, &result, error)) {
    *out_of_time = sql_has_exceeded_steps(game->sql);
    return false;
  }
  bool ok = write_result(&result, out, error);
  sql_result_fini(&result);
  return ok;
}

// --- queries in the child process

typedef struct deferred_query_t {
  cockpit_o *cockpit;
  const sql_query_desc_t *desc;
} deferred_query_t;

static void run_query_in_child(void *context, int fd) {
  const deferred_query_t *query = context;
  json_writer_t out;
  error_info_t error = {0};
  bool out_of_time = false;
  child_query_begin_response(query->cockpit, &out);
  sql_query_run(query->cockpit, query->desc, 0, &out, &out_of_time, &error);
  child_query_end_response(query->cockpit, fd, &out, &error);
}

bool sql_query_defer(cockpit_o *cockpit, const sql_query_desc_t *query, const request_sender_t *sender,
                     error_info_t *error) {
  deferred_query_t copy = {cockpit, query};
  return child_query_start(cockpit, sender, run_query_in_child, &copy, error);
}
