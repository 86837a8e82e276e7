// Layout of widgets: roots are placed on the screen by their anchors, children in rows, columns, grids and stacks.
#include "ui/layout.h"

#include "base/assert.h"
#include "components/access.h"
#include "ui/dialogue.h"
#include "ui/anchors.h"
#include "ui/layout_inputs.h"
#include "ui/measure.h"
#include "ui/scroll.h"
#include "ui/tree.h"
#include "ui/ui.h"

#include <math.h>
#include <string.h>

typedef struct ui_box_t {
  float x, y, width, height;
} ui_box_t;

static float finite_or_zero(float x) {
  return isfinite(x) ? x : 0;
}

// Horizontal and vertical alignment of each anchor (0: start, 0.5: centre, 1: end).
static const float HORIZONTAL_ALIGNMENT[] = {0.5f, 0, 0.5f, 1, 0, 1, 0, 0.5f, 1, 0},
                   VERTICAL_ALIGNMENT[] = {0.5f, 0, 0, 0, 0.5f, 0.5f, 1, 1, 1, 0};

static ui_box_t compute_anchored_box(const ui_o *ui, const ui_node_t *n, const ui_box_t *parent) {
  uint32_t anchor = ui->columns.widget.anchor[n->widget];
  float margin = finite_or_zero(ui->columns.widget.margin[n->widget]);
  float width = parent->width - 2 * margin, height = parent->height - 2 * margin;
  anchor = anchor <= ANCHOR_FILL ? anchor : ANCHOR_CENTRE;
  if (anchor == ANCHOR_FILL)
    return (ui_box_t){parent->x + margin, parent->y + margin, width, height};
  return (ui_box_t){parent->x + margin + floorf((width - n->min_width) * HORIZONTAL_ALIGNMENT[anchor]),
                    parent->y + margin + floorf((height - n->min_height) * VERTICAL_ALIGNMENT[anchor]), n->min_width,
                    n->min_height};
}

// Places a node and its descendants, unless the node has the same box as before and none of them is marked.
static void place_node(ui_o *ui, uint32_t node, const ui_box_t *box);
// Places a child, and stores the minimum size for which its parent placed its children.
static void place_child(ui_o *ui, uint32_t node, const ui_box_t *box);

// --- rows and columns: children are placed along the main axis

typedef struct ui_line_t {
  bool is_row;
  float remaining; // length that the children leave free; negative if they overflow
  float grow_sum;  // sum of the children's `grow`
  float shrink;    // factor for the lengths of the children that can shrink, at most 1
  float position, gap;
  uint32_t align;
} ui_line_t;

static float get_growth_share(const ui_o *ui, const ui_node_t *n) {
  float grow = ui->columns.widget.grow[n->widget];
  return grow > 0 && grow < 1e6f ? grow : 0;
}

static ui_line_t begin_line(ui_o *ui, uint32_t node, const ui_box_t *inner) {
  const ui_node_t *n = &ui->nodes.items[node];
  ui_line_t line = {.is_row = ui->columns.panel.layout[n->row] == LAYOUT_ROW,
                    .shrink = 1,
                    .gap = ui_get_gap(ui, n),
                    .align = ui->columns.panel.align[n->row]};
  float used_length = -line.gap;
  uint32_t count = 0, justify = ui->columns.panel.justify[n->row];
  for (uint32_t i = node + 1; i < n->end; i = ui->nodes.items[i].end, ++count) {
    const ui_node_t *child = &ui->nodes.items[i];
    used_length +=
        line.gap + (line.is_row ? child->min_width : child->min_height) + 2 * ui->columns.widget.margin[child->widget];
    line.grow_sum += get_growth_share(ui, child);
  }
  line.remaining = (line.is_row ? inner->width : inner->height) - used_length;
  line.position = line.is_row ? inner->x : inner->y;
  if (line.grow_sum > 0) // children with `grow` also shrink if the panel is too small
    return line;
  if (line.is_row)
    line.shrink = ui_compute_row_shrink(ui, node, line.remaining);
  line.remaining = fmaxf(line.remaining, 0);
  if (justify == JUSTIFY_CENTRE || justify == JUSTIFY_END)
    line.position += justify == JUSTIFY_END ? line.remaining : floorf(line.remaining / 2);
  else if (justify == JUSTIFY_SPACE_BETWEEN && count > 1)
    line.gap += line.remaining / (float)(count - 1);
  return line;
}

