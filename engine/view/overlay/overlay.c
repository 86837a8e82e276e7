// Layout of the error card and the toasts. Lengths are in units of gui.h: pixels of a 1280 × 720 screen.
#include "overlay/overlay.h"

#include "overlay/badge.h"
#include "overlay/gui.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
#define SLIDE_DURATION_S 0.14f // duration of a toast's slide-in, in seconds

static const gui_box_t CARD = {{0.055f, 0.065f, 0.09f, 0.96f}, {0.96f, 0.33f, 0.35f, 0.38f}, 12, 1.5f};
static const gui_box_t SOURCE = {{0.02f, 0.025f, 0.04f, 0.9f}, {1, 1, 1, 0.05f}, 9, 1.5f};
static const gui_box_t FAILING = {{0.93f, 0.26f, 0.29f, 0.22f}, {0}, 4, 0};
static const gui_box_t TOAST = {{0.055f, 0.065f, 0.09f, 0.7f}, {1, 1, 1, 0.08f}, 9, 1.5f};
static const gui_box_t BAD = {{0.96f, 0.33f, 0.35f, 1}, {0}, 2, 0};
static const gui_box_t GOOD = {{0.31f, 0.85f, 0.52f, 1}, {0}, 2, 0};
static const gui_box_t NOTE = {{0.45f, 0.66f, 0.95f, 1}, {0}, 2, 0};

// --- error card

// A column of text blocks, stacked from top to bottom. The first block that would end below `bottom` and all blocks
// after it are omitted.
typedef struct column_t {
  gui_t *gui;
  float x, y, width, bottom;
  bool is_drawing; // true if text is drawn; false if it is only measured, by advancing y
} column_t;

// Adds text, wrapped and truncated to a height of `max_height`; if `max_height` is 0, on one line.
static void add_text(column_t *column, gui_look_t look, const char *text, float max_height) {
  char text_buffer[1100];
  snprintf(text_buffer, sizeof text_buffer - 4, "%s", text);
  float height = gui_truncate_text(column->gui, look, text_buffer, sizeof text_buffer, column->width, max_height);
  if (column->y + height > column->bottom) {
    column->bottom = 0;
    return;
  }
  if (column->is_drawing)
    gui_draw_wrapped_text(column->gui, column->x, column->y, look, text_buffer, max_height > 0 ? column->width : 0);
  column->y += height + REPORT_GAP;
}

// Adds the message, the source position, the details (`about`) and further reports. The message gets the remaining
// height, at least two lines. Returns the total height.
static float add_report(column_t column, const error_card_t *card) {
  const float top = column.y, small_height = gui_measure_text_height(column.gui, GUI_LOOK_ABOUT, "X", 0) + REPORT_GAP;
  float remaining = column.bottom - top - small_height * fminf((float)card->other_count, 3) -
                    (card->other_count > 0 ? small_height : 0);
  for (const char *p = card->about; *p; ++p)
    remaining -= *p == '\n' || p[1] == '\0' ? small_height : 0;
  remaining -= card->location[0] ? gui_measure_text_height(column.gui, GUI_LOOK_PLACE, "X", 0) + REPORT_GAP : 0;
  const float details_height = (column.bottom - top) / 3;
  add_text(&column, GUI_LOOK_MESSAGE, card->message,
           fmaxf(remaining, 2 * gui_measure_text_height(column.gui, GUI_LOOK_MESSAGE, "X", 0)));
  if (card->location[0])
    add_text(&column, GUI_LOOK_PLACE, card->location, 0);
  if (card->about[0])
    add_text(&column, GUI_LOOK_ABOUT, card->about, fmaxf(details_height, 2 * (small_height - REPORT_GAP)));
  if (card->total > 1) {
    char heading[64];
    snprintf(heading, sizeof heading, "%u more:", card->total - 1);
    add_text(&column, GUI_LOOK_HINT, heading, 0);
  }
  for (uint32_t i = 0; i < card->other_count; ++i)
    add_text(&column, GUI_LOOK_ABOUT, card->other_reports[i], 0);
  return column.y - REPORT_GAP - top;
}

static void draw_source(gui_t *gui, const error_card_t *card, gui_rect_t rect) {
  gui_draw_box(gui, rect, &SOURCE);
  for (uint32_t i = 0; i < card->line_count; ++i) {
    const error_card_line_t *line = &card->lines[i];
    gui_look_t look = line->failing ? GUI_LOOK_FAILING_LINE : GUI_LOOK_LINE;
    gui_rect_t row = {rect.x + 8, rect.y + 8 + SOURCE_LINE * (float)i, rect.width - 16, SOURCE_LINE};
    char number[16], text[sizeof line->text + 4];
    snprintf(number, sizeof number, "%d", line->number);
    snprintf(text, sizeof text - 4, "%s", line->text);
    // the row has the height of one line, even if the line is empty
    float y = row.y + floorf((SOURCE_LINE - gui_measure_text_height(gui, look, "X", 0)) / 2);
    gui_truncate_text(gui, look, text, sizeof text, rect.width - 84, 0);
    if (line->failing)
      gui_draw_box(gui, row, &FAILING);
    gui_look_t number_look = line->failing ? GUI_LOOK_FAILING_NUMBER : GUI_LOOK_NUMBER;
    gui_draw_wrapped_text(gui, row.x + 44 - gui_measure_text_width(gui, number_look, number), y, number_look, number,
                          0);
    gui_draw_wrapped_text(gui, row.x + 56, y, look, text, 0);
  }
}

