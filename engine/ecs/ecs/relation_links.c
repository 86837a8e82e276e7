// Entity fields that relations follow, and their reverse lookups (referrers.h), updated by managers.
#include "ecs/relation_internal.h"

#include "ecs/relation.h"

// If at least 1 / MIN_COLUMN_SHARE of a column's rows were written, the rows are not reported one by one; instead, the
// next lookup compares the whole column. Code that never looks up referrers therefore has no cost.
#define MIN_COLUMN_SHARE 8u

// --- life cycle

void relation_enable(world_o *w) {
  if (w->relation)
    return;
  w->relation = alloc_resize(&w->allocator, NULL, 0, sizeof *w->relation);
  *w->relation = (relation_o){.world = w};
}

relation_o *relation_get(world_o *w) {
  relation_enable(w);
  return w->relation;
}

// --- fields

static referrers_t *find_links(const relation_o *r, const manager_o *m, uint32_t column) {
  for (uint32_t i = 0; i < r->links.count; ++i)
    if (r->links.items[i]->manager == m && r->links.items[i]->column == column)
      return r->links.items[i];
  return NULL;
}

referrers_t *relation_find_or_create_lookup(relation_o *r, manager_o *m, uint32_t column) {
  referrers_t *lookup = find_links(r, m, column);
  if (lookup)
    return lookup;
  lookup = referrers_create(m, column, &r->world->allocator);
  array_push(&r->world->allocator, &r->links, lookup);
  m->is_tracked = true;
  return lookup;
}

bool relation_is_entity_field(const manager_o *m, uint32_t column) {
  return column < m->schema.field_count && m->schema.fields[column].type == FIELD_ENTITY;
}

void relation_notify_rows_added(manager_o *m, uint32_t first, uint32_t count) {
  relation_o *r = m->world->relation;
  for (uint32_t i = 0; i < r->links.count; ++i)
    if (r->links.items[i]->manager == m)
      referrers_notify_rows_added(r->links.items[i], first, count);
}

void relation_notify_row_removing(manager_o *m, uint32_t row) {
  relation_o *r = m->world->relation;
  for (uint32_t i = 0; i < r->links.count; ++i)
    if (r->links.items[i]->manager == m)
      referrers_notify_row_removing(r->links.items[i], row);
}

void relation_notify_rows_removing(manager_o *m, const shoal_entity *entities, uint32_t count) {
  relation_o *r = m->world->relation;
  for (uint32_t i = 0; i < r->links.count; ++i)
    if (r->links.items[i]->manager == m)
      referrers_notify_rows_removing(r->links.items[i], entities, count);
}

void relation_notify_row_written(manager_o *m, uint32_t row, uint32_t column) {
  relation_o *r = m->world->relation;
  referrers_t *lookup = find_links(r, m, column);
  if (lookup)
    referrers_notify_row_written(lookup, row);
}

void relation_report_written_rows(world_o *w, uint32_t manager, uint32_t column, const uint32_t *rows, uint32_t count) {
  manager_o *m = world_manager(w, manager);
  if (!relation_is_entity_field(m, column) || count == 0)
    return;
  if (manager == w->parent_manager)
    w->links_written = 1; // the transform hierarchy follows this field, too
  referrers_t *lookup = w->relation && m->is_tracked ? find_links(w->relation, m, column) : NULL;
  if (lookup && count < m->count / MIN_COLUMN_SHARE)
    referrers_notify_rows_written(lookup, rows, count);
  else if (lookup)
    referrers_notify_column_written(lookup);
}

// Invalidates the reverse lookups of m. The layout may have changed, too, so the lookups of columns that are no longer
// entity fields are dropped.
void relation_notify_rows_replaced(manager_o *m) {
  relation_o *r = m->world->relation;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < r->links.count; ++i) {
    referrers_t *lookup = r->links.items[i];
    if (lookup->manager == m && !relation_is_entity_field(m, lookup->column)) {
      referrers_destroy(lookup);
      r->plan_version = 0;
      continue;
    }
    if (lookup->manager == m)
      referrers_notify_rows_replaced(lookup);
    r->links.items[kept++] = lookup;
  }
  r->links.count = kept;
  tracked_component_refresh_copy(r, m);
}

uint32_t *relation_find_referrers(relation_o *r, referrers_t *lookup, shoal_entity e, uint32_t *count) {
  referrers_update(lookup, world_update_links_version(r->world));
  array_reserve(&r->world->allocator, &r->referrers, referrers_max_count(lookup, e));
  *count = referrers_list(lookup, e, r->referrers.items);
  return r->referrers.items;
}
