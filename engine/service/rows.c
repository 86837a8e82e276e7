// Components by name and their rows and columns.
#include "service/api.h"
#include "service/may.h"

#include "plugin/plugin.h"

#include <string.h>

void *api_self(shoal_context *c, const shoal_component *component) {
  const bound_t *b = service_find(context_of(c), component);
  return b && (!b->self || service_may_reach(context_of(c), b)) ? b->self : NULL;
}

bool api_declare(shoal_world *world, const shoal_component *component) {
  return service_find(context_of_world(world), component) != NULL;
}

// What .reads names has been found before the first part runs.
const shoal_component *api_component_named(shoal_world *world, const char *name) {
  context_t *x = context_of_world(world);
  bound_t *b = name && x->where != WHERE_PART ? plugin_find_component(x->plugin, name) : NULL;
  for (uint32_t i = 0; name && x->where == WHERE_PART && !b && i < x->run->tables.count; ++i)
    if (strcmp(x->run->tables.items[i].bound->component->name, name) == 0)
      b = x->run->tables.items[i].bound;
  return b ? b->component : NULL;
}

shoal_table api_rows_of(shoal_world *world, const shoal_component *component) {
  context_t *x = context_of_world(world);
  bound_t *b = service_find_rows(x, component);
  if (!b || !service_may_reach(x, b))
    return (shoal_table){0};
  if (x->where != WHERE_PART) {
    bound_refresh(b);
    bound_note_links(b);
  }
  const manager_o *m = b->manager;
  return (shoal_table){.count = m->count,
                       .owners = m->schema.kind == SCHEMA_SINGLE ? NULL : m->owner,
                       .instances = m->instance,
                       .columns = b->data};
}

bool api_rows(shoal_world *world, const shoal_component *component, const shoal_entity *entities, uint32_t count,
              uint32_t *out) {
  context_t *x = context_of_world(world);
  bool reads = x->where != WHERE_NOWHERE && entities;
  const bound_t *b = reads ? service_find_rows(x, component) : NULL;
  for (uint32_t i = 0; out && i < count; ++i)
    out[i] = b ? manager_row(b->manager, entities[i]) : SHOAL_NO_ROW;
  return b != NULL;
}
