// Draws widgets into the draw list, root by root. Within a root, boxes and theme images are drawn first, then other
// images, then text, which keeps the number of batches low. Highlights fade in and out; their progress is not part of
// the world.
#include "ui/ui.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "ui/text_entry.h"
#include "ui/layout.h"
#include "ui/measure.h"
#include "ui/scroll.h"
#include "ui/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UI_LAYER 1000
#define MAX_FADES 65536u // entities with an index at or above this have no fades

// --- states

static ui_fade_t *get_fade(ui_o *ui, shoal_entity e) {
  uint32_t index = shoal_entity_index(e), count = ui->fades.count;
  if (index >= MAX_FADES)
    return NULL;
  if (index >= count) {
    array_reserve(&ui->allocator, &ui->fades, index + 1);
    memset(ui->fades.items + count, 0, (index + 1 - count) * sizeof *ui->fades.items);
    ui->fades.count = index + 1;
  }
  ui_fade_t *f = &ui->fades.items[index];
  if (f->entity != e)
    *f = (ui_fade_t){.entity = e};
  return f;
}

static float step_towards(float at, bool on, float step) {
  return on ? fminf(at + step, 1) : fmaxf(at - step, 0);
}

static float ease_in_out(float t) {
  return t * t * (3 - 2 * t);
}

static void mix_colours(float a[4], const float b[4], float t) {
  for (int i = 0; i < 4; ++i)
    a[i] += (b[i] - a[i]) * t;
}

static void mix_looks(ui_look_t *a, const ui_look_t *b, float t) {
  if (t <= 0)
    return;
  mix_colours(a->text, b->text, t);
  mix_colours(a->fill, b->fill, t);
  mix_colours(a->line, b->line, t);
  mix_colours(a->accent, b->accent, t);
  a->glow += (b->glow - a->glow) * t;
  a->border += (b->border - a->border) * t;
  if (t > 0.5f)
    memcpy(a->image, b->image, sizeof a->image);
}

typedef struct pen_t {
  ui_o *ui;
  draw_o *draw;
  ui_look_t look;
  const ui_node_t *n;
  float focus; // progress of the focus highlight, 0 … 1
} pen_t;

static void compute_look(pen_t *p) {
  const ui_o *ui = p->ui;
  const ui_node_t *n = p->n;
  const ui_fade_t *f = get_fade(p->ui, n->entity);
  p->look = *theme_get_look(&ui->theme, n->style, ui_is_disabled(ui, n) ? UI_DISABLED : UI_NORMAL);
  p->focus = 0;
  if (!f || ui_is_disabled(ui, n))
    return;
  p->focus = ease_in_out(f->focus);
  mix_looks(&p->look, theme_get_look(&ui->theme, n->style, UI_HOVER), ease_in_out(f->hover));
  mix_looks(&p->look, theme_get_look(&ui->theme, n->style, UI_FOCUS), p->focus);
  mix_looks(&p->look, theme_get_look(&ui->theme, n->style, UI_PRESSED), ease_in_out(f->press));
}

static void advance_fades(ui_o *ui, const ui_node_t *n, float dt_s) {
  ui_fade_t *f = ui_can_focus(ui, n) ? get_fade(ui, n->entity) : NULL;
  float motion = ui->theme.palette.motion, step = motion > 0.001f ? dt_s / motion : 1;
  if (!f)
    return;
  f->focus =
      step_towards(f->focus, ui->columns.widget.focused[n->widget] && ui->columns.widget.had_focus[n->widget], step);
  f->hover = step_towards(f->hover, ui->columns.widget.hovered[n->widget], step);
  f->press = step_towards(f->press, ui->columns.widget.held[n->widget], step * 2);
}

// --- boxes

static void set_colour(const pen_t *p, const float c[4], float alpha) {
  draw_set_colour(p->draw, c[0], c[1], c[2], c[3] * alpha);
}

