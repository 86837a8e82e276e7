// Minimum sizes of widgets. Text sizes do not depend on the window (text/typesetter.h), so neither does the layout.
#include "ui/measure.h"

#include "base/assert.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

#define TRACK_WIDTH 180.0f // width of a slider's track, in logical pixels
#define BAR_WIDTH 220.0f
#define ENTRY_WIDTH 300.0f
#define LIST_WIDTH 180.0f
#define MAX_LABEL_SHARE 0.6f   // maximum share of a slider or stepper that its label takes
#define MAX_MEASURED_ITEMS 64u // maximum number of list items measured to find the list's width
#define DIALOGUE_LINES 3.0f
#define SCROLL_BAR_WIDTH 14.0f
#define ROUNDING_ERROR 0.1f // maximum error of a width that is a sum of other widths, in logical pixels

const char *ui_get_text(const ui_o *ui, uint32_t id) {
  return game_strings_resolve(ui->game_strings, strings_text(world_strings(ui->world), id));
}

const char *ui_get_stored_text(const ui_o *ui, uint32_t id) {
  return strings_text(world_strings(ui->world), id);
}

// --- text

static void measure_text(ui_o *ui, const char *text, const ui_look_t *look, float wrap, bool markup, float *width,
                         float *height) {
  text_style_t style = {.font = look->font, .size = look->size, .wrap = wrap, .markup = markup};
  typesetter_measure(ui->desc.type, &style, text[0] ? text : "X", width, height);
  *width = text[0] ? ceilf(*width) : 0;
  *height = ceilf(*height);
}

void ui_measure_text(ui_o *ui, const char *text, const ui_look_t *look, float wrap, float *width, float *height) {
  measure_text(ui, text, look, wrap, false, width, height);
}

static void copy_truncated(char *out, size_t out_bytes, const char *text, size_t bytes) {
  bytes = bytes < out_bytes - 1 ? bytes : out_bytes - 1;
  memmove(out, text, bytes);
  out[bytes] = '\0';
}

// Returns the byte offset of a character or, in markup, of the tag that contains it.
static size_t find_cut(const char *text, uint32_t character, bool markup) {
  size_t offset = utf8_offset(text, character);
  for (size_t i = offset; markup && i-- > 0 && text[i] != ']';)
    if (text[i] == '[')
      return i;
  return offset;
}

void ui_truncate_text(ui_o *ui, const ui_look_t *look, bool markup, char *text, size_t text_bytes, float max_width) {
  float width, height;
  measure_text(ui, text, look, 0, markup, &width, &height);
  if (text[0] == '\0' || width <= max_width + ROUNDING_ERROR)
    return;
  uint32_t min_count = 0, max_count = utf8_count_characters(text); // bounds of the number of characters that fit
  char candidate[2048];
  shoal_assert(text_bytes > sizeof "…", "the buffer is too small for an ellipsis");
  size_t capacity = text_bytes < sizeof candidate ? text_bytes : sizeof candidate;
  while (min_count < max_count) {
    uint32_t middle = (min_count + max_count + 1) / 2;
    copy_truncated(candidate, capacity - 3, text, find_cut(text, middle, markup));
    memcpy(candidate + strlen(candidate), "…", sizeof "…");
    measure_text(ui, candidate, look, 0, markup, &width, &height);
    if (width <= max_width)
      min_count = middle;
    else
      max_count = middle - 1;
  }
  copy_truncated(text, capacity - 3, text, find_cut(text, min_count, markup));
  memcpy(text + strlen(text), "…", sizeof "…");
}

const ui_look_t *ui_get_look(const ui_o *ui, const ui_node_t *n) {
  return theme_get_look(&ui->theme, n->style, UI_NORMAL);
}

uint32_t ui_count_lines(const char *text) {
  uint32_t count = text[0] != '\0';
  for (; *text; ++text)
    count += *text == '\n' && text[1] != '\0';
  return count;
}

const char *ui_get_line(const char *text, uint32_t number, size_t *bytes) {
  for (uint32_t i = 1; i < number; ++i) {
    text = strchr(text, '\n');
    if (!text || text[1] == '\0')
      return NULL;
    ++text;
  }
  *bytes = strcspn(text, "\n");
  return number > 0 && text[0] ? text : NULL;
}

bool ui_is_line_disabled(const char *text, uint32_t number) {
  size_t bytes = 0;
  const char *line = ui_get_line(text, number, &bytes);
  return line && line[0] == '\t';
}

static float measure_line_height(ui_o *ui, const ui_look_t *look) {
  float width, height;
  ui_measure_text(ui, "X", look, 0, &width, &height);
  return height;
}

