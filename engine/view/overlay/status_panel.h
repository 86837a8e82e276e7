// A panel in the middle of the screen that says what the game waits for, such as other players, or why it cannot go on.
#ifndef SHOAL_OVERLAY_STATUS_PANEL_H
#define SHOAL_OVERLAY_STATUS_PANEL_H

#include "overlay/gui.h"

#define STATUS_PANEL_LINES 4u

typedef struct status_panel_t {
  char title[128];
  char lines[STATUS_PANEL_LINES][192]; // "" for none; wrapped
  char hint[96];                       // keys, below the lines; "" for none
  bool is_failure;                     // marks the panel as an error
  uint32_t code_line;                  // line with a command or address, from 1; 0: none
} status_panel_t;

void status_panel_draw(gui_t *gui, const status_panel_t *panel);

#endif
