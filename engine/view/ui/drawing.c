// Draws widgets into the draw list, root by root. Within a root, boxes and theme images are drawn first, then other
// images, then text. This order keeps the number of batches low. Highlights fade in and out; their progress is not part
// of the world.
#include "ui/ui.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "components/access.h"
#include "ui/text_entry.h"
#include "ui/layout.h"
#include "ui/machine.h"
#include "ui/measure.h"
#include "ui/scroll.h"
#include "ui/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FADES 65536u // maximum number of fades; entities with an index at or above this number have no fades

// --- states

static ui_fade_t *get_fade(ui_o *ui, shoal_entity entity) {
  uint32_t index = shoal_entity_index(entity), count = ui->fades.count;
  if (index >= MAX_FADES)
    return NULL;
  if (index >= count) {
    array_reserve(&ui->allocator, &ui->fades, index + 1);
    memset(ui->fades.items + count, 0, (index + 1 - count) * sizeof *ui->fades.items);
    ui->fades.count = index + 1;
  }
  ui_fade_t *fade = &ui->fades.items[index];
  if (fade->entity != entity)
    *fade = (ui_fade_t){.entity = entity};
  return fade;
}

static float step_towards(float progress, bool increases, float step) {
  return increases ? fminf(progress + step, 1) : fmaxf(progress - step, 0);
}

static float ease_in_out(float t) {
  return t * t * (3 - 2 * t);
}

static void mix_colours(float out[4], const float target[4], float t) {
  for (int i = 0; i < 4; ++i)
    out[i] += (target[i] - out[i]) * t;
}

static void mix_looks(ui_look_t *out, const ui_look_t *target, float t) {
  if (t <= 0)
    return;
  mix_colours(out->text, target->text, t);
  mix_colours(out->fill, target->fill, t);
  mix_colours(out->line, target->line, t);
  mix_colours(out->accent, target->accent, t);
  out->glow += (target->glow - out->glow) * t;
  out->border += (target->border - out->border) * t;
  if (t > 0.5f)
    memcpy(out->image, target->image, sizeof out->image);
}

typedef struct pen_t {
  ui_o *ui;
  draw_o *draw;
  ui_look_t look;
  const ui_node_t *n;
  float focus; // progress of the focus highlight, 0 … 1
} pen_t;

static void compute_look(pen_t *pen) {
  const ui_o *ui = pen->ui;
  const ui_node_t *n = pen->n;
  const ui_fade_t *fade = get_fade(pen->ui, n->entity);
  pen->look = *theme_get_look(&ui->theme, n->style, ui_is_disabled(ui, n) ? UI_DISABLED : UI_NORMAL);
  pen->focus = 0;
  if (!fade || ui_is_disabled(ui, n))
    return;
  pen->focus = ease_in_out(fade->focus);
  mix_looks(&pen->look, theme_get_look(&ui->theme, n->style, UI_HOVER), ease_in_out(fade->hover));
  mix_looks(&pen->look, theme_get_look(&ui->theme, n->style, UI_FOCUS), pen->focus);
  mix_looks(&pen->look, theme_get_look(&ui->theme, n->style, UI_PRESSED), ease_in_out(fade->press));
}

static void advance_fades(ui_o *ui, const ui_node_t *n, float dt_s) {
  ui_fade_t *fade = ui_can_focus(ui, n) ? get_fade(ui, n->entity) : NULL;
  float motion = access_read(ui->world).reduced_motion ? 0 : ui->theme.palette.motion,
        step = motion > 0.001f ? dt_s / motion : 1;
  if (!fade)
    return;
  fade->focus =
      step_towards(fade->focus, ui->columns.widget.focused[n->widget] && ui->columns.widget.had_focus[n->widget], step);
  fade->hover = step_towards(fade->hover, ui->columns.widget.hovered[n->widget], step);
  fade->press = step_towards(fade->press, ui->columns.widget.held[n->widget], step * 2);
}

// --- boxes

static void set_colour(const pen_t *pen, const float colour[4], float alpha) {
  draw_set_colour(pen->draw, colour[0], colour[1], colour[2], colour[3] * alpha);
}

