// Panels and lists that scroll, and their bars.
#ifndef SHOAL_UI_SCROLL_H
#define SHOAL_UI_SCROLL_H

#include "ui/state.h"

// What scrolls, once all have their places.
void ui_find_scrollers(ui_o *ui);
// The part of the screen in which the node is seen; false where that is all of it.
bool ui_clip(const ui_o *ui, const ui_node_t *n, float out[4]); // left, top, right, bottom
bool ui_is_seen_at(const ui_o *ui, const ui_node_t *n, float x, float y);
uint32_t ui_scroller_at(const ui_o *ui, uint32_t first, uint32_t end, float x, float y);
bool ui_scroll(ui_o *ui, uint32_t scroller, float by); // false where it is at its end
void ui_scroll_to(ui_o *ui, uint32_t node);            // so far that it is seen

// The bar of a panel or a list in which there is more than fits: its way, what lies on it, and what it stands for, in
// pixels of a panel or rows of a list.
typedef struct ui_bar_t {
  float x, top, way, from, length;
  float at, most, page;
} ui_bar_t;

bool ui_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out); // false: it has none
// The node whose bar the pointer is over; `at`: the node that is there otherwise, which may lie above it.
uint32_t ui_bar_at(ui_o *ui, uint32_t first, uint32_t end, uint32_t at, float x, float y);
// The pointer goes down on it: beside its handle it goes on by a page.
void ui_bar_press(ui_o *ui, uint32_t node, float y);
void ui_bar_drag(ui_o *ui, uint32_t node, float before, float y);
// The pointer holds the bar, not the widget itself: held_s is below 0 then.
bool ui_bar_is_held(const ui_o *ui, const ui_node_t *n);
void ui_bar_hold(ui_o *ui, const ui_node_t *n, bool on);

#endif
