// Reactions of buttons, sliders, checkboxes and lists to input.
#ifndef SHOAL_UI_CONTROLS_H
#define SHOAL_UI_CONTROLS_H

#include "ui/state.h"

// Handles the accept key: presses a button or the selected item of a list, toggles a checkbox, or continues a dialogue.
// In a list that shows one row, selects the next item.
void ui_accept(ui_o *ui, uint32_t node);
// Handles a press of the mouse button on a widget: moves a slider's handle or an entry's cursor to the pointer.
void ui_press(ui_o *ui, uint32_t node, const ui_input_t *in);
// Handles a movement of the pointer while it holds a slider or the text of an entry.
void ui_drag(ui_o *ui, uint32_t node, const ui_input_t *in);
// Handles the release of the mouse button over the widget that it pressed.
void ui_release(ui_o *ui, uint32_t node, const ui_input_t *in);
// Scrolls a list by three rows per notch, or moves a slider by one step.
void ui_handle_wheel(ui_o *ui, uint32_t node, float notches);
// These functions handle left (`step` -1) and right (1), and up (-1) and down (1). They return true if the widget uses
// the direction.
bool ui_step_horizontally(ui_o *ui, uint32_t node, int step);
bool ui_step_vertically(ui_o *ui, uint32_t node, int step);

#endif
