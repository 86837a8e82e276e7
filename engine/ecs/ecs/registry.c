// Looks up declarations by id or name: components, singletons, events, queries.
#include "ecs/registry.h"

#include "base/hash.h"
#include "ecs/world_internal.h"

#include <string.h>

manager_o *world_manager(world_o *w, uint32_t id) {
  return id != 0 && id <= w->managers.count ? w->managers.items[id - 1] : NULL;
}

manager_o *world_find_manager(world_o *w, const char *name) {
  uint64_t hash = hash_text(name);
  for (uint32_t at = 0, id; (id = hash_table_find_next(&w->manager_names, hash, &at)) != 0;)
    if (strcmp(w->managers.items[id - 1]->schema.name, name) == 0)
      return w->managers.items[id - 1];
  return NULL;
}

manager_o *world_find_manager_by_path(world_o *w, const char *path, const char **field) {
  char name[COMPONENT_NAME_MAX];
  const char *dot = strchr(path, '.');
  for (int part = 0; dot && part < 2; ++part, dot = strchr(dot + 1, '.')) {
    size_t length = (size_t)(dot - path);
    if (length >= sizeof name)
      break;
    memcpy(name, path, length);
    name[length] = '\0';
    manager_o *m = world_find_manager(w, name);
    if (!m)
      continue;
    *field = dot + 1;
    return m;
  }
  return NULL;
}

uint32_t world_manager_count(const world_o *w) {
  return w->managers.count;
}

event_o *world_event(world_o *w, uint32_t id) {
  return id != 0 && id <= w->events.count ? &w->events.items[id - 1]->shared : NULL;
}

event_o *world_find_event(world_o *w, const char *name) {
  for (uint32_t i = 0; i < w->events.count; ++i)
    if (strcmp(w->events.items[i]->shared.schema.name, name) == 0)
      return &w->events.items[i]->shared;
  return NULL;
}

uint32_t world_event_count(const world_o *w) {
  return w->events.count;
}

uint32_t world_query_count(const world_o *w) {
  return w->queries.count;
}

query_o *world_query_by_id(world_o *w, uint32_t id) {
  return id != 0 && id <= w->queries.count ? w->queries.items[id - 1] : NULL;
}

void get_declared_defaults(world_o *w, const schema_t *schema, double *initial) {
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    const field_t *f = &schema->fields[i];
    initial[i] = field_is_text(f) ? strings_intern(w->strings, f->initial_text) : f->initial;
  }
}
