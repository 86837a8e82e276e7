// Reports a NaN that a plugin writes. In the columns of a system, the number of NaNs is compared with the number before
// the run, so that a NaN from elsewhere is not attributed to the plugin. Functions such as shoal_set record it in
// access_o.nan_fields (access/access.h).
#include "plugin/nan_check.h"

#include "plugin/plugin.h"
#include "plugin/system_binding.h"
#include "schema/nan_fields.h"

#include <stdatomic.h>

enum { MAX_ROWS = 16384 }; // maximum number of rows of a column checked per run

void nan_checks_bind(plugins_o *p, run_t *r) {
  for (uint32_t i = 0; i < r->rows.term_count && !p->quiet; ++i) {
    const access_term_t *t = &r->rows.terms[i];
    for (uint32_t c = 0; t->bound && t->written && c < t->bound->component->column_count; ++c) {
      nan_check_t check = {.manager = t->manager, .column = t->bound->columns[c]};
      if (!access_is_derived(t->bound, c) && nan_is_reported(&t->manager->schema, check.column))
        array_push(&p->memory, &r->nan_checks, check);
    }
  }
}

static uint32_t count_nan(const nan_check_t *check) {
  const float *values = check->manager->data[check->column];
  uint32_t count = 0;
  for (uint32_t row = check->first; row < check->end; ++row)
    count += values[row] != values[row];
  return count;
}

void nan_checks_begin(run_t *r) {
  for (uint32_t i = 0; i < r->nan_checks.count; ++i) {
    nan_check_t *check = &r->nan_checks.items[i];
    uint32_t rows = check->manager->count;
    check->first = check->end < rows ? check->end : 0;
    check->end = rows - check->first < MAX_ROWS ? rows : check->first + MAX_ROWS;
    check->before = count_nan(check);
  }
}

// `field` is the name of the field, such as "transform.x".
static void report_nan(const plugin_t *x, const run_t *run, const char *field) {
  const char *kind = !run ? "" : run->observer ? "observer " : "system ";
  log_warn(x->all->desc.log,
           "plugin %s: %s%s%s%s must be a number, got nan: check for a division by zero (reported once)", x->name, kind,
           run ? run->def->name : "", run ? ": " : "", field);
}

void nan_checks_end(run_t *r) {
  for (uint32_t i = 0; i < r->nan_checks.count; ++i) {
    nan_check_t *check = &r->nan_checks.items[i];
    if (count_nan(check) <= check->before)
      continue;
    const schema_t *s = &check->manager->schema;
    uint32_t field = nan_field_find(s->name, s->fields[check->column].name);
    report_nan(r->plugin, r, nan_field_name(field));
    r->plugin->nan_fields_reported |= 1u << field;
    *check = r->nan_checks.items[--r->nan_checks.count];
    --i;
  }
  nan_report_set_fields(r->plugin, r);
}

void nan_report_set_fields(plugin_t *x, const run_t *run) {
  if (atomic_load_explicit(&x->access.nan_fields, memory_order_relaxed) == 0)
    return;
  uint32_t fields = atomic_exchange(&x->access.nan_fields, 0) & ~x->nan_fields_reported;
  x->nan_fields_reported |= fields;
  for (uint32_t i = 0; fields != 0 && !x->all->quiet; ++i, fields >>= 1)
    if (fields & 1)
      report_nan(x, run, nan_field_name(i));
}
