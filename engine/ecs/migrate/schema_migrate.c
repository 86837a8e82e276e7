// Runs the `migrate` functions of declarations for the rows that rows_migrate.c has collected, once all rows exist.
#include "migrate/schema_migrate.h"

#include "base/assert.h"

bool schema_migrate_run(schema_migrate_report_t *report, world_o *w, schema_migrate_run_t migrate, void *context,
                        error_info_t *error) {
  for (uint32_t i = 0; i < report->migration_count; ++i) {
    const migration_t *migration = report->migrations[i];
    shoal_assert(migration->manager != 0 && migration->manager <= world_manager_count(w),
                 "component %u is out of range (count %u)", migration->manager, world_manager_count(w));
    if (!migrate)
      return error_set(error, "cannot convert %s: the declaration has changed, but `migrate` cannot run here",
                       migration->old_schema.name);
    if (!migrate(context, w, migration, error))
      return false;
    report->counts.components_migrated++;
  }
  return true;
}

void schema_migrate_report_free(schema_migrate_report_t *report) {
  allocator_t *a = &report->memory;
  for (uint32_t i = 0; i < report->migration_count; ++i) {
    migration_t *migration = report->migrations[i];
    alloc_resize(a, migration->row, migration->old.count * sizeof *migration->row, 0);
    columns_fini(&migration->old);
    schema_fini(&migration->old_schema, a);
    alloc_resize(a, migration, sizeof *migration, 0);
  }
  alloc_resize(a, report->migrations, report->migration_capacity * sizeof *report->migrations, 0);
  *report = (schema_migrate_report_t){.memory = *a};
}
