// Edits UTF-8 text. The text is always valid, because the platform accepts only valid input, so character boundaries
// can be read from the leading bits of each byte.
#include "overlay/line_edit.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static uint32_t find_previous_character(const line_edit_t *edit) {
  return edit->cursor > 0 ? (uint32_t)utf8_character_start(edit->text, edit->cursor - 1) : 0;
}

static uint32_t find_next_character(const line_edit_t *edit) {
  return edit->cursor + (uint32_t)utf8_character_length(edit->text + edit->cursor);
}

static void erase_bytes(line_edit_t *edit, uint32_t begin, uint32_t end) {
  shoal_assert(begin <= end && end <= strlen(edit->text), "bytes %u to %u are out of range (count %zu)", begin, end,
               strlen(edit->text));
  memmove(edit->text + begin, edit->text + end, strlen(edit->text + end) + 1);
  edit->cursor = begin;
}

void line_edit_set(line_edit_t *edit, const char *text) {
  snprintf(edit->text, sizeof edit->text, "%s", text);
  edit->cursor = (uint32_t)strlen(edit->text);
  if (text[edit->cursor] == '\0') // the whole line fits
    return;
  edit->cursor = (uint32_t)utf8_character_start(text, edit->cursor);
  edit->text[edit->cursor] = '\0';
}

static bool insert_text(line_edit_t *edit, const char *typed) {
  size_t bytes = strlen(typed), length = strlen(edit->text);
  if (bytes == 0 || length + bytes >= sizeof edit->text)
    return false;
  memmove(edit->text + edit->cursor + bytes, edit->text + edit->cursor, length - edit->cursor + 1);
  for (size_t i = 0; i < bytes; ++i) // control characters, such as line breaks in pasted text, become spaces
    edit->text[edit->cursor + i] = (unsigned char)typed[i] < 0x20 ? ' ' : typed[i];
  edit->cursor += (uint32_t)bytes;
  return true;
}

bool line_edit_apply(line_edit_t *edit, const latch_t *input) {
  const uint8_t *keys = input->pressed.keys;
  bool changed = insert_text(edit, input->typed);
  if (keys[KEY_LEFT])
    edit->cursor = find_previous_character(edit);
  if (keys[KEY_RIGHT])
    edit->cursor = find_next_character(edit);
  if (keys[KEY_HOME])
    edit->cursor = 0;
  if (keys[KEY_END])
    edit->cursor = (uint32_t)strlen(edit->text);
  if (keys[KEY_BACKSPACE] && edit->cursor > 0) {
    erase_bytes(edit, find_previous_character(edit), edit->cursor);
    changed = true;
  }
  if (keys[KEY_DELETE] && edit->text[edit->cursor]) {
    erase_bytes(edit, edit->cursor, find_next_character(edit));
    changed = true;
  }
  return changed;
}
