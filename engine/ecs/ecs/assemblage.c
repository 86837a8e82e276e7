// Assemblages: one template per state, children, and spawn plans. A plan is built on first use, and rebuilt on the
// first use after a declaration or a query was added.
#include "ecs/assemblage.h"

#include "base/assert.h"
#include "ecs/query_internal.h"
#include "ecs/requirements.h"
#include "ecs/world_internal.h"

#include <string.h>

#define MAX_CHILD_DEPTH 64u

bool assemblage_has_children(world_o *w, uint32_t assemblage) {
  return assemblage != 0 && assemblage_get(w, assemblage)->children.count > 0;
}

static void free_template(world_o *w, template_t *t) {
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    const part_t *p = &t->parts.items[i];
    alloc_resize(&w->allocator, p->values, p->value_count * sizeof(double), 0);
    alloc_resize(&w->allocator, p->is_set, p->value_count, 0);
    alloc_resize(&w->allocator, p->elements, p->value_count * sizeof(uint64_t), 0);
  }
  array_free(&w->allocator, &t->parts);
}

static void set_doc(world_o *w, assemblage_t *a, const char *doc) {
  size_t bytes = doc ? strlen(doc) + 1 : 0;
  a->doc = alloc_resize(&w->allocator, a->doc, a->doc ? strlen(a->doc) + 1 : 0, bytes);
  if (bytes)
    memcpy(a->doc, doc, bytes);
}

void assemblage_fini(world_o *w, assemblage_t *a) {
  for (uint32_t k = 0; k < a->templates.count; ++k)
    free_template(w, &a->templates.items[k]);
  array_free(&w->allocator, &a->templates);
  array_free(&w->allocator, &a->children);
  array_free(&w->allocator, &a->plan);
  array_free(&w->allocator, &a->queries);
  set_doc(w, a, NULL);
}

void world_assemblages_clear(world_o *w) {
  shoal_assert(w->commands.count == 0 && w->blocks.count == 0,
               "cannot clear assemblages while commands or spawns are queued");
  for (uint32_t i = 0; i < w->assemblages.count; ++i)
    assemblage_fini(w, &w->assemblages.items[i]);
  w->assemblages.count = 0;
  w->plan_version++;
}

void assemblage_free_all(world_o *w) {
  w->commands.count = 0;
  world_assemblages_clear(w);
  array_free(&w->allocator, &w->assemblages);
}

uint32_t world_find_assemblage(world_o *w, uint32_t name) {
  for (uint32_t i = 0; i < w->assemblages.count; ++i)
    if (w->assemblages.items[i].name == name && w->assemblages.items[i].retired_version == 0)
      return i + 1;
  return 0;
}

uint32_t world_find_assemblage_named(world_o *w, const char *name) {
  if (!name || !name[0])
    return 0;
  const assemblage_t *found = assemblage_get(w, w->last_assemblage);
  if (!found || found->retired_version != 0 || strcmp(strings_text(w->strings, found->name), name) != 0)
    w->last_assemblage = world_find_assemblage(w, strings_find(w->strings, name));
  return w->last_assemblage;
}

uint32_t world_assemblage_declare(world_o *w, uint32_t name) {
  uint32_t number = world_find_assemblage(w, name);
  if (number != 0)
    return number;
  assemblage_t assemblage = {.name = name, .added_version = w->content ? w->content->added_version : 0};
  template_t base = {0};
  array_push(&w->allocator, &assemblage.templates, base);
  array_push(&w->allocator, &w->assemblages, assemblage);
  w->plan_version++;
  return w->assemblages.count;
}

void world_assemblage_set_doc(world_o *w, uint32_t assemblage, const char *doc) {
  set_doc(w, assemblage_get(w, assemblage), doc);
}

template_t *assemblage_find_template(assemblage_t *a, uint32_t state_name) {
  for (uint32_t i = 1; i < a->templates.count; ++i)
    if (a->templates.items[i].state == state_name)
      return &a->templates.items[i];
  return NULL;
}

uint32_t world_assemblage_add_state(world_o *w, uint32_t assemblage, uint32_t state_name) {
  assemblage_t *a = assemblage_get(w, assemblage);
  shoal_assert(a, "unknown assemblage number %u", assemblage);
  if (!a)
    return 0;
  template_t *t = assemblage_find_template(a, state_name);
  if (t)
    return (uint32_t)(t - a->templates.items);
  template_t template = {.state = state_name};
  array_push(&w->allocator, &a->templates, template);
  w->plan_version++;
  return a->templates.count - 1;
}

