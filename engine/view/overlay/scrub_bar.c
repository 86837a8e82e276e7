// Layout of the scrub bar. Lengths are in units of gui.h.
#include "overlay/scrub_bar.h"

#include <math.h>
#include <stdio.h>

#define MARGIN 20.0f
#define PADDING 14.0f
#define TEXT_HEIGHT 26.0f
#define TRACK_HEIGHT 8.0f
#define KNOB_SIZE 18.0f

static const gui_box_t PANEL = {{0.055f, 0.065f, 0.09f, 0.9f}, {1, 1, 1, 0.08f}, 10, 1.5f};
static const gui_box_t TRACK = {{1, 1, 1, 0.14f}, {0}, 4, 0};
static const gui_box_t PAST = {{0.45f, 0.66f, 0.95f, 0.9f}, {0}, 4, 0};
static const gui_box_t KNOB = {{0.95f, 0.97f, 1, 1}, {0.45f, 0.66f, 0.95f, 1}, 9, 3};

static void format_movement(const scrub_bar_t *bar, char *out, size_t bytes) {
  const char *note = bar->kept_only ? " · only kept snapshots: raise --memory for every tick" : "";
  if (bar->speed == 0)
    snprintf(out, bytes, "paused · Space plays on%s", note);
  else
    snprintf(out, bytes, "%s %g×%s", bar->speed < 0 ? "rewinding" : "forward", fabs(bar->speed), note);
}

float scrub_bar_draw(const scrub_bar_t *bar, gui_t *gui, float bottom) {
  const gui_rect_t panel = {MARGIN, bottom - MARGIN - TEXT_HEIGHT - TRACK_HEIGHT - 3 * PADDING, gui->width - 2 * MARGIN,
                            TEXT_HEIGHT + TRACK_HEIGHT + 3 * PADDING};
  const gui_rect_t track = {panel.x + PADDING + KNOB_SIZE / 2, panel.y + 2 * PADDING + TEXT_HEIGHT,
                            panel.width - 2 * PADDING - KNOB_SIZE, TRACK_HEIGHT};
  double known = (double)(bar->last_tick - bar->first_tick);
  float share = known > 0 ? (float)((double)(bar->tick - bar->first_tick) / known) : 1;
  float knob_x = track.x + share * track.width, text_y = panel.y + PADDING + TEXT_HEIGHT / 2;
  char text[128];
  gui_draw_box(gui, panel, &PANEL);
  snprintf(text, sizeof text, "%.2f s", -(double)(bar->last_tick - bar->tick) / bar->tick_rate);
  gui_draw_text(gui, panel.x + PADDING, text_y, GUI_LOOK_TITLE, text, 0);
  snprintf(text, sizeof text, "tick %llu of %llu", (unsigned long long)bar->tick, (unsigned long long)bar->last_tick);
  gui_draw_text_right(gui, panel.x + panel.width - PADDING, text_y, GUI_LOOK_DIM, text);
  format_movement(bar, text, sizeof text);
  gui_draw_text(gui, panel.x + (panel.width - gui_measure_text_width(gui, GUI_LOOK_TEXT, text)) / 2, text_y,
                GUI_LOOK_TEXT, text, 0);
  gui_draw_box(gui, track, &TRACK);
  gui_draw_box(gui, (gui_rect_t){track.x, track.y, share * track.width, track.height}, &PAST);
  gui_draw_box(
      gui, (gui_rect_t){knob_x - KNOB_SIZE / 2, track.y + (TRACK_HEIGHT - KNOB_SIZE) / 2, KNOB_SIZE, KNOB_SIZE}, &KNOB);
  return panel.y;
}
