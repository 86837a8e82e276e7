// Copies of the layout's inputs and results, compared column by column in blocks of rows.
#include "ui/layout_inputs.h"

#include "base/assert.h"
#include "ui/machine.h"
#include "ui/tree.h"

#include <string.h>

// Effect of a changed value on the node of its row. NO_EFFECT, the default: the field does not affect the layout.
typedef enum effect_t {
  NO_EFFECT,
  AFFECTS_TREE,    // order or visibility of nodes
  AFFECTS_SIZE,    // minimum size
  AFFECTS_BOX,     // minimum size, and position in the parent
  AFFECTS_PLACE,   // position of the node and of its children
  AFFECTS_STYLE,   // like AFFECTS_BOX, for the node and its descendants; the style is resolved again
  AFFECTS_PADDING, // like AFFECTS_BOX, for the node and its descendants
  // Fields that only the engine writes. They are compared only after rows were added, removed or restored.
  IS_RESULT, // written by the layout
  IS_SERIAL, // order of roots
} effect_t;

// Index of a component: UI_NONE is `widget`, then the kinds, then `ui_follow`.
enum { TABLE_WIDGET = UI_NONE, TABLE_FOLLOW = UI_KIND_COUNT, TABLE_COUNT };

enum { BLOCK_ROWS = 512 }; // number of rows that are compared together

typedef struct watched_t {
  uint32_t table, column;
  effect_t effect;
  size_t offset; // offset of the column's pointer in ui_columns_t
} watched_t;

#define WATCH(table, component, member, field, effect)                                                                 \
  { table, SHOAL_COLUMN_INDEX(component, field), effect, offsetof(ui_columns_t, member.field) }
#define WATCH_WIDGET(field, effect) WATCH(TABLE_WIDGET, widget, widget, field, effect)
#define WATCH_KIND(kind, component, field, effect) WATCH(kind, component, component, field, effect)

static const watched_t WATCHED[] = {
    WATCH_WIDGET(width, AFFECTS_BOX),
    WATCH_WIDGET(height, AFFECTS_BOX),
    WATCH_WIDGET(grow, AFFECTS_BOX),
    WATCH_WIDGET(margin, AFFECTS_BOX),
    WATCH_WIDGET(anchor, AFFECTS_PLACE),
    WATCH_WIDGET(layer, AFFECTS_TREE),
    WATCH_WIDGET(visible, AFFECTS_TREE),
    WATCH_WIDGET(player, AFFECTS_TREE),
    WATCH_WIDGET(serial, IS_SERIAL),
    WATCH_WIDGET(at_x, IS_RESULT),
    WATCH_WIDGET(at_y, IS_RESULT),
    WATCH_WIDGET(at_width, IS_RESULT),
    WATCH_WIDGET(at_height, IS_RESULT),
    WATCH_KIND(UI_PANEL, panel, layout, AFFECTS_BOX),
    WATCH_KIND(UI_PANEL, panel, columns, AFFECTS_BOX),
    WATCH_KIND(UI_PANEL, panel, gap, AFFECTS_BOX),
    WATCH_KIND(UI_PANEL, panel, padding, AFFECTS_PADDING),
    WATCH_KIND(UI_PANEL, panel, align, AFFECTS_BOX),
    WATCH_KIND(UI_PANEL, panel, justify, AFFECTS_BOX),
    WATCH_KIND(UI_PANEL, panel, scroll, AFFECTS_PLACE),
    WATCH_KIND(UI_PANEL, panel, style, AFFECTS_STYLE),
    WATCH_KIND(UI_LABEL, label, text, AFFECTS_SIZE),
    WATCH_KIND(UI_LABEL, label, wrap, AFFECTS_SIZE),
    WATCH_KIND(UI_LABEL, label, image, AFFECTS_BOX),
    WATCH_KIND(UI_LABEL, label, markup, AFFECTS_SIZE),
    WATCH_KIND(UI_LABEL, label, style, AFFECTS_STYLE),
    WATCH_KIND(UI_BUTTON, button, text, AFFECTS_SIZE),
    WATCH_KIND(UI_BUTTON, button, image, AFFECTS_SIZE),
    WATCH_KIND(UI_BUTTON, button, style, AFFECTS_STYLE),
    WATCH_KIND(UI_SLIDER, slider, text, AFFECTS_SIZE),
    WATCH_KIND(UI_SLIDER, slider, style, AFFECTS_STYLE),
    WATCH_KIND(UI_CHECKBOX, checkbox, text, AFFECTS_SIZE),
    WATCH_KIND(UI_CHECKBOX, checkbox, style, AFFECTS_STYLE),
    WATCH_KIND(UI_LIST, list, items, AFFECTS_SIZE),
    WATCH_KIND(UI_LIST, list, rows, AFFECTS_SIZE),
    WATCH_KIND(UI_LIST, list, text, AFFECTS_SIZE),
    WATCH_KIND(UI_LIST, list, style, AFFECTS_STYLE),
    WATCH_KIND(UI_ENTRY, entry, style, AFFECTS_STYLE),
    WATCH_KIND(UI_BAR, bar, text, AFFECTS_SIZE),
    WATCH_KIND(UI_BAR, bar, style, AFFECTS_STYLE),
    WATCH_KIND(UI_DIALOGUE, dialogue, portrait, AFFECTS_SIZE),
    WATCH_KIND(UI_DIALOGUE, dialogue, style, AFFECTS_STYLE),
    WATCH_KIND(UI_DIALOGUE, dialogue, says, AFFECTS_TREE),
    WATCH_KIND(UI_DIALOGUE, dialogue, by, AFFECTS_SIZE),
    WATCH_KIND(UI_DIALOGUE, dialogue, options, AFFECTS_TREE),
    WATCH(TABLE_FOLLOW, ui_follow, follow, at_x, AFFECTS_PLACE),
    WATCH(TABLE_FOLLOW, ui_follow, follow, at_y, AFFECTS_PLACE),
    WATCH(TABLE_FOLLOW, ui_follow, follow, shown, AFFECTS_TREE),
};

