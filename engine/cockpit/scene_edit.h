// Saves entities as a scene file of the game.
#ifndef SHOAL_COCKPIT_SCENE_EDIT_H
#define SHOAL_COCKPIT_SCENE_EDIT_H

#include "base/error.h"
#include "base/json_text.h"
#include "cockpit/cockpit.h"

#include <jansson.h>

bool scene_edit_save(cockpit_o *c, const json_t *request, json_text_t *out, error_t *error);

#endif