float ui_measure_row_height(ui_o *ui, const ui_look_t *look) {
  return measure_line_height(ui, look) + ceilf(look->padding * 0.5f);
}

uint32_t ui_count_visible_rows(ui_o *ui, const ui_node_t *n) {
  const ui_look_t *look = ui_get_look(ui, n);
  float row_capacity = (n->height - look->padding) / ui_measure_row_height(ui, look) + 0.01f;
  return ui->columns.list.rows[n->row] <= 1 ? 1
         : row_capacity < 2                 ? 2
         : row_capacity > 4096              ? 4096
                                            : (uint32_t)row_capacity;
}

static float measure_text_width(ui_o *ui, const char *text, size_t bytes, const ui_look_t *look) {
  float width, height;
  char line[512];
  bytes = bytes < sizeof line - 1 ? bytes : sizeof line - 1;
  memcpy(line, text, bytes);
  line[bytes] = '\0';
  ui_measure_text(ui, line, look, 0, &width, &height);
  return width;
}

// --- kinds of widgets

static void set_min_size(ui_node_t *n, float width, float height) {
  n->min_width = width;
  n->min_height = height;
}

static bool is_same_float(float a, float b) {
  return memcmp(&a, &b, sizeof a) == 0; // compares bits, because hashes of worlds do
}

static float sanitize_length(float x) {
  return x > 0 && x < 1e6f ? x : 0; // maps NaN to 0
}

// Returns the width of the screen without the padding of the widget's ancestors.
static float find_available_width(const ui_o *ui, const ui_node_t *n) {
  float width = ui->width;
  while (n->parent != UI_NO_NODE) {
    n = &ui->nodes.items[n->parent];
    width -= 2 * sanitize_length(ui_get_padding(ui, n));
  }
  return fmaxf(width, 1);
}

// Returns the width that the field `width` sets, or 0 if it is not set. A widget that is too wide for the screen
// shrinks to fit, except an image, which may be a background.
static float get_fixed_width(const ui_o *ui, const ui_node_t *n) {
  float fixed = sanitize_length(ui->columns.widget.width[n->widget]);
  float available = fixed > 0 ? find_available_width(ui, n) : 0;
  if (fixed <= available || (n->kind == UI_LABEL && ui->columns.label.image[n->row] != 0))
    return fixed;
  return fmaxf(available - 2 * sanitize_length(ui->columns.widget.margin[n->widget]), 1);
}

void ui_measure_label(ui_o *ui, const ui_node_t *n, const ui_look_t *look, float wrap, float *width, float *height) {
  const char *text = ui_get_text(ui, ui->columns.label.text[n->row]);
  measure_text(ui, text, look, wrap, ui->columns.label.markup[n->row] != 0, width, height);
}

static bool has_fixed_size(const ui_o *ui, const ui_node_t *n) {
  return sanitize_length(ui->columns.widget.width[n->widget]) > 0 &&
         sanitize_length(ui->columns.widget.height[n->widget]) > 0;
}

// Measures a label. A label without `wrap` also wraps if it would leave its panel, unless its width or height is fixed.
// `is_changed`: true if its fields may have changed.
static void measure_label(ui_o *ui, ui_node_t *n, const ui_look_t *look, float max_width, bool is_changed) {
  float fixed_width = get_fixed_width(ui, n), width, height;
  float wrap = fixed_width > 0 ? fixed_width : max_width;
  bool has_wrap = ui->columns.label.wrap[n->row],
       is_fixed = fixed_width > 0 || ui->columns.widget.height[n->widget] > 0;
  wrap = wrap < 1e6f ? wrap : 0;
  if (is_changed && !has_wrap)
    ui_measure_label(ui, n, look, 0, &n->line_width, &n->line_height);
  width = n->line_width;
  height = n->line_height;
  if (has_wrap || (!is_fixed && wrap > 0 && width > wrap))
    ui_measure_label(ui, n, look, wrap, &width, &height);
  set_min_size(n, width, height);
}

static void measure_control(ui_o *ui, ui_node_t *n, const ui_look_t *look, uint32_t text, float extra) {
  const char *label = ui_get_text(ui, text);
  float width = measure_text_width(ui, label, strlen(label), look);
  float gap = width > 0 && extra > 0 ? look->padding : 0;
  set_min_size(n, width + gap + extra + 2 * look->padding, measure_line_height(ui, look) + look->padding);
}

static float measure_widest_item(ui_o *ui, const char *items, const ui_look_t *look) {
  float widest = 0;
  for (uint32_t i = 0; i < MAX_MEASURED_ITEMS && *items; ++i) {
    size_t bytes = strcspn(items, "\n");
    widest = fmaxf(widest, measure_text_width(ui, items, bytes, look));
    items += bytes + (items[bytes] == '\n');
  }
  return widest;
}

