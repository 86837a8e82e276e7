// Text entries. Typed and pasted text, and the composition of an input method, are part of the input sample; keys and
// the pointer move the cursor and select text. Copied text is kept until the platform fetches it.
#include "ui/text_entry.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "platform/scancodes.h"
#include "ui/apply_action.h"
#include "ui/events.h"
#include "ui/interaction.h"
#include "ui/machine.h"
#include "ui/measure.h"
#include "ui/text_edit.h"

#include <stdio.h>
#include <string.h>

#define REPEAT_DELAY_S 0.4f
#define REPEAT_INTERVAL_S 0.04f
static bool is_newly_pressed(const ui_o *ui, int key) {
  return ui->desc.input->keys[key] && !ui->desc.input_before->keys[key];
}

// Returns 1 if the key acts in this tick, because it has just been pressed or its repeat is due; otherwise 0. All keys
// share one repeat timer.
static int count_presses(const ui_o *ui, const ui_node_t *n, int key, const ui_input_t *in) {
  float *hold_time = &ui->columns.widget.held_s[n->widget];
  if (!ui->desc.input->keys[key])
    return 0;
  if (is_newly_pressed(ui, key)) {
    *hold_time = 0;
    return 1;
  }
  *hold_time += (float)in->dt_s;
  if (*hold_time < REPEAT_DELAY_S)
    return 0;
  *hold_time -= REPEAT_INTERVAL_S;
  return 1;
}

static bool is_any_key_held(const ui_o *ui, int left, int right) {
  return ui->desc.input->keys[left] || ui->desc.input->keys[right];
}

static void apply_key(ui_edit_t *edit, int key, bool selects) {
  uint32_t selection_start = edit->cursor < edit->anchor ? edit->cursor : edit->anchor,
           selection_end = edit->cursor < edit->anchor ? edit->anchor : edit->cursor;
  // Without Shift, an arrow key collapses the selection to its end in that direction.
  bool collapses = selection_start != selection_end && !selects;
  switch (key) {
  case KEY_BACKSPACE:
    if (!ui_erase_selected(edit) && edit->cursor > 0)
      ui_erase_range(edit, edit->cursor - 1, edit->cursor);
    break;
  case KEY_DELETE:
    if (!ui_erase_selected(edit) && edit->cursor < edit->count)
      ui_erase_range(edit, edit->cursor, edit->cursor + 1);
    break;
  case KEY_LEFT:
    ui_move_cursor(edit, collapses ? selection_start : edit->cursor > 0 ? edit->cursor - 1 : 0, selects);
    break;
  case KEY_RIGHT:
    ui_move_cursor(edit,
                   collapses                    ? selection_end
                   : edit->cursor < edit->count ? edit->cursor + 1
                                                : edit->count,
                   selects);
    break;
  default: break;
  }
}

static void copy_selection(ui_o *ui, const ui_node_t *n, const ui_edit_t *edit) {
  uint32_t selection_start = edit->cursor < edit->anchor ? edit->cursor : edit->anchor,
           selection_end = edit->cursor < edit->anchor ? edit->anchor : edit->cursor;
  size_t begin_byte = utf8_offset(edit->text, selection_start),
         bytes = utf8_offset(edit->text, selection_end) - begin_byte;
  if (bytes == 0 || ui->columns.entry.secret[n->row])
    return;
  array_reserve(&ui->allocator, &ui->clipboard_text, (uint32_t)bytes + 1);
  memcpy(ui->clipboard_text.items, edit->text + begin_byte, bytes);
  ui->clipboard_text.items[bytes] = '\0';
  ui->clipboard_text.count = (uint32_t)bytes + 1;
}

