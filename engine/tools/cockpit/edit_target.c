// Reads the entity, component, instance, field and value of an edit request.
#include "cockpit/edit_target.h"

#include "base/assert.h"
#include "base/json_value.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit_text.h"
#include "cockpit/request.h"
#include "ecs/name_hint.h"
#include "schema/bit_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool edit_resolve_entity(cockpit_o *cockpit, const json_t *request, target_t *target, error_info_t *error) {
  const json_t *entity = json_object_get(request, "entity");
  const char *text = json_string_value(entity);
  game_o *game = host_game(cockpit->host);
  if (!game)
    return error_set(error, COCKPIT_NO_GAME);
  target->world = game->world;
  if (text && strcmp(text, "picked") == 0) {
    target->entity = cockpit->selected_count > 0 ? cockpit->selected[0] : 0;
    return world_is_alive(target->world, target->entity) || error_set(error, "no entity is selected: select one first");
  }
  if (!json_is_integer(entity) || json_integer_value(entity) <= 0 || json_integer_value(entity) > UINT32_MAX)
    return request_reject_member(request, "entity", error, "an entity id (an integer)");
  target->entity = (shoal_entity)json_integer_value(entity);
  return world_is_alive(target->world, target->entity) || error_set(error, "entity %u is not alive", target->entity);
}

bool edit_resolve_manager(const json_t *request, target_t *target, error_info_t *error) {
  char hint[HINT_BYTES];
  const char *name = json_string_value(json_object_get(request, "component"));
  const char *instance = json_string_value(json_object_get(request, "instance"));
  if (!name)
    return request_reject_member(request, "component", error, "a component name");
  target->manager = world_find_manager(target->world, name);
  if (!target->manager)
    return error_set(error, "unknown component %.64s%s", name, hint_component(target->world, name, hint));
  target->instance_name = instance ? instance : "";
  target->instance = target->instance_name[0] ? strings_find(world_strings(target->world), target->instance_name) : 0;
  if (target->instance_name[0] && target->manager->schema.kind != SCHEMA_MANY)
    return error_set(error, "%s has no named instances: omit “instance”", name);
  bool found = !target->instance_name[0] || target->instance > 0;
  target->row = target->manager->schema.kind == SCHEMA_SINGLE ? 0
                : found ? manager_find_instance_row(target->manager, target->entity, target->instance)
                        : ROW_NONE;
  return true;
}

bool edit_resolve_target(cockpit_o *cockpit, const json_t *request, target_t *target, error_info_t *error) {
  const char *name = json_string_value(json_object_get(request, "component"));
  game_o *game = host_game(cockpit->host);
  const manager_o *manager = game && name ? world_find_manager(game->world, name) : NULL;
  if (manager && manager->schema.kind == SCHEMA_SINGLE) { // a singleton has no entity
    target->world = game->world;
    return edit_resolve_manager(request, target, error);
  }
  return edit_resolve_entity(cockpit, request, target, error) && edit_resolve_manager(request, target, error);
}

bool edit_require_row(const target_t *target, error_info_t *error) {
  return target->row != ROW_NONE ||
         error_set(error, "entity %u has no %s%s%s", target->entity, target->manager->schema.name,
                   target->instance_name[0] ? " " : "", target->instance_name);
}

// Returns the column of a field (for a list, the column that stores its length), or -1 if the field is unknown.
static int32_t find_field(const schema_t *schema, const char *name) {
  char label[FIELD_NAME_MAX];
  for (uint32_t i = 0; i < schema->field_count; ++i)
    if (schema->fields[i].flags & FIELD_IS_COUNT && strcmp(field_label(&schema->fields[i], label), name) == 0)
      return (int32_t)i;
  int32_t found = schema_find_field(schema, name);
  return found >= 0 && schema->fields[found].flags & FIELD_IS_OF_LIST ? -1 : found;
}

bool edit_resolve_settable_field(const json_t *request, target_t *target, error_info_t *error) {
  char hint[HINT_BYTES];
  const char *name = json_string_value(json_object_get(request, "field"));
  if (!name)
    return request_reject_member(request, "field", error, "a field name");
  target->field = find_field(&target->manager->schema, name);
  if (target->field < 0)
    return error_set(error, "%s has no field %.48s%s", target->manager->schema.name, name,
                     hint_field(&target->manager->schema, name, hint));
  const field_t *field = &target->manager->schema.fields[target->field];
  if (!field_is_settable(field))
    return error_set(error, "%s.%s is read-only", target->manager->schema.name, field->name);
  return true;
}

