// Merges edited assemblages into living entities. Entities with the same old and new assemblage and state are collected
// in a pair (pair_t): their templates are the same, so the differences are computed once and applied to all of them.
#include "content/assemblage_merge.h"

#include "base/assert.h"
#include "content/assemblage_merge_parts.h"
#include "content/assemblage_redefine.h"
#include "ecs/command_apply.h"
#include "ecs/destroy_batch.h"
#include "content/former_names.h"
#include "ecs/manager_internal.h"
#include "ecs/structural_changes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The entities with this assemblage and state in the old and in the new version. Names are string ids, which are equal
// in both worlds. All are names of the new version, which entities already have (content/former_names.h).
typedef struct pair_t {
  uint32_t old_name, new_name, old_state, new_state;
  const assemblage_t *old;
  uint32_t now; // number of the new assemblage; 0 if it was removed
  bool differs;
  assemblage_merge_parts_t parts;
  ARRAY(shoal_entity) entities;
} pair_t;

// A child slot whose assemblage differs in the new version, or that the new version lacks (new_name is 0).
typedef struct relabel_t {
  uint32_t parent, old_name, new_name;
} relabel_t;

typedef struct merge_t {
  world_o *from, *to;
  assemblage_merge_report_t report;
  void *report_context;
  assemblage_merge_counts_t *counts;
  error_info_t *error;
  allocator_t *a;
  ARRAY(pair_t *) pairs;
  ARRAY(uint32_t) last_pair; // indexed by string id of the assemblage's name: index + 1 of the last pair looked up
  // `relabels`: child slots whose assemblage changed; `gone`: removed child slots (new_name is 0)
  ARRAY(relabel_t) relabels, gone;
  ARRAY(uint8_t) touched; // indexed by entity: 1 if the merge changed it
  bool by_value;          // compare values instead of marks
  bool reports_added;     // report the components that entities gain
  const uint8_t *only;    // indexed by entity: 1 if the merge applies to it; NULL for all entities
} merge_t;

__attribute__((format(printf, 2, 3))) static void report(merge_t *g, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (g->report)
    g->report(g->report_context, line);
}

static const char *get_text(const merge_t *g, uint32_t id) {
  return strings_text(g->to->strings, id);
}

static bool includes_entity(const merge_t *g, shoal_entity e) {
  return !g->only || g->only[shoal_entity_index(e)];
}

static void mark_changed(merge_t *g, shoal_entity e) {
  uint32_t i = shoal_entity_index(e);
  if (i >= g->touched.count) {
    uint32_t before = g->touched.count;
    array_reserve(g->a, &g->touched, i + 1);
    g->touched.count = g->touched.capacity;
    memset(g->touched.items + before, 0, g->touched.count - before);
  }
  g->counts->entities_touched += !g->touched.items[i];
  g->touched.items[i] = 1;
}

// --- changed children

// `name`: name in the new version; the assemblage may have a former name in the old version.
static const assemblage_t *find_old_assemblage(const merge_t *g, uint32_t name) {
  return assemblage_get(g->from, former_names_find_assemblage(g->from, g->to, name));
}

// Adds the parts that entities of this assemblage and state had in the old version.
static void add_old_parts(const merge_t *g, uint32_t name, uint32_t state, assemblage_merge_parts_t *parts) {
  uint32_t number = former_names_find_assemblage(g->from, g->to, name);
  assemblage_merge_parts_add_old(g->from, assemblage_get(g->from, number),
                                 former_names_find_state(g->from, number, g->to, name, state), g->to, parts);
}

// Returns the assemblage name (string id) of the child named `key`; 0 if `a` has no such child.
static uint32_t find_child_assemblage_name(world_o *w, const assemblage_t *a, uint32_t key) {
  for (uint32_t i = 0; i < a->children.count; ++i)
    if (a->children.items[i].name == key)
      return assemblage_get(w, a->children.items[i].assemblage)->name;
  return 0;
}

