// API functions for components by name, rows and columns, strings, and change counters.
#include "service/api.h"
#include "service/permissions.h"

#include "ecs/changes.h"
#include "plugin/binding.h"
#include "plugin/plugin.h"
#include "plugin/system_binding.h"

#include <stdio.h>
#include <string.h>

void *api_manager_data(shoal_context *c, const shoal_component *component) {
  context_t *x = context_of(c);
  access_binding_t *b = service_find_component(x, component);
  void *self = b ? ((component_binding_t *)(void *)b)->self : NULL;
  return !self || service_check_may_access(x, b) ? self : NULL;
}

bool api_declare(shoal_world *w, const shoal_component *component) {
  return service_find_component(context_of_world(w), component) && world_access_declare(w, component);
}

// In systems with .concurrent, finds only components in .reads that are not part of the query, because these were
// looked up when the system was bound. In parallel systems without .concurrent, finds nothing.
const shoal_component *api_find_component(shoal_world *w, const char *name) {
  context_t *x = context_of_world(w);
  if (x->where != WHERE_PART)
    return world_access_find_component(w, name);
  for (uint32_t i = 0; name && i < x->run->tables.count; ++i)
    if (strcmp(x->run->tables.items[i].bound->component->name, name) == 0)
      return x->run->tables.items[i].bound->component;
  return access_fail("parallel and .concurrent systems must name %.60s in .reads", name ? name : ""), NULL;
}

shoal_rows api_get_rows(shoal_world *w, const shoal_component *component) {
  context_t *x = context_of_world(w);
  const access_binding_t *b = service_find_component(x, component);
  return b && service_check_may_access(x, b) ? world_access_get_rows(w, component) : (shoal_rows){0};
}

bool api_find_rows(shoal_world *w, const shoal_component *component, const shoal_entity *entities, uint32_t count,
                   uint32_t *out) {
  context_t *x = context_of_world(w);
  bool allowed = x->where != WHERE_ENDED && service_find_component(x, component);
  return world_access_find_rows(w, allowed ? component : NULL, entities, count, out);
}

uint32_t api_find_instance_row(shoal_world *w, const shoal_component *component, shoal_entity e, const char *instance) {
  return service_find_named(context_of_world(w), "shoal_find_instance_row", component)
             ? world_access_find_instance_row(w, component, e, instance)
             : SHOAL_NO_ROW;
}

// Returns the string id of a row's instance name; 0 after failing the call. `v` is an open view, or the view of the
// running system.
uint32_t api_row_instance(shoal_world *w, const shoal_view *v, const shoal_component *component, uint32_t row) {
  context_t *x = context_of_world(w);
  const access_binding_t *b = service_find_named(x, "shoal_row_instance", component);
  if (!b)
    return 0;
  bool own = v && x->run && (x->where == WHERE_PART || v->terms == x->run->rows.shown);
  const query_o *q = own ? x->run->rows.query : access_find_open_query(&x->plugin->access, v);
  bool there = q && row < v->count;
  uint32_t id = there ? access_row_instance(q, b, v->first + row) : 0;
  if (!there)
    access_fail(q ? "row %u is out of range (count %u)" : "the view is not open: pass a view from shoal_query_begin",
                row, v ? v->count : 0);
  if (access_error_text()[0])
    context_fail(x, "shoal_row_instance: %.400s", access_error_text());
  return id;
}

// --- strings

uint32_t api_intern(shoal_world *w, const char *text) {
  context_t *x = context_of_world(w);
  bool may_add = x->where == WHERE_SYSTEM || x->where == WHERE_FUNCTION || x->where == WHERE_PRESS;
  return may_add ? world_access_intern(w, text) : strings_find(world_strings(x->plugins->world), text ? text : "");
}

// --- change counters; observers are systems of the schedule (plugin/system.c)

uint64_t api_change_count(shoal_context *c, const shoal_component *component) {
  context_t *x = context_of(c);
  const access_binding_t *b = component ? access_find_binding(&x->plugin->access, component) : NULL;
  if (b && b->manager)
    return changes_count(x->plugins->world, b->manager->id);
  context_fail(x, "shoal_change_count: undeclared component %.60s: name it in .components or .uses",
               component ? component->name : "NULL");
  return 0;
}
