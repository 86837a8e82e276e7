// Layout of the scrub bar. Lengths are in units of gui.h.
#include "overlay/scrub_bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The bar is a thin translucent strip at the edge of the screen. Games draw scores and captions farther from the edge
// than EDGE_MARGIN + HEIGHT, because text at the edge is hard to read, so the bar does not cover them.
#define MARGIN 20.0f
#define EDGE_MARGIN 2.0f
#define HEIGHT 18.0f
#define PADDING 10.0f
#define TEXT_INSET 1.0f // distance between a text's box and the bar's edges
#define KNOB_WIDTH 5.0f
#define HOVERED_KNOB_WIDTH 8.0f

static const gui_box_t PANEL = {{0.055f, 0.065f, 0.09f, 0.45f}, {1, 1, 1, 0.12f}, 6, 1.5f};
static const gui_box_t TEXT = {{0.03f, 0.035f, 0.05f, 0.6f}, {0}, 5, 0}; // backdrop of text above bright games
static const gui_box_t KNOB = {{0.95f, 0.97f, 1, 1}, {0}, 2, 1.5f};
static const gui_box_t POINTER = {{0.95f, 0.97f, 1, 0.7f}, {0}, 1, 0};

// Returns the time of a tick in seconds, relative to the last known tick: 0 or less.
static double get_seconds(const scrub_bar_t *bar, uint64_t tick) {
  return tick < bar->last_tick ? -(double)(bar->last_tick - tick) / bar->tick_rate : 0;
}

static void format_movement(const scrub_bar_t *bar, char *out, size_t bytes) {
  const char *note = bar->kept_only ? " · only kept snapshots: raise --memory for every tick" : "";
  if (bar->dragged)
    snprintf(out, bytes, "release to stay here%s", note);
  else if (bar->hovered)
    snprintf(out, bytes, "click or drag: %.2f s, tick %llu", get_seconds(bar, bar->pointer_tick),
             (unsigned long long)bar->pointer_tick);
  else if (bar->speed == 0)
    snprintf(out, bytes, "paused · Space resumes%s", note);
  else if (bar->tick == (bar->speed < 0 ? bar->first_tick : bar->last_tick))
    snprintf(out, bytes, "%s known tick%s", bar->speed < 0 ? "first" : "last", note);
  else
    snprintf(out, bytes, "%s %g×%s", bar->speed < 0 ? "rewinding" : "forward", fabs(bar->speed), note);
}

// Updates the drag. A press anywhere on the panel starts a drag, which ends where the button is released, even outside.
static void handle_mouse(scrub_bar_t *bar, const gui_t *gui, gui_rect_t panel) {
  bar->dragged = (bar->dragged && gui->held) || gui_is_clicked(gui, panel);
  bar->hovered = bar->dragged || gui_is_over(gui, panel);
  float share = fminf(fmaxf((gui->x - panel.x) / panel.width, 0), 1);
  bar->pointer_tick = bar->first_tick + (uint64_t)llround((double)share * (double)(bar->last_tick - bar->first_tick));
}

static void draw_past(const scrub_bar_t *bar, gui_t *gui, gui_rect_t panel, float share) {
  gui_box_t past = {{0}, {0}, 6, 0};
  memcpy(past.fill, bar->accent, 3 * sizeof *past.fill);
  past.fill[3] = 0.35f;
  gui_draw_box(gui, panel, &PANEL);
  gui_draw_box(gui, (gui_rect_t){panel.x, panel.y, share * panel.width, panel.height}, &past);
}

static void draw_knob(const scrub_bar_t *bar, gui_t *gui, gui_rect_t panel, float share) {
  float width = bar->hovered ? HOVERED_KNOB_WIDTH : KNOB_WIDTH;
  gui_box_t knob = KNOB;
  memcpy(knob.line, bar->accent, 3 * sizeof *knob.line);
  knob.line[3] = 0.9f;
  if (bar->hovered) {
    float x = fminf(fmaxf(gui->x, panel.x), panel.x + panel.width);
    gui_draw_box(gui, (gui_rect_t){x - 1, panel.y, 2, panel.height}, &POINTER);
  }
  gui_draw_box(gui, (gui_rect_t){panel.x + share * panel.width - width / 2, panel.y, width, panel.height}, &knob);
}

// Draws text whose left edge, centre or right edge (`align` 0, 0.5 or 1) is at `x`.
static void draw_bar_text(gui_t *gui, gui_rect_t panel, float x, float align, gui_look_t look, const char *text) {
  float width = gui_measure_text_width(gui, look, text);
  x -= align * width;
  gui_draw_box(gui, (gui_rect_t){x - PADDING / 2, panel.y + TEXT_INSET, width + PADDING, panel.height - 2 * TEXT_INSET},
               &TEXT);
  gui_draw_text(gui, x, panel.y + panel.height / 2, look, text, 0);
}

float scrub_bar_draw(scrub_bar_t *bar, gui_t *gui, float bottom) {
  const gui_rect_t panel = {MARGIN, bar->is_top ? EDGE_MARGIN : bottom - EDGE_MARGIN - HEIGHT, gui->width - 2 * MARGIN,
                            HEIGHT};
  double known = (double)(bar->last_tick - bar->first_tick);
  float share = known > 0 ? (float)((double)(bar->tick - bar->first_tick) / known) : 1;
  char text[128];
  handle_mouse(bar, gui, panel);
  draw_past(bar, gui, panel, share);
  snprintf(text, sizeof text, "%.2f s", get_seconds(bar, bar->tick));
  draw_bar_text(gui, panel, panel.x + PADDING, 0, GUI_LOOK_TITLE, text);
  snprintf(text, sizeof text, "tick %llu of %llu", (unsigned long long)bar->tick, (unsigned long long)bar->last_tick);
  draw_bar_text(gui, panel, panel.x + panel.width - PADDING, 1, GUI_LOOK_DIM, text);
  format_movement(bar, text, sizeof text);
  draw_bar_text(gui, panel, panel.x + panel.width / 2, 0.5f, GUI_LOOK_TEXT, text);
  draw_knob(bar, gui, panel, share);
  return bar->is_top ? panel.y + panel.height : panel.y;
}
