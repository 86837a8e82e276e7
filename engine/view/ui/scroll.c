// Scrolling panels and lists, and their scroll bars. The scroll offset of a panel and the first visible row of a list
// are stored in columns; the clip rectangle is computed from the layout.
#include "ui/scroll.h"

#include "base/assert.h"
#include "ui/measure.h"

#include <math.h>

#define GLOW 8.0f // width of the highlight around the focused widget, in pixels

static bool can_scroll(const ui_o *ui, const ui_node_t *n) {
  uint32_t layout = n->kind == UI_PANEL ? ui->columns.panel.layout[n->row] : LAYOUT_STACK;
  return layout == LAYOUT_COLUMN || layout == LAYOUT_GRID;
}

// Returns the number of pixels by which the contents exceed the panel at its bottom, at scroll offset 0.
static float measure_overflow(const ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  float bottom = 0, end = n->y + n->height - ui_get_padding(ui, n);
  for (uint32_t i = node + 1; i < n->end; i = ui->nodes.items[i].end) {
    const ui_node_t *child = &ui->nodes.items[i];
    float margin = ui->columns.widget.margin[child->widget], offset = isfinite(child->offset_y) ? child->offset_y : 0;
    bottom = fmaxf(bottom, child->y - offset + child->height + (isfinite(margin) ? margin : 0));
  }
  return bottom + ui->columns.panel.scroll[n->row] - end;
}

bool ui_update_overflow(ui_o *ui, uint32_t node) {
  ui_node_t *n = &ui->nodes.items[node];
  bool did_scroll = n->overflow > UI_MIN_OVERFLOW;
  n->overflow = can_scroll(ui, n) && n->end > node + 1 ? measure_overflow(ui, node) : 0;
  return (n->overflow > UI_MIN_OVERFLOW) != did_scroll;
}

void ui_update_scrollers(ui_o *ui) {
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    ui_node_t *n = &ui->nodes.items[i];
    const ui_node_t *parent = n->parent == UI_NO_NODE ? NULL : &ui->nodes.items[n->parent];
    n->scroller = !parent ? UI_NO_NODE : parent->overflow > UI_MIN_OVERFLOW ? n->parent : parent->scroller;
    ui_update_overflow(ui, i);
  }
}

bool ui_get_clip(const ui_o *ui, const ui_node_t *n, float out[4]) {
  bool is_clipped = n->scroller != UI_NO_NODE;
  out[0] = out[1] = -1e6f;
  out[2] = out[3] = 1e6f;
  for (uint32_t i = n->scroller; i != UI_NO_NODE; i = ui->nodes.items[i].scroller) {
    const ui_node_t *scroller = &ui->nodes.items[i];
    const ui_look_t *look = ui_get_look(ui, scroller);
    float inset = ui_get_padding(ui, scroller) - GLOW;
    if (look->fill[3] > 0 || look->line[3] > 0) // a visible box has no margin for the focus highlight
      inset = fmaxf(inset, 0);
    out[0] = fmaxf(out[0], scroller->x + fminf(inset, 0));
    out[1] = fmaxf(out[1], scroller->y + inset);
    out[2] = fminf(out[2], scroller->x + scroller->width - fminf(inset, 0));
    out[3] = fminf(out[3], scroller->y + scroller->height - inset);
  }
  return is_clipped;
}

bool ui_is_visible_at(const ui_o *ui, const ui_node_t *n, float x, float y) {
  float clip[4];
  bool is_inside = x >= n->x && y >= n->y && x < n->x + n->width && y < n->y + n->height;
  return is_inside && (!ui_get_clip(ui, n, clip) || (x >= clip[0] && y >= clip[1] && x < clip[2] && y < clip[3]));
}

uint32_t ui_find_scroller_at(const ui_o *ui, uint32_t first_node, uint32_t end, float x, float y) {
  for (uint32_t k = ui_find_target(ui, end); k-- > 0 && ui->targets.items[k] >= first_node;) {
    uint32_t i = ui->targets.items[k];
    if (ui->nodes.items[i].overflow > UI_MIN_OVERFLOW && ui_is_visible_at(ui, &ui->nodes.items[i], x, y))
      return i;
  }
  return UI_NO_NODE;
}

bool ui_scroll_panel(ui_o *ui, uint32_t scroller, float distance) {
  const ui_node_t *n = &ui->nodes.items[scroller];
  shoal_assert(n->kind == UI_PANEL, "widget of kind %d is not a panel", (int)n->kind);
  float *scroll = &ui->columns.panel.scroll[n->row], previous = *scroll;
  *scroll = floorf(fmaxf(fminf(previous + distance, n->overflow), 0) + 0.5f);
  return *scroll != previous;
}

void ui_scroll_to_node(ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  float top = n->y, bottom = n->y + n->height;
  for (uint32_t i = n->scroller; i != UI_NO_NODE; i = ui->nodes.items[i].scroller) {
    const ui_node_t *scroller = &ui->nodes.items[i];
    float padding = ui_get_padding(ui, scroller), visible_top = scroller->y + padding,
          visible_bottom = scroller->y + scroller->height - padding;
    float distance = top < visible_top || bottom - top > visible_bottom - visible_top ? top - visible_top
                     : bottom > visible_bottom                                        ? bottom - visible_bottom
                                                                                      : 0;
    ui_scroll_panel(ui, i, distance);
  }
}

// --- bars

