// Places of widgets on the screen.
#ifndef SHOAL_UI_LAYOUT_H
#define SHOAL_UI_LAYOUT_H

#include "ui/state.h"

// Reads the places of the last layout from the columns, for drawing: after a step back in time the world differs from
// the one that was laid out last.
void ui_look_again(ui_o *ui);

#endif
