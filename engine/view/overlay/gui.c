// Immediate-mode widgets in screen space, drawn above the game.
#include "overlay/gui.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZE 14.0f
#define BORDER 1.2f
#define MONO "fonts/mono.ttf"
#define BOLD "fonts/ui-bold.ttf"

typedef struct look_t {
  float colour[4];
  const char *font;
  float size;
} look_t;

static const look_t LOOKS[BRUSH_LOOKS] = {
    [BRUSH_TEXT] = {{0.90f, 0.92f, 0.95f, 1}, "", SIZE},
    [BRUSH_DIM] = {{0.58f, 0.62f, 0.70f, 1}, "", SIZE},
    [BRUSH_TITLE] = {{0.98f, 0.98f, 1.0f, 1}, BOLD, SIZE},
    [BRUSH_MONO] = {{0.88f, 0.91f, 0.95f, 1}, MONO, SIZE},
    [BRUSH_MONO_DIM] = {{0.58f, 0.63f, 0.72f, 1}, MONO, SIZE},
    [BRUSH_GOOD] = {{0.35f, 0.85f, 0.55f, 1}, BOLD, SIZE},
    [BRUSH_BAD] = {{1.0f, 0.50f, 0.46f, 1}, MONO, SIZE},
    [BRUSH_ACCENT] = {{1.0f, 0.74f, 0.33f, 1}, BOLD, SIZE},
    [BRUSH_HEADLINE] = {{1.0f, 0.52f, 0.50f, 1}, BOLD, 21},
    [BRUSH_MESSAGE] = {{0.93f, 0.94f, 0.96f, 1}, "", 17},
    [BRUSH_PLACE] = {{1.0f, 0.72f, 0.42f, 1}, MONO, 15},
    [BRUSH_ABOUT] = {{0.74f, 0.77f, 0.83f, 1}, "", 14},
    [BRUSH_HINT] = {{0.55f, 0.59f, 0.67f, 1}, "", 14},
    [BRUSH_LINE] = {{0.68f, 0.72f, 0.79f, 1}, MONO, 15},
    [BRUSH_NUMBER] = {{0.42f, 0.46f, 0.54f, 1}, MONO, 15},
    [BRUSH_FAILING_LINE] = {{1.0f, 0.95f, 0.93f, 1}, MONO, 15},
    [BRUSH_FAILING_NUMBER] = {{1.0f, 0.62f, 0.60f, 1}, MONO, 15},
    [BRUSH_TOAST] = {{0.89f, 0.93f, 0.98f, 1}, "", 16},
};

static void set_colour(gui_t *b, const float c[4], float alpha) {
  draw_set_colour(b->draw, c[0], c[1], c[2], c[3] * alpha);
}

void gui_begin(gui_t *b, draw_o *draw, typesetter_o *type, float width, float height, const latch_t *input) {
  shoal_assert(width > 0 && height > 0, "the screen size must be positive, got %g × %g", (double)width, (double)height);
  float unit = fminf(width / 1280.0f, height / 720.0f);
  *b = (gui_t){.draw = draw, .type = type, .unit = unit, .width = width / unit, .height = height / unit};
  b->x = input->current.mouse_x / unit;
  b->y = input->current.mouse_y / unit;
  b->pressed = input->pressed.mouse_buttons[1] != 0;
  b->down = input->current.mouse_buttons[1] != 0;
  draw_reset(draw);
  draw_set_space(draw, true);
  draw_set_layer(draw, OVERLAY_LAYER - 1);
}

bool gui_is_over(const gui_t *b, gui_rect_t r) {
  return !b->modal && b->x >= r.x && b->x < r.x + r.width && b->y >= r.y && b->y < r.y + r.height;
}

bool gui_is_clicked(const gui_t *b, gui_rect_t r) {
  return b->pressed && gui_is_over(b, r);
}

static void draw_round_rect(gui_t *b, gui_rect_t r, float radius, bool filled, float border) {
  draw_rounded_rect(b->draw, r.x * b->unit, r.y * b->unit, r.width * b->unit, r.height * b->unit, radius * b->unit,
                    filled, border * b->unit);
}

void gui_draw_box(gui_t *b, gui_rect_t r, const gui_box_t *box) {
  set_colour(b, box->fill, 1);
  draw_round_rect(b, r, box->radius, true, 0);
  if (box->border > 0) {
    set_colour(b, box->line, 1);
    draw_round_rect(b, r, box->radius, false, box->border);
  }
}

void gui_draw_panel(gui_t *b, gui_rect_t r) {
  gui_draw_box(b, r, &(gui_box_t){{0.055f, 0.065f, 0.09f, 0.94f}, {1, 1, 1, 0.10f}, 7, BORDER});
  b->over |= gui_is_over(b, r);
}