static void fill_box(const pen_t *p, const float c[4], float x, float y, float width, float height, float radius) {
  if (c[3] <= 0 || width <= 0 || height <= 0)
    return;
  set_colour(p, c, 1);
  draw_rounded_rect(p->draw, x, y, width, height, radius, true, 0);
}

static void draw_border(const pen_t *p, const float c[4], float x, float y, float width, float height, float radius) {
  if (c[3] <= 0 || p->look.border <= 0)
    return;
  set_colour(p, c, 1);
  draw_rounded_rect(p->draw, x, y, width, height, radius, false, p->look.border);
}

// Draws a glow around the widget as a few thin rings.
static void draw_glow(const pen_t *p) {
  const ui_node_t *n = p->n;
  float strength = p->look.glow;
  for (int i = 1; strength > 0.01f && i <= 4; ++i) {
    float by = (float)i * 1.75f, alpha = 0.20f * strength * (1 - (float)i / 5);
    set_colour(p, p->look.accent, alpha);
    draw_rounded_rect(p->draw, n->x - by, n->y - by, n->width + 2 * by, n->height + 2 * by, p->look.radius + by, false,
                      2.5f);
  }
}

static void draw_box(const pen_t *p) {
  const ui_node_t *n = p->n;
  if (p->look.image[0])
    return;
  draw_glow(p);
  fill_box(p, p->look.fill, n->x, n->y, n->width, n->height, p->look.radius);
  draw_border(p, p->look.line, n->x, n->y, n->width, n->height, p->look.radius);
}

static float to_fraction(float value, float min, float max) {
  float fraction = max > min ? (value - min) / (max - min) : 0;
  return fraction > 0 ? (fraction < 1 ? fraction : 1) : 0; // maps NaN to 0
}

// Scales a length that was designed for text size 22 to the widget's text size.
static float scale_to_text(const pen_t *p, float length) {
  return length * p->look.size / 22;
}

static void draw_slider(const pen_t *p) {
  const slider_columns *s = &p->ui->columns.slider;
  uint32_t row = p->n->row;
  float left, width, y = p->n->y + p->n->height / 2, fraction = to_fraction(s->value[row], s->min[row], s->max[row]);
  ui_slider_track(p->ui, p->n, &left, &width);
  const float dark[4] = {p->look.line[0], p->look.line[1], p->look.line[2], p->look.line[3]};
  float half = scale_to_text(p, 2.5f), radius = scale_to_text(p, 8 + 2 * p->focus), rim = scale_to_text(p, 3);
  fill_box(p, dark, left, y - half, width, 2 * half, half);
  fill_box(p, p->look.accent, left, y - half, width * fraction, 2 * half, half);
  fill_box(p, p->look.accent, left + width * fraction - radius, y - radius, 2 * radius, 2 * radius, radius);
  radius -= rim;
  fill_box(p, p->look.text, left + width * fraction - radius, y - radius, 2 * radius, 2 * radius, radius);
}

static void draw_checkbox(const pen_t *p) {
  const ui_node_t *n = p->n;
  float size = p->look.size, x = n->x + n->width - p->look.padding - size * 1.7f, y = n->y + (n->height - size) / 2;
  bool on = p->ui->columns.checkbox.value[n->row];
  float at = on ? x + size * 0.7f : x;
  fill_box(p, on ? p->look.accent : p->look.line, x, y, size * 1.7f, size, size / 2);
  float rim = scale_to_text(p, 3);
  fill_box(p, p->look.text, at + rim, y + rim, size - 2 * rim, size - 2 * rim, size / 2 - rim);
}

#define BAR_INSET 2.5f // between a bar's box and its filled part, in pixels

static void draw_bar(const pen_t *p) {
  const ui_node_t *n = p->n;
  const bar_columns *b = &p->ui->columns.bar;
  // In a thin bar, the filled part takes at least three fifths of the thickness.
  float fraction = to_fraction(b->value[n->row], 0, b->max[n->row]);
  float inset = fminf(BAR_INSET, 0.2f * fminf(n->width, n->height));
  float bar_colour[4] = {b->colour.x[n->row], b->colour.y[n->row], b->colour.z[n->row], b->colour.w[n->row]};
  float width = (n->width - 2 * inset) * fraction;
  draw_box(p);
  fill_box(p, bar_colour[3] > 0 ? bar_colour : p->look.accent, n->x + inset, n->y + inset, width, n->height - 2 * inset,
           fminf(fmaxf(p->look.radius - inset, 0), width / 2));
}

