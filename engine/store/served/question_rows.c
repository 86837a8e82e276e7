// The rows of an answer as JSON, up to the limits of an answer.
#include "served/question_driver.h"

#include <stdio.h>
#include <string.h>

bool question_rows_add_column(question_rows_t *rows, const char *name, error_info_t *error) {
  if (rows->column_count == CHRONICLE_MAX_COLUMNS)
    return error_set(error, "the query has more than %u columns", CHRONICLE_MAX_COLUMNS);
  if (strlen(name) >= CHRONICLE_NAME_BYTES)
    return error_set(error, "the column %.40s… needs a shorter name: add AS name", name);
  for (uint32_t i = 0; i < rows->column_count; ++i)
    if (strcmp(rows->names[i], name) == 0)
      return error_set(error, "two columns are named %s: add AS name", name);
  (void)snprintf(rows->names[rows->column_count++], CHRONICLE_NAME_BYTES, "%s", name);
  return true;
}

// Omits NULL and blobs: scripts read missing keys as nil, and JSON cannot contain blobs.
static void write_cell(json_writer_t *out, const char *name, const store_cell_t *cell) {
  if (cell->kind == STORE_KIND_NULL || cell->kind == STORE_KIND_BLOB)
    return;
  json_write_key(out, name);
  if (cell->kind == STORE_KIND_NUMBER)
    json_write_integer(out, cell->number);
  else if (cell->kind == STORE_KIND_REAL)
    json_write_number(out, cell->real);
  else
    json_write_string_n(out, cell->bytes, cell->size);
}

bool question_rows_add(question_rows_t *rows, const store_cell_t *cells) {
  size_t before = rows->text.text.count;
  if (rows->count == QUESTION_MAX_ROWS) {
    rows->is_cut = true;
    return false;
  }
  json_write_begin(&rows->text, '{');
  for (uint32_t i = 0; i < rows->column_count; ++i) {
    write_cell(&rows->text, rows->names[i], &cells[i]);
    if (rows->text.text.count > QUESTION_MAX_BYTES)
      break; // the row is removed below
  }
  json_write_end(&rows->text, '}');
  if (rows->text.text.count + 1 <= QUESTION_MAX_BYTES) { // 1: the list's closing bracket
    ++rows->count;
    return true;
  }
  rows->text.text.count = (uint32_t)before;
  rows->is_cut = true;
  return false;
}
