// Implements world_migrate. A migration first converts rows and values, then builds the new version's queries and
// groups, then runs the scripts' `migrate` functions, and finally merges assemblages. The merge comes last because it
// adds and removes components, which requires a complete world.
#include "migrate/world_migrate.h"

#include "base/assert.h"
#include "ecs/ranges.h"
#include "ecs/world_internal.h"
#include "migrate/reverse_renames.h"
#include "migrate/state_migrate.h"

#include <stdio.h>
#include <string.h>

typedef struct world_migration_t {
  world_o *old_world, *new_world;
  const world_migrate_desc_t *desc;
  world_migrate_counts_t counts;
  state_view_t *view; // view of the old world's state
  schema_migrate_report_t report;
} world_migration_t;

// If only the new world tracks overridden values, marks the values that differ from the old templates. Returns true.
static bool derive_marks(world_migration_t *migration) {
  if (world_tracks_touched_fields(migration->new_world) && !world_tracks_touched_fields(migration->old_world))
    assemblage_merge_derive_marks(migration->old_world, migration->new_world);
  return true;
}

// Reports fields whose first `renamed_from` names a field that the old world no longer has. An earlier reload has then
// dropped the values: the designer renamed a field, saved, and added `renamed_from` later.
static void report_late_renames(const world_migration_t *migration, const schema_t *old_schema,
                                const schema_t *new_schema) {
  char line[3 * FIELD_NAME_MAX + 300];
  schema_migrate_log_t log_line = migration->desc->log_line;
  for (uint32_t k = 0; log_line && k < new_schema->field_count; ++k) {
    const field_t *field = &new_schema->fields[k];
    int32_t old_column = field->renamed_from[0] ? schema_find_field(old_schema, field->name) : -1;
    if (old_column < 0 || old_schema->fields[old_column].renamed_from[0] ||
        schema_find_former_field(old_schema, field) >= 0)
      continue;
    int bytes = (int)strcspn(field->renamed_from, " ");
    snprintf(line, sizeof line,
             "%s.%s: the former name %.*s has no effect on the running world, which has no field %.*s: if a reload has "
             "dropped its values, go back to a tick before that reload (F9, or world.restore)",
             new_schema->name, field->name, bytes, field->renamed_from, bytes, field->renamed_from);
    log_line(migration->desc->log_context, line);
  }
}

static void report_all_late_renames(const world_migration_t *migration) {
  for (uint32_t id = 1; id <= migration->old_world->managers.count; ++id) {
    const manager_o *old_manager = migration->old_world->managers.items[id - 1],
                    *new_manager = world_find_manager(migration->new_world, old_manager->schema.name);
    if (new_manager && old_manager->count > 0)
      report_late_renames(migration, &old_manager->schema, &new_manager->schema);
  }
}

// --- kept components: components that no file and no plugin of the new version declares, but that contain data. They
// stay in the world, with their rows, until a file or a plugin declares them again: a file may be missing only for a
// moment, for example while a folder is replaced. Scripts cannot use them; SQL, saves and the cockpit show them
// (schema_is_kept).

static bool has_default_values(const columns_t *columns) {
  for (uint32_t k = 0; k < columns->column_count; ++k)
    if (columns_get(columns, 0, k) != columns->initial[k])
      return false;
  return true;
}

static bool has_data(const manager_o *m) {
  bool has_storage = m->foreign_storage.bytes || m->hooks.save_bytes;
  return has_storage || (m->count > 0 && (m->schema.kind != SCHEMA_SINGLE || !has_default_values(&m->columns)));
}

static size_t count_bytes(const manager_o *m) {
  size_t bytes = sizeof(shoal_entity);
  for (uint32_t k = 0; k < m->columns.column_count; ++k)
    bytes += m->columns.element_bytes[k];
  return bytes * m->count;
}

// Writes "gold: no file declares it: 10 rows wait for components/gold.lua (80 bytes)".
static void report_kept(const manager_o *m, schema_migrate_log_t log_line, void *context) {
  char line[sizeof m->schema.name + sizeof m->schema.origin + 128], rows[48] = "its values wait";
  bool is_from_plugin = strncmp(m->schema.origin, "plugin ", strlen("plugin ")) == 0;
  if (m->schema.kind != SCHEMA_SINGLE)
    snprintf(rows, sizeof rows, "%u row%s", m->count, m->count == 1 ? " waits" : "s wait");
  snprintf(line, sizeof line, "%s: no %s declares it: %s for %s%s (%zu bytes)", m->schema.name,
           is_from_plugin ? "plugin" : "file", rows, is_from_plugin ? "the " : "", m->schema.origin, count_bytes(m));
  if (log_line)
    log_line(context, line);
}

