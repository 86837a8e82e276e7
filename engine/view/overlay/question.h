// A question with buttons in the upper part of the screen, while the game continues.
#ifndef SHOAL_OVERLAY_QUESTION_H
#define SHOAL_OVERLAY_QUESTION_H

#include "overlay/choice.h"

typedef struct question_t {
  char text[192];    // text; "" if there is no question
  char details[192]; // details, shown below the text
  float top;         // share of the screen's height that stays free above the question, in [0, 1)
  choice_t choice;
  bool is_hovered; // result: true if the mouse is over the question
} question_t;

// Draws the question, and handles the mouse.
void question_draw(gui_t *gui, question_t *question);

#endif
