// Transactions and statements on the database of a world, for all kinds of databases.
#include "served/world_store_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

store_result_t store_fail(const world_store_o *s, store_result_t result, error_info_t *error, const char *format, ...) {
  char text[900];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  error_set(error, "%s: %s", s->path, text);
  return result;
}

// --- transactions

store_result_t store_begin_write(world_store_o *s, error_info_t *error) {
  return s->driver->begin(s, true, error);
}

store_result_t store_begin_read(world_store_o *s, error_info_t *error) {
  return s->driver->begin(s, false, error);
}

store_result_t store_end(world_store_o *s, store_result_t result, error_info_t *error) {
  if (result == STORE_DONE)
    return s->driver->end(s, true, error);
  s->driver->end(s, false, NULL);
  return result;
}

// --- statements

store_result_t store_execute(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                             int64_t *changed, error_info_t *error) {
  int64_t ignored = 0;
  return s->driver->execute(s, sql, values, count, changed ? changed : &ignored, error);
}

store_result_t store_execute_script(world_store_o *s, const char *sql, error_info_t *error) {
  return s->driver->execute_script(s, sql, error);
}

void store_query_begin(world_store_o *s, store_query_t *query, const char *sql, const store_value_t *values,
                       uint32_t count, error_info_t *error) {
  *query = (store_query_t){.store = s, .row = -1};
  query->result = s->driver->begin_query(query, sql, values, count, error);
}

bool store_next(world_store_o *s, store_query_t *query, error_info_t *error) {
  bool has_row = false;
  if (query->result == STORE_DONE)
    query->result = s->driver->next(query, &has_row, error);
  return query->result == STORE_DONE && has_row;
}

store_result_t store_query_end(store_query_t *query) {
  query->store->driver->end_query(query);
  query->rows = NULL;
  return query->result;
}

store_result_t store_query_number(world_store_o *s, const char *sql, const store_value_t *values, uint32_t count,
                                  int64_t *out, error_info_t *error) {
  store_query_t query = {0};
  uint64_t number = 0;
  store_query_begin(s, &query, sql, values, count, error);
  bool is_number = store_next(s, &query, error) && store_read_bits(&query, 0, &number);
  *out = (int64_t)number;
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !is_number)
    result = store_fail(s, STORE_DAMAGED, error, "a row is missing or malformed (%s): restore a backup", sql);
  return result;
}

// --- columns

uint32_t store_count_columns(const store_query_t *query) {
  return query->rows ? query->store->driver->count_columns(query) : 0;
}

const char *store_get_column_name(const store_query_t *query, uint32_t column) {
  return query->store->driver->get_column_name(query, column);
}

store_cell_t store_read_cell(const store_query_t *query, int column) {
  return query->store->driver->read_cell(query, column);
}

bool store_read_bits(const store_query_t *query, int column, uint64_t *out) {
  store_cell_t cell = store_read_cell(query, column);
  *out = cell.kind == STORE_KIND_NUMBER ? (uint64_t)cell.number : 0;
  return cell.kind == STORE_KIND_NUMBER;
}

bool store_read_number(const store_query_t *query, int column, uint64_t max, uint64_t *out) {
  return store_read_bits(query, column, out) && *out <= max;
}

bool store_read_text(const store_query_t *query, int column, char *out, size_t capacity) {
  store_cell_t cell = store_read_cell(query, column);
  bool fits = cell.kind == STORE_KIND_TEXT && cell.size < capacity && !memchr(cell.bytes, 0, cell.size);
  snprintf(out, capacity, "%.*s", fits ? (int)cell.size : 0, fits ? (const char *)cell.bytes : "");
  return fits;
}

bool store_read_blob(const store_query_t *query, int column, size_t max_bytes, const uint8_t **bytes, size_t *size) {
  store_cell_t cell = store_read_cell(query, column);
  bool is_blob = cell.kind == STORE_KIND_BLOB;
  *bytes = is_blob ? cell.bytes : NULL;
  *size = is_blob ? cell.size : 0;
  return is_blob && *size <= max_bytes && (*bytes || *size == 0);
}