static void apply_editing_keys(ui_o *ui, const ui_node_t *n, ui_edit_t *edit, const ui_input_t *in) {
  static const int KEYS[] = {KEY_BACKSPACE, KEY_DELETE, KEY_LEFT, KEY_RIGHT};
  bool selects = is_any_key_held(ui, KEY_LEFT_SHIFT, KEY_RIGHT_SHIFT);
  bool is_control_down = is_any_key_held(ui, KEY_LEFT_CONTROL, KEY_RIGHT_CONTROL);
  for (uint32_t i = 0; i < sizeof KEYS / sizeof *KEYS; ++i)
    if (count_presses(ui, n, KEYS[i], in) > 0)
      apply_key(edit, KEYS[i], selects);
  if (is_newly_pressed(ui, KEY_HOME))
    ui_move_cursor(edit, 0, selects);
  if (is_newly_pressed(ui, KEY_END))
    ui_move_cursor(edit, edit->count, selects);
  if (is_control_down && is_newly_pressed(ui, KEY_A)) {
    edit->cursor = edit->count;
    edit->anchor = 0;
  }
  if (is_control_down && (is_newly_pressed(ui, KEY_C) || is_newly_pressed(ui, KEY_X)))
    copy_selection(ui, n, edit);
  if (is_control_down && is_newly_pressed(ui, KEY_X) && !ui->columns.entry.secret[n->row])
    ui_erase_selected(edit);
}

void ui_edit_text(ui_o *ui, uint32_t node, const ui_input_t *in) {
  ui_edit_t edit;
  const ui_node_t *n = &ui->nodes.items[node];
  const input_state_t *input = ui->desc.input;
  shoal_assert(n->kind == UI_ENTRY, "widget of kind %d is not an entry", (int)n->kind);
  char text[sizeof input->text + 1] = "", composing[sizeof input->composing + 1] = "";
  memcpy(text, input->text, sizeof input->text);
  memcpy(composing, input->composing, sizeof input->composing);
  if (ui->machine)
    machine_begin_edit(ui, n, composing);
  else
    ui->columns.entry.composing[n->row] = strings_intern(world_strings(ui->world), composing);
  ui_begin_edit(ui, n, &edit);
  if (composing[0] == '\0') // the input method uses the keys while it composes text
    apply_editing_keys(ui, n, &edit, in);
  ui_insert_text(&edit, text, ui->columns.entry.max[n->row]);
  ui_end_edit(ui, n, &edit);
  if (composing[0] == '\0' && (is_newly_pressed(ui, KEY_RETURN) || is_newly_pressed(ui, KEY_KEYPAD_ENTER)))
    ui_act(ui, n, &(widget_action_t){.kind = WIDGET_ACTION_SUBMIT});
  else if (composing[0] == '\0')
    ui_open_keyboard(ui, node, in);
}

void ui_open_keyboard(ui_o *ui, uint32_t node, const ui_input_t *in) {
  widget_action_t action = {.kind = WIDGET_ACTION_KEYBOARD};
  if (!in->pressed[UI_ACCEPT] || !ui_is_held_by_pad(ui, UI_ACCEPT, in->player))
    return;
  snprintf(action.text, sizeof action.text, "%s", game_strings_language(ui->game_strings));
  ui_act(ui, &ui->nodes.items[node], &action);
}

// --- the on-screen keyboard

// Stores a node that refers to the entity's entry, without a layout. Returns true on success, or false if the entity
// has no entry.
static bool find_entry(ui_o *ui, shoal_entity entity, ui_node_t *out) {
  const manager_o *entries = ui->managers.kinds[UI_ENTRY];
  uint32_t row = manager_row(entries, entity);
  *out = (ui_node_t){.entity = entity, .kind = UI_ENTRY, .row = row};
  if (row == ROW_NONE)
    return false;
  ui_get_columns(ui);
  return true;
}

// Prepares a change by the on-screen keyboard, which is part of the simulation: a system calls ui_type_text and
// ui_submit_entry. Returns true on success, or false if the world has no widgets or the entity has no entry.
static bool begin_typing(ui_o *ui, shoal_entity entity, uint32_t player, ui_node_t *out) {
  if (!ui)
    return false;
  ui->is_simulating = ui->machine != NULL;
  ui->acting_player = player;
  return find_entry(ui, entity, out);
}

static void end_typing(ui_o *ui) {
  if (ui)
    ui->is_simulating = false, ui->acting_player = 0;
}

static void type_text(ui_o *ui, const ui_node_t *n, const char *text, uint32_t erased) {
  ui_edit_t edit;
  ui_begin_edit(ui, n, &edit);
  for (uint32_t i = 0; i < erased; ++i)
    apply_key(&edit, KEY_BACKSPACE, false);
  ui_insert_text(&edit, text, ui->columns.entry.max[n->row]);
  ui_end_edit(ui, n, &edit);
}

