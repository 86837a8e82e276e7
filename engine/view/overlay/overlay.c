// Layout of the error card and the toasts. Lengths are in units of gui.h: pixels of a 1280 × 720 screen.
#include "overlay/overlay.h"

#include "overlay/gui.h"

#include <math.h>
#include <stdio.h>

#define MARGIN 20.0f
#define PADDING 16.0f     // padding inside the card
#define CARD_GAP 12.0f    // gap between the card's title, body and hint
#define CARD_SHARE 0.45f  // maximum height of the card, relative to the screen's height
#define REPORT_GAP 8.0f   // gap between the lines of a report
#define SOURCE_LINE 23.0f // height of a source line
#define SOURCE_GAP 24.0f  // gap between report and source
#define STRIPE 4.0f       // width of the coloured stripe
#define TOAST_GAP 8.0f
#define TOAST_PADDING 10.0f
#define SLIDE_IN_S 0.14f // duration of a toast's slide-in, in seconds

static const gui_box_t CARD = {{0.055f, 0.065f, 0.09f, 0.96f}, {0.96f, 0.33f, 0.35f, 0.38f}, 12, 1.5f};
static const gui_box_t SOURCE = {{0.02f, 0.025f, 0.04f, 0.9f}, {1, 1, 1, 0.05f}, 9, 1.5f};
static const gui_box_t FAILING = {{0.93f, 0.26f, 0.29f, 0.22f}, {0}, 4, 0};
static const gui_box_t TOAST = {{0.055f, 0.065f, 0.09f, 0.94f}, {1, 1, 1, 0.08f}, 9, 1.5f};
static const gui_box_t BAD = {{0.96f, 0.33f, 0.35f, 1}, {0}, 2, 0};
static const gui_box_t GOOD = {{0.31f, 0.85f, 0.52f, 1}, {0}, 2, 0};
static const gui_box_t NOTE = {{0.45f, 0.66f, 0.95f, 1}, {0}, 2, 0};

// --- error card

// A column of texts, stacked from top to bottom. The first text that would end below `bottom` and all texts after it
// are omitted.
typedef struct column_t {
  gui_t *b;
  float x, y, width, bottom;
  bool draws; // false: only measures, by advancing y
} column_t;

// Adds a text, wrapped and truncated to a height of `max`; if `max` is 0, on one line.
static void add_text(column_t *c, gui_look_t look, const char *text, float max) {
  char cut[1100];
  snprintf(cut, sizeof cut - 4, "%s", text);
  float height = gui_truncate(c->b, look, cut, sizeof cut, c->width, max);
  if (c->y + height > c->bottom) {
    c->bottom = 0;
    return;
  }
  if (c->draws)
    gui_draw_wrapped_text(c->b, c->x, c->y, look, cut, max > 0 ? c->width : 0);
  c->y += height + REPORT_GAP;
}

// Adds the message, the source position, the details (`about`) and further reports. The message gets the remaining
// height, at least two lines. Returns the height of all texts.
static float add_report(column_t c, const error_card_t *card) {
  const float top = c.y, small = gui_text_height(c.b, BRUSH_ABOUT, "X", 0) + REPORT_GAP;
  float left = c.bottom - top - small * fminf((float)card->other_count, 3) - (card->other_count > 0 ? small : 0);
  for (const char *at = card->about; *at; ++at)
    left -= *at == '\n' || at[1] == '\0' ? small : 0;
  left -= card->place[0] ? gui_text_height(c.b, BRUSH_PLACE, "X", 0) + REPORT_GAP : 0;
  const float about = (c.bottom - top) / 3;
  add_text(&c, BRUSH_MESSAGE, card->message, fmaxf(left, 2 * gui_text_height(c.b, BRUSH_MESSAGE, "X", 0)));
  if (card->place[0])
    add_text(&c, BRUSH_PLACE, card->place, 0);
  if (card->about[0])
    add_text(&c, BRUSH_ABOUT, card->about, fmaxf(about, 2 * (small - REPORT_GAP)));
  if (card->total > 1) {
    char more[64];
    snprintf(more, sizeof more, "%u more:", card->total - 1);
    add_text(&c, BRUSH_HINT, more, 0);
  }
  for (uint32_t i = 0; i < card->other_count; ++i)
    add_text(&c, BRUSH_ABOUT, card->others[i], 0);
  return c.y - REPORT_GAP - top;
}

