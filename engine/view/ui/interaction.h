// Handles focus, keyboard and pointer in a step.
#ifndef SHOAL_UI_INTERACTION_H
#define SHOAL_UI_INTERACTION_H

#include "ui/state.h"

// Handles the input of a local player, or of all devices (-1). Without ui->machine, commands must be deferred.
void ui_interact(ui_o *ui, double dt_s, int32_t player);
// Returns true if a pad control that is bound to the widget action is down.
bool ui_is_held_by_pad(const ui_o *ui, uint32_t action, int32_t player);

#endif
