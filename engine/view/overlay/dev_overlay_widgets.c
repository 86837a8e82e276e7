// Panels of games and plugins, with widgets or a table, next to the list of keys. A click on a panel's title folds or
// unfolds the panel; folded panels are not updated.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW 22.0f
#define WIDE 320.0f
#define TOP 60.0f
#define PLOT 56.0f
#define LABEL 110.0f // label width of a slider

// --- folding

static char *find_folded_panel(dev_overlay_o *d, const char *title) {
  for (uint32_t i = 0; i < DEV_OVERLAY_FOLDED; ++i)
    if (strcmp(d->folded[i], title) == 0)
      return d->folded[i];
  return NULL;
}

bool dev_overlay_shows_panel(const dev_overlay_o *d, const char *title) {
  return !find_folded_panel((dev_overlay_o *)(uintptr_t)d, title);
}

static void toggle_folded(dev_overlay_o *d, const char *title) {
  char *known = find_folded_panel(d, title), *free_one = find_folded_panel(d, "");
  if (known)
    known[0] = '\0';
  else if (free_one)
    snprintf(free_one, sizeof d->folded[0], "%s", title);
}

// --- widgets

static void format_value(double value, bool whole, char *out, size_t bytes) {
  snprintf(out, bytes, whole ? "%.0f" : "%.4g", value);
}

// Returns the slider's value at `part` (0 to 1). Rounds the value to an integer if the slider's values are integers;
// otherwise, to a multiple of the largest power of ten that is at most a hundredth of the range.
static double slider_value_at(const dev_overlay_widget_t *w, double part) {
  double value = w->min + fmin(fmax(part, 0), 1) * (w->max - w->min);
  if (w->whole)
    return round(value);
  double step = pow(10, floor(log10((w->max - w->min) / 100)));
  return fmin(fmax(round(value / step) * step, w->min), w->max);
}

static void request_slider_value(dev_overlay_o *d, const dev_overlay_widget_t *w, double value) {
  if (value == d->slider_value)
    return;
  dev_overlay_request(d, "%s,\"value\":%.9g,\"goes_on\":%s}", w->request, value, d->drag_began ? "true" : "false");
  d->drag_began = true;
  d->slider_value = value;
}

static void draw_slider(dev_overlay_o *d, gui_t *b, const dev_overlay_widget_t *w, gui_rect_t r, bool read_only) {
  char text[40];
  gui_rect_t track = {r.x + LABEL, r.y, r.width - LABEL - 64, r.height};
  bool dragged = d->drag == DRAG_SLIDER && w->request && strcmp(d->slider, w->request) == 0;
  if (!read_only && w->request && gui_is_clicked(b, track)) {
    d->drag = DRAG_SLIDER;
    snprintf(d->slider, sizeof d->slider, "%s", w->request);
    d->slider_value = w->value;
    d->drag_began = false;
    dragged = strcmp(d->slider, w->request) == 0;
  }
  double value = dragged ? d->slider_value : w->value;
  if (dragged && b->down) {
    value = slider_value_at(w, (double)(b->x - track.x - 6) / (double)(track.width - 12));
    request_slider_value(d, w, value);
  }
  double part = fmin(fmax((value - w->min) / (w->max - w->min), 0), 1);
  float y = r.y + r.height / 2, at = track.x + 6 + (float)part * (track.width - 12);
  gui_draw_text(b, r.x, y, BRUSH_DIM, w->label, LABEL - 8);
  gui_fill_rect(b, (gui_rect_t){track.x + 6, y - 2.5f, track.width - 12, 5}, BRUSH_TEXT, 0.16f);
  gui_fill_rect(b, (gui_rect_t){track.x + 6, y - 2.5f, at - track.x - 6, 5}, BRUSH_ACCENT, 0.8f);
  draw_set_colour(b->draw, 1, 0.80f, 0.45f, 1);
  draw_circle(b->draw, at * b->unit, y * b->unit, 6 * b->unit, true, 0);
  format_value(value, w->whole, text, sizeof text);
  gui_draw_text_right(b, r.x + r.width, y, BRUSH_MONO, text);
}

