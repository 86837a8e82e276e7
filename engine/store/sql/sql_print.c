// Prints results as aligned text.
#include "sql/sql.h"

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

#define WIDEST 64u // maximum width to which a column is padded

static size_t format_value(const sql_value_t *v, char *out, size_t bytes) {
  int n = 0;
  switch (v->kind) {
  case SQL_NULL: n = snprintf(out, bytes, "NULL"); break;
  case SQL_REAL: n = snprintf(out, bytes, "%.9g", v->real); break;
  case SQL_TEXT: n = snprintf(out, bytes, "%s", v->text); break;
  case SQL_BLOB:
  case SQL_MATRIX: n = snprintf(out, bytes, "(%u bytes)", v->bytes); break;
  default: n = snprintf(out, bytes, "%" PRId64, v->integer); break;
  }
  return n > 0 ? (size_t)n : 0;
}

static size_t compute_column_width(const sql_result_t *r, uint32_t column) {
  char text[1024];
  size_t width = utf8_count_characters(r->names[column]);
  for (uint32_t row = 0; row < r->row_count && width < WIDEST && !interrupt_is_pending(); ++row) {
    format_value(&r->values[row * r->column_count + column], text, sizeof text);
    if (utf8_count_characters(text) > width)
      width = utf8_count_characters(text);
  }
  return width < WIDEST ? width : WIDEST;
}

static bool is_number(const sql_value_t *v) {
  return v->kind == SQL_INTEGER || v->kind == SQL_REAL || v->kind == SQL_ENTITY || v->kind == SQL_BOOL;
}

static void print_padding(FILE *out, size_t from, size_t to, char with) {
  for (; from < to; ++from)
    fputc(with, out);
}

// Prints a string with control characters replaced by spaces, because line breaks would break the table.
static void print_text(FILE *out, const char *text) {
  for (; *text; ++text)
    fputc((unsigned char)*text < 32 ? ' ' : *text, out);
}

static void print_row(const sql_result_t *r, uint32_t row, const size_t *widths, FILE *out) {
  char text[1024];
  for (uint32_t i = 0; i < r->column_count; ++i) {
    const sql_value_t *v = &r->values[row * r->column_count + i];
    size_t used = (format_value(v, text, sizeof text), utf8_count_characters(text));
    bool last = i + 1 == r->column_count, right = is_number(v);
    if (right)
      print_padding(out, used, widths[i], ' ');
    print_text(out, v->kind == SQL_TEXT ? v->text : text);
    if (!right && !last)
      print_padding(out, used, widths[i], ' ');
    fputs(last ? "\n" : "  ", out);
  }
}

void sql_print_result(const sql_result_t *r, FILE *out) {
  shoal_assert(r && out, "r and out must not be NULL");
  shoal_assert(r->column_count == 0 || r->value_count % r->column_count == 0,
               "%u values do not fill rows of %u columns", r->value_count, r->column_count);
  if (r->column_count == 0)
    return;
  allocator_t memory = {0};
  size_t *widths = alloc_resize(&memory, NULL, 0, r->column_count * sizeof *widths);
  for (uint32_t i = 0; i < r->column_count; ++i)
    widths[i] = compute_column_width(r, i);
  for (uint32_t i = 0; i < r->column_count; ++i) {
    bool last = i + 1 == r->column_count;
    print_text(out, r->names[i]);
    if (!last)
      print_padding(out, utf8_count_characters(r->names[i]), widths[i], ' ');
    fputs(last ? "\n" : "  ", out);
  }
  for (uint32_t i = 0; i < r->column_count; ++i) {
    print_padding(out, 0, widths[i], '-');
    fputs(i + 1 == r->column_count ? "\n" : "  ", out);
  }
  for (uint32_t row = 0; row < r->row_count && !interrupt_is_pending(); ++row)
    print_row(r, row, widths, out);
  alloc_resize(&memory, widths, r->column_count * sizeof *widths, 0);
}
