// Storage of a game's input actions, which scripts and plugins read through ui.h.
#ifndef SHOAL_UI_ACTIONS_H
#define SHOAL_UI_ACTIONS_H

#include "base/alloc.h"
#include "ecs/world.h"
#include "ui/ui_types.h"

typedef struct actions_o actions_o;

actions_o *actions_create(allocator_t *allocator);
void actions_destroy(actions_o *actions);
// Returns the name of an action, borrowed, or NULL if `index` is out of range.
const char *actions_get_name(const actions_o *actions, uint32_t index);
// Returns true while the player is rebinding a key (scripts/shoal/kit/input.lua).
bool actions_are_rebound(world_o *w, const actions_o *actions);
// Returns true if the player has just pressed an action that presses the buttons which emit `event`. Ignores keys while
// the player types, and all input while the player is rebinding a key. `player`: a local player; -1: all devices.
bool actions_press_button(const ui_o *ui, const char *event, int32_t player);

#endif
