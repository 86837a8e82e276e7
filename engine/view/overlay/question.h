// A question with two buttons at the top of the screen, while the game goes on. Keys answer it, too; the caller handles
// them.
#ifndef SHOAL_OVERLAY_QUESTION_H
#define SHOAL_OVERLAY_QUESTION_H

#include "overlay/gui.h"

typedef struct question_t {
  char text[192];          // "" for no question
  char details[192];       // below the text
  const char *buttons[2];  // texts of the buttons
  const char *keys[2];     // their keys
  bool is_hovered;         // result: the mouse is over the question
  uint32_t pressed_button; // result: number of the button that was clicked, from 1; 0: none
} question_t;

// Draws the question, and handles the mouse.
void question_draw(gui_t *gui, question_t *question);

#endif
