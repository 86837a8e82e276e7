// Chooses the edge of the screen for the scrub bar and the toasts, so that they do not cover the game's hero.
#ifndef SHOAL_OVERLAY_BAR_EDGE_H
#define SHOAL_OVERLAY_BAR_EDGE_H

#include "overlay/picking.h"

// Returns true if the bar must be at the top. `is_top`: its current edge, which it leaves only if the hero is close to
// it. `opens`: the bar was not shown in the previous frame. The hero is the entity that a camera follows, or an entity
// named "hero" or "player". Without a hero, the bar opens at the edge with fewer entities, and stays there.
bool bar_edge_is_top(const picking_view_t *view, bool is_top, bool opens);

#endif