static void fill_box(const pen_t *pen, const float colour[4], float x, float y, float width, float height,
                     float radius) {
  if (colour[3] <= 0 || width <= 0 || height <= 0)
    return;
  set_colour(pen, colour, 1);
  draw_rounded_rect(pen->draw, x, y, width, height, radius, true, 0);
}

static void draw_border(const pen_t *pen, const float colour[4], float x, float y, float width, float height,
                        float radius) {
  if (colour[3] <= 0 || pen->look.border <= 0)
    return;
  set_colour(pen, colour, 1);
  draw_rounded_rect(pen->draw, x, y, width, height, radius, false, pen->look.border);
}

// Draws a glow around the widget as a few thin rings.
static void draw_glow(const pen_t *pen) {
  const ui_node_t *n = pen->n;
  float strength = pen->look.glow;
  for (int i = 1; strength > 0.01f && i <= 4; ++i) {
    float distance = (float)i * 1.75f, alpha = 0.20f * strength * (1 - (float)i / 5);
    set_colour(pen, pen->look.accent, alpha);
    draw_rounded_rect(pen->draw, n->x - distance, n->y - distance, n->width + 2 * distance, n->height + 2 * distance,
                      pen->look.radius + distance, false, 2.5f);
  }
}

static void draw_box(const pen_t *pen) {
  const ui_node_t *n = pen->n;
  if (pen->look.image[0])
    return;
  draw_glow(pen);
  fill_box(pen, pen->look.fill, n->x, n->y, n->width, n->height, pen->look.radius);
  draw_border(pen, pen->look.line, n->x, n->y, n->width, n->height, pen->look.radius);
}

static float compute_fraction(float value, float min, float max) {
  float fraction = max > min ? (value - min) / (max - min) : 0;
  return fraction > 0 ? (fraction < 1 ? fraction : 1) : 0; // maps NaN to 0
}

// Returns a length that was designed for text size 22, scaled to the widget's text size.
static float scale_to_text(const pen_t *pen, float length) {
  return length * pen->look.size / 22;
}

// Fills the empty part of a slider or checkbox with the line colour of an unfocused widget or, if the widget has the
// focus, with a faint text colour: a focused widget's line has the accent colour, which means "on".
static void fill_track(const pen_t *pen, float x, float y, float width, float height) {
  ui_look_state_t state = ui_is_disabled(pen->ui, pen->n) ? UI_DISABLED : UI_NORMAL;
  const float focused[4] = {pen->look.text[0], pen->look.text[1], pen->look.text[2], 0.25f};
  float colour[4];
  memcpy(colour, theme_get_look(&pen->ui->theme, pen->n->style, state)->line, sizeof colour);
  mix_colours(colour, focused, pen->focus);
  fill_box(pen, colour, x, y, width, height, height / 2);
}

static void draw_slider(const pen_t *pen) {
  const slider_columns *sliders = &pen->ui->columns.slider;
  uint32_t row = pen->n->row;
  float left, width, y = pen->n->y + pen->n->height / 2,
                     fraction = compute_fraction(sliders->value[row], sliders->min[row], sliders->max[row]);
  ui_compute_slider_track(pen->ui, pen->n, &left, &width);
  float half_height = scale_to_text(pen, 2.5f), radius = scale_to_text(pen, 8 + 2 * pen->focus),
        rim_width = scale_to_text(pen, 3);
  fill_track(pen, left, y - half_height, width, 2 * half_height);
  fill_box(pen, pen->look.accent, left, y - half_height, width * fraction, 2 * half_height, half_height);
  fill_box(pen, pen->look.accent, left + width * fraction - radius, y - radius, 2 * radius, 2 * radius, radius);
  radius -= rim_width;
  fill_box(pen, pen->look.text, left + width * fraction - radius, y - radius, 2 * radius, 2 * radius, radius);
}

static void draw_checkbox(const pen_t *pen) {
  const ui_node_t *n = pen->n;
  float size = pen->look.size, x = n->x + n->width - pen->look.padding - size * 1.7f, y = n->y + (n->height - size) / 2;
  bool is_checked = pen->ui->columns.checkbox.value[n->row];
  float knob_x = is_checked ? x + size * 0.7f : x;
  if (is_checked)
    fill_box(pen, pen->look.accent, x, y, size * 1.7f, size, size / 2);
  else
    fill_track(pen, x, y, size * 1.7f, size);
  float rim_width = scale_to_text(pen, 3);
  fill_box(pen, pen->look.text, knob_x + rim_width, y + rim_width, size - 2 * rim_width, size - 2 * rim_width,
           size / 2 - rim_width);
}

