// Merges edited assemblages into living entities. Entities with the same old and new assemblage and state share a
// merge_pair_t: their templates are the same, so the differences are computed once and applied to all of them.
#include "content/assemblage_merge.h"

#include "base/assert.h"
#include "content/assemblage_merge_parts.h"
#include "content/assemblage_redefine.h"
#include "ecs/command_apply.h"
#include "ecs/destroy_batch.h"
#include "content/former_names.h"
#include "content/merge_rule.h"
#include "ecs/manager_internal.h"
#include "ecs/structural_changes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The entities with the same old and the same new assemblage and state. Names are string ids, which are equal in both
// worlds. Entities already have the names of the new version (content/former_names.h), so `old_name` is the new
// version's name of the old assemblage.
typedef struct merge_pair_t {
  uint32_t old_name, new_name, old_state, new_state;
  const assemblage_t *old_assemblage;
  uint32_t new_assemblage; // number of the assemblage; 0 if it was removed
  bool differs;
  assemblage_merge_parts_t parts;
  ARRAY(shoal_entity) entities;
} merge_pair_t;

// A child slot whose assemblage differs in the new version, or that the new version lacks (new_name is 0).
typedef struct child_change_t {
  uint32_t parent, old_name, new_name;
} child_change_t;

typedef struct merge_context_t {
  world_o *old_world, *new_world;
  assemblage_merge_report_t report;
  void *report_context;
  assemblage_merge_counts_t *counts;
  error_info_t *error;
  allocator_t *a;
  ARRAY(merge_pair_t *) pairs;
  ARRAY(uint32_t) last_pair; // index + 1 of the last pair looked up, indexed by string id of the assemblage's name
  ARRAY(child_change_t) changed_children; // child slots whose assemblage changed
  ARRAY(child_change_t) removed_children; // removed child slots; new_name is 0
  ARRAY(uint8_t) touched;                 // flags, indexed by entity: 1 if the merge changed the entity
  merge_rule_t rule;
  bool reports_added;               // true if the components that entities gain are reported
  const uint8_t *included_entities; // flags, indexed by entity: 1 if the merge applies to it; NULL for all entities
} merge_context_t;

__attribute__((format(printf, 2, 3))) static void report(merge_context_t *merge, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (merge->report)
    merge->report(merge->report_context, line);
}

static const char *get_text(const merge_context_t *merge, uint32_t id) {
  return strings_text(merge->new_world->strings, id);
}

static bool includes_entity(const merge_context_t *merge, shoal_entity e) {
  return !merge->included_entities || merge->included_entities[shoal_entity_index(e)];
}

static void mark_changed(merge_context_t *merge, shoal_entity e) {
  uint32_t i = shoal_entity_index(e);
  if (i >= merge->touched.count) {
    uint32_t old_count = merge->touched.count;
    array_reserve(merge->a, &merge->touched, i + 1);
    merge->touched.count = merge->touched.capacity;
    memset(merge->touched.items + old_count, 0, merge->touched.count - old_count);
  }
  merge->counts->entities_touched += !merge->touched.items[i];
  merge->touched.items[i] = 1;
}

// --- changed children

// Returns the old version of the assemblage that is called `name` in the new version; its old name may differ.
static const assemblage_t *find_old_assemblage(const merge_context_t *merge, uint32_t name) {
  return assemblage_get(merge->old_world, former_names_find_assemblage(merge->old_world, merge->new_world, name));
}

// Adds the parts that entities of this assemblage and state had in the old version.
static void add_old_parts(const merge_context_t *merge, uint32_t name, uint32_t state,
                          assemblage_merge_parts_t *parts) {
  uint32_t number = former_names_find_assemblage(merge->old_world, merge->new_world, name);
  assemblage_merge_parts_add_old(merge->old_world, assemblage_get(merge->old_world, number),
                                 former_names_find_state(merge->old_world, number, merge->new_world, name, state),
                                 merge->new_world, parts);
}

// Returns the assemblage name (string id) of the child named `key`; 0 if `assemblage` has no such child.
static uint32_t find_child_assemblage_name(world_o *w, const assemblage_t *assemblage, uint32_t key) {
  for (uint32_t i = 0; i < assemblage->children.count; ++i)
    if (assemblage->children.items[i].name == key)
      return assemblage_get(w, assemblage->children.items[i].assemblage)->name;
  return 0;
}

