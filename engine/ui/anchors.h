// Widgets that hang on an entity of the world.
#ifndef SHOAL_UI_ANCHORS_H
#define SHOAL_UI_ANCHORS_H

#include "ui/state.h"

typedef enum ui_hanging_t { UI_HANGS_NOT, UI_HANGS, UI_HANGS_UNSEEN } ui_hanging_t;
void ui_find_hanging(ui_o *ui); // before a layout
// Does it hang on an entity, and where is that on the screen?
ui_hanging_t ui_hangs(const ui_o *ui, shoal_entity e, float *x, float *y);
void ui_drop_hanging(ui_o *ui); // those of the dead

#endif
