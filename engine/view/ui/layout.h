// Positions of widgets on the screen.
#ifndef SHOAL_UI_LAYOUT_H
#define SHOAL_UI_LAYOUT_H

#include "ui/state.h"

// Prepares drawing. If the world has been replaced since the last layout, for example by a rewind, rebuilds the nodes
// from the positions stored in the columns. In a game that declares players, updates the layout instead.
void ui_restore_layout(ui_o *ui);

#endif
