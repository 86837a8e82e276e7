// A row of up to three buttons with their keys, for a question and for the status panel. Keys answer it, too; the
// caller handles them.
#ifndef SHOAL_OVERLAY_CHOICE_H
#define SHOAL_OVERLAY_CHOICE_H

#include "overlay/gui.h"

#define CHOICE_MAX_BUTTONS 3u
#define CHOICE_HEIGHT 34.0f // height of a button in units of gui.h

typedef struct choice_t {
  const char *buttons[CHOICE_MAX_BUTTONS]; // labels; NULL: no button
  const char *keys[CHOICE_MAX_BUTTONS];    // keys of the buttons, such as "F7, Y"
  // Result: number of the button that was clicked, from 1; 0: no button was clicked.
  uint32_t pressed_button;
} choice_t;

// Returns the width of the row, or 0 if it has no buttons.
float choice_measure_width(gui_t *gui, const choice_t *choice);
// Draws the buttons, starting at the top left corner (x, y), and handles the mouse.
void choice_draw(gui_t *gui, choice_t *choice, float x, float y);

#endif
