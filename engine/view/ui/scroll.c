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
  float bottom = 0, end = n->y + n->height - ui_padding(ui, n);
  for (uint32_t i = node + 1; i < n->end; i = ui->nodes.items[i].end) {
    const ui_node_t *child = &ui->nodes.items[i];
    float margin = ui->columns.widget.margin[child->widget], offset = isfinite(child->offset_y) ? child->offset_y : 0;
    bottom = fmaxf(bottom, child->y - offset + child->height + (isfinite(margin) ? margin : 0));
  }
  return bottom + ui->columns.panel.scroll[n->row] - end;
}

void ui_update_scrollers(ui_o *ui) {
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    ui_node_t *n = &ui->nodes.items[i];
    const ui_node_t *parent = n->parent == UI_NO_NODE ? NULL : &ui->nodes.items[n->parent];
    n->scroller = !parent ? UI_NO_NODE : parent->over > UI_SCROLLS ? n->parent : parent->scroller;
    n->over = can_scroll(ui, n) && n->end > i + 1 ? measure_overflow(ui, i) : 0;
  }
}

bool ui_get_clip(const ui_o *ui, const ui_node_t *n, float out[4]) {
  bool clips = n->scroller != UI_NO_NODE;
  out[0] = out[1] = -1e6f;
  out[2] = out[3] = 1e6f;
  for (uint32_t i = n->scroller; i != UI_NO_NODE; i = ui->nodes.items[i].scroller) {
    const ui_node_t *s = &ui->nodes.items[i];
    const ui_look_t *look = ui_get_look(ui, s);
    float inset = ui_padding(ui, s) - GLOW;
    if (look->fill[3] > 0 || look->line[3] > 0) // a visible box has no margin for the focus highlight
      inset = fmaxf(inset, 0);
    out[0] = fmaxf(out[0], s->x + fminf(inset, 0));
    out[1] = fmaxf(out[1], s->y + inset);
    out[2] = fminf(out[2], s->x + s->width - fminf(inset, 0));
    out[3] = fminf(out[3], s->y + s->height - inset);
  }
  return clips;
}

bool ui_is_visible_at(const ui_o *ui, const ui_node_t *n, float x, float y) {
  float clip[4];
  bool inside = x >= n->x && y >= n->y && x < n->x + n->width && y < n->y + n->height;
  return inside && (!ui_get_clip(ui, n, clip) || (x >= clip[0] && y >= clip[1] && x < clip[2] && y < clip[3]));
}

uint32_t ui_scroller_at(const ui_o *ui, uint32_t first, uint32_t end, float x, float y) {
  for (uint32_t i = end; i-- > first;)
    if (ui->nodes.items[i].over > UI_SCROLLS && ui_is_visible_at(ui, &ui->nodes.items[i], x, y))
      return i;
  return UI_NO_NODE;
}

bool ui_scroll(ui_o *ui, uint32_t scroller, float by) {
  const ui_node_t *n = &ui->nodes.items[scroller];
  shoal_assert(n->kind == UI_PANEL, "widget of kind %d is not a panel", (int)n->kind);
  float *scroll = &ui->columns.panel.scroll[n->row], before = *scroll;
  *scroll = floorf(fmaxf(fminf(before + by, n->over), 0) + 0.5f);
  return *scroll != before;
}

void ui_scroll_to(ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  float top = n->y, bottom = n->y + n->height;
  for (uint32_t i = n->scroller; i != UI_NO_NODE; i = ui->nodes.items[i].scroller) {
    const ui_node_t *s = &ui->nodes.items[i];
    float padding = ui_padding(ui, s), first = s->y + padding, last = s->y + s->height - padding;
    float by = top < first || bottom - top > last - first ? top - first : bottom > last ? bottom - last : 0;
    ui_scroll(ui, i, by);
  }
}

// --- bars

#define BAR_REACH 16.0f // distance from the right edge within which the pointer grabs the bar, in pixels
#define BAR_MIN 18.0f

static bool compute_list_scroll_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out) {
  const ui_look_t *look = ui_get_look(ui, n);
  uint32_t rows = ui_count_visible_rows(ui, n), count = ui_line_count(ui_text(ui, ui->columns.list.items[n->row]));
  if (rows <= 1 || count <= rows)
    return false;
  uint32_t first = ui->columns.list.first[n->row], last = count - rows;
  *out = (ui_bar_t){.x = n->x + n->width - 7, .top = n->y + look->padding / 2, .page = (float)rows};
  out->track = (float)rows * ui_row_height(ui, look);
  out->at = (float)(first < 1 ? 0 : first - 1 > last ? last : first - 1);
  out->max = (float)last;
  return true;
}

