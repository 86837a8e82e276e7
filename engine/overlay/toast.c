// The latest messages with their age, drawn from the corner upwards.
#include "overlay/toast.h"

#include "base/assert.h"
#include "overlay/error_card.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void toast_add(toasts_t *t, toast_kind_t kind, const char *format, ...) {
  shoal_assert(kind != TOAST_NONE, "a toast of no kind");
  if (t->count == TOAST_MAX) {
    memmove(t->items, t->items + 1, (TOAST_MAX - 1) * sizeof *t->items);
    t->count--;
  }
  toast_t *toast = &t->items[t->count++];
  *toast = (toast_t){.kind = kind};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(toast->text, sizeof toast->text, format, arguments);
  va_end(arguments);
}

void toast_advance(toasts_t *t, float seconds) {
  shoal_assert(seconds >= 0, "time that goes back %g s", (double)seconds);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->count; ++i) {
    t->items[i].age_s += seconds;
    if (t->items[i].age_s < TOAST_S)
      t->items[kept++] = t->items[i];
  }
  t->count = kept;
}

// 0 … 1: appears at once, leaves softly.
static float opacity(const toast_t *toast) {
  float left_s = TOAST_S - toast->age_s;
  return left_s >= TOAST_FADE_S ? 1.0f : left_s / TOAST_FADE_S;
}

static void accent(draw_o *d, toast_kind_t kind, float a) {
  if (kind == TOAST_GOOD)
    draw_colour(d, 0.31f, 0.85f, 0.52f, a);
  else if (kind == TOAST_BAD)
    draw_colour(d, 0.96f, 0.33f, 0.35f, a);
  else
    draw_colour(d, 0.45f, 0.66f, 0.95f, a);
}

void toast_draw(const toasts_t *t, draw_o *d, render_o *r, float width, float height, float bottom) {
  float unit = width / 1280.0f < height / 720.0f ? width / 1280.0f : height / 720.0f;
  float size = 16 * unit, box_height = 38 * unit, margin = 20 * unit, y = bottom - margin;
  draw_space(d, true);
  draw_blend(d, false);
  draw_layer(d, ERROR_CARD_LAYER + 1);
  draw_font(d, "");
  for (uint32_t i = t->count; i-- > 0;) {
    const toast_t *toast = &t->items[i];
    float text_width = 0, text_height = 0, a = opacity(toast);
    render_text_size(r, &(text_style_t){.font = "", .size = size, .wrap = 0}, toast->text, &text_width, &text_height);
    float box_width = text_width + 34 * unit, x = width - margin - box_width;
    y -= box_height;
    draw_colour(d, 0.055f, 0.065f, 0.09f, 0.9f * a);
    draw_rect(d, x, y, box_width, box_height, true, 0);
    accent(d, toast->kind, a);
    draw_rect(d, x, y, 4 * unit, box_height, true, 0);
    draw_colour(d, 0.92f, 0.94f, 0.97f, a);
    draw_text(d, toast->text, x + 18 * unit, y + (box_height - text_height) / 2, size, 0, 0);
    y -= 8 * unit;
  }
}
