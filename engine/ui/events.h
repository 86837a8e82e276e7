// Events of widgets, and bindings of widgets to fields of singletons.
#ifndef SHOAL_UI_EVENTS_H
#define SHOAL_UI_EVENTS_H

#include "ui/state.h"

void ui_emit(ui_o *ui, const char *event, const ui_node_t *n, double value, uint32_t text);
void ui_changed(ui_o *ui, const ui_node_t *n, double value, uint32_t text);
void ui_pressed(ui_o *ui, const ui_node_t *n, double value);
void ui_submitted(ui_o *ui, const ui_node_t *n, uint32_t text);
void ui_read_binds(ui_o *ui); // copies the bound fields of singletons to the widgets

#endif
