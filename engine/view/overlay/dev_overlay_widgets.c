// Panels of games and plugins, with widgets or a table, next to the list of keys. A click on a panel's title folds or
// unfolds the panel; folded panels are not updated.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW_HEIGHT 22.0f
#define PANEL_WIDTH 320.0f
#define PANEL_TOP 84.0f // y of the first panel: below the area where games show their score
#define PLOT_HEIGHT 56.0f
#define LABEL_WIDTH 110.0f // label width of a slider

// --- folding

static char *find_folded_panel(dev_overlay_o *overlay, const char *title) {
  for (uint32_t i = 0; i < DEV_OVERLAY_FOLDED; ++i)
    if (strcmp(overlay->folded[i], title) == 0)
      return overlay->folded[i];
  return NULL;
}

bool dev_overlay_shows_panel(const dev_overlay_o *overlay, const char *title) {
  return !find_folded_panel((dev_overlay_o *)(uintptr_t)overlay, title);
}

static void toggle_panel(dev_overlay_o *overlay, const char *title) {
  char *folded = find_folded_panel(overlay, title), *free_slot = find_folded_panel(overlay, "");
  if (folded)
    folded[0] = '\0';
  else if (free_slot)
    snprintf(free_slot, sizeof overlay->folded[0], "%s", title);
}

// --- widgets

static void format_value(double value, bool is_integer, char *out, size_t bytes) {
  snprintf(out, bytes, is_integer ? "%.0f" : "%.4g", value);
}

// Returns the slider's value at `fraction` (0 to 1). Rounds the value to an integer if the slider's values are
// integers; otherwise, to a multiple of the largest power of ten that is at most a hundredth of the range.
static double compute_slider_value(const dev_overlay_widget_t *widget, double fraction) {
  double value = widget->min + fmin(fmax(fraction, 0), 1) * (widget->max - widget->min);
  if (widget->is_integer)
    return round(value);
  double step = pow(10, floor(log10((widget->max - widget->min) / 100)));
  return fmin(fmax(round(value / step) * step, widget->min), widget->max);
}

static void request_slider_value(dev_overlay_o *overlay, const dev_overlay_widget_t *widget, double value) {
  if (value == overlay->slider_value)
    return;
  dev_overlay_request(overlay, "%s,\"value\":%.9g,\"goes_on\":%s}", widget->request, value,
                      overlay->drag_sent ? "true" : "false");
  overlay->drag_sent = true;
  overlay->slider_value = value;
}

static void draw_slider(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_widget_t *widget, gui_rect_t rect,
                        bool read_only) {
  char text[40];
  gui_rect_t track = {rect.x + LABEL_WIDTH, rect.y, rect.width - LABEL_WIDTH - 64, rect.height};
  bool is_dragged = overlay->drag == DRAG_SLIDER && widget->request && strcmp(overlay->slider, widget->request) == 0;
  if (!read_only && widget->request && gui_is_clicked(gui, track)) {
    overlay->drag = DRAG_SLIDER;
    snprintf(overlay->slider, sizeof overlay->slider, "%s", widget->request);
    overlay->slider_value = widget->value;
    overlay->drag_sent = false;
    is_dragged = strcmp(overlay->slider, widget->request) == 0;
  }
  double value = is_dragged ? overlay->slider_value : widget->value;
  if (is_dragged && gui->held) {
    value = compute_slider_value(widget, (double)(gui->x - track.x - 6) / (double)(track.width - 12));
    request_slider_value(overlay, widget, value);
  }
  double fraction = fmin(fmax((value - widget->min) / (widget->max - widget->min), 0), 1);
  float y = rect.y + rect.height / 2, handle_x = track.x + 6 + (float)fraction * (track.width - 12);
  gui_draw_text(gui, rect.x, y, GUI_LOOK_DIM, widget->label, LABEL_WIDTH - 8);
  gui_fill_rect(gui, (gui_rect_t){track.x + 6, y - 2.5f, track.width - 12, 5}, GUI_LOOK_TEXT, 0.16f);
  gui_fill_rect(gui, (gui_rect_t){track.x + 6, y - 2.5f, handle_x - track.x - 6, 5}, GUI_LOOK_ACCENT, 0.8f);
  draw_set_colour(gui->draw, 1, 0.80f, 0.45f, 1);
  draw_circle(gui->draw, handle_x * gui->unit, y * gui->unit, 6 * gui->unit, true, 0);
  format_value(value, widget->is_integer, text, sizeof text);
  gui_draw_text_right(gui, rect.x + rect.width, y, GUI_LOOK_MONO, text);
}

typedef struct plot_range_t {
  double first_x, last_x, min_value, max_value;
} plot_range_t;

