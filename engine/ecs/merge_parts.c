#include "ecs/merge_parts.h"

#include <string.h>

merge_part_t *merge_parts_find(const merge_parts_t *parts, const manager_o *m, uint32_t instance) {
  for (uint32_t i = 0; i < parts->count; i++)
    if (parts->items[i]->m == m && parts->items[i]->instance == instance)
      return parts->items[i];
  return NULL;
}

static merge_part_t *part_of(world_o *w, merge_parts_t *parts, manager_o *m, uint32_t instance) {
  instance = m->schema.kind == SCHEMA_MANY ? instance : 0;
  merge_part_t *p = merge_parts_find(parts, m, instance);
  if (p)
    return p;
  p = alloc_resize(&w->allocator, NULL, 0, sizeof *p);
  *p = (merge_part_t){.m = m, .instance = instance};
  array_push(&w->allocator, parts, p);
  return p;
}

void merge_parts_free(world_o *w, merge_parts_t *parts) {
  for (uint32_t i = 0; i < parts->count; i++)
    alloc_resize(&w->allocator, parts->items[i], sizeof *parts->items[i], 0);
  array_free(&w->allocator, parts);
}

// --- the old version's words

static const char *choice(const field_t *f, uint32_t number) {
  const char *at = f->choices;
  for (uint32_t i = 0; i < number && i < f->choice_count; i++)
    at += strlen(at) + 1;
  return number < f->choice_count ? at : "";
}

// Ids of texts are the same in both worlds. A choice that is gone is none.
static double value_now(const field_t *from, const field_t *to, double value) {
  if (from->type != FIELD_ENUM || to->type != FIELD_ENUM)
    return value;
  for (uint32_t i = 0; i < to->choice_count; i++)
    if (strcmp(choice(to, i), choice(from, (uint32_t)value)) == 0)
      return i;
  return -1;
}

static int32_t source_of(const world_o *w, const schema_t *from, const manager_o *to, uint32_t k, bool aliased) {
  const field_t *f = &to->schema.fields[k];
  if (aliased) {
    const char *name = world_alias_field(w, from->name, to->id, k);
    return name ? schema_find(from, name) : -1;
  }
  int32_t j = schema_find(from, f->name);
  return j < 0 && f->renamed_from[0] ? schema_find(from, f->renamed_from) : j;
}

static void add_old(world_o *w, const schema_t *from, const part_t *p, manager_o *to, bool aliased,
                    merge_parts_t *out) {
  merge_part_t *x = part_of(w, out, to, p->instance);
  if (x->in_old)
    return; // template 0 comes first and wins over the state
  x->in_old = true;
  for (uint32_t k = 0; k < to->schema.field_count; k++) {
    int32_t j = source_of(w, from, to, k, aliased);
    x->old[k] = j < 0 ? to->columns.initial[k] : value_now(&from->fields[j], &to->schema.fields[k], p->values[j]);
  }
}

static void add_old_template(world_o *from, const template_t *t, world_o *w, merge_parts_t *out) {
  for (uint32_t i = 0; i < t->parts.count; i++) {
    const part_t *p = &t->parts.items[i];
    const schema_t *schema = &world_manager(from, p->manager)->schema;
    manager_o *to = world_find_manager(w, schema->name);
    if (to && to->schema.kind != SCHEMA_SINGLE)
      add_old(w, schema, p, to, false, out);
    for (uint32_t id = 1; !to && id <= w->managers.count; id++)
      if (world_alias_names(w, schema->name, id))
        add_old(w, schema, p, world_manager(w, id), true, out);
  }
}

static const template_t *template_of(const assemblage_t *of, uint32_t state) {
  return state != 0 ? assemblage_template((assemblage_t *)(uintptr_t)of, state) : NULL;
}

void merge_parts_old(world_o *from, const assemblage_t *of, uint32_t state, world_o *w, merge_parts_t *out) {
  const template_t *t = of ? template_of(of, state) : NULL;
  if (of)
    add_old_template(from, &of->templates.items[0], w, out);
  if (t)
    add_old_template(from, t, w, out);
}

// --- the new version's

static void add_new_template(world_o *w, const template_t *t, merge_parts_t *out) {
  for (uint32_t i = 0; i < t->parts.count; i++) {
    const part_t *p = &t->parts.items[i];
    merge_part_t *x = part_of(w, out, world_manager(w, p->manager), p->instance);
    if (x->in_new)
      continue;
    x->in_new = true;
    for (uint32_t k = 0; k < p->value_count; k++)
      x->now[k] = p->values[k];
  }
}

void merge_parts_new(world_o *w, const assemblage_t *of, uint32_t state, merge_parts_t *out) {
  const template_t *t = of ? template_of(of, state) : NULL;
  if (of)
    add_new_template(w, &of->templates.items[0], out);
  if (t)
    add_new_template(w, t, out);
}

// --- differences

static bool same_number(double a, double b) {
  return a == b || (a != a && b != b);
}

bool merge_part_differs(const merge_part_t *p) {
  for (uint32_t k = 0; k < p->m->schema.field_count; k++)
    if (!same_number(p->old[k], p->now[k]))
      return true;
  return false;
}

static bool is_shown(const manager_o *m, uint32_t k) {
  return !(m->schema.fields[k].flags & (FIELD_HIDDEN | FIELD_READ_ONLY)) && m->schema.fields[k].type != FIELD_MAT4;
}

bool merge_is_touched(const manager_o *m, uint32_t row, uint32_t k, double value) {
  if (columns_marks(&m->columns, k))
    return columns_is_touched(&m->columns, row, k);
  if (m->schema.fields[k].type == FIELD_F32)
    value = (double)(float)value;
  return !same_number(columns_get(&m->columns, row, k), value);
}

// Where nobody keeps marks, a child's link to its parent looks like something that somebody has set.
static bool is_link(const manager_o *m, uint32_t k) {
  const world_o *w = m->world;
  return m->id == w->parent_manager && k == w->parent_column && !columns_marks(&m->columns, k);
}

bool merge_is_row_touched(const manager_o *m, uint32_t row, const merge_part_t *p) {
  for (uint32_t k = 0; k < m->schema.field_count; k++)
    if (is_shown(m, k) && !is_link(m, k) &&
        (p ? merge_is_touched(m, row, k, p->old[k]) : columns_is_touched(&m->columns, row, k)))
      return true;
  return false;
}
