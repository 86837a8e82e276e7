// Builds the tree of widgets as nodes in drawing order.
#include "ui/tree.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "components/name.h"
#include "transform/transform.h"
#include "ui/anchors.h"
#include "ui/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- kinds of `widget` rows

#define ROW_SHIFT 4u

static uint32_t get_kind(const ui_o *ui, uint32_t widget) {
  return ui->row_kinds.items[widget] & ((1u << ROW_SHIFT) - 1u);
}

static void compute_row_kinds(ui_o *ui) {
  const manager_o *widget = ui->managers.widget;
  array_reserve(&ui->allocator, &ui->row_kinds, widget->count);
  memset(ui->row_kinds.items, 0, widget->count * sizeof *ui->row_kinds.items);
  array_reserve(&ui->allocator, &ui->row_nodes, widget->count);
  memset(ui->row_nodes.items, 0xff, widget->count * sizeof *ui->row_nodes.items); // UI_NO_NODE
  ui->row_kinds.count = ui->row_nodes.count = widget->count;
  // Iterates backwards: if an entity has several kinds, the first kind wins.
  for (uint32_t kind = UI_KIND_COUNT - 1; kind > UI_NONE; --kind) {
    const manager_o *manager = ui->managers.kinds[kind];
    for (uint32_t row = 0; row < manager->count; ++row) {
      uint32_t widget_row = manager_row(widget, manager->owner[row]);
      if (widget_row != ROW_NONE && !world_is_disabled(ui->world, manager->owner[row], manager->id))
        ui->row_kinds.items[widget_row] = kind | row << ROW_SHIFT;
    }
  }
}

// --- visibility

bool ui_is_dialogue_shown(const ui_o *ui, uint32_t row) {
  return ui->columns.dialogue.says[row] != 0 || ui->columns.dialogue.options[row] != 0;
}

static bool is_visible(const ui_o *ui, uint32_t widget) {
  uint32_t kind = get_kind(ui, widget), row = ui->row_kinds.items[widget] >> ROW_SHIFT;
  bool is_hidden = ui->machine && !machine_shows(ui, (uint32_t)ui->columns.widget.player[widget]);
  if (kind == UI_NONE || !ui->columns.widget.visible[widget] || is_hidden)
    return false;
  float x, y;
  if (world_is_disabled(ui->world, ui->managers.widget->owner[widget], ui->managers.widget->id) ||
      ui_find_anchor(ui, ui->managers.widget->owner[widget], &x, &y) == UI_ANCHOR_HIDDEN)
    return false;
  return kind != UI_DIALOGUE || ui_is_dialogue_shown(ui, row);
}

static void warn_unknown_style(ui_o *ui, const ui_node_t *n, const char *name) {
  static const char *const BUILTIN[] = {"box", "danger", "dim", "heading", "plain", "title"};
  char hint[NEAREST_NAME_MAX_BYTES + 32], message[160], field[64];
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < sizeof BUILTIN / sizeof *BUILTIN; ++i)
    nearest_name_offer(&nearest, BUILTIN[i]);
  for (uint32_t i = 0; i < ui->theme.style_count; ++i)
    nearest_name_offer(&nearest, ui->theme.styles[i].name);
  snprintf(message, sizeof message, "unknown style %.64s", name);
  snprintf(field, sizeof field, "%s.style", ui_kind_name(n->kind));
  ui_warn_once(ui, n, field, message, nearest_name_hint(&nearest, hint, sizeof hint));
}

int32_t ui_find_style(ui_o *ui, const ui_node_t *n) {
  const uint32_t *const STYLES[UI_KIND_COUNT] = {
      [UI_PANEL] = ui->columns.panel.style,       [UI_LABEL] = ui->columns.label.style,
      [UI_BUTTON] = ui->columns.button.style,     [UI_SLIDER] = ui->columns.slider.style,
      [UI_CHECKBOX] = ui->columns.checkbox.style, [UI_LIST] = ui->columns.list.style,
      [UI_ENTRY] = ui->columns.entry.style,       [UI_BAR] = ui->columns.bar.style,
      [UI_DIALOGUE] = ui->columns.dialogue.style,
  };
  const char *name = strings_text(world_strings(ui->world), STYLES[n->kind][n->row]);
  if (name[0] == '\0')
    return theme_resolve_style(&ui->theme, n->kind, n->kind == UI_PANEL && n->parent != UI_NO_NODE ? "plain" : "");
  int32_t index = theme_resolve_style(&ui->theme, n->kind, name);
  if (index < 0)
    warn_unknown_style(ui, n, name);
  return index >= 0 ? index : theme_resolve_style(&ui->theme, n->kind, "");
}

static uint32_t add_node(ui_o *ui, uint32_t widget, uint32_t parent) {
  uint32_t index = ui->nodes.count, packed = ui->row_kinds.items[widget];
  shoal_entity entity = ui->managers.widget->owner[widget];
  uint32_t transform_row = manager_row(ui->managers.transform, entity);
  ui_node_t n = {.entity = entity,
                 .kind = (ui_kind_t)(packed & ((1u << ROW_SHIFT) - 1u)),
                 .row = packed >> ROW_SHIFT,
                 .widget = widget,
                 .parent = parent,
                 .root = parent == UI_NO_NODE ? index : ui->nodes.items[parent].root,
                 .player = (uint32_t)ui->columns.widget.player[widget],
                 .depth = parent == UI_NO_NODE ? 0 : ui->nodes.items[parent].depth + 1,
                 .scroller = UI_NO_NODE,
                 .end = index + 1};
  if (n.player == 0 && parent != UI_NO_NODE)
    n.player = ui->nodes.items[parent].player;
  if (transform_row != ROW_NONE) {
    n.offset_x = ui->columns.transform.x[transform_row];
    n.offset_y = ui->columns.transform.y[transform_row];
  }
  n.style = ui_find_style(ui, &n);
  array_push(&ui->allocator, &ui->nodes, n);
  ui->row_nodes.items[widget] = index;
  if (n.kind != UI_LABEL && n.kind != UI_BAR)
    array_push(&ui->allocator, &ui->targets, index);
  return index;
}