static void measure_list(ui_o *ui, ui_node_t *n, const ui_look_t *look) {
  shoal_assert(n->kind == UI_LIST, "widget of kind %d is not a list", (int)n->kind);
  const char *items = ui_get_text(ui, ui->columns.list.items[n->row]);
  float widest = measure_widest_item(ui, items, look), rows = (float)ui->columns.list.rows[n->row];
  if (rows <= 1) {
    measure_control(ui, n, look, ui->columns.list.text[n->row], widest + 3 * look->size);
    return;
  }
  set_min_size(n, fmaxf(widest + 3 * look->padding, LIST_WIDTH),
               rows * ui_measure_row_height(ui, look) + look->padding);
}

static void measure_dialogue(ui_o *ui, ui_node_t *n, const ui_look_t *look) {
  const char *options = ui_get_text(ui, ui->columns.dialogue.options[n->row]);
  float line_height = measure_line_height(ui, look), min_lines = DIALOGUE_LINES, width, height;
  float fixed_width = get_fixed_width(ui, n), total_width = fixed_width > 0 ? fixed_width : ceilf(ui->width * 0.72f);
  float portrait_width = ui->columns.dialogue.portrait[n->row] != 0 ? 4 * line_height + look->padding : 0;
  const char *text = ui_get_text(ui, ui->columns.dialogue.says[n->row]);
  ui_measure_text(ui, text, look, total_width - 2 * look->padding - portrait_width, &width, &height);
  height = fmaxf(height, min_lines * line_height) + (ui->columns.dialogue.by[n->row] != 0 ? line_height * 1.2f : 0);
  height += (float)ui_count_lines(options) * ui_measure_row_height(ui, look);
  set_min_size(n, total_width, ceilf(height + 2 * look->padding));
}

static void measure_kind(ui_o *ui, ui_node_t *n, float max_width, bool is_changed) {
  const ui_look_t *look = ui_get_look(ui, n);
  if (n->kind == UI_LABEL) {
    if (has_fixed_size(ui, n)) // the text does not matter
      set_min_size(n, 0, 0);
    else
      measure_label(ui, n, look, max_width, is_changed);
    return;
  }
  float line_height = measure_line_height(ui, look);
  switch (n->kind) {
  case UI_BUTTON:
    measure_control(ui, n, look, ui->columns.button.text[n->row], ui->columns.button.image[n->row] ? line_height : 0);
    break;
  case UI_SLIDER:
    measure_control(ui, n, look, ui->columns.slider.text[n->row], TRACK_WIDTH + UI_VALUE_WIDTH * look->size);
    break;
  case UI_CHECKBOX: measure_control(ui, n, look, ui->columns.checkbox.text[n->row], line_height); break;
  case UI_LIST: measure_list(ui, n, look); break;
  case UI_ENTRY: set_min_size(n, ENTRY_WIDTH, line_height + look->padding); break;
  case UI_BAR:
    set_min_size(n, BAR_WIDTH, ui->columns.bar.text[n->row] ? line_height + 6 : ceilf(look->size * 0.7f));
    break;
  case UI_DIALOGUE: measure_dialogue(ui, n, look); break;
  default: set_min_size(n, 0, 0); break;
  }
}

// --- panels

typedef struct ui_sums_t {
  float width, height, widest, highest;
  uint32_t count;
} ui_sums_t;

static ui_sums_t sum_child_sizes(ui_o *ui, uint32_t node, float max_width) {
  ui_sums_t sums = {0};
  for (uint32_t i = node + 1; i < ui->nodes.items[node].end; i = ui->nodes.items[i].end) {
    ui_node_t *child = &ui->nodes.items[i];
    child->is_shrunk = ui->nodes.items[node].is_shrunk;
    ui_measure(ui, i, max_width);
    float margin = 2 * ui->columns.widget.margin[child->widget];
    float width = child->min_width + margin, height = child->min_height + margin;
    sums.width += width;
    sums.height += height;
    sums.widest = fmaxf(sums.widest, width);
    sums.highest = fmaxf(sums.highest, height);
    sums.count++;
  }
  return sums;
}

bool ui_can_shrink(const ui_o *ui, const ui_node_t *n) {
  bool is_image = n->kind == UI_LABEL && ui->columns.label.image[n->row] != 0;
  return !is_image && !(ui->columns.widget.width[n->widget] > 0);
}

