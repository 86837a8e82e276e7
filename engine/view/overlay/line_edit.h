// Single-line text field with a cursor.
#ifndef SHOAL_OVERLAY_LINE_EDIT_H
#define SHOAL_OVERLAY_LINE_EDIT_H

#include "platform/input_latch.h"
#include "platform/scancodes.h"

#include <stddef.h>

#define LINE_EDIT_BYTES 1024u

typedef struct line_edit_t {
  char text[LINE_EDIT_BYTES];
  uint32_t cursor; // byte offset, at a character boundary
} line_edit_t;

// Sets the text, truncated if necessary, and puts the cursor at the end.
void line_edit_set(line_edit_t *edit, const char *text);
// Applies typed text and keys. Typed text is ignored as a whole if it does not fit. Returns true if the text changed.
bool line_edit_apply(line_edit_t *edit, const latch_t *input);

#endif
