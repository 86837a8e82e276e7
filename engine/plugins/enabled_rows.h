// Which rows of a component queries see, for the plugins that ship: they go through all rows of theirs, and pass over
// those that are disabled (`e:disable`) as a query would.
#ifndef SHOAL_PLUGINS_ENABLED_ROWS_H
#define SHOAL_PLUGINS_ENABLED_ROWS_H

#include "scratch_array.h"

#include <shoal/plugin.h>

#include <string.h>

// By row of a component: its number among those that are seen.
typedef struct shown_t {
  uint32_t *numbers; // SHOAL_NO_ROW where it is disabled
  uint32_t row_count, capacity;
  uint32_t count; // of those that are seen
} shown_t;

static inline void shown_free(shown_t *s) {
  free(s->numbers);
  *s = (shown_t){0};
}

// Main thread. What is disabled is rows of the component `disabled`, named as what they hide, or "entity".
static inline void shown_read(shown_t *s, shoal_context *c, const shoal_component *component) {
  shoal_world *w = shoal_world_of(c);
  const shoal_component *disabled = shoal_component_named(w, "disabled");
  shoal_table table = shoal_rows_of(w, component), hiding = shoal_rows_of(w, disabled);
  s->row_count = s->count = table.count;
  GROW(s->numbers, s->capacity, s->row_count);
  for (uint32_t i = 0; i < s->row_count; ++i)
    s->numbers[i] = i;
  for (uint32_t i = 0; i < hiding.count; ++i) {
    const char *hidden = shoal_text(w, hiding.instances[i]);
    bool hides = strcmp(hidden, component->name) == 0 || strcmp(hidden, "entity") == 0;
    uint32_t row = hides ? shoal_row(w, component, hiding.owners[i]) : SHOAL_NO_ROW;
    if (row < s->row_count)
      s->numbers[row] = SHOAL_NO_ROW;
  }
  if (hiding.count == 0)
    return;
  for (uint32_t i = 0; component->kind == SHOAL_KIND_MANY && i < s->row_count; ++i) // the first stands for its owner's
    if (s->numbers[shoal_row(w, component, table.owners[i])] == SHOAL_NO_ROW)
      s->numbers[i] = SHOAL_NO_ROW;
  s->count = 0;
  for (uint32_t i = 0; i < s->row_count; ++i)
    if (s->numbers[i] != SHOAL_NO_ROW)
      s->numbers[i] = s->count++;
}

// SHOAL_NO_ROW also for a row that there is not, as SHOAL_NO_ROW itself.
static inline uint32_t shown_number(const shown_t *s, uint32_t row) {
  return row < s->row_count ? s->numbers[row] : SHOAL_NO_ROW;
}

#endif