typedef struct span_t {
  double first, last, low, high;
} span_t;

static span_t compute_plot_range(const dev_overlay_widget_t *w) {
  span_t s = {w->points[0][0], w->points[w->point_count - 1][0], w->points[0][1], w->points[0][1]};
  for (uint32_t i = 1; i < w->point_count; ++i) {
    s.low = fmin(s.low, w->points[i][1]);
    s.high = fmax(s.high, w->points[i][1]);
  }
  if (s.low == s.high) {
    s.low -= 1;
    s.high += 1;
  }
  s.last = s.last > s.first ? s.last : s.first + 1;
  return s;
}

static void draw_plot(gui_t *b, const dev_overlay_widget_t *w, gui_rect_t r) {
  char text[40];
  gui_draw_text(b, r.x, r.y + ROW / 2, BRUSH_DIM, w->label, r.width - 90);
  gui_rect_t box = {r.x, r.y + ROW, r.width, PLOT - 6};
  gui_fill_rect(b, box, BRUSH_TEXT, 0.05f);
  if (w->point_count == 0)
    return;
  format_value(w->points[w->point_count - 1][1], false, text, sizeof text);
  gui_draw_text_right(b, r.x + r.width, r.y + ROW / 2, BRUSH_MONO, text);
  span_t s = compute_plot_range(w);
  float u = b->unit, old_x = 0, old_y = 0;
  draw_set_colour(b->draw, 1, 0.74f, 0.33f, 1);
  for (uint32_t i = 0; i < w->point_count; ++i) {
    float x = box.x + 3 + (box.width - 6) * (float)((w->points[i][0] - s.first) / (s.last - s.first));
    float y = box.y + box.height - 4 - (box.height - 8) * (float)((w->points[i][1] - s.low) / (s.high - s.low));
    if (i > 0)
      draw_line(b->draw, old_x * u, old_y * u, x * u, y * u, 1.5f * u);
    old_x = x;
    old_y = y;
  }
}

static void draw_value(gui_t *b, const dev_overlay_widget_t *w, gui_rect_t r) {
  float y = r.y + r.height / 2, named = gui_draw_text(b, r.x, y, BRUSH_DIM, w->label, r.width * 0.6f);
  float max_width = r.width - named - 12, width = gui_text_width(b, BRUSH_MONO, w->text);
  gui_draw_text(b, r.x + r.width - fminf(width, max_width), y, BRUSH_MONO, w->text, max_width);
}

static void draw_widget(dev_overlay_o *d, gui_t *b, const dev_overlay_widget_t *w, gui_rect_t r, bool read_only) {
  switch (w->kind) {
  case DEV_OVERLAY_LABEL: gui_draw_text(b, r.x, r.y + r.height / 2, BRUSH_TEXT, w->label, r.width); break;
  case DEV_OVERLAY_VALUE: draw_value(b, w, r); break;
  case DEV_OVERLAY_SLIDER: draw_slider(d, b, w, r, read_only); break;
  case DEV_OVERLAY_PLOT: draw_plot(b, w, r); break;
  case DEV_OVERLAY_BUTTON:
    if (gui_button(b, (gui_rect_t){r.x, r.y + 1, r.width, r.height - 2}, w->label, false) && !read_only && w->request)
      dev_overlay_request(d, "%s}", w->request);
    break;
  }
}

static float widget_height(const dev_overlay_widget_t *w) {
  return w->kind == DEV_OVERLAY_PLOT ? ROW + PLOT : w->kind == DEV_OVERLAY_BUTTON ? ROW + 4 : ROW;
}

// --- panels

#define ERROR_LINES 6u

