// Bar with the known ticks and the shown tick, drawn while the session moves through its history.
#ifndef SHOAL_OVERLAY_SCRUB_BAR_H
#define SHOAL_OVERLAY_SCRUB_BAR_H

#include "overlay/gui.h"

typedef struct scrub_bar_t {
  bool visible;
  uint64_t first_tick, last_tick, tick; // known ticks; shown tick
  uint32_t tick_rate;
  double speed;   // multiple of normal speed, negative when moving back; 0 while standing still
  bool kept_only; // the states of every tick do not fit the memory
} scrub_bar_t;

// Draws the bar so that it ends above `bottom`. Returns the y of its top.
float scrub_bar_draw(const scrub_bar_t *bar, gui_t *gui, float bottom);

#endif