bool ui_type_text(world_o *w, shoal_entity entity, uint32_t player, const char *text, uint32_t erased) {
  ui_o *ui = ui_of_world(w);
  ui_node_t n;
  bool found = begin_typing(ui, entity, player, &n);
  if (found)
    type_text(ui, &n, text, erased);
  end_typing(ui);
  return found;
}

void ui_submit_entry(world_o *w, shoal_entity entity, uint32_t player) {
  ui_o *ui = ui_of_world(w);
  ui_node_t n;
  if (begin_typing(ui, entity, player, &n))
    ui_emit_submitted(ui, &n, ui->columns.entry.text[n.row]);
  end_typing(ui);
}

// --- position on screen

static float measure_text_width(ui_o *ui, const ui_look_t *look, const char *text, size_t bytes) {
  char prefix[4 * UI_EDIT_MAX + 8];
  float width, height;
  memcpy(prefix, text, bytes);
  prefix[bytes] = '\0';
  ui_measure_text(ui, prefix, look, 0, &width, &height);
  return width;
}

void ui_get_entry_text(const ui_o *ui, const ui_node_t *n, char *out, size_t out_bytes) {
  const char *text = machine_get_entry_text(ui, n);
  size_t bytes = utf8_offset(text, (uint32_t)(out_bytes / 4) - 2);
  uint32_t count = utf8_count_characters(text);
  if (!ui->columns.entry.secret[n->row]) {
    memcpy(out, text, bytes);
    out[bytes] = '\0';
    return;
  }
  out[0] = '\0';
  for (uint32_t i = 0; i < count && (size_t)(i + 2) * 3 < out_bytes; ++i)
    memcpy(out + 3 * i, "•", sizeof "•");
}

size_t ui_find_first_visible_byte(ui_o *ui, const ui_look_t *look, const char *text, size_t cursor, float max_width) {
  size_t start = 0;
  while (start < cursor && measure_text_width(ui, look, text + start, cursor - start) > max_width) {
    size_t length = utf8_character_length(text + start);
    start += length > 0 ? length : 1;
  }
  return start;
}

void ui_set_entry_cursor(ui_o *ui, const ui_node_t *n, float x, bool selects) {
  char text[4 * UI_EDIT_MAX + 8];
  ui_edit_t edit;
  const ui_look_t *look = ui_get_look(ui, n);
  shoal_assert(n->kind == UI_ENTRY, "widget of kind %d is not an entry", (int)n->kind);
  ui_begin_edit(ui, n, &edit);
  ui_get_entry_text(ui, n, text, sizeof text);
  size_t start =
      ui_find_first_visible_byte(ui, look, text, utf8_offset(text, edit.cursor), n->width - 2 * look->padding - 4);
  size_t byte = start;
  float previous_width = 0, left = n->x + look->padding;
  while (text[byte]) {
    size_t length = utf8_character_length(text + byte) > 0 ? utf8_character_length(text + byte) : 1;
    float width = measure_text_width(ui, look, text + start, byte + length - start);
    if (x < left + (previous_width + width) / 2)
      break;
    byte += length;
    previous_width = width;
  }
  text[byte] = '\0';
  ui_move_cursor(&edit, utf8_count_characters(text), selects);
  ui->columns.entry.cursor[n->row] = edit.cursor == edit.count ? -1 : (int32_t)edit.cursor;
  ui->columns.entry.selection[n->row] = (int32_t)edit.anchor - (int32_t)edit.cursor;
}

void ui_report_text_input(ui_o *ui, platform_o *platform) {
  const ui_node_t *entry = NULL;
  if (ui->machine && ui->is_entry_focused)
    machine_select_player(ui, 0); // the keyboard belongs to the first local player
  for (uint32_t i = 0; ui->is_entry_focused && i < ui->nodes.count; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    bool is_entry = n->kind == UI_ENTRY && n->widget < ui->managers.widget->count &&
                    ui->managers.widget->owner[n->widget] == n->entity;
    entry = is_entry && ui->columns.widget.focused[n->widget] ? n : entry;
  }
  if (entry)
    platform_set_text_input(platform, true, entry->x, entry->y, entry->width, entry->height);
  else
    platform_set_text_input(platform, false, 0, 0, 0, 0);
}
