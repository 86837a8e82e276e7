// Values of an entity's assemblage in the entity's current state. Edits are compared with these values and can be reset
// to them.
#include "cockpit/template.h"

#include "base/assert.h"
#include "ecs/assemblage_inspect.h"

uint32_t template_find_assemblage(world_o *w, shoal_entity entity) {
  uint32_t name = world_entities(w)->assemblage[shoal_entity_index(entity)];
  return name ? world_find_assemblage(w, name) : 0;
}

static uint32_t find_state(world_o *w, shoal_entity entity, uint32_t assemblage) {
  uint32_t state = world_entities(w)->state[shoal_entity_index(entity)];
  return state ? state : world_assemblage_state_name(w, assemblage, 0);
}

const double *template_get_values(world_o *w, uint32_t assemblage, uint32_t state, const manager_o *manager,
                                  uint32_t instance) {
  assemblage_part_t part;
  const double *values = NULL;
  shoal_assert(manager, "component manager is NULL");
  if (state == 0)
    state = world_assemblage_state_name(w, assemblage, 0);
  for (uint32_t i = 0; world_assemblage_get_part(w, assemblage, i, &part); ++i)
    if ((part.state == 0 || part.state == state) && part.manager == manager->id && part.instance == instance)
      values = part.values; // a state's part follows the part for all states and contains the values of both
  return values;
}

const double *template_find_values(world_o *w, shoal_entity entity, const manager_o *manager, uint32_t instance) {
  uint32_t assemblage = template_find_assemblage(w, entity), state = assemblage ? find_state(w, entity, assemblage) : 0;
  return template_get_values(w, assemblage, state, manager, instance);
}

bool template_find_missing_component(world_o *w, shoal_entity entity, uint32_t *i, const manager_o **manager,
                                     uint32_t *instance) {
  assemblage_part_t part;
  uint32_t assemblage = template_find_assemblage(w, entity), state = assemblage ? find_state(w, entity, assemblage) : 0;
  for (; assemblage && world_assemblage_get_part(w, assemblage, *i, &part); ++*i) {
    *manager = world_manager(w, part.manager);
    *instance = part.instance;
    bool applies = part.state == 0 || part.state == state;
    if (!applies || !*manager || manager_find_instance_row(*manager, entity, part.instance) != ROW_NONE)
      continue;
    ++*i;
    return true;
  }
  return false;
}
