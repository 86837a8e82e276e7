// Layout of the status panel. Lengths are in units of gui.h.
#include "overlay/status_panel.h"

#include <math.h>

#define WIDTH 620.0f
#define PADDING 28.0f
#define GAP 12.0f
#define CODE_PADDING 9.0f
#define STRIPE 4.0f

static const gui_box_t BOX = {{0.055f, 0.065f, 0.09f, 0.95f}, {1, 1, 1, 0.12f}, 12, 1.5f};
static const gui_box_t CODE = {{0.02f, 0.025f, 0.04f, 0.9f}, {1, 1, 1, 0.07f}, 8, 1.5f};
static const gui_box_t FAILURE = {{0.96f, 0.33f, 0.35f, 1}, {0}, 2, 0};
static const gui_box_t NOTE = {{0.45f, 0.66f, 0.95f, 1}, {0}, 2, 0};

typedef struct layout_t {
  gui_t *gui;
  float x, y, width;
  bool is_drawing; // false: only measures, by advancing y
} layout_t;

static void add_text(layout_t *l, gui_look_t look, const char *text) {
  if (text[0] == '\0')
    return;
  if (l->is_drawing)
    gui_draw_wrapped_text(l->gui, l->x, l->y, look, text, l->width);
  l->y += gui_measure_text_height(l->gui, look, text, l->width) + GAP;
}

static void add_code(layout_t *l, const char *text) {
  float height = gui_measure_text_height(l->gui, GUI_LOOK_LINE, text, l->width - 2 * CODE_PADDING);
  if (l->is_drawing) {
    gui_draw_box(l->gui, (gui_rect_t){l->x, l->y, l->width, height + 2 * CODE_PADDING}, &CODE);
    gui_draw_wrapped_text(l->gui, l->x + CODE_PADDING, l->y + CODE_PADDING, GUI_LOOK_LINE, text,
                          l->width - 2 * CODE_PADDING);
  }
  l->y += height + 2 * CODE_PADDING + GAP;
}

static void add_choice(layout_t *l, choice_t *choice) {
  float width = choice_measure_width(l->gui, choice);
  if (width == 0)
    return;
  l->y += GAP;
  if (l->is_drawing)
    choice_draw(l->gui, choice, l->x + l->width - width, l->y);
  l->y += CHOICE_HEIGHT + GAP;
}

static void add_content(layout_t *l, status_panel_t *panel) {
  add_text(l, panel->is_failure ? GUI_LOOK_HEADLINE : GUI_LOOK_STATUS, panel->title);
  for (uint32_t i = 0; i < STATUS_PANEL_LINES; ++i) {
    if (i + 1 == panel->code_line && panel->lines[i][0])
      add_code(l, panel->lines[i]);
    else
      add_text(l, GUI_LOOK_MESSAGE, panel->lines[i]);
  }
  add_text(l, GUI_LOOK_HINT, panel->hint);
  add_choice(l, &panel->choice);
  l->y -= GAP;
}

void status_panel_draw(gui_t *gui, status_panel_t *panel) {
  float width = fminf(WIDTH, gui->width - 2 * PADDING);
  layout_t l = {.gui = gui, .width = width - 2 * PADDING - STRIPE - GAP};
  add_content(&l, panel);
  float height = l.y + 2 * PADDING;
  gui_rect_t rect = {floorf((gui->width - width) / 2), floorf((gui->height - height) / 2), width, height};
  panel->is_hovered = gui_is_over(gui, rect);
  gui_draw_box(gui, rect, &BOX);
  gui_draw_box(gui, (gui_rect_t){rect.x + PADDING, rect.y + PADDING, STRIPE, height - 2 * PADDING},
               panel->is_failure ? &FAILURE : &NOTE);
  l.x = rect.x + PADDING + STRIPE + GAP;
  l.y = rect.y + PADDING;
  l.is_drawing = true;
  add_content(&l, panel);
}
