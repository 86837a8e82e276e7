// Draws the badge at an edge of the screen where the game shows no text.
#include "overlay/badge.h"

#include <math.h>

#define HEIGHT 30.0f
#define PADDING 12.0f

// Returns true if an entity with text covers a part of the rectangle.
static bool has_text_entity(const gui_t *gui, const picking_view_t *view, gui_rect_t rect) {
  const manager_o *texts = view->world ? world_find_manager(view->world, "text") : NULL;
  for (uint32_t row = 0; texts && row < texts->count; ++row) {
    float xy[8], left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    if (!picking_compute_outline(view, texts->owner[row], 0, xy))
      continue;
    for (uint32_t i = 0; i < 8; i += 2) {
      left = fminf(left, xy[i] / gui->unit), right = fmaxf(right, xy[i] / gui->unit);
      top = fminf(top, xy[i + 1] / gui->unit), bottom = fmaxf(bottom, xy[i + 1] / gui->unit);
    }
    if (left < rect.x + rect.width && right > rect.x && top < rect.y + rect.height && bottom > rect.y)
      return true;
  }
  return false;
}

// Returns the first rectangle at the edges of the screen that covers no text, or the first rectangle if all cover text.
static gui_rect_t choose_rect(const gui_t *gui, const picking_view_t *view, float width) {
  const float right = gui->width - width - 12, middle = (gui->width - width) / 2, bottom = gui->height - HEIGHT - 12;
  const gui_rect_t places[] = {{right, 12, width, HEIGHT},      {middle, 12, width, HEIGHT},
                               {12, 12, width, HEIGHT},         {right, 60, width, HEIGHT},
                               {12, 60, width, HEIGHT},         {right, bottom, width, HEIGHT},
                               {middle, bottom, width, HEIGHT}, {12, bottom, width, HEIGHT}};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    gui_rect_t r = places[i];
    if (!draw_has_text_in(gui->draw, r.x * gui->unit, r.y * gui->unit, r.width * gui->unit, r.height * gui->unit) &&
        !has_text_entity(gui, view, r))
      return r;
  }
  return places[0];
}

void badge_draw(gui_t *gui, const picking_view_t *view, const char *text) {
  gui_rect_t rect = choose_rect(gui, view, gui_measure_text_width(gui, GUI_LOOK_ACCENT, text) + 2 * PADDING);
  gui_draw_panel(gui, rect);
  gui_draw_text(gui, rect.x + PADDING, rect.y + HEIGHT / 2, GUI_LOOK_ACCENT, text, 0);
}