static bool compare_children(merge_t *g, const assemblage_t *old, const assemblage_t *now) {
  bool differs = false;
  for (uint32_t i = 0; i < old->children.count; ++i) {
    uint32_t child = assemblage_get(g->from, old->children.items[i].assemblage)->name;
    uint32_t was = former_names_find_current(g->to, child);
    uint32_t is = find_child_assemblage_name(g->to, now, old->children.items[i].name);
    relabel_t x = {now->name, was, is};
    differs |= was != is;
    if (is == 0)
      array_push(g->a, &g->gone, x);
    else if (was != is)
      array_push(g->a, &g->relabels, x);
  }
  for (uint32_t i = 0; i < now->children.count; ++i)
    differs |= find_child_assemblage_name(g->from, old, now->children.items[i].name) == 0;
  return differs;
}

static shoal_entity find_parent(const merge_t *g, shoal_entity e) {
  const manager_o *m = g->to->parent_manager ? g->to->managers.items[g->to->parent_manager - 1] : NULL;
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  if (row == ROW_NONE)
    return SHOAL_ENTITY_NONE;
  shoal_entity parent = ((const shoal_entity *)manager_column(m, g->to->parent_column))[row];
  return is_living(g->to, parent) ? parent : SHOAL_ENTITY_NONE;
}

static uint32_t assemblage_name(const merge_t *g, shoal_entity e) {
  return e == SHOAL_ENTITY_NONE ? 0 : g->to->entities.assemblage[shoal_entity_index(e)];
}

static const relabel_t *find_relabel(const relabel_t *list, uint32_t count, uint32_t parent, uint32_t name) {
  for (uint32_t i = 0; i < count; ++i)
    if (list[i].parent == parent && list[i].old_name == name)
      return &list[i];
  return NULL;
}

// --- pairs

static shoal_entity entity_from_index(const entities_t *s, uint32_t index) {
  return (uint32_t)s->generation[index] << 22 | index;
}

static void allocate_last_pairs(merge_t *g) {
  uint32_t texts = strings_count(g->to->strings);
  array_reserve(g->a, &g->last_pair, texts);
  g->last_pair.count = texts;
  shoal_assert(texts > 0 && g->last_pair.items, "string 0, the empty string, is missing");
  memset(g->last_pair.items, 0, texts * sizeof *g->last_pair.items);
}

static uint32_t choose_new_state(const assemblage_t *now, uint32_t state) {
  if (now->templates.count <= 1)
    return 0;
  for (uint32_t i = 1; i < now->templates.count; ++i)
    if (now->templates.items[i].state == state)
      return state;
  return now->templates.items[1].state;
}

static bool has_new_children(const merge_t *g, const assemblage_t *old, const assemblage_t *now) {
  for (uint32_t i = 0; i < now->children.count; ++i)
    if (find_child_assemblage_name(g->from, old, now->children.items[i].name) == 0)
      return true;
  return false;
}

// Excludes components that only the split of another one has added to entities: they keep the values that the migration
// has moved there, as if a script had added them.
static void keep_split_parts(assemblage_merge_parts_t *parts) {
  for (uint32_t i = 0; i < parts->count; ++i)
    if (parts->items[i]->is_split && !parts->items[i]->in_new)
      parts->items[i]->in_old = false;
}

static pair_t *create_pair(merge_t *g, uint32_t old_name, uint32_t new_name, uint32_t state) {
  pair_t *p = alloc_resize(g->a, NULL, 0, sizeof *p);
  *p = (pair_t){.old_name = old_name, .new_name = new_name, .old_state = state};
  array_push(g->a, &g->pairs, p);
  p->old = find_old_assemblage(g, old_name);
  p->now = world_find_assemblage(g->to, new_name);
  const assemblage_t *now = assemblage_get(g->to, p->now);
  if (!p->old || !now)
    return p;
  p->new_state = choose_new_state(now, state);
  add_old_parts(g, old_name, state, &p->parts);
  assemblage_merge_parts_add_new(g->to, now, p->new_state, &p->parts);
  keep_split_parts(&p->parts);
  for (uint32_t i = 0; i < p->parts.count && !p->differs; ++i) {
    const assemblage_merge_part_t *x = p->parts.items[i];
    p->differs = x->in_old != x->in_new || (x->in_old && assemblage_merge_part_differs(x));
  }
  p->differs |= p->old_state != p->new_state || old_name != new_name || has_new_children(g, p->old, now);
  return p;
}