float ui_compute_row_shrink(const ui_o *ui, uint32_t node, float remaining) {
  float sum = 0;
  for (uint32_t i = node + 1; i < ui->nodes.items[node].end; i = ui->nodes.items[i].end)
    sum += ui_can_shrink(ui, &ui->nodes.items[i]) ? ui->nodes.items[i].min_width : 0;
  return remaining < 0 && sum > 0 ? fmaxf(1 + remaining / sum, 0) : 1;
}

static bool has_growing_child(const ui_o *ui, uint32_t node) {
  for (uint32_t i = node + 1; i < ui->nodes.items[node].end; i = ui->nodes.items[i].end)
    if (ui->columns.widget.grow[ui->nodes.items[i].widget] > 0)
      return true;
  return false;
}

// Measures the children of a row again if they are too wide together: each child that can shrink is measured at its
// share of the width, so that labels wrap.
static ui_sums_t shrink_children(ui_o *ui, uint32_t node, float remaining, ui_sums_t sums) {
  float shrink = ui_compute_row_shrink(ui, node, remaining);
  if (shrink >= 1)
    return sums;
  sums.width = sums.highest = 0;
  for (uint32_t i = node + 1; i < ui->nodes.items[node].end; i = ui->nodes.items[i].end) {
    ui_node_t *child = &ui->nodes.items[i];
    float share = child->min_width * shrink, margin = 2 * ui->columns.widget.margin[child->widget];
    if (ui_can_shrink(ui, child)) {
      child->is_shrunk = true;
      ui_measure(ui, i, share);
      child->min_width = fminf(child->min_width, share);
    }
    sums.width += child->min_width + margin;
    sums.highest = fmaxf(sums.highest, child->min_height + margin);
  }
  return sums;
}

static void measure_panel(ui_o *ui, uint32_t node, float max_width) {
  ui_node_t *n = &ui->nodes.items[node];
  float padding = ui_get_padding(ui, n), gap = ui_get_gap(ui, n), fixed_width = get_fixed_width(ui, n);
  float inner_width = (fixed_width > 0 ? fixed_width : max_width) - 2 * padding;
  uint32_t columns = ui->columns.panel.columns[n->row], layout = ui->columns.panel.layout[n->row];
  columns = columns > 0 ? columns : 1;
  float cell_width = (inner_width - gap * (float)(columns - 1)) / (float)columns;
  ui_sums_t sums = sum_child_sizes(ui, node, layout == LAYOUT_GRID ? cell_width : inner_width);
  float total_gap = sums.count > 1 ? gap * (float)(sums.count - 1) : 0;
  if (layout == LAYOUT_ROW && !has_growing_child(ui, node))
    sums = shrink_children(ui, node, inner_width - sums.width - total_gap, sums);
  float width = sums.widest, height = sums.highest;
  if (layout == LAYOUT_COLUMN)
    height = sums.height + total_gap;
  else if (layout == LAYOUT_ROW)
    width = sums.width + total_gap;
  else if (layout == LAYOUT_GRID && sums.count > 0) {
    float rows = (float)((sums.count + columns - 1) / columns),
          used_columns = (float)(sums.count < columns ? sums.count : columns);
    width = sums.widest * used_columns + gap * (used_columns - 1);
    height = sums.highest * rows + gap * (rows - 1);
  }
  set_min_size(n, width + 2 * padding, height + 2 * padding);
}

float ui_get_gap(const ui_o *ui, const ui_node_t *n) {
  float gap = n->kind == UI_PANEL ? ui->columns.panel.gap[n->row] : 0;
  return gap >= 0 ? gap : ui->theme.palette.gap;
}

// Returns the padding of a panel, set in the panel or by its look. A panel without a visible box has no padding by
// default.
float ui_get_padding(const ui_o *ui, const ui_node_t *n) {
  float padding = n->kind == UI_PANEL ? ui->columns.panel.padding[n->row] : 0;
  if (padding >= 0)
    return padding;
  const ui_look_t *look = ui_get_look(ui, n);
  bool has_box = look->fill[3] > 0 || look->line[3] > 0 || look->image[0];
  return has_box ? look->padding : 0;
}

float ui_get_scroll_bar_width(const ui_o *ui, const ui_node_t *n) {
  return fmaxf(SCROLL_BAR_WIDTH - ui_get_padding(ui, n) / 2, 0);
}

// Returns the part of `available` pixels that the label of a slider or stepper takes. A longer label is cut.
static float compute_label_space(float label_width, float padding, float available) {
  float space = label_width > 0 ? fmaxf(label_width + padding, available * 0.42f) : 0;
  return fminf(space, fmaxf(available, 0) * MAX_LABEL_SHARE);
}

