// Changes of an entry's text: by keys and the pointer (text_entry.c), and by player actions (apply_action.c).
#ifndef SHOAL_UI_TEXT_EDIT_H
#define SHOAL_UI_TEXT_EDIT_H

#include "ui/state.h"

#define UI_EDIT_MAX 4096u // maximum number of characters per entry

typedef struct ui_edit_t {
  char text[4 * UI_EDIT_MAX + 8];
  uint32_t count, cursor; // number of characters; position of the cursor, in characters
  uint32_t anchor;        // opposite end of the selection; equals `cursor` if nothing is selected
} ui_edit_t;

// Copies the entry's text, cursor and selection. While the simulation runs, which stores no cursor, the cursor is at
// the end.
void ui_begin_edit(const ui_o *ui, const ui_node_t *n, ui_edit_t *edit);
void ui_move_cursor(ui_edit_t *edit, uint32_t position, bool selects);
// Erases characters [first, end) and moves the cursor to `first`.
void ui_erase_range(ui_edit_t *edit, uint32_t first, uint32_t end);
// Erases the selected characters. Returns true on success, or false if nothing is selected.
bool ui_erase_selected(ui_edit_t *edit);
// Inserts the text at the cursor, replacing the selection. Skips invalid UTF-8, control characters, and characters that
// would make the edited text longer than `max` characters (UI_EDIT_MAX if `max` is 0 or larger than UI_EDIT_MAX).
void ui_insert_text(ui_edit_t *edit, const char *text, uint32_t max);
// Stores the text, and the cursor unless the simulation runs: the cursor belongs to the machine that edits the entry.
// In a game that declares players, queues the edit as an action instead of storing the text, unless the simulation
// runs.
void ui_end_edit(ui_o *ui, const ui_node_t *n, const ui_edit_t *edit);
// Replaces `erased` characters starting at `start` with `text`, as far as the entry's maximum allows.
void ui_apply_edit(ui_o *ui, const ui_node_t *n, uint32_t start, uint32_t erased, const char *text);

#endif
