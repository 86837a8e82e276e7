// Builds the tree of widget nodes from their components.
#ifndef SHOAL_UI_TREE_H
#define SHOAL_UI_TREE_H

#include "ui/state.h"

// Rebuilds the nodes of all visible widgets, which must then be measured and placed.
void ui_build_nodes(ui_o *ui);
// Returns the index of the node's style in the theme. If the style is unknown, logs a warning and returns the default
// style of the widget's kind.
int32_t ui_find_style(ui_o *ui, const ui_node_t *n);
// Returns true if the root receives all input while it is visible.
bool ui_is_modal(const ui_o *ui, const ui_node_t *n);
// Returns true if the `widget` row has no widget as its parent.
bool ui_is_root(const ui_o *ui, uint32_t widget);
// Compares two roots (`widget` rows) by their order of drawing: returns a negative number if `a` is below `b`. The
// result does not depend on the machine.
int ui_compare_roots(const ui_o *ui, uint32_t a, uint32_t b);
// Returns true if the row of `dialogue` shows a line or choices.
bool ui_is_dialogue_shown(const ui_o *ui, uint32_t row);
// Returns true if the node is an enabled control and, in a game that declares players, belongs to the current local
// player.
bool ui_can_focus(const ui_o *ui, const ui_node_t *n);

#endif