static plot_range_t compute_plot_range(const dev_overlay_widget_t *widget) {
  plot_range_t range = {widget->points[0][0], widget->points[widget->point_count - 1][0], widget->points[0][1],
                        widget->points[0][1]};
  for (uint32_t i = 1; i < widget->point_count; ++i) {
    range.min_value = fmin(range.min_value, widget->points[i][1]);
    range.max_value = fmax(range.max_value, widget->points[i][1]);
  }
  if (range.min_value == range.max_value) {
    range.min_value -= 1;
    range.max_value += 1;
  }
  range.last_x = range.last_x > range.first_x ? range.last_x : range.first_x + 1;
  return range;
}

static void draw_plot(gui_t *gui, const dev_overlay_widget_t *widget, gui_rect_t rect) {
  char text[40];
  gui_draw_text(gui, rect.x, rect.y + ROW_HEIGHT / 2, GUI_LOOK_DIM, widget->label, rect.width - 90);
  gui_rect_t box = {rect.x, rect.y + ROW_HEIGHT, rect.width, PLOT_HEIGHT - 6};
  gui_fill_rect(gui, box, GUI_LOOK_TEXT, 0.05f);
  if (widget->point_count == 0)
    return;
  format_value(widget->points[widget->point_count - 1][1], false, text, sizeof text);
  gui_draw_text_right(gui, rect.x + rect.width, rect.y + ROW_HEIGHT / 2, GUI_LOOK_MONO, text);
  plot_range_t range = compute_plot_range(widget);
  float unit = gui->unit, old_x = 0, old_y = 0;
  draw_set_colour(gui->draw, 1, 0.74f, 0.33f, 1);
  for (uint32_t i = 0; i < widget->point_count; ++i) {
    float x =
        box.x + 3 + (box.width - 6) * (float)((widget->points[i][0] - range.first_x) / (range.last_x - range.first_x));
    float y =
        box.y + box.height - 4 -
        (box.height - 8) * (float)((widget->points[i][1] - range.min_value) / (range.max_value - range.min_value));
    if (i > 0)
      draw_line(gui->draw, old_x * unit, old_y * unit, x * unit, y * unit, 1.5f * unit);
    old_x = x;
    old_y = y;
  }
}

static void draw_value(gui_t *gui, const dev_overlay_widget_t *widget, gui_rect_t rect) {
  float y = rect.y + rect.height / 2,
        label_width = gui_draw_text(gui, rect.x, y, GUI_LOOK_DIM, widget->label, rect.width * 0.6f);
  float max_width = rect.width - label_width - 12, width = gui_measure_text_width(gui, GUI_LOOK_MONO, widget->text);
  gui_draw_text(gui, rect.x + rect.width - fminf(width, max_width), y, GUI_LOOK_MONO, widget->text, max_width);
}

static void draw_widget(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_widget_t *widget, gui_rect_t rect,
                        bool read_only) {
  switch (widget->kind) {
  case DEV_OVERLAY_LABEL:
    gui_draw_text(gui, rect.x, rect.y + rect.height / 2, GUI_LOOK_TEXT, widget->label, rect.width);
    break;
  case DEV_OVERLAY_VALUE: draw_value(gui, widget, rect); break;
  case DEV_OVERLAY_SLIDER: draw_slider(overlay, gui, widget, rect, read_only); break;
  case DEV_OVERLAY_PLOT: draw_plot(gui, widget, rect); break;
  case DEV_OVERLAY_BUTTON:
    if (gui_button(gui, (gui_rect_t){rect.x, rect.y + 1, rect.width, rect.height - 2}, widget->label, false) &&
        !read_only && widget->request)
      dev_overlay_request(overlay, "%s}", widget->request);
    break;
  }
}

static float compute_widget_height(const dev_overlay_widget_t *widget) {
  return widget->kind == DEV_OVERLAY_PLOT     ? ROW_HEIGHT + PLOT_HEIGHT
         : widget->kind == DEV_OVERLAY_BUTTON ? ROW_HEIGHT + 4
                                              : ROW_HEIGHT;
}

// --- panels

#define ERROR_LINES 6u

// Breaks an error at spaces into lines of up to 40 bytes, so that the file and line at its start stay visible. Returns
// the number of lines.
static uint32_t split_error_lines(const char *text, char lines[ERROR_LINES][64]) {
  uint32_t count = 0;
  while (*text && count < ERROR_LINES) {
    size_t bytes = strlen(text);
    if (bytes > 40) {
      bytes = 40;
      while (bytes > 16 && text[bytes] != ' ')
        --bytes;
      bytes = text[bytes] == ' ' ? bytes : 40;
      bytes = utf8_character_start(text, bytes);
    }
    snprintf(lines[count++], sizeof lines[0], "%.*s", (int)bytes, text);
    text += bytes + (text[bytes] == ' ');
  }
  return count;
}