#define BAR_INSET 2.5f // distance between a bar's box and its filled part, in pixels

static void draw_bar(const pen_t *pen) {
  const ui_node_t *n = pen->n;
  const bar_columns *bars = &pen->ui->columns.bar;
  // In a thin bar, the filled part takes at least three fifths of the thickness.
  float fraction = compute_fraction(bars->value[n->row], 0, bars->max[n->row]);
  float inset = fminf(BAR_INSET, 0.2f * fminf(n->width, n->height));
  float bar_colour[4] = {bars->colour.x[n->row], bars->colour.y[n->row], bars->colour.z[n->row],
                         bars->colour.w[n->row]};
  float width = (n->width - 2 * inset) * fraction;
  draw_box(pen);
  fill_box(pen, bar_colour[3] > 0 ? bar_colour : pen->look.accent, n->x + inset, n->y + inset, width,
           n->height - 2 * inset, fminf(fmaxf(pen->look.radius - inset, 0), width / 2));
}

static void draw_list(const pen_t *pen) {
  const ui_node_t *n = pen->n;
  const list_columns *lists = &pen->ui->columns.list;
  uint32_t rows = ui_count_visible_rows(pen->ui, n), selected = lists->selected[n->row],
           first_row = lists->first[n->row];
  float row_height = ui_measure_row_height(pen->ui, &pen->look);
  draw_box(pen);
  if (rows <= 1)
    return;
  uint32_t count = ui_count_lines(ui_get_text(pen->ui, lists->items[n->row]));
  float top = n->y + pen->look.padding / 2, inset = pen->look.padding / 2;
  if (selected >= first_row && selected < first_row + rows && selected <= count) {
    float y = top + (float)(selected - first_row) * row_height;
    float highlight[4] = {pen->look.accent[0], pen->look.accent[1], pen->look.accent[2], 0.14f + 0.14f * pen->focus};
    fill_box(pen, highlight, n->x + inset, y, n->width - 2 * inset, row_height, pen->look.radius * 0.6f);
    fill_box(pen, pen->look.accent, n->x + inset, y + 4, 3, row_height - 8, 1.5f);
  }
}

// Draws the scroll bar if the widget has one.
static void draw_scroll_bar(const pen_t *pen) {
  ui_bar_t bar;
  if (!ui_get_scroll_bar(pen->ui, pen->n, &bar))
    return;
  bool is_held = ui_is_scroll_bar_held(pen->ui, pen->n);
  const float *colour = is_held ? pen->look.accent : pen->look.line, line[4] = {colour[0], colour[1], colour[2], 1};
  fill_box(pen, line, bar.x - is_held, bar.handle_top, is_held ? 6 : 4, bar.handle_length, is_held ? 3 : 2);
}

// Draws everything below a widget's images and text: its theme image or its box, the shapes of its control, and its
// scroll bar.
static void draw_boxes(const pen_t *pen) {
  if (pen->look.image[0]) {
    draw_set_colour(pen->draw, 1, 1, 1, 1);
    draw_nine_slice(pen->draw, pen->look.image, pen->n->x, pen->n->y, pen->n->width, pen->n->height, 1);
  }
  switch (pen->n->kind) {
  case UI_LABEL:
    if (pen->look.fill[3] > 0)
      draw_box(pen);
    break;
  case UI_SLIDER: draw_box(pen), draw_slider(pen); break;
  case UI_CHECKBOX: draw_box(pen), draw_checkbox(pen); break;
  case UI_LIST: draw_list(pen); break;
  case UI_BAR: draw_bar(pen); break;
  default: draw_box(pen); break;
  }
  draw_scroll_bar(pen);
}

static void clip_to_panel(const pen_t *pen) {
  float clip[4];
  if (ui_get_clip(pen->ui, pen->n, clip))
    draw_set_clip(pen->draw, clip[0], clip[1], fmaxf(clip[2] - clip[0], 0.01f), clip[3] - clip[1]);
  else
    draw_set_clip(pen->draw, 0, 0, 0, 0);
}