static void draw_list(const pen_t *p) {
  const ui_node_t *n = p->n;
  const list_columns *l = &p->ui->columns.list;
  uint32_t rows = ui_count_visible_rows(p->ui, n), at = l->selected[n->row], first = l->first[n->row];
  float high = ui_row_height(p->ui, &p->look);
  draw_box(p);
  if (rows <= 1)
    return;
  uint32_t count = ui_line_count(ui_text(p->ui, l->items[n->row]));
  float top = n->y + p->look.padding / 2, inset = p->look.padding / 2;
  if (at >= first && at < first + rows && at <= count) {
    float y = top + (float)(at - first) * high;
    float lit[4] = {p->look.accent[0], p->look.accent[1], p->look.accent[2], 0.14f + 0.14f * p->focus};
    fill_box(p, lit, n->x + inset, y, n->width - 2 * inset, high, p->look.radius * 0.6f);
    fill_box(p, p->look.accent, n->x + inset, y + 4, 3, high - 8, 1.5f);
  }
}

// Draws the scroll bar if the widget has one.
static void draw_scroll_bar(const pen_t *p) {
  ui_bar_t bar;
  if (!ui_get_scroll_bar(p->ui, p->n, &bar))
    return;
  bool held = ui_is_scroll_bar_held(p->ui, p->n);
  const float *c = held ? p->look.accent : p->look.line, line[4] = {c[0], c[1], c[2], 1};
  fill_box(p, line, bar.x - held, bar.from, held ? 6 : 4, bar.length, held ? 3 : 2);
}

// Draws everything below a widget's images and text: its theme image or its box, the shapes of its control, and its
// scroll bar.
static void draw_boxes(const pen_t *p) {
  if (p->look.image[0]) {
    draw_set_colour(p->draw, 1, 1, 1, 1);
    draw_nine_slice(p->draw, p->look.image, p->n->x, p->n->y, p->n->width, p->n->height, 1);
  }
  switch (p->n->kind) {
  case UI_LABEL:
    if (p->look.fill[3] > 0)
      draw_box(p);
    break;
  case UI_SLIDER: draw_box(p), draw_slider(p); break;
  case UI_CHECKBOX: draw_box(p), draw_checkbox(p); break;
  case UI_LIST: draw_list(p); break;
  case UI_BAR: draw_bar(p); break;
  default: draw_box(p); break;
  }
  draw_scroll_bar(p);
}

static void clip_to_panel(const pen_t *p) {
  float clip[4];
  if (ui_get_clip(p->ui, p->n, clip))
    draw_set_clip(p->draw, clip[0], clip[1], fmaxf(clip[2] - clip[0], 0.01f), clip[3] - clip[1]);
  else
    draw_set_clip(p->draw, 0, 0, 0, 0);
}

// --- images

static void draw_images(const pen_t *p) {
  const ui_node_t *n = p->n;
  draw_set_colour(p->draw, 1, 1, 1, 1);
  float line, width, size;
  ui_measure_text(p->ui, "X", &p->look, 0, &width, &line);
  if (n->kind == UI_LABEL && p->ui->columns.label.image[n->row])
    draw_nine_slice(p->draw, ui_text(p->ui, p->ui->columns.label.image[n->row]), n->x, n->y, n->width, n->height,
                    p->ui->columns.label.frame[n->row]);
  if (n->kind == UI_BUTTON && p->ui->columns.button.image[n->row]) {
    bool alone = p->ui->columns.button.text[n->row] == 0;
    size = alone ? fminf(n->width, n->height) - p->look.padding : line;
    float x = alone ? n->x + (n->width - size) / 2 : n->x + p->look.padding;
    draw_nine_slice(p->draw, ui_text(p->ui, p->ui->columns.button.image[n->row]), x, n->y + (n->height - size) / 2,
                    size, size, 1);
  }
  if (n->kind == UI_DIALOGUE && p->ui->columns.dialogue.portrait[n->row] && p->ui->columns.dialogue.source[n->row] == 0)
    draw_nine_slice(p->draw, ui_text(p->ui, p->ui->columns.dialogue.portrait[n->row]), n->x + p->look.padding,
                    n->y + p->look.padding, 4 * line, 4 * line, 1);
}

