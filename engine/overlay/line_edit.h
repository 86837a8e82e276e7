// One line of text that somebody writes, with its cursor.
#ifndef SHOAL_OVERLAY_LINE_EDIT_H
#define SHOAL_OVERLAY_LINE_EDIT_H

#include "platform/latch.h"

#include <stddef.h>

#define LINE_EDIT_BYTES 1024u

typedef struct line_edit_t {
  char text[LINE_EDIT_BYTES];
  uint32_t cursor; // a byte, between two characters
} line_edit_t;

void line_edit_set(line_edit_t *l, const char *text); // cut; the cursor stands behind it
// What was typed and pressed since. Whole characters come and go; what does not fit is not taken. Did the text change?
bool line_edit_hear(line_edit_t *l, const latch_t *heard);

// Keys by SDL's scancodes.
enum {
  LINE_KEY_RETURN = 40,
  LINE_KEY_ESCAPE = 41,
  LINE_KEY_BACKSPACE = 42,
  LINE_KEY_HOME = 74,
  LINE_KEY_DELETE = 76,
  LINE_KEY_END = 77,
  LINE_KEY_RIGHT = 79,
  LINE_KEY_LEFT = 80,
  LINE_KEY_DOWN = 81,
  LINE_KEY_UP = 82,
  LINE_KEY_CONTROL = 224,
  LINE_KEY_SHIFT = 225,
  LINE_KEY_RIGHT_CONTROL = 228,
  LINE_KEY_RIGHT_SHIFT = 229
};

#endif
