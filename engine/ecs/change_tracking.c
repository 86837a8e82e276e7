// Components whose rows are compared with a saved copy (changes.h): lookup, and update of the copy.
#include "ecs/relation_internal.h"

followed_component_t *followed_component_find(const relation_o *r, const manager_o *m) {
  for (uint32_t i = 0; i < r->followed.count; ++i)
    if (r->followed.items[i]->manager == m)
      return r->followed.items[i];
  return NULL;
}

void followed_component_refresh_copy(relation_o *r, const manager_o *m) {
  followed_component_t *f = followed_component_find(r, m);
  if (f)
    shadow_copy_rows(&f->shadow);
}
