// Spawns, finds and changes entities, for the functions of <shoal/world.h>. Functions that fail call access_fail.
#ifndef SHOAL_ACCESS_ENTITIES_H
#define SHOAL_ACCESS_ENTITIES_H

#include "ecs/world.h"
#include "shoal/world.h"

typedef struct access_spawn_t {
  const char *assemblage; // name of the assemblage; NULL or "" for an entity without components
  const shoal_field_value *settings;
  uint32_t count;
  shoal_entity *tree; // receives the ids of the entity and its descendants; may be NULL
  uint32_t tree_capacity;
} access_spawn_t;

shoal_entity access_spawn_entity(world_o *w, const access_spawn_t *desc); // returns the root entity, or 0 on failure
uint32_t access_spawn_entities(world_o *w, const char *assemblage, uint32_t count, shoal_entity *out);

// Adds components to a living entity and sets fields. Returns true on success. Returns false without a change if e is
// dead, if a setting is invalid, or if there are too many settings.
bool access_add_components(world_o *w, shoal_entity e, const shoal_field_value *settings, uint32_t count);
// Converts a string to the number stored in a field: the id of a string or asset, or the index of a choice. Interns new
// strings if `interns`. Returns true on success, or false for a string not interned, an unknown choice or other types.
bool access_parse_value(world_o *w, const schema_t *schema, const field_t *field, const char *text, bool interns,
                        double *out);

// Returns the first entity with this name; 0 if not found.
shoal_entity access_find_entity(world_o *w, const char *name);
bool access_enter_state(world_o *w, shoal_entity e, const char *state);
const char *access_get_state(world_o *w, shoal_entity e);
// Return the name or the assemblage of an entity, or "" if the entity has no name or no assemblage. A dead entity keeps
// both until its index is reused. `reads_queue`: also returns the name of an entity whose spawn is queued.
const char *access_get_name(world_o *w, shoal_entity e, bool reads_queue);
const char *access_get_assemblage(world_o *w, shoal_entity e);

#endif
