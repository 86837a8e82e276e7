// Components whose rows are compared with a saved copy (changes.h): lookup, and update of the copy.
#include "ecs/relation_internal.h"

tracked_component_t *tracked_component_find(const relation_o *r, const manager_o *m) {
  for (uint32_t i = 0; i < r->tracked.count; ++i)
    if (r->tracked.items[i]->manager == m)
      return r->tracked.items[i];
  return NULL;
}

void tracked_component_refresh_copy(relation_o *r, const manager_o *m) {
  tracked_component_t *f = tracked_component_find(r, m);
  if (f)
    row_copy_refresh(&f->copy);
}