// --- text

static void copy_truncated(char *out, size_t out_bytes, const char *text, size_t bytes) {
  bytes = bytes < out_bytes - 1 ? bytes : out_bytes - 1;
  memcpy(out, text, bytes);
  out[bytes] = '\0';
}

// Draws one line, shortened to `max_width` pixels, and returns its width. The line starts at x (`align` 0), is centred
// on x (1) or ends at x (2).
static float draw_line_of_text(pen_t *p, const char *label, size_t bytes, float x, float y, int align,
                               float max_width) {
  char text[1024];
  float width, height;
  copy_truncated(text, sizeof text, label, bytes);
  ui_truncate_text(p->ui, &p->look, text, sizeof text, max_width);
  ui_measure_text(p->ui, text, &p->look, 0, &width, &height);
  draw_text(p->draw, text, floorf(x), y, p->look.size, align, 0);
  return width;
}

static float centred_text_y(const pen_t *p) {
  float width, height;
  ui_measure_text(p->ui, "X", &p->look, 0, &width, &height);
  return p->n->y + floorf((p->n->height - height) / 2);
}

static void draw_aligned_text(pen_t *p, const char *text, float from, float to, int align) {
  float x = align == 0 ? from : align == 1 ? (from + to) / 2 : to;
  draw_line_of_text(p, text, strlen(text), x, centred_text_y(p), align, to - from);
}

static void draw_label_text(pen_t *p) {
  const label_columns *l = &p->ui->columns.label;
  const ui_node_t *n = p->n;
  float own[4] = {l->colour.x[n->row], l->colour.y[n->row], l->colour.z[n->row], l->colour.w[n->row]};
  uint32_t align = l->align[n->row];
  int to = align == 0 ? (int)p->look.align : (int)align - 1;
  float x = to == 0 ? n->x : to == 1 ? n->x + n->width / 2 : n->x + n->width;
  set_colour(p, own[3] > 0 ? own : p->look.text, 1);
  if (l->markup[n->row])
    draw_set_text_style(p->draw, &(draw_text_style_t){.markup = true});
  draw_text(p->draw, ui_text(p->ui, l->text[n->row]), floorf(x), n->y, p->look.size, to,
            l->wrap[n->row] ? n->width : 0);
  if (l->markup[n->row])
    draw_set_text_style(p->draw, &(draw_text_style_t){0});
}

static void draw_button_text(pen_t *p) {
  const ui_node_t *n = p->n;
  float line, width;
  ui_measure_text(p->ui, "X", &p->look, 0, &width, &line);
  float image = p->ui->columns.button.image[n->row] ? line + p->look.padding / 2 : 0;
  draw_aligned_text(p, ui_text(p->ui, p->ui->columns.button.text[n->row]), n->x + p->look.padding + image,
                    n->x + n->width - p->look.padding, (int)p->look.align);
}

static void draw_slider_text(pen_t *p) {
  char value[32];
  const slider_columns *s = &p->ui->columns.slider;
  const ui_node_t *n = p->n;
  float left, width, v = s->value[n->row], min = s->min[n->row], max = s->max[n->row];
  ui_slider_track(p->ui, n, &left, &width);
  draw_aligned_text(p, ui_text(p->ui, s->text[n->row]), n->x + p->look.padding, left - p->look.padding / 2, 0);
  if (min == 0 && max == 1)
    snprintf(value, sizeof value, "%d %%", (int)(to_fraction(v, 0, 1) * 100 + 0.5f));
  else
    snprintf(value, sizeof value, "%.6g", (double)(max - min >= 20 ? roundf(v) : roundf(v * 100) / 100));
  draw_aligned_text(p, value, left + width + scale_to_text(p, 8), n->x + n->width - p->look.padding, 2);
}

