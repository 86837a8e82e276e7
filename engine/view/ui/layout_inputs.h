// Copies of everything that determines the layout. Comparing the columns with these copies finds the widgets that must
// be measured or placed again, however their fields were written: by scripts, plugins, SQL or a restore.
#ifndef SHOAL_UI_LAYOUT_INPUTS_H
#define SHOAL_UI_LAYOUT_INPUTS_H

#include "ui/state.h"

typedef enum ui_difference_t {
  UI_SAME,
  UI_CHANGED, // the nodes remain; changed nodes are marked (ui_mark_unmeasured, ui_mark_unplaced)
  UI_REBUILD, // widgets were added, removed, moved, shown or hidden: the nodes must be rebuilt
} ui_difference_t;

layout_inputs_o *layout_inputs_create(ui_o *ui);
void layout_inputs_destroy(ui_o *ui, layout_inputs_o *inputs);
// Copies all inputs and results of the layout. Call after building nodes.
void layout_inputs_copy(ui_o *ui);
// Compares the columns with the copies, updates the copies, and marks the nodes that changed.
ui_difference_t layout_inputs_compare(ui_o *ui);
// Returns true if the columns equal the copies. Marks nothing.
bool layout_inputs_are_current(ui_o *ui);
// Write results of the layout to a row of `widget` or `panel`, and to its copy.
void layout_inputs_write_box(ui_o *ui, uint32_t widget, float x, float y, float width, float height);
void layout_inputs_write_scroll(ui_o *ui, uint32_t panel, float scroll);

#endif
