// Lookups in the rows of one component.
#include "ecs/manager.h"

#include "base/assert.h"
#include "ecs/world_internal.h"

uint32_t manager_find_instance_row(const manager_o *m, shoal_entity e, uint32_t instance) {
  uint32_t row = manager_row(m, e);
  if (m->schema.kind != SCHEMA_MANY)
    return instance == 0 ? row : ROW_NONE;
  while (row != ROW_NONE && m->instance[row] != instance)
    row = m->next[row];
  return row;
}

int32_t manager_find_column(const manager_o *m, const char *field) {
  return schema_find_field(&m->schema, field);
}

void manager_compute_derived_field(const manager_o *m, uint32_t field, const uint32_t *rows, uint32_t first,
                                   uint32_t count, void *out) {
  shoal_assert(field >= m->schema.field_count && field < m->schema.field_count + m->schema.derived_count,
               "field %u of %s is not derived", field, m->schema.name);
  shoal_assert(m->hooks.derive, "no derive hook for %s.%s", m->schema.name, m->schema.fields[field].name);
  shoal_assert(rows || first + count <= m->count, "rows %u … %u of %s are out of range (count %u)", first,
               first + count, m->schema.name, m->count);
  if (m->hooks.derive && count > 0)
    m->hooks.derive(m->hooks.context, m, field, rows, first, count, out);
}

void *manager_reserve_workspace(const manager_o *m, manager_workspace_t *workspace, size_t bytes) {
  if (bytes > workspace->bytes) {
    size_t capacity = bytes + bytes / 4;
    workspace->memory = alloc_resize(&m->world->allocator, workspace->memory, workspace->bytes, capacity);
    workspace->bytes = capacity;
  }
  return workspace->memory;
}