static void add_tree(ui_o *ui, uint32_t widget, uint32_t parent) {
  shoal_assert(widget < ui->row_kinds.count, "widget row %u is out of range (count %u)", widget, ui->row_kinds.count);
  if (!is_visible(ui, widget))
    return;
  uint32_t node = add_node(ui, widget, parent);
  shoal_entity entity = ui->nodes.items[node].entity;
  uint32_t transform_row = manager_row(ui->managers.transform, entity);
  if (transform_row == ROW_NONE)
    return;
  if (ui->nodes.items[node].depth + 1 >= UI_DEPTH) {
    char message[80];
    snprintf(message, sizeof message, "widgets are nested too deeply (at most %u levels): deeper widgets are not shown",
             UI_DEPTH);
    ui_warn_once(ui, &ui->nodes.items[node], "transform.parent", message, "");
    return;
  }
  const shoal_entity *first_children = ui->columns.transform.first_child;
  const shoal_entity *next_siblings = ui->columns.transform.next_sibling;
  for (shoal_entity child = first_children[transform_row]; child != 0;) {
    uint32_t row = manager_row(ui->managers.widget, child), child_row = manager_row(ui->managers.transform, child);
    if (row != ROW_NONE)
      add_tree(ui, row, node);
    child = child_row == ROW_NONE ? 0 : next_siblings[child_row];
  }
  ui->nodes.items[node].end = ui->nodes.count;
}

// --- roots

bool ui_is_root(const ui_o *ui, uint32_t widget) {
  const manager_o *transform = ui->managers.transform;
  uint32_t transform_row = manager_row(transform, ui->managers.widget->owner[widget]);
  shoal_entity parent = transform_row == ROW_NONE ? 0 : ui->columns.transform.parent[transform_row];
  return parent == 0 || manager_row(ui->managers.widget, parent) == ROW_NONE;
}

static int compare_roots(const void *a, const void *b) {
  const ui_root_t *x = a, *y = b;
  if (x->layer != y->layer)
    return x->layer < y->layer ? -1 : 1;
  if (x->follows != y->follows)
    return x->follows ? -1 : 1;
  return x->serial != y->serial ? (x->serial < y->serial ? -1 : 1) : (x->widget < y->widget ? -1 : 1);
}

static ui_root_t get_root(const ui_o *ui, uint32_t row) {
  ui_root_t root = {.layer = ui->columns.widget.layer[row], .serial = ui->columns.widget.serial[row], .widget = row};
  root.follows = manager_row(ui->managers.follow, ui->managers.widget->owner[row]) != ROW_NONE;
  return root;
}

int ui_compare_roots(const ui_o *ui, uint32_t a, uint32_t b) {
  ui_root_t x = get_root(ui, a), y = get_root(ui, b);
  return compare_roots(&x, &y);
}

static void list_roots(ui_o *ui) {
  ui->roots.count = 0;
  for (uint32_t row = 0; row < ui->managers.widget->count; ++row)
    if (ui_is_root(ui, row))
      array_push(&ui->allocator, &ui->roots, get_root(ui, row));
  if (ui->roots.count > 1)
    qsort(ui->roots.items, ui->roots.count, sizeof *ui->roots.items, compare_roots);
}

// Marks all nodes to be measured and placed.
static void mark_all(ui_o *ui) {
  uint32_t words = (ui->nodes.count + 63) / 64;
  array_reserve(&ui->allocator, &ui->unmeasured, words);
  array_reserve(&ui->allocator, &ui->unplaced, words);
  ui->unmeasured.count = ui->unplaced.count = words;
  ui->has_unplaced_roots = true;
  for (uint32_t i = 0; i < words; ++i)
    ui->unmeasured.items[i] = ui->unplaced.items[i] = UINT64_MAX;
  if (ui->nodes.count % 64 != 0) // no marks after the last node
    ui->unmeasured.items[words - 1] = ui->unplaced.items[words - 1] = (UINT64_C(1) << ui->nodes.count % 64) - 1;
}

void ui_build_nodes(ui_o *ui) {
  compute_row_kinds(ui);
  list_roots(ui);
  ui->nodes.count = ui->targets.count = 0;
  for (uint32_t i = 0; i < ui->roots.count; ++i)
    add_tree(ui, ui->roots.items[i].widget, UI_NO_NODE);
  mark_all(ui);
}

bool ui_is_modal(const ui_o *ui, const ui_node_t *n) {
  return (n->kind == UI_PANEL && ui->columns.panel.modal[n->row]) ||
         (n->kind == UI_DIALOGUE && ui->columns.dialogue.modal[n->row]);
}

bool ui_can_focus(const ui_o *ui, const ui_node_t *n) {
  bool is_control = n->kind == UI_BUTTON || n->kind == UI_SLIDER || n->kind == UI_CHECKBOX || n->kind == UI_LIST ||
                    n->kind == UI_ENTRY || n->kind == UI_DIALOGUE;
  return is_control && !ui_is_disabled(ui, n) && (!ui->machine || machine_can_use(ui, n));
}
