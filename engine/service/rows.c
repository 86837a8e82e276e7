// Components by name and their rows and columns.
#include "service/api.h"
#include "service/may.h"

#include "plugin/plugin.h"

#include <string.h>

void *api_self(shoal_context *c, const shoal_component *component) {
  const bound_t *b = service_find(context_of(c), component);
  return b && (!b->self || service_may_reach(context_of(c), b)) ? b->self : NULL;
}

// What .reads names has been found before the first part runs.
const shoal_component *api_find(shoal_context *c, const char *name) {
  context_t *x = context_of(c);
  bound_t *b = name && x->where != WHERE_PART ? plugin_find_component(x->plugin, name) : NULL;
  for (uint32_t i = 0; name && x->where == WHERE_PART && !b && i < x->run->tables.count; ++i)
    if (strcmp(x->run->tables.items[i].bound->component->name, name) == 0)
      b = x->run->tables.items[i].bound;
  return b ? b->component : NULL;
}

shoal_table api_rows_of(shoal_context *c, const shoal_component *component) {
  context_t *x = context_of(c);
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

void api_rows(shoal_context *c, const shoal_component *component, const shoal_entity *entities, uint32_t count,
              uint32_t *out) {
  const context_t *x = context_of(c);
  bool reads = x->where != WHERE_NOWHERE && entities;
  const bound_t *b = reads ? service_find_rows(context_of(c), component) : NULL;
  for (uint32_t i = 0; out && i < count; ++i)
    out[i] = b ? manager_row(b->manager, entities[i]) : SHOAL_NO_ROW;
}
