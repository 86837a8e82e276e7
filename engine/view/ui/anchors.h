// Widgets anchored to an entity of the world (component ui_follow).
#ifndef SHOAL_UI_ANCHORS_H
#define SHOAL_UI_ANCHORS_H

#include "ui/state.h"

typedef enum ui_anchor_t { UI_ANCHOR_NONE, UI_ANCHOR_VISIBLE, UI_ANCHOR_HIDDEN } ui_anchor_t;
// Updates the screen position of every anchored widget. Call before a layout.
void ui_update_anchors(ui_o *ui);
// Returns the anchor state of widget `entity`, and stores the screen position of its anchor in logical pixels. Returns
// UI_ANCHOR_HIDDEN if the target does not exist or has no position on the screen.
ui_anchor_t ui_find_anchor(const ui_o *ui, shoal_entity entity, float *x, float *y);
// Destroys widgets whose explicit `target` was destroyed. Commands must be deferred.
void ui_destroy_orphans(ui_o *ui);

#endif
