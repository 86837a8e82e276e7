// Template values of an entity in the old and the new version, converted to components of the new world.
#include "content/assemblage_merge_parts.h"

#include "base/assert.h"
#include "content/merge_rule.h"
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
  assemblage_merge_part_t *part = assemblage_merge_parts_find(parts, m, instance);
  if (part)
    return part;
  shoal_assert(m->world == w, "the part's component belongs to a different world");
  part = alloc_resize(&w->allocator, NULL, 0, sizeof *part);
  *part = (assemblage_merge_part_t){.m = m, .instance = instance};
  array_push(&w->allocator, parts, part);
  return part;
}

void assemblage_merge_parts_free(world_o *w, assemblage_merge_parts_t *parts) {
  for (uint32_t i = 0; i < parts->count; ++i)
    alloc_resize(&w->allocator, parts->items[i], sizeof *parts->items[i], 0);
  array_free(&w->allocator, parts);
}

// --- parts of the old version

// Converts a value of an old template to the new field. String ids are equal in both worlds, so only enums and sets of
// named bits need conversion. A removed choice becomes -1, which equals no new value.
static double convert_value(const field_t *old_field, const field_t *new_field, double value) {
  if (bit_names_exist(old_field) && new_field->type == FIELD_U32)
    return bit_names_convert(old_field, new_field, (uint32_t)value);
  if (old_field->type != FIELD_ENUM || new_field->type != FIELD_ENUM)
    return value;
  const char *choice = field_choice(old_field, (uint32_t)value);
  return field_find_choice(new_field, choice, strlen(choice));
}

static assemblage_merge_part_t *add_old_part(world_o *w, const schema_t *old_schema, const template_t *source_template,
                                             const part_t *old_part, manager_o *manager, bool is_moved,
                                             assemblage_merge_parts_t *out) {
  assemblage_merge_part_t *part = find_or_create_part(w, out, manager, old_part->instance);
  bool is_known = part->old_template == source_template;
  if (is_known && !is_moved)
    return part;
  part->in_old = true;
  part->old_template = source_template;
  for (uint32_t column = 0; column < manager->schema.field_count; ++column) {
    int32_t old_column = world_find_old_field(w, old_schema, &manager->schema, manager->id, column, is_moved);
    if (old_column >= 0)
      part->old_values[column] =
          convert_value(&old_schema->fields[old_column], &manager->schema.fields[column], old_part->values[old_column]);
    else if (!is_known)
      part->old_values[column] = manager->columns.initial[column];
  }
  return part;
}

// Adds the parts of an old template. Components that kept their names come first, so that fields moved into them from
// other components take precedence.
static void add_old_template(world_o *old_world, const template_t *source_template, world_o *w,
                             assemblage_merge_parts_t *out) {
  for (uint32_t i = 0; i < 2 * source_template->parts.count; ++i) {
    bool is_moved = i >= source_template->parts.count;
    const part_t *part = &source_template->parts.items[i % source_template->parts.count];
    const schema_t *schema = &world_manager(old_world, part->manager)->schema;
    manager_o *manager = world_find_manager(w, schema->name);
    // templates cannot name the component until a plugin declares it again
    if (manager && schema_is_kept(&manager->schema))
      continue;
    if (!is_moved && manager && manager->schema.kind != SCHEMA_SINGLE)
      add_old_part(w, schema, source_template, part, manager, false, out);
    for (uint32_t id = 1; is_moved && id <= w->managers.count; ++id)
      if (world_is_component_renamed_to(w, schema->name, id) && world_is_row_source(w, schema, id))
        add_old_part(w, schema, source_template, part, world_manager(w, id), true, out)->is_split |= manager != NULL;
  }
}

static const template_t *find_state_template(const assemblage_t *assemblage, uint32_t state) {
  return state != 0 ? assemblage_find_template((assemblage_t *)(uintptr_t)assemblage, state) : NULL;
}

void assemblage_merge_parts_add_old(world_o *old_world, const assemblage_t *assemblage, uint32_t state, world_o *w,
                                    assemblage_merge_parts_t *out) {
  const template_t *state_template = assemblage ? find_state_template(assemblage, state) : NULL;
  if (assemblage)
    add_old_template(old_world, &assemblage->templates.items[0], w, out);
  if (state_template)
    add_old_template(old_world, state_template, w, out);
}

// --- parts of the new version

static void add_new_template(world_o *w, const template_t *source_template, assemblage_merge_parts_t *out) {
  for (uint32_t i = 0; i < source_template->parts.count; ++i) {
    const part_t *source_part = &source_template->parts.items[i];
    assemblage_merge_part_t *part =
        find_or_create_part(w, out, world_manager(w, source_part->manager), source_part->instance);
    if (part->new_template == source_template)
      continue;
    part->in_new = true;
    part->new_template = source_template;
    for (uint32_t column = 0; column < source_part->value_count; ++column)
      part->new_values[column] = source_part->values[column];
  }
}

void assemblage_merge_parts_add_new(world_o *w, const assemblage_t *assemblage, uint32_t state,
                                    assemblage_merge_parts_t *out) {
  const template_t *state_template = assemblage ? find_state_template(assemblage, state) : NULL;
  if (assemblage)
    add_new_template(w, &assemblage->templates.items[0], out);
  if (state_template)
    add_new_template(w, state_template, out);
}

// --- differences

bool assemblage_merge_part_differs(const assemblage_merge_part_t *part) {
  return merge_has_changed(0, part->m->schema.field_count, part->old_values, part->new_values, MERGE_VALUES);
}
