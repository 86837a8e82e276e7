// Layout of a question. Lengths are in units of gui.h.
#include "overlay/question.h"

#include <math.h>

#define MARGIN 12.0f
#define PADDING 16.0f
#define GAP 6.0f
#define STRIPE 4.0f
#define BUTTON_WIDTH 150.0f
#define BUTTON_HEIGHT 34.0f
#define MIN_TEXT_WIDTH 260.0f
#define MAX_TEXT_WIDTH 520.0f

static const gui_box_t BOX = {{0.055f, 0.065f, 0.09f, 0.97f}, {0.45f, 0.66f, 0.95f, 0.45f}, 12, 1.5f};
static const gui_box_t NOTE = {{0.45f, 0.66f, 0.95f, 1}, {0}, 2, 0};

static float measure_text_width(gui_t *gui, const question_t *q) {
  float width = fmaxf(gui_measure_text_width(gui, GUI_LOOK_STATUS, q->text),
                      gui_measure_text_width(gui, GUI_LOOK_HINT, q->details));
  return ceilf(fminf(fmaxf(width, MIN_TEXT_WIDTH), MAX_TEXT_WIDTH));
}

// Draws a button with its key at the right end. Returns true if it was clicked.
static bool draw_button(gui_t *gui, const question_t *q, uint32_t button, float x, float y) {
  gui_rect_t rect = {x, y, BUTTON_WIDTH, BUTTON_HEIGHT};
  gui_fill_rect(gui, rect, button == 0 ? GUI_LOOK_GOOD : GUI_LOOK_TEXT, gui_is_over(gui, rect) ? 0.34f : 0.16f);
  gui_draw_text(gui, x + 12, y + BUTTON_HEIGHT / 2, GUI_LOOK_MESSAGE, q->buttons[button], BUTTON_WIDTH - 70);
  gui_draw_key_cap(gui, x + BUTTON_WIDTH - 10, y + BUTTON_HEIGHT / 2, q->keys[button]);
  return gui_is_clicked(gui, rect);
}

void question_draw(gui_t *gui, question_t *q) {
  float text_width = measure_text_width(gui, q), x, y;
  float text_height = gui_measure_text_height(gui, GUI_LOOK_STATUS, q->text, text_width);
  float height = text_height + GAP + gui_measure_text_height(gui, GUI_LOOK_HINT, q->details, text_width);
  gui_rect_t rect = {.width = text_width + BUTTON_WIDTH * 2 + PADDING * 5 + STRIPE,
                     .height = fmaxf(height, BUTTON_HEIGHT) + 2 * PADDING};
  rect.x = floorf((gui->width - rect.width) / 2);
  rect.y = MARGIN;
  gui_draw_box(gui, rect, &BOX);
  gui_draw_box(gui, (gui_rect_t){rect.x + PADDING, rect.y + PADDING, STRIPE, rect.height - 2 * PADDING}, &NOTE);
  x = rect.x + 2 * PADDING + STRIPE;
  y = floorf(rect.y + (rect.height - height) / 2);
  gui_draw_wrapped_text(gui, x, y, GUI_LOOK_STATUS, q->text, text_width);
  gui_draw_wrapped_text(gui, x, y + text_height + GAP, GUI_LOOK_HINT, q->details, text_width);
  x += text_width + PADDING;
  y = floorf(rect.y + (rect.height - BUTTON_HEIGHT) / 2);
  q->is_hovered = gui_is_over(gui, rect);
  q->pressed_button = 0;
  for (uint32_t i = 0; i < 2; ++i)
    if (draw_button(gui, q, i, x + (BUTTON_WIDTH + PADDING) * (float)i, y))
      q->pressed_button = i + 1;
}
