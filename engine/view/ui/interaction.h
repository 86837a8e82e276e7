// Handles focus, keyboard and pointer in a step.
#ifndef SHOAL_UI_INTERACTION_H
#define SHOAL_UI_INTERACTION_H

#include "ui/state.h"

// Handles this tick's input. Commands must be deferred.
void ui_interact(ui_o *ui, double dt_s);

#endif