// --- images

static void draw_images(const pen_t *pen) {
  const ui_node_t *n = pen->n;
  draw_set_colour(pen->draw, 1, 1, 1, 1);
  float line_height, width, size;
  ui_measure_text(pen->ui, "X", &pen->look, 0, &width, &line_height);
  if (n->kind == UI_LABEL && pen->ui->columns.label.image[n->row])
    draw_nine_slice(pen->draw, ui_get_text(pen->ui, pen->ui->columns.label.image[n->row]), n->x, n->y, n->width,
                    n->height, pen->ui->columns.label.frame[n->row]);
  if (n->kind == UI_BUTTON && pen->ui->columns.button.image[n->row]) {
    bool is_icon_only = pen->ui->columns.button.text[n->row] == 0;
    size = is_icon_only ? fminf(n->width, n->height) - pen->look.padding : line_height;
    float x = is_icon_only ? n->x + (n->width - size) / 2 : n->x + pen->look.padding;
    draw_nine_slice(pen->draw, ui_get_text(pen->ui, pen->ui->columns.button.image[n->row]), x,
                    n->y + (n->height - size) / 2, size, size, 1);
  }
  if (n->kind == UI_DIALOGUE && pen->ui->columns.dialogue.portrait[n->row] &&
      pen->ui->columns.dialogue.source[n->row] == 0)
    draw_nine_slice(pen->draw, ui_get_text(pen->ui, pen->ui->columns.dialogue.portrait[n->row]),
                    n->x + pen->look.padding, n->y + pen->look.padding, 4 * line_height, 4 * line_height, 1);
}

// --- text

static void copy_truncated(char *out, size_t out_bytes, const char *text, size_t bytes) {
  bytes = bytes < out_bytes - 1 ? bytes : out_bytes - 1;
  memcpy(out, text, bytes);
  out[bytes] = '\0';
}

// Draws one line, shortened to `max_width` pixels, and returns its width. The line starts at x (`align` 0), is centred
// on x (1) or ends at x (2).
static float draw_line_of_text(pen_t *pen, const char *label, size_t bytes, float x, float y, int align,
                               float max_width) {
  char text[1024];
  float width, height;
  copy_truncated(text, sizeof text, label, bytes);
  ui_truncate_text(pen->ui, &pen->look, false, text, sizeof text, max_width);
  ui_measure_text(pen->ui, text, &pen->look, 0, &width, &height);
  draw_text(pen->draw, text, floorf(x), y, pen->look.size, align, 0);
  return width;
}

static float compute_centred_text_y(const pen_t *pen) {
  float width, height;
  ui_measure_text(pen->ui, "X", &pen->look, 0, &width, &height);
  return pen->n->y + floorf((pen->n->height - height) / 2);
}

static void draw_aligned_text(pen_t *pen, const char *text, float left, float right, int align) {
  float x = align == 0 ? left : align == 1 ? (left + right) / 2 : right;
  draw_line_of_text(pen, text, strlen(text), x, compute_centred_text_y(pen), align, right - left);
}

// Draws the text of a label. A text that is wider than the label wraps if the label's `wrap` is set or a second line
// fits; otherwise, it is shortened.
static void draw_label_lines(pen_t *pen, const char *label, float x, int alignment) {
  const ui_node_t *n = pen->n;
  bool wraps = pen->ui->columns.label.wrap[n->row];
  char text[1024];
  float width, height, line_height;
  ui_measure_text(pen->ui, "X", &pen->look, 0, &width, &line_height);
  ui_measure_label(pen->ui, n, &pen->look, 0, &width, &height);
  wraps = wraps || (width > n->width && n->height > 1.5f * line_height);
  if (!wraps && width > n->width) {
    copy_truncated(text, sizeof text, label, strlen(label));
    ui_truncate_text(pen->ui, &pen->look, pen->ui->columns.label.markup[n->row], text, sizeof text, n->width);
    label = text;
  }
  draw_text(pen->draw, label, x, n->y, pen->look.size, alignment, wraps ? n->width : 0);
}

