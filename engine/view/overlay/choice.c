// Layout of a row of buttons. Lengths are in units of gui.h.
#include "overlay/choice.h"

#include <math.h>

#define GAP 16.0f
#define PADDING 12.0f
#define KEY_GAP 14.0f     // gap between the text and the key cap
#define KEY_PADDING 16.0f // total horizontal padding of the key cap
#define MIN_WIDTH 150.0f

static float measure_button_width(gui_t *gui, const choice_t *choice, uint32_t button) {
  float text = gui_measure_text_width(gui, GUI_LOOK_MESSAGE, choice->buttons[button]);
  float key = gui_measure_text_width(gui, GUI_LOOK_DIM, choice->keys[button]) + KEY_PADDING;
  return ceilf(fmaxf(text + KEY_GAP + key + 2 * PADDING, MIN_WIDTH));
}

float choice_measure_width(gui_t *gui, const choice_t *choice) {
  float width = 0;
  for (uint32_t i = 0; i < CHOICE_MAX_BUTTONS && choice->buttons[i]; ++i)
    width += measure_button_width(gui, choice, i) + (i > 0 ? GAP : 0);
  return width;
}

void choice_draw(gui_t *gui, choice_t *choice, float x, float y) {
  choice->pressed_button = 0;
  for (uint32_t i = 0; i < CHOICE_MAX_BUTTONS && choice->buttons[i]; ++i) {
    gui_rect_t rect = {x, y, measure_button_width(gui, choice, i), CHOICE_HEIGHT};
    bool is_main = i == 0 && choice->buttons[1];
    gui_fill_rect(gui, rect, is_main ? GUI_LOOK_GOOD : GUI_LOOK_TEXT, gui_is_over(gui, rect) ? 0.34f : 0.16f);
    gui_draw_text(gui, x + PADDING, y + CHOICE_HEIGHT / 2, GUI_LOOK_MESSAGE, choice->buttons[i], 0);
    gui_draw_key_cap(gui, x + rect.width - PADDING, y + CHOICE_HEIGHT / 2, choice->keys[i]);
    if (gui_is_clicked(gui, rect))
      choice->pressed_button = i + 1;
    x += rect.width + GAP;
  }
}
