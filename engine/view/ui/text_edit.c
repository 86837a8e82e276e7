// Edits the text of an entry. Positions count characters, not bytes: UTF-8 stores a character in 1 to 4 bytes.
#include "ui/text_edit.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "ui/events.h"
#include "ui/machine.h"

#include <string.h>

void ui_begin_edit(const ui_o *ui, const ui_node_t *n, ui_edit_t *edit) {
  const char *text = machine_get_entry_text(ui, n);
  size_t bytes = utf8_offset(text, UI_EDIT_MAX);
  int32_t cursor = ui->is_simulating ? -1 : ui->columns.entry.cursor[n->row];
  bytes = bytes < sizeof edit->text - 8 ? bytes : sizeof edit->text - 8;
  memcpy(edit->text, text, bytes);
  edit->text[bytes] = '\0';
  edit->count = utf8_count_characters(edit->text);
  edit->cursor = cursor < 0 || (uint32_t)cursor > edit->count ? edit->count : (uint32_t)cursor;
  int64_t anchor = (int64_t)edit->cursor + (ui->is_simulating ? 0 : ui->columns.entry.selection[n->row]);
  edit->anchor = anchor < 0 ? 0 : anchor > edit->count ? edit->count : (uint32_t)anchor;
}

void ui_move_cursor(ui_edit_t *edit, uint32_t position, bool selects) {
  edit->cursor = position;
  edit->anchor = selects ? edit->anchor : position;
}

void ui_erase_range(ui_edit_t *edit, uint32_t first, uint32_t end) {
  shoal_assert(first <= end && end <= edit->count, "characters %u to %u are out of range (count %u)", first, end,
               edit->count);
  size_t begin_byte = utf8_offset(edit->text, first), end_byte = utf8_offset(edit->text, end);
  memmove(edit->text + begin_byte, edit->text + end_byte, strlen(edit->text + end_byte) + 1);
  edit->count -= end - first;
  ui_move_cursor(edit, first, false);
}

bool ui_erase_selected(ui_edit_t *edit) {
  if (edit->cursor == edit->anchor)
    return false;
  ui_erase_range(edit, edit->cursor < edit->anchor ? edit->cursor : edit->anchor,
                 edit->cursor < edit->anchor ? edit->anchor : edit->cursor);
  return true;
}

void ui_insert_text(ui_edit_t *edit, const char *text, uint32_t max) {
  shoal_assert(edit->cursor <= edit->count, "cursor %u is out of range (count %u)", edit->cursor, edit->count);
  max = max > 0 && max < UI_EDIT_MAX ? max : UI_EDIT_MAX;
  if (*text)
    ui_erase_selected(edit);
  while (*text) {
    size_t length = utf8_character_length(text);
    if (length > 0 && (unsigned char)*text >= ' ' && *text != 127 && edit->count < max) {
      size_t byte = utf8_offset(edit->text, edit->cursor);
      memmove(edit->text + byte + length, edit->text + byte, strlen(edit->text + byte) + 1);
      memcpy(edit->text + byte, text, length);
      edit->count++;
      ui_move_cursor(edit, edit->cursor + 1, false);
    }
    text += length > 0 ? length : 1;
  }
}

static void store_text(ui_o *ui, const ui_node_t *n, const ui_edit_t *edit) {
  uint32_t text = strings_intern(world_strings(ui->world), edit->text);
  if (text == ui->columns.entry.text[n->row])
    return;
  ui->columns.entry.text[n->row] = text;
  columns_mark_touched(&ui->managers.kinds[UI_ENTRY]->columns, SHOAL_COLUMN_INDEX(entry, text), n->row, 1);
  ui_emit_changed(ui, n, edit->count, text);
}

static void store_cursor(ui_o *ui, const ui_node_t *n, const ui_edit_t *edit) {
  ui->columns.entry.cursor[n->row] = edit->cursor == edit->count ? -1 : (int32_t)edit->cursor;
  ui->columns.entry.selection[n->row] = (int32_t)edit->anchor - (int32_t)edit->cursor;
}

void ui_end_edit(ui_o *ui, const ui_node_t *n, const ui_edit_t *edit) {
  shoal_assert(utf8_count_characters(edit->text) == edit->count, "cached character count is %u, expected %u",
               edit->count, utf8_count_characters(edit->text));
  if (!ui->is_simulating)
    store_cursor(ui, n, edit);
  if (ui->machine && !ui->is_simulating)
    machine_edit(ui, n, edit->text);
  else
    store_text(ui, n, edit);
}

void ui_apply_edit(ui_o *ui, const ui_node_t *n, uint32_t start, uint32_t erased, const char *text) {
  ui_edit_t edit;
  ui_begin_edit(ui, n, &edit);
  start = start < edit.count ? start : edit.count;
  ui_erase_range(&edit, start, erased < edit.count - start ? start + erased : edit.count);
  ui_insert_text(&edit, text, ui->columns.entry.max[n->row]);
  ui_end_edit(ui, n, &edit);
}