typedef struct table_t {
  const manager_o *manager;
  uint64_t moves; // the manager's `moves` at the last comparison
  uint32_t count, capacity;
  shoal_entity *owner;
  const watched_t *watched[SCHEMA_MAX_FIELDS]; // watched fields, indexed by column; NULL: NO_EFFECT
  uint8_t *copies[SCHEMA_MAX_FIELDS];
} table_t;

// The columns of `transform` that affect widgets, indexed by row of `widget`. transform_rows: rows of `transform`;
// ROW_NONE for a widget without a transform.
typedef struct places_t {
  uint64_t moves, links_version;
  uint32_t count, capacity;
  uint32_t *transform_rows;
  float *x, *y;
  shoal_entity *parent, *first_child, *next_sibling;
} places_t;

struct layout_inputs_o {
  table_t tables[TABLE_COUNT];
  places_t places;
  uint64_t language_version; // version of the localized strings
  uint32_t strings_epoch;    // epoch of the world's strings at the last comparison
  uint64_t disabled_moves;   // counter that changes when widgets may have been enabled or disabled
  uint32_t view_players;
  bool only_tests; // true if the comparison must not change anything, and ends at the first difference
  bool is_changed, is_rebuilt;
};

static const manager_o *get_manager(const ui_o *ui, uint32_t table) {
  return table == TABLE_WIDGET   ? ui->managers.widget
         : table == TABLE_FOLLOW ? ui->managers.follow
                                 : ui->managers.kinds[table];
}

layout_inputs_o *layout_inputs_create(ui_o *ui) {
  layout_inputs_o *inputs = alloc_resize(&ui->allocator, NULL, 0, sizeof *inputs);
  memset(inputs, 0, sizeof *inputs);
  for (uint32_t i = 0; i < TABLE_COUNT; ++i)
    inputs->tables[i].manager = get_manager(ui, i);
  for (uint32_t i = 0; i < sizeof WATCHED / sizeof *WATCHED; ++i)
    inputs->tables[WATCHED[i].table].watched[WATCHED[i].column] = &WATCHED[i];
  return inputs;
}

#define RESIZE(ui, items, old_count, count)                                                                            \
  ((items) = alloc_resize(&(ui)->allocator, items, (size_t)(old_count) * sizeof *(items),                              \
                          (size_t)(count) * sizeof *(items)))