static void draw_stepper_text(pen_t *p) {
  const list_columns *l = &p->ui->columns.list;
  const ui_node_t *n = p->n;
  size_t bytes = 0;
  const char *label = ui_text(p->ui, l->text[n->row]);
  const char *item = ui_get_line(ui_text(p->ui, l->items[n->row]), l->selected[n->row], &bytes);
  float right = n->x + n->width - p->look.padding, left = n->x + p->look.padding, arrow = p->look.size;
  float from = label[0] ? left + (right - left) * 0.42f : left;
  draw_aligned_text(p, label, left, from - 8, 0);
  if (item)
    draw_line_of_text(p, item, bytes, (from + right) / 2, centred_text_y(p), 1, right - from - 2 * arrow);
  set_colour(p, p->look.accent, 1);
  draw_aligned_text(p, "‹", from, right, 0);
  draw_aligned_text(p, "›", from, right, 2);
}

static void draw_list_items(pen_t *p) {
  const list_columns *l = &p->ui->columns.list;
  const ui_node_t *n = p->n;
  float high = ui_row_height(p->ui, &p->look), y = n->y + p->look.padding / 2 + floorf(p->look.padding / 4);
  const char *items = ui_text(p->ui, l->items[n->row]);
  size_t bytes = 0;
  if (l->rows[n->row] <= 1) {
    draw_stepper_text(p);
    return;
  }
  const char *at = ui_get_line(items, l->first[n->row], &bytes);
  uint32_t rows = ui_count_visible_rows(p->ui, n);
  for (uint32_t i = 0; at && *at && i < rows; ++i, y += high) {
    bytes = strcspn(at, "\n");
    draw_line_of_text(p, at, bytes, n->x + p->look.padding * 1.25f, y, 0, n->width - 2.5f * p->look.padding);
    at += bytes + (at[bytes] == '\n');
  }
}

// --- entries

#define ENTRY_TEXT 16400u

// Draws the visible part of the selection behind the text.
static void draw_selection(const pen_t *p, const char *text, size_t start, size_t cursor, float x, float y,
                           float max_width) {
  const entry_columns *e = &p->ui->columns.entry;
  char part[ENTRY_TEXT];
  float to_cursor, to_other, height;
  int64_t other = (int64_t)utf8_count_characters(text) + e->selection[p->n->row];
  if (e->selection[p->n->row] == 0)
    return;
  int32_t at = e->cursor[p->n->row];
  other = at < 0 ? other : (int64_t)at + e->selection[p->n->row];
  size_t end = other > 0 ? utf8_offset(text, (uint32_t)other) : 0;
  copy_truncated(part, sizeof part, text + start, cursor - start);
  ui_measure_text(p->ui, part, &p->look, 0, &to_cursor, &height);
  copy_truncated(part, sizeof part, text + start, end > start ? end - start : 0);
  ui_measure_text(p->ui, part, &p->look, 0, &to_other, &height);
  float from = fminf(to_cursor, to_other), to = fminf(fmaxf(to_cursor, to_other), max_width);
  set_colour(p, p->look.accent, 0.32f);
  draw_rounded_rect(p->draw, x + from - 1, y, to - from + 2, height, 3, true, 0);
}