void ui_compute_slider_track(ui_o *ui, const ui_node_t *n, float *left, float *width) {
  float label_width, height;
  const ui_look_t *look = ui_get_look(ui, n);
  ui_measure_text(ui, ui_get_text(ui, ui->columns.slider.text[n->row]), look, 0, &label_width, &height);
  float value_width, available;
  // a value in a pixel font can be wider than UI_VALUE_WIDTH
  ui_measure_text(ui, "100 %", look, 0, &value_width, &height);
  value_width = fmaxf(value_width + 0.5f * look->size, UI_VALUE_WIDTH * look->size);
  available = n->width - 2 * look->padding - value_width;
  float label_space = compute_label_space(label_width, look->padding, available);
  *left = n->x + look->padding + label_space;
  *width = fmaxf(available - label_space, 1);
}

float ui_compute_stepper_left(ui_o *ui, const ui_node_t *n) {
  const ui_look_t *look = ui_get_look(ui, n);
  float label_width, height, available = n->width - 2 * look->padding;
  ui_measure_text(ui, ui_get_text(ui, ui->columns.list.text[n->row]), look, 0, &label_width, &height);
  return n->x + look->padding + compute_label_space(label_width, look->padding, available);
}

// Marks a node for placing if the minimum size of a child differs from its size when it was placed.
static void mark_resized_children(ui_o *ui, uint32_t node) {
  for (uint32_t i = node + 1; i < ui->nodes.items[node].end; i = ui->nodes.items[i].end) {
    const ui_node_t *child = &ui->nodes.items[i];
    if (is_same_float(child->min_width, child->placed_width) && is_same_float(child->min_height, child->placed_height))
      continue;
    ui_mark_unplaced(ui, node);
    return;
  }
}

// The size is a function of `max_width` and the fields of the node, its descendants and its ancestors. A node that is
// not marked therefore keeps its size, and its descendants keep their sizes.
void ui_measure(ui_o *ui, uint32_t node, float max_width) {
  ui_node_t *n = &ui->nodes.items[node];
  if (!ui_is_unmeasured(ui, node) && is_same_float(n->measured_for, max_width)) {
    set_min_size(n, n->measured_width, n->measured_height);
    return;
  }
  shoal_assert(n->kind > UI_NONE && n->kind < UI_KIND_COUNT, "node %u has invalid kind %d", node, (int)n->kind);
  if (n->kind == UI_PANEL) {
    measure_panel(ui, node, max_width);
  } else {
    sum_child_sizes(ui, node, max_width);
    measure_kind(ui, n, max_width, ui_is_unmeasured(ui, node));
  }
  float width = n->min_width, height = n->min_height;
  float fixed_height = sanitize_length(ui->columns.widget.height[n->widget]);
  // A panel that scrolls leaves space for the scroll bar.
  if (n->kind == UI_PANEL && fixed_height > 0 && height > fixed_height + UI_MIN_OVERFLOW)
    width += ui_get_scroll_bar_width(ui, n);
  float fixed_width = get_fixed_width(ui, n);
  set_min_size(n, fixed_width > 0 ? fixed_width : width, fixed_height > 0 ? fixed_height : height);
  ++ui->measured_count;
  n->measured_for = max_width;
  n->measured_width = n->min_width;
  n->measured_height = n->min_height;
  ui->unmeasured.items[node / 64] &= ~(UINT64_C(1) << node % 64);
  mark_resized_children(ui, node);
}

// Measures a node again, with the same `max_width`. If its size has changed, marks its parent.
static void measure_marked_node(ui_o *ui, uint32_t node) {
  ui_node_t *n = &ui->nodes.items[node];
  float width = n->measured_width, height = n->measured_height;
  if (n->is_shrunk) { // its parent measures it at several widths
    ui_mark_unmeasured(ui, n->parent);
    return;
  }
  ui_measure(ui, node, n->measured_for);
  if (n->parent == UI_NO_NODE)
    ui->has_unplaced_roots = true;
  else if (!is_same_float(width, n->measured_width) || !is_same_float(height, n->measured_height))
    ui_mark_unmeasured(ui, n->parent);
}

// Iterates backwards, so that descendants, which have higher indices, are measured before their ancestors.
void ui_measure_marked(ui_o *ui) {
  for (uint32_t word = ui->unmeasured.count; word-- > 0;)
    for (uint64_t seen = 0, bits; (bits = ui->unmeasured.items[word] & ~seen) != 0;) {
      uint32_t bit = 63u - (uint32_t)__builtin_clzll(bits);
      seen |= ~UINT64_C(0) << bit;
      measure_marked_node(ui, word * 64 + bit);
    }
}
