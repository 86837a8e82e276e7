// Scrolling panels and lists, and their scroll bars.
#ifndef SHOAL_UI_SCROLL_H
#define SHOAL_UI_SCROLL_H

#include "ui/state.h"

// Computes the overflow of each panel, and for each node the panel that scrolls it. Call after a layout.
void ui_update_scrollers(ui_o *ui);
// Computes the overflow of a node whose children were placed. Returns true if the node starts or stops scrolling its
// children: ui_update_scrollers must then be called.
bool ui_update_overflow(ui_o *ui, uint32_t node);
// Stores the rectangle of the screen to which the node is clipped: left, top, right, bottom. Returns true if the node
// is clipped.
bool ui_get_clip(const ui_o *ui, const ui_node_t *n, float out[4]);
// Returns true if the point is inside the visible part of the node.
bool ui_is_visible_at(const ui_o *ui, const ui_node_t *n, float x, float y);
// Returns the topmost scrollable panel under the point among the nodes [first_node, end), or UI_NO_NODE if there is no
// such panel.
uint32_t ui_find_scroller_at(const ui_o *ui, uint32_t first_node, uint32_t end, float x, float y);
// Scrolls a panel by `distance` pixels, at most to its end. Returns true if this changes the scroll offset.
bool ui_scroll_panel(ui_o *ui, uint32_t scroller, float distance);
void ui_scroll_to_node(ui_o *ui, uint32_t node); // scrolls until the node is visible

// Geometry of a scroll bar, in logical pixels. The position, its maximum and the page size are in pixels for a panel
// and in rows for a list.
typedef struct ui_bar_t {
  float x, top, track_length;
  float handle_top, handle_length;
  float position, max_position, page;
} ui_bar_t;

// Computes the node's scroll bar. Returns true on success, or false if the node has no scroll bar, for example because
// the contents fit.
bool ui_get_scroll_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out);
// Returns the node whose scroll bar is under the pointer, or UI_NO_NODE if no bar is under the pointer or `hovered`,
// the topmost node under the pointer, covers the bar.
uint32_t ui_find_scroll_bar_at(ui_o *ui, uint32_t first_node, uint32_t end, uint32_t hovered, float x, float y);
// Handles a press on the bar. A press outside the handle scrolls by a page.
void ui_press_scroll_bar(ui_o *ui, uint32_t node, float y);
// Scrolls by a movement of the pointer from `previous_y` to `y`.
void ui_drag_scroll_bar(ui_o *ui, uint32_t node, float previous_y, float y);
// Returns true if the pointer holds the scroll bar rather than the widget itself; held_s is then negative.
bool ui_is_scroll_bar_held(const ui_o *ui, const ui_node_t *n);
void ui_set_scroll_bar_held(ui_o *ui, const ui_node_t *n, bool is_held);

#endif
