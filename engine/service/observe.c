// The service "observe" (shoal/observe.h): counters of changes, over relation/changes.h. Observers themselves are in
// the schedule (plugin/plugin_observe.c).
#include "service/services_internal.h"

#include "base/assert.h"
#include "relation/changes.h"
#include "shoal/observe.h"

#include <stdio.h>

#define MAY_COUNT (1u << WHERE_SYSTEM | 1u << WHERE_FUNCTION | 1u << WHERE_PRESS)

// The component's manager; NULL when the call has failed.
static const manager_o *counted(context_t *x, uint32_t places, const shoal_component *component, const char *function) {
  char words[300];
  if (!service_may(&x->shared, places, function))
    return NULL;
  const bound_t *b = component ? plugin_bound(x->plugin, component) : NULL;
  if (b && b->manager && !service_is_pure(x))
    return b->manager;
  if (service_is_pure(x))
    snprintf(words, sizeof words, "it calls %s in a pure function: it begins to count, which is part of the world",
             function);
  else
    snprintf(words, sizeof words, "%s takes a component or single that is in .components or .uses, and not %.60s",
             function, component ? component->name : "NULL");
  service_refuse(x, words);
  return NULL;
}

static uint64_t changes(shoal_context *c, const shoal_component *component) {
  context_t *x = context_of(c);
  const manager_o *m = counted(x, MAY_COUNT, component, "shoal_changes");
  return m ? changes_of(x->all->world, m->id) : 0;
}

static bool changed(shoal_context *c, const shoal_component *component) {
  context_t *x = context_of(c);
  const manager_o *m = counted(x, 1u << WHERE_SYSTEM, component, "shoal_changed");
  shoal_assert(!m || x->run, "a system that is none asks for %s", m ? m->schema.name : "");
  return m && changes_since(x->all->world, x->run->name, m->id);
}

const shoal_observe_1 service_observe = {.changes = changes, .changed = changed};
