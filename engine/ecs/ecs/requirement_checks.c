// Checks removals against required components, and adds required components that are missing.
#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/queued_adds.h"
#include "ecs/requirements.h"
#include "ecs/structural_changes.h"
#include "ecs/world_internal.h"

// Returns a component that directly requires m and that e will have after the queued commands; NULL if e will have no
// such component.
static const manager_o *find_future_requirer(world_o *w, const manager_o *m, shoal_entity e) {
  const requirement_t *requirement = requirements_get(w, m);
  for (uint32_t i = 0; requirement && i < requirement->requirers.count; ++i)
    if (queued_adds_will_have(w, e, requirement->requirers.items[i]))
      return world_manager(w, requirement->requirers.items[i]);
  return NULL;
}

bool world_check_removal(world_o *w, shoal_entity e, uint32_t manager, error_info_t *error) {
  char label[32];
  const manager_o *m = w->requirements.count > 0 ? world_manager(w, manager) : NULL;
  const manager_o *requirer = m ? find_future_requirer(w, m, e) : NULL;
  if (!requirer)
    return true;
  return error_set(error, "cannot remove %s from %s, because %s requires %s: remove %s first, or disable %s",
                   m->schema.name, entity_label(label, e), requirer->schema.name, m->schema.name, requirer->schema.name,
                   m->schema.name);
}

bool requirements_check_state(world_o *w, shoal_entity e, uint32_t state_name, error_info_t *error) {
  char label[32];
  uint32_t name = w->entities.assemblage[shoal_entity_index(e)];
  assemblage_t *a = w->requirements.count > 0 ? assemblage_get(w, world_find_assemblage(w, name)) : NULL;
  uint32_t previous_state = a ? queued_adds_state(w, e) : 0;
  template_t *old_template =
      previous_state && previous_state != state_name ? assemblage_find_template(a, previous_state) : NULL;
  template_t *new_template = old_template ? assemblage_find_template(a, state_name) : NULL;
  for (uint32_t i = 0; new_template && i < old_template->parts.count; ++i) {
    const manager_o *m = world_manager(w, old_template->parts.items[i].manager);
    const requirement_t *requirement = requirements_get(w, m);
    if (template_find_part(new_template, m->id, 0) || template_find_part(&a->templates.items[0], m->id, 0))
      continue;
    for (uint32_t k = 0; k < requirement->requirers.count; ++k) {
      uint32_t id = requirement->requirers.items[k];
      bool is_removed = template_find_part(old_template, id, 0) && !template_find_part(new_template, id, 0) &&
                        !template_find_part(&a->templates.items[0], id, 0);
      if (!is_removed && queued_adds_will_have(w, e, id))
        return error_set(error, "entering state %s would remove %s from %s, but %s requires %s: remove %s first",
                         strings_text(w->strings, state_name), m->schema.name, entity_label(label, e),
                         world_manager(w, id)->schema.name, m->schema.name, world_manager(w, id)->schema.name);
    }
  }
  return true;
}

// --- missing components

static uint32_t add_to_owners(world_o *w, const manager_o *m, manager_o *required) {
  uint32_t added = 0;
  for (uint32_t row = 0; row < m->count; ++row) {
    shoal_entity e = m->owner[row];
    if (manager_row(required, e) != ROW_NONE)
      continue;
    structure_add_component(w, e, required, 0, NULL);
    ++added;
  }
  return added;
}

void world_add_all_required(world_o *w) {
  shoal_assert(!world_is_deferring(w), "cannot add required components while commands are queued");
  for (uint32_t i = 0; i < w->requirements.count; ++i)
    for (uint32_t k = 0; k < w->requirements.items[i].required.count; ++k) {
      const manager_o *m = w->managers.items[i];
      manager_o *required = world_manager(w, w->requirements.items[i].required.items[k]);
      uint32_t added = m->schema.kind == SCHEMA_SINGLE ? 0 : add_to_owners(w, m, required);
      if (added > 0)
        log_info(w->log, "component %s added to %u %s, because %s requires it", required->schema.name, added,
                 added == 1 ? "entity" : "entities", m->schema.name);
    }
  structure_flush_added_rows(w);
}