static void align_on_cross_axis(uint32_t align, float size, float space, float *position, float *length) {
  *length = align == ALIGN_STRETCH ? space : size;
  if (align == ALIGN_CENTRE || align == ALIGN_END)
    *position += align == ALIGN_END ? space - size : floorf((space - size) / 2);
}

static void place_children_in_line(ui_o *ui, uint32_t node, const ui_box_t *inner) {
  ui_line_t line = begin_line(ui, node, inner);
  for (uint32_t i = node + 1; i < ui->nodes.items[node].end; i = ui->nodes.items[i].end) {
    const ui_node_t *child = &ui->nodes.items[i];
    float margin = finite_or_zero(ui->columns.widget.margin[child->widget]);
    float growth = line.grow_sum > 0 ? line.remaining * get_growth_share(ui, child) / line.grow_sum : 0;
    bool shrinks = ui_can_shrink(ui, child);
    float length = line.is_row ? child->min_width * (shrinks ? line.shrink : 1) : child->min_height;
    float main_size = fmaxf(length + growth, 0);
    float fixed_size = line.is_row ? ui->columns.widget.height[child->widget] : ui->columns.widget.width[child->widget];
    uint32_t align = line.align == ALIGN_STRETCH && fixed_size > 0 ? ALIGN_CENTRE : line.align;
    ui_box_t box = {inner->x + margin, inner->y + margin, main_size, main_size};
    if (line.is_row) {
      box.x = line.position + margin;
      align_on_cross_axis(align, child->min_height, inner->height - 2 * margin, &box.y, &box.height);
    } else {
      box.y = line.position + margin;
      float space = inner->width - 2 * margin;
      align_on_cross_axis(align, shrinks ? fminf(child->min_width, space) : child->min_width, space, &box.x,
                          &box.width);
    }
    line.position += main_size + 2 * margin + line.gap;
    place_child(ui, i, &box);
  }
}

static void place_grid(ui_o *ui, uint32_t node, const ui_box_t *inner) {
  const ui_node_t *n = &ui->nodes.items[node];
  uint32_t columns = ui->columns.panel.columns[n->row], index = 0;
  float gap = ui_get_gap(ui, n), row_height = 0;
  columns = columns > 0 ? columns : 1;
  for (uint32_t i = node + 1; i < n->end; i = ui->nodes.items[i].end)
    row_height =
        fmaxf(row_height, ui->nodes.items[i].min_height + 2 * ui->columns.widget.margin[ui->nodes.items[i].widget]);
  float width = (inner->width - gap * (float)(columns - 1)) / (float)columns;
  for (uint32_t i = node + 1; i < n->end; i = ui->nodes.items[i].end, ++index) {
    float margin = finite_or_zero(ui->columns.widget.margin[ui->nodes.items[i].widget]);
    ui_box_t box = {inner->x + (float)(index % columns) * (width + gap) + margin,
                    inner->y + (float)(index / columns) * (row_height + gap) + margin, width - 2 * margin,
                    row_height - 2 * margin};
    place_child(ui, i, &box);
  }
}

// --- nodes and roots

// Returns the height by which the children's minimum sizes exceed the panel; 0 or less if they fit, or if a child of a
// column can shrink.
static float compute_overflow(ui_o *ui, uint32_t node, const ui_box_t *inner) {
  const ui_node_t *n = &ui->nodes.items[node];
  uint32_t layout = ui->columns.panel.layout[n->row], columns = ui->columns.panel.columns[n->row], count = 0;
  float gap = ui_get_gap(ui, n), total_height = 0, row_height = 0;
  for (uint32_t i = node + 1; i < n->end; i = ui->nodes.items[i].end, ++count) {
    const ui_node_t *child = &ui->nodes.items[i];
    float height = child->min_height + 2 * finite_or_zero(ui->columns.widget.margin[child->widget]);
    total_height += height + (count > 0 ? gap : 0);
    row_height = fmaxf(row_height, height);
    if (layout == LAYOUT_COLUMN && get_growth_share(ui, child) > 0) // children with `grow` shrink instead
      return 0;
  }
  columns = columns > 0 ? columns : 1;
  float rows = (float)((count + columns - 1) / columns);
  return (layout == LAYOUT_COLUMN ? total_height : rows * row_height + (rows - 1) * gap) - inner->height;
}

