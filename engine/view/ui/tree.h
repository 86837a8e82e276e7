// Builds the tree of widget nodes from their components.
#ifndef SHOAL_UI_TREE_H
#define SHOAL_UI_TREE_H

#include "ui/state.h"

// Rebuilds the nodes of all visible widgets.
void ui_build_nodes(ui_o *ui);
// Returns true if the root receives all input while it is visible.
bool ui_is_modal(const ui_o *ui, const ui_node_t *n);
// Returns true if the node is an enabled control.
bool ui_can_focus(const ui_o *ui, const ui_node_t *n);

#endif