static bool compute_panel_scroll_bar(const ui_o *ui, const ui_node_t *n, ui_bar_t *out) {
  float inset = fmaxf(ui_get_look(ui, n)->radius, 6), at = ui->columns.panel.scroll[n->row];
  if (!(n->over > UI_SCROLLS))
    return false;
  *out = (ui_bar_t){.x = n->x + n->width - 9, .top = n->y + inset, .track = n->height - 2 * inset, .max = n->over};
  out->page = n->height;
  out->at = at > 0 ? fminf(at, n->over) : 0; // maps NaN to 0
  return true;
}

bool ui_get_scroll_bar(ui_o *ui, const ui_node_t *n, ui_bar_t *out) {
  bool has = n->kind == UI_LIST ? compute_list_scroll_bar(ui, n, out)
                                : n->kind == UI_PANEL && compute_panel_scroll_bar(ui, n, out);
  if (!has || !(out->track > BAR_MIN))
    return false;
  shoal_assert(out->max > 0 && out->at <= out->max, "scroll position %g is out of range (max %g)", (double)out->at,
               (double)out->max);
  out->length = fminf(fmaxf(out->track * out->page / (out->page + out->max), BAR_MIN), out->track);
  out->from = out->top + (out->track - out->length) * out->at / out->max;
  return true;
}

uint32_t ui_find_scroll_bar_at(ui_o *ui, uint32_t first, uint32_t end, uint32_t at, float x, float y) {
  ui_bar_t bar;
  for (uint32_t i = end; i-- > first;) {
    const ui_node_t *n = &ui->nodes.items[i];
    bool near = x >= n->x + n->width - BAR_REACH && ui_is_visible_at(ui, n, x, y);
    if (near && !ui_is_disabled(ui, n) && ui_get_scroll_bar(ui, n, &bar) && y >= bar.top && y < bar.top + bar.track)
      return at == UI_NO_NODE || at < n->end ? i : UI_NO_NODE; // later nodes are drawn on top of earlier ones
  }
  return UI_NO_NODE;
}

static void scroll_by_bar(ui_o *ui, uint32_t node, float by) {
  const ui_node_t *n = &ui->nodes.items[node];
  ui_bar_t bar;
  if (n->kind == UI_PANEL)
    ui_scroll(ui, node, by);
  else if (ui_get_scroll_bar(ui, n, &bar))
    ui->columns.list.first[n->row] = 1 + (uint32_t)fminf(fmaxf(bar.at + by, 0), bar.max);
}

void ui_press_scroll_bar(ui_o *ui, uint32_t node, float y) {
  ui_bar_t bar;
  if (!ui_get_scroll_bar(ui, &ui->nodes.items[node], &bar))
    return;
  if (y < bar.from || y >= bar.from + bar.length)
    scroll_by_bar(ui, node, (y < bar.from ? -1.0f : 1.0f) * bar.page);
}

// Scrolls by the difference of the rounded pointer positions, so that small movements add up exactly. Ignores movements
// beyond the ends of the bar until the pointer is back at the handle.
void ui_drag_scroll_bar(ui_o *ui, uint32_t node, float before, float y) {
  ui_bar_t bar;
  if (!ui_get_scroll_bar(ui, &ui->nodes.items[node], &bar) || !(bar.track > bar.length) || !isfinite(before) ||
      !isfinite(y))
    return;
  float each = bar.max / (bar.track - bar.length);
  float start = y > before ? fmaxf(before, bar.from) : fminf(before, bar.from + bar.length);
  if ((y > before) == (y > start))
    scroll_by_bar(ui, node, floorf(y * each + 0.5f) - floorf(start * each + 0.5f));
}

bool ui_is_scroll_bar_held(const ui_o *ui, const ui_node_t *n) {
  return ui->columns.widget.held[n->widget] && ui->columns.widget.held_s[n->widget] < 0;
}

void ui_set_scroll_bar_held(ui_o *ui, const ui_node_t *n, bool on) {
  ui->columns.widget.held[n->widget] = on;
  ui->columns.widget.held_s[n->widget] = on ? -1 : 0;
}