static void resize_table(ui_o *ui, table_t *t, uint32_t capacity) {
  RESIZE(ui, t->owner, t->capacity, capacity);
  for (uint32_t c = 0; c < t->manager->columns.column_count; ++c) {
    size_t bytes = t->manager->columns.element_bytes[c];
    t->copies[c] = alloc_resize(&ui->allocator, t->copies[c], t->capacity * bytes, capacity * bytes);
  }
  t->capacity = capacity;
}

static void resize_places(ui_o *ui, places_t *places, uint32_t capacity) {
  RESIZE(ui, places->transform_rows, places->capacity, capacity);
  RESIZE(ui, places->x, places->capacity, capacity);
  RESIZE(ui, places->y, places->capacity, capacity);
  RESIZE(ui, places->parent, places->capacity, capacity);
  RESIZE(ui, places->first_child, places->capacity, capacity);
  RESIZE(ui, places->next_sibling, places->capacity, capacity);
  places->capacity = capacity;
}

void layout_inputs_destroy(ui_o *ui, layout_inputs_o *inputs) {
  for (uint32_t i = 0; i < TABLE_COUNT; ++i)
    resize_table(ui, &inputs->tables[i], 0);
  resize_places(ui, &inputs->places, 0);
  alloc_resize(&ui->allocator, inputs, sizeof *inputs, 0);
}

// Returns a column of the world or, for a derived field, of this machine (machine.h).
static const uint8_t *get_column(const ui_o *ui, const table_t *t, uint32_t column) {
  const void *data = t->manager->data[column];
  if (t->watched[column])
    memcpy(&data, (const char *)&ui->columns + t->watched[column]->offset, sizeof data);
  return data;
}

// Returns true if the column must be compared with its copy. Columns that do not affect the layout matter only while a
// dialogue exists, because a dialogue receives its lines when any field of a widget has changed.
static bool is_compared(const ui_o *ui, const table_t *t, uint32_t column) {
  return t->watched[column] || (!ui->machine && ui->managers.kinds[UI_DIALOGUE]->count > 0);
}

// --- marks

static uint32_t find_node(const ui_o *ui, uint32_t table, uint32_t row) {
  uint32_t widget = table == TABLE_WIDGET ? row : manager_row(ui->managers.widget, get_manager(ui, table)->owner[row]);
  uint32_t node = widget < ui->row_nodes.count ? ui->row_nodes.items[widget] : UI_NO_NODE;
  bool is_of_kind = table == TABLE_WIDGET || table == TABLE_FOLLOW ||
                    (node != UI_NO_NODE && ui->nodes.items[node].kind == (ui_kind_t)table);
  return is_of_kind ? node : UI_NO_NODE;
}

static void mark_subtree(ui_o *ui, uint32_t node) {
  ui_mark_moved(ui, node);
  for (uint32_t i = node; i < ui->nodes.items[node].end; ++i) {
    ui_mark_unmeasured(ui, i);
    ui_mark_unplaced(ui, i);
  }
}

static void mark_node(ui_o *ui, uint32_t node, effect_t effect) {
  if (effect == AFFECTS_STYLE)
    ui->nodes.items[node].style = ui_find_style(ui, &ui->nodes.items[node]);
  if (effect == AFFECTS_STYLE || effect == AFFECTS_PADDING) {
    mark_subtree(ui, node);
    return;
  }
  if (effect == AFFECTS_SIZE || effect == AFFECTS_BOX)
    ui_mark_unmeasured(ui, node);
  if (effect == AFFECTS_SIZE)
    return;
  ui_mark_unplaced(ui, node);
  ui_mark_moved(ui, node);
  if (effect == AFFECTS_BOX && ui->nodes.items[node].parent != UI_NO_NODE) // `margin` and `grow` count for the parent
    ui_mark_unmeasured(ui, ui->nodes.items[node].parent);
}

static void note_change(ui_o *ui, const table_t *t, uint32_t row, effect_t effect) {
  layout_inputs_o *inputs = ui->inputs;
  inputs->is_changed = true;
  inputs->is_rebuilt |= effect == AFFECTS_TREE || effect == IS_SERIAL;
  uint32_t node = effect == NO_EFFECT || inputs->is_rebuilt || inputs->only_tests
                      ? UI_NO_NODE
                      : find_node(ui, (uint32_t)(t - inputs->tables), row);
  if (node != UI_NO_NODE)
    mark_node(ui, node, effect);
}

