// A panel in the middle of the screen that shows why the game waits, such as for players, or why it cannot continue,
// and what the player can do.
#ifndef SHOAL_OVERLAY_STATUS_PANEL_H
#define SHOAL_OVERLAY_STATUS_PANEL_H

#include "overlay/choice.h"

#define STATUS_PANEL_LINES 4u

typedef struct status_panel_t {
  char title[128];
  char lines[STATUS_PANEL_LINES][320]; // lines of text, wrapped to the panel's width; "" if unused
  char hint[96];                       // text below the lines; "" without a hint
  bool is_failure;                     // true if the panel shows an error
  uint32_t code_line;                  // line with a command or address, from 1; 0: no such line
  choice_t choice;                     // buttons below the text
  bool is_hovered;                     // result: true if the mouse is over the panel
} status_panel_t;

// Draws the panel, and handles the mouse.
void status_panel_draw(gui_t *gui, status_panel_t *panel);

#endif
