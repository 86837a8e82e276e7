// Text entries. Typed and pasted text, and the composition of an input method, are part of the input sample; keys and
// the pointer move the cursor and select text. Copied text is kept until the platform fetches it.
#include "ui/text_entry.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "platform/scancodes.h"
#include "ui/events.h"
#include "ui/measure.h"

#include <string.h>

#define REPEAT_AFTER_S 0.4f
#define REPEAT_EVERY_S 0.04f
#define MAX_CHARACTERS 4096u

typedef struct ui_edit_t {
  char text[4 * MAX_CHARACTERS + 8];
  uint32_t count, cursor; // in characters
  uint32_t other;         // other end of the selection; equals `cursor` if nothing is selected
} ui_edit_t;

static void begin_edit(const ui_o *ui, const ui_node_t *n, ui_edit_t *e) {
  const char *text = ui_stored_text(ui, ui->columns.entry.text[n->row]);
  size_t bytes = utf8_offset(text, MAX_CHARACTERS);
  int32_t cursor = ui->columns.entry.cursor[n->row];
  bytes = bytes < sizeof e->text - 8 ? bytes : sizeof e->text - 8;
  memcpy(e->text, text, bytes);
  e->text[bytes] = '\0';
  e->count = utf8_count_characters(e->text);
  e->cursor = cursor < 0 || (uint32_t)cursor > e->count ? e->count : (uint32_t)cursor;
  int64_t other = (int64_t)e->cursor + ui->columns.entry.selection[n->row];
  e->other = other < 0 ? 0 : other > e->count ? e->count : (uint32_t)other;
}

static void move_cursor(ui_edit_t *e, uint32_t to, bool selects) {
  e->cursor = to;
  e->other = selects ? e->other : to;
}

// Erases characters [from, to) and moves the cursor to `from`.
static void erase_range(ui_edit_t *e, uint32_t from, uint32_t to) {
  shoal_assert(from <= to && to <= e->count, "characters %u to %u are out of range (count %u)", from, to, e->count);
  size_t begin = utf8_offset(e->text, from), end = utf8_offset(e->text, to);
  memmove(e->text + begin, e->text + end, strlen(e->text + end) + 1);
  e->count -= to - from;
  move_cursor(e, from, false);
}

static bool erase_selected(ui_edit_t *e) {
  if (e->cursor == e->other)
    return false;
  erase_range(e, e->cursor < e->other ? e->cursor : e->other, e->cursor < e->other ? e->other : e->cursor);
  return true;
}

// Inserts the text at the cursor, replacing the selection. Skips invalid UTF-8, control characters, and characters
// beyond `max`. The limit is MAX_CHARACTERS if `max` is 0 or exceeds it.
static void insert_text(ui_edit_t *e, const char *text, uint32_t max) {
  shoal_assert(e->cursor <= e->count, "cursor %u is out of range (count %u)", e->cursor, e->count);
  max = max > 0 && max < MAX_CHARACTERS ? max : MAX_CHARACTERS;
  if (*text)
    erase_selected(e);
  while (*text) {
    size_t length = utf8_character_length(text);
    if (length > 0 && (unsigned char)*text >= ' ' && *text != 127 && e->count < max) {
      size_t at = utf8_offset(e->text, e->cursor);
      memmove(e->text + at + length, e->text + at, strlen(e->text + at) + 1);
      memcpy(e->text + at, text, length);
      e->count++;
      move_cursor(e, e->cursor + 1, false);
    }
    text += length > 0 ? length : 1;
  }
}

static bool was_pressed(const ui_o *ui, int key) {
  return ui->desc.input->keys[key] && !ui->desc.input_before->keys[key];
}

// Returns 1 if the key acts in this tick: it has just been pressed, or its repeat is due. All keys share one repeat
// timer.
static int count_presses(const ui_o *ui, const ui_node_t *n, int key, const ui_input_t *in) {
  float *held = &ui->columns.widget.held_s[n->widget];
  if (!ui->desc.input->keys[key])
    return 0;
  if (was_pressed(ui, key)) {
    *held = 0;
    return 1;
  }
  *held += (float)in->dt_s;
  if (*held < REPEAT_AFTER_S)
    return 0;
  *held -= REPEAT_EVERY_S;
  return 1;
}

