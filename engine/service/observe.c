// Counters of changes, over ecs/changes.h. Observers are systems of the schedule (plugin/observe.c).
#include "service/api.h"

#include "base/assert.h"
#include "plugin/plugin.h"
#include "ecs/changes.h"

#include <stdio.h>

// The component's manager; NULL when the call has failed.
static const manager_o *counted(context_t *x, const shoal_component *component, const char *function) {
  char words[300];
  const bound_t *b = component ? plugin_bound(x->plugin, component) : NULL;
  if (b && b->manager)
    return b->manager;
  snprintf(words, sizeof words, "%s takes a component or single that is in .components or .uses, and not %.60s",
           function, component ? component->name : "NULL");
  context_fail(x, words);
  return NULL;
}

uint64_t api_changes(shoal_context *c, const shoal_component *component) {
  context_t *x = context_of(c);
  const manager_o *m = counted(x, component, "shoal_changes");
  return m ? changes_of(x->all->world, m->id) : 0;
}