static bool compare_children(merge_context_t *merge, const assemblage_t *old_assemblage,
                             const assemblage_t *new_assemblage) {
  bool differs = false;
  for (uint32_t i = 0; i < old_assemblage->children.count; ++i) {
    uint32_t old_child = assemblage_get(merge->old_world, old_assemblage->children.items[i].assemblage)->name;
    uint32_t old_child_name = former_names_find_current(merge->new_world, old_child);
    uint32_t new_child_name =
        find_child_assemblage_name(merge->new_world, new_assemblage, old_assemblage->children.items[i].name);
    child_change_t change = {new_assemblage->name, old_child_name, new_child_name};
    differs |= old_child_name != new_child_name;
    if (new_child_name == 0)
      array_push(merge->a, &merge->removed_children, change);
    else if (old_child_name != new_child_name)
      array_push(merge->a, &merge->changed_children, change);
  }
  for (uint32_t i = 0; i < new_assemblage->children.count; ++i)
    differs |=
        find_child_assemblage_name(merge->old_world, old_assemblage, new_assemblage->children.items[i].name) == 0;
  return differs;
}

static shoal_entity find_parent(const merge_context_t *merge, shoal_entity e) {
  const manager_o *m =
      merge->new_world->parent_manager ? merge->new_world->managers.items[merge->new_world->parent_manager - 1] : NULL;
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  if (row == ROW_NONE)
    return SHOAL_ENTITY_NONE;
  shoal_entity parent = ((const shoal_entity *)manager_column(m, merge->new_world->parent_column))[row];
  return is_living(merge->new_world, parent) ? parent : SHOAL_ENTITY_NONE;
}

static uint32_t get_assemblage_name(const merge_context_t *merge, shoal_entity e) {
  return e == SHOAL_ENTITY_NONE ? 0 : merge->new_world->entities.assemblage[shoal_entity_index(e)];
}

static const child_change_t *find_child_change(const child_change_t *changes, uint32_t count, uint32_t parent,
                                               uint32_t old_name) {
  for (uint32_t i = 0; i < count; ++i)
    if (changes[i].parent == parent && changes[i].old_name == old_name)
      return &changes[i];
  return NULL;
}

// --- pairs

static shoal_entity get_entity_at_index(const entities_t *entities, uint32_t index) {
  return (uint32_t)entities->generation[index] << 22 | index;
}

static void allocate_last_pairs(merge_context_t *merge) {
  uint32_t string_count = strings_count(merge->new_world->strings);
  array_reserve(merge->a, &merge->last_pair, string_count);
  merge->last_pair.count = string_count;
  shoal_assert(string_count > 0 && merge->last_pair.items, "string 0, the empty string, is missing");
  memset(merge->last_pair.items, 0, string_count * sizeof *merge->last_pair.items);
}

static uint32_t choose_new_state(const assemblage_t *new_assemblage, uint32_t state) {
  if (new_assemblage->templates.count <= 1)
    return 0;
  for (uint32_t i = 1; i < new_assemblage->templates.count; ++i)
    if (new_assemblage->templates.items[i].state == state)
      return state;
  return new_assemblage->templates.items[1].state;
}

static bool has_new_children(const merge_context_t *merge, const assemblage_t *old_assemblage,
                             const assemblage_t *new_assemblage) {
  for (uint32_t i = 0; i < new_assemblage->children.count; ++i)
    if (find_child_assemblage_name(merge->old_world, old_assemblage, new_assemblage->children.items[i].name) == 0)
      return true;
  return false;
}

// Excludes components that entities have only because a component was split: these components keep their migrated
// values, as if a script had added them.
static void exclude_split_parts(assemblage_merge_parts_t *parts) {
  for (uint32_t i = 0; i < parts->count; ++i)
    if (parts->items[i]->is_split && !parts->items[i]->in_new)
      parts->items[i]->in_old = false;
}

