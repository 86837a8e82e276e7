// Reports a NaN that a plugin writes: in the columns of a system's query, and in the columns that the system's code
// opens (access/nan_watch.h). A NaN in an opened column is recorded in access_o.nan_fields, as is a NaN that is set by
// a function such as shoal_set.
#include "plugin/nan_check.h"

#include "plugin/plugin.h"
#include "plugin/system_binding.h"
#include "schema/nan_fields.h"

#include <stdatomic.h>

void nan_checks_bind(plugins_o *p, run_t *r) {
  for (uint32_t i = 0; i < r->rows.term_count && !p->quiet; ++i) {
    const access_term_t *t = &r->rows.terms[i];
    for (uint32_t c = 0; t->bound && t->written && c < t->bound->component->column_count; ++c) {
      nan_watch_t check = {.manager = t->manager, .column = t->bound->columns[c]};
      if (!access_is_derived(t->bound, c) && nan_is_reported(&t->manager->schema, check.column))
        array_push(&p->memory, &r->nan_checks, check);
    }
  }
}

void nan_checks_begin(run_t *r) {
  for (uint32_t i = 0; i < r->nan_checks.count; ++i)
    nan_watch_begin(&r->nan_checks.items[i], NAN_WATCH_ROWS);
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
    nan_watch_t *check = &r->nan_checks.items[i];
    if (!nan_watch_end(check))
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
