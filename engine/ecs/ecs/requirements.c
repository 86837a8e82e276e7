// Implements required components. The lists are computed at declaration; the functions that add rows
// (structural_changes.c, assemblage.c) read them.
#include "ecs/requirements.h"

#include "ecs/manager_internal.h"
#include "ecs/world_internal.h"

// --- the lists

static bool is_listed(const requirement_t *requirement, uint32_t manager) {
  for (uint32_t i = 0; i < requirement->required.count; ++i)
    if (requirement->required.items[i] == manager)
      return true;
  return false;
}

// Returns the i-th component that m requires directly; NULL if it is not a plain component of the world.
static const manager_o *find_required(world_o *w, const manager_o *m, uint32_t i) {
  const manager_o *required = world_find_manager(w, schema_get_required(&m->schema, i));
  return required && required->schema.kind == SCHEMA_COMPONENT ? required : NULL;
}

// Adds the components that m requires to the list of `owner`. Cycles terminate, because a component is listed before
// its own requirements.
static void collect_required(world_o *w, requirement_t *requirement, const manager_o *owner, const manager_o *m) {
  for (uint32_t i = 0; i < m->schema.required_count; ++i) {
    const manager_o *required = find_required(w, m, i);
    if (!required || required == owner || is_listed(requirement, required->id))
      continue;
    array_push(&w->allocator, &requirement->required, required->id);
    collect_required(w, requirement, owner, required);
  }
}

static void add_requirers(world_o *w, const manager_o *m) {
  for (uint32_t i = 0; i < m->schema.required_count; ++i) {
    const manager_o *required = find_required(w, m, i);
    if (required && required != m)
      array_push(&w->allocator, &w->requirements.items[required->id - 1].requirers, m->id);
  }
}

void requirements_free(world_o *w) {
  for (uint32_t i = 0; i < w->requirements.count; ++i) {
    array_free(&w->allocator, &w->requirements.items[i].required);
    array_free(&w->allocator, &w->requirements.items[i].requirers);
  }
  array_free(&w->allocator, &w->requirements);
}

void requirements_update(world_o *w) {
  uint32_t count = 0;
  requirements_free(w);
  for (uint32_t i = 0; i < w->managers.count; ++i)
    count += w->managers.items[i]->schema.required_count;
  for (uint32_t i = 0; count > 0 && i < w->managers.count; ++i) {
    requirement_t empty = {0};
    array_push(&w->allocator, &w->requirements, empty);
  }
  for (uint32_t i = 0; i < w->requirements.count; ++i) {
    collect_required(w, &w->requirements.items[i], w->managers.items[i], w->managers.items[i]);
    add_requirers(w, w->managers.items[i]);
  }
}

const requirement_t *requirements_get(const world_o *w, const manager_o *m) {
  return m->id <= w->requirements.count ? &w->requirements.items[m->id - 1] : NULL;
}

bool requirements_apply_to(const world_o *w, const manager_o *m) {
  const requirement_t *requirement = requirements_get(w, m);
  return requirement && (requirement->required.count > 0 || requirement->requirers.count > 0);
}

bool world_is_required(const world_o *w, uint32_t manager) {
  return manager <= w->requirements.count && w->requirements.items[manager - 1].requirers.count > 0;
}

// --- removal

const manager_o *requirements_find_requirer(world_o *w, const manager_o *m, shoal_entity e) {
  const requirement_t *requirement = requirements_get(w, m);
  for (uint32_t i = 0; requirement && i < requirement->requirers.count; ++i) {
    const manager_o *requirer = world_manager(w, requirement->requirers.items[i]);
    if (manager_row(requirer, e) != ROW_NONE)
      return requirer;
  }
  return NULL;
}
