// Pairs of relations, and the reverse lookup of referrers.
#include "ecs/relation.h"

#include "base/assert.h"
#include "ecs/command_pairs.h"
#include "ecs/queued_entities.h"
#include "ecs/relation_internal.h"
#include "ecs/structural_changes.h"

#include <stdio.h>
#include <string.h>

// --- lookup

static int32_t find_column(const world_o *w, uint32_t manager, error_info_t *error) {
  const manager_o *m = world_manager((world_o *)(uintptr_t)w, manager);
  if (!m || m->schema.kind == SCHEMA_SINGLE) {
    if (m)
      error_set(error, "%s is a singleton, which belongs to no entity", m->schema.name);
    else
      error_set(error, "unknown component number %u", manager);
    return -1;
  }
  int32_t column = schema_find_field(&m->schema, RELATION_TARGET);
  if (column >= 0 && m->schema.fields[column].type == FIELD_ENTITY)
    return column;
  for (uint32_t i = 0; i < m->schema.field_count; ++i)
    if (m->schema.fields[i].type == FIELD_ENTITY && !(m->schema.fields[i].flags & FIELD_HIDDEN))
      return (int32_t)i;
  error_set(error, "%s cannot form pairs: add a field of type entity, for example target = shoal.types.entity",
            m->schema.name);
  return -1;
}

// Caches its results until the next declaration, because it is called for every pair.
int32_t relation_find_column(world_o *w, uint32_t manager, error_info_t *error) {
  relation_o *r = relation_get(w);
  if (r->columns_version != w->plan_version)
    r->columns.count = 0;
  r->columns_version = w->plan_version;
  while (r->columns.count <= manager && r->columns.count <= w->managers.count) {
    int32_t column = find_column(w, r->columns.count, NULL);
    array_push(&w->allocator, &r->columns, column);
  }
  int32_t cached = manager < r->columns.count ? r->columns.items[manager] : -1;
  return cached >= 0 ? cached : find_column(w, manager, error);
}

const shoal_entity *relation_list_sources(world_o *w, shoal_entity e, uint32_t manager, uint32_t column,
                                          uint32_t *count) {
  relation_o *r = relation_get(w);
  manager_o *m = world_manager(w, manager);
  *count = 0;
  shoal_assert(m && relation_is_entity_field(m, column), "column %u of component %u is not an entity field", column,
               manager);
  if (!is_living(w, e))
    return NULL;
  referrers_t *lookup = relation_find_or_create_lookup(r, m, column);
  relation_find_referrers(r, lookup, e, count);
  if (!referrers_are_by_row(lookup))
    return r->referrers.items;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < *count; ++i) {
    shoal_entity source = m->owner[r->referrers.items[i]];
    if (kept == 0 || r->referrers.items[kept - 1] != source)
      r->referrers.items[kept++] = source;
  }
  *count = kept;
  return r->referrers.items;
}

// --- pairs

static shoal_entity get_target(const manager_o *m, uint32_t row, uint32_t column) {
  return ((const shoal_entity *)m->data[column])[row];
}

static uint32_t find_row(const manager_o *m, uint32_t column, shoal_entity e, shoal_entity target) {
  uint32_t row = manager_row(m, e);
  while (row != ROW_NONE && get_target(m, row, column) != target)
    row = m->schema.kind == SCHEMA_MANY ? m->next[row] : ROW_NONE;
  return row;
}

uint32_t relation_find_row(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target) {
  const manager_o *m = world_manager(w, manager);
  int32_t column = m ? relation_find_column(w, manager, NULL) : -1;
  return column >= 0 && target != SHOAL_ENTITY_NONE ? find_row(m, (uint32_t)column, e, target) : ROW_NONE;
}

uint32_t relation_list_targets(world_o *w, shoal_entity e, uint32_t manager, shoal_entity *out, uint32_t max) {
  const manager_o *m = world_manager(w, manager);
  int32_t column = m ? relation_find_column(w, manager, NULL) : -1;
  uint32_t count = 0, row = column >= 0 ? manager_row(m, e) : ROW_NONE;
  if (column >= 0 && world_is_queued(w, e)) {
    row = queued_row(w, e, manager);
    m = queued_manager(w, manager);
  }
  while (row != ROW_NONE) {
    shoal_entity target = get_target(m, row, (uint32_t)column);
    if (is_living(w, target) && count++ < max)
      out[count - 1] = target;
    row = m->schema.kind == SCHEMA_MANY ? m->next[row] : ROW_NONE;
  }
  return count;
}

uint32_t relation_find_instance(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target) {
  relation_o *r = relation_get(w);
  const manager_o *m = world_manager(w, manager);
  bool has_queued = false;
  uint32_t queued = w->commands.count > 0 ? queued_pair_find(r, e, m, target, &has_queued) : ROW_NONE;
  if (queued != ROW_NONE)
    return queued;
  uint32_t row = relation_find_row(w, e, manager, target);
  if (row == ROW_NONE)
    return ROW_NONE;
  uint32_t instance = m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0;
  return has_queued && queued_pair_is_changed(r, e, m, instance) ? ROW_NONE : instance;
}

// Returns the number of an instance named "1", "2", …, or 0 if the name is not a number up to MANAGER_MAX_INSTANCES.
static uint32_t parse_instance_number(world_o *w, uint32_t instance) {
  const char *text = strings_text(w->strings, instance);
  uint32_t number = 0;
  for (; *text >= '0' && *text <= '9' && number <= MANAGER_MAX_INSTANCES; ++text)
    number = number * 10 + (uint32_t)(*text - '0');
  return *text || number > MANAGER_MAX_INSTANCES ? 0 : number;
}

