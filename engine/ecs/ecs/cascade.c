// Applies cascades (FIELD_CASCADE_, schema.h) to rows whose entity field points to a destroyed entity.
#include "ecs/cascade.h"

#include "ecs/relation_internal.h"
#include "ecs/structural_changes.h"

// Collects the cascades again if declarations have changed since the last call.
static void update_cascades(relation_o *r) {
  world_o *w = r->world;
  if (r->plan_version == w->plan_version)
    return;
  r->plan_version = w->plan_version;
  r->cascades.count = 0;
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    manager_o *m = w->managers.items[i];
    for (uint32_t c = 0; c < m->schema.field_count && m->schema.kind != SCHEMA_SINGLE; ++c) {
      cascade_t cascade = {.flags = m->schema.fields[c].flags & FIELD_CASCADES};
      if (!relation_is_entity_field(m, c) || cascade.flags == 0)
        continue;
      cascade.links = relation_find_or_create_lookup(r, m, c);
      array_push(&w->allocator, &r->cascades, cascade);
    }
  }
}

static void add_referrers_to_batch(relation_o *r, const cascade_t *c, shoal_entity e) {
  uint32_t count;
  const uint32_t *referrers = relation_find_referrers(r, c->links, e, &count);
  const shoal_entity *owner = referrers_are_by_row(c->links) ? c->links->manager->owner : NULL;
  for (uint32_t i = 0; i < count; ++i)
    structure_add_to_destroy_batch_in_hook(r->world, owner ? owner[referrers[i]] : referrers[i]);
}

bool cascade_is_declared(world_o *w) {
  if (!w->relation)
    return false;
  update_cascades(w->relation);
  return w->relation->cascades.count > 0;
}

void cascade_collect_destroyed(world_o *w, const shoal_entity *entities, uint32_t count) {
  relation_o *r = w->relation;
  // `first` is an offset, because the batch may be reallocated as it grows.
  uint32_t first = (uint32_t)(entities - w->destroy_batch.items);
  update_cascades(r);
  for (uint32_t k = 0; k < r->cascades.count; ++k)
    for (uint32_t i = 0; r->cascades.items[k].flags & FIELD_CASCADE_DESTROY && i < count; ++i)
      add_referrers_to_batch(r, &r->cascades.items[k], w->destroy_batch.items[first + i]);
}

// Clears or removes the rows that point to e. Removing a row moves another row, so the referrers and their instance
// names are copied first.
static void release_referrers(relation_o *r, const cascade_t *c, shoal_entity e) {
  world_o *w = r->world;
  manager_o *m = c->links->manager;
  uint32_t count;
  const uint32_t *items = relation_find_referrers(r, c->links, e, &count);
  if (count == 0)
    return;
  ARRAY(uint32_t) referrers = {0};
  array_reserve(&w->allocator, &referrers, 2 * count);
  bool rows_by_driver = referrers_are_by_row(c->links);
  for (uint32_t i = 0; i < count; ++i) {
    referrers.items[2 * i] = rows_by_driver ? m->owner[items[i]] : items[i];
    referrers.items[2 * i + 1] = rows_by_driver ? m->instance[items[i]] : 0;
  }
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity source = referrers.items[2 * i];
    uint32_t row = manager_find_instance_row(m, source, referrers.items[2 * i + 1]);
    if (row == ROW_NONE || w->entities.marks[shoal_entity_index(source)] & MARK_DYING)
      continue;
    if (c->flags & FIELD_CASCADE_REMOVE)
      structure_remove_component(w, source, m, referrers.items[2 * i + 1]);
    else
      structure_write_field(w, m, row, c->links->column, SHOAL_ENTITY_NONE);
  }
  array_free(&w->allocator, &referrers);
}

void cascade_release_referrers(world_o *w, uint32_t count) {
  relation_o *r = w->relation;
  update_cascades(r);
  for (uint32_t k = 0; k < r->cascades.count; ++k)
    for (uint32_t i = 0; !(r->cascades.items[k].flags & FIELD_CASCADE_DESTROY) && i < count; ++i)
      release_referrers(r, &r->cascades.items[k], w->destroy_batch.items[i]);
}
