// Template values of one entity in the old and in the new version, converted to components of the new world.
#include "content/assemblage_merge_parts.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "schema/bit_names.h"

#include <string.h>

assemblage_merge_part_t *assemblage_merge_parts_find(const assemblage_merge_parts_t *parts, const manager_o *m,
                                                     uint32_t instance) {
  for (uint32_t i = 0; i < parts->count; ++i)
    if (parts->items[i]->m == m && parts->items[i]->instance == instance)
      return parts->items[i];
  return NULL;
}

static assemblage_merge_part_t *find_or_create_part(world_o *w, assemblage_merge_parts_t *parts, manager_o *m,
                                                    uint32_t instance) {
  instance = m->schema.kind == SCHEMA_MANY ? instance : 0;
  assemblage_merge_part_t *p = assemblage_merge_parts_find(parts, m, instance);
  if (p)
    return p;
  shoal_assert(m->world == w, "the part's component belongs to another world");
  p = alloc_resize(&w->allocator, NULL, 0, sizeof *p);
  *p = (assemblage_merge_part_t){.m = m, .instance = instance};
  array_push(&w->allocator, parts, p);
  return p;
}

void assemblage_merge_parts_free(world_o *w, assemblage_merge_parts_t *parts) {
  for (uint32_t i = 0; i < parts->count; ++i)
    alloc_resize(&w->allocator, parts->items[i], sizeof *parts->items[i], 0);
  array_free(&w->allocator, parts);
}

// --- parts of the old version

// Converts a value of an old template to the new field. String ids are equal in both worlds, so only enums and sets of
// named bits need conversion. A removed choice becomes -1, which equals no new value.
static double convert_value(const field_t *from, const field_t *to, double value) {
  if (bit_names_exist(from) && to->type == FIELD_U32)
    return bit_names_convert(from, to, (uint32_t)value);
  if (from->type != FIELD_ENUM || to->type != FIELD_ENUM)
    return value;
  const char *text = field_choice(from, (uint32_t)value);
  return field_find_choice(to, text, strlen(text));
}

static assemblage_merge_part_t *add_old_part(world_o *w, const schema_t *from, const template_t *t, const part_t *p,
                                             manager_o *to, bool moved, assemblage_merge_parts_t *out) {
  assemblage_merge_part_t *x = find_or_create_part(w, out, to, p->instance);
  bool is_known = x->old_from == t;
  if (is_known && !moved)
    return x;
  x->in_old = true;
  x->old_from = t;
  for (uint32_t k = 0; k < to->schema.field_count; ++k) {
    int32_t j = world_find_old_field(w, from, &to->schema, to->id, k, moved);
    if (j >= 0)
      x->old[k] = convert_value(&from->fields[j], &to->schema.fields[k], p->values[j]);
    else if (!is_known)
      x->old[k] = to->columns.initial[k];
  }
  return x;
}

// First adds components that kept their names, so that fields moved into them from other components take precedence.
static void add_old_template(world_o *from, const template_t *t, world_o *w, assemblage_merge_parts_t *out) {
  for (uint32_t i = 0; i < 2 * t->parts.count; ++i) {
    bool moved = i >= t->parts.count;
    const part_t *p = &t->parts.items[i % t->parts.count];
    const schema_t *schema = &world_manager(from, p->manager)->schema;
    manager_o *to = world_find_manager(w, schema->name);
    if (!moved && to && to->schema.kind != SCHEMA_SINGLE)
      add_old_part(w, schema, t, p, to, false, out);
    for (uint32_t id = 1; moved && id <= w->managers.count; ++id)
      if (world_is_component_renamed_to(w, schema->name, id) && world_is_row_source(w, schema, id))
        add_old_part(w, schema, t, p, world_manager(w, id), true, out)->is_split |= to != NULL;
  }
}

static const template_t *find_state_template(const assemblage_t *of, uint32_t state) {
  return state != 0 ? assemblage_find_template((assemblage_t *)(uintptr_t)of, state) : NULL;
}

void assemblage_merge_parts_add_old(world_o *from, const assemblage_t *of, uint32_t state, world_o *w,
                                    assemblage_merge_parts_t *out) {
  const template_t *t = of ? find_state_template(of, state) : NULL;
  if (of)
    add_old_template(from, &of->templates.items[0], w, out);
  if (t)
    add_old_template(from, t, w, out);
}

// --- parts of the new version

static void add_new_template(world_o *w, const template_t *t, assemblage_merge_parts_t *out) {
  for (uint32_t i = 0; i < t->parts.count; ++i) {
    const part_t *p = &t->parts.items[i];
    assemblage_merge_part_t *x = find_or_create_part(w, out, world_manager(w, p->manager), p->instance);
    if (x->now_from == t)
      continue;
    x->in_new = true;
    x->now_from = t;
    for (uint32_t k = 0; k < p->value_count; ++k)
      x->now[k] = p->values[k];
  }
}

void assemblage_merge_parts_add_new(world_o *w, const assemblage_t *of, uint32_t state, assemblage_merge_parts_t *out) {
  const template_t *t = of ? find_state_template(of, state) : NULL;
  if (of)
    add_new_template(w, &of->templates.items[0], out);
  if (t)
    add_new_template(w, t, out);
}

// --- differences

static bool is_same_number(double a, double b) {
  return a == b || (a != a && b != b);
}

bool assemblage_merge_part_differs(const assemblage_merge_part_t *p) {
  for (uint32_t k = 0; k < p->m->schema.field_count; ++k)
    if (!is_same_number(p->old[k], p->now[k]))
      return true;
  return false;
}

static bool is_settable(const manager_o *m, uint32_t k) {
  return field_is_settable(&m->schema.fields[k]);
}

static bool is_column_overridden(const manager_o *m, uint32_t row, uint32_t k, double value, bool by_value) {
  if (!by_value && columns_is_touched(&m->columns, row, k))
    return true;
  if (!by_value && columns_get_marks(&m->columns, k) && !(m->unmarked_columns >> k & 1))
    return false;
  if (m->schema.fields[k].type == FIELD_F32)
    value = (double)(float)value;
  return !is_same_number(columns_get(&m->columns, row, k), value);
}

bool assemblage_merge_is_field_overridden(const manager_o *m, uint32_t row, uint32_t k, const double *values,
                                          bool by_value) {
  uint32_t first, count = schema_list_columns(&m->schema, k, &first);
  for (uint32_t i = first; i < first + count; ++i)
    if (is_column_overridden(m, row, i, values[i], by_value))
      return true;
  return false;
}

// Returns true if the field is a child's link to its parent and is compared by value (because of `by_value`, or because
// the column has no marks): such a link would otherwise look like an overridden value.
static bool is_parent_link(const manager_o *m, uint32_t k, bool by_value) {
  const world_o *w = m->world;
  return m->id == w->parent_manager && k == w->parent_column && (by_value || !columns_get_marks(&m->columns, k));
}

bool assemblage_merge_is_row_overridden(const manager_o *m, uint32_t row, const assemblage_merge_part_t *p,
                                        bool by_value) {
  for (uint32_t k = 0; k < m->schema.field_count; ++k)
    if (is_settable(m, k) && !is_parent_link(m, k, by_value) &&
        (p ? assemblage_merge_is_field_overridden(m, row, k, p->old, by_value)
           : columns_is_touched(&m->columns, row, k)))
      return true;
  return false;
}
