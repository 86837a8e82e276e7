// Permissions of plugin code that calls the host: whether it may change the world, and which components it may access.
#ifndef SHOAL_SERVICE_PERMISSIONS_H
#define SHOAL_SERVICE_PERMISSIONS_H

#include "access/last_error.h"
#include "plugin/context.h"
#include "plugin/plugin.h"

// Returns true in the render phase, in a panel and in a pure function: only pure functions may be called there.
bool service_is_pure_call(const context_t *context);

// The following checks return true if the access is allowed. Otherwise, they log a warning or fail the current call,
// and return false.

// Checks whether the call may change the world.
bool service_check_may_change(context_t *context);
// Like service_check_may_change, but a system with .concurrent must also declare .concurrent_changes.
bool service_check_may_command(context_t *context);
// Checks access to the rows of a component, which systems with .concurrent must declare.
bool service_check_may_access(context_t *context, const access_binding_t *binding);
// Returns true, or false after failing the call with `message` if the call is from a system with .concurrent.
bool service_check_runs_alone(context_t *context, const char *message);
// Sets the message that shoal_last_error returns. Also logs the message if it is the plugin's first warning. In systems
// that are parallel or have .concurrent, it is logged after the last part. In parts of shoal_parallel_for, it is never
// logged. `message` is borrowed.
void service_warn(context_t *context, const char *message);

void service_warn_unknown_component(context_t *context, const shoal_component *component); // `component` may be NULL

// Returns the binding of a component that the plugin declares, uses or has found by name. For any other component, logs
// a warning and returns NULL. Inline, because plugins look up rows one by one.
static inline access_binding_t *service_find_component(context_t *context, const shoal_component *component) {
  access_binding_t *binding = component ? access_find_binding(context->access, component) : NULL;
  if (!binding)
    service_warn_unknown_component(context, component);
  return binding;
}

static inline access_binding_t *service_find_event(context_t *context, const shoal_component *component) {
  return service_find_component(context, component) ? access_bind_event(context->access, component) : NULL;
}

// Check the component that a function gets as an argument, and return true if the access is allowed. The table's rules
// call these functions (service/api.c).
bool service_check_may_read_component(shoal_world *w, const shoal_component *component);
bool service_check_may_write_component(shoal_world *w, const shoal_component *component);
// Like service_check_may_write_component, but a component with named rows also requires the name of an instance.
bool service_check_may_write_row(shoal_world *w, const shoal_component *component, const char *instance);
// Returns the binding of an event that the call may read. Otherwise, fails the call or sets shoal_last_error, and
// returns NULL.
access_binding_t *service_find_readable_event(shoal_world *w, const shoal_component *event);

// Returns the binding of a component with named rows. If the component has no named rows, fails the current call and
// returns NULL.
const access_binding_t *service_find_named(context_t *context, const char *function, const shoal_component *component);

#endif
