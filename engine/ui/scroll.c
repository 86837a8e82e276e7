// Panels that hold more than fits: how far they are scrolled is a column, and which part of the screen is left for what
// is in them follows from where all lies.
#include "ui/ui_internal.h"

#include "base/assert.h"

#include <math.h>

#define GLOW 8.0f // of what has the focus, around it

static bool may_scroll(const ui_o *ui, const ui_node_t *n) {
  uint32_t layout = n->kind == UI_PANEL ? ui->at.panel.layout[n->row] : LAYOUT_STACK;
  return layout == LAYOUT_COLUMN || layout == LAYOUT_GRID;
}

// How much of what is in it lies below its end, if it were scrolled up.
static float over(const ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  float bottom = 0, end = n->y + n->height - ui_padding(ui, n);
  for (uint32_t i = node + 1; i < n->end; i = ui->nodes.items[i].end) {
    const ui_node_t *child = &ui->nodes.items[i];
    float margin = ui->at.widget.margin[child->widget], offset = isfinite(child->offset_y) ? child->offset_y : 0;
    bottom = fmaxf(bottom, child->y - offset + child->height + (isfinite(margin) ? margin : 0));
  }
  return bottom + ui->at.panel.scroll[n->row] - end;
}

void ui_find_scrollers(ui_o *ui) {
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    ui_node_t *n = &ui->nodes.items[i];
    const ui_node_t *parent = n->parent == UI_NOWHERE ? NULL : &ui->nodes.items[n->parent];
    n->scroller = !parent ? UI_NOWHERE : parent->over > UI_SCROLLS ? n->parent : parent->scroller;
    n->over = may_scroll(ui, n) && n->end > i + 1 ? over(ui, i) : 0;
  }
}

bool ui_clip(const ui_o *ui, const ui_node_t *n, float out[4]) {
  bool clips = n->scroller != UI_NOWHERE;
  out[0] = out[1] = -1e6f;
  out[2] = out[3] = 1e6f;
  for (uint32_t i = n->scroller; i != UI_NOWHERE; i = ui->nodes.items[i].scroller) {
    const ui_node_t *s = &ui->nodes.items[i];
    const ui_look_t *look = ui_look(ui, s);
    float inset = ui_padding(ui, s) - GLOW;
    if (look->fill[3] > 0 || look->line[3] > 0) // nothing sticks out of a box that is drawn
      inset = fmaxf(inset, 0);
    out[0] = fmaxf(out[0], s->x + fminf(inset, 0));
    out[1] = fmaxf(out[1], s->y + inset);
    out[2] = fminf(out[2], s->x + s->width - fminf(inset, 0));
    out[3] = fminf(out[3], s->y + s->height - inset);
  }
  return clips;
}

bool ui_is_seen_at(const ui_o *ui, const ui_node_t *n, float x, float y) {
  float clip[4];
  bool inside = x >= n->x && y >= n->y && x < n->x + n->width && y < n->y + n->height;
  return inside && (!ui_clip(ui, n, clip) || (x >= clip[0] && y >= clip[1] && x < clip[2] && y < clip[3]));
}

uint32_t ui_scroller_at(const ui_o *ui, uint32_t first, uint32_t end, float x, float y) {
  for (uint32_t i = end; i-- > first;)
    if (ui->nodes.items[i].over > UI_SCROLLS && ui_is_seen_at(ui, &ui->nodes.items[i], x, y))
      return i;
  return UI_NOWHERE;
}

bool ui_scroll(ui_o *ui, uint32_t scroller, float by) {
  const ui_node_t *n = &ui->nodes.items[scroller];
  shoal_assert(n->kind == UI_PANEL, "a widget of kind %d scrolls", (int)n->kind);
  float *scroll = &ui->at.panel.scroll[n->row], before = *scroll;
  *scroll = floorf(fmaxf(fminf(before + by, n->over), 0) + 0.5f);
  return *scroll != before;
}

void ui_scroll_to(ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  float top = n->y, bottom = n->y + n->height;
  for (uint32_t i = n->scroller; i != UI_NOWHERE; i = ui->nodes.items[i].scroller) {
    const ui_node_t *s = &ui->nodes.items[i];
    float padding = ui_padding(ui, s), first = s->y + padding, last = s->y + s->height - padding;
    float by = top < first || bottom - top > last - first ? top - first : bottom > last ? bottom - last : 0;
    ui_scroll(ui, i, by);
  }
}
