// Permissions of plugin code that calls the host: whether it may change the world, and which components it may access.
#include "service/permissions.h"

#include "access/last_error.h"
#include "plugin/system_part.h"
#include "plugin/plugin.h"
#include "plugin/report.h"
#include "plugin/system_binding.h"

#include <stdio.h>

bool service_is_pure_call(const context_t *context) {
  return context->call_kind == PLUGIN_CALL_RENDER || context->call_kind == PLUGIN_CALL_PANEL ||
         (context->call_kind == PLUGIN_CALL_FUNCTION && context->plugin->def->functions[context->function].pure);
}

void service_warn(context_t *context, const char *message) {
  access_fail("%s", message);
  if (context->call_kind == PLUGIN_CALL_PART)
    plugin_part_set_warning(context, message);
  else if (!context->plugins->in_parallel_for) // the log is not thread-safe
    plugin_warn_once(context->plugin, message);
}

bool service_check_may_change(context_t *context) {
  bool allowed = context->call_kind == PLUGIN_CALL_SYSTEM || context->call_kind == PLUGIN_CALL_PART ||
                 context->call_kind == PLUGIN_CALL_FUNCTION || context->call_kind == PLUGIN_CALL_PRESS;
  if (!allowed && context->call_kind == PLUGIN_CALL_PANEL)
    context_fail(context,
                 "a panel cannot change the world while it is drawn: change the world when a button is pressed");
  else if (!allowed)
    service_warn(context, "the world cannot be changed here (loading, manager or render phase): change it in a system");
  return allowed;
}

// Returns true if the call is from a system with .concurrent, even if the system currently runs
// alone.
static bool is_parallel_system(const context_t *context) {
  return context->run && context->run->def && context->run->def->concurrent;
}

bool service_check_runs_alone(context_t *context, const char *message) {
  if (!is_parallel_system(context))
    return true;
  return context_fail(context, "%s", message);
}

bool service_check_may_command(context_t *context) {
  return service_check_may_change(context) &&
         ((is_parallel_system(context) && context->run->def->concurrent_changes) ||
          service_check_runs_alone(
              context,
              "a system with .concurrent must declare .concurrent_changes = true to destroy, add, remove or set"));
}

// Systems with .concurrent must declare every component that they access, so that no other system writes it while they
// run.
bool service_check_may_access(context_t *context, const access_binding_t *binding) {
  char message[2 * COMPONENT_NAME_MAX + 128];
  if (!is_parallel_system(context) || plugin_run_has_manager(context->run, binding))
    return true;
  snprintf(message, sizeof message,
           "cannot read %s: name it in the query or .reads of the system, because the system has .concurrent",
           binding->component->name);
  return service_check_runs_alone(context, message);
}

void service_warn_unknown_component(context_t *context, const shoal_component *component) {
  char message[COMPONENT_NAME_MAX + 128];
  snprintf(message, sizeof message, "undeclared component %.*s: name it in .components or .uses",
           (int)COMPONENT_NAME_MAX, component ? component->name : "NULL");
  service_warn(context, message);
}

const access_binding_t *service_find_named(context_t *context, const char *function, const shoal_component *component) {
  const access_binding_t *binding = component ? access_find_binding(context->access, component) : NULL;
  if (binding && binding->manager && component->kind == SHOAL_KIND_MANY)
    return binding;
  if (component && component->kind != SHOAL_KIND_MANY)
    context_fail(context, "%s: %.60s must be a SHOAL_MANY component", function, component->name);
  else
    context_fail(context, "%s: undeclared component %.60s: name it in .components or .uses", function,
                 component ? component->name : "NULL");
  return NULL;
}

bool service_check_may_read_component(shoal_world *w, const shoal_component *component) {
  context_t *context = context_of_world(w);
  const access_binding_t *binding = service_find_component(context, component);
  return binding && service_check_may_access(context, binding);
}

bool service_check_may_write_component(shoal_world *w, const shoal_component *component) {
  context_t *context = context_of_world(w);
  return service_find_component(context, component) && service_check_may_command(context);
}

bool service_check_may_write_row(shoal_world *w, const shoal_component *component, const char *instance) {
  if (!component || component->kind != SHOAL_KIND_MANY || instance)
    return service_check_may_write_component(w, component);
  service_warn(context_of_world(w), "shoal_set cannot write SHOAL_MANY components: use shoal_set_instance");
  return false;
}

access_binding_t *service_find_readable_event(shoal_world *w, const shoal_component *event) {
  context_t *context = context_of_world(w);
  access_binding_t *binding = service_find_event(context, event);
  if (!service_check_runs_alone(context, "a system with .concurrent cannot read events") || !binding)
    return NULL;
  if (context->run && context->call_kind != PLUGIN_CALL_PART)
    return binding;
  access_fail("events cannot be read here: read them in a system that is not parallel");
  return NULL;
}
