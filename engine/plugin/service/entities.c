// API functions for entities, components, values and events. They check whether the plugin may make the call, and
// then call the function of access/access.h.
#include "service/api.h"
#include "service/permissions.h"

#include "plugin/system_part.h"
#include "plugin/plugin.h"
#include "plugin/system_binding.h"

// --- entities

uint32_t api_spawn_many(shoal_world *w, const char *assemblage, uint32_t count, shoal_entity *out) {
  context_t *context = context_of_world(w);
  if (!service_check_runs_alone(context, "a system with .concurrent cannot spawn") ||
      !service_check_may_change(context))
    return 0;
  if (context->call_kind == PLUGIN_CALL_PART)
    return context_fail(context,
                        "a parallel system cannot spawn: emit an event, and spawn in a system that reads the event"),
           0;
  uint32_t spawned = world_access_spawn_many(w, assemblage, count, out);
  if (spawned == 0 && count > 0)
    log_error(context->plugins->desc.log, "plugin %s: %s", context->plugin->name, access_error_text());
  return spawned;
}

bool api_destroy_many(shoal_world *w, const shoal_entity *entities, uint32_t count) {
  return service_check_may_command(context_of_world(w)) && world_access_destroy_many(w, entities, count);
}

// --- components and values

static bool check_may_write(shoal_world *w, const shoal_component *component) {
  context_t *context = context_of_world(w);
  return service_find_component(context, component) && service_check_may_command(context);
}

static bool check_may_read(shoal_world *w, const shoal_component *component) {
  context_t *context = context_of_world(w);
  const access_binding_t *binding = service_find_component(context, component);
  return binding && service_check_may_access(context, binding);
}

bool api_has(shoal_world *w, shoal_entity e, const shoal_component *component) {
  return check_may_read(w, component) && world_access_has(w, e, component);
}

bool api_add_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance) {
  return check_may_write(w, component) && world_access_add_instance(w, e, component, instance);
}

bool api_remove_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance) {
  return check_may_write(w, component) && world_access_remove_instance(w, e, component, instance);
}

static bool check_row_is_identified(shoal_world *w, const shoal_component *component, const char *instance) {
  if (!component || component->kind != SHOAL_KIND_MANY || instance)
    return true;
  service_warn(context_of_world(w), "shoal_set cannot write SHOAL_MANY components: use shoal_set_instance");
  return false;
}

bool api_set_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance,
                      uint32_t column, double value) {
  return check_row_is_identified(w, component, instance) && check_may_write(w, component) &&
         world_access_set_instance(w, e, component, instance, column, value);
}

bool api_set_string_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance,
                             uint32_t column, const char *text) {
  return check_row_is_identified(w, component, instance) && check_may_write(w, component) &&
         world_access_set_string_instance(w, e, component, instance, column, text);
}

const char *api_get_column_string(shoal_world *w, const shoal_component *component, uint32_t column, uint32_t number) {
  return service_find_component(context_of_world(w), component)
             ? world_access_get_column_string(w, component, column, number)
             : "";
}

bool api_set_struct(shoal_world *w, shoal_entity e, const shoal_component *component, const void *values, size_t size) {
  return check_row_is_identified(w, component, NULL) && check_may_write(w, component) &&
         world_access_set_struct(w, e, component, values, size);
}

bool api_get_instance(shoal_world *w, shoal_entity e, const shoal_component *component, const char *instance,
                      uint32_t column, double *value) {
  return check_may_read(w, component) && world_access_get_instance(w, e, component, instance, column, value);
}

bool api_get_struct(shoal_world *w, shoal_entity e, const shoal_component *component, void *values, size_t size) {
  return check_may_read(w, component) && world_access_get_struct(w, e, component, values, size);
}

// --- pairs

static bool is_found(shoal_world *w, const shoal_component *relation) {
  return service_find_component(context_of_world(w), relation) != NULL;
}

bool api_add_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target) {
  return is_found(w, relation) && world_access_add_pair(w, e, relation, target);
}

bool api_remove_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target) {
  return is_found(w, relation) && world_access_remove_pair(w, e, relation, target);
}

bool api_has_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target) {
  return is_found(w, relation) && world_access_has_pair(w, e, relation, target);
}

