// How buttons, sliders, checkboxes and lists react to the player.
#ifndef SHOAL_UI_CONTROLS_H
#define SHOAL_UI_CONTROLS_H

#include "ui/state.h"

void ui_accept(ui_o *ui, uint32_t node);
void ui_press(ui_o *ui, uint32_t node, const ui_input_t *in); // the mouse, as it goes down
void ui_drag(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_release(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_wheel(ui_o *ui, uint32_t node, float notches);
bool ui_go_aside(ui_o *ui, uint32_t node, int step); // left and right: is it for this widget?
bool ui_go_along(ui_o *ui, uint32_t node, int step); // up and down

#endif
