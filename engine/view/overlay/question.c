// Layout of a question. Lengths are in units of gui.h.
#include "overlay/question.h"

#include <math.h>

#define MARGIN 12.0f
#define PADDING 16.0f
#define GAP 6.0f
#define STRIPE 4.0f
#define MIN_TEXT_WIDTH 260.0f
#define MAX_TEXT_WIDTH 520.0f

static const gui_box_t BOX = {{0.055f, 0.065f, 0.09f, 0.97f}, {0.45f, 0.66f, 0.95f, 0.45f}, 12, 1.5f};
static const gui_box_t NOTE = {{0.45f, 0.66f, 0.95f, 1}, {0}, 2, 0};

static float measure_text_width(gui_t *gui, const question_t *q) {
  float width = fmaxf(gui_measure_text_width(gui, GUI_LOOK_STATUS, q->text),
                      gui_measure_text_width(gui, GUI_LOOK_HINT, q->details));
  return ceilf(fminf(fmaxf(width, MIN_TEXT_WIDTH), MAX_TEXT_WIDTH));
}

void question_draw(gui_t *gui, question_t *q) {
  float text_width = measure_text_width(gui, q), buttons_width = choice_measure_width(gui, &q->choice), x, y;
  float text_height = gui_measure_text_height(gui, GUI_LOOK_STATUS, q->text, text_width);
  float height = text_height + GAP + gui_measure_text_height(gui, GUI_LOOK_HINT, q->details, text_width);
  gui_rect_t rect = {.width = text_width + buttons_width + PADDING * 4 + STRIPE,
                     .height = fmaxf(height, CHOICE_HEIGHT) + 2 * PADDING};
  rect.x = floorf((gui->width - rect.width) / 2);
  rect.y = fmaxf(MARGIN, floorf(q->top * gui->height));
  gui_draw_box(gui, rect, &BOX);
  gui_draw_box(gui, (gui_rect_t){rect.x + PADDING, rect.y + PADDING, STRIPE, rect.height - 2 * PADDING}, &NOTE);
  x = rect.x + 2 * PADDING + STRIPE;
  y = floorf(rect.y + (rect.height - height) / 2);
  gui_draw_wrapped_text(gui, x, y, GUI_LOOK_STATUS, q->text, text_width);
  gui_draw_wrapped_text(gui, x, y + text_height + GAP, GUI_LOOK_HINT, q->details, text_width);
  q->is_hovered = gui_is_over(gui, rect);
  choice_draw(gui, &q->choice, x + text_width + PADDING, floorf(rect.y + (rect.height - CHOICE_HEIGHT) / 2));
}
