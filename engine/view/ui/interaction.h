// Handles focus, keyboard and pointer in a step.
#ifndef SHOAL_UI_INTERACTION_H
#define SHOAL_UI_INTERACTION_H

#include "ui/state.h"

// Handles this tick's input. Commands must be deferred.
void ui_interact(ui_o *ui, double dt_s);
// Returns true if a control of a pad that is bound to the action is down.
bool ui_is_held_by_pad(const ui_o *ui, uint32_t action);

#endif
