// Edits of scenes in Lua (scenes/NAME.lua) as proposed changes.
#ifndef SHOAL_COCKPIT_LEVEL_SCENE_H
#define SHOAL_COCKPIT_LEVEL_SCENE_H

#include "cockpit/proposals.h"

// Edits a scene, { "scene": NAME, "edits": […] }, in order:
//
// | "do"            | members                                                                                           |
// |-----------------|---------------------------------------------------------------------------------------------------|
// | "add"           | entity: an object with "assemblage", "name" and "components", the values of each by field         |
// | "set", "remove" | entity: an index in the list of entities, from 0; was (optional): its expected "name" and         |
// |                 | "assemblage". For "set", component, instance and values by field, or null to remove the component |
// |                 | from the file; or members: "name", "assemblage" and "state"; null removes the member              |
bool level_scene_propose(proposal_t *proposal, error_info_t *error);

#endif
