// Formats entity names for messages.
#include "components/name.h"

#include <stdio.h>

char *name_describe(world_o *w, shoal_entity e, char *out, size_t out_bytes) {
  const manager_o *m = world_find_manager(w, "name");
  uint32_t row = m != NULL ? manager_row(m, e) : ROW_NONE;
  uint32_t index = shoal_entity_index(e), generation = shoal_entity_generation(e);
  if (row != ROW_NONE) {
    uint32_t text = ((const uint32_t *)manager_column(m, SHOAL_COLUMN_INDEX(name, value)))[row];
    snprintf(out, out_bytes, "entity(%u:%u \"%s\")", index, generation, strings_text(world_strings(w), text));
  } else {
    snprintf(out, out_bytes, "entity(%u:%u)", index, generation);
  }
  return out;
}