static void draw_label_text(pen_t *pen) {
  const label_columns *labels = &pen->ui->columns.label;
  const ui_node_t *n = pen->n;
  float own_colour[4] = {labels->colour.x[n->row], labels->colour.y[n->row], labels->colour.z[n->row],
                         labels->colour.w[n->row]};
  uint32_t align = labels->align[n->row];
  int alignment = align == 0 ? (int)pen->look.align : (int)align - 1;
  float x = alignment == 0 ? n->x : alignment == 1 ? n->x + n->width / 2 : n->x + n->width;
  set_colour(pen, own_colour[3] > 0 ? own_colour : pen->look.text, 1);
  if (labels->markup[n->row])
    draw_set_text_style(pen->draw, &(draw_text_style_t){.markup = true});
  draw_label_lines(pen, ui_get_text(pen->ui, labels->text[n->row]), floorf(x), alignment);
  if (labels->markup[n->row])
    draw_set_text_style(pen->draw, &(draw_text_style_t){0});
}

static void draw_button_text(pen_t *pen) {
  const ui_node_t *n = pen->n;
  float line_height, width;
  ui_measure_text(pen->ui, "X", &pen->look, 0, &width, &line_height);
  float image_width = pen->ui->columns.button.image[n->row] ? line_height + pen->look.padding / 2 : 0;
  draw_aligned_text(pen, ui_get_text(pen->ui, pen->ui->columns.button.text[n->row]),
                    n->x + pen->look.padding + image_width, n->x + n->width - pen->look.padding, (int)pen->look.align);
}

static void draw_slider_text(pen_t *pen) {
  char value[32];
  const slider_columns *sliders = &pen->ui->columns.slider;
  const ui_node_t *n = pen->n;
  float left, width, number = sliders->value[n->row], min = sliders->min[n->row], max = sliders->max[n->row];
  ui_compute_slider_track(pen->ui, n, &left, &width);
  draw_aligned_text(pen, ui_get_text(pen->ui, sliders->text[n->row]), n->x + pen->look.padding,
                    left - pen->look.padding / 2, 0);
  if (min == 0 && max == 1)
    snprintf(value, sizeof value, "%d %%", (int)(compute_fraction(number, 0, 1) * 100 + 0.5f));
  else
    snprintf(value, sizeof value, "%.6g", (double)(max - min >= 20 ? roundf(number) : roundf(number * 100) / 100));
  draw_aligned_text(pen, value, left + width + scale_to_text(pen, 8), n->x + n->width - pen->look.padding, 2);
}

static void draw_stepper_text(pen_t *pen) {
  const list_columns *lists = &pen->ui->columns.list;
  const ui_node_t *n = pen->n;
  size_t bytes = 0;
  const char *label = ui_get_text(pen->ui, lists->text[n->row]);
  const char *item = ui_get_line(ui_get_text(pen->ui, lists->items[n->row]), lists->selected[n->row], &bytes);
  float right = n->x + n->width - pen->look.padding, left = n->x + pen->look.padding, arrow = pen->look.size;
  float item_left = ui_compute_stepper_left(pen->ui, n);
  draw_aligned_text(pen, label, left, item_left - 8, 0);
  if (item)
    draw_line_of_text(pen, item, bytes, (item_left + right) / 2, compute_centred_text_y(pen), 1,
                      right - item_left - 2 * arrow);
  set_colour(pen, pen->look.accent, 1);
  draw_aligned_text(pen, "‹", item_left, right, 0);
  draw_aligned_text(pen, "›", item_left, right, 2);
}

static void draw_list_items(pen_t *pen) {
  const list_columns *lists = &pen->ui->columns.list;
  const ui_node_t *n = pen->n;
  float row_height = ui_measure_row_height(pen->ui, &pen->look),
        y = n->y + pen->look.padding / 2 + floorf(pen->look.padding / 4);
  const char *items = ui_get_text(pen->ui, lists->items[n->row]);
  size_t bytes = 0;
  if (lists->rows[n->row] <= 1) {
    draw_stepper_text(pen);
    return;
  }
  const char *item = ui_get_line(items, lists->first[n->row], &bytes);
  uint32_t rows = ui_count_visible_rows(pen->ui, n);
  for (uint32_t i = 0; item && *item && i < rows; ++i, y += row_height) {
    bytes = strcspn(item, "\n");
    bool is_disabled = ui_is_line_disabled(item, 1);
    set_colour(pen, is_disabled ? theme_get_look(&pen->ui->theme, n->style, UI_DISABLED)->text : pen->look.text, 1);
    draw_line_of_text(pen, item + is_disabled, bytes - is_disabled, n->x + pen->look.padding * 1.25f, y, 0,
                      n->width - 2.5f * pen->look.padding);
    item += bytes + (item[bytes] == '\n');
  }
}