void gui_fill_rect(gui_t *b, gui_rect_t r, gui_look_t look, float alpha) {
  shoal_assert(look < BRUSH_LOOKS, "look %d", (int)look);
  set_colour(b, LOOKS[look].colour, alpha);
  draw_round_rect(b, r, 4, true, 0);
}

void gui_draw_outline(gui_t *b, gui_rect_t r, gui_look_t look) {
  set_colour(b, LOOKS[look].colour, 1);
  draw_round_rect(b, r, 4, false, BORDER);
}

static void measure_text(gui_t *b, gui_look_t look, const char *text, float wrap, float *width, float *height) {
  text_style_t style = {.font = LOOKS[look].font, .size = LOOKS[look].size * b->unit, .wrap = wrap * b->unit};
  typesetter_measure(b->type, &style, text, width, height);
  *width /= b->unit;
  *height = ceilf(*height) / b->unit;
}

float gui_text_width(gui_t *b, gui_look_t look, const char *text) {
  float width = 0, height = 0;
  measure_text(b, look, text, 0, &width, &height);
  return width;
}

float gui_text_height(gui_t *b, gui_look_t look, const char *text, float wrap) {
  float width = 0, height = 0;
  measure_text(b, look, text, wrap, &width, &height);
  return height;
}

static bool fits_in_box(gui_t *b, gui_look_t look, const char *text, float width, float height) {
  return height > 0 ? gui_text_height(b, look, text, width) <= height : gui_text_width(b, look, text) <= width;
}

float gui_truncate(gui_t *b, gui_look_t look, char *text, size_t text_bytes, float width, float height) {
  char cut[1200];
  size_t low = 0, high = strlen(text); // bounds of the binary search for the number of bytes that fit
  shoal_assert(high + sizeof "…" <= text_bytes && text_bytes <= sizeof cut,
               "%zu bytes of text and an ellipsis do not fit in %zu bytes", high, text_bytes);
  if (!fits_in_box(b, look, text, width, height)) {
    while (low < high) {
      size_t middle = (low + high + 1) / 2;
      snprintf(cut, sizeof cut, "%.*s…", (int)utf8_character_start(text, middle), text);
      if (fits_in_box(b, look, cut, width, height))
        low = middle;
      else
        high = middle - 1;
    }
    low = utf8_character_start(text, low);
    snprintf(text + low, text_bytes - low, "…");
  }
  return gui_text_height(b, look, text, height > 0 ? width : 0);
}

void gui_draw_wrapped_text(gui_t *b, float x, float y, gui_look_t look, const char *text, float wrap) {
  shoal_assert(text && look < BRUSH_LOOKS, "text must not be NULL, and look %d must be known", (int)look);
  draw_set_font(b->draw, LOOKS[look].font);
  set_colour(b, LOOKS[look].colour, 1);
  draw_text(b->draw, text, x * b->unit, y * b->unit, LOOKS[look].size * b->unit, 0, wrap * b->unit);
}

float gui_draw_text(gui_t *b, float x, float y, gui_look_t look, const char *text, float max) {
  char cut[640];
  snprintf(cut, sizeof cut - 4, "%s", text);
  if (max > 0)
    gui_truncate(b, look, cut, sizeof cut, max, 0);
  gui_draw_wrapped_text(b, x, y - 0.62f * LOOKS[look].size, look, cut, 0);
  return gui_text_width(b, look, cut);
}

float gui_draw_text_right(gui_t *b, float x, float y, gui_look_t look, const char *text) {
  float width = gui_text_width(b, look, text);
  return gui_draw_text(b, x - width, y, look, text, 0);
}

float gui_draw_key_cap(gui_t *b, float x, float y, const char *key) {
  float width = gui_text_width(b, BRUSH_DIM, key) + 12;
  gui_rect_t cap = {x - width, y - 10, width, 20};
  gui_draw_box(b, cap, &(gui_box_t){{1, 1, 1, 0.08f}, {1, 1, 1, 0.25f}, 4, BORDER});
  gui_draw_text(b, cap.x + 6, y, BRUSH_DIM, key, 0);
  return width;
}

bool gui_button(gui_t *b, gui_rect_t r, const char *text, bool on) {
  bool over = gui_is_over(b, r);
  gui_fill_rect(b, r, on ? BRUSH_ACCENT : BRUSH_TEXT, over ? 0.30f : on ? 0.22f : 0.10f);
  gui_draw_text(b, r.x + (r.width - gui_text_width(b, BRUSH_TEXT, text)) / 2, r.y + r.height / 2, BRUSH_TEXT, text, 0);
  return b->pressed && over;
}

void gui_set_clip(gui_t *b, gui_rect_t r) {
  draw_set_clip(b->draw, r.x * b->unit, r.y * b->unit, r.width * b->unit, r.height * b->unit);
}
