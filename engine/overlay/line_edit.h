// One line of text that somebody writes, with its cursor.
#ifndef SHOAL_OVERLAY_LINE_EDIT_H
#define SHOAL_OVERLAY_LINE_EDIT_H

#include "platform/latch.h"
#include "platform/scancodes.h"

#include <stddef.h>

#define LINE_EDIT_BYTES 1024u

typedef struct line_edit_t {
  char text[LINE_EDIT_BYTES];
  uint32_t cursor; // a byte, between two characters
} line_edit_t;

void line_edit_set(line_edit_t *l, const char *text); // cut; the cursor stands behind it
// What was typed and pressed since. Whole characters come and go; what does not fit is not taken. Did the text change?
bool line_edit_hear(line_edit_t *l, const latch_t *heard);

#endif