// --- entries

#define ENTRY_TEXT 16400u

// Draws the visible part of the selection behind the text.
static void draw_selection(const pen_t *pen, const char *text, size_t start, size_t cursor, float x, float y,
                           float max_width) {
  const entry_columns *entries = &pen->ui->columns.entry;
  char prefix[ENTRY_TEXT];
  float cursor_x, anchor_x, height;
  int64_t anchor = (int64_t)utf8_count_characters(text) + entries->selection[pen->n->row];
  if (entries->selection[pen->n->row] == 0)
    return;
  int32_t cursor_index = entries->cursor[pen->n->row];
  anchor = cursor_index < 0 ? anchor : (int64_t)cursor_index + entries->selection[pen->n->row];
  size_t anchor_byte = anchor > 0 ? utf8_offset(text, (uint32_t)anchor) : 0;
  copy_truncated(prefix, sizeof prefix, text + start, cursor - start);
  ui_measure_text(pen->ui, prefix, &pen->look, 0, &cursor_x, &height);
  copy_truncated(prefix, sizeof prefix, text + start, anchor_byte > start ? anchor_byte - start : 0);
  ui_measure_text(pen->ui, prefix, &pen->look, 0, &anchor_x, &height);
  float left = fminf(cursor_x, anchor_x), right = fminf(fmaxf(cursor_x, anchor_x), max_width);
  set_colour(pen, pen->look.accent, 0.32f);
  draw_rounded_rect(pen->draw, x + left - 1, y, right - left + 2, height, 3, true, 0);
}

static void draw_entry_text(pen_t *pen) {
  const entry_columns *entries = &pen->ui->columns.entry;
  const ui_node_t *n = pen->n;
  float available = n->width - 2 * pen->look.padding, x = n->x + pen->look.padding, y = compute_centred_text_y(pen),
        width, height;
  char text[ENTRY_TEXT], prefix[ENTRY_TEXT + INPUT_TEXT];
  const char *composing = machine_get_composing(pen->ui, n);
  bool is_focused = pen->ui->columns.widget.focused[n->widget];
  ui_get_entry_text(pen->ui, n, text, sizeof text);
  // The placeholder is also shown in a focused entry, because a panel focuses its first entry by default.
  if (text[0] == '\0' && composing[0] == '\0') {
    set_colour(pen, pen->look.text, 0.45f);
    draw_aligned_text(pen, ui_get_text(pen->ui, entries->placeholder[n->row]), x, x + available, 0);
  }
  int32_t cursor = entries->cursor[n->row];
  size_t cursor_byte = cursor < 0 ? strlen(text) : utf8_offset(text, (uint32_t)cursor);
  copy_truncated(prefix, ENTRY_TEXT, text, cursor_byte);
  if (is_focused)
    snprintf(prefix + cursor_byte, sizeof prefix - cursor_byte, "%s", composing);
  size_t start = ui_find_first_visible_byte(pen->ui, &pen->look, prefix, strlen(prefix), available - 4);
  if (is_focused && start <= cursor_byte)
    draw_selection(pen, text, start, cursor_byte, x, y, available);
  set_colour(pen, pen->look.text, 1);
  ui_measure_text(pen->ui, prefix + start, &pen->look, 0, &width, &height);
  draw_text(pen->draw, prefix + start, x, y, pen->look.size, 0, 0);
  draw_line_of_text(pen, text + cursor_byte, strlen(text + cursor_byte), x + width + 1, y, 0, available - width);
  bool is_cursor_shown = fmodf(pen->ui->clock_s, 1.06f) < 0.6f;
  if (!is_focused || !is_cursor_shown)
    return;
  set_colour(pen, pen->look.accent, 1);
  draw_rect(pen->draw, x + width, y + 2, 2, height - 4, true, 0);
}