// Clamps the scroll offset. If the contents overflow, shifts them by the offset and leaves space for the scroll bar.
static void apply_scroll(ui_o *ui, uint32_t node, ui_box_t *inner) {
  const ui_node_t *n = &ui->nodes.items[node];
  float overflow = compute_overflow(ui, node, inner), scroll = ui->columns.panel.scroll[n->row];
  float clamped = overflow > UI_MIN_OVERFLOW ? fmaxf(fminf(finite_or_zero(scroll), overflow), 0) : 0;
  if (scroll != clamped)
    layout_inputs_write_scroll(ui, n->row, clamped);
  if (overflow <= UI_MIN_OVERFLOW)
    return;
  inner->y -= clamped;
  inner->width = fmaxf(inner->width - ui_get_scroll_bar_width(ui, n), 0);
}

static void place_children(ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  float padding = ui_get_padding(ui, n);
  uint32_t layout = n->kind == UI_PANEL ? ui->columns.panel.layout[n->row] : LAYOUT_STACK;
  ui_box_t inner = {n->x + padding, n->y + padding, fmaxf(n->width - 2 * padding, 0),
                    fmaxf(n->height - 2 * padding, 0)};
  if (layout == LAYOUT_COLUMN || layout == LAYOUT_GRID)
    apply_scroll(ui, node, &inner);
  if (layout == LAYOUT_COLUMN || layout == LAYOUT_ROW)
    place_children_in_line(ui, node, &inner);
  else if (layout == LAYOUT_GRID)
    place_grid(ui, node, &inner);
  else
    for (uint32_t i = node + 1; i < ui->nodes.items[node].end; i = ui->nodes.items[i].end) {
      ui_box_t box = compute_anchored_box(ui, &ui->nodes.items[i], &inner);
      place_child(ui, i, &box);
    }
}

// Writes the box of a node, and places its children.
static void place_again(ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  ++ui->placed_count;
  ui->unplaced.items[node / 64] &= ~(UINT64_C(1) << node % 64);
  layout_inputs_write_box(ui, n->widget, n->x, n->y, n->width, n->height);
  if (n->end > node + 1)
    place_children(ui, node);
  if (ui_update_overflow(ui, node))
    ui->has_scrollers = false;
}

static void place_node(ui_o *ui, uint32_t node, const ui_box_t *box) {
  shoal_assert(node < ui->nodes.count, "node %u is out of range (count %u)", node, ui->nodes.count);
  ui_node_t *n = &ui->nodes.items[node];
  const ui_box_t old = {n->x, n->y, n->width, n->height};
  const ui_box_t now = {box->x + finite_or_zero(n->offset_x), box->y + finite_or_zero(n->offset_y),
                        fmaxf(finite_or_zero(box->width), 0), fmaxf(finite_or_zero(box->height), 0)};
  if (!ui_is_unplaced(ui, node) && memcmp(&old, &now, sizeof now) == 0) // compares bits, because world hashes do
    return;
  n->x = now.x;
  n->y = now.y;
  n->width = now.width;
  n->height = now.height;
  place_again(ui, node);
}

static void place_child(ui_o *ui, uint32_t node, const ui_box_t *box) {
  ui_node_t *n = &ui->nodes.items[node];
  n->placed_width = n->min_width;
  n->placed_height = n->min_height;
  place_node(ui, node, box);
}

// Centres the box of a node on the entity that the node is anchored to. Returns true on success, or false if the anchor
// is not visible.
static bool place_on_anchor(const ui_o *ui, const ui_node_t *n, ui_box_t *box) {
  float x, y;
  if (ui_find_anchor(ui, n->entity, &x, &y) != UI_ANCHOR_VISIBLE)
    return false;
  *box = (ui_box_t){floorf(x - n->min_width / 2 + 0.5f), floorf(y - n->min_height / 2 + 0.5f), n->min_width,
                    n->min_height};
  return true;
}

// Widens a root panel that is taller than the screen, and therefore scrolls, by the width of its scroll bar, so that
// the contents keep their width.
static void reserve_scroll_bar(const ui_o *ui, ui_node_t *n) {
  uint32_t layout = n->kind == UI_PANEL ? ui->columns.panel.layout[n->row] : LAYOUT_STACK;
  bool is_fixed = ui->columns.widget.width[n->widget] > 0 || ui->columns.widget.height[n->widget] > 0;
  if ((layout == LAYOUT_COLUMN || layout == LAYOUT_GRID) && !is_fixed && n->min_height > ui->height + UI_MIN_OVERFLOW)
    n->min_width += ui_get_scroll_bar_width(ui, n);
}