const char *api_pair_instance(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target) {
  return is_found(w, relation) ? world_access_pair_instance(w, e, relation, target) : NULL;
}

uint32_t api_find_pair_row(shoal_world *w, const shoal_component *relation, shoal_entity e, shoal_entity target) {
  return is_found(w, relation) ? world_access_find_pair_row(w, relation, e, target) : SHOAL_NO_ROW;
}

bool api_set_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target, uint32_t column,
                  double value) {
  return is_found(w, relation) && world_access_set_pair(w, e, relation, target, column, value);
}

bool api_get_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target, uint32_t column,
                  double *value) {
  return is_found(w, relation) && world_access_get_pair(w, e, relation, target, column, value);
}

bool api_set_pair_struct(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                         const void *values, size_t size) {
  return is_found(w, relation) && world_access_set_pair_struct(w, e, relation, target, values, size);
}

bool api_get_pair_struct(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                         void *values, size_t size) {
  return is_found(w, relation) && world_access_get_pair_struct(w, e, relation, target, values, size);
}

uint32_t api_get_targets(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity *out,
                         uint32_t capacity) {
  return is_found(w, relation) ? world_access_get_targets(w, e, relation, out, capacity) : 0;
}

uint32_t api_get_referrers(shoal_world *w, shoal_entity target, const shoal_component *component, uint32_t column,
                           shoal_entity *out, uint32_t capacity) {
  return is_found(w, component) ? world_access_get_referrers(w, target, component, column, out, capacity) : 0;
}

// --- events

static bool check_may_emit(context_t *context, const access_binding_t *binding, uint32_t count) {
  if (!binding || !service_check_may_change(context))
    return false;
  if (count > SHOAL_MAX_EMIT_ROWS)
    service_warn(context, "shoal_emit_begin: too many rows (at most SHOAL_MAX_EMIT_ROWS): emit them in several calls");
  if (context->call_kind != PLUGIN_CALL_PART && binding->emit_row_count > 0)
    service_warn(context, "shoal_emit_begin was called again without shoal_emit_end: the previous rows were dropped");
  return count <= SHOAL_MAX_EMIT_ROWS;
}

void *const *api_emit_begin(shoal_world *w, const shoal_component *event, uint32_t count) {
  context_t *context = context_of_world(w);
  const access_binding_t *binding = service_find_event(context, event);
  if (!check_may_emit(context, binding, count))
    return NULL;
  return world_access_emit_begin(w, event, count);
}

bool api_emit_end(shoal_world *w, const shoal_component *event) {
  context_t *context = context_of_world(w);
  return service_find_event(context, event) && world_access_emit_end(w, event);
}

// Returns the binding of an event that the call may read. Otherwise fails the call or sets shoal_last_error, and
// returns NULL.
static access_binding_t *find_readable_event(shoal_world *w, const shoal_component *event) {
  context_t *context = context_of_world(w);
  access_binding_t *binding = service_find_event(context, event);
  if (!service_check_runs_alone(context, "a system with .concurrent cannot read events") || !binding)
    return NULL;
  if (context->run && context->call_kind != PLUGIN_CALL_PART)
    return binding;
  access_fail("events cannot be read here: read them in a system that is not parallel");
  return NULL;
}

// Returns the events that the system has not read yet. The events are marked as read once the system has run without a
// failure, except in the render phase (plugin/system.c).
shoal_rows api_read_events(shoal_world *w, const shoal_component *event) {
  context_t *context = context_of_world(w);
  access_binding_t *binding = find_readable_event(w, event);
  if (!binding)
    return (shoal_rows){0};
  uint64_t end = 0;
  uint32_t reader = strings_find(world_strings(context->plugins->world), context->run->name);
  binding->next_unread = world_reader_position(context->plugins->world, reader, binding->event->id);
  return access_open_event(&context->plugin->access, binding, &end);
}

bool api_event_get_instance(shoal_world *w, const shoal_component *event, shoal_entity e,
                            const shoal_component *component, const char *instance, uint32_t column, double *value) {
  return find_readable_event(w, event) && check_may_read(w, component) &&
         world_access_event_get_instance(w, event, e, component, instance, column, value);
}

const char *api_event_entity_state(shoal_world *w, const shoal_component *event, shoal_entity e) {
  return find_readable_event(w, event) ? world_access_event_entity_state(w, event, e) : "";
}
