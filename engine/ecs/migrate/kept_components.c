// Declares components of the old world that the new version lacks.
#include "migrate/kept_components.h"

#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

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
static void report(const manager_o *m, schema_migrate_log_t log_line, void *context) {
  char line[sizeof m->schema.name + sizeof m->schema.origin + 128], rows[48] = "its values wait";
  bool is_from_plugin = strncmp(m->schema.origin, "plugin ", strlen("plugin ")) == 0;
  if (m->schema.kind != SCHEMA_SINGLE)
    snprintf(rows, sizeof rows, "%u row%s", m->count, m->count == 1 ? " waits" : "s wait");
  snprintf(line, sizeof line, "%s: no %s declares it: %s for %s%s (%zu bytes)", m->schema.name,
           is_from_plugin ? "plugin" : "file", rows, is_from_plugin ? "the " : "", m->schema.origin, count_bytes(m));
  if (log_line)
    log_line(context, line);
}

void kept_components_declare(world_o *old_world, world_o *new_world, schema_migrate_log_t log_line, void *context) {
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
      report(m, log_line, context);
  }
}
