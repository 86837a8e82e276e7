// Text entries: editing, the cursor, and the displayed text.
#ifndef SHOAL_UI_TEXT_ENTRY_H
#define SHOAL_UI_TEXT_ENTRY_H

#include "platform/platform.h"
#include "ui/state.h"

void ui_edit_text(ui_o *ui, uint32_t node, const ui_input_t *in); // handles input of the focused entry
// Opens the on-screen keyboard if the player has pressed the entry with a pad.
void ui_open_keyboard(ui_o *ui, uint32_t node, const ui_input_t *in);
void ui_set_entry_cursor(ui_o *ui, const ui_node_t *n, float x, bool selects); // moves the cursor to the character at x
// Writes the displayed text to `out`, truncated to fit: the entry's text, or dots if the entry is secret.
void ui_get_entry_text(const ui_o *ui, const ui_node_t *n, char *out, size_t bytes);
// Returns the byte offset of the first visible character, chosen so that the text up to the cursor fits in `max_width`
// pixels.
size_t ui_find_first_visible_byte(ui_o *ui, const ui_look_t *look, const char *text, size_t cursor, float max_width);
// Reports to the platform whether an entry has the focus, and the entry's position.
void ui_report_text_input(ui_o *ui, platform_o *platform);

#endif
