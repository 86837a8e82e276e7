// Minimum sizes of widgets, and sizes of their text. Lengths are logical pixels.
#ifndef SHOAL_UI_MEASURE_H
#define SHOAL_UI_MEASURE_H

#include "ui/state.h"

#define UI_VALUE_WIDTH 3.4f // width of a slider's value next to its track, relative to the text size

const char *ui_get_text(const ui_o *ui, uint32_t id);        // returns the displayed text, with references resolved
const char *ui_get_stored_text(const ui_o *ui, uint32_t id); // returns the stored text, with unresolved references
// Stores the size of text wrapped at `wrap` (0: not wrapped).
void ui_measure_text(ui_o *ui, const char *text, const ui_look_t *look, float wrap, float *width, float *height);
// Like ui_measure_text, for the text of a label, which may contain markup.
void ui_measure_label(ui_o *ui, const ui_node_t *n, const ui_look_t *look, float wrap, float *width, float *height);
// Shortens the text with "…" until it fits in one line of `max_width`. `markup`: the text may contain tags.
void ui_truncate_text(ui_o *ui, const ui_look_t *look, bool markup, char *text, size_t text_bytes, float max_width);
// Returns the look of the node in its normal state.
const ui_look_t *ui_get_look(const ui_o *ui, const ui_node_t *n);
// Computes the minimum sizes of a node and its descendants, as far as they are marked or `max_width` has changed.
// `max_width`: width at which labels wrap. Marks nodes whose children must be placed again.
void ui_measure(ui_o *ui, uint32_t node, float max_width);
// Measures all marked nodes, and their ancestors up to the first whose size does not change.
void ui_measure_marked(ui_o *ui);
// Returns true if the widget can be narrower than its contents, which then wrap or are cut: the widget has neither an
// explicit width nor an image.
bool ui_can_shrink(const ui_o *ui, const ui_node_t *n);
// Returns the factor by which the children of a row shrink so that the row stays in its panel, at most 1. `remaining`:
// the width that the children leave free; negative if they overflow.
float ui_compute_row_shrink(const ui_o *ui, uint32_t node, float remaining);
// Returns the number of lines; a trailing newline does not start a new line.
uint32_t ui_count_lines(const char *text);
// Returns line `number` (starting at 1) and stores its length in `bytes`. Returns NULL if the text has fewer lines.
const char *ui_get_line(const char *text, uint32_t number, size_t *bytes);
// Returns true if line `number` begins with a tab: the line is drawn as disabled, and cannot be selected or pressed.
// The mark is a prefix and not a field, because a new field would change the hashes of all worlds with lists.
bool ui_is_line_disabled(const char *text, uint32_t number);
float ui_measure_row_height(ui_o *ui, const ui_look_t *look);
// Returns the number of visible rows of a list: as many as fit, clamped to [2, 4,096], or 1 if left and right step
// through the list.
uint32_t ui_count_visible_rows(ui_o *ui, const ui_node_t *n);
// Returns the space between the children of a panel.
float ui_get_gap(const ui_o *ui, const ui_node_t *n);
// Returns the space between the edge of a panel and its children.
float ui_get_padding(const ui_o *ui, const ui_node_t *n);
// Returns the width that a panel's scroll bar takes from its contents.
float ui_get_scroll_bar_width(const ui_o *ui, const ui_node_t *n);
// Stores the left end and the width of a slider's track, in logical pixels.
void ui_compute_slider_track(ui_o *ui, const ui_node_t *n, float *left, float *width);
// Returns the left end of the item that a list with one row shows, in logical pixels.
float ui_compute_stepper_left(ui_o *ui, const ui_node_t *n);

#endif