static bool is_any_key_held(const ui_o *ui, int left, int right) {
  return ui->desc.input->keys[left] || ui->desc.input->keys[right];
}

static void apply_key(ui_edit_t *e, int key, bool selects) {
  uint32_t first = e->cursor < e->other ? e->cursor : e->other, last = e->cursor < e->other ? e->other : e->cursor;
  bool leaves = first != last && !selects; // an arrow key then collapses the selection to its end in that direction
  switch (key) {
  case KEY_BACKSPACE:
    if (!erase_selected(e) && e->cursor > 0)
      erase_range(e, e->cursor - 1, e->cursor);
    break;
  case KEY_DELETE:
    if (!erase_selected(e) && e->cursor < e->count)
      erase_range(e, e->cursor, e->cursor + 1);
    break;
  case KEY_LEFT: move_cursor(e, leaves ? first : e->cursor > 0 ? e->cursor - 1 : 0, selects); break;
  case KEY_RIGHT: move_cursor(e, leaves ? last : e->cursor < e->count ? e->cursor + 1 : e->count, selects); break;
  default: break;
  }
}

static void copy_selection(ui_o *ui, const ui_node_t *n, const ui_edit_t *e) {
  uint32_t first = e->cursor < e->other ? e->cursor : e->other, last = e->cursor < e->other ? e->other : e->cursor;
  size_t from = utf8_offset(e->text, first), bytes = utf8_offset(e->text, last) - from;
  if (bytes == 0 || ui->columns.entry.secret[n->row])
    return;
  array_reserve(&ui->allocator, &ui->copied, (uint32_t)bytes + 1);
  memcpy(ui->copied.items, e->text + from, bytes);
  ui->copied.items[bytes] = '\0';
  ui->copied.count = (uint32_t)bytes + 1;
}

static void apply_editing_keys(ui_o *ui, const ui_node_t *n, ui_edit_t *e, const ui_input_t *in) {
  static const int KEYS[] = {KEY_BACKSPACE, KEY_DELETE, KEY_LEFT, KEY_RIGHT};
  bool selects = is_any_key_held(ui, KEY_LEFT_SHIFT, KEY_RIGHT_SHIFT);
  bool control = is_any_key_held(ui, KEY_LEFT_CONTROL, KEY_RIGHT_CONTROL);
  for (uint32_t i = 0; i < sizeof KEYS / sizeof *KEYS; ++i)
    if (count_presses(ui, n, KEYS[i], in) > 0)
      apply_key(e, KEYS[i], selects);
  if (was_pressed(ui, KEY_HOME))
    move_cursor(e, 0, selects);
  if (was_pressed(ui, KEY_END))
    move_cursor(e, e->count, selects);
  if (control && was_pressed(ui, KEY_A)) {
    e->cursor = e->count;
    e->other = 0;
  }
  if (control && (was_pressed(ui, KEY_C) || was_pressed(ui, KEY_X)))
    copy_selection(ui, n, e);
  if (control && was_pressed(ui, KEY_X) && !ui->columns.entry.secret[n->row])
    erase_selected(e);
}

static void end_edit(ui_o *ui, const ui_node_t *n, const ui_edit_t *e) {
  uint32_t text = strings_intern(world_strings(ui->world), e->text);
  shoal_assert(utf8_count_characters(e->text) == e->count, "cached character count is %u, expected %u", e->count,
               utf8_count_characters(e->text));
  ui->columns.entry.cursor[n->row] = e->cursor == e->count ? -1 : (int32_t)e->cursor;
  ui->columns.entry.selection[n->row] = (int32_t)e->other - (int32_t)e->cursor;
  if (text == ui->columns.entry.text[n->row])
    return;
  ui->columns.entry.text[n->row] = text;
  columns_mark_touched(&ui->managers.kinds[UI_ENTRY]->columns, SHOAL_COLUMN_INDEX(entry, text), n->row, 1);
  ui_emit_changed(ui, n, e->count, text);
}