static merge_pair_t *create_pair(merge_context_t *merge, uint32_t old_name, uint32_t new_name, uint32_t state) {
  merge_pair_t *pair = alloc_resize(merge->a, NULL, 0, sizeof *pair);
  *pair = (merge_pair_t){.old_name = old_name, .new_name = new_name, .old_state = state};
  array_push(merge->a, &merge->pairs, pair);
  pair->old_assemblage = find_old_assemblage(merge, old_name);
  pair->new_assemblage = world_find_assemblage(merge->new_world, new_name);
  const assemblage_t *new_assemblage = assemblage_get(merge->new_world, pair->new_assemblage);
  if (!pair->old_assemblage || !new_assemblage)
    return pair;
  pair->new_state = choose_new_state(new_assemblage, state);
  add_old_parts(merge, old_name, state, &pair->parts);
  assemblage_merge_parts_add_new(merge->new_world, new_assemblage, pair->new_state, &pair->parts);
  exclude_split_parts(&pair->parts);
  for (uint32_t i = 0; i < pair->parts.count && !pair->differs; ++i) {
    const assemblage_merge_part_t *part = pair->parts.items[i];
    pair->differs = part->in_old != part->in_new || (part->in_old && assemblage_merge_part_differs(part));
  }
  pair->differs |= pair->old_state != pair->new_state || old_name != new_name ||
                   has_new_children(merge, pair->old_assemblage, new_assemblage);
  return pair;
}

static merge_pair_t *find_or_create_pair(merge_context_t *merge, uint32_t old_name, uint32_t new_name, uint32_t state) {
  uint32_t *cached_index = &merge->last_pair.items[old_name];
  const merge_pair_t *pair = *cached_index ? merge->pairs.items[*cached_index - 1] : NULL;
  if (pair && pair->new_name == new_name && pair->old_state == state)
    return merge->pairs.items[*cached_index - 1];
  for (uint32_t i = 0; i < merge->pairs.count; ++i) {
    pair = merge->pairs.items[i];
    if (pair->old_name == old_name && pair->new_name == new_name && pair->old_state == state) {
      *cached_index = i + 1;
      return merge->pairs.items[i];
    }
  }
  *cached_index = merge->pairs.count + 1;
  return create_pair(merge, old_name, new_name, state);
}

static void collect_pairs(merge_context_t *merge) {
  const entities_t *entities = &merge->new_world->entities;
  allocate_last_pairs(merge);
  for (uint32_t i = 1; i < entities->used; ++i) {
    uint32_t name = entities->assemblage[i];
    if (!entities->alive[i] || name == 0 || name >= merge->last_pair.count ||
        (merge->included_entities && !merge->included_entities[i]))
      continue;
    shoal_entity e = get_entity_at_index(entities, i);
    const child_change_t *change = NULL;
    if (merge->changed_children.count > 0)
      change = find_child_change(merge->changed_children.items, merge->changed_children.count,
                                 get_assemblage_name(merge, find_parent(merge, e)), name);
    merge_pair_t *pair = find_or_create_pair(merge, name, change ? change->new_name : name, entities->state[i]);
    if (pair->differs || !pair->new_assemblage)
      array_push(merge->a, &pair->entities, e);
  }
}

// --- applying a pair

// Sets the field, or the whole list, that consists of `count` columns from `first_column` on, unless the game has
// overridden it. Returns true if it was set.
static bool update_field(merge_context_t *merge, manager_o *m, uint32_t row, uint32_t first_column, uint32_t count,
                         const double *old_values, const double *new_values) {
  merge_choice_t choice = merge_choose(m, row, first_column, count, old_values, new_values, merge->rule);
  for (uint32_t k = first_column; k < first_column + count && choice == MERGE_SET; ++k)
    if (!merge_is_same_value(old_values[k], new_values[k], MERGE_VALUES))
      columns_set_unmarked(&m->columns, row, k, new_values[k]);
  merge->counts->values_kept += choice == MERGE_KEEP;
  merge->counts->values_changed += choice == MERGE_SET;
  return choice == MERGE_SET;
}

