// Follows the renames of components and fields that edits refer to.
#include "cockpit/edit_names.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"

#include <stdio.h>
#include <string.h>

uint32_t edit_names_add(cockpit_o *cockpit, const char *component, const char *field) {
  edit_name_t name = {0};
  shoal_assert(strlen(component) < sizeof name.component && strlen(field) < sizeof name.field, "too long: %s.%s",
               component, field);
  snprintf(name.component, sizeof name.component, "%s", component);
  snprintf(name.field, sizeof name.field, "%s", field);
  for (uint32_t i = 0; i < cockpit->edit_names.count; ++i)
    if (strcmp(cockpit->edit_names.items[i].component, component) == 0 &&
        strcmp(cockpit->edit_names.items[i].field, field) == 0)
      return i;
  array_push(&cockpit->memory, &cockpit->edit_names, name);
  return cockpit->edit_names.count - 1;
}

static void follow_component(world_o *w, edit_name_t *name) {
  for (uint32_t id = 1; !world_find_manager(w, name->component) && id <= world_manager_count(w); ++id)
    if (world_is_component_renamed_to(w, name->component, id))
      snprintf(name->component, sizeof name->component, "%s", world_manager(w, id)->schema.name);
}

static void follow_field(world_o *w, edit_name_t *name) {
  const manager_o *manager = world_find_manager(w, name->component);
  if (!manager || !name->field[0] || schema_find_field(&manager->schema, name->field) >= 0)
    return;
  int32_t column = schema_find_renamed_field(&manager->schema, name->field);
  if (column >= 0)
    snprintf(name->field, sizeof name->field, "%s", manager->schema.fields[column].name);
}

void edit_names_follow_renames(cockpit_o *cockpit) {
  const game_o *game = host_game(cockpit->host);
  if (!game || world_number(game->world) == cockpit->names_world)
    return;
  cockpit->names_world = world_number(game->world);
  for (uint32_t i = 0; i < cockpit->edit_names.count; ++i) {
    follow_component(game->world, &cockpit->edit_names.items[i]);
    follow_field(game->world, &cockpit->edit_names.items[i]);
  }
}

const manager_o *edit_names_find(const cockpit_o *cockpit, uint32_t number, uint32_t *column, error_info_t *error) {
  const game_o *game = host_game(cockpit->host);
  shoal_assert(number < cockpit->edit_names.count, "name %u is out of range (count %u)", number,
               cockpit->edit_names.count);
  const edit_name_t *name = &cockpit->edit_names.items[number];
  const manager_o *manager = game ? world_find_manager(game->world, name->component) : NULL;
  int32_t index = manager && name->field[0] ? schema_find_field(&manager->schema, name->field) : 0;
  if (!manager || index < 0) {
    error_set(error, "the game no longer declares %s%s%s, which the edit has changed", name->component,
              manager ? "." : "", manager ? name->field : "");
    return NULL;
  }
  *column = (uint32_t)index;
  return manager;
}