#define BAR_REACH 16.0f // distance from the right edge within which the pointer grabs the bar, in pixels
#define BAR_MIN_LENGTH 18.0f

static bool compute_list_scroll_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out) {
  const ui_look_t *look = ui_get_look(ui, n);
  uint32_t rows = ui_count_visible_rows(ui, n), count = ui_count_lines(ui_get_text(ui, ui->columns.list.items[n->row]));
  if (rows <= 1 || count <= rows)
    return false;
  uint32_t first_row = ui->columns.list.first[n->row], max_position = count - rows;
  *out = (ui_bar_t){.x = n->x + n->width - 7, .top = n->y + look->padding / 2, .page = (float)rows};
  out->track_length = (float)rows * ui_measure_row_height(ui, look);
  out->position = (float)(first_row < 1 ? 0 : first_row - 1 > max_position ? max_position : first_row - 1);
  out->max_position = (float)max_position;
  return true;
}

static bool compute_panel_scroll_bar(const ui_o *ui, const ui_node_t *n, ui_bar_t *out) {
  float inset = fmaxf(ui_get_look(ui, n)->radius, 6), position = ui->columns.panel.scroll[n->row];
  if (!(n->overflow > UI_MIN_OVERFLOW))
    return false;
  *out = (ui_bar_t){.x = n->x + n->width - 9,
                    .top = n->y + inset,
                    .track_length = n->height - 2 * inset,
                    .max_position = n->overflow};
  out->page = n->height;
  out->position = position > 0 ? fminf(position, n->overflow) : 0; // maps NaN to 0
  return true;
}

bool ui_get_scroll_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out) {
  bool has_bar = n->kind == UI_LIST ? compute_list_scroll_bar(ui, n, out)
                                    : n->kind == UI_PANEL && compute_panel_scroll_bar(ui, n, out);
  if (!has_bar || !(out->track_length > BAR_MIN_LENGTH))
    return false;
  shoal_assert(out->max_position > 0 && out->position <= out->max_position,
               "scroll position %g is out of range (max %g)", (double)out->position, (double)out->max_position);
  out->handle_length =
      fminf(fmaxf(out->track_length * out->page / (out->page + out->max_position), BAR_MIN_LENGTH), out->track_length);
  out->handle_top = out->top + (out->track_length - out->handle_length) * out->position / out->max_position;
  return true;
}

uint32_t ui_find_scroll_bar_at(ui_o *ui, uint32_t first_node, uint32_t end, uint32_t hovered, float x, float y) {
  ui_bar_t bar;
  for (uint32_t k = ui_find_target(ui, end); k-- > 0 && ui->targets.items[k] >= first_node;) {
    uint32_t i = ui->targets.items[k];
    const ui_node_t *n = &ui->nodes.items[i];
    bool is_near = x >= n->x + n->width - BAR_REACH && ui_is_visible_at(ui, n, x, y);
    if (is_near && !ui_is_disabled(ui, n) && ui_get_scroll_bar(ui, n, &bar) && y >= bar.top &&
        y < bar.top + bar.track_length)
      return hovered == UI_NO_NODE || hovered < n->end ? i : UI_NO_NODE; // later nodes cover earlier nodes
  }
  return UI_NO_NODE;
}

static void scroll_by_bar(ui_o *ui, uint32_t node, float distance) {
  const ui_node_t *n = &ui->nodes.items[node];
  ui_bar_t bar;
  if (n->kind == UI_PANEL)
    ui_scroll_panel(ui, node, distance);
  else if (ui_get_scroll_bar(ui, n, &bar))
    ui->columns.list.first[n->row] = 1 + (uint32_t)fminf(fmaxf(bar.position + distance, 0), bar.max_position);
}

void ui_press_scroll_bar(ui_o *ui, uint32_t node, float y) {
  ui_bar_t bar;
  if (!ui_get_scroll_bar(ui, &ui->nodes.items[node], &bar))
    return;
  if (y < bar.handle_top || y >= bar.handle_top + bar.handle_length)
    scroll_by_bar(ui, node, (y < bar.handle_top ? -1.0f : 1.0f) * bar.page);
}

// Scrolls by the difference of the rounded pointer positions, so that small movements add up exactly. Ignores movements
// beyond the ends of the bar until the pointer is back at the handle.
void ui_drag_scroll_bar(ui_o *ui, uint32_t node, float previous_y, float y) {
  ui_bar_t bar;
  if (!ui_get_scroll_bar(ui, &ui->nodes.items[node], &bar) || !(bar.track_length > bar.handle_length) ||
      !isfinite(previous_y) || !isfinite(y))
    return;
  float scroll_per_pixel = bar.max_position / (bar.track_length - bar.handle_length);
  float start =
      y > previous_y ? fmaxf(previous_y, bar.handle_top) : fminf(previous_y, bar.handle_top + bar.handle_length);
  if ((y > previous_y) == (y > start))
    scroll_by_bar(ui, node, floorf(y * scroll_per_pixel + 0.5f) - floorf(start * scroll_per_pixel + 0.5f));
}

bool ui_is_scroll_bar_held(const ui_o *ui, const ui_node_t *n) {
  return ui->columns.widget.held[n->widget] && ui->columns.widget.held_s[n->widget] < 0;
}

void ui_set_scroll_bar_held(ui_o *ui, const ui_node_t *n, bool is_held) {
  ui->columns.widget.held[n->widget] = is_held;
  ui->columns.widget.held_s[n->widget] = is_held ? -1 : 0;
}
