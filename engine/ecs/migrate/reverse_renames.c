// Declares the replaced world's renames in the opposite direction.
#include "migrate/reverse_renames.h"

#include "content/former_names.h"
#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

// Returns true if the world has the component and its field; any field if `field` is "".
static bool has_field(world_o *w, const char *component, const char *field) {
  const manager_o *m = world_find_manager(w, component);
  return m && (!field[0] || schema_find_field(&m->schema, field) >= 0);
}

static void reverse_component(world_o *later_world, world_o *earlier_world, const rename_t *renaming) {
  const schema_t *later = &world_manager(later_world, renaming->manager)->schema;
  const manager_o *earlier = world_find_manager(earlier_world, renaming->from);
  bool is_whole = renaming->column >= later->field_count;
  if (!earlier || has_field(later_world, renaming->from, renaming->field) ||
      has_field(earlier_world, later->name, is_whole ? "" : later->fields[renaming->column].name))
    return;
  int32_t column = is_whole ? -1 : schema_find_field(&earlier->schema, renaming->field);
  if (is_whole)
    world_declare_renamed_field(earlier_world, later->name, earlier->id, UINT32_MAX, "");
  else if (column >= 0)
    world_declare_renamed_field(earlier_world, later->name, earlier->id, (uint32_t)column,
                                later->fields[renaming->column].name);
}

// Adds the later name of each renamed field to the earlier field's former names, by which a migration finds the field.
static void reverse_fields(const schema_t *later_schema, schema_t *earlier_schema, allocator_t *a,
                           reverse_renames_t *before) {
  for (uint32_t i = 0; i < later_schema->field_count; ++i) {
    const field_t *later = &later_schema->fields[i];
    int32_t column =
        schema_find_field(earlier_schema, later->name) < 0 ? schema_find_former_field(earlier_schema, later) : -1;
    field_t *earlier = column >= 0 ? &earlier_schema->fields[column] : NULL;
    if (!earlier || schema_find_field(later_schema, earlier->name) >= 0)
      continue;
    array_push(a, &before->fields, ((reversed_field_t){earlier, strlen(earlier->renamed_from)}));
    field_add_former_name(earlier, a, later->name);
  }
}

static bool has_assemblage(world_o *w, const char *name) {
  return world_find_assemblage(w, strings_find(w->strings, name)) != 0;
}

static bool has_state(world_o *w, const char *assemblage, const char *state) {
  uint32_t number = world_find_assemblage(w, strings_find(w->strings, assemblage));
  uint32_t id = strings_find(w->strings, state);
  return number != 0 && id != 0 && world_assemblage_has_state(w, number, id);
}

// Returns the name that an assemblage of `later_world` has in `earlier_world`: a former name if `earlier_world` lacks
// `name`.
static const char *find_earlier_name(world_o *later_world, world_o *earlier_world, const char *name) {
  const former_name_t *former_name;
  for (uint32_t i = 0; !has_assemblage(earlier_world, name) && (former_name = former_names_get(later_world, i)); ++i) {
    const char *earlier_name = former_name->text + 1;
    if (former_name->kind == FORMER_ASSEMBLAGE && strcmp(earlier_name + strlen(earlier_name) + 1, name) == 0 &&
        has_assemblage(earlier_world, earlier_name))
      return earlier_name;
  }
  return name;
}

static void reverse_former_name(world_o *later_world, world_o *earlier_world, const former_name_t *former_name) {
  const char *assemblage = former_name->text, *earlier_name = assemblage + strlen(assemblage) + 1,
             *later_name = earlier_name + strlen(earlier_name) + 1;
  if (former_name->kind == FORMER_ASSEMBLAGE && has_assemblage(earlier_world, earlier_name) &&
      !has_assemblage(earlier_world, later_name))
    world_declare_renamed_assemblage(earlier_world, later_name, earlier_name);
  if (former_name->kind == FORMER_EVENT && world_find_event(earlier_world, earlier_name) &&
      !world_find_event(earlier_world, later_name))
    world_declare_renamed_event(earlier_world, later_name, earlier_name);
  if (former_name->kind != FORMER_STATE)
    return;
  assemblage = find_earlier_name(later_world, earlier_world, assemblage);
  if (has_state(earlier_world, assemblage, earlier_name) && !has_state(earlier_world, assemblage, later_name))
    world_declare_renamed_state(earlier_world, assemblage, later_name, earlier_name);
}

static void reverse_system(world_o *later_world, world_o *earlier_world, const system_rename_t *renaming) {
  char earlier_component[COMPONENT_NAME_MAX], later_component[COMPONENT_NAME_MAX];
  snprintf(earlier_component, sizeof earlier_component, "%.*s", (int)strcspn(renaming->from, ":"), renaming->from);
  snprintf(later_component, sizeof later_component, "%.*s", (int)strcspn(renaming->to, ":"), renaming->to);
  if (world_find_manager(earlier_world, earlier_component) && !world_find_manager(earlier_world, later_component) &&
      !world_find_manager(later_world, earlier_component))
    world_declare_renamed_system(earlier_world, renaming->to, renaming->from);
}

void reverse_renames_declare(world_o *later_world, world_o *earlier_world, reverse_renames_t *before) {
  const former_name_t *former_name;
  allocator_t *a = &earlier_world->allocator;
  before->components = earlier_world->renames.count;
  before->systems = earlier_world->system_renames.count;
  before->former_names = former_names_count(earlier_world);
  for (uint32_t i = 0; i < later_world->renames.count; ++i)
    reverse_component(later_world, earlier_world, &later_world->renames.items[i]);
  for (uint32_t id = 1; id <= later_world->managers.count; ++id) {
    manager_o *m = world_find_manager(earlier_world, later_world->managers.items[id - 1]->schema.name);
    if (m)
      reverse_fields(&later_world->managers.items[id - 1]->schema, &m->schema, a, before);
  }
  for (uint32_t id = 1; id <= later_world->events.count; ++id) {
    event_o *event = former_names_find_event(earlier_world, later_world->events.items[id - 1]->shared.schema.name);
    if (event)
      reverse_fields(&later_world->events.items[id - 1]->shared.schema, &event->schema, a, before);
  }
  for (uint32_t i = 0; (former_name = former_names_get(later_world, i)); ++i)
    reverse_former_name(later_world, earlier_world, former_name);
  for (uint32_t i = 0; i < later_world->system_renames.count; ++i)
    reverse_system(later_world, earlier_world, &later_world->system_renames.items[i]);
}

uint32_t reverse_renames_end(world_o *earlier_world, reverse_renames_t *before, bool forgets) {
  allocator_t *a = &earlier_world->allocator;
  uint32_t count = before->fields.count + earlier_world->renames.count - before->components +
                   earlier_world->system_renames.count - before->systems + former_names_count(earlier_world) -
                   before->former_names;
  if (forgets) {
    earlier_world->renames.count = before->components;
    earlier_world->system_renames.count = before->systems;
    former_names_cut(earlier_world, before->former_names);
    for (uint32_t i = before->fields.count; i-- > 0;)
      field_cut_former_names(before->fields.items[i].field, a, before->fields.items[i].former_bytes);
  }
  array_free(a, &before->fields);
  return count;
}