// Breaks an error at spaces into lines of up to 40 bytes, so that the file and line at its start stay visible. Returns
// the number of lines.
static uint32_t break_lines(const char *text, char lines[ERROR_LINES][64]) {
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

static float content_height(const dev_overlay_panel_t *p) {
  char lines[ERROR_LINES][64];
  if (p->error)
    return ROW * (float)break_lines(p->error, lines);
  float height = ROW * (float)(p->rows + p->more);
  for (uint32_t i = 0; i < p->widget_count; ++i)
    height += widget_height(&p->widgets[i]);
  return height > 0 ? height : ROW;
}

static void draw_table(gui_t *b, const dev_overlay_panel_t *p, gui_rect_t r) {
  shoal_assert(p->rows == 0 || p->cells, "%s: cells must not be NULL (%u rows)", p->title, p->rows);
  float column = p->columns > 0 ? r.width / (float)p->columns : 0;
  for (uint32_t row = 0; row < p->rows; ++row)
    for (uint32_t i = 0; i < p->columns; ++i)
      gui_draw_text(b, r.x + column * (float)i, r.y + ROW * ((float)row + 0.5f), row == 0 ? BRUSH_DIM : BRUSH_MONO,
                    p->cells[row * p->columns + i], column - 6);
  if (p->more)
    gui_draw_text(b, r.x, r.y + ROW * ((float)p->rows + 0.5f), BRUSH_DIM, "more on the cockpit page", 0);
}

static void draw_content(dev_overlay_o *d, gui_t *b, const dev_overlay_panel_t *p, gui_rect_t r, bool read_only) {
  char lines[ERROR_LINES][64];
  uint32_t count = p->error ? break_lines(p->error, lines) : 0;
  for (uint32_t i = 0; i < count; ++i)
    gui_draw_text(b, r.x, r.y + ROW * ((float)i + 0.5f), BRUSH_BAD, lines[i], r.width);
  if (p->error)
    return;
  if (p->cells)
    draw_table(b, p, r);
  else if (p->widget_count == 0)
    gui_draw_text(b, r.x, r.y + ROW / 2, BRUSH_DIM, "nothing", 0);
  float y = r.y;
  for (uint32_t i = 0; i < p->widget_count; ++i) {
    float height = widget_height(&p->widgets[i]);
    if (y + height <= r.y + r.height + 1)
      draw_widget(d, b, &p->widgets[i], (gui_rect_t){r.x, y, r.width, height}, read_only);
    y += height;
  }
}

static float draw_panel(dev_overlay_o *d, gui_t *b, const dev_overlay_panel_t *p, gui_rect_t room, bool read_only) {
  bool open = dev_overlay_shows_panel(d, p->title);
  float height = ROW + 12 + (open ? content_height(p) + 4 : 0), u = b->unit;
  gui_rect_t r = {room.x, room.y, room.width, fminf(height, room.height)}, head = {r.x, r.y, r.width, ROW + 10};
  gui_draw_panel(b, r);
  gui_draw_text(b, r.x + 28, r.y + 5 + ROW / 2, BRUSH_TITLE, p->title, r.width - 40);
  float x = (r.x + 16) * u, y = (r.y + 5 + ROW / 2) * u, s = 4 * u;
  const float down[6] = {x - s, y - 0.6f * s, x + s, y - 0.6f * s, x, y + 0.8f * s};
  const float right[6] = {x - 0.6f * s, y - s, x + 0.8f * s, y, x - 0.6f * s, y + s};
  draw_set_colour(b->draw, 0.58f, 0.62f, 0.70f, 1);
  draw_polygon(b->draw, open ? down : right, 3, true, 0);
  if (gui_is_clicked(b, head))
    toggle_folded(d, p->title);
  if (open && r.height > ROW + 16) {
    gui_rect_t inside = {r.x + 12, r.y + ROW + 10, r.width - 24, r.height - ROW - 14};
    gui_set_clip(b, inside);
    draw_content(d, b, p, inside, read_only);
    gui_set_clip(b, (gui_rect_t){0, 0, 0, 0});
  }
  return r.height;
}

void dev_overlay_draw_game_panels(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v, float x) {
  float y = TOP, end = b->height - 52;
  for (uint32_t i = 0; i < v->panel_count && end - y > ROW + 12; ++i)
    y += draw_panel(d, b, &v->panels[i], (gui_rect_t){x + 8, y, WIDE, end - y}, v->read_only) + 8;
}
