// Sizes of widgets and their texts.
#ifndef SHOAL_UI_MEASURE_H
#define SHOAL_UI_MEASURE_H

#include "ui/state.h"

#define UI_VALUE_ROOM 3.4f // of a slider's value, beside its track, in text sizes

void ui_forget_texts(ui_o *ui);
const char *ui_text(const ui_o *ui, uint32_t id);          // that is shown: references are looked up
const char *ui_text_as_it_is(const ui_o *ui, uint32_t id); // what a player writes
void ui_text_size(ui_o *ui, const char *text, const ui_look_t *look, float wrap, float *width, float *height);
// Shortens the text with "…" until it fits in one line of `max_width`.
void ui_fit(ui_o *ui, const ui_look_t *look, char *text, size_t text_bytes, float max_width);
const ui_look_t *ui_look(const ui_o *ui, const ui_node_t *n);
void ui_measure(ui_o *ui, uint32_t node, float most_width);
uint32_t ui_line_count(const char *text);
// Line `number` from 1 of a text: where it begins, and its bytes. NULL when there is none.
const char *ui_line(const char *text, uint32_t number, size_t *bytes);
float ui_row_height(ui_o *ui, const ui_look_t *look);
uint32_t ui_rows(ui_o *ui, const ui_node_t *n); // of a list, that are seen: as many as fit; 1 of one that is stepped
float ui_gap(const ui_o *ui, const ui_node_t *n);
float ui_padding(const ui_o *ui, const ui_node_t *n);
float ui_bar_width(const ui_o *ui, const ui_node_t *n);                 // what a panel that scrolls has less room by
void ui_track(ui_o *ui, const ui_node_t *n, float *left, float *width); // of a slider

#endif