// --- columns

static void compare_column(ui_o *ui, table_t *t, uint32_t column) {
  effect_t effect = t->watched[column] ? t->watched[column]->effect : NO_EFFECT;
  size_t bytes = t->manager->columns.element_bytes[column];
  const uint8_t *current = get_column(ui, t, column);
  uint8_t *copy = t->copies[column];
  for (uint32_t first = 0, count; first < t->count; first += count) {
    count = t->count - first < BLOCK_ROWS ? t->count - first : BLOCK_ROWS;
    if (memcmp(current + first * bytes, copy + first * bytes, count * bytes) == 0)
      continue;
    for (uint32_t row = first; row < first + count; ++row)
      if (memcmp(current + row * bytes, copy + row * bytes, bytes) != 0)
        note_change(ui, t, row, effect);
    if (ui->inputs->only_tests)
      return;
    memcpy(copy + first * bytes, current + first * bytes, count * bytes);
  }
}

static bool has_same_owners(const table_t *t) {
  const manager_o *m = t->manager;
  return t->count == m->count &&
         (t->moves == m->moves || m->count == 0 || memcmp(t->owner, m->owner, m->count * sizeof *m->owner) == 0);
}

static void compare_table(ui_o *ui, table_t *t) {
  layout_inputs_o *inputs = ui->inputs;
  bool is_moved = t->moves != t->manager->moves;
  if (!has_same_owners(t)) {
    inputs->is_changed = inputs->is_rebuilt = true;
    return;
  }
  if (!inputs->only_tests)
    t->moves = t->manager->moves;
  for (uint32_t c = 0; t->count > 0 && c < t->manager->columns.column_count; ++c) {
    bool is_written_by_engine = t->watched[c] && t->watched[c]->effect >= IS_RESULT;
    if (is_compared(ui, t, c) && (is_moved || !is_written_by_engine))
      compare_column(ui, t, c);
  }
}

static void copy_table(ui_o *ui, table_t *t) {
  const manager_o *m = t->manager;
  if (t->capacity < m->count)
    resize_table(ui, t, columns_compute_capacity(t->capacity, m->count));
  t->count = m->count;
  t->moves = m->moves;
  if (m->count == 0)
    return;
  memcpy(t->owner, m->owner, m->count * sizeof *m->owner);
  for (uint32_t c = 0; c < m->columns.column_count; ++c)
    if (is_compared(ui, t, c))
      memcpy(t->copies[c], get_column(ui, t, c), (size_t)m->count * m->columns.element_bytes[c]);
}

// --- transforms

static void find_transform_rows(ui_o *ui, places_t *places) {
  const manager_o *transform = ui->managers.transform, *widget = ui->managers.widget;
  for (uint32_t row = 0; row < widget->count; ++row)
    places->transform_rows[row] = manager_row(transform, widget->owner[row]);
  places->moves = transform->moves;
}

static void copy_places(ui_o *ui, places_t *places) {
  const transform_columns *transforms = &ui->columns.transform;
  uint32_t count = ui->managers.widget->count;
  if (places->capacity < count)
    resize_places(ui, places, columns_compute_capacity(places->capacity, count));
  places->count = count;
  places->links_version = world_update_links_version(ui->world);
  find_transform_rows(ui, places);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t row = places->transform_rows[i];
    bool is_missing = row == ROW_NONE;
    places->x[i] = is_missing ? 0 : transforms->x[row];
    places->y[i] = is_missing ? 0 : transforms->y[row];
    places->parent[i] = is_missing ? 0 : transforms->parent[row];
    places->first_child[i] = is_missing ? 0 : transforms->first_child[row];
    places->next_sibling[i] = is_missing ? 0 : transforms->next_sibling[row];
  }
}

static bool has_same_links(const ui_o *ui, const places_t *places, uint32_t i) {
  const transform_columns *transforms = &ui->columns.transform;
  uint32_t row = places->transform_rows[i];
  if (row == ROW_NONE)
    return places->parent[i] == 0 && places->first_child[i] == 0 && places->next_sibling[i] == 0;
  return places->parent[i] == transforms->parent[row] && places->first_child[i] == transforms->first_child[row] &&
         places->next_sibling[i] == transforms->next_sibling[row];
}

