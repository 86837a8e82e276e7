// The enabled rows of a component (those not disabled by `e:disable`), for bundled plugins, which iterate over all
// rows.
#ifndef SHOAL_PLUGINS_ENABLED_ROWS_H
#define SHOAL_PLUGINS_ENABLED_ROWS_H

#include "scratch_array.h"

#include <shoal/plugin.h>

#include <string.h>

// Maps the rows of a component to consecutive indices of its enabled rows.
typedef struct enabled_rows_t {
  uint32_t *numbers; // indexed by row; SHOAL_NO_ROW for disabled rows
  uint32_t row_count, capacity;
  uint32_t count; // number of enabled rows
} enabled_rows_t;

static inline void enabled_rows_free(enabled_rows_t *s) {
  free(s->numbers);
  *s = (enabled_rows_t){0};
}

// Numbers the enabled rows. A disabled component is a row of the component `disabled`, with the name of the component,
// or "entity" for the whole entity. Main thread only.
static inline void enabled_rows_read(enabled_rows_t *s, shoal_context *c, const shoal_component *component) {
  shoal_world *w = shoal_get_world(c);
  const shoal_component *disabled = shoal_find_component(w, "disabled");
  shoal_rows table = shoal_get_rows(w, component), hiding = shoal_get_rows(w, disabled);
  s->row_count = s->count = table.count;
  GROW(s->numbers, s->capacity, s->row_count);
  for (uint32_t i = 0; i < s->row_count; ++i)
    s->numbers[i] = i;
  for (uint32_t i = 0; i < hiding.count; ++i) {
    const char *hidden = shoal_string(w, hiding.instances[i]);
    bool hides = strcmp(hidden, component->name) == 0 || strcmp(hidden, "entity") == 0;
    uint32_t row = hides ? shoal_find_row(w, component, hiding.entities[i]) : SHOAL_NO_ROW;
    if (row < s->row_count)
      s->numbers[row] = SHOAL_NO_ROW;
  }
  if (hiding.count == 0)
    return;
  // If the first row of an entity is disabled, all rows of the entity are disabled.
  for (uint32_t i = 0; component->kind == SHOAL_KIND_MANY && i < s->row_count; ++i)
    if (s->numbers[shoal_find_row(w, component, table.entities[i])] == SHOAL_NO_ROW)
      s->numbers[i] = SHOAL_NO_ROW;
  s->count = 0;
  for (uint32_t i = 0; i < s->row_count; ++i)
    if (s->numbers[i] != SHOAL_NO_ROW)
      s->numbers[i] = s->count++;
}

// Returns the index of `row` among the enabled rows, or SHOAL_NO_ROW if the row is disabled or `row` is SHOAL_NO_ROW.
static inline uint32_t enabled_rows_index(const enabled_rows_t *s, uint32_t row) {
  return row < s->row_count ? s->numbers[row] : SHOAL_NO_ROW;
}

#endif
