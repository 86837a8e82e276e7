// Scrolling panels and lists, and their scroll bars.
#ifndef SHOAL_UI_SCROLL_H
#define SHOAL_UI_SCROLL_H

#include "ui/state.h"

// Computes the overflow of each panel, and for each node the panel that scrolls it. Call after a layout.
void ui_update_scrollers(ui_o *ui);
// Stores the rectangle of the screen to which the node is clipped. Returns false if nothing clips the node.
bool ui_get_clip(const ui_o *ui, const ui_node_t *n, float out[4]); // left, top, right, bottom
bool ui_is_visible_at(const ui_o *ui, const ui_node_t *n, float x, float y);
uint32_t ui_scroller_at(const ui_o *ui, uint32_t first, uint32_t end, float x, float y);
// Scrolls a panel by `by` pixels, at most to its end. Returns false if this does not change the scroll offset.
bool ui_scroll(ui_o *ui, uint32_t scroller, float by);
void ui_scroll_to(ui_o *ui, uint32_t node); // scrolls until the node is visible

// Geometry of a scroll bar in logical pixels: the track (x, top, length `track`) and its handle (from, length). `at`,
// `max` and `page` are the current position, the maximum and the page size, in pixels for a panel and in rows for a
// list.
typedef struct ui_bar_t {
  float x, top, track, from, length;
  float at, max, page;
} ui_bar_t;

// Computes the node's scroll bar. Returns false if the node has none, for example because its contents fit.
bool ui_get_scroll_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out);
// Returns the node whose scroll bar is under the pointer, or UI_NO_NODE. `at`: the topmost node under the pointer,
// which may cover the bar.
uint32_t ui_find_scroll_bar_at(ui_o *ui, uint32_t first, uint32_t end, uint32_t at, float x, float y);
// Handles a press on the bar. A press outside the handle scrolls by a page.
void ui_press_scroll_bar(ui_o *ui, uint32_t node, float y);
void ui_drag_scroll_bar(ui_o *ui, uint32_t node, float before, float y);
// Returns true if the pointer holds the scroll bar rather than the widget itself; held_s is then negative.
bool ui_is_scroll_bar_held(const ui_o *ui, const ui_node_t *n);
void ui_set_scroll_bar_held(ui_o *ui, const ui_node_t *n, bool on);

#endif
