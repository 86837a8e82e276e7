// Edits of scenes in Lua (scenes/NAME.lua) as proposed changes.
#ifndef SHOAL_COCKPIT_LEVEL_SCENE_H
#define SHOAL_COCKPIT_LEVEL_SCENE_H

#include "cockpit/proposals.h"

// Edits a scene: { "scene": NAME, "edits": [{ "do": "add", "set" or "remove", … }] }. See engine/docs/cockpit.md.
bool level_scene_propose(proposal_t *x, error_info_t *error);

#endif