static float compute_content_height(const dev_overlay_panel_t *panel) {
  char lines[ERROR_LINES][64];
  if (panel->error)
    return ROW_HEIGHT * (float)split_error_lines(panel->error, lines);
  float height = ROW_HEIGHT * (float)(panel->rows + panel->is_truncated);
  for (uint32_t i = 0; i < panel->widget_count; ++i)
    height += compute_widget_height(&panel->widgets[i]);
  return height > 0 ? height : ROW_HEIGHT;
}

static void draw_table(gui_t *gui, const dev_overlay_panel_t *panel, gui_rect_t rect) {
  shoal_assert(panel->rows == 0 || panel->cells, "%s: cells must not be NULL (%u rows)", panel->title, panel->rows);
  float column = panel->columns > 0 ? rect.width / (float)panel->columns : 0;
  for (uint32_t row = 0; row < panel->rows; ++row)
    for (uint32_t i = 0; i < panel->columns; ++i)
      gui_draw_text(gui, rect.x + column * (float)i, rect.y + ROW_HEIGHT * ((float)row + 0.5f),
                    row == 0 ? GUI_LOOK_DIM : GUI_LOOK_MONO, panel->cells[row * panel->columns + i], column - 6);
  if (panel->is_truncated)
    gui_draw_text(gui, rect.x, rect.y + ROW_HEIGHT * ((float)panel->rows + 0.5f), GUI_LOOK_DIM,
                  "more on the cockpit page", 0);
}

static void draw_content(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_panel_t *panel, gui_rect_t rect,
                         bool read_only) {
  char lines[ERROR_LINES][64];
  uint32_t count = panel->error ? split_error_lines(panel->error, lines) : 0;
  for (uint32_t i = 0; i < count; ++i)
    gui_draw_text(gui, rect.x, rect.y + ROW_HEIGHT * ((float)i + 0.5f), GUI_LOOK_BAD, lines[i], rect.width);
  if (panel->error)
    return;
  if (panel->cells)
    draw_table(gui, panel, rect);
  else if (panel->widget_count == 0)
    gui_draw_text(gui, rect.x, rect.y + ROW_HEIGHT / 2, GUI_LOOK_DIM, "nothing", 0);
  float y = rect.y;
  for (uint32_t i = 0; i < panel->widget_count; ++i) {
    float height = compute_widget_height(&panel->widgets[i]);
    if (y + height <= rect.y + rect.height + 1)
      draw_widget(overlay, gui, &panel->widgets[i], (gui_rect_t){rect.x, y, rect.width, height}, read_only);
    y += height;
  }
}

static float draw_panel(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_panel_t *panel, gui_rect_t available,
                        bool read_only) {
  bool is_unfolded = dev_overlay_shows_panel(overlay, panel->title);
  float height = ROW_HEIGHT + 12 + (is_unfolded ? compute_content_height(panel) + 4 : 0), unit = gui->unit;
  gui_rect_t rect = {available.x, available.y, available.width, fminf(height, available.height)},
             title_rect = {rect.x, rect.y, rect.width, ROW_HEIGHT + 10};
  gui_draw_panel(gui, rect);
  gui_draw_text(gui, rect.x + 28, rect.y + 5 + ROW_HEIGHT / 2, GUI_LOOK_TITLE, panel->title, rect.width - 40);
  float x = (rect.x + 16) * unit, y = (rect.y + 5 + ROW_HEIGHT / 2) * unit, size = 4 * unit;
  const float down_arrow[6] = {x - size, y - 0.6f * size, x + size, y - 0.6f * size, x, y + 0.8f * size};
  const float right_arrow[6] = {x - 0.6f * size, y - size, x + 0.8f * size, y, x - 0.6f * size, y + size};
  draw_set_colour(gui->draw, 0.58f, 0.62f, 0.70f, 1);
  draw_polygon(gui->draw, is_unfolded ? down_arrow : right_arrow, 3, true, 0);
  if (gui_is_clicked(gui, title_rect))
    toggle_panel(overlay, panel->title);
  if (is_unfolded && rect.height > ROW_HEIGHT + 16) {
    gui_rect_t content_rect = {rect.x + 12, rect.y + ROW_HEIGHT + 10, rect.width - 24, rect.height - ROW_HEIGHT - 14};
    gui_set_clip(gui, content_rect);
    draw_content(overlay, gui, panel, content_rect, read_only);
    gui_set_clip(gui, (gui_rect_t){0, 0, 0, 0});
  }
  return rect.height;
}

void dev_overlay_draw_game_panels(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view, float x) {
  float y = PANEL_TOP, end = gui->height - 8;
  for (uint32_t i = 0; i < view->panel_count && end - y > ROW_HEIGHT + 12; ++i)
    y += draw_panel(overlay, gui, &view->panels[i], (gui_rect_t){x + 8, y, PANEL_WIDTH, end - y}, view->read_only) + 8;
}