static void draw_source(gui_t *b, const error_card_t *c, gui_rect_t r) {
  gui_draw_box(b, r, &SOURCE);
  for (uint32_t i = 0; i < c->line_count; ++i) {
    const error_card_line_t *line = &c->lines[i];
    gui_look_t look = line->failing ? BRUSH_FAILING_LINE : BRUSH_LINE;
    gui_rect_t row = {r.x + 8, r.y + 8 + SOURCE_LINE * (float)i, r.width - 16, SOURCE_LINE};
    char number[16], text[sizeof line->text + 4];
    snprintf(number, sizeof number, "%d", line->number);
    snprintf(text, sizeof text - 4, "%s", line->text);
    float y = row.y + floorf((SOURCE_LINE - gui_truncate(b, look, text, sizeof text, r.width - 84, 0)) / 2);
    if (line->failing)
      gui_draw_box(b, row, &FAILING);
    gui_look_t number_look = line->failing ? BRUSH_FAILING_NUMBER : BRUSH_NUMBER;
    gui_draw_wrapped_text(b, row.x + 44 - gui_text_width(b, number_look, number), y, number_look, number, 0);
    gui_draw_wrapped_text(b, row.x + 56, y, look, text, 0);
  }
}

// Draws the card. Returns the y of its top.
static float draw_card(gui_t *b, const error_card_t *c) {
  const float width = b->width - 2 * MARGIN, max = CARD_SHARE * b->height - MARGIN;
  const float title = gui_text_height(b, BRUSH_HEADLINE, c->title, 0),
              hint = gui_text_height(b, BRUSH_HINT, c->hint, 0);
  const float around = 2 * PADDING + title + hint + 2 * CARD_GAP;
  const float source = c->line_count > 0 ? 2 * 8 + SOURCE_LINE * (float)c->line_count : 0;
  column_t column = {.b = b, .width = width - 3 * PADDING - STRIPE, .bottom = max - around};
  const float inner = column.width;
  column.width = source > 0 ? floorf(inner * 0.4f) : inner;
  const float height = fminf(max, around + fmaxf(add_report(column, c), source));
  const gui_rect_t r = {MARGIN, b->height - MARGIN - height, width, height};
  gui_draw_box(b, r, &CARD);
  gui_draw_box(b, (gui_rect_t){r.x + PADDING, r.y + PADDING, STRIPE, height - 2 * PADDING}, &BAD);
  column.x = r.x + 2 * PADDING + STRIPE;
  column.y = r.y + PADDING + title + CARD_GAP;
  column.bottom += column.y;
  column.draws = true;
  add_report(column, c);
  if (source > 0)
    draw_source(
        b, c, (gui_rect_t){column.x + column.width + SOURCE_GAP, column.y, inner - column.width - SOURCE_GAP, source});
  column_t lines = {b, column.x, r.y + PADDING, inner, b->height, true};
  add_text(&lines, BRUSH_HEADLINE, c->title, 0);
  lines.y = r.y + height - PADDING - hint;
  add_text(&lines, BRUSH_HINT, c->hint, 0);
  return r.y;
}

// --- toasts

static float ease_in_out(float t) {
  t = fminf(fmaxf(t, 0), 1);
  return t * t * (3 - 2 * t);
}

// Draws the toasts, the newest at the bottom. Toasts slide in from the right and out to the right.
static void draw_toasts(gui_t *b, const toasts_t *t, float bottom) {
  static const gui_box_t *const STRIPES[] = {
      [TOAST_NONE] = &NOTE, [TOAST_GOOD] = &GOOD, [TOAST_PLAIN] = &NOTE, [TOAST_BAD] = &BAD};
  float y = bottom - MARGIN + TOAST_GAP;
  for (uint32_t i = t->count; i-- > 0;) {
    const toast_t *toast = &t->items[i];
    char text[sizeof toast->text + 4];
    snprintf(text, sizeof text - 4, "%s", toast->text);
    float high = gui_truncate(b, BRUSH_TOAST, text, sizeof text, b->width - 2 * MARGIN - 40, 0);
    float away = fmaxf(1 - ease_in_out(toast->age_s / SLIDE_IN_S),
                       ease_in_out((toast->age_s - TOAST_S + TOAST_FADE_S) / TOAST_FADE_S));
    gui_rect_t r = {.width = ceilf(gui_text_width(b, BRUSH_TOAST, text)) + 2 * TOAST_PADDING + STRIPE + 12};
    r.height = high + 2 * TOAST_PADDING;
    r.x = b->width - MARGIN - r.width + away * (r.width + 24);
    r.y = y - TOAST_GAP - r.height;
    y = r.y;
    gui_draw_box(b, r, &TOAST);
    gui_draw_box(b, (gui_rect_t){r.x + TOAST_PADDING, r.y + TOAST_PADDING, STRIPE, high}, STRIPES[toast->kind]);
    gui_draw_wrapped_text(b, r.x + TOAST_PADDING + STRIPE + 12, r.y + TOAST_PADDING, BRUSH_TOAST, text, 0);
  }
}

float overlay_draw(const overlay_desc_t *desc, draw_o *draw, typesetter_o *type) {
  static const latch_t NO_INPUT;
  gui_t b;
  gui_begin(&b, draw, type, desc->width, desc->height, &NO_INPUT);
  draw_set_layer(draw, OVERLAY_LAYER);
  bool card = desc->card->kind != ERROR_CARD_NONE && !desc->card->hidden;
  float top = card ? draw_card(&b, desc->card) : b.height;
  draw_toasts(&b, desc->toasts, top);
  return top * b.unit;
}