static void update_values(merge_context_t *merge, const merge_pair_t *pair, const assemblage_merge_part_t *part) {
  for (uint32_t k = 0, count; k < part->m->schema.field_count; k += count) {
    uint32_t first_column;
    count = schema_list_columns(&part->m->schema, k, &first_column);
    if (!merge_has_changed(k, count, part->old_values, part->new_values, MERGE_VALUES))
      continue;
    for (uint32_t i = 0; i < pair->entities.count; ++i) {
      uint32_t row = manager_find_instance_row(part->m, pair->entities.items[i], part->instance);
      if (row != ROW_NONE && update_field(merge, part->m, row, k, count, part->old_values, part->new_values))
        mark_changed(merge, pair->entities.items[i]);
    }
  }
}

// Lists the pair's entities that lack the part's row or, if `has_row`, whose row has no overridden value. Marks the
// listed entities as changed, and counts each overridden row as a kept value. Returns the number of listed entities.
static uint32_t list_entities(merge_context_t *merge, const merge_pair_t *pair, const assemblage_merge_part_t *part,
                              bool has_row, shoal_entity *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < pair->entities.count; ++i) {
    shoal_entity e = pair->entities.items[i];
    uint32_t row = manager_find_instance_row(part->m, e, part->instance);
    if ((row != ROW_NONE) != has_row)
      continue;
    if (has_row && merge_find_overridden(part->m, row, part->old_values, merge->rule) != MERGE_NO_COLUMN) {
      merge->counts->values_kept++;
      continue;
    }
    out[count++] = e;
    mark_changed(merge, e);
  }
  return count;
}

static void remove_components(merge_context_t *merge, const merge_pair_t *pair, const assemblage_merge_part_t *part) {
  shoal_entity *entities = alloc_resize(merge->a, NULL, 0, pair->entities.count * sizeof *entities);
  uint32_t count = list_entities(merge, pair, part, true, entities);
  merge->counts->components_removed += count;
  if (part->m->schema.kind == SCHEMA_COMPONENT && count > 0)
    structure_remove_component_from_many(merge->new_world, part->m, entities, count);
  else
    for (uint32_t i = 0; i < count; ++i)
      structure_remove_component(merge->new_world, entities[i], part->m, part->instance);
  alloc_resize(merge->a, entities, pair->entities.count * sizeof *entities, 0);
}

static void add_components(merge_context_t *merge, const merge_pair_t *pair, const assemblage_merge_part_t *part) {
  shoal_entity *entities = alloc_resize(merge->a, NULL, 0, pair->entities.count * sizeof *entities);
  uint32_t count = list_entities(merge, pair, part, false, entities);
  merge->counts->components_added += count;
  if (merge->reports_added && count > 0)
    report(merge, "%s: component %s added to %u %s", get_text(merge, pair->new_name), part->m->schema.name, count,
           count == 1 ? "entity" : "entities");
  if (part->m->schema.kind == SCHEMA_COMPONENT && count > 0)
    structure_add_component_to_many(merge->new_world, part->m, entities, count, part->new_values);
  else
    for (uint32_t i = 0; i < count; ++i)
      structure_add_component(merge->new_world, entities[i], part->m, part->instance, part->new_values);
  alloc_resize(merge->a, entities, pair->entities.count * sizeof *entities, 0);
}

static bool spawn_child(merge_context_t *merge, shoal_entity parent, child_t child) {
  world_o *w = merge->new_world;
  commands_t descendants = {0};
  if (!assemblage_update_plan(w, child.assemblage, merge->error) ||
      !structure_check_capacity(w, assemblage_get(w, child.assemblage)->tree_size, merge->error))
    return false;
  command_t command = {.kind = COMMAND_SPAWN, .a = child.assemblage, .b = parent, .c = child.name};
  command.e = structure_create_entity(w, child.assemblage);
  command_spawn_children(w, command.e, child.assemblage, &descendants);
  structure_spawn_child(w, command.e, command.a, command.b, command.c);
  for (uint32_t i = 0; i < descendants.count; ++i) {
    const command_t *descendant = &descendants.items[i];
    structure_spawn_child(w, descendant->e, descendant->a, descendant->b, descendant->c);
  }
  array_free(&w->allocator, &descendants);
  merge->counts->children_added++;
  mark_changed(merge, parent);
  return true;
}

