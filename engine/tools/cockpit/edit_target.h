// Reads the entity, component, instance, field and value of an edit request.
#ifndef SHOAL_COCKPIT_EDIT_TARGET_H
#define SHOAL_COCKPIT_EDIT_TARGET_H

#include "base/error.h"
#include "base/json_writer.h"
#include "ecs/manager.h"
#include "ecs/world.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

typedef struct target_t {
  world_o *world;
  shoal_entity entity;
  const manager_o *manager;
  uint32_t instance, row; // string id of the instance's name; row, or ROW_NONE if the entity lacks the component
  const char *instance_name;
  int32_t field;
} target_t;

// The following functions fill members of `target` from the request. They return true on success, or false with an
// error. For an unknown component or field, the error suggests the nearest name.
bool edit_resolve_entity(cockpit_o *cockpit, const json_t *request, target_t *target, error_info_t *error);
bool edit_resolve_manager(const json_t *request, target_t *target, error_info_t *error);
// Finds the component and, unless it is a singleton, the entity. Returns true on success, or false with an error.
bool edit_resolve_target(cockpit_o *cockpit, const json_t *request, target_t *target, error_info_t *error);
// Returns true if the entity has the component, otherwise false with an error.
bool edit_require_row(const target_t *target, error_info_t *error);
bool edit_resolve_settable_field(const json_t *request, target_t *target, error_info_t *error);
// Finds the entity, component, instance and field. The row must exist and the field must be settable.
bool edit_resolve_field(cockpit_o *cockpit, const json_t *request, target_t *target, error_info_t *error);
// Reads the bits of a number, a layer's name or a list of names. The field must have named bits (schema/bit_names.h).
// Returns true on success, or false with an error if the value is invalid.
bool edit_read_layers(const target_t *target, const json_t *value, uint32_t *bits, error_info_t *error);
// Writes the value of a request as Lua, converted to the field's type. Returns true on success, or false with an error
// if the field does not accept the value.
bool edit_write_value(const target_t *target, const json_t *value, json_writer_t *t, error_info_t *error);

#endif
