// The enabled rows of a component: all rows that `e:disable` has not disabled. Used by bundled plugins that iterate
// over rows directly instead of through a query.
#ifndef SHOAL_PLUGINS_ENABLED_ROWS_H
#define SHOAL_PLUGINS_ENABLED_ROWS_H

#include "scratch_array.h"

#include <shoal/plugin.h>

#include <string.h>

// Maps the rows of a component to consecutive indices of its enabled rows.
typedef struct enabled_rows_t {
  uint32_t *indices; // index among the enabled rows, or SHOAL_NO_ROW if the row is disabled; indexed by row
  uint32_t row_count, capacity;
  uint32_t count; // number of enabled rows
} enabled_rows_t;

static inline void enabled_rows_free(enabled_rows_t *enabled) {
  free(enabled->indices);
  *enabled = (enabled_rows_t){0};
}

// Numbers the enabled rows. A disabled component is a row of the component `disabled`, with the name of the component,
// or "entity" for the whole entity. Main thread only.
static inline void enabled_rows_read(enabled_rows_t *enabled, shoal_context *c, const shoal_component *component) {
  shoal_world *w = shoal_get_world(c);
  const shoal_component *disabled = shoal_find_component(w, "disabled");
  shoal_rows rows = shoal_get_rows(w, component), disabled_rows = shoal_get_rows(w, disabled);
  enabled->row_count = enabled->count = rows.count;
  GROW(enabled->indices, enabled->capacity, enabled->row_count);
  for (uint32_t i = 0; i < enabled->row_count; ++i)
    enabled->indices[i] = i;
  for (uint32_t i = 0; i < disabled_rows.count; ++i) {
    const char *disabled_name = shoal_string(w, disabled_rows.instances[i]);
    bool is_match = strcmp(disabled_name, component->name) == 0 || strcmp(disabled_name, "entity") == 0;
    uint32_t row = is_match ? shoal_find_row(w, component, disabled_rows.entities[i]) : SHOAL_NO_ROW;
    if (row < enabled->row_count)
      enabled->indices[row] = SHOAL_NO_ROW;
  }
  if (disabled_rows.count == 0)
    return;
  // If the first row of an entity is disabled, all rows of the entity are disabled.
  for (uint32_t i = 0; component->kind == SHOAL_KIND_MANY && i < enabled->row_count; ++i)
    if (enabled->indices[shoal_find_row(w, component, rows.entities[i])] == SHOAL_NO_ROW)
      enabled->indices[i] = SHOAL_NO_ROW;
  enabled->count = 0;
  for (uint32_t i = 0; i < enabled->row_count; ++i)
    if (enabled->indices[i] != SHOAL_NO_ROW)
      enabled->indices[i] = enabled->count++;
}

// Returns the index of `row` among the enabled rows, or SHOAL_NO_ROW if the row is disabled or `row` is SHOAL_NO_ROW.
static inline uint32_t enabled_rows_index(const enabled_rows_t *enabled, uint32_t row) {
  return row < enabled->row_count ? enabled->indices[row] : SHOAL_NO_ROW;
}

#endif