static pair_t *find_or_create_pair(merge_t *g, uint32_t old_name, uint32_t new_name, uint32_t state) {
  uint32_t *last = &g->last_pair.items[old_name];
  const pair_t *p = *last ? g->pairs.items[*last - 1] : NULL;
  if (p && p->new_name == new_name && p->old_state == state)
    return g->pairs.items[*last - 1];
  for (uint32_t i = 0; i < g->pairs.count; ++i) {
    p = g->pairs.items[i];
    if (p->old_name == old_name && p->new_name == new_name && p->old_state == state) {
      *last = i + 1;
      return g->pairs.items[i];
    }
  }
  *last = g->pairs.count + 1;
  return create_pair(g, old_name, new_name, state);
}

static void collect_pairs(merge_t *g) {
  const entities_t *s = &g->to->entities;
  allocate_last_pairs(g);
  for (uint32_t i = 1; i < s->used; ++i) {
    uint32_t name = s->assemblage[i];
    if (!s->alive[i] || name == 0 || name >= g->last_pair.count || (g->only && !g->only[i]))
      continue;
    shoal_entity e = entity_from_index(s, i);
    const relabel_t *x = NULL;
    if (g->relabels.count > 0)
      x = find_relabel(g->relabels.items, g->relabels.count, assemblage_name(g, find_parent(g, e)), name);
    pair_t *p = find_or_create_pair(g, name, x ? x->new_name : name, s->state[i]);
    if (p->differs || !p->now)
      array_push(g->a, &p->entities, e);
  }
}

// --- applying a pair

static void update_values(merge_t *g, const pair_t *p, const assemblage_merge_part_t *x) {
  uint32_t columns[SCHEMA_MAX_FIELDS], count = 0;
  for (uint32_t k = 0; k < x->m->schema.field_count; ++k)
    if (!(x->old[k] == x->now[k] || (x->old[k] != x->old[k] && x->now[k] != x->now[k])))
      columns[count++] = k;
  for (uint32_t i = 0; i < p->entities.count && count > 0; ++i) {
    shoal_entity e = p->entities.items[i];
    uint32_t row = manager_find_instance_row(x->m, e, x->instance);
    bool kept = false;
    for (uint32_t n = 0, last = UINT32_MAX; row != ROW_NONE && n < count; ++n) {
      uint32_t k = columns[n], first;
      schema_list_columns(&x->m->schema, k, &first);
      bool is_new = first != last; // the columns of a list are changed, or kept, together
      kept = is_new ? assemblage_merge_is_field_overridden(x->m, row, k, x->old, g->by_value) : kept;
      last = first;
      g->counts->values_kept += is_new && kept;
      g->counts->values_changed += is_new && !kept;
      if (kept)
        continue;
      columns_set_unmarked(&x->m->columns, row, k, x->now[k]);
      mark_changed(g, e);
    }
  }
}

// Lists the entities of the pair that lack the part's row or, with `have`, those whose row has no overridden value.
// Returns the number of entities listed.
static uint32_t list_entities(merge_t *g, const pair_t *p, const assemblage_merge_part_t *x, bool have,
                              shoal_entity *out) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->entities.count; ++i) {
    shoal_entity e = p->entities.items[i];
    uint32_t row = manager_find_instance_row(x->m, e, x->instance);
    if ((row != ROW_NONE) != have)
      continue;
    if (have && assemblage_merge_is_row_overridden(x->m, row, x, g->by_value)) {
      g->counts->values_kept++;
      continue;
    }
    out[count++] = e;
    mark_changed(g, e);
  }
  return count;
}

static void remove_components(merge_t *g, const pair_t *p, const assemblage_merge_part_t *x) {
  shoal_entity *list = alloc_resize(g->a, NULL, 0, p->entities.count * sizeof *list);
  uint32_t count = list_entities(g, p, x, true, list);
  g->counts->components_removed += count;
  if (x->m->schema.kind == SCHEMA_COMPONENT && count > 0)
    structure_remove_component_from_many(g->to, x->m, list, count);
  else
    for (uint32_t i = 0; i < count; ++i)
      structure_remove_component(g->to, list[i], x->m, x->instance);
  alloc_resize(g->a, list, p->entities.count * sizeof *list, 0);
}