void ui_edit_text(ui_o *ui, uint32_t node, const ui_input_t *in) {
  ui_edit_t e;
  const ui_node_t *n = &ui->nodes.items[node];
  const input_state_t *now = ui->desc.input;
  shoal_assert(n->kind == UI_ENTRY, "widget of kind %d is not an entry", (int)n->kind);
  char text[sizeof now->text + 1] = "", composing[sizeof now->composing + 1] = "";
  memcpy(text, now->text, sizeof now->text);
  memcpy(composing, now->composing, sizeof now->composing);
  ui->columns.entry.composing[n->row] = strings_intern(world_strings(ui->world), composing);
  begin_edit(ui, n, &e);
  if (composing[0] == '\0') // during composition, keys belong to the input method
    apply_editing_keys(ui, n, &e, in);
  insert_text(&e, text, ui->columns.entry.max[n->row]);
  end_edit(ui, n, &e);
  bool by_pad = in->pressed[UI_ACCEPT] && !now->keys[KEY_RETURN] && !now->keys[KEY_KEYPAD_ENTER] && text[0] == '\0' &&
                !now->keys[44]; // scancode 44: the space bar types a space instead of pressing the widget
  if (composing[0] == '\0' && (was_pressed(ui, KEY_RETURN) || was_pressed(ui, KEY_KEYPAD_ENTER) || by_pad))
    ui_emit_submitted(ui, n, ui->columns.entry.text[n->row]);
}

// --- position on screen

static float measure_text_width(ui_o *ui, const ui_look_t *look, const char *text, size_t bytes) {
  char part[4 * MAX_CHARACTERS + 8];
  float width, height;
  memcpy(part, text, bytes);
  part[bytes] = '\0';
  ui_measure_text(ui, part, look, 0, &width, &height);
  return width;
}

void ui_get_entry_text(const ui_o *ui, const ui_node_t *n, char *out, size_t out_bytes) {
  const char *text = ui_stored_text(ui, ui->columns.entry.text[n->row]);
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

size_t ui_entry_first_visible_byte(ui_o *ui, const ui_look_t *look, const char *text, size_t cursor, float max_width) {
  size_t start = 0;
  while (start < cursor && measure_text_width(ui, look, text + start, cursor - start) > max_width) {
    size_t length = utf8_character_length(text + start);
    start += length > 0 ? length : 1;
  }
  return start;
}

void ui_set_entry_cursor(ui_o *ui, const ui_node_t *n, float x, bool selects) {
  char text[4 * MAX_CHARACTERS + 8];
  ui_edit_t e;
  const ui_look_t *look = ui_get_look(ui, n);
  shoal_assert(n->kind == UI_ENTRY, "widget of kind %d is not an entry", (int)n->kind);
  begin_edit(ui, n, &e);
  ui_get_entry_text(ui, n, text, sizeof text);
  size_t start =
      ui_entry_first_visible_byte(ui, look, text, utf8_offset(text, e.cursor), n->width - 2 * look->padding - 4);
  size_t at = start;
  float before = 0, from = n->x + look->padding;
  while (text[at]) {
    size_t length = utf8_character_length(text + at) > 0 ? utf8_character_length(text + at) : 1;
    float width = measure_text_width(ui, look, text + start, at + length - start);
    if (x < from + (before + width) / 2)
      break;
    at += length;
    before = width;
  }
  text[at] = '\0';
  move_cursor(&e, utf8_count_characters(text), selects);
  ui->columns.entry.cursor[n->row] = e.cursor == e.count ? -1 : (int32_t)e.cursor;
  ui->columns.entry.selection[n->row] = (int32_t)e.other - (int32_t)e.cursor;
}

void ui_report_text_input(const ui_o *ui, platform_o *p) {
  const ui_node_t *found = NULL;
  for (uint32_t i = 0; ui->composes && i < ui->nodes.count; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    bool is_entry = n->kind == UI_ENTRY && n->widget < ui->managers.widget->count &&
                    ui->managers.widget->owner[n->widget] == n->entity;
    const uint8_t *focused = widget_columns_of(ui->managers.widget).focused;
    found = is_entry && focused[n->widget] ? n : found;
  }
  if (found)
    platform_set_text_input(p, true, found->x, found->y, found->width, found->height);
  else
    platform_set_text_input(p, false, 0, 0, 0, 0);
}