bool world_assemblage_has_state(world_o *w, uint32_t assemblage, uint32_t state_name) {
  assemblage_t *a = assemblage_get(w, assemblage);
  return a && assemblage_find_template(a, state_name);
}

part_t *template_find_part(template_t *t, uint32_t manager, uint32_t instance) {
  for (uint32_t i = 0; i < t->parts.count; ++i)
    if (t->parts.items[i].manager == manager && t->parts.items[i].instance == instance)
      return &t->parts.items[i];
  return NULL;
}

void assemblage_expire_plan(const world_o *w, assemblage_t *a) {
  a->plan_version = w->plan_version - 1;
}

static template_t *get_template(world_o *w, uint32_t assemblage, uint32_t number) {
  assemblage_t *a = assemblage_get(w, assemblage);
  shoal_assert(a && number < a->templates.count, "template %u of assemblage %u does not exist", number, assemblage);
  return a && number < a->templates.count ? &a->templates.items[number] : NULL;
}

static void set_defaults(world_o *w, part_t *p, const manager_o *m) {
  size_t old_bytes = p->value_count * sizeof(double), bytes = m->columns.column_count * sizeof(double);
  p->values = alloc_resize(&w->allocator, p->values, old_bytes, bytes);
  p->is_set = alloc_resize(&w->allocator, p->is_set, p->value_count, m->columns.column_count);
  p->elements = alloc_resize(&w->allocator, p->elements, old_bytes, bytes);
  p->value_count = m->columns.column_count;
  if (bytes == 0)
    return;
  memcpy(p->values, m->columns.initial, bytes);
  memset(p->is_set, 0, p->value_count);
}

static void add_part(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager, uint32_t instance) {
  template_t *t = get_template(w, assemblage, template_number);
  manager_o *m = world_manager(w, manager);
  shoal_assert(m && m->schema.kind != SCHEMA_SINGLE, "component %u cannot be part of an assemblage", manager);
  shoal_assert(instance == 0 || m->schema.kind == SCHEMA_MANY, "%s has no named instances", m->schema.name);
  if (!t || !m || template_find_part(t, manager, instance))
    return;
  part_t part = {.manager = manager, .instance = instance};
  set_defaults(w, &part, m);
  // Fields that the state does not set keep the values of the base template, if it has the component.
  const part_t *base =
      template_number != 0 ? template_find_part(get_template(w, assemblage, 0), manager, instance) : NULL;
  if (base && base->value_count > 0)
    memcpy(part.values, base->values, base->value_count * sizeof(double));
  array_push(&w->allocator, &t->parts, part);
  w->plan_version++;
}

void world_assemblage_add_component(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                                    uint32_t instance) {
  const manager_o *m = world_manager(w, manager);
  const requirement_t *requirement = m ? requirements_get(w, m) : NULL;
  add_part(w, assemblage, template_number, manager, instance);
  for (uint32_t i = 0; requirement && i < requirement->required.count; ++i)
    if (template_number == 0 || !template_find_part(get_template(w, assemblage, 0), requirement->required.items[i], 0))
      add_part(w, assemblage, template_number, requirement->required.items[i], 0);
}

void world_assemblage_set_field(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                                uint32_t instance, uint32_t column, double value) {
  template_t *t = get_template(w, assemblage, template_number);
  part_t *p = t ? template_find_part(t, manager, instance) : NULL;
  shoal_assert(p && column < p->value_count, "component %u, column %u is not in the template", manager, column);
  if (p && column < p->value_count) {
    const columns_t *c = &world_manager(w, manager)->columns;
    const field_t *f = &c->schema->fields[column];
    p->values[column] = field_is_limited(f) ? field_clamp(f, value, c->initial[column]) : value;
    p->is_set[column] = 1;
    assemblage_expire_plan(w, assemblage_get(w, assemblage));
  }
}

void world_assemblage_add_child(world_o *w, uint32_t assemblage, uint32_t child_name, uint32_t child_assemblage) {
  assemblage_t *a = assemblage_get(w, assemblage);
  shoal_assert(a && assemblage_get(w, child_assemblage), "unknown assemblage number %u or %u", assemblage,
               child_assemblage);
  if (!a || !assemblage_get(w, child_assemblage))
    return;
  child_t child = {.name = child_name, .assemblage = child_assemblage};
  array_push(&w->allocator, &a->children, child);
  w->plan_version++;
}