bool edit_resolve_field(cockpit_o *cockpit, const json_t *request, target_t *target, error_info_t *error) {
  *target = (target_t){0};
  return edit_resolve_target(cockpit, request, target, error) && edit_require_row(target, error) &&
         edit_resolve_settable_field(request, target, error);
}

static bool reject_value(const target_t *target, const json_t *value, const char *expected, error_info_t *error) {
  const field_t *field = &target->manager->schema.fields[target->field];
  char description[JSON_VALUE_BYTES];
  return error_set(error, "%s.%s must be %s, got %s", target->manager->schema.name, field->name, expected,
                   json_value_describe(value, description));
}

static bool reject_choice(const target_t *target, const char *choice, error_info_t *error) {
  const field_t *field = &target->manager->schema.fields[target->field];
  char hint[HINT_BYTES];
  return error_set(error, "%s.%s has no choice %.64s%s", target->manager->schema.name, field->name, choice,
                   hint_choice(field, choice, hint));
}

bool edit_read_layers(const target_t *target, const json_t *value, uint32_t *bits, error_info_t *error) {
  const field_t *field = &target->manager->schema.fields[target->field];
  char hint[HINT_BYTES];
  double number = json_number_value(value);
  uint32_t bit = 0;
  *bits = 0;
  if (json_is_number(value)) {
    *bits = number >= 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
    return *bits == number || reject_value(target, value, "an integer from 0 to 4294967295", error);
  }
  size_t name_count = json_is_array(value) ? json_array_size(value) : 1;
  for (size_t i = 0; i < name_count; ++i, *bits |= bit) {
    const char *name = json_string_value(json_is_array(value) ? json_array_get(value, i) : value);
    if (!name)
      return reject_value(target, value, "a layer's name, a list of names or a number", error);
    if (!bit_names_find(field, name, strlen(name), &bit))
      return error_set(error, "%s.%s: unknown layer %.64s%s", target->manager->schema.name, field->name, name,
                       hint_choice(field, name, hint));
  }
  return true;
}

static bool write_layers(const target_t *target, const json_t *value, json_writer_t *t, error_info_t *error) {
  uint32_t bits;
  bool ok = edit_read_layers(target, value, &bits, error);
  if (ok)
    edit_write_number(t, bits);
  return ok;
}

// Writes a list as a string literal that contains JSON. SQL validates its elements. Returns true on success, or false
// with an error if the value is not a list.
static bool write_list(const target_t *target, const json_t *value, json_writer_t *t, error_info_t *error) {
  if (!json_is_array(value))
    return reject_value(target, value, "a list", error);
  char *text = json_dumps(value, JSON_COMPACT);
  if (text)
    edit_write_text(t, text);
  free(text);
  return text || error_set(error, "cannot write the list as JSON");
}

bool edit_write_value(const target_t *target, const json_t *value, json_writer_t *t, error_info_t *error) {
  shoal_assert(target->field >= 0, "the target has no field");
  const field_t *field = &target->manager->schema.fields[target->field];
  double number = json_number_value(value);
  const char *text = json_string_value(value);
  if (field->flags & FIELD_IS_COUNT)
    return write_list(target, value, t, error);
  switch (field->type) {
  case FIELD_F32:
  case FIELD_F64:
    if (!json_is_number(value) || !isfinite(number))
      return reject_value(target, value, "a number", error);
    edit_write_number(t, number);
    return true;
  case FIELD_BOOL:
    if (!json_is_boolean(value))
      return reject_value(target, value, "true or false", error);
    json_write_text(t, json_is_true(value) ? "true" : "false");
    return true;
  case FIELD_ENUM:
    if (!text || field_find_choice(field, text, strlen(text)) < 0)
      return text ? reject_choice(target, text, error)
                  : reject_value(target, value, "a string that names a choice", error);
    edit_write_text(t, text);
    return true;
  case FIELD_STRING:
  case FIELD_ASSET:
    if (!text)
      return reject_value(target, value, "a string", error);
    edit_write_text_n(t, text, json_string_length(value));
    return true;
  default:
    if (bit_names_exist(field))
      return write_layers(target, value, t, error);
    if (!json_is_number(value) || number != floor(number) || fabs(number) > 0x1p53)
      return reject_value(target, value, field->type == FIELD_ENTITY ? "an entity id or 0" : "an integer", error);
    edit_write_number(t, number);
    return true;
  }
}
