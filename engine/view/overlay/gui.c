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

static const look_t LOOKS[GUI_LOOK_COUNT] = {
    [GUI_LOOK_TEXT] = {{0.90f, 0.92f, 0.95f, 1}, "", SIZE},
    [GUI_LOOK_DIM] = {{0.58f, 0.62f, 0.70f, 1}, "", SIZE},
    [GUI_LOOK_TITLE] = {{0.98f, 0.98f, 1.0f, 1}, BOLD, SIZE},
    [GUI_LOOK_MONO] = {{0.88f, 0.91f, 0.95f, 1}, MONO, SIZE},
    [GUI_LOOK_MONO_DIM] = {{0.58f, 0.63f, 0.72f, 1}, MONO, SIZE},
    [GUI_LOOK_GOOD] = {{0.35f, 0.85f, 0.55f, 1}, BOLD, SIZE},
    [GUI_LOOK_BAD] = {{1.0f, 0.50f, 0.46f, 1}, MONO, SIZE},
    [GUI_LOOK_ACCENT] = {{1.0f, 0.74f, 0.33f, 1}, BOLD, SIZE},
    [GUI_LOOK_HEADLINE] = {{1.0f, 0.52f, 0.50f, 1}, BOLD, 21},
    [GUI_LOOK_MESSAGE] = {{0.93f, 0.94f, 0.96f, 1}, "", 17},
    [GUI_LOOK_PLACE] = {{1.0f, 0.72f, 0.42f, 1}, MONO, 15},
    [GUI_LOOK_ABOUT] = {{0.74f, 0.77f, 0.83f, 1}, "", 14},
    [GUI_LOOK_HINT] = {{0.55f, 0.59f, 0.67f, 1}, "", 14},
    [GUI_LOOK_LINE] = {{0.68f, 0.72f, 0.79f, 1}, MONO, 15},
    [GUI_LOOK_NUMBER] = {{0.42f, 0.46f, 0.54f, 1}, MONO, 15},
    [GUI_LOOK_FAILING_LINE] = {{1.0f, 0.95f, 0.93f, 1}, MONO, 15},
    [GUI_LOOK_FAILING_NUMBER] = {{1.0f, 0.62f, 0.60f, 1}, MONO, 15},
    [GUI_LOOK_TOAST] = {{0.89f, 0.93f, 0.98f, 1}, "", 16},
};

static void set_colour(gui_t *gui, const float c[4], float alpha) {
  draw_set_colour(gui->draw, c[0], c[1], c[2], c[3] * alpha);
}

void gui_begin(gui_t *gui, draw_o *draw, typesetter_o *type, float width, float height, const latch_t *input) {
  shoal_assert(width > 0 && height > 0, "the screen size must be positive, got %g × %g", (double)width, (double)height);
  float unit = gui_get_unit(width, height);
  *gui = (gui_t){.draw = draw, .type = type, .unit = unit, .width = width / unit, .height = height / unit};
  float area[4];
  draw_get_visible_area(draw, area);
  gui->picture = (gui_rect_t){area[0] / unit, area[1] / unit, fmaxf(area[2] / unit, gui->width),
                              fmaxf(area[3] / unit, gui->height)};
  gui->x = input->current.mouse_x / unit;
  gui->y = input->current.mouse_y / unit;
  gui->pressed = input->pressed.mouse_buttons[1] != 0;
  gui->held = input->current.mouse_buttons[1] != 0;
  draw_reset(draw);
  draw_set_space(draw, true);
  draw_set_layer(draw, OVERLAY_LAYER - 1);
}

bool gui_is_over(const gui_t *gui, gui_rect_t rect) {
  return !gui->modal && gui->x >= rect.x && gui->x < rect.x + rect.width && gui->y >= rect.y &&
         gui->y < rect.y + rect.height;
}

bool gui_is_clicked(const gui_t *gui, gui_rect_t rect) {
  return gui->pressed && gui_is_over(gui, rect);
}

static void draw_round_rect(gui_t *gui, gui_rect_t rect, float radius, bool filled, float border) {
  draw_rounded_rect(gui->draw, rect.x * gui->unit, rect.y * gui->unit, rect.width * gui->unit, rect.height * gui->unit,
                    radius * gui->unit, filled, border * gui->unit);
}

void gui_draw_box(gui_t *gui, gui_rect_t rect, const gui_box_t *box) {
  set_colour(gui, box->fill, 1);
  draw_round_rect(gui, rect, box->radius, true, 0);
  if (box->border > 0) {
    set_colour(gui, box->line, 1);
    draw_round_rect(gui, rect, box->radius, false, box->border);
  }
}

void gui_draw_panel(gui_t *gui, gui_rect_t rect) {
  gui_draw_box(gui, rect, &(gui_box_t){{0.055f, 0.065f, 0.09f, 0.94f}, {1, 1, 1, 0.10f}, 7, BORDER});
  gui->is_hovered |= gui_is_over(gui, rect);
}

void gui_fill_rect(gui_t *gui, gui_rect_t rect, gui_look_t look, float alpha) {
  shoal_assert(look < GUI_LOOK_COUNT, "look %d", (int)look);
  set_colour(gui, LOOKS[look].colour, alpha);
  draw_round_rect(gui, rect, 4, true, 0);
}

