// Saves entities as one of the game's scene files.
#ifndef SHOAL_COCKPIT_SCENE_SAVE_H
#define SHOAL_COCKPIT_SCENE_SAVE_H

#include "base/error.h"
#include "base/json_writer.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

bool scene_save_entities(cockpit_o *c, const json_t *request, json_writer_t *out, error_info_t *error);

#endif
