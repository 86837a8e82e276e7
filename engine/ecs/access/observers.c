// Implements shoal_observe_changes with the observer lists of ecs/changes.h.
#include "access/observe.h"

#include "access/changes.h"
#include "access/last_error.h"
#include "ecs/changes.h"

#include <stdio.h>
#include <string.h>

#define MAX_NAME 60

void access_observe(world_o *w, const char *name, query_o *q, bool compares, shoal_observed *out) {
  uint32_t observer = observer_find_or_create(w, name, q, compares);
  observer_begin_delivery(w, observer);
  out->left = observer_get_list(w, observer, OBSERVED_LEAVE, &out->left_count);
  out->entered = observer_get_list(w, observer, OBSERVED_ENTER, &out->entered_count);
  out->changed = observer_get_list(w, observer, OBSERVED_CHANGED, &out->changed_count);
  observer_end_delivery(w, observer);
}

bool world_access_observe_changes(shoal_world *w, const char *name, const shoal_query_desc *wanted, bool compares,
                                  shoal_observed *out) {
  access_o *a = access_of(w);
  // PLUGIN:NAME. The colon distinguishes observers from systems, which are named PLUGIN.SYSTEM.
  char whole[COMPONENT_NAME_MAX + MAX_NAME + 2];
  if (!out)
    return access_fail("`out` must not be NULL");
  *out = (shoal_observed){0};
  if (!name || !name[0] || strlen(name) > MAX_NAME)
    return access_fail("the name of an observer must have 1 to %d bytes, got %zu", MAX_NAME,
                       name ? strlen(name) : (size_t)0);
  query_o *q = access_get_query(a, wanted);
  if (!q)
    return false;
  snprintf(whole, sizeof whole, "%s:%s", a->desc.name ? a->desc.name : "", name);
  for (uint32_t i = 0; i < q->term_count; ++i)
    changes_record(a, CHANGE_TERM, "nt", (double)q->terms[i].role, q->terms[i].manager->schema.name);
  changes_record(a, CHANGE_OBSERVE, "tn", whole, (double)compares);
  access_observe(a->world, whole, q, compares, out);
  return true;
}
