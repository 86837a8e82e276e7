// Errors of SHOAL_COLUMN and SHOAL_COLUMNS in programs that embed Shoal: the view has no columns of the component.
#include "access/access.h"

#include "access/last_error.h"
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

static const char *describe_fix(const shoal_view *v, const shoal_component *component) {
  for (uint32_t i = 0; i < v->term_count; ++i)
    if (strcmp(v->terms[i].name, component->name) == 0)
      return v->terms[i].component ? "the query has the columns of a different declaration of this component: use the "
                                     "declaration that was passed to shoal_declare first"
                                   : "the query excludes the component: remove it from .without, or do not read it";
  return NULL;
}

static bool is_first_report(access_o *access, const shoal_component *component, const char *file, int line) {
  uint64_t place = file ? hash_bytes(&line, sizeof line, hash_text(file)) : 0;
  uint64_t key = (hash_text(component->name) ^ place) | 1;
  for (uint32_t i = 0; i < ACCESS_REPORTED_LOOKUPS; ++i) {
    uint64_t stored = 0;
    if (atomic_compare_exchange_strong(&access->reported_lookups[i], &stored, key))
      return true;
    if (stored == key)
      return false;
  }
  return false;
}

bool access_fail_column_lookup(const shoal_view *v, const shoal_component *component, const char *file, int line) {
  char place[300] = "", fix[200];
  const char *known_fix = describe_fix(v, component);
  if (file)
    snprintf(place, sizeof place, "%.270s:%d: ", file, line);
  snprintf(fix, sizeof fix, "add \"%.64s\" to .with, .optional or .any of the query", component->name);
  access_fail("%sthe columns of %.64s are NULL: %s", place, component->name, known_fix ? known_fix : fix);
  return is_first_report(v->report_context, component, file, line);
}