void assemblage_reset_manager(world_o *w, const manager_o *m) {
  for (uint32_t i = 0; i < w->assemblages.count; ++i) {
    assemblage_t *a = &w->assemblages.items[i];
    for (uint32_t k = 0; k < a->templates.count; ++k)
      for (uint32_t n = 0; n < a->templates.items[k].parts.count; ++n)
        if (a->templates.items[k].parts.items[n].manager == m->id)
          set_defaults(w, &a->templates.items[k].parts.items[n], m);
  }
}

// --- spawn plans

static void encode_values(world_o *w, part_t *p) {
  const columns_t *columns = &world_manager(w, p->manager)->columns;
  columns_encode(columns, p->values, p->elements);
  p->has_links = false;
  for (uint32_t i = 0; i < columns->column_count; ++i)
    p->has_links |= columns->schema->fields[i].type == FIELD_ENTITY;
}

static void plan_parts(world_o *w, assemblage_t *a, template_t *t) {
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    encode_values(w, &t->parts.items[i]);
    part_t p = t->parts.items[i];
    uint32_t index = 0;
    while (index < a->plan.count &&
           (a->plan.items[index].manager != p.manager || a->plan.items[index].instance != p.instance))
      ++index;
    if (index == a->plan.count)
      array_push(&w->allocator, &a->plan, p);
    else
      a->plan.items[index] = p; // replaces the part of template 0
  }
}

static bool plan_disables_component(const world_o *w, const assemblage_t *a, uint32_t manager) {
  bool disables = false;
  for (uint32_t i = 0; w->disabled && manager != w->disabled->id && i < a->plan.count; ++i)
    disables |= a->plan.items[i].manager == w->disabled->id &&
                world_instance_disables_component(w, a->plan.items[i].instance, w->managers.items[manager - 1]);
  return disables;
}

static void plan_queries(world_o *w, assemblage_t *a) {
  uint32_t enabled_count = 0;
  w->plan_managers.count = 0;
  for (uint32_t pass = 0; pass < 2; ++pass, enabled_count = pass == 1 ? w->plan_managers.count : enabled_count)
    for (uint32_t i = 0; i < a->plan.count; ++i)
      if (plan_disables_component(w, a, a->plan.items[i].manager) == (pass == 1))
        array_push(&w->allocator, &w->plan_managers, a->plan.items[i].manager);
  shoal_assert(w->plan_managers.count == a->plan.count, "%u managers, but %u parts in the plan", w->plan_managers.count,
               a->plan.count);
  for (uint32_t i = 0; i < w->queries.count; ++i)
    if (query_matches_set(w->queries.items[i], w->plan_managers.items, enabled_count, w->plan_managers.count))
      array_push(&w->allocator, &a->queries, w->queries.items[i]);
}

static bool build_plan(world_o *w, uint32_t number, uint32_t depth, error_info_t *error) {
  assemblage_t *a = assemblage_get(w, number);
  if (a->plan_version == w->plan_version)
    return true;
  if (depth == MAX_CHILD_DEPTH)
    return error_set(
        error,
        "the children of %s are nested too deeply (at most %u levels): check whether %s is a descendant of itself",
        strings_text(w->strings, a->name), MAX_CHILD_DEPTH, strings_text(w->strings, a->name));
  uint64_t size = 1;
  for (uint32_t i = 0; i < a->children.count; ++i) {
    uint32_t child = a->children.items[i].assemblage;
    if (!build_plan(w, child, depth + 1, error))
      return false;
    size += assemblage_get(w, child)->tree_size;
  }
  a->tree_size = size < SHOAL_ENTITY_MAX_ALIVE ? (uint32_t)size : SHOAL_ENTITY_MAX_ALIVE + 1u;
  a->plan.count = a->queries.count = 0;
  a->repeats_component = false;
  plan_parts(w, a, &a->templates.items[0]);
  if (a->templates.count > 1)
    plan_parts(w, a, &a->templates.items[1]);
  for (uint32_t i = 0; i < a->plan.count; ++i)
    for (uint32_t k = 0; k < i; ++k)
      a->repeats_component |= a->plan.items[i].manager == a->plan.items[k].manager;
  plan_queries(w, a);
  a->plan_version = w->plan_version;
  a->plan_number++;
  return true;
}

bool assemblage_update_plan(world_o *w, uint32_t number, error_info_t *error) {
  return build_plan(w, number, 0, error);
}
