// Assemblages: one template per state, children, and the spawn plan. Private to ecs, snapshot and content; other
// modules use world.h.
#ifndef SHOAL_ECS_ASSEMBLAGE_H
#define SHOAL_ECS_ASSEMBLAGE_H

#include "ecs/world_internal.h"

// Returns the assemblage, or NULL if `number` is 0 or unknown.
static inline assemblage_t *assemblage_get(const world_o *w, uint32_t number) {
  return number != 0 && number <= w->assemblages.count ? &w->assemblages.items[number - 1] : NULL;
}
bool assemblage_has_children(world_o *w, uint32_t number);
template_t *assemblage_find_template(assemblage_t *a, uint32_t state_name);
part_t *template_find_part(template_t *t, uint32_t manager, uint32_t instance);
// Rebuilds the spawn plans of an assemblage and its descendants if they are out of date. Returns true on success, or
// false with an error if the children are nested too deeply, for example because the assemblage is its own descendant.
bool assemblage_update_plan(world_o *w, uint32_t number, error_info_t *error);
// Makes the next use of the assemblage rebuild its plan. Call after changing values of a template.
void assemblage_expire_plan(const world_o *w, assemblage_t *a);
// Resets the component's values in all templates to its defaults. Call after the component's layout has changed.
void assemblage_reset_manager(world_o *w, const manager_o *m);
void assemblage_fini(world_o *w, assemblage_t *a);
void assemblage_free_all(world_o *w);

#endif
