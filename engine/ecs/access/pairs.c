// The functions of <shoal/relation.h>: pairs of entities, their data, and lookup in both directions.
#include "access/pairs.h"

#include "access/changes.h"
#include "access/last_error.h"
#include "access/values.h"
#include "shoal/relation.h"

#include <string.h>

_Static_assert(SHOAL_MAX_PAIRS == PAIRS_MAX, "<shoal/relation.h> must state the maximum of ecs/relation.h");

// --- checks

// Returns the binding of a component. Returns NULL after calling access_fail if the declaration does not match or the
// component is a singleton.
static access_binding_t *bind_component(access_o *a, const shoal_component *component) {
  access_binding_t *binding = access_bind_rows(a, component);
  if (binding && binding->manager->schema.kind == SCHEMA_SINGLE)
    return access_fail("%s is a singleton, which belongs to no entity", binding->manager->schema.name), NULL;
  return binding;
}

access_binding_t *access_bind_relation(access_o *a, const shoal_component *relation, uint32_t *column) {
  access_binding_t *binding = bind_component(a, relation);
  if (!binding)
    return NULL;
  const schema_t *schema = &binding->manager->schema;
  int32_t found = relation_find_column(a->world, binding->manager->id, NULL);
  *column = (uint32_t)found;
  return found >= 0 || access_fail("%s cannot form pairs: add a field of type entity, for example with SHOAL_RELATION",
                                   schema->name)
             ? binding
             : NULL;
}

static bool check_alive(const access_o *a, shoal_entity e) {
  return world_is_alive(a->world, e) || access_fail("entity %u is not alive", e);
}

bool access_check_target(const access_o *a, const access_binding_t *relation, shoal_entity target) {
  const char *name = relation->component->name;
  if (target == SHOAL_ENTITY_NONE)
    return access_fail("the target of a pair of %s must be an entity, got 0", name);
  return world_is_alive(a->world, target) ||
         access_fail("entity %u cannot be the target of a pair of %s: it is not alive", target, name);
}

// --- finding pairs

// Returns the row of a pair in the private manager of queued entities; ROW_NONE if the entity has no such pair.
static uint32_t find_queued_row(world_o *w, const manager_o *m, uint32_t column, shoal_entity e, shoal_entity target) {
  uint32_t row = queued_row(w, e, m->id);
  const manager_o *queued = queued_manager(w, m->id);
  while (row != ROW_NONE && ((const shoal_entity *)queued->data[column])[row] != target)
    row = queued->schema.kind == SCHEMA_MANY ? queued->next[row] : ROW_NONE;
  return row;
}

// Returns the row of a pair, and stores its manager in `m`: a private manager if the entity's spawn is queued. Returns
// ROW_NONE if the entity does not have the pair.
static uint32_t find_row(shoal_world *w, const access_binding_t *b, uint32_t column, shoal_entity e,
                         shoal_entity target, const manager_o **m) {
  world_o *world = access_of(w)->world;
  bool is_queued = access_is_queued(access_world_of(w), e);
  *m = is_queued ? queued_manager(world, b->manager->id) : b->manager;
  return target == SHOAL_ENTITY_NONE ? ROW_NONE
         : is_queued                 ? find_queued_row(world, b->manager, column, e, target)
                                     : relation_find_row(world, e, b->manager->id, target);
}

static bool fail_missing_pair(const access_binding_t *b, shoal_entity e, shoal_entity target) {
  return access_fail("entity %u has no %s with target %u", e, b->component->name, target);
}

// Returns the instance (string id) of a pair, including a queued pair; ROW_NONE after calling access_fail if the entity
// does not have the pair.
static uint32_t find_instance(shoal_world *w, const access_binding_t *b, uint32_t column, shoal_entity e,
                              shoal_entity target) {
  const manager_o *m;
  world_o *world = access_of(w)->world;
  uint32_t instance = ROW_NONE;
  if (access_is_queued(access_world_of(w), e)) {
    uint32_t row = find_row(w, b, column, e, target, &m);
    instance = row == ROW_NONE ? ROW_NONE : m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0;
  } else if (target != SHOAL_ENTITY_NONE) {
    instance = relation_find_instance(world, e, b->manager->id, target);
  }
  if (instance == ROW_NONE)
    fail_missing_pair(b, e, target);
  return instance;
}

