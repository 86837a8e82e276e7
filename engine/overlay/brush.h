// Draws the overlay's widgets and says what the mouse does to them, both in the same call: nothing is kept between two
// frames. Lengths are units: pixels of a screen of 1280 × 720, from its top left corner.
#ifndef SHOAL_OVERLAY_BRUSH_H
#define SHOAL_OVERLAY_BRUSH_H

#include "platform/latch.h"
#include "render/draw.h"
#include "text/typesetter.h"

#define OVERLAY_LAYER 1000000

typedef enum brush_look_t {
  BRUSH_TEXT,
  BRUSH_DIM,
  BRUSH_TITLE,
  BRUSH_MONO,
  BRUSH_MONO_DIM,
  BRUSH_GOOD,
  BRUSH_BAD,
  BRUSH_ACCENT,
  BRUSH_HEADLINE, // from here on of the error card
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
} brush_look_t;

typedef struct brush_rect_t {
  float x, y, width, height;
} brush_rect_t;

typedef struct brush_box_t {
  float fill[4], line[4];
  float radius, border; // border: width of the line; 0: no line
} brush_box_t;

typedef struct brush_t {
  draw_o *draw;
  typesetter_o *type;
  float unit, width, height; // pixels of a unit; of the screen, in units
  float x, y;                // of the mouse
  bool pressed, down;        // its left button: since the last frame, now
  bool over;                 // the mouse is over something of the overlay, which has it for itself
  bool modal;                // only what is drawn from now on has it
} brush_t;

void brush_begin(brush_t *b, draw_o *draw, typesetter_o *type, float width, float height, const latch_t *heard);

void brush_box(brush_t *b, brush_rect_t r, const brush_box_t *box);
void brush_panel(brush_t *b, brush_rect_t r); // takes the mouse that is over it
void brush_fill(brush_t *b, brush_rect_t r, brush_look_t look, float alpha);
void brush_frame(brush_t *b, brush_rect_t r, brush_look_t look);
// y is the middle of the line. Shortened with "…" where it is wider than `most`; 0: it never is. Returns its width.
float brush_text(brush_t *b, float x, float y, brush_look_t look, const char *text, float most);
// The same with y at the top of the text; wrapped at `wrap`, 0: in one line.
void brush_write(brush_t *b, float x, float y, brush_look_t look, const char *text, float wrap);
// Shortens the text with "…" until it fits: in one line of `width`, or, if `height` is above 0, wrapped at `width` in
// this height. `text` needs 4 spare bytes. Returns the height of the text.
float brush_fit(brush_t *b, brush_look_t look, char *text, size_t text_bytes, float width, float height);
float brush_height(brush_t *b, brush_look_t look, const char *text, float wrap);
float brush_text_right(brush_t *b, float x, float y, brush_look_t look, const char *text);
float brush_width(brush_t *b, brush_look_t look, const char *text);
// A key as its cap; its right end is x. Returns the width.
float brush_key(brush_t *b, float x, float y, const char *key);
bool brush_is_over(const brush_t *b, brush_rect_t r);
bool brush_clicked(const brush_t *b, brush_rect_t r); // went down in it
bool brush_button(brush_t *b, brush_rect_t r, const char *text, bool on);
void brush_clip(brush_t *b, brush_rect_t r); // width 0: no longer

#endif