static void add_components(merge_t *g, const pair_t *p, const assemblage_merge_part_t *x) {
  shoal_entity *list = alloc_resize(g->a, NULL, 0, p->entities.count * sizeof *list);
  uint32_t count = list_entities(g, p, x, false, list);
  g->counts->components_added += count;
  if (g->reports_added && count > 0)
    report(g, "%s: component %s added to %u %s", get_text(g, p->new_name), x->m->schema.name, count,
           count == 1 ? "entity" : "entities");
  if (x->m->schema.kind == SCHEMA_COMPONENT && count > 0)
    structure_add_component_to_many(g->to, x->m, list, count, x->now);
  else
    for (uint32_t i = 0; i < count; ++i)
      structure_add_component(g->to, list[i], x->m, x->instance, x->now);
  alloc_resize(g->a, list, p->entities.count * sizeof *list, 0);
}

static bool spawn_child(merge_t *g, shoal_entity parent, child_t child) {
  world_o *w = g->to;
  commands_t deeper = {0};
  if (!assemblage_update_plan(w, child.assemblage, g->error) ||
      !structure_check_capacity(w, assemblage_get(w, child.assemblage)->tree_size, g->error))
    return false;
  command_t c = {.kind = COMMAND_SPAWN, .a = child.assemblage, .b = parent, .c = child.name};
  c.e = structure_create_entity(w, child.assemblage);
  command_spawn_children(w, c.e, child.assemblage, &deeper);
  structure_spawn_child(w, c.e, c.a, c.b, c.c);
  for (uint32_t i = 0; i < deeper.count; ++i) {
    const command_t *d = &deeper.items[i];
    structure_spawn_child(w, d->e, d->a, d->b, d->c);
  }
  array_free(&w->allocator, &deeper);
  g->counts->children_added++;
  mark_changed(g, parent);
  return true;
}

static bool add_children(merge_t *g, const pair_t *p) {
  const assemblage_t *now = assemblage_get(g->to, p->now);
  for (uint32_t k = 0; k < now->children.count; ++k) {
    child_t child = now->children.items[k];
    if (find_child_assemblage_name(g->from, p->old, child.name) != 0)
      continue;
    for (uint32_t i = 0; i < p->entities.count; ++i)
      if (is_living(g->to, p->entities.items[i]) && !spawn_child(g, p->entities.items[i], child))
        return false;
  }
  return true;
}

static void update_names_and_states(merge_t *g, const pair_t *p) {
  entities_t *s = &g->to->entities;
  const assemblage_t *now = assemblage_get(g->to, p->now);
  for (uint32_t i = 0; i < p->entities.count; ++i) {
    uint32_t at = shoal_entity_index(p->entities.items[i]);
    structure_set_assemblage(g->to, p->entities.items[i], p->new_name);
    if (s->state[at] == p->new_state)
      continue;
    s->state[at] = p->new_state;
    g->counts->states_reset++;
    mark_changed(g, p->entities.items[i]);
  }
  if (p->old_state != 0 && p->new_state != p->old_state)
    report(g, "assemblage %s no longer has state %s: %u entities were reset to state %s", get_text(g, now->name),
           get_text(g, p->old_state), p->entities.count, p->new_state ? get_text(g, p->new_state) : "none");
}

static void report_removed(merge_t *g, const pair_t *p) {
  const char *name = get_text(g, p->old_name), *state = get_text(g, p->old_state);
  if (p->old_state != 0 && p->entities.count == 1)
    report(g,
           "assemblage %s was removed: its only entity in state %s keeps its components and values, but can no "
           "longer enter a state: keep the assemblage until the entity is gone, or destroy and respawn the entity",
           name, state);
  else if (p->old_state != 0)
    report(g,
           "assemblage %s was removed: its %u entities in state %s keep their components and values, but can no "
           "longer enter a state: keep the assemblage until they are gone, or destroy and respawn them",
           name, p->entities.count, state);
  else if (p->entities.count == 1)
    report(g, "assemblage %s was removed: its only entity is unchanged", name);
  else
    report(g, "assemblage %s was removed: its %u entities are unchanged", name, p->entities.count);
}

