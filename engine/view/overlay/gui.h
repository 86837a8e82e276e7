// Immediate-mode widgets of the overlay: each call draws a widget and handles its mouse input; no state is kept between
// frames. Lengths are in units, which are pixels of a 1280 × 720 screen; the origin is the top left corner.
#ifndef SHOAL_OVERLAY_GUI_H
#define SHOAL_OVERLAY_GUI_H

#include "platform/input_latch.h"
#include "render/draw.h"
#include "text/typesetter.h"

#define OVERLAY_LAYER 1000000

typedef enum gui_look_t {
  GUI_LOOK_TEXT,
  GUI_LOOK_DIM,
  GUI_LOOK_TITLE,
  GUI_LOOK_MONO,
  GUI_LOOK_MONO_DIM,
  GUI_LOOK_GOOD,
  GUI_LOOK_BAD,
  GUI_LOOK_ACCENT,
  GUI_LOOK_HEADLINE, // this and the following looks are used by the error card and the toasts
  GUI_LOOK_MESSAGE,
  GUI_LOOK_PLACE,
  GUI_LOOK_ABOUT,
  GUI_LOOK_HINT,
  GUI_LOOK_LINE,
  GUI_LOOK_NUMBER,
  GUI_LOOK_FAILING_LINE,
  GUI_LOOK_FAILING_NUMBER,
  GUI_LOOK_TOAST,
  GUI_LOOK_COUNT
} gui_look_t;

typedef struct gui_rect_t {
  float x, y, width, height;
} gui_rect_t;

typedef struct gui_box_t {
  float fill[4], line[4];
  float radius, border; // radius of the corners, and width of the line; 0: no line
} gui_box_t;

typedef struct gui_t {
  draw_o *draw;
  typesetter_o *type;
  float unit, width, height; // number of pixels per unit, and screen size in units
  gui_rect_t picture;        // part of the window above the tool strip; contains the screen
  float x, y;                // mouse position
  bool pressed;              // true if the left mouse button was pressed since the last frame
  bool held;                 // true while the left mouse button is down
  bool is_hovered;           // true if the mouse is over a panel, which captures the mouse
  bool modal;                // true if widgets ignore the mouse, because the palette is open and covers them
} gui_t;

// Returns the number of logical pixels per unit.
static inline float gui_get_unit(float width, float height) {
  return width / 1280.0f < height / 720.0f ? width / 1280.0f : height / 720.0f;
}
// Starts a frame. `width` and `height`: screen size in logical pixels.
void gui_begin(gui_t *gui, draw_o *draw, typesetter_o *type, float width, float height, const latch_t *input);

// Draws a filled, outlined box with rounded corners.
void gui_draw_box(gui_t *gui, gui_rect_t rect, const gui_box_t *box);
void gui_draw_panel(gui_t *gui, gui_rect_t rect); // draws a panel, which captures the mouse while it is over the panel
// Fills a rounded rectangle with the colour of a look.
void gui_fill_rect(gui_t *gui, gui_rect_t rect, gui_look_t look, float alpha);
// Draws the outline of a rounded rectangle in the colour of a look.
void gui_draw_outline(gui_t *gui, gui_rect_t rect, gui_look_t look);
// Draws a line of text, vertically centred on y and shortened with "…" to a width of `max_width` (0: no limit). Returns
// the width of the text.
float gui_draw_text(gui_t *gui, float x, float y, gui_look_t look, const char *text, float max_width);
// Draws text whose top is y, wrapped at a width of `wrap` (0: one line).
void gui_draw_wrapped_text(gui_t *gui, float x, float y, gui_look_t look, const char *text, float wrap);
// Shortens the text with "…" until it fits: on one line of `width`, or, if `height` is above 0, wrapped at `width`
// within that height. `text` needs 4 spare bytes. Returns the height of the text.
float gui_truncate_text(gui_t *gui, gui_look_t look, char *text, size_t text_bytes, float width, float height);
// Returns the height of text wrapped at a width of `wrap` (0: one line).
float gui_measure_text_height(gui_t *gui, gui_look_t look, const char *text, float wrap);
// Like gui_draw_text without a maximum width, but the text ends at x.
float gui_draw_text_right(gui_t *gui, float x, float y, gui_look_t look, const char *text);
float gui_measure_text_width(gui_t *gui, gui_look_t look, const char *text);
// Draws a key cap whose right edge is x. Returns its width.
float gui_draw_key_cap(gui_t *gui, float x, float y, const char *key);
// Returns true if the mouse is inside the rectangle and no modal palette covers it.
bool gui_is_over(const gui_t *gui, gui_rect_t rect);
// Returns true if the button was pressed inside the rectangle since the last frame.
bool gui_is_clicked(const gui_t *gui, gui_rect_t rect);
// Draws a button, highlighted if `is_active` is set. Returns true if the button was clicked.
bool gui_button(gui_t *gui, gui_rect_t rect, const char *text, bool is_active);
void gui_set_clip(gui_t *gui, gui_rect_t rect); // clips the following calls; width 0: no clipping

#endif