// Returns true if no entity field was written and no row of `transform` moved since the last comparison.
static bool are_links_unwritten(const ui_o *ui, const places_t *places) {
  return places->moves == ui->managers.transform->moves &&
         places->links_version == world_update_links_version(ui->world);
}

static void compare_offset(ui_o *ui, places_t *places, uint32_t i) {
  const transform_columns *transforms = &ui->columns.transform;
  uint32_t row = places->transform_rows[i], node = i < ui->row_nodes.count ? ui->row_nodes.items[i] : UI_NO_NODE;
  float x = row == ROW_NONE ? 0 : transforms->x[row], y = row == ROW_NONE ? 0 : transforms->y[row];
  if (memcmp(&x, &places->x[i], sizeof x) == 0 && memcmp(&y, &places->y[i], sizeof y) == 0)
    return;
  ui->inputs->is_changed = true;
  if (ui->inputs->only_tests)
    return;
  places->x[i] = x;
  places->y[i] = y;
  if (node == UI_NO_NODE || ui->inputs->is_rebuilt)
    return;
  ui->nodes.items[node].offset_x = x;
  ui->nodes.items[node].offset_y = y;
  ui_mark_moved(ui, node);
}

// Returns true if the positions of widgets [first, end) have the same bits as their copies. Returns false if a position
// differs, or if a widget has no transform.
static bool has_same_offsets(const ui_o *ui, const places_t *places, uint32_t first, uint32_t end) {
  const float *x = ui->columns.transform.x, *y = ui->columns.transform.y;
  uint32_t difference = 0;
  for (uint32_t i = first; i < end; ++i) {
    uint32_t row = places->transform_rows[i], bits[4];
    if (row == ROW_NONE)
      return false;
    memcpy(&bits[0], &x[row], sizeof *x);
    memcpy(&bits[1], &places->x[i], sizeof *x);
    memcpy(&bits[2], &y[row], sizeof *y);
    memcpy(&bits[3], &places->y[i], sizeof *y);
    difference |= (bits[0] ^ bits[1]) | (bits[2] ^ bits[3]);
  }
  return difference == 0;
}

static void compare_offsets(ui_o *ui, places_t *places) {
  for (uint32_t first = 0, end; first < places->count; first = end) {
    end = places->count - first < BLOCK_ROWS ? places->count : first + BLOCK_ROWS;
    for (uint32_t i = has_same_offsets(ui, places, first, end) ? end : first; i < end; ++i)
      compare_offset(ui, places, i);
  }
}

static void compare_places(ui_o *ui, places_t *places) {
  layout_inputs_o *inputs = ui->inputs;
  shoal_assert(places->count == ui->managers.widget->count, "%u widgets were copied, but there are %u", places->count,
               ui->managers.widget->count);
  bool is_unwritten = are_links_unwritten(ui, places);
  if (places->moves != ui->managers.transform->moves)
    find_transform_rows(ui, places);
  for (uint32_t i = 0; !is_unwritten && i < places->count; ++i)
    if (!has_same_links(ui, places, i)) {
      inputs->is_changed = inputs->is_rebuilt = true;
      return;
    }
  compare_offsets(ui, places);
  places->links_version = world_update_links_version(ui->world);
}

// --- all inputs

static uint64_t get_disabled_moves(const ui_o *ui) {
  const manager_o *disabled = world_find_manager(ui->world, "disabled");
  return disabled ? disabled->moves : 0;
}

static uint32_t get_view_players(const ui_o *ui) {
  return ui->machine ? world_view_players(ui->world) : 0;
}

void layout_inputs_copy(ui_o *ui) {
  layout_inputs_o *inputs = ui->inputs;
  for (uint32_t i = 0; i < TABLE_COUNT; ++i)
    copy_table(ui, &inputs->tables[i]);
  copy_places(ui, &inputs->places);
  inputs->language_version = game_strings_version(ui->game_strings);
  inputs->strings_epoch = strings_epoch(world_strings(ui->world));
  inputs->disabled_moves = get_disabled_moves(ui);
  inputs->view_players = get_view_players(ui);
}

