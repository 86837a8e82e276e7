// Widget events.
#ifndef SHOAL_UI_EVENTS_H
#define SHOAL_UI_EVENTS_H

#include "ui/state.h"

// Emits the built-in event `event` for widget `n`. Does nothing if the world lacks the event. Commands must be
// deferred.
void ui_emit(ui_o *ui, const char *event, const ui_node_t *n, double value, uint32_t text);
// Writes a widget's new value to its bound field, and emits `changed` and the event that its `emits` names.
void ui_emit_changed(ui_o *ui, const ui_node_t *n, double value, uint32_t text);
// Emits `pressed` and the event that the widget's `emits` names, and plays the press sound.
void ui_emit_pressed(ui_o *ui, const ui_node_t *n, double value);
// Emits `entry_submitted` and plays the press sound.
void ui_emit_submitted(ui_o *ui, const ui_node_t *n, uint32_t text);

#endif