// Returns the string id of a number's decimal text. Cached ids are verified, because ids of unused strings are reused.
static uint32_t intern_number(relation_o *r, uint32_t number) {
  world_o *w = r->world;
  char text[12];
  while (r->names.count <= number)
    array_push(&w->allocator, &r->names, 0);
  uint32_t *cached = &r->names.items[number];
  if (*cached != 0 && parse_instance_number(w, *cached) == number && strings_text(w->strings, *cached)[0] != '0')
    return *cached;
  snprintf(text, sizeof text, "%u", number);
  return *cached = strings_intern(w->strings, text);
}

// Returns the string id of the lowest number that no pair of e uses; 0 if e has the maximum number of instances.
// `has_queued`: true if queued commands change pairs of e.
static uint32_t find_free_instance(relation_o *r, shoal_entity e, const manager_o *m, bool has_queued) {
  world_o *w = r->world;
  if (!has_queued && manager_row(m, e) == ROW_NONE)
    return intern_number(r, 1);
  uint64_t used[MANAGER_MAX_INSTANCES / 64 + 1] = {0};
  uint32_t count = 0;
  for (uint32_t row = manager_row(m, e); row != ROW_NONE; row = m->next[row], ++count) {
    uint32_t number = parse_instance_number(w, m->instance[row]);
    used[number / 64] |= (uint64_t)1 << number % 64;
  }
  for (uint32_t number = 1; number <= MANAGER_MAX_INSTANCES && count < MANAGER_MAX_INSTANCES; ++number) {
    if (used[number / 64] >> number % 64 & 1)
      continue;
    uint32_t instance = intern_number(r, number);
    if (!has_queued || !queued_pair_exists(r, e, m, instance))
      return instance;
    ++count;
  }
  return 0;
}

static bool check_pair(world_o *w, shoal_entity e, const manager_o *m, shoal_entity target, error_info_t *error) {
  char label[32];
  if (!is_living(w, e))
    return error_set(error, "%s is not alive", entity_label(label, e));
  if (target == SHOAL_ENTITY_NONE)
    return error_set(error, "a pair of %s must have a target entity, got shoal.none", m->schema.name);
  return is_living(w, target) || error_set(error, "%s cannot be the target of a pair of %s: the entity is not alive",
                                           entity_label(label, target), m->schema.name);
}

// Returns the instance name under which e has this pair (`exists`) or will get it; ROW_NONE if e has the maximum number
// of pairs.
static uint32_t choose_instance(world_o *w, shoal_entity e, const manager_o *m, uint32_t column, shoal_entity target,
                                bool *exists) {
  relation_o *r = relation_get(w);
  bool has_queued = false;
  uint32_t instance = w->commands.count > 0 ? queued_pair_find(r, e, m, target, &has_queued) : ROW_NONE;
  *exists = true;
  if (instance != ROW_NONE)
    return instance;
  uint32_t row = find_row(m, column, e, target);
  if (row != ROW_NONE && !(has_queued && queued_pair_is_changed(r, e, m, m->instance[row])))
    return m->instance[row];
  *exists = false;
  instance = find_free_instance(r, e, m, has_queued);
  return instance != 0 ? instance : ROW_NONE;
}

bool relation_add_pair(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target, uint32_t *instance,
                       error_info_t *error) {
  manager_o *m = world_manager(w, manager);
  int32_t column = relation_find_column(w, manager, error);
  bool exists = false;
  uint32_t ignored;
  instance = instance ? instance : &ignored;
  if (column < 0 || !check_pair(w, e, m, target, error))
    return false;
  // Pairs of a plain component have no instance name, so the queue need not be searched.
  bool is_many = m->schema.kind == SCHEMA_MANY;
  *instance = is_many ? choose_instance(w, e, m, (uint32_t)column, target, &exists) : 0;
  if (is_many && *instance == ROW_NONE)
    return error_set(error,
                     "too many pairs of %s (at most %u per entity): reverse the relation, because the number of "
                     "referrers is unlimited",
                     m->schema.name, MANAGER_MAX_INSTANCES);
  if (exists)
    return true;
  if (world_is_deferring(w) && !is_marked(w, e, MARK_STAGED)) {
    command_pairs_push(w, m, (uint32_t)column, e, *instance, target);
    return true;
  }
  return world_add_component(w, e, manager, *instance, error) &&
         world_set_field(w, e, manager, *instance, (uint32_t)column, target, error);
}

bool relation_remove_pair(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target) {
  uint32_t instance = world_manager(w, manager) ? relation_find_instance(w, e, manager, target) : ROW_NONE;
  return instance != ROW_NONE && world_remove_component(w, e, manager, instance);
}

// --- cleanup

void relation_fini(world_o *w) {
  relation_o *r = w->relation;
  allocator_t *a = &w->allocator;
  for (uint32_t i = 0; i < r->links.count; ++i)
    referrers_destroy(r->links.items[i]);
  pairs_free_all(r);
  queued_pairs_free(r);
  changes_free(r);
  array_free(a, &r->links);
  array_free(a, &r->base_rows);
  array_free(a, &r->cascades);
  array_free(a, &r->referrers);
  array_free(a, &r->columns);
  array_free(a, &r->names);
  array_free(a, &r->queries);
  w->relation = NULL;
  alloc_resize(a, r, sizeof *r, 0);
}