static void draw_entry_text(pen_t *p) {
  const entry_columns *e = &p->ui->columns.entry;
  const ui_node_t *n = p->n;
  float available = n->width - 2 * p->look.padding, x = n->x + p->look.padding, y = centred_text_y(p), width, height;
  char text[ENTRY_TEXT], before[ENTRY_TEXT + INPUT_TEXT];
  const char *composing = ui_text(p->ui, e->composing[n->row]);
  bool is_focused = p->ui->columns.widget.focused[n->widget];
  ui_get_entry_text(p->ui, n, text, sizeof text);
  // The placeholder is also shown in a focused entry, because a panel focuses its first entry by default.
  if (text[0] == '\0' && composing[0] == '\0') {
    set_colour(p, p->look.text, 0.45f);
    draw_aligned_text(p, ui_text(p->ui, e->placeholder[n->row]), x, x + available, 0);
  }
  int32_t cursor = e->cursor[n->row];
  size_t at = cursor < 0 ? strlen(text) : utf8_offset(text, (uint32_t)cursor);
  copy_truncated(before, ENTRY_TEXT, text, at);
  if (is_focused)
    snprintf(before + at, sizeof before - at, "%s", composing);
  size_t start = ui_entry_first_visible_byte(p->ui, &p->look, before, strlen(before), available - 4);
  if (is_focused && start <= at)
    draw_selection(p, text, start, at, x, y, available);
  set_colour(p, p->look.text, 1);
  ui_measure_text(p->ui, before + start, &p->look, 0, &width, &height);
  draw_text(p->draw, before + start, x, y, p->look.size, 0, 0);
  draw_line_of_text(p, text + at, strlen(text + at), x + width + 1, y, 0, available - width);
  bool lit = fmodf(p->ui->clock_s, 1.06f) < 0.6f;
  if (!is_focused || !lit)
    return;
  set_colour(p, p->look.accent, 1);
  draw_rect(p->draw, x + width, y + 2, 2, height - 4, true, 0);
}

// --- dialogues

static void draw_choices_text(pen_t *p, float x, float available) {
  const ui_node_t *n = p->n;
  const char *options = ui_text(p->ui, p->ui->columns.dialogue.options[n->row]);
  uint32_t count = ui_line_count(options), chosen = p->ui->columns.dialogue.choice[n->row];
  float high = ui_row_height(p->ui, &p->look), y = n->y + n->height - p->look.padding - high * (float)count;
  for (uint32_t i = 1; i <= count; ++i, y += high) {
    size_t bytes = 0;
    const char *item = ui_get_line(options, i, &bytes);
    set_colour(p, i == chosen ? p->look.accent : p->look.text, i == chosen ? 1 : 0.75f);
    if (i == chosen)
      draw_text(p->draw, "›", x, y, p->look.size, 0, 0);
    if (item)
      draw_line_of_text(p, item, bytes, x + p->look.size, y, 0, available - p->look.size);
  }
}

static void draw_dialogue_text(pen_t *p) {
  const dialogue_columns *d = &p->ui->columns.dialogue;
  const ui_node_t *n = p->n;
  float width, line, x = n->x + p->look.padding, y = n->y + p->look.padding;
  const char *text = ui_text(p->ui, d->says[n->row]), *by = ui_text(p->ui, d->by[n->row]);
  ui_measure_text(p->ui, "X", &p->look, 0, &width, &line);
  if (d->portrait[n->row] && d->source[n->row] == 0)
    x += 4 * line + p->look.padding;
  float available = n->x + n->width - p->look.padding - x;
  if (by[0]) {
    set_colour(p, p->look.accent, 1);
    draw_set_font(p->draw, "fonts/ui-bold.ttf");
    draw_text(p->draw, by, x, y, p->look.size, 0, 0);
    draw_set_font(p->draw, p->look.font);
    y += line * 1.2f;
  }
  set_colour(p, p->look.text, 1);
  uint32_t all = utf8_count_characters(text), shown = d->shown[n->row] < (float)all ? (uint32_t)d->shown[n->row] : all;
  // Hidden characters are laid out, too, so that lines break where they break in the complete text.
  draw_set_text_style(p->draw, &(draw_text_style_t){.hidden = (int32_t)shown + 1});
  draw_text(p->draw, text, x, y, p->look.size, 0, available);
  draw_set_text_style(p->draw, &(draw_text_style_t){0});
  if (shown < all)
    return;
  if (d->options[n->row]) {
    draw_choices_text(p, x, available);
  } else if (fmodf(p->ui->clock_s, 0.9f) < 0.55f) {
    set_colour(p, p->look.accent, 1);
    draw_text(p->draw, "▸", n->x + n->width - p->look.padding, n->y + n->height - p->look.padding - line * 0.7f,
              p->look.size, 2, 0);
  }
}

