// Chooses the edge of the screen for the scrub bar and the toasts, so that they do not cover the game's hero.
#ifndef SHOAL_OVERLAY_BAR_EDGE_H
#define SHOAL_OVERLAY_BAR_EDGE_H

#include "overlay/picking.h"

// Returns true if the bar must be at the top. `is_top`: true if the bar is at the top now. `opens`: true if the bar was
// not shown in the previous frame. The bar opens at the bottom, and leaves an edge only if the hero is close to that
// edge. The hero is the entity that a camera follows, or an entity named "hero" or "player". Without a hero, the bar
// opens at the edge with fewer entities, and stays there.
bool bar_edge_is_top(const picking_view_t *view, bool is_top, bool opens);

#endif
