// Implements shoal_observe_changes with the observer lists of ecs/changes.h.
#include "access/observe.h"

#include "access/changes.h"
#include "access/last_error.h"
#include "ecs/changes.h"

#include <stdio.h>
#include <string.h>

#define MAX_NAME_BYTES 60

void access_observe(world_o *w, const char *name, query_o *query, bool compare_values, shoal_observed *out) {
  uint32_t observer = observer_find_or_create(w, name, query, compare_values);
  observer_begin_delivery(w, observer);
  out->left = observer_get_list(w, observer, OBSERVED_LEAVE, &out->left_count);
  out->entered = observer_get_list(w, observer, OBSERVED_ENTER, &out->entered_count);
  out->changed = observer_get_list(w, observer, OBSERVED_CHANGED, &out->changed_count);
  observer_end_delivery(w, observer);
}

bool world_access_observe_changes(shoal_world *w, const char *name, const shoal_query_desc *desc, bool compare_values,
                                  shoal_observed *out) {
  access_o *access = access_of(w);
  // PLUGIN:NAME. The colon distinguishes observers from systems, which are named PLUGIN.SYSTEM.
  char full_name[COMPONENT_NAME_MAX + MAX_NAME_BYTES + 2];
  if (!out)
    return access_fail("`out` must not be NULL");
  *out = (shoal_observed){0};
  if (!name || !name[0] || strlen(name) > MAX_NAME_BYTES)
    return access_fail("the name of an observer must have 1 to %d bytes, got %zu", MAX_NAME_BYTES,
                       name ? strlen(name) : (size_t)0);
  query_o *query = access_get_query(access, desc);
  if (!query)
    return false;
  snprintf(full_name, sizeof full_name, "%s:%s", access->desc.name ? access->desc.name : "", name);
  for (uint32_t i = 0; i < query->term_count; ++i)
    changes_record(access, CHANGE_TERM, "nt", (double)query->terms[i].role, query->terms[i].manager->schema.name);
  changes_record(access, CHANGE_OBSERVE, "tn", full_name, (double)compare_values);
  access_observe(access->world, full_name, query, compare_values, out);
  return true;
}
