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

static void reverse_component(world_o *from, world_o *to, const rename_t *x) {
  const schema_t *later = &world_manager(from, x->manager)->schema;
  const manager_o *earlier = world_find_manager(to, x->from);
  bool is_whole = x->column >= later->field_count;
  if (!earlier || has_field(from, x->from, x->field) ||
      has_field(to, later->name, is_whole ? "" : later->fields[x->column].name))
    return;
  int32_t column = is_whole ? -1 : schema_find_field(&earlier->schema, x->field);
  if (is_whole)
    world_declare_renamed_field(to, later->name, earlier->id, UINT32_MAX, "");
  else if (column >= 0)
    world_declare_renamed_field(to, later->name, earlier->id, (uint32_t)column, later->fields[x->column].name);
}

// A field is matched by its former names, so the later name becomes one of them.
static void reverse_fields(const schema_t *from, schema_t *to) {
  for (uint32_t i = 0; i < from->field_count; ++i) {
    const field_t *later = &from->fields[i];
    int32_t column = schema_find_field(to, later->name) < 0 ? schema_find_former_field(to, later) : -1;
    field_t *earlier = column >= 0 ? &to->fields[column] : NULL;
    size_t used = earlier ? strlen(earlier->renamed_from) : 0;
    if (earlier && schema_find_field(from, earlier->name) < 0)
      snprintf(earlier->renamed_from + used, sizeof earlier->renamed_from - used, "%s%s", used ? " " : "", later->name);
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

// Returns the name that an assemblage of `from` has in `to`, which may be an earlier name.
static const char *find_earlier_name(world_o *from, world_o *to, const char *name) {
  const former_name_t *x;
  for (uint32_t i = 0; !has_assemblage(to, name) && (x = former_names_get(from, i)); ++i) {
    const char *old = x->text + 1;
    if (x->kind == FORMER_ASSEMBLAGE && strcmp(old + strlen(old) + 1, name) == 0 && has_assemblage(to, old))
      return old;
  }
  return name;
}

static void reverse_former_name(world_o *from, world_o *to, const former_name_t *x) {
  const char *assemblage = x->text, *old = assemblage + strlen(assemblage) + 1, *later = old + strlen(old) + 1;
  if (x->kind == FORMER_ASSEMBLAGE && has_assemblage(to, old) && !has_assemblage(to, later))
    world_declare_renamed_assemblage(to, later, old);
  if (x->kind == FORMER_EVENT && world_find_event(to, old) && !world_find_event(to, later))
    world_declare_renamed_event(to, later, old);
  if (x->kind != FORMER_STATE)
    return;
  assemblage = find_earlier_name(from, to, assemblage);
  if (has_state(to, assemblage, old) && !has_state(to, assemblage, later))
    world_declare_renamed_state(to, assemblage, later, old);
}

static void reverse_system(world_o *from, world_o *to, const system_rename_t *x) {
  char old[COMPONENT_NAME_MAX], later[COMPONENT_NAME_MAX];
  snprintf(old, sizeof old, "%.*s", (int)strcspn(x->from, ":"), x->from);
  snprintf(later, sizeof later, "%.*s", (int)strcspn(x->to, ":"), x->to);
  if (world_find_manager(to, old) && !world_find_manager(to, later) && !world_find_manager(from, old))
    world_declare_renamed_system(to, x->to, x->from);
}

void reverse_renames_declare(world_o *from, world_o *to) {
  const former_name_t *x;
  for (uint32_t i = 0; i < from->renames.count; ++i)
    reverse_component(from, to, &from->renames.items[i]);
  for (uint32_t id = 1; id <= from->managers.count; ++id) {
    manager_o *m = world_find_manager(to, from->managers.items[id - 1]->schema.name);
    if (m)
      reverse_fields(&from->managers.items[id - 1]->schema, &m->schema);
  }
  for (uint32_t id = 1; id <= from->events.count; ++id) {
    event_o *ev = former_names_find_event(to, from->events.items[id - 1]->shared.schema.name);
    if (ev)
      reverse_fields(&from->events.items[id - 1]->shared.schema, &ev->schema);
  }
  for (uint32_t i = 0; (x = former_names_get(from, i)); ++i)
    reverse_former_name(from, to, x);
  for (uint32_t i = 0; i < from->system_renames.count; ++i)
    reverse_system(from, to, &from->system_renames.items[i]);
}