// Describes the row of a pair, including a queued pair, and stores the target column. Returns true on success, or false
// after calling access_fail if `relation` cannot be bound, or if the entity is not alive or lacks the pair.
static bool describe_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                          access_row_t *out, uint32_t *column) {
  access_o *a = access_of(w);
  const access_binding_t *b = access_bind_relation(a, relation, column);
  uint32_t instance = b && check_alive(a, e) ? find_instance(w, b, *column, e, target) : ROW_NONE;
  if (instance == ROW_NONE)
    return false;
  *out = (access_row_t){access_world_of(w), b, e, strings_text(world_strings(a->world), instance)};
  return true;
}

// --- adding and removing pairs

bool world_access_add_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target) {
  access_o *a = access_of(w);
  uint32_t column;
  const access_binding_t *b = access_bind_relation(a, relation, &column);
  if (!b || !check_alive(a, e) || !access_check_target(a, b, target) ||
      !relation_add_pair(a->world, e, b->manager->id, target, NULL, access_last_error()))
    return false;
  a->write_count++;
  changes_record(a, CHANGE_ADD_PAIR, "ntn", (double)e, relation->name, (double)target);
  return true;
}

bool world_access_remove_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target) {
  access_o *a = access_of(w);
  uint32_t column;
  const access_binding_t *b = access_bind_relation(a, relation, &column);
  if (!b || !check_alive(a, e) || find_instance(w, b, column, e, target) == ROW_NONE ||
      !world_check_removal(a->world, e, b->manager->id, access_last_error()))
    return false;
  if (!relation_remove_pair(a->world, e, b->manager->id, target))
    return fail_missing_pair(b, e, target);
  changes_record(a, CHANGE_REMOVE_PAIR, "ntn", (double)e, relation->name, (double)target);
  return true;
}

bool world_access_has_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target) {
  const manager_o *m;
  uint32_t column;
  const access_binding_t *b = access_bind_relation(access_of(w), relation, &column);
  return b && find_row(w, b, column, e, target, &m) != ROW_NONE;
}

const char *world_access_pair_instance(shoal_world *w, shoal_entity e, const shoal_component *relation,
                                       shoal_entity target) {
  access_row_t row;
  uint32_t column;
  return describe_pair(w, e, relation, target, &row, &column) ? row.instance : NULL;
}

uint32_t world_access_find_pair_row(shoal_world *w, const shoal_component *relation, shoal_entity e,
                                    shoal_entity target) {
  access_o *a = access_of(w);
  uint32_t column;
  const access_binding_t *b = access_bind_relation(a, relation, &column);
  return b ? relation_find_row(a->world, e, b->manager->id, target) : SHOAL_NO_ROW;
}

// --- data of pairs

bool world_access_set_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                           uint32_t column, double value) {
  access_row_t row;
  uint32_t target_column;
  return describe_pair(w, e, relation, target, &row, &target_column) && access_set_value(&row, column, value);
}

bool world_access_get_pair(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                           uint32_t column, double *value) {
  access_row_t row;
  uint32_t target_column;
  return describe_pair(w, e, relation, target, &row, &target_column) && access_get_value(&row, column, value);
}

bool world_access_set_pair_struct(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                                  const void *values, size_t size) {
  access_row_t row;
  uint32_t target_column;
  if (!values)
    return access_fail("`values` must not be NULL");
  return describe_pair(w, e, relation, target, &row, &target_column) &&
         access_set_values(&row, values, size, target_column);
}

bool world_access_get_pair_struct(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity target,
                                  void *values, size_t size) {
  access_row_t row;
  uint32_t target_column;
  if (!values)
    return access_fail("`values` must not be NULL");
  return describe_pair(w, e, relation, target, &row, &target_column) && access_get_values(&row, values, size);
}

// --- lookup

uint32_t world_access_get_targets(shoal_world *w, shoal_entity e, const shoal_component *relation, shoal_entity *out,
                                  uint32_t capacity) {
  access_o *a = access_of(w);
  uint32_t column;
  const access_binding_t *b = access_bind_relation(a, relation, &column);
  return b && check_alive(a, e) ? relation_list_targets(a->world, e, b->manager->id, out, out ? capacity : 0) : 0;
}

