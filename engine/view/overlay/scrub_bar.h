// Bar with the known ticks and the shown tick, drawn while the session moves through its history. Can be dragged with
// the mouse.
#ifndef SHOAL_OVERLAY_SCRUB_BAR_H
#define SHOAL_OVERLAY_SCRUB_BAR_H

#include "overlay/gui.h"

typedef struct scrub_bar_t {
  bool visible;
  uint64_t first_tick, last_tick; // range of the known ticks
  uint64_t tick;                  // shown tick
  uint32_t tick_rate;
  double speed; // multiple of normal speed, negative when moving back; 0 while standing still
  // True if the states of all ticks do not fit into memory, so that only kept snapshots can be shown.
  bool kept_only;
  bool is_top;         // true if the bar is at the top edge, because the hero is at the bottom
  const float *accent; // colour of the past, from the game's theme
  // --- the mouse
  bool dragged;          // true during a drag; the caller passes the value of the previous frame
  bool hovered;          // result: true if the mouse is over the bar or the bar is dragged
  uint64_t pointer_tick; // result while `hovered`: the tick at the mouse
} scrub_bar_t;

// Draws the bar at the top of the screen if `is_top` is set, otherwise above `bottom`, and handles the mouse. Returns
// the y of the edge at which toasts begin: the lower edge of a bar at the top, otherwise the upper edge.
float scrub_bar_draw(scrub_bar_t *bar, gui_t *gui, float bottom);

#endif