// Marks the nodes of a text column's rows whose string ids may belong to different strings since the last comparison.
static void compare_string_ids(ui_o *ui, const table_t *t, uint32_t column) {
  const strings_o *strings = world_strings(ui->world);
  const uint32_t *ids = (const uint32_t *)(const void *)get_column(ui, t, column);
  for (uint32_t row = 0; row < t->count; ++row)
    if (strings_may_have_changed(strings, ids[row], ui->inputs->strings_epoch))
      note_change(ui, t, row, t->watched[column] ? t->watched[column]->effect : NO_EFFECT);
}

// Marks the nodes whose strings may have changed although their ids are the same: after a sweep, which frees ids, or
// after a restore.
static void compare_strings(ui_o *ui) {
  layout_inputs_o *inputs = ui->inputs;
  uint32_t epoch = strings_epoch(world_strings(ui->world));
  if (epoch == inputs->strings_epoch)
    return;
  for (uint32_t i = 0; i < TABLE_COUNT; ++i)
    for (uint32_t c = 0; inputs->tables[i].count > 0 && c < inputs->tables[i].manager->columns.column_count; ++c)
      if (field_is_text(&inputs->tables[i].manager->schema.fields[c]) && is_compared(ui, &inputs->tables[i], c))
        compare_string_ids(ui, &inputs->tables[i], c);
  if (!inputs->only_tests)
    inputs->strings_epoch = epoch;
}

// Marks all nodes with text after a change of the language.
static void compare_language(ui_o *ui) {
  layout_inputs_o *inputs = ui->inputs;
  uint64_t version = game_strings_version(ui->game_strings);
  if (version == inputs->language_version)
    return;
  inputs->is_changed = true;
  if (inputs->only_tests)
    return;
  inputs->language_version = version;
  for (uint32_t i = 0; i < ui->nodes.count && !inputs->is_rebuilt; ++i)
    if (ui->nodes.items[i].kind != UI_PANEL)
      ui_mark_unmeasured(ui, i);
}

static void compare_all(ui_o *ui, bool only_tests) {
  layout_inputs_o *inputs = ui->inputs;
  inputs->only_tests = only_tests;
  inputs->is_changed = inputs->is_rebuilt =
      inputs->disabled_moves != get_disabled_moves(ui) || inputs->view_players != get_view_players(ui);
  for (uint32_t i = 0; i < TABLE_COUNT && !inputs->is_rebuilt; ++i)
    compare_table(ui, &inputs->tables[i]);
  if (!inputs->is_rebuilt)
    compare_places(ui, &inputs->places);
  if (!inputs->is_rebuilt)
    compare_strings(ui);
  if (!inputs->is_rebuilt)
    compare_language(ui);
}

ui_difference_t layout_inputs_compare(ui_o *ui) {
  compare_all(ui, false);
  return ui->inputs->is_rebuilt ? UI_REBUILD : ui->inputs->is_changed ? UI_CHANGED : UI_SAME;
}

bool layout_inputs_are_current(ui_o *ui) {
  compare_all(ui, true);
  return !ui->inputs->is_changed;
}

// --- results

static void write_result(ui_o *ui, uint32_t table, uint32_t column, uint32_t row, float *current, float value) {
  *current = value;
  memcpy(ui->inputs->tables[table].copies[column] + row * sizeof value, &value, sizeof value);
}

void layout_inputs_write_box(ui_o *ui, uint32_t widget, float x, float y, float width, float height) {
  const widget_columns *w = &ui->columns.widget;
  write_result(ui, TABLE_WIDGET, SHOAL_COLUMN_INDEX(widget, at_x), widget, &w->at_x[widget], x);
  write_result(ui, TABLE_WIDGET, SHOAL_COLUMN_INDEX(widget, at_y), widget, &w->at_y[widget], y);
  write_result(ui, TABLE_WIDGET, SHOAL_COLUMN_INDEX(widget, at_width), widget, &w->at_width[widget], width);
  write_result(ui, TABLE_WIDGET, SHOAL_COLUMN_INDEX(widget, at_height), widget, &w->at_height[widget], height);
}

void layout_inputs_write_scroll(ui_o *ui, uint32_t panel, float scroll) {
  write_result(ui, UI_PANEL, SHOAL_COLUMN_INDEX(panel, scroll), panel, &ui->columns.panel.scroll[panel], scroll);
}
