// Widgets without memory, in screen space above everything that games draw.
#include "overlay/brush.h"

#include "base/assert.h"
#include "overlay/overlay.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZE 14.0f
#define MONO "fonts/mono.ttf"
#define BOLD "fonts/ui-bold.ttf"

typedef struct look_t {
  float colour[4];
  const char *font;
} look_t;

static const look_t LOOKS[BRUSH_LOOKS] = {
    [BRUSH_TEXT] = {{0.90f, 0.92f, 0.95f, 1}, ""},       [BRUSH_DIM] = {{0.58f, 0.62f, 0.70f, 1}, ""},
    [BRUSH_TITLE] = {{0.98f, 0.98f, 1.0f, 1}, BOLD},     [BRUSH_MONO] = {{0.88f, 0.91f, 0.95f, 1}, MONO},
    [BRUSH_MONO_DIM] = {{0.58f, 0.63f, 0.72f, 1}, MONO}, [BRUSH_GOOD] = {{0.35f, 0.85f, 0.55f, 1}, BOLD},
    [BRUSH_BAD] = {{1.0f, 0.50f, 0.46f, 1}, MONO},       [BRUSH_ACCENT] = {{1.0f, 0.74f, 0.33f, 1}, BOLD},
};

static void colour(brush_t *b, const float c[4], float alpha) {
  draw_colour(b->draw, c[0], c[1], c[2], c[3] * alpha);
}

void brush_begin(brush_t *b, draw_o *draw, typesetter_o *type, float width, float height, const latch_t *heard) {
  shoal_assert(width > 0 && height > 0, "a screen of %g × %g", (double)width, (double)height);
  float unit = fminf(width / 1280.0f, height / 720.0f);
  *b = (brush_t){.draw = draw, .type = type, .unit = unit, .width = width / unit, .height = height / unit};
  b->x = heard->now.mouse_x / unit;
  b->y = heard->now.mouse_y / unit;
  b->pressed = heard->pressed.mouse_buttons[1] != 0;
  b->down = heard->now.mouse_buttons[1] != 0;
  draw_reset(draw);
  draw_space(draw, true);
  draw_layer(draw, OVERLAY_LAYER - 1);
}

bool brush_is_over(const brush_t *b, brush_rect_t r) {
  return !b->modal && b->x >= r.x && b->x < r.x + r.width && b->y >= r.y && b->y < r.y + r.height;
}

bool brush_clicked(const brush_t *b, brush_rect_t r) {
  return b->pressed && brush_is_over(b, r);
}

static void round_rect(brush_t *b, brush_rect_t r, float radius, bool filled) {
  draw_round(b->draw, r.x * b->unit, r.y * b->unit, r.width * b->unit, r.height * b->unit, radius * b->unit, filled,
             1.2f * b->unit);
}

void brush_panel(brush_t *b, brush_rect_t r) {
  static const float fill[4] = {0.055f, 0.065f, 0.09f, 0.94f}, line[4] = {1, 1, 1, 0.10f};
  colour(b, fill, 1);
  round_rect(b, r, 7, true);
  colour(b, line, 1);
  round_rect(b, r, 7, false);
  b->over |= brush_is_over(b, r);
}

void brush_fill(brush_t *b, brush_rect_t r, brush_look_t look, float alpha) {
  shoal_assert(look < BRUSH_LOOKS, "look %d", (int)look);
  colour(b, LOOKS[look].colour, alpha);
  round_rect(b, r, 4, true);
}

void brush_frame(brush_t *b, brush_rect_t r, brush_look_t look) {
  colour(b, LOOKS[look].colour, 1);
  round_rect(b, r, 4, false);
}

float brush_width(brush_t *b, brush_look_t look, const char *text) {
  float width = 0, height = 0;
  typesetter_measure(b->type, &(text_style_t){.font = LOOKS[look].font, .size = SIZE}, text, &width, &height);
  return width;
}

// Cut behind as many bytes as fit beside "…", and never within a character.
static void shorten(brush_t *b, brush_look_t look, char *text, size_t room, float most) {
  size_t bytes = strlen(text);
  while (bytes > 0 && brush_width(b, look, text) > most) {
    bytes -= bytes > 80 ? bytes / 8 : 1;
    bytes = utf8_begin(text, bytes);
    snprintf(text + bytes, room - bytes, "…");
  }
}

float brush_text(brush_t *b, float x, float y, brush_look_t look, const char *text, float most) {
  char cut[640];
  shoal_assert(text && look < BRUSH_LOOKS, "no text, or look %d", (int)look);
  snprintf(cut, sizeof cut - 4, "%s", text);
  if (most > 0)
    shorten(b, look, cut, sizeof cut, most);
  draw_font(b->draw, LOOKS[look].font);
  colour(b, LOOKS[look].colour, 1);
  draw_text(b->draw, cut, x * b->unit, (y - 0.62f * SIZE) * b->unit, SIZE * b->unit, 0, 0);
  return brush_width(b, look, cut);
}

float brush_text_right(brush_t *b, float x, float y, brush_look_t look, const char *text) {
  float width = brush_width(b, look, text);
  return brush_text(b, x - width, y, look, text, 0);
}

float brush_key(brush_t *b, float x, float y, const char *key) {
  float width = brush_width(b, BRUSH_DIM, key) + 12;
  brush_rect_t cap = {x - width, y - 10, width, 20};
  static const float fill[4] = {1, 1, 1, 0.08f}, line[4] = {1, 1, 1, 0.25f};
  colour(b, fill, 1);
  round_rect(b, cap, 4, true);
  colour(b, line, 1);
  round_rect(b, cap, 4, false);
  brush_text(b, cap.x + 6, y, BRUSH_DIM, key, 0);
  return width;
}

bool brush_button(brush_t *b, brush_rect_t r, const char *text, bool on) {
  bool over = brush_is_over(b, r);
  brush_fill(b, r, on ? BRUSH_ACCENT : BRUSH_TEXT, over ? 0.30f : on ? 0.22f : 0.10f);
  brush_text(b, r.x + (r.width - brush_width(b, BRUSH_TEXT, text)) / 2, r.y + r.height / 2, BRUSH_TEXT, text, 0);
  return b->pressed && over;
}

void brush_clip(brush_t *b, brush_rect_t r) {
  draw_clip(b->draw, r.x * b->unit, r.y * b->unit, r.width * b->unit, r.height * b->unit);
}
