// Buttons, sliders, checkboxes and lists: their reactions to input.
#ifndef SHOAL_UI_CONTROLS_H
#define SHOAL_UI_CONTROLS_H

#include "ui/state.h"

// Handles the accept key: presses a button, toggles a checkbox, steps a list or continues a dialogue.
void ui_accept(ui_o *ui, uint32_t node);
// Handles a press of the mouse button.
void ui_press(ui_o *ui, uint32_t node, const ui_input_t *in);
// Handles a movement of the pointer while it holds the widget.
void ui_drag(ui_o *ui, uint32_t node, const ui_input_t *in);
// Handles the release of the mouse button over the widget that it pressed.
void ui_release(ui_o *ui, uint32_t node, const ui_input_t *in);
// Scrolls a list by three rows per notch, or moves a slider by one step.
void ui_handle_wheel(ui_o *ui, uint32_t node, float notches);
// Handle left and right, and up and down. Return true if the widget uses that direction.
bool ui_step_horizontally(ui_o *ui, uint32_t node, int step);
bool ui_step_vertically(ui_o *ui, uint32_t node, int step);

#endif