static bool apply_pair(merge_t *g, pair_t *p) {
  if (!p->now) {
    report_removed(g, p);
    return true;
  }
  if (!p->differs || !p->old)
    return true;
  update_names_and_states(g, p);
  for (uint32_t i = 0; i < p->parts.count; ++i)
    if (p->parts.items[i]->in_old && !p->parts.items[i]->in_new)
      remove_components(g, p, p->parts.items[i]);
  for (uint32_t i = 0; i < p->parts.count; ++i)
    if (p->parts.items[i]->in_new && !p->parts.items[i]->in_old)
      add_components(g, p, p->parts.items[i]);
  for (uint32_t i = 0; i < p->parts.count; ++i)
    if (p->parts.items[i]->in_new && p->parts.items[i]->in_old)
      update_values(g, p, p->parts.items[i]);
  return add_children(g, p);
}

// --- removed children

// Returns true if any field of e was overridden, a component was added to e, or e does not come from an assemblage of
// the old version. Ignores the link to the parent, and a name or transform that the old template lacks.
static bool is_entity_overridden(merge_t *g, shoal_entity e) {
  world_o *w = g->to;
  uint32_t name = assemblage_name(g, e);
  const assemblage_t *old = name ? find_old_assemblage(g, name) : NULL;
  if (!old)
    return true;
  assemblage_merge_parts_t parts = {0};
  add_old_parts(g, name, w->entities.state[shoal_entity_index(e)], &parts);
  bool found = false;
  for (uint32_t i = 0; i < w->managers.count && !found; ++i) {
    const manager_o *m = w->managers.items[i];
    for (uint32_t row = manager_row(m, e); row != ROW_NONE && !found;) {
      const assemblage_merge_part_t *p =
          assemblage_merge_parts_find(&parts, m, m->schema.kind == SCHEMA_MANY ? m->instance[row] : 0);
      bool own = m->id == w->name_manager || m->id == w->parent_manager;
      found = p || own ? p && assemblage_merge_is_row_overridden(m, row, p, g->by_value) : true;
      row = m->schema.kind == SCHEMA_MANY ? m->next[row] : ROW_NONE;
    }
  }
  assemblage_merge_parts_free(w, &parts);
  return found;
}

// Returns an array indexed by entity: 1 if the entity is an overridden child or has an overridden descendant. Needed
// only if children were removed.
static uint8_t *flag_overridden_entities(merge_t *g) {
  const entities_t *s = &g->to->entities;
  uint8_t *kept = alloc_resize(g->a, NULL, 0, s->used);
  memset(kept, 0, s->used);
  const manager_o *m = world_manager(g->to, g->to->parent_manager);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    shoal_entity e = m->owner[row];
    if (find_parent(g, e) == SHOAL_ENTITY_NONE || !is_entity_overridden(g, e))
      continue;
    for (uint32_t depth = 0; e != SHOAL_ENTITY_NONE && !kept[shoal_entity_index(e)] && depth < s->used; ++depth) {
      kept[shoal_entity_index(e)] = 1;
      e = find_parent(g, e);
    }
  }
  return kept;
}

static void remove_children(merge_t *g) {
  const manager_o *m = world_manager(g->to, g->to->parent_manager);
  if (g->gone.count == 0 || !m)
    return;
  uint8_t *kept = flag_overridden_entities(g);
  uint32_t used = g->to->entities.used;
  ARRAY(shoal_entity) list = {0};
  for (uint32_t row = 0; row < m->count; ++row) {
    shoal_entity e = m->owner[row], parent = find_parent(g, e);
    if (!includes_entity(g, e) ||
        !find_relabel(g->gone.items, g->gone.count, assemblage_name(g, parent), assemblage_name(g, e)))
      continue;
    if (kept[shoal_entity_index(e)]) {
      g->counts->values_kept++;
      continue;
    }
    array_push(g->a, &list, e);
    mark_changed(g, parent);
  }
  g->counts->children_removed += list.count;
  if (list.count > 0) {
    structure_add_to_destroy_batch(g->to, list.items, list.count, 0);
    destroy_batch_run(g->to);
  }
  array_free(g->a, &list);
  alloc_resize(g->a, kept, used, 0);
}

// --- singletons: their defaults serve as the template

