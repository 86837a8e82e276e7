// Formats entity names for messages.
#include "components/name.h"

#include <stdio.h>

char *name_describe(world_o *w, shoal_entity entity, char *out, size_t out_bytes) {
  const manager_o *manager = world_find_manager(w, "name");
  uint32_t row = manager != NULL ? manager_row(manager, entity) : ROW_NONE;
  uint32_t index = shoal_entity_index(entity), generation = shoal_entity_generation(entity);
  if (row != ROW_NONE) {
    uint32_t text = ((const uint32_t *)manager_column(manager, SHOAL_COLUMN_INDEX(name, value)))[row];
    snprintf(out, out_bytes, "entity(%u:%u \"%s\")", index, generation, strings_text(world_strings(w), text));
  } else {
    snprintf(out, out_bytes, "entity(%u:%u)", index, generation);
  }
  return out;
}
