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

// Returns the events that the system has not read yet. The events are marked as read once the system has run without a
// failure, except in the render phase (plugin/system.c).
shoal_rows api_read_events(shoal_world *w, const shoal_component *event) {
  context_t *context = context_of_world(w);
  access_binding_t *binding = service_find_readable_event(w, event);
  if (!binding)
    return (shoal_rows){0};
  uint64_t end = 0;
  uint32_t reader = strings_find(world_strings(context->plugins->world), context->run->name);
  binding->next_unread = world_reader_position(context->plugins->world, reader, binding->event->id);
  return access_open_event(&context->plugin->access, binding, &end);
}
