// Writing: what was typed and what an input method is composing come with the sample, and keys move the cursor.
#include "ui/ui_internal.h"
#include "ui/utf8.h"

#include "base/assert.h"

#include <string.h>

// SDL's scancodes: keys by their place, whatever the layout.
enum {
  KEY_RETURN = 40,
  KEY_ESCAPE = 41,
  KEY_BACKSPACE = 42,
  KEY_HOME = 74,
  KEY_DELETE = 76,
  KEY_END = 77,
  KEY_RIGHT = 79,
  KEY_LEFT = 80,
  KEY_KEYPAD_ENTER = 88
};

#define REPEAT_AFTER_S 0.4f
#define REPEAT_EVERY_S 0.04f
#define MOST_CHARACTERS 4096u

typedef struct ui_edit_t {
  char text[4 * MOST_CHARACTERS + 8];
  uint32_t count, cursor; // characters
} ui_edit_t;

static void begin_edit(const ui_o *ui, const ui_node_t *n, ui_edit_t *e) {
  const char *text = ui_text(ui, ui->at.entry.text[n->row]);
  size_t bytes = utf8_offset(text, MOST_CHARACTERS);
  int32_t cursor = ui->at.entry.cursor[n->row];
  bytes = bytes < sizeof e->text - 8 ? bytes : sizeof e->text - 8;
  memcpy(e->text, text, bytes);
  e->text[bytes] = '\0';
  e->count = utf8_count(e->text);
  e->cursor = cursor < 0 || (uint32_t)cursor > e->count ? e->count : (uint32_t)cursor;
}

static void erase(ui_edit_t *e, uint32_t at) {
  if (at >= e->count)
    return;
  size_t from = utf8_offset(e->text, at), to = utf8_offset(e->text, at + 1);
  memmove(e->text + from, e->text + to, strlen(e->text + to) + 1);
  e->count--;
}

// One character after the other; what makes no sense, and control characters, are left out.
static void insert(ui_edit_t *e, const char *text, uint32_t most) {
  shoal_assert(e->cursor <= e->count, "character %u of %u", e->cursor, e->count);
  most = most > 0 && most < MOST_CHARACTERS ? most : MOST_CHARACTERS;
  while (*text) {
    size_t length = utf8_length(text);
    if (length > 0 && (unsigned char)*text >= ' ' && *text != 127 && e->count < most) {
      size_t at = utf8_offset(e->text, e->cursor);
      memmove(e->text + at + length, e->text + at, strlen(e->text + at) + 1);
      memcpy(e->text + at, text, length);
      e->count++;
      e->cursor++;
    }
    text += length > 0 ? length : 1;
  }
}

static bool was_pressed(const ui_o *ui, int key) {
  return ui->desc.input->keys[key] && !ui->desc.input_before->keys[key];
}

// How often a held key counts in this tick; one key at a time repeats.
static int times_of(const ui_o *ui, const ui_node_t *n, int key, const ui_input_t *in) {
  float *held = &ui->at.widget.held_s[n->widget];
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

static void use_editing_keys(const ui_o *ui, const ui_node_t *n, ui_edit_t *e, const ui_input_t *in) {
  static const int KEYS[] = {KEY_BACKSPACE, KEY_DELETE, KEY_LEFT, KEY_RIGHT};
  for (uint32_t i = 0; i < sizeof KEYS / sizeof *KEYS; ++i) {
    if (times_of(ui, n, KEYS[i], in) == 0)
      continue;
    if (KEYS[i] == KEY_BACKSPACE && e->cursor > 0)
      erase(e, --e->cursor);
    else if (KEYS[i] == KEY_DELETE)
      erase(e, e->cursor);
    else if (KEYS[i] == KEY_LEFT && e->cursor > 0)
      e->cursor--;
    else if (KEYS[i] == KEY_RIGHT && e->cursor < e->count)
      e->cursor++;
  }
  if (was_pressed(ui, KEY_HOME))
    e->cursor = 0;
  if (was_pressed(ui, KEY_END))
    e->cursor = e->count;
}

static void end_edit(ui_o *ui, const ui_node_t *n, const ui_edit_t *e) {
  uint32_t text = strings_intern(world_strings(ui->world), e->text);
  shoal_assert(utf8_count(e->text) == e->count, "%u characters of %u", e->count, utf8_count(e->text));
  ui->at.entry.cursor[n->row] = e->cursor == e->count ? -1 : (int32_t)e->cursor;
  if (text == ui->at.entry.text[n->row])
    return;
  ui->at.entry.text[n->row] = text;
  columns_touch(&ui->managers.kinds[UI_ENTRY]->columns, SHOAL_INDEX(entry, text), n->row, 1);
  ui_changed(ui, n, e->count, text);
}

void ui_write(ui_o *ui, uint32_t node, const ui_input_t *in) {
  ui_edit_t e;
  const ui_node_t *n = &ui->nodes.items[node];
  const input_state_t *now = ui->desc.input;
  shoal_assert(n->kind == UI_ENTRY, "a widget of kind %d is written in", (int)n->kind);
  char text[sizeof now->text + 1] = "", composing[sizeof now->composing + 1] = "";
  memcpy(text, now->text, sizeof now->text);
  memcpy(composing, now->composing, sizeof now->composing);
  ui->at.entry.composing[n->row] = strings_intern(world_strings(ui->world), composing);
  begin_edit(ui, n, &e);
  if (composing[0] == '\0') // its keys are the input method's
    use_editing_keys(ui, n, &e, in);
  insert(&e, text, ui->at.entry.max[n->row]);
  end_edit(ui, n, &e);
  bool by_pad = in->pressed[UI_ACCEPT] && !now->keys[KEY_RETURN] && !now->keys[KEY_KEYPAD_ENTER] && text[0] == '\0' &&
                !now->keys[44]; // the space bar writes
  if (composing[0] == '\0' && (was_pressed(ui, KEY_RETURN) || was_pressed(ui, KEY_KEYPAD_ENTER) || by_pad))
    ui_submitted(ui, n, ui->at.entry.text[n->row]);
}
