// Edits UTF-8 text. The text is always valid, because the platform accepts only valid input, so character boundaries
// can be read from the leading bits of each byte.
#include "overlay/line_edit.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static uint32_t previous_character(const line_edit_t *l) {
  return l->cursor > 0 ? (uint32_t)utf8_character_start(l->text, l->cursor - 1) : 0;
}

static uint32_t next_character(const line_edit_t *l) {
  return l->cursor + (uint32_t)utf8_character_length(l->text + l->cursor);
}

static void erase_bytes(line_edit_t *l, uint32_t from, uint32_t to) {
  shoal_assert(from <= to && to <= strlen(l->text), "bytes %u to %u are out of range (count %zu)", from, to,
               strlen(l->text));
  memmove(l->text + from, l->text + to, strlen(l->text + to) + 1);
  l->cursor = from;
}

void line_edit_set(line_edit_t *l, const char *text) {
  snprintf(l->text, sizeof l->text, "%s", text);
  l->cursor = (uint32_t)strlen(l->text);
  if (text[l->cursor] == '\0') // the whole line fits
    return;
  l->cursor = (uint32_t)utf8_character_start(text, l->cursor);
  l->text[l->cursor] = '\0';
}

static bool insert_text(line_edit_t *l, const char *typed) {
  size_t bytes = strlen(typed), has = strlen(l->text);
  if (bytes == 0 || has + bytes >= sizeof l->text)
    return false;
  memmove(l->text + l->cursor + bytes, l->text + l->cursor, has - l->cursor + 1);
  for (size_t i = 0; i < bytes; ++i) // control characters, such as line breaks in pasted text, become spaces
    l->text[l->cursor + i] = (unsigned char)typed[i] < 0x20 ? ' ' : typed[i];
  l->cursor += (uint32_t)bytes;
  return true;
}

bool line_edit_apply(line_edit_t *l, const latch_t *input) {
  const uint8_t *keys = input->pressed.keys;
  bool changed = insert_text(l, input->typed);
  if (keys[KEY_LEFT])
    l->cursor = previous_character(l);
  if (keys[KEY_RIGHT])
    l->cursor = next_character(l);
  if (keys[KEY_HOME])
    l->cursor = 0;
  if (keys[KEY_END])
    l->cursor = (uint32_t)strlen(l->text);
  if (keys[KEY_BACKSPACE] && l->cursor > 0) {
    erase_bytes(l, previous_character(l), l->cursor);
    changed = true;
  }
  if (keys[KEY_DELETE] && l->text[l->cursor]) {
    erase_bytes(l, l->cursor, next_character(l));
    changed = true;
  }
  return changed;
}