static bool add_children(merge_context_t *merge, const merge_pair_t *pair) {
  const assemblage_t *new_assemblage = assemblage_get(merge->new_world, pair->new_assemblage);
  for (uint32_t k = 0; k < new_assemblage->children.count; ++k) {
    child_t child = new_assemblage->children.items[k];
    if (find_child_assemblage_name(merge->old_world, pair->old_assemblage, child.name) != 0)
      continue;
    for (uint32_t i = 0; i < pair->entities.count; ++i)
      if (is_living(merge->new_world, pair->entities.items[i]) && !spawn_child(merge, pair->entities.items[i], child))
        return false;
  }
  return true;
}

static void update_names_and_states(merge_context_t *merge, const merge_pair_t *pair) {
  entities_t *entities = &merge->new_world->entities;
  const assemblage_t *new_assemblage = assemblage_get(merge->new_world, pair->new_assemblage);
  for (uint32_t i = 0; i < pair->entities.count; ++i) {
    uint32_t index = shoal_entity_index(pair->entities.items[i]);
    structure_set_assemblage(merge->new_world, pair->entities.items[i], pair->new_name);
    if (entities->state[index] == pair->new_state)
      continue;
    entities->state[index] = pair->new_state;
    merge->counts->states_reset++;
    mark_changed(merge, pair->entities.items[i]);
  }
  if (pair->old_state != 0 && pair->new_state != pair->old_state)
    report(merge, "assemblage %s no longer has state %s: %u entities were reset to state %s",
           get_text(merge, new_assemblage->name), get_text(merge, pair->old_state), pair->entities.count,
           pair->new_state ? get_text(merge, pair->new_state) : "none");
}

static void report_removed(merge_context_t *merge, const merge_pair_t *pair) {
  const char *name = get_text(merge, pair->old_name), *state = get_text(merge, pair->old_state);
  if (pair->old_state != 0 && pair->entities.count == 1)
    report(merge,
           "assemblage %s was removed: its only entity in state %s keeps its components and values, but can no "
           "longer enter a state: keep the assemblage until the entity is gone, or destroy and respawn the entity",
           name, state);
  else if (pair->old_state != 0)
    report(merge,
           "assemblage %s was removed: its %u entities in state %s keep their components and values, but can no "
           "longer enter a state: keep the assemblage until they are gone, or destroy and respawn them",
           name, pair->entities.count, state);
  else if (pair->entities.count == 1)
    report(merge, "assemblage %s was removed: its only entity is unchanged", name);
  else
    report(merge, "assemblage %s was removed: its %u entities are unchanged", name, pair->entities.count);
}

static bool apply_pair(merge_context_t *merge, merge_pair_t *pair) {
  if (!pair->new_assemblage) {
    report_removed(merge, pair);
    return true;
  }
  if (!pair->differs || !pair->old_assemblage)
    return true;
  update_names_and_states(merge, pair);
  for (uint32_t i = 0; i < pair->parts.count; ++i)
    if (pair->parts.items[i]->in_old && !pair->parts.items[i]->in_new)
      remove_components(merge, pair, pair->parts.items[i]);
  for (uint32_t i = 0; i < pair->parts.count; ++i)
    if (pair->parts.items[i]->in_new && !pair->parts.items[i]->in_old)
      add_components(merge, pair, pair->parts.items[i]);
  for (uint32_t i = 0; i < pair->parts.count; ++i)
    if (pair->parts.items[i]->in_new && pair->parts.items[i]->in_old)
      update_values(merge, pair, pair->parts.items[i]);
  return add_children(merge, pair);
}

// --- removed children