static void draw_texts(pen_t *p) {
  draw_set_font(p->draw, p->look.font);
  set_colour(p, p->look.text, 1);
  switch (p->n->kind) {
  case UI_LABEL: draw_label_text(p); break;
  case UI_BUTTON: draw_button_text(p); break;
  case UI_SLIDER: draw_slider_text(p); break;
  case UI_CHECKBOX:
    draw_aligned_text(p, ui_text(p->ui, p->ui->columns.checkbox.text[p->n->row]), p->n->x + p->look.padding,
                      p->n->x + p->n->width - 2 * p->look.padding - p->look.size * 1.7f, 0);
    break;
  case UI_LIST: draw_list_items(p); break;
  case UI_ENTRY: draw_entry_text(p); break;
  case UI_BAR:
    draw_aligned_text(p, ui_text(p->ui, p->ui->columns.bar.text[p->n->row]), p->n->x + 4, p->n->x + p->n->width - 4,
                      (int)p->look.align);
    break;
  case UI_DIALOGUE: draw_dialogue_text(p); break;
  default: break;
  }
}

// --- nodes and roots

// Returns true if the node's rows belong to its entity.
static bool has_current_rows(const ui_o *ui, const ui_node_t *n) {
  const manager_o *m = ui->managers.kinds[n->kind], *widget = ui->managers.widget;
  return n->row < m->count && m->owner[n->row] == n->entity && n->widget < widget->count &&
         widget->owner[n->widget] == n->entity;
}

static void draw_root(pen_t *p, uint32_t root) {
  ui_o *ui = p->ui;
  const ui_node_t *r = &ui->nodes.items[root];
  shoal_assert(r->end > root && r->end <= ui->nodes.count, "root %u has invalid end %u (%u nodes)", root, r->end,
               ui->nodes.count);
  draw_set_layer(p->draw, UI_LAYER + ui->columns.widget.layer[r->widget]);
  if (r->kind == UI_PANEL && ui_is_modal(ui, r)) { // dim everything that the modal panel covers
    draw_set_colour(p->draw, 0.005f, 0.008f, 0.02f, 0.6f);
    draw_rect(p->draw, 0, 0, ui->width, ui->height, true, 0);
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (uint32_t i = root; i < r->end; ++i) {
      p->n = &ui->nodes.items[i];
      if (!has_current_rows(ui, p->n) || p->n->width <= 0)
        continue;
      compute_look(p);
      clip_to_panel(p);
      if (pass == 0)
        draw_boxes(p);
      else if (pass == 1)
        draw_images(p);
      else
        draw_texts(p);
    }
  }
  draw_set_clip(p->draw, 0, 0, 0, 0);
}

void ui_draw(ui_o *ui, draw_o *draw, platform_o *platform, float dt_s) {
  pen_t p = {.ui = ui, .draw = draw};
  if (platform) {
    ui_report_text_input(ui, platform);
    if (ui->copied.count > 0)
      platform_set_clipboard(platform, ui->copied.items);
  }
  ui->copied.count = 0;
  if (ui->managers.widget->count == 0)
    return;
  shoal_assert(dt_s >= 0, "dt_s must not be negative: %g", (double)dt_s);
  ui_restore_layout(ui);
  ui->clock_s = fmodf(ui->clock_s + dt_s, 954.0f);
  draw_reset(draw);
  draw_set_space(draw, true);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (has_current_rows(ui, &ui->nodes.items[i]))
      advance_fades(ui, &ui->nodes.items[i], dt_s);
  for (uint32_t i = 0; i < ui->nodes.count; i = ui->nodes.items[i].end)
    if (has_current_rows(ui, &ui->nodes.items[i]))
      draw_root(&p, i);
}