// --- dialogues

static void draw_choices_text(pen_t *pen, float x, float available) {
  const ui_node_t *n = pen->n;
  const char *options = ui_get_text(pen->ui, pen->ui->columns.dialogue.options[n->row]);
  uint32_t count = ui_count_lines(options), choice = pen->ui->columns.dialogue.choice[n->row];
  float row_height = ui_measure_row_height(pen->ui, &pen->look),
        y = n->y + n->height - pen->look.padding - row_height * (float)count;
  for (uint32_t i = 1; i <= count; ++i, y += row_height) {
    size_t bytes = 0;
    const char *item = ui_get_line(options, i, &bytes);
    set_colour(pen, i == choice ? pen->look.accent : pen->look.text, i == choice ? 1 : 0.75f);
    if (i == choice)
      draw_text(pen->draw, "›", x, y, pen->look.size, 0, 0);
    if (item)
      draw_line_of_text(pen, item, bytes, x + pen->look.size, y, 0, available - pen->look.size);
  }
}

static void draw_dialogue_text(pen_t *pen) {
  const dialogue_columns *dialogues = &pen->ui->columns.dialogue;
  const ui_node_t *n = pen->n;
  float width, line_height, x = n->x + pen->look.padding, y = n->y + pen->look.padding;
  const char *text = ui_get_text(pen->ui, dialogues->says[n->row]),
             *speaker = ui_get_text(pen->ui, dialogues->by[n->row]);
  ui_measure_text(pen->ui, "X", &pen->look, 0, &width, &line_height);
  if (dialogues->portrait[n->row] && dialogues->source[n->row] == 0)
    x += 4 * line_height + pen->look.padding;
  float available = n->x + n->width - pen->look.padding - x;
  if (speaker[0]) {
    set_colour(pen, pen->look.accent, 1);
    draw_set_font(pen->draw, pen->look.font[0] ? pen->look.font : "fonts/ui-bold.ttf");
    draw_text(pen->draw, speaker, x, y, pen->look.size, 0, 0);
    draw_set_font(pen->draw, pen->look.font);
    y += line_height * 1.2f;
  }
  set_colour(pen, pen->look.text, 1);
  uint32_t character_count = utf8_count_characters(text),
           shown_count =
               dialogues->shown[n->row] < (float)character_count ? (uint32_t)dialogues->shown[n->row] : character_count;
  // Hidden characters are laid out, too, so that lines break where they break in the complete text.
  draw_set_text_style(pen->draw, &(draw_text_style_t){.hidden = (int32_t)shown_count + 1});
  draw_text(pen->draw, text, x, y, pen->look.size, 0, available);
  draw_set_text_style(pen->draw, &(draw_text_style_t){0});
  if (shown_count < character_count)
    return;
  if (dialogues->options[n->row]) {
    draw_choices_text(pen, x, available);
  } else if (fmodf(pen->ui->clock_s, 0.9f) < 0.55f) {
    set_colour(pen, pen->look.accent, 1);
    draw_text(pen->draw, "▸", n->x + n->width - pen->look.padding,
              n->y + n->height - pen->look.padding - line_height * 0.7f, pen->look.size, 2, 0);
  }
}

static void draw_texts(pen_t *pen) {
  draw_set_font(pen->draw, pen->look.font);
  set_colour(pen, pen->look.text, 1);
  switch (pen->n->kind) {
  case UI_LABEL: draw_label_text(pen); break;
  case UI_BUTTON: draw_button_text(pen); break;
  case UI_SLIDER: draw_slider_text(pen); break;
  case UI_CHECKBOX:
    draw_aligned_text(pen, ui_get_text(pen->ui, pen->ui->columns.checkbox.text[pen->n->row]),
                      pen->n->x + pen->look.padding,
                      pen->n->x + pen->n->width - 2 * pen->look.padding - pen->look.size * 1.7f, 0);
    break;
  case UI_LIST: draw_list_items(pen); break;
  case UI_ENTRY: draw_entry_text(pen); break;
  case UI_BAR:
    draw_aligned_text(pen, ui_get_text(pen->ui, pen->ui->columns.bar.text[pen->n->row]), pen->n->x + 4,
                      pen->n->x + pen->n->width - 4, (int)pen->look.align);
    break;
  case UI_DIALOGUE: draw_dialogue_text(pen); break;
  default: break;
  }
}

