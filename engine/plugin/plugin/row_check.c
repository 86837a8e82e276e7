// Reports of accesses to missing rows, from plugins built with SHOAL_DEBUG (shoal/check.h).
#include "plugin/row_check.h"

#include "base/assert.h"
#include "base/dynamic_library.h"
#include "process/foreign_call.h"
#include "shoal/check.h"

#include <stdio.h>
#include <string.h>

static _Thread_local error_info_t *current_error; // error of the current call; NULL on threads of the plugin

static bool is_identifier_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *find_identifier_start(const char *text, const char *end) {
  while (end > text && is_identifier_character(end[-1]))
    --end;
  return end;
}

// Extracts the name of a column from an expression such as SHOAL_COLUMN(v, heat, value), which may be macro-expanded.
// The name is the last identifier. For a part of a vector, it includes the preceding identifier: pos.x.
static void extract_column_name(const char *expression, char *out, size_t bytes) {
  const char *end = expression + strlen(expression);
  while (end > expression && !is_identifier_character(end[-1]))
    --end;
  const char *start = find_identifier_start(expression, end);
  if (end - start == 1 && strchr("xyzw", *start) && start > expression && start[-1] == '.')
    start = find_identifier_start(expression, start - 1);
  snprintf(out, bytes, "%.*s", (int)(end - start), start);
}

static void report_row_error(const shoal_row_error *row_error) {
  error_info_t local_error = {0}, *error = current_error ? current_error : &local_error;
  char name[80], fix[256];
  if (error->text[0])
    return; // keep only the first error, which usually causes later errors
  extract_column_name(row_error->column, name, sizeof name);
  if (row_error->count == 0 && !row_error->component) {
    if (!foreign_describe_missing_component(NULL, fix, sizeof fix)[0])
      snprintf(fix, sizeof fix,
               ": the view is empty or does not contain this column: check v->count, and name the component in "
               ".query, and in .components or .uses");
    error_set(error, "%s:%d: row %u of %s%s", row_error->file, row_error->line, row_error->row, name, fix);
  } else {
    error_set(error, "%s:%d: row %u of %s%s%s is out of range (count %u)", row_error->file, row_error->line,
              row_error->row, row_error->component ? row_error->component : "", row_error->component ? "." : "", name,
              row_error->count);
  }
  if (!current_error)
    fprintf(stderr, "plugin: %s\n", local_error.text);
}

void plugin_report_missing_columns(const shoal_view *v, const shoal_component *component, const char *file, int line) {
  (void)v, (void)file, (void)line; // the reports find the line on the stack
  foreign_set_missing_component(component->name);
}

bool plugin_install_row_check(void *library) {
  shoal_assert(library, "library must not be NULL");
  shoal_row_error_fn **handler = dynamic_library_find(library, "shoal_row_error_handler");
  if (handler)
    *handler = report_row_error;
  return handler != NULL;
}

error_info_t *plugin_begin_checks(error_info_t *error) {
  error_info_t *outer_error = current_error;
  error->text[0] = '\0';
  current_error = error;
  return outer_error;
}

void plugin_end_checks(error_info_t *outer_error) {
  current_error = outer_error;
}
