// Names of components that are others now (world_alias).
#include "base/assert.h"
#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

void world_aliases_clear(world_o *w) {
  w->aliases.count = 0;
}

void world_alias(world_o *w, const char *from, uint32_t manager, uint32_t column, const char *field) {
  shoal_assert(world_manager(w, manager), "%s is an alias of component number %u", from, manager);
  alias_t made = {.manager = manager, .column = column};
  snprintf(made.from, sizeof made.from, "%s", from);
  snprintf(made.field, sizeof made.field, "%s", field);
  array_push(&w->allocator, &w->aliases, made);
}

bool world_alias_names(const world_o *w, const char *from, uint32_t manager) {
  for (uint32_t i = 0; i < w->aliases.count; ++i)
    if (strcmp(w->aliases.items[i].from, from) == 0 && (manager == 0 || w->aliases.items[i].manager == manager))
      return true;
  return false;
}

const char *world_alias_field(const world_o *w, const char *from, uint32_t manager, uint32_t column) {
  for (uint32_t i = 0; i < w->aliases.count; ++i) {
    const alias_t *x = &w->aliases.items[i];
    if (x->manager == manager && x->column == column && strcmp(x->from, from) == 0)
      return x->field;
  }
  return NULL;
}