// Merges a field or a list of a singleton: `count` columns of `m`, starting at column `first`.
static void merge_singleton_field(merge_t *g, manager_o *m, const manager_o *old, uint32_t first, uint32_t count) {
  double was[SCHEMA_MAX_FIELDS] = {0};
  bool differs = false;
  for (uint32_t k = first; k < first + count; ++k) {
    int32_t j = schema_find_field(&old->schema, m->schema.fields[k].name);
    field_type_t type = m->schema.fields[k].type;
    bool is_comparable = j >= 0 && old->schema.fields[j].type == type && type != FIELD_ENUM;
    was[k] = is_comparable ? old->columns.initial[j] : m->columns.initial[k];
    differs |= was[k] != m->columns.initial[k];
  }
  if (!differs)
    return;
  if (assemblage_merge_is_field_overridden(m, 0, first, was, g->by_value)) {
    g->counts->values_kept++;
    return;
  }
  for (uint32_t k = first; k < first + count; ++k)
    columns_set_unmarked(&m->columns, 0, k, m->columns.initial[k]);
  g->counts->values_changed++;
}

static void merge_singletons(merge_t *g) {
  for (uint32_t i = 0; i < g->to->managers.count; ++i) {
    manager_o *m = g->to->managers.items[i];
    const manager_o *old = world_find_manager(g->from, m->schema.name);
    if (m->schema.kind != SCHEMA_SINGLE || !old || old->schema.kind != SCHEMA_SINGLE)
      continue;
    for (uint32_t k = 0, count; k < m->schema.field_count; k += count) {
      uint32_t first;
      count = schema_list_columns(&m->schema, k, &first);
      merge_singleton_field(g, m, old, first, count);
    }
  }
}

// --- merge

static void compare_assemblages(merge_t *g) {
  for (uint32_t i = 0; i < g->from->assemblages.count; ++i) {
    const assemblage_t *old = &g->from->assemblages.items[i];
    uint32_t name = former_names_find_current(g->to, old->name);
    const assemblage_t *now = assemblage_get(g->to, world_find_assemblage(g->to, name));
    if (now)
      compare_children(g, old, now);
  }
}

static void free_merge(merge_t *g) {
  for (uint32_t i = 0; i < g->pairs.count; ++i) {
    pair_t *p = g->pairs.items[i];
    assemblage_merge_parts_free(g->to, &p->parts);
    array_free(g->a, &p->entities);
    alloc_resize(g->a, p, sizeof *p, 0);
  }
  array_free(g->a, &g->pairs);
  array_free(g->a, &g->last_pair);
  array_free(g->a, &g->relabels);
  array_free(g->a, &g->gone);
  array_free(g->a, &g->touched);
}

static void count_assemblages(merge_t *g) {
  for (uint32_t i = 0; i < g->pairs.count; ++i) {
    const pair_t *p = g->pairs.items[i];
    bool first = p->differs;
    for (uint32_t k = 0; k < i && first; ++k)
      first = !(g->pairs.items[k]->differs && g->pairs.items[k]->new_name == p->new_name);
    g->counts->assemblages += first;
  }
}

// Copies `unmarked_columns`: values that were written without marks remain, even if the new version lacks the code that
// wrote them.
static void copy_written_unmarked(const merge_t *g) {
  for (uint32_t id = 1; id <= g->to->managers.count; ++id) {
    manager_o *m = world_manager(g->to, id);
    const manager_o *was = world_find_manager(g->from, m->schema.name);
    for (uint32_t k = 0; was && was->unmarked_columns != 0 && k < m->schema.field_count; ++k) {
      int32_t before = schema_find_field(&was->schema, m->schema.fields[k].name);
      if (before >= 0 && was->unmarked_columns >> before & 1)
        m->unmarked_columns |= UINT64_C(1) << k;
    }
  }
}

static bool run_merge(merge_t *g) {
  bool ok = true;
  shoal_assert(!world_is_deferring(g->to), "cannot merge assemblages while commands are queued");
  compare_assemblages(g);
  g->to->applying = true; // changes requested by hooks are queued
  remove_children(g);
  collect_pairs(g);
  for (uint32_t i = 0; i < g->pairs.count && ok; ++i)
    ok = apply_pair(g, g->pairs.items[i]);
  count_assemblages(g);
  command_apply(g->to);
  free_merge(g);
  return ok;
}