// Draws the card. Returns the y of its top.
static float draw_card(gui_t *gui, const error_card_t *card) {
  const float width = gui->width - 2 * MARGIN, max_height = CARD_SHARE * gui->height - MARGIN;
  const float title_height = gui_measure_text_height(gui, GUI_LOOK_HEADLINE, card->title, 0),
              hint_height = gui_measure_text_height(gui, GUI_LOOK_HINT, card->hint, 0);
  const float frame_height = 2 * PADDING + title_height + hint_height + 2 * CARD_GAP;
  const float source_height = card->line_count > 0 ? 2 * 8 + SOURCE_LINE * (float)card->line_count : 0;
  column_t column = {.gui = gui, .width = width - 3 * PADDING - STRIPE, .bottom = max_height - frame_height};
  const float inner_width = column.width;
  column.width = source_height > 0 ? floorf(inner_width * 0.4f) : inner_width;
  const float height = fminf(max_height, frame_height + fmaxf(add_report(column, card), source_height));
  const gui_rect_t rect = {MARGIN, gui->height - MARGIN - height, width, height};
  gui_draw_box(gui, rect, &CARD);
  gui_draw_box(gui, (gui_rect_t){rect.x + PADDING, rect.y + PADDING, STRIPE, height - 2 * PADDING}, &BAD);
  column.x = rect.x + 2 * PADDING + STRIPE;
  column.y = rect.y + PADDING + title_height + CARD_GAP;
  column.bottom += column.y;
  column.is_drawing = true;
  add_report(column, card);
  if (source_height > 0)
    draw_source(gui, card,
                (gui_rect_t){column.x + column.width + SOURCE_GAP, column.y, inner_width - column.width - SOURCE_GAP,
                             source_height});
  column_t title_column = {gui, column.x, rect.y + PADDING, inner_width, gui->height, true};
  add_text(&title_column, GUI_LOOK_HEADLINE, card->title, 0);
  title_column.y = rect.y + height - PADDING - hint_height;
  add_text(&title_column, GUI_LOOK_HINT, card->hint, 0);
  return rect.y;
}

// --- toasts

static float ease_in_out(float t) {
  t = fminf(fmaxf(t, 0), 1);
  return t * t * (3 - 2 * t);
}

// Returns the stripe of a toast. It has the game's accent colour, unless the toast reports an error.
static gui_box_t choose_stripe(toast_kind_t kind, const float *accent) {
  static const gui_box_t *const STRIPES[] = {
      [TOAST_NONE] = &NOTE, [TOAST_GOOD] = &GOOD, [TOAST_PLAIN] = &NOTE, [TOAST_BAD] = &BAD, [TOAST_RELOAD] = &GOOD};
  gui_box_t stripe = *STRIPES[kind];
  if (accent && kind != TOAST_BAD)
    memcpy(stripe.fill, accent, 3 * sizeof *stripe.fill);
  return stripe;
}

// Draws the toasts in a column that begins at `edge`, with the newest toast next to it. Toasts slide in from the right
// and out to the right.
static void draw_toasts(gui_t *gui, const overlay_desc_t *desc, float edge) {
  const toasts_t *toasts = desc->toasts;
  const bool is_top = desc->has_toasts_at_top;
  float y = is_top ? edge + MARGIN - TOAST_GAP : edge - MARGIN + TOAST_GAP;
  for (uint32_t i = toasts->count; i-- > 0;) {
    const toast_t *toast = &toasts->items[i];
    char text[sizeof toast->text + 4];
    snprintf(text, sizeof text - 4, "%s", toast->text);
    float text_height = gui_truncate_text(gui, GUI_LOOK_TOAST, text, sizeof text, gui->width - 2 * MARGIN - 40, 0);
    float slide = fmaxf(1 - ease_in_out(toast->age_s / SLIDE_DURATION_S),
                        ease_in_out((toast->age_s - TOAST_DURATION_S + TOAST_FADE_S) / TOAST_FADE_S));
    gui_rect_t rect = {.width =
                           ceilf(gui_measure_text_width(gui, GUI_LOOK_TOAST, text)) + 2 * TOAST_PADDING + STRIPE + 12};
    rect.height = text_height + 2 * TOAST_PADDING;
    rect.x = gui->width - MARGIN - rect.width + slide * (rect.width + 24);
    rect.y = is_top ? y + TOAST_GAP : y - TOAST_GAP - rect.height;
    y = is_top ? rect.y + rect.height : rect.y;
    gui_box_t stripe = choose_stripe(toast->kind, desc->accent);
    gui_draw_box(gui, rect, &TOAST);
    gui_draw_box(gui, (gui_rect_t){rect.x + TOAST_PADDING, rect.y + TOAST_PADDING, STRIPE, text_height}, &stripe);
    gui_draw_wrapped_text(gui, rect.x + TOAST_PADDING + STRIPE + 12, rect.y + TOAST_PADDING, GUI_LOOK_TOAST, text, 0);
  }
}

float overlay_draw(const overlay_desc_t *desc, draw_o *draw, typesetter_o *type) {
  gui_t gui;
  gui_begin(&gui, draw, type, desc->width, desc->height, desc->pointer);
  draw_set_layer(draw, OVERLAY_LAYER);
  if (desc->badge)
    badge_draw(&gui, &desc->game, desc->badge);
  bool shows_card = desc->card->kind != ERROR_CARD_NONE && !desc->card->hidden;
  float top = shows_card ? draw_card(&gui, desc->card) : gui.height;
  float edge = desc->has_toasts_at_top ? 0 : top, bar_edge = edge;
  if (desc->bar->visible)
    bar_edge = scrub_bar_draw(desc->bar, &gui, top);
  draw_toasts(&gui, desc, desc->bar->is_top == desc->has_toasts_at_top ? bar_edge : edge);
  return top * gui.unit;
}