// Moves the box of a root right if it reaches beyond the left edge of the screen. A box wider than the screen stops
// when its right edge is at the screen's right edge. Moves a panel without a fixed height up if it reaches beyond the
// lower edge. A panel taller than the screen gets the height of the screen, and scrolls.
static void keep_on_screen(const ui_o *ui, const ui_node_t *n, ui_box_t *box) {
  box->x = fmaxf(box->x, fminf(0, ui->width - box->width));
  if (n->kind != UI_PANEL || ui->columns.widget.height[n->widget] > 0)
    return;
  if (box->height > ui->height)
    box->y = 0, box->height = ui->height;
  else if (box->y + box->height > ui->height)
    box->y = ui->height - box->height;
}

static void place_roots(ui_o *ui) {
  ui->has_unplaced_roots = false;
  const ui_box_t screen = {0, 0, ui->width, ui->height};
  shoal_assert(ui->width > 0 && ui->height > 0, "the screen size must be positive, got %g × %g", (double)ui->width,
               (double)ui->height);
  for (uint32_t i = 0; i < ui->nodes.count; i = ui->nodes.items[i].end) {
    ui_measure(ui, i, ui->width);
    reserve_scroll_bar(ui, &ui->nodes.items[i]);
    if (ui_can_shrink(ui, &ui->nodes.items[i]))
      ui->nodes.items[i].min_width = fminf(ui->nodes.items[i].min_width, ui->width);
    ui_box_t box = compute_anchored_box(ui, &ui->nodes.items[i], &screen);
    if (place_on_anchor(ui, &ui->nodes.items[i], &box)) {
      place_node(ui, i, &box);
      continue;
    }
    keep_on_screen(ui, &ui->nodes.items[i], &box);
    place_node(ui, i, &box);
  }
}

// Places the remaining marked nodes in their boxes, which have not changed. Ancestors come before descendants.
static void place_marked(ui_o *ui) {
  for (uint32_t word = 0; word < ui->unplaced.count; ++word)
    while (ui->unplaced.items[word] != 0)
      place_again(ui, word * 64 + (uint32_t)__builtin_ctzll(ui->unplaced.items[word]));
}

// --- steps

static void rebuild_nodes(ui_o *ui) {
  ui_build_nodes(ui);
  layout_inputs_copy(ui);
  ui->has_scrollers = false;
  ++ui->rebuild_count;
}

void ui_lay_out(ui_o *ui) {
  shoal_assert(!world_is_deferring(ui->world), "widgets cannot be laid out while commands are deferred");
  if (ui->managers.widget->count == 0) {
    ui->nodes.count = ui->targets.count = 0;
    ui->has_layout = false;
    return;
  }
  if (!ui->machine) // the layout of a machine does not change the world
    transform_update_child_lists(ui->world);
  uint32_t version = typesetter_change_count(ui->desc.type);
  if (version != ui->type_version)
    ui->has_layout = false;
  ui->type_version = version;
  if (theme_set_text_scale(&ui->theme, access_read(ui->world).text_scale))
    ui->has_layout = false;
  ui_get_columns(ui);
  ui_update_anchors(ui);
  ui_difference_t difference = ui->has_layout ? layout_inputs_compare(ui) : UI_REBUILD;
  if (difference == UI_SAME)
    return;
  if (!ui->machine && ui->managers.kinds[UI_DIALOGUE]->count > 0) {
    ui_update_dialogues(ui);
    difference = difference == UI_CHANGED && layout_inputs_compare(ui) == UI_REBUILD ? UI_REBUILD : difference;
  }
  if (difference == UI_REBUILD)
    rebuild_nodes(ui);
  else
    ui_measure_marked(ui);
  if (ui->has_unplaced_roots)
    place_roots(ui);
  place_marked(ui);
  if (!ui->has_scrollers)
    ui_update_scrollers(ui);
  ui->has_scrollers = true;
  ui->has_layout = true;
}

void ui_restore_layout(ui_o *ui) {
  if (ui->machine) {
    ui_lay_out(ui);
    return;
  }
  ui_get_columns(ui);
  if (ui->has_layout && layout_inputs_are_current(ui))
    return;
  ui->has_layout = false;
  ui_build_nodes(ui);
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    ui_node_t *n = &ui->nodes.items[i];
    n->x = ui->columns.widget.at_x[n->widget];
    n->y = ui->columns.widget.at_y[n->widget];
    n->width = ui->columns.widget.at_width[n->widget];
    n->height = ui->columns.widget.at_height[n->widget];
  }
  ui_update_scrollers(ui);
}
