// API functions that find components by name, and access rows, columns, strings and change counters.
#include "service/api.h"
#include "service/permissions.h"

#include "ecs/changes.h"
#include "plugin/binding.h"
#include "plugin/plugin.h"
#include "plugin/system_binding.h"

#include <stdio.h>
#include <string.h>

void *api_manager_data(shoal_context *c, const shoal_component *component) {
  context_t *context = context_of(c);
  access_binding_t *binding = service_find_component(context, component);
  void *state = binding ? ((component_binding_t *)(void *)binding)->custom_manager.self : NULL;
  return !state || service_check_may_access(context, binding) ? state : NULL;
}

// In systems with .concurrent, finds only components in .reads that are not part of the query, because these were
// looked up when the system was bound. In parallel systems without .concurrent, finds nothing.
const shoal_component *api_find_component(shoal_world *w, const char *name) {
  context_t *context = context_of_world(w);
  if (context->call_kind != PLUGIN_CALL_PART)
    return world_access_find_component(w, name);
  for (uint32_t i = 0; name && i < context->run->read_rows.count; ++i)
    if (strcmp(context->run->read_rows.items[i].binding->component->name, name) == 0)
      return context->run->read_rows.items[i].binding->component;
  return access_fail("parallel and .concurrent systems must name %.60s in .reads", name ? name : ""), NULL;
}

shoal_rows api_get_rows(shoal_world *w, const shoal_component *component) {
  context_t *context = context_of_world(w);
  access_binding_t *binding = service_find_component(context, component);
  if (!binding || !service_check_may_access(context, binding))
    return (shoal_rows){0};
  bool is_parallel = context->call_kind == PLUGIN_CALL_PART && context->run->def->parallel;
  if (is_parallel && binding->manager) // an event has no manager and is not checked
    part_check_open(context->run, binding);
  return world_access_get_rows(w, component);
}

bool api_find_rows(shoal_world *w, const shoal_component *component, const shoal_entity *entities, uint32_t count,
                   uint32_t *out) {
  context_t *context = context_of_world(w);
  bool allowed = context->call_kind != PLUGIN_CALL_ENDED && service_find_component(context, component);
  return world_access_find_rows(w, allowed ? component : NULL, entities, count, out);
}

// Returns the string id of a row's instance name. On failure, fails the call and returns 0. `view` is an open view, or
// the view of the running system.
uint32_t api_row_instance(shoal_world *w, const shoal_view *view, const shoal_component *component, uint32_t row) {
  context_t *context = context_of_world(w);
  const access_binding_t *binding = service_find_named(context, "shoal_row_instance", component);
  if (!binding)
    return 0;
  bool is_own_view =
      view && context->run && (context->call_kind == PLUGIN_CALL_PART || view->terms == context->run->rows.shown);
  const query_o *query =
      is_own_view ? context->run->rows.query : access_find_open_query(&context->plugin->access, view);
  bool in_range = query && row < view->count;
  uint32_t id = in_range ? access_row_instance(query, binding, view->first + row) : 0;
  if (!in_range)
    access_fail(query ? "row %u is out of range (count %u)"
                      : "the view is not open: pass a view from shoal_query_begin",
                row, view ? view->count : 0);
  if (access_error_text()[0])
    context_fail(context, "shoal_row_instance: %.400s", access_error_text());
  return id;
}

// --- strings

uint32_t api_intern(shoal_world *w, const char *text) {
  context_t *context = context_of_world(w);
  bool can_add = context->call_kind == PLUGIN_CALL_SYSTEM || context->call_kind == PLUGIN_CALL_FUNCTION ||
                 context->call_kind == PLUGIN_CALL_PRESS;
  return can_add ? world_access_intern(w, text)
                 : strings_find(world_strings(context->plugins->world), text ? text : "");
}

// --- change counters; observers are systems of the schedule (plugin/system.c)

uint64_t api_change_count(shoal_context *c, const shoal_component *component) {
  context_t *context = context_of(c);
  const access_binding_t *binding = component ? access_find_binding(&context->plugin->access, component) : NULL;
  if (binding && binding->manager)
    return changes_count(context->plugins->world, binding->manager->id);
  context_fail(context, "shoal_change_count: undeclared component %.60s: name it in .components or .uses",
               component ? component->name : "NULL");
  return 0;
}
