// Saves entities as one of the game's scene files.
#ifndef SHOAL_COCKPIT_SCENE_SAVE_H
#define SHOAL_COCKPIT_SCENE_SAVE_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Writes the entities of the request's "scene", or all entities, to scenes/NAME.json. Returns true on success, or false
// with an error if the name is invalid, if a scene in Lua has this name, if the file exists and the request does not
// set "replace", if there are no entities, or if the file cannot be written.
bool scene_save_entities(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error);

#endif
