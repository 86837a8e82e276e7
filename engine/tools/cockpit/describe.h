// Writes the game, its schema, state, systems, entities and errors as JSON.
#ifndef SHOAL_COCKPIT_DESCRIBE_H
#define SHOAL_COCKPIT_DESCRIBE_H

#include "base/json_writer.h"
#include "ecs/world.h"

typedef struct cockpit_o cockpit_o;

// Each function writes fields of the open object of `out`, or the list of rows that its comment describes.
void describe_game(cockpit_o *cockpit, json_writer_t *out);
void describe_schema(cockpit_o *cockpit, json_writer_t *out);
void describe_state(cockpit_o *cockpit, json_writer_t *out);
void describe_errors(cockpit_o *cockpit, json_writer_t *out);
void describe_systems(cockpit_o *cockpit, json_writer_t *out); // writes a list of rows with describe_system_columns
// Writes a list of rows: [[component, instance, field, value, touched, template, part], …]. Returns true on success, or
// false if the entity is not alive.
bool describe_entity(cockpit_o *cockpit, shoal_entity entity, json_writer_t *out);
extern const char *const describe_system_columns[];
extern const char *const describe_entity_columns[];

#endif
