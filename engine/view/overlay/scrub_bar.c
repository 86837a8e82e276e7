// Layout of the scrub bar. Lengths are in units of gui.h.
#include "overlay/scrub_bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARGIN 20.0f
#define BOTTOM_MARGIN 46.0f // margin below the bar, for the strip in which games show captions
#define PADDING 14.0f
#define TEXT_HEIGHT 26.0f
#define TRACK_HEIGHT 8.0f
#define KNOB_SIZE 18.0f

static const gui_box_t PANEL = {{0.055f, 0.065f, 0.09f, 0.5f}, {1, 1, 1, 0.08f}, 10, 1.5f};
static const gui_box_t TEXT = {{0.03f, 0.035f, 0.05f, 0.85f}, {0}, 8, 0}; // keeps text readable above the game's text
static const gui_box_t TRACK = {{1, 1, 1, 0.14f}, {0}, 4, 0};
static const gui_box_t KNOB = {{0.95f, 0.97f, 1, 1}, {0}, 9, 3};
static const gui_box_t HOVERED_KNOB = {{0.95f, 0.97f, 1, 1}, {0}, 11, 4};
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
static void handle_mouse(scrub_bar_t *bar, const gui_t *gui, gui_rect_t panel, gui_rect_t track) {
  bar->dragged = (bar->dragged && gui->held) || gui_is_clicked(gui, panel);
  bar->hovered = bar->dragged || gui_is_over(gui, panel);
  float share = fminf(fmaxf((gui->x - track.x) / track.width, 0), 1);
  bar->pointer_tick = bar->first_tick + (uint64_t)llround((double)share * (double)(bar->last_tick - bar->first_tick));
}

static void draw_track(const scrub_bar_t *bar, gui_t *gui, gui_rect_t track) {
  double known = (double)(bar->last_tick - bar->first_tick);
  float share = known > 0 ? (float)((double)(bar->tick - bar->first_tick) / known) : 1;
  float knob_size = bar->hovered ? KNOB_SIZE + 4 : KNOB_SIZE, knob_x = track.x + share * track.width;
  gui_box_t past = {{0}, {0}, 4, 0}, knob = bar->hovered ? HOVERED_KNOB : KNOB;
  memcpy(past.fill, bar->accent, 3 * sizeof *past.fill);
  memcpy(knob.line, bar->accent, 3 * sizeof *knob.line);
  past.fill[3] = knob.line[3] = 0.9f;
  gui_draw_box(gui, track, &TRACK);
  gui_draw_box(gui, (gui_rect_t){track.x, track.y, share * track.width, track.height}, &past);
  if (bar->hovered) {
    float x = fminf(fmaxf(gui->x, track.x), track.x + track.width);
    gui_draw_box(gui, (gui_rect_t){x - 1, track.y - 6, 2, track.height + 12}, &POINTER);
  }
  gui_draw_box(
      gui, (gui_rect_t){knob_x - knob_size / 2, track.y + (TRACK_HEIGHT - knob_size) / 2, knob_size, knob_size}, &knob);
}

// Draws text whose left edge, centre or right edge (`align` 0, 0.5 or 1) is at `x`.
static void draw_bar_text(gui_t *gui, float x, float y, float align, gui_look_t look, const char *text) {
  float width = gui_measure_text_width(gui, look, text);
  x -= align * width;
  gui_draw_box(gui, (gui_rect_t){x - PADDING / 2, y - TEXT_HEIGHT / 2 - 3, width + PADDING, TEXT_HEIGHT + 6}, &TEXT);
  gui_draw_text(gui, x, y, look, text, 0);
}

float scrub_bar_draw(scrub_bar_t *bar, gui_t *gui, float bottom) {
  const float height = TEXT_HEIGHT + TRACK_HEIGHT + 3 * PADDING;
  const gui_rect_t panel = {MARGIN, bar->is_top ? BOTTOM_MARGIN : bottom - BOTTOM_MARGIN - height,
                            gui->width - 2 * MARGIN, height};
  const gui_rect_t track = {panel.x + PADDING + KNOB_SIZE / 2, panel.y + 2 * PADDING + TEXT_HEIGHT,
                            panel.width - 2 * PADDING - KNOB_SIZE, TRACK_HEIGHT};
  float text_y = panel.y + PADDING + TEXT_HEIGHT / 2;
  char text[128];
  handle_mouse(bar, gui, panel, track);
  gui_draw_box(gui, panel, &PANEL);
  snprintf(text, sizeof text, "%.2f s", get_seconds(bar, bar->tick));
  draw_bar_text(gui, panel.x + PADDING, text_y, 0, GUI_LOOK_TITLE, text);
  snprintf(text, sizeof text, "tick %llu of %llu", (unsigned long long)bar->tick, (unsigned long long)bar->last_tick);
  draw_bar_text(gui, panel.x + panel.width - PADDING, text_y, 1, GUI_LOOK_DIM, text);
  format_movement(bar, text, sizeof text);
  draw_bar_text(gui, panel.x + panel.width / 2, text_y, 0.5f, GUI_LOOK_TEXT, text);
  draw_track(bar, gui, track);
  return bar->is_top ? panel.y + panel.height : panel.y;
}
