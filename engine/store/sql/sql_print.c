// Prints results as aligned text.
#include "sql/sql.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

#define MAX_COLUMN_WIDTH 64u // maximum width to which a column is padded

static size_t format_value(const sql_value_t *value, char *out, size_t bytes) {
  int length = 0;
  switch (value->kind) {
  case SQL_NULL: length = snprintf(out, bytes, "NULL"); break;
  case SQL_REAL: length = snprintf(out, bytes, "%.9g", value->real); break;
  case SQL_TEXT: length = snprintf(out, bytes, "%s", value->text); break;
  case SQL_BLOB:
  case SQL_MATRIX: length = snprintf(out, bytes, "(%u bytes)", value->bytes); break;
  default: length = snprintf(out, bytes, "%" PRId64, value->integer); break;
  }
  return length > 0 ? (size_t)length : 0;
}

static size_t compute_column_width(const sql_result_t *result, uint32_t column) {
  char text[1024];
  size_t width = utf8_count_characters(result->names[column]);
  for (uint32_t row = 0; row < result->row_count && width < MAX_COLUMN_WIDTH && !interrupt_is_pending(); ++row) {
    format_value(&result->values[row * result->column_count + column], text, sizeof text);
    if (utf8_count_characters(text) > width)
      width = utf8_count_characters(text);
  }
  return width < MAX_COLUMN_WIDTH ? width : MAX_COLUMN_WIDTH;
}

static bool is_number(const sql_value_t *value) {
  return value->kind == SQL_INTEGER || value->kind == SQL_REAL || value->kind == SQL_ENTITY || value->kind == SQL_BOOL;
}

static void print_padding(FILE *out, size_t width, size_t target_width, char fill) {
  for (; width < target_width; ++width)
    fputc(fill, out);
}

// Prints a string with control characters replaced by spaces, because line breaks would break the table.
static void print_text(FILE *out, const char *text) {
  for (; *text; ++text)
    fputc((unsigned char)*text < 32 ? ' ' : *text, out);
}

static void print_row(const sql_result_t *result, uint32_t row, const size_t *widths, FILE *out) {
  char text[1024];
  for (uint32_t i = 0; i < result->column_count; ++i) {
    const sql_value_t *value = &result->values[row * result->column_count + i];
    size_t width = (format_value(value, text, sizeof text), utf8_count_characters(text));
    bool is_last = i + 1 == result->column_count, right_aligned = is_number(value);
    if (right_aligned)
      print_padding(out, width, widths[i], ' ');
    print_text(out, value->kind == SQL_TEXT ? value->text : text);
    if (!right_aligned && !is_last)
      print_padding(out, width, widths[i], ' ');
    fputs(is_last ? "\n" : "  ", out);
  }
}

void sql_print_result(const sql_result_t *result, FILE *out) {
  shoal_assert(result && out, "result and out must not be NULL");
  shoal_assert(result->column_count == 0 || result->value_count % result->column_count == 0,
               "%u values do not fill rows of %u columns", result->value_count, result->column_count);
  if (result->column_count == 0)
    return;
  allocator_t memory = {0};
  size_t *widths = alloc_resize(&memory, NULL, 0, result->column_count * sizeof *widths);
  for (uint32_t i = 0; i < result->column_count; ++i)
    widths[i] = compute_column_width(result, i);
  for (uint32_t i = 0; i < result->column_count; ++i) {
    bool is_last = i + 1 == result->column_count;
    print_text(out, result->names[i]);
    if (!is_last)
      print_padding(out, utf8_count_characters(result->names[i]), widths[i], ' ');
    fputs(is_last ? "\n" : "  ", out);
  }
  for (uint32_t i = 0; i < result->column_count; ++i) {
    print_padding(out, 0, widths[i], '-');
    fputs(i + 1 == result->column_count ? "\n" : "  ", out);
  }
  for (uint32_t row = 0; row < result->row_count && !interrupt_is_pending(); ++row)
    print_row(result, row, widths, out);
  alloc_resize(&memory, widths, result->column_count * sizeof *widths, 0);
}