// Returns true if any field of e was overridden, a component was added to e, or e was not spawned from an assemblage of
// the old version. Ignores the link to the parent, and a name or transform that the old template lacks.
static bool is_entity_overridden(merge_context_t *merge, shoal_entity e) {
  world_o *w = merge->new_world;
  uint32_t name = get_assemblage_name(merge, e);
  const assemblage_t *old_assemblage = name ? find_old_assemblage(merge, name) : NULL;
  if (!old_assemblage)
    return true;
  assemblage_merge_parts_t parts = {0};
  add_old_parts(merge, name, w->entities.state[shoal_entity_index(e)], &parts);
  bool is_overridden = false;
  for (uint32_t i = 0; i < w->managers.count && !is_overridden; ++i) {
    const manager_o *m = w->managers.items[i];
    for (uint32_t row = manager_row(m, e); row != ROW_NONE && !is_overridden;) {
      const assemblage_merge_part_t *part =
          assemblage_merge_parts_find(&parts, m, m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0);
      bool is_name_or_parent = m->id == w->name_manager || m->id == w->parent_manager;
      is_overridden = part || is_name_or_parent
                          ? part && merge_find_overridden(m, row, part->old_values, merge->rule) != MERGE_NO_COLUMN
                          : true;
      row = m->schema.kind == SCHEMA_MANY ? m->next[row] : ROW_NONE;
    }
  }
  assemblage_merge_parts_free(w, &parts);
  return is_overridden;
}

// Returns an array indexed by entity: 1 if the entity is an overridden child or has an overridden descendant. Needed
// only if children were removed.
static uint8_t *flag_overridden_entities(merge_context_t *merge) {
  const entities_t *entities = &merge->new_world->entities;
  uint8_t *flags = alloc_resize(merge->a, NULL, 0, entities->used);
  memset(flags, 0, entities->used);
  const manager_o *m = world_manager(merge->new_world, merge->new_world->parent_manager);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    shoal_entity e = m->owner[row];
    if (find_parent(merge, e) == SHOAL_ENTITY_NONE || !is_entity_overridden(merge, e))
      continue;
    for (uint32_t depth = 0; e != SHOAL_ENTITY_NONE && !flags[shoal_entity_index(e)] && depth < entities->used;
         ++depth) {
      flags[shoal_entity_index(e)] = 1;
      e = find_parent(merge, e);
    }
  }
  return flags;
}

static void remove_children(merge_context_t *merge) {
  const manager_o *m = world_manager(merge->new_world, merge->new_world->parent_manager);
  if (merge->removed_children.count == 0 || !m)
    return;
  uint8_t *overridden = flag_overridden_entities(merge);
  uint32_t entity_count = merge->new_world->entities.used;
  ARRAY(shoal_entity) entities = {0};
  for (uint32_t row = 0; row < m->count; ++row) {
    shoal_entity e = m->owner[row], parent = find_parent(merge, e);
    if (!includes_entity(merge, e) ||
        !find_child_change(merge->removed_children.items, merge->removed_children.count,
                           get_assemblage_name(merge, parent), get_assemblage_name(merge, e)))
      continue;
    if (overridden[shoal_entity_index(e)]) {
      merge->counts->values_kept++;
      continue;
    }
    array_push(merge->a, &entities, e);
    mark_changed(merge, parent);
  }
  merge->counts->children_removed += entities.count;
  if (entities.count > 0) {
    structure_add_to_destroy_batch(merge->new_world, entities.items, entities.count, 0);
    destroy_batch_run(merge->new_world);
  }
  array_free(merge->a, &entities);
  alloc_resize(merge->a, overridden, entity_count, 0);
}

// --- singletons: their defaults serve as the template

// Merges a field or a list of a singleton: `count` columns of `m`, starting at column `first_column`.
static void merge_singleton_field(merge_context_t *merge, manager_o *m, const manager_o *old_manager,
                                  uint32_t first_column, uint32_t count) {
  double old_values[SCHEMA_MAX_FIELDS] = {0};
  for (uint32_t k = first_column; k < first_column + count; ++k) {
    int32_t old_column = schema_find_field(&old_manager->schema, m->schema.fields[k].name);
    field_type_t type = m->schema.fields[k].type;
    bool is_comparable = old_column >= 0 && old_manager->schema.fields[old_column].type == type && type != FIELD_ENUM;
    old_values[k] = is_comparable ? old_manager->columns.initial[old_column] : m->columns.initial[k];
  }
  update_field(merge, m, 0, first_column, count, old_values, m->columns.initial);
}

