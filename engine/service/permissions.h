// What a call of a plugin may do where it is made, and which components it may name.
#ifndef SHOAL_SERVICE_PERMISSIONS_H
#define SHOAL_SERVICE_PERMISSIONS_H

#include "access/last_error.h"
#include "plugin/context.h"
#include "plugin/plugin.h"

// The current call must not change the world: in the render phase, a panel or a pure function.
bool service_is_pure(const context_t *c);

// Each returns false after a line in the log, or after the call has failed with a message.
bool service_may_change(context_t *c); // the world
bool service_may_ask(context_t *c);    // for changes that systems after it see
bool service_may_reach(context_t *c,
                       const access_binding_t *b);        // rows of a component; systems beside others must name it
bool service_runs_alone(context_t *c, const char *words); // fails a system with .beside
// Writes a line to the log, once per plugin; from a part when all parts are through. `words` is kept.
void service_warn(context_t *c, const char *words);

void service_warn_unknown(context_t *c);

// The component among those that the plugin declares, uses or has found. NULL after a line in the log, or if the world
// lacks it. Inline, since plugins look up rows one by one.
static inline access_binding_t *service_find(context_t *c, const shoal_component *component) {
  access_binding_t *b = component ? access_find_bound(c->access, component) : NULL;
  if (!b)
    service_warn_unknown(c);
  return b;
}

static inline access_binding_t *service_find_event(context_t *c, const shoal_component *component) {
  return service_find(c, component) ? access_bind_event(c->access, component) : NULL;
}

// NULL after the call has failed: `component` has no named rows.
const access_binding_t *service_takes_named(context_t *c, const char *function, const shoal_component *component);

#endif
