// Text entries.
#ifndef SHOAL_UI_TEXT_ENTRY_H
#define SHOAL_UI_TEXT_ENTRY_H

#include "ui/state.h"

void ui_write(ui_o *ui, uint32_t node, const ui_input_t *in);                    // an entry with the focus
void ui_point_at_text(ui_o *ui, const ui_node_t *n, float x, bool selects);      // the cursor goes there
void ui_show_entry(const ui_o *ui, const ui_node_t *n, char *out, size_t bytes); // its text, or dots
// The first byte that is shown, so that what is before the cursor fits into the room.
size_t ui_entry_start(ui_o *ui, const ui_look_t *look, const char *text, size_t cursor, float room);
// Tells the platform whether an entry has the focus, and where it is.
void ui_ask_for_text(const ui_o *ui, platform_o *p);

#endif