// Returns the binding of a component, and converts a column of the program's declaration to a column of the store.
// Returns NULL after calling access_fail if the component cannot be bound, or if the column is out of range or not an
// entity field.
static access_binding_t *bind_entity_column(access_o *a, const shoal_component *component, uint32_t *column) {
  access_binding_t *b = bind_component(a, component);
  if (!b)
    return NULL;
  const schema_t *schema = &b->manager->schema;
  if (*column >= component->column_count)
    return access_fail("column %u of %s is out of range (count %u)", *column, schema->name, component->column_count),
           NULL;
  *column = b->columns[*column];
  return *column < schema->field_count && schema->fields[*column].type == FIELD_ENTITY
             ? b
             : (access_fail("%s.%s must be an entity field, got type %s", schema->name, schema->fields[*column].name,
                            field_type_name(schema->fields[*column].type)),
                NULL);
}

uint32_t world_access_get_referrers(shoal_world *w, shoal_entity target, const shoal_component *component,
                                    uint32_t column, shoal_entity *out, uint32_t capacity) {
  access_o *a = access_of(w);
  const access_binding_t *b = column == SHOAL_NO_COLUMN ? access_bind_relation(a, component, &column)
                                                        : bind_entity_column(a, component, &column);
  if (!b || !check_alive(a, target))
    return 0;
  uint32_t count;
  const shoal_entity *referrers = relation_list_sources(a->world, target, b->manager->id, column, &count);
  uint32_t written = count < capacity ? count : capacity;
  if (out && written > 0)
    memcpy(out, referrers, written * sizeof *out);
  return count;
}

// --- pairs of queries

// Returns the index of a component in a list of names, or the index of the list's end if the name is missing.
static uint32_t find_name(const char *const *names, const char *name) {
  uint32_t i = 0;
  while (i < SHOAL_MAX_NAMES && names[i] && strcmp(names[i], name) != 0)
    ++i;
  return i;
}

static bool has_many_term(const access_o *a, const shoal_query_desc *desc) {
  for (uint32_t i = 0; i < SHOAL_MAX_NAMES && desc->with[i]; ++i) {
    const manager_o *m = world_find_manager(a->world, desc->with[i]);
    if (m && m->schema.kind == SCHEMA_MANY)
      return true;
  }
  return false;
}

// Adds the component of a pair to the query. A query can have only one SCHEMA_MANY term, which determines the rows, so
// the pairs of further SCHEMA_MANY components are only compared. Returns true on success, or false after calling
// access_fail if the list is full.
static bool add_relation_term(const access_o *a, const access_binding_t *b, shoal_query_desc *desc) {
  const schema_t *schema = &b->manager->schema;
  uint32_t i = find_name(desc->with, schema->name);
  if (i < SHOAL_MAX_NAMES && (desc->with[i] || (schema->kind == SCHEMA_MANY && has_many_term(a, desc))))
    return true;
  if (i == SHOAL_MAX_NAMES)
    return access_fail("a query can have at most %d components in a list, including the relations of its pairs",
                       SHOAL_MAX_NAMES);
  desc->with[i] = schema->name;
  return true;
}

// Moves the pair that selects rows to the front. Prefers pairs whose relation is a term of the query, and among these,
// pairs whose relation has several rows per entity.
static void move_selecting_pair_first(const access_o *a, const shoal_query_desc *desc, pair_t *pairs, uint32_t count) {
  uint32_t best = 0, best_rank = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const schema_t *schema = &world_manager(a->world, pairs[i].manager)->schema;
    uint32_t term = find_name(desc->with, schema->name);
    bool is_term = term < SHOAL_MAX_NAMES && desc->with[term];
    uint32_t rank = !is_term ? 0 : schema->kind == SCHEMA_MANY ? 2 : 1;
    if (rank > best_rank) {
      best_rank = rank;
      best = i;
    }
  }
  pair_t selecting = pairs[best];
  memmove(pairs + 1, pairs, best * sizeof *pairs);
  pairs[0] = selecting;
}

bool access_resolve_pairs(access_o *a, const shoal_pair *pairs, uint32_t count, shoal_query_desc *desc, pair_t *out) {
  if (!pairs || count == 0 || count > PAIRS_MAX)
    return access_fail("a query over pairs must have 1 to %u pairs, got %u", PAIRS_MAX, pairs ? count : 0);
  for (uint32_t i = 0; i < count; ++i) {
    const access_binding_t *b = access_bind_relation(a, pairs[i].relation, &out[i].column);
    if (!b || !access_check_target(a, b, pairs[i].target) || !add_relation_term(a, b, desc))
      return false;
    out[i].manager = b->manager->id;
    out[i].target = pairs[i].target;
  }
  move_selecting_pair_first(a, desc, out, count);
  return true;
}
