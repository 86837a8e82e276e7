// Reports of accesses to missing rows, from plugins built with SHOAL_DEBUG (shoal/check.h).
#include "plugin/row_check.h"

#include "base/assert.h"
#include "shoal/check.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static _Thread_local error_info_t
    *current_error; // receives the error of the current call; NULL on threads of the plugin

static bool is_identifier_character(char x) {
  return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '_';
}

static const char *find_identifier_start(const char *text, const char *end) {
  while (end > text && is_identifier_character(end[-1]))
    --end;
  return end;
}

// Extracts the name of a column from an expression such as SHOAL_COLUMN(v, heat, value), which may be macro-expanded.
// The name is the last identifier and, for a part of a vector, the identifier before it: pos.x.
static void extract_column_name(const char *text, char *out, size_t bytes) {
  const char *end = text + strlen(text);
  while (end > text && !is_identifier_character(end[-1]))
    --end;
  const char *first = find_identifier_start(text, end);
  if (end - first == 1 && strchr("xyzw", *first) && first > text && first[-1] == '.')
    first = find_identifier_start(text, first - 1);
  snprintf(out, bytes, "%.*s", (int)(end - first), first);
}

static void report_missing_row(const shoal_missing_row *m) {
  error_info_t here = {0}, *error = current_error ? current_error : &here;
  char name[80];
  if (error->text[0])
    return; // keep only the first error: it usually causes the others
  extract_column_name(m->column, name, sizeof name);
  if (m->count == 0 && !m->component)
    error_set(error,
              "%s:%d: row %u of %s: the view is empty or does not contain this column: check v->count, and name the "
              "component "
              "in .query, and in .components or .uses",
              m->file, m->line, m->row, name);
  else
    error_set(error, "%s:%d: row %u of %s%s%s is out of range (count %u)", m->file, m->line, m->row,
              m->component ? m->component : "", m->component ? "." : "", name, m->count);
  if (!current_error)
    fprintf(stderr, "plugin: %s\n", here.text);
}

bool plugin_install_row_check(void *library) {
  shoal_assert(library, "library must not be NULL");
  shoal_missing_row_fn **there = dlsym(library, "shoal_missing_row_handler");
  if (there)
    *there = report_missing_row;
  return there != NULL;
}

error_info_t *plugin_begin_checks(error_info_t *error) {
  error_info_t *outer = current_error;
  error->text[0] = '\0';
  current_error = error;
  return outer;
}

void plugin_end_checks(error_info_t *outer) {
  current_error = outer;
}
