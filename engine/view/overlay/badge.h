// A badge: a short description of the game's state, such as "paused at tick 12", at an edge where the game shows no
// text.
#ifndef SHOAL_OVERLAY_BADGE_H
#define SHOAL_OVERLAY_BADGE_H

#include "overlay/gui.h"
#include "overlay/picking.h"

// Draws the badge. `view` describes the game behind the badge; `view->world` may be NULL.
void badge_draw(gui_t *gui, const picking_view_t *view, const char *text);

#endif
