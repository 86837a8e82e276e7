// Immediate-mode widgets of the overlay: each call draws a widget and handles its mouse input; no state is kept between
// frames. Lengths are in units, which are pixels of a 1280 × 720 screen; the origin is the top left corner.
#ifndef SHOAL_OVERLAY_GUI_H
#define SHOAL_OVERLAY_GUI_H

#include "platform/input_latch.h"
#include "render/draw.h"
#include "text/typesetter.h"

#define OVERLAY_LAYER 1000000

typedef enum gui_look_t {
  BRUSH_TEXT,
  BRUSH_DIM,
  BRUSH_TITLE,
  BRUSH_MONO,
  BRUSH_MONO_DIM,
  BRUSH_GOOD,
  BRUSH_BAD,
  BRUSH_ACCENT,
  BRUSH_HEADLINE, // this and the following brushes are used by the error card and the toasts
  BRUSH_MESSAGE,
  BRUSH_PLACE,
  BRUSH_ABOUT,
  BRUSH_HINT,
  BRUSH_LINE,
  BRUSH_NUMBER,
  BRUSH_FAILING_LINE,
  BRUSH_FAILING_NUMBER,
  BRUSH_TOAST,
  BRUSH_LOOKS
} gui_look_t;

typedef struct gui_rect_t {
  float x, y, width, height;
} gui_rect_t;

typedef struct gui_box_t {
  float fill[4], line[4];
  float radius, border; // border: line width; 0: no line
} gui_box_t;

typedef struct gui_t {
  draw_o *draw;
  typesetter_o *type;
  float unit, width, height; // pixels per unit; screen size in units
  float x, y;                // mouse position
  bool pressed;              // left mouse button: pressed since the last frame
  bool down;                 // left mouse button: currently down
  bool over;                 // the mouse is over a panel, which captures it
  bool modal;                // widgets ignore the mouse, because the palette is open and covers them
} gui_t;

void gui_begin(gui_t *b, draw_o *draw, typesetter_o *type, float width, float height, const latch_t *input);

void gui_draw_box(gui_t *b, gui_rect_t r, const gui_box_t *box);
void gui_draw_panel(gui_t *b, gui_rect_t r); // draws a panel, which captures the mouse while it is over the panel
void gui_fill_rect(gui_t *b, gui_rect_t r, gui_look_t look, float alpha);
void gui_draw_outline(gui_t *b, gui_rect_t r, gui_look_t look);
// Draws a line of text, vertically centred on y and shortened with "…" to a width of `max` (0: no limit). Returns the
// width of the text.
float gui_draw_text(gui_t *b, float x, float y, gui_look_t look, const char *text, float max);
// Draws text whose top is y, wrapped at a width of `wrap` (0: one line).
void gui_draw_wrapped_text(gui_t *b, float x, float y, gui_look_t look, const char *text, float wrap);
// Shortens the text with "…" until it fits: on one line of `width`, or, if `height` is above 0, wrapped at `width`
// within that height. `text` needs 4 spare bytes. Returns the height of the text.
float gui_truncate(gui_t *b, gui_look_t look, char *text, size_t text_bytes, float width, float height);
float gui_text_height(gui_t *b, gui_look_t look, const char *text, float wrap);
// Like gui_draw_text without a maximum width, but the text ends at x.
float gui_draw_text_right(gui_t *b, float x, float y, gui_look_t look, const char *text);
float gui_text_width(gui_t *b, gui_look_t look, const char *text);
// Draws a key cap whose right edge is x. Returns its width.
float gui_draw_key_cap(gui_t *b, float x, float y, const char *key);
bool gui_is_over(const gui_t *b, gui_rect_t r);
// Returns true if the button was pressed inside the rectangle since the last frame.
bool gui_is_clicked(const gui_t *b, gui_rect_t r);
bool gui_button(gui_t *b, gui_rect_t r, const char *text, bool on);
void gui_set_clip(gui_t *b, gui_rect_t r); // clips the following calls; width 0: no clipping

#endif