// Declares in `new_world` the missing components of `old_world` that have rows or storage of their own or, as
// singletons, values that differ from the defaults. Omits built-in components, and components that `new_world` declares
// as renamed or removed (world_declare_renamed_field, world_declare_removed_component). Calls `log_line` (may be NULL)
// for each component that was not kept before.
static void declare_kept_components(world_o *old_world, world_o *new_world, schema_migrate_log_t log_line,
                                    void *context) {
  for (uint32_t id = 1; id <= old_world->managers.count; ++id) {
    const manager_o *m = world_manager(old_world, id);
    bool is_kept = schema_is_kept(&m->schema), is_builtin = strcmp(m->schema.origin, "C") == 0;
    if (is_builtin || !has_data(m) || world_find_manager(new_world, m->schema.name) ||
        world_is_component_renamed_to(new_world, m->schema.name, 0) ||
        world_is_component_removed(new_world, m->schema.name))
      continue;
    schema_t copy = m->schema; // a shallow copy that shares the strings of the original
    if (!is_kept)
      snprintf(copy.origin, sizeof copy.origin, SCHEMA_KEPT_ORIGIN "%.100s", m->schema.origin);
    if (world_declare_schema(new_world, &copy, NULL) != 0 && !is_kept)
      report_kept(m, log_line, context);
  }
}

// --- migration

static bool migrate_contents(world_migration_t *migration, error_info_t *error) {
  const world_migrate_desc_t *desc = migration->desc;
  schema_migrate_desc_t options = {
      .log_line = desc->log_line, .log_context = desc->log_context, .report = &migration->report};
  state_install_desc_t install_desc = {.regroup = true, .wake = true, .keep_marks = true};
  install_desc.log_line = desc->log_line;
  install_desc.log_context = desc->log_context;
  declare_kept_components(migration->old_world, migration->new_world, desc->log_kept ? desc->log_kept : desc->log_line,
                          desc->log_context);
  if (!state_migrate(migration->view, migration->new_world, &options, error) ||
      !state_install(migration->view, migration->new_world, &install_desc, error) || !derive_marks(migration) ||
      !schema_migrate_run(&migration->report, migration->new_world, desc->migrate, desc->migrate_context, error))
    return false;
  // `migrate` functions write columns in place.
  world_clamp_all(migration->new_world, desc->log_line, desc->log_context);
  if (!assemblage_merge_run(migration->old_world, migration->new_world, desc->log_line, desc->log_context,
                            &migration->counts.merge, error))
    return false;
  world_add_all_required(migration->new_world);
  report_all_late_renames(migration);
  return true;
}

bool world_migrate(world_o *old_world, world_o *new_world, const world_migrate_desc_t *desc,
                   world_migrate_counts_t *counts, error_info_t *error) {
  static const world_migrate_desc_t no_options = {0};
  world_migration_t migration = {.old_world = old_world, .new_world = new_world, .desc = desc ? desc : &no_options};
  shoal_assert(!world_is_deferring(old_world) && !world_is_deferring(new_world),
               "cannot migrate a world during a tick");
  shoal_assert(old_world != new_world, "old_world and new_world must be different worlds");
  snapshot_o *snapshot = migration.desc->state ? NULL : snapshot_create(&new_world->allocator);
  if (!snapshot || snapshot_take(snapshot, old_world, error))
    migration.view = state_open(snapshot ? snapshot : migration.desc->state, &new_world->allocator, error);
  reverse_renames_t reversed = {0};
  reverse_renames_declare(old_world, new_world, &reversed);
  bool succeeded = migration.view && migrate_contents(&migration, error);
  migration.counts.reversed = reverse_renames_end(new_world, &reversed, migration.desc->forgets_reversed);
  state_close(migration.view);
  snapshot_release(snapshot);
  migration.counts.schemas = migration.report.counts;
  if (counts)
    *counts = migration.counts;
  schema_migrate_report_free(&migration.report);
  return succeeded;
}