void gui_draw_outline(gui_t *gui, gui_rect_t rect, gui_look_t look) {
  set_colour(gui, LOOKS[look].colour, 1);
  draw_round_rect(gui, rect, 4, false, BORDER);
}

static void measure_text(gui_t *gui, gui_look_t look, const char *text, float wrap, float *width, float *height) {
  text_style_t style = {.font = LOOKS[look].font, .size = LOOKS[look].size * gui->unit, .wrap = wrap * gui->unit};
  typesetter_measure(gui->type, &style, text, width, height);
  *width /= gui->unit;
  *height = ceilf(*height) / gui->unit;
}

float gui_measure_text_width(gui_t *gui, gui_look_t look, const char *text) {
  float width = 0, height = 0;
  measure_text(gui, look, text, 0, &width, &height);
  return width;
}

float gui_measure_text_height(gui_t *gui, gui_look_t look, const char *text, float wrap) {
  float width = 0, height = 0;
  measure_text(gui, look, text, wrap, &width, &height);
  return height;
}

static bool fits_in_box(gui_t *gui, gui_look_t look, const char *text, float width, float height) {
  return height > 0 ? gui_measure_text_height(gui, look, text, width) <= height
                    : gui_measure_text_width(gui, look, text) <= width;
}

float gui_truncate_text(gui_t *gui, gui_look_t look, char *text, size_t text_bytes, float width, float height) {
  char shortened[1200];
  size_t min_bytes = 0, max_bytes = strlen(text); // bounds of the binary search for the number of bytes that fit
  shoal_assert(max_bytes + sizeof "…" <= text_bytes && text_bytes <= sizeof shortened,
               "%zu bytes of text and an ellipsis do not fit in %zu bytes", max_bytes, text_bytes);
  if (!fits_in_box(gui, look, text, width, height)) {
    while (min_bytes < max_bytes) {
      size_t middle = (min_bytes + max_bytes + 1) / 2;
      snprintf(shortened, sizeof shortened, "%.*s…", (int)utf8_character_start(text, middle), text);
      if (fits_in_box(gui, look, shortened, width, height))
        min_bytes = middle;
      else
        max_bytes = middle - 1;
    }
    min_bytes = utf8_character_start(text, min_bytes);
    snprintf(text + min_bytes, text_bytes - min_bytes, "…");
  }
  return gui_measure_text_height(gui, look, text, height > 0 ? width : 0);
}

void gui_draw_wrapped_text(gui_t *gui, float x, float y, gui_look_t look, const char *text, float wrap) {
  shoal_assert(text && look < GUI_LOOK_COUNT, "text must not be NULL, and look %d must be known", (int)look);
  draw_set_font(gui->draw, LOOKS[look].font);
  set_colour(gui, LOOKS[look].colour, 1);
  draw_text(gui->draw, text, x * gui->unit, y * gui->unit, LOOKS[look].size * gui->unit, 0, wrap * gui->unit);
}

float gui_draw_text(gui_t *gui, float x, float y, gui_look_t look, const char *text, float max_width) {
  char shortened[640];
  snprintf(shortened, sizeof shortened - 4, "%s", text);
  if (max_width > 0)
    gui_truncate_text(gui, look, shortened, sizeof shortened, max_width, 0);
  gui_draw_wrapped_text(gui, x, y - 0.62f * LOOKS[look].size, look, shortened, 0);
  return gui_measure_text_width(gui, look, shortened);
}

float gui_draw_text_right(gui_t *gui, float x, float y, gui_look_t look, const char *text) {
  float width = gui_measure_text_width(gui, look, text);
  return gui_draw_text(gui, x - width, y, look, text, 0);
}

float gui_draw_key_cap(gui_t *gui, float x, float y, const char *key) {
  float width = gui_measure_text_width(gui, GUI_LOOK_DIM, key) + 12;
  gui_rect_t cap = {x - width, y - 10, width, 20};
  gui_draw_box(gui, cap, &(gui_box_t){{1, 1, 1, 0.08f}, {1, 1, 1, 0.25f}, 4, BORDER});
  gui_draw_text(gui, cap.x + 6, y, GUI_LOOK_DIM, key, 0);
  return width;
}

bool gui_button(gui_t *gui, gui_rect_t rect, const char *text, bool is_active) {
  bool is_hovered = gui_is_over(gui, rect);
  gui_fill_rect(gui, rect, is_active ? GUI_LOOK_ACCENT : GUI_LOOK_TEXT, is_hovered ? 0.30f : is_active ? 0.22f : 0.10f);
  gui_draw_text(gui, rect.x + (rect.width - gui_measure_text_width(gui, GUI_LOOK_TEXT, text)) / 2,
                rect.y + rect.height / 2, GUI_LOOK_TEXT, text, 0);
  return gui->pressed && is_hovered;
}

void gui_set_clip(gui_t *gui, gui_rect_t rect) {
  draw_set_clip(gui->draw, rect.x * gui->unit, rect.y * gui->unit, rect.width * gui->unit, rect.height * gui->unit);
}
