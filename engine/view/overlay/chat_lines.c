// Ages and layout of chat lines. Lengths are in units of gui.h.
#include "overlay/chat_lines.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARGIN 16.0f
#define BOTTOM 0.84f // lower edge of the lines, as a share of the screen's height; the chat entry is below
#define MAX_WIDTH 560.0f
#define PADDING 8.0f
#define GAP 4.0f
#define STRIPE 4.0f

static const gui_box_t BOX = {{0.055f, 0.065f, 0.09f, 0.85f}, {0}, 6, 0};

void chat_lines_add(chat_lines_t *lines, const char *name, uint32_t colour, const char *text) {
  if (lines->count == CHAT_LINES_MAX)
    memmove(lines->items, lines->items + 1, --lines->count * sizeof *lines->items);
  chat_line_t *line = &lines->items[lines->count++];
  *line = (chat_line_t){.colour = colour};
  (void)snprintf(line->text, sizeof line->text, "%s: %s", name, text);
}

void chat_lines_advance(chat_lines_t *lines, float seconds) {
  uint32_t count = 0;
  shoal_assert(seconds >= 0, "negative time step of %g s", (double)seconds);
  for (uint32_t i = 0; i < lines->count; ++i) {
    lines->items[i].age_s += seconds;
    if (lines->items[i].age_s < CHAT_LINES_DURATION_S)
      lines->items[count++] = lines->items[i];
  }
  lines->count = count;
}

static gui_box_t create_stripe(uint32_t colour) {
  return (gui_box_t){
      .fill = {(float)(colour >> 16 & 255) / 255, (float)(colour >> 8 & 255) / 255, (float)(colour & 255) / 255, 1},
      .radius = 2};
}

void chat_lines_draw(const chat_lines_t *lines, gui_t *gui) {
  const float max_width = fminf(MAX_WIDTH, gui->width - 2 * MARGIN), inset = 2 * PADDING + STRIPE;
  float y = floorf(gui->height * BOTTOM) + GAP;
  for (uint32_t i = lines->count; i-- > 0;) {
    const chat_line_t *line = &lines->items[i];
    gui_box_t stripe = create_stripe(line->colour);
    float width =
        ceilf(fminf(gui_measure_text_width(gui, GUI_LOOK_TOAST, line->text) + 1, max_width - inset - PADDING));
    float height = gui_measure_text_height(gui, GUI_LOOK_TOAST, line->text, width);
    gui_rect_t rect = {MARGIN, y - GAP - height - 2 * PADDING, width + inset + PADDING, height + 2 * PADDING};
    gui_draw_box(gui, rect, &BOX);
    gui_draw_box(gui, (gui_rect_t){rect.x + PADDING, rect.y + PADDING, STRIPE, height}, &stripe);
    gui_draw_wrapped_text(gui, rect.x + inset, rect.y + PADDING, GUI_LOOK_TOAST, line->text, width);
    y = rect.y;
  }
}
