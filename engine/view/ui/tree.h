// Builds the tree of widget nodes from their components.
#ifndef SHOAL_UI_TREE_H
#define SHOAL_UI_TREE_H

#include "ui/state.h"

void ui_build_nodes(ui_o *ui);
bool ui_is_modal(const ui_o *ui, const ui_node_t *n);
bool ui_can_focus(const ui_o *ui, const ui_node_t *n);

#endif