static void merge_singletons(merge_context_t *merge) {
  for (uint32_t i = 0; i < merge->new_world->managers.count; ++i) {
    manager_o *m = merge->new_world->managers.items[i];
    const manager_o *old_manager = world_find_manager(merge->old_world, m->schema.name);
    if (m->schema.kind != SCHEMA_SINGLE || !old_manager || old_manager->schema.kind != SCHEMA_SINGLE)
      continue;
    for (uint32_t k = 0, count; k < m->schema.field_count; k += count) {
      uint32_t first_column;
      count = schema_list_columns(&m->schema, k, &first_column);
      merge_singleton_field(merge, m, old_manager, first_column, count);
    }
  }
}

// --- merge

static void compare_assemblages(merge_context_t *merge) {
  for (uint32_t i = 0; i < merge->old_world->assemblages.count; ++i) {
    const assemblage_t *old_assemblage = &merge->old_world->assemblages.items[i];
    uint32_t name = former_names_find_current(merge->new_world, old_assemblage->name);
    const assemblage_t *new_assemblage =
        assemblage_get(merge->new_world, world_find_assemblage(merge->new_world, name));
    if (new_assemblage)
      compare_children(merge, old_assemblage, new_assemblage);
  }
}

static void free_merge(merge_context_t *merge) {
  for (uint32_t i = 0; i < merge->pairs.count; ++i) {
    merge_pair_t *pair = merge->pairs.items[i];
    assemblage_merge_parts_free(merge->new_world, &pair->parts);
    array_free(merge->a, &pair->entities);
    alloc_resize(merge->a, pair, sizeof *pair, 0);
  }
  array_free(merge->a, &merge->pairs);
  array_free(merge->a, &merge->last_pair);
  array_free(merge->a, &merge->changed_children);
  array_free(merge->a, &merge->removed_children);
  array_free(merge->a, &merge->touched);
}

static void count_assemblages(merge_context_t *merge) {
  for (uint32_t i = 0; i < merge->pairs.count; ++i) {
    const merge_pair_t *pair = merge->pairs.items[i];
    bool is_first = pair->differs;
    for (uint32_t k = 0; k < i && is_first; ++k)
      is_first = !(merge->pairs.items[k]->differs && merge->pairs.items[k]->new_name == pair->new_name);
    merge->counts->assemblages += is_first;
  }
}

// Copies `unmarked_columns`, so that values written without marks are kept, even if the new version lacks the code that
// wrote them.
static void copy_written_unmarked(const merge_context_t *merge) {
  for (uint32_t id = 1; id <= merge->new_world->managers.count; ++id) {
    manager_o *m = world_manager(merge->new_world, id);
    const manager_o *old_manager = world_find_manager(merge->old_world, m->schema.name);
    for (uint32_t k = 0; old_manager && old_manager->unmarked_columns != 0 && k < m->schema.field_count; ++k) {
      int32_t old_column = schema_find_field(&old_manager->schema, m->schema.fields[k].name);
      if (old_column >= 0 && old_manager->unmarked_columns >> old_column & 1)
        m->unmarked_columns |= UINT64_C(1) << k;
    }
  }
}

static bool run_merge(merge_context_t *merge) {
  bool succeeded = true;
  shoal_assert(!world_is_deferring(merge->new_world), "cannot merge assemblages while commands are queued");
  compare_assemblages(merge);
  merge->new_world->applying = true; // changes requested by hooks are queued
  remove_children(merge);
  collect_pairs(merge);
  for (uint32_t i = 0; i < merge->pairs.count && succeeded; ++i)
    succeeded = apply_pair(merge, merge->pairs.items[i]);
  count_assemblages(merge);
  command_apply(merge->new_world);
  free_merge(merge);
  return succeeded;
}

static merge_context_t create_merge(world_o *old_world, world_o *new_world, assemblage_merge_report_t report_line,
                                    void *report_context, assemblage_merge_counts_t *counts, error_info_t *error) {
  return (merge_context_t){.old_world = old_world,
                           .new_world = new_world,
                           .report = report_line,
                           .report_context = report_context,
                           .counts = counts,
                           .error = error,
                           .a = &new_world->allocator};
}