static merge_t create_merge(world_o *from, world_o *to, assemblage_merge_report_t report_line, void *report_context,
                            assemblage_merge_counts_t *counts, error_info_t *error) {
  return (merge_t){.from = from,
                   .to = to,
                   .report = report_line,
                   .report_context = report_context,
                   .counts = counts,
                   .error = error,
                   .a = &to->allocator};
}

bool assemblage_merge_run(world_o *from, world_o *to, assemblage_merge_report_t report_line, void *report_context,
                          assemblage_merge_counts_t *counts, error_info_t *error) {
  merge_t g = create_merge(from, to, report_line, report_context, counts, error);
  copy_written_unmarked(&g);
  merge_singletons(&g);
  return run_merge(&g);
}

bool assemblage_merge_by_value(world_o *from, world_o *to, bool singles, assemblage_merge_report_t report_line,
                               void *report_context, assemblage_merge_counts_t *counts, error_info_t *error) {
  merge_t g = create_merge(from, to, report_line, report_context, counts, error);
  g.by_value = g.reports_added = true;
  if (singles)
    merge_singletons(&g);
  return run_merge(&g);
}

// --- merging within one world

bool assemblage_merge_redefined(world_o *w, const redefined_t *x, assemblage_merge_counts_t *counts,
                                error_info_t *error) {
  world_o before = *w; // read-only; differs from w only in its assemblages
  uint32_t count = w->assemblages.count;
  assemblage_t *list = alloc_resize(&w->allocator, NULL, 0, count * sizeof *list);
  uint32_t indices = w->entities.used;
  uint8_t *only = alloc_resize(&w->allocator, NULL, 0, indices);
  merge_t g = {
      .from = &before, .to = w, .counts = counts, .error = error, .a = &w->allocator, .by_value = true, .only = only};
  if (count > 0)
    memcpy(list, w->assemblages.items, count * sizeof *list);
  for (uint32_t i = 0; i < count; ++i)
    list[i].retired_version = !redefine_is_current_at_version(&list[i], x->version);
  before.assemblages.items = list;
  memset(only, 0, indices);
  for (uint32_t i = 0; i < x->entities.count; ++i)
    if (is_living(w, x->entities.items[i]) && !is_marked(w, x->entities.items[i], MARK_STAGED))
      only[shoal_entity_index(x->entities.items[i])] = 1;
  bool ok = run_merge(&g);
  alloc_resize(&w->allocator, only, indices, 0);
  alloc_resize(&w->allocator, list, count * sizeof *list, 0);
  return ok;
}

// --- restoring missing marks

static void derive_row_marks(const assemblage_merge_part_t *x, uint32_t row) {
  columns_t *c = &x->m->columns;
  for (uint32_t k = 0; k < c->column_count; ++k) {
    double wanted = x->m->schema.fields[k].type == FIELD_F32 ? (double)(float)x->old[k] : x->old[k];
    double value = columns_get(c, row, k);
    bool link = x->m->id == x->m->world->parent_manager && k == x->m->world->parent_column;
    if (value != wanted && value == value && !link)
      columns_mark_touched(c, k, row, 1);
  }
}

void assemblage_merge_derive_marks(world_o *templates, world_o *w) {
  shoal_assert(world_tracks_touched_fields(w), "cannot derive marks: the world does not track touched values");
  merge_t g = {.from = templates, .to = w, .a = &w->allocator};
  const entities_t *s = &w->entities;
  allocate_last_pairs(&g);
  for (uint32_t i = 1; i < s->used; ++i) {
    if (!s->alive[i] || s->assemblage[i] == 0 || s->assemblage[i] >= g.last_pair.count)
      continue;
    const pair_t *p = find_or_create_pair(&g, s->assemblage[i], s->assemblage[i], s->state[i]);
    for (uint32_t k = 0; k < p->parts.count; ++k) {
      const assemblage_merge_part_t *x = p->parts.items[k];
      uint32_t row = ROW_NONE;
      if (x->in_old)
        row = manager_find_instance_row(x->m, entity_from_index(s, i), x->instance);
      if (row != ROW_NONE)
        derive_row_marks(x, row);
    }
  }
  free_merge(&g);
}
