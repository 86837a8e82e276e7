// Runs the `migrate` functions of declarations for the rows that rows_migrate.c has collected, once all rows exist.
#include "migrate/schema_migrate.h"

#include "base/assert.h"

bool schema_migrate_run(schema_migrate_report_t *report, world_o *w, schema_migrate_run_t migrate, void *context,
                        error_info_t *error) {
  for (uint32_t i = 0; i < report->migration_count; ++i) {
    const migration_t *m = report->migrations[i];
    shoal_assert(m->manager != 0 && m->manager <= world_manager_count(w), "component %u is out of range (count %u)",
                 m->manager, world_manager_count(w));
    if (!migrate)
      return error_set(error, "cannot convert %s: the declaration has changed, but `migrate` cannot run here",
                       m->old_schema.name);
    if (!migrate(context, w, m, error))
      return false;
    report->counts.components_migrated++;
  }
  return true;
}

void schema_migrate_report_free(schema_migrate_report_t *report) {
  allocator_t *a = &report->memory;
  for (uint32_t i = 0; i < report->migration_count; ++i) {
    migration_t *m = report->migrations[i];
    alloc_resize(a, m->row, m->old.count * sizeof *m->row, 0);
    columns_fini(&m->old);
    schema_fini(&m->old_schema, a);
    alloc_resize(a, m, sizeof *m, 0);
  }
  alloc_resize(a, report->migrations, report->migration_capacity * sizeof *report->migrations, 0);
  *report = (schema_migrate_report_t){.memory = *a};
}