bool assemblage_merge_run(world_o *old_world, world_o *new_world, assemblage_merge_report_t report_line,
                          void *report_context, assemblage_merge_counts_t *counts, error_info_t *error) {
  merge_context_t merge = create_merge(old_world, new_world, report_line, report_context, counts, error);
  copy_written_unmarked(&merge);
  merge_singletons(&merge);
  return run_merge(&merge);
}

bool assemblage_merge_by_value(world_o *old_world, world_o *new_world, bool merge_singles,
                               assemblage_merge_report_t report_line, void *report_context,
                               assemblage_merge_counts_t *counts, error_info_t *error) {
  merge_context_t merge = create_merge(old_world, new_world, report_line, report_context, counts, error);
  merge.rule = MERGE_VALUES;
  merge.reports_added = true;
  if (merge_singles)
    merge_singletons(&merge);
  return run_merge(&merge);
}

// --- merging within one world

bool assemblage_merge_redefined(world_o *w, const redefined_t *redefined, assemblage_merge_counts_t *counts,
                                error_info_t *error) {
  world_o old_world = *w; // read-only; differs from w only in its assemblages
  uint32_t count = w->assemblages.count;
  assemblage_t *assemblages = alloc_resize(&w->allocator, NULL, 0, count * sizeof *assemblages);
  uint32_t entity_count = w->entities.used;
  uint8_t *included_entities = alloc_resize(&w->allocator, NULL, 0, entity_count);
  merge_context_t merge = {.old_world = &old_world,
                           .new_world = w,
                           .counts = counts,
                           .error = error,
                           .a = &w->allocator,
                           .rule = MERGE_VALUES,
                           .included_entities = included_entities};
  if (count > 0)
    memcpy(assemblages, w->assemblages.items, count * sizeof *assemblages);
  for (uint32_t i = 0; i < count; ++i)
    assemblages[i].retired_version = !redefine_is_current_at_version(&assemblages[i], redefined->version);
  old_world.assemblages.items = assemblages;
  memset(included_entities, 0, entity_count);
  for (uint32_t i = 0; i < redefined->entities.count; ++i)
    if (is_living(w, redefined->entities.items[i]) && !is_marked(w, redefined->entities.items[i], MARK_STAGED))
      included_entities[shoal_entity_index(redefined->entities.items[i])] = 1;
  bool succeeded = run_merge(&merge);
  alloc_resize(&w->allocator, included_entities, entity_count, 0);
  alloc_resize(&w->allocator, assemblages, count * sizeof *assemblages, 0);
  return succeeded;
}

// --- restoring missing marks

static void derive_row_marks(const assemblage_merge_part_t *part, uint32_t row) {
  columns_t *columns = &part->m->columns;
  for (uint32_t k = 0; k < columns->column_count; ++k) {
    double template_value =
        part->m->schema.fields[k].type == FIELD_F32 ? (double)(float)part->old_values[k] : part->old_values[k];
    double value = columns_get(columns, row, k);
    bool is_parent_link = part->m->id == part->m->world->parent_manager && k == part->m->world->parent_column;
    if (value != template_value && value == value && !is_parent_link)
      columns_mark_touched(columns, k, row, 1);
  }
}

void assemblage_merge_derive_marks(world_o *templates, world_o *w) {
  shoal_assert(world_tracks_touched_fields(w), "cannot derive marks: the world does not track touched values");
  merge_context_t merge = {.old_world = templates, .new_world = w, .a = &w->allocator};
  const entities_t *entities = &w->entities;
  allocate_last_pairs(&merge);
  for (uint32_t i = 1; i < entities->used; ++i) {
    if (!entities->alive[i] || entities->assemblage[i] == 0 || entities->assemblage[i] >= merge.last_pair.count)
      continue;
    const merge_pair_t *pair =
        find_or_create_pair(&merge, entities->assemblage[i], entities->assemblage[i], entities->state[i]);
    for (uint32_t k = 0; k < pair->parts.count; ++k) {
      const assemblage_merge_part_t *part = pair->parts.items[k];
      uint32_t row = ROW_NONE;
      if (part->in_old)
        row = manager_find_instance_row(part->m, get_entity_at_index(entities, i), part->instance);
      if (row != ROW_NONE)
        derive_row_marks(part, row);
    }
  }
  free_merge(&merge);
}
