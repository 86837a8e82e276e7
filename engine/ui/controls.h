// Reactions of buttons, sliders, checkboxes and lists to input.
#ifndef SHOAL_UI_CONTROLS_H
#define SHOAL_UI_CONTROLS_H

#include "ui/state.h"

void ui_accept(ui_o *ui, uint32_t node);
// Handles a press of the mouse button.
void ui_press(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_drag(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_release(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_wheel(ui_o *ui, uint32_t node, float notches);
// Handle left/right (ui_go_aside) and up/down (ui_go_along). Return false if the widget does not use that direction.
bool ui_go_aside(ui_o *ui, uint32_t node, int step);
bool ui_go_along(ui_o *ui, uint32_t node, int step);

#endif
