// Values of the fields to which widgets are bound: fields of singletons and entities.
#ifndef SHOAL_UI_BOUND_FIELDS_H
#define SHOAL_UI_BOUND_FIELDS_H

#include "ui/state.h"

void ui_read_binds(ui_o *ui); // copies the bound fields to the widgets
// Writes a widget's new value to its bound field. Does nothing if the widget is not bound.
void ui_write_bind(ui_o *ui, const ui_node_t *n, double value, uint32_t text);

#endif
