// API functions for entities, components, values and events. They check whether the plugin may make the call, and
// then call the function of access/access.h.
#include "service/api.h"
#include "service/permissions.h"

#include "plugin/system_part.h"
#include "plugin/plugin.h"

// --- entities

uint32_t api_spawn_many(shoal_world *w, const char *assemblage, uint32_t count, shoal_entity *out) {
  context_t *x = context_of_world(w);
  if (!service_check_runs_alone(x, "a system with .concurrent cannot spawn") || !service_check_may_change(x))
    return 0;
  if (x->where == WHERE_PART)
    return access_fail("a parallel system cannot spawn: emit an event, and spawn in a system that reads the event"), 0;
  uint32_t made = world_access_spawn_many(w, assemblage, count, out);
  if (made == 0 && count > 0)
    log_error(x->plugins->desc.log, "plugin %s: %s", x->plugin->name, access_error_text());
  return made;
}

bool api_destroy_many(shoal_world *w, const shoal_entity *entities, uint32_t count) {
  return service_check_may_command(context_of_world(w)) && world_access_destroy_many(w, entities, count);
}

// --- components and values

static bool check_may_write(shoal_world *w, const shoal_component *component) {
  context_t *x = context_of_world(w);
  return service_find_component(x, component) && service_check_may_command(x);
}

static bool check_may_read(shoal_world *w, const shoal_component *component) {
  context_t *x = context_of_world(w);
  const access_binding_t *b = service_find_component(x, component);
  return b && service_check_may_access(x, b);
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

const char *api_column_string(shoal_world *w, const shoal_component *component, uint32_t column, uint32_t number) {
  return service_find_component(context_of_world(w), component)
             ? world_access_column_string(w, component, column, number)
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

// --- events

static bool check_may_emit(context_t *x, const access_binding_t *b, uint32_t count) {
  if (!b || !service_check_may_change(x))
    return false;
  if (count > SHOAL_MAX_EMIT)
    service_warn(x, "shoal_emit_begin: too many rows (at most SHOAL_MAX_EMIT): emit them in several calls");
  if (x->where != WHERE_PART && b->filling > 0)
    service_warn(x, "shoal_emit_begin was called again without shoal_emit_end: the previous rows were dropped");
  return count <= SHOAL_MAX_EMIT;
}

void *const *api_emit_begin(shoal_world *w, const shoal_component *event, uint32_t count) {
  context_t *x = context_of_world(w);
  const access_binding_t *b = service_find_event(x, event);
  if (!check_may_emit(x, b, count))
    return NULL;
  return x->where == WHERE_PART ? plugin_part_emit_events(x, b, count) : world_access_emit_begin(w, event, count);
}

bool api_emit_end(shoal_world *w, const shoal_component *event) {
  context_t *x = context_of_world(w);
  return service_find_event(x, event) && (x->where == WHERE_PART || world_access_emit_end(w, event));
}

// Returns the binding of an event that the call may read. Otherwise fails the call or sets shoal_last_error, and
// returns NULL.
static access_binding_t *find_readable_event(shoal_world *w, const shoal_component *event) {
  context_t *x = context_of_world(w);
  access_binding_t *b = service_find_event(x, event);
  if (!service_check_runs_alone(x, "a system with .concurrent cannot read events") || !b)
    return NULL;
  if (x->run && x->where != WHERE_PART)
    return b;
  access_fail("events cannot be read here: read them in a system that is not parallel");
  return NULL;
}

// Returns the events that the system has not read yet. The events are marked as read once the system has run without a
// failure, except in the render phase (plugin/system.c).
shoal_rows api_read_events(shoal_world *w, const shoal_component *event) {
  context_t *x = context_of_world(w);
  access_binding_t *b = find_readable_event(w, event);
  if (!b)
    return (shoal_rows){0};
  uint64_t next = 0;
  uint32_t reader = strings_find(world_strings(x->plugins->world), x->run->name);
  b->next_unread = world_reader_position(x->plugins->world, reader, b->event->id);
  return access_open_event(&x->plugin->access, b, &next);
}

bool api_event_get_instance(shoal_world *w, const shoal_component *event, shoal_entity e,
                            const shoal_component *component, const char *instance, uint32_t column, double *value) {
  return find_readable_event(w, event) && check_may_read(w, component) &&
         world_access_event_get_instance(w, event, e, component, instance, column, value);
}

const char *api_event_entity_state(shoal_world *w, const shoal_component *event, shoal_entity e) {
  return find_readable_event(w, event) ? world_access_event_entity_state(w, event, e) : "";
}