// --- nodes and roots

// Returns true if the node's rows belong to its entity.
static bool has_current_rows(const ui_o *ui, const ui_node_t *n) {
  const manager_o *manager = ui->managers.kinds[n->kind], *widget = ui->managers.widget;
  return n->row < manager->count && manager->owner[n->row] == n->entity && n->widget < widget->count &&
         widget->owner[n->widget] == n->entity;
}

static bool has_controls(const ui_o *ui, uint32_t root) {
  for (uint32_t i = root; i < ui->nodes.items[root].end; ++i)
    if (ui->nodes.items[i].kind >= UI_BUTTON && ui->nodes.items[i].kind <= UI_ENTRY)
      return true;
  return false;
}

// Returns the root of the options screen (scripts/shoal/kit/options.lua); 0 if it is closed or the lowest root. Menus
// below it are not drawn: parts of them would be visible beside it, although they cannot be used.
static uint32_t find_options(const ui_o *ui) {
  const manager_o *options = world_find_manager(ui->world, "shoal.options");
  for (uint32_t i = 0; options && i < ui->nodes.count; i = ui->nodes.items[i].end)
    if (manager_row(options, ui->nodes.items[i].entity) != ROW_NONE)
      return i;
  return 0;
}

static void draw_root(pen_t *pen, uint32_t root) {
  ui_o *ui = pen->ui;
  const ui_node_t *node = &ui->nodes.items[root];
  shoal_assert(node->end > root && node->end <= ui->nodes.count, "root %u has invalid end %u (%u nodes)", root,
               node->end, ui->nodes.count);
  draw_set_layer(pen->draw, ui->layer + ui->columns.widget.layer[node->widget]);
  if (node->kind == UI_PANEL && ui_is_modal(ui, node)) { // dims everything that the modal panel covers
    float area[4];
    draw_get_visible_area(pen->draw, area);
    draw_set_colour(pen->draw, 0.005f, 0.008f, 0.02f, 0.6f);
    draw_rect(pen->draw, area[0], area[1], area[2], area[3], true, 0);
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (uint32_t i = root; i < node->end; ++i) {
      pen->n = &ui->nodes.items[i];
      if (!has_current_rows(ui, pen->n) || pen->n->width <= 0)
        continue;
      compute_look(pen);
      clip_to_panel(pen);
      if (pass == 0)
        draw_boxes(pen);
      else if (pass == 1)
        draw_images(pen);
      else
        draw_texts(pen);
    }
  }
  draw_set_clip(pen->draw, 0, 0, 0, 0);
}

void ui_draw(ui_o *ui, draw_o *draw, platform_o *platform, float dt_s) {
  pen_t pen = {.ui = ui, .draw = draw};
  if (platform && ui->clipboard_text.count > 0)
    platform_set_clipboard(platform, ui->clipboard_text.items);
  ui->clipboard_text.count = 0;
  if (ui->managers.widget->count > 0)
    ui_restore_layout(ui);
  if (platform)
    ui_report_text_input(ui, platform);
  // A machine that joins a match has run no tick yet: the first tick adds the components that widgets lack.
  if (ui->managers.widget->count == 0 || (ui->machine && world_tick(ui->world) == 0))
    return;
  shoal_assert(dt_s >= 0, "dt_s must not be negative: %g", (double)dt_s);
  if (ui->machine)
    machine_select_all_players(ui);
  ui->clock_s = fmodf(ui->clock_s + dt_s, 954.0f);
  draw_reset(draw);
  draw_set_space(draw, true);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (has_current_rows(ui, &ui->nodes.items[i]))
      advance_fades(ui, &ui->nodes.items[i], dt_s);
  for (uint32_t i = 0, options = find_options(ui); i < ui->nodes.count; i = ui->nodes.items[i].end)
    if (has_current_rows(ui, &ui->nodes.items[i]) && (i >= options || !has_controls(ui, i)))
      draw_root(&pen, i);
}
