// The state of widgets that belongs to this machine: values of the derived fields, sent values, and queued actions.
#include "ui/machine.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "snapshot/snapshot.h"
#include "ui/measure.h"

#include <stdio.h>
#include <string.h>

#define COPIES (INPUT_PADS + 1u) // number of copies of a field: one for each local player, and one for drawing
#define ALL_PLAYERS INPUT_PADS   // index of the copy for drawing
#define QUEUE_BYTES 2048u
#define MAX_SENT_TEXTS 32u
#define SENT_VALUE_S 0.5 // seconds after which a sent value that has not been applied counts as lost
#define SENT_TEXT_S 3.0

typedef enum table_kind_t {
  TABLE_WIDGET,
  TABLE_PANEL,
  TABLE_LIST,
  TABLE_ENTRY,
  TABLE_DIALOGUE,
  TABLE_FOLLOW,
  TABLE_COUNT
} table_kind_t;

// OWN: each local player has a value. ADOPTED: a change by a script replaces the value. SHOWN: scripts can read the
// value.
enum { OWN = 1, ADOPTED = 2, SHOWN = 4 };

typedef struct derived_t {
  table_kind_t table;
  uint32_t column, flags;
  size_t offset; // offset of the column's pointer in ui_columns_t
} derived_t;

#define DERIVED(table, component, member, field, flags)                                                                \
  { table, SHOAL_COLUMN_INDEX(component, field), flags, offsetof(ui_columns_t, member.field) }

static const derived_t DERIVED_FIELDS[] = {
    DERIVED(TABLE_WIDGET, widget, widget, focused, OWN | SHOWN),
    DERIVED(TABLE_WIDGET, widget, widget, had_focus, OWN),
    DERIVED(TABLE_PANEL, panel, panel, last, OWN),
    DERIVED(TABLE_WIDGET, widget, widget, held_s, OWN),
    DERIVED(TABLE_WIDGET, widget, widget, hovered, SHOWN),
    DERIVED(TABLE_WIDGET, widget, widget, held, SHOWN),
    DERIVED(TABLE_WIDGET, widget, widget, at_x, SHOWN),
    DERIVED(TABLE_WIDGET, widget, widget, at_y, SHOWN),
    DERIVED(TABLE_WIDGET, widget, widget, at_width, SHOWN),
    DERIVED(TABLE_WIDGET, widget, widget, at_height, SHOWN),
    DERIVED(TABLE_PANEL, panel, panel, scroll, ADOPTED | SHOWN),
    DERIVED(TABLE_LIST, list, list, first, ADOPTED | SHOWN),
    DERIVED(TABLE_ENTRY, entry, entry, cursor, ADOPTED | SHOWN),
    DERIVED(TABLE_ENTRY, entry, entry, selection, ADOPTED | SHOWN),
    DERIVED(TABLE_DIALOGUE, dialogue, dialogue, shown, ADOPTED | SHOWN),
    DERIVED(TABLE_FOLLOW, ui_follow, follow, at_x, 0),
    DERIVED(TABLE_FOLLOW, ui_follow, follow, at_y, 0),
    DERIVED(TABLE_FOLLOW, ui_follow, follow, shown, 0),
};
enum { DERIVED_COUNT = sizeof DERIVED_FIELDS / sizeof *DERIVED_FIELDS };

// Rows of a component, as they were at the last synchronization.
typedef struct table_t {
  ARRAY(shoal_entity) owners;
  ARRAY(uint32_t) requests; // TABLE_WIDGET only: values of focus_request
  ARRAY(uint64_t) lines;    // TABLE_DIALOGUE only: hashes of the shown lines
} table_t;

typedef struct queue_t {
  uint8_t bytes[QUEUE_BYTES];
  uint32_t size;
} queue_t;

struct ui_machine_o {
  table_t tables[TABLE_COUNT];
  // Indexed by derived field. values: COPIES runs of `counts` values (fields without OWN use only the first run). seen:
  // the world's values at the last synchronization. hidden: the world's values while the machine's values are
  // published.
  uint8_t *values[DERIVED_COUNT], *seen[DERIVED_COUNT], *hidden[DERIVED_COUNT];
  uint32_t counts[DERIVED_COUNT];
  bool is_published;
  bool follows_world; // true if the next synchronization replaces the focus with the world's focus
  uint32_t copy;      // index of the current local player, or ALL_PLAYERS
  uint8_t numbers[INPUT_PADS];
  uint32_t player_count;
  queue_t queues[INPUT_PADS];
  bool is_delayed; // true if the game is in a match, so that actions take effect later
  double clock_s;
  // most recently sent value
  shoal_entity sent_entity;
  double sent_value, sent_at_s;
  // entry being edited
  shoal_entity edited;
  bool is_editing; // true if the entry is edited in this step
  char text[MACHINE_TEXT_BYTES], composing[INPUT_TEXT + 1];
  // Hashes of sent texts, oldest first; hash of the last text seen in the world.
  uint64_t sent_texts[MAX_SENT_TEXTS], seen_text;
  uint32_t sent_text_count;
  double edited_at_s;
};

static manager_o *get_manager(const ui_o *ui, table_kind_t table) {
  static const ui_kind_t KINDS[TABLE_COUNT] = {
      [TABLE_PANEL] = UI_PANEL, [TABLE_LIST] = UI_LIST, [TABLE_ENTRY] = UI_ENTRY, [TABLE_DIALOGUE] = UI_DIALOGUE};
  return table == TABLE_WIDGET   ? ui->managers.widget
         : table == TABLE_FOLLOW ? ui->managers.follow
                                 : ui->managers.kinds[KINDS[table]];
}

static size_t get_element_bytes(const ui_o *ui, uint32_t field) {
  return get_manager(ui, DERIVED_FIELDS[field].table)->columns.element_bytes[DERIVED_FIELDS[field].column];
}

static uint32_t count_copies(uint32_t field) {
  return DERIVED_FIELDS[field].flags & OWN ? COPIES : 1;
}

// --- life cycle

ui_machine_o *machine_create(ui_o *ui) {
  ui_machine_o *machine = alloc_resize(&ui->allocator, NULL, 0, sizeof *machine);
  memset(machine, 0, sizeof *machine);
  machine->player_count = 1;
  machine->numbers[0] = 1;
  // Makes the result of world.hash() in a render system the same on all machines.
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i)
    get_manager(ui, DERIVED_FIELDS[i].table)->schema.fields[DERIVED_FIELDS[i].column].flags |= FIELD_OF_MACHINE;
  return machine;
}

static void resize_field(ui_o *ui, uint32_t field, uint32_t count) {
  ui_machine_o *machine = ui->machine;
  size_t bytes = get_element_bytes(ui, field), old = machine->counts[field];
  machine->values[field] = alloc_resize(&ui->allocator, machine->values[field], old * bytes * count_copies(field),
                                        count * bytes * count_copies(field));
  machine->seen[field] = alloc_resize(&ui->allocator, machine->seen[field], old * bytes, count * bytes);
  machine->hidden[field] = alloc_resize(&ui->allocator, machine->hidden[field], old * bytes, count * bytes);
  machine->counts[field] = count;
}

static void *duplicate(ui_o *ui, const void *from, size_t bytes) {
  void *to = alloc_resize(&ui->allocator, NULL, 0, bytes);
  if (bytes > 0)
    memcpy(to, from, bytes);
  return to;
}

#define DUPLICATE_LIST(ui, to, from)                                                                                   \
  do {                                                                                                                 \
    (to)->items = duplicate(ui, (from)->items, (from)->count * sizeof *(from)->items);                                 \
    (to)->capacity = (to)->count = (from)->count;                                                                      \
  } while (0)

ui_machine_o *machine_copy(ui_o *ui, const ui_machine_o *from) {
  shoal_assert(!from->is_published, "the values of the machine are published");
  ui_machine_o *to = duplicate(ui, from, sizeof *from);
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i) {
    size_t bytes = get_element_bytes(ui, i) * from->counts[i];
    to->values[i] = duplicate(ui, from->values[i], bytes * count_copies(i));
    to->seen[i] = duplicate(ui, from->seen[i], bytes);
    to->hidden[i] = duplicate(ui, from->hidden[i], bytes);
  }
  for (uint32_t i = 0; i < TABLE_COUNT; ++i) {
    DUPLICATE_LIST(ui, &to->tables[i].owners, &from->tables[i].owners);
    DUPLICATE_LIST(ui, &to->tables[i].requests, &from->tables[i].requests);
    DUPLICATE_LIST(ui, &to->tables[i].lines, &from->tables[i].lines);
  }
  return to;
}

void machine_free(ui_o *ui, ui_machine_o *machine) {
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i) {
    size_t bytes = get_element_bytes(ui, i) * machine->counts[i];
    alloc_resize(&ui->allocator, machine->values[i], bytes * count_copies(i), 0);
    alloc_resize(&ui->allocator, machine->seen[i], bytes, 0);
    alloc_resize(&ui->allocator, machine->hidden[i], bytes, 0);
  }
  for (uint32_t i = 0; i < TABLE_COUNT; ++i) {
    array_free(&ui->allocator, &machine->tables[i].owners);
    array_free(&ui->allocator, &machine->tables[i].requests);
    array_free(&ui->allocator, &machine->tables[i].lines);
  }
  alloc_resize(&ui->allocator, machine, sizeof *machine, 0);
}

void machine_replace(ui_o *ui, const ui_machine_o *from) {
  shoal_assert(ui->machine && from != ui->machine, "only another state can replace the state of the machine");
  machine_free(ui, ui->machine);
  ui->machine = machine_copy(ui, from);
  ui->has_layout = false;
}

void machine_begin_step(ui_o *ui, const uint8_t *numbers, uint32_t count, double dt_s) {
  ui->machine->player_count = count < INPUT_PADS ? count : INPUT_PADS;
  memcpy(ui->machine->numbers, numbers, ui->machine->player_count);
  ui->machine->clock_s += dt_s;
  ui->machine->is_editing = false;
  ui->machine->copy = 0;
}

void machine_end_step(ui_o *ui) {
  if (!ui->machine->is_editing)
    ui->machine->edited = 0;
}

// --- rows

static uint8_t *get_values(const ui_machine_o *machine, uint32_t field, uint32_t copy, size_t bytes) {
  return machine->values[field] + (size_t)copy * machine->counts[field] * bytes;
}

// Moves the values of a field to the new rows of their entities. For new entities, an ADOPTED field gets the world's
// values, any other field 0.
static void move_rows(ui_o *ui, uint32_t field) {
  ui_machine_o *machine = ui->machine;
  const derived_t *derived = &DERIVED_FIELDS[field];
  const manager_o *m = get_manager(ui, derived->table);
  const table_t *table = &machine->tables[derived->table];
  size_t bytes = get_element_bytes(ui, field), old_count = machine->counts[field],
         size = old_count * bytes * count_copies(field);
  uint8_t *old_values = alloc_resize(&ui->allocator, NULL, 0, size),
          *old_seen = alloc_resize(&ui->allocator, NULL, 0, old_count * bytes);
  const uint8_t *world = manager_column(m, derived->column);
  if (size > 0) {
    memcpy(old_values, machine->values[field], size);
    memcpy(old_seen, machine->seen[field], old_count * bytes);
  }
  resize_field(ui, field, m->count);
  if (m->count > 0)
    memcpy(machine->seen[field], world, m->count * bytes);
  for (uint32_t copy = 0; m->count > 0 && copy < count_copies(field); ++copy)
    if (derived->flags & ADOPTED)
      memcpy(get_values(machine, field, copy, bytes), world, m->count * bytes);
    else
      memset(get_values(machine, field, copy, bytes), 0, m->count * bytes);
  for (uint32_t i = 0; i < table->owners.count; ++i) {
    uint32_t row = manager_row(m, table->owners.items[i]);
    if (row == ROW_NONE)
      continue;
    memcpy(machine->seen[field] + row * bytes, old_seen + i * bytes, bytes);
    for (uint32_t copy = 0; copy < count_copies(field); ++copy)
      memcpy(get_values(machine, field, copy, bytes) + row * bytes, old_values + (copy * old_count + i) * bytes, bytes);
  }
  alloc_resize(&ui->allocator, old_values, size, 0);
  alloc_resize(&ui->allocator, old_seen, old_count * bytes, 0);
}

// Moves the items of `list`, which are indexed by row, to the new rows of their entities; items of new rows are 0.
#define MOVE_ITEMS(ui, manager, table, list)                                                                           \
  do {                                                                                                                 \
    size_t bytes = (table)->list.count * sizeof *(table)->list.items;                                                  \
    uint32_t old_count = (table)->list.count;                                                                          \
    void *old = alloc_resize(&(ui)->allocator, NULL, 0, bytes);                                                        \
    if (bytes > 0)                                                                                                     \
      memcpy(old, (table)->list.items, bytes);                                                                         \
    array_reserve(&(ui)->allocator, &(table)->list, (manager)->count);                                                 \
    (table)->list.count = (manager)->count;                                                                            \
    if ((manager)->count > 0)                                                                                          \
      memset((table)->list.items, 0, (manager)->count * sizeof *(table)->list.items);                                  \
    for (uint32_t i = 0; i < old_count; ++i) {                                                                         \
      uint32_t row = manager_row(manager, (table)->owners.items[i]);                                                   \
      if (row != ROW_NONE)                                                                                             \
        memcpy((table)->list.items + row, (const char *)old + i * sizeof *(table)->list.items,                         \
               sizeof *(table)->list.items);                                                                           \
    }                                                                                                                  \
    alloc_resize(&(ui)->allocator, old, bytes, 0);                                                                     \
  } while (0)

// Indices of the first entries of DERIVED_FIELDS.
enum { FIELD_FOCUSED, FIELD_HAD_FOCUS, FIELD_LAST };

// Returns the row of the widget to which the last applied action gave the focus, or ROW_NONE if no widget is focused.
static uint32_t find_focus_of_world(const manager_o *m) {
  const uint8_t *had_focus = manager_column(m, SHOAL_COLUMN_INDEX(widget, had_focus));
  const uint8_t *found = m->count > 0 ? memchr(had_focus, 1, m->count) : NULL;
  return found ? (uint32_t)(found - had_focus) : ROW_NONE;
}

static bool is_new_row(const table_t *table, shoal_entity owner) {
  for (uint32_t i = 0; i < table->owners.count; ++i)
    if (table->owners.items[i] == owner)
      return false;
  return true;
}

static void give_focus(ui_machine_o *machine, uint32_t copy, uint32_t row) {
  get_values(machine, FIELD_FOCUSED, copy, 1)[row] = get_values(machine, FIELD_HAD_FOCUS, copy, 1)[row] = 1;
}

// Marks focus requests of earlier ticks as seen, because they were fulfilled before the state was saved or left.
static void skip_followed_requests(ui_o *ui) {
  const manager_o *m = ui->managers.widget;
  const uint32_t *requests = manager_column(m, SHOAL_COLUMN_INDEX(widget, focus_request));
  uint32_t *seen = ui->machine->tables[TABLE_WIDGET].requests.items;
  uint64_t last_tick = world_tick(ui->world) > 0 ? world_tick(ui->world) - 1 : 0;
  for (uint32_t i = 0; i < m->count; ++i)
    if (seen[i] == 0 && requests[i] % 2 == 1 && requests[i] / 2 < last_tick)
      seen[i] = requests[i];
}

// Gives the focus to a row that is new for the machine, for all local players without a focus. Called after a load, or
// after restoring a state with a menu that has been closed since. Without this, the widget would get the focus a second
// time, and send an action.
static void adopt_focus(ui_o *ui, uint32_t row) {
  for (uint32_t copy = 0; copy < COPIES; ++copy)
    if (!memchr(get_values(ui->machine, FIELD_FOCUSED, copy, 1), 1, ui->managers.widget->count))
      give_focus(ui->machine, copy, row);
  skip_followed_requests(ui);
}

static void move_table(ui_o *ui, table_kind_t kind) {
  const manager_o *m = get_manager(ui, kind);
  table_t *table = &ui->machine->tables[kind];
  if (table->owners.count == m->count &&
      (m->count == 0 || memcmp(table->owners.items, m->owner, m->count * sizeof *m->owner) == 0))
    return;
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i)
    if (DERIVED_FIELDS[i].table == kind)
      move_rows(ui, i);
  if (kind == TABLE_WIDGET) {
    MOVE_ITEMS(ui, m, table, requests);
    uint32_t focused = find_focus_of_world(m);
    if (focused != ROW_NONE && is_new_row(table, m->owner[focused]))
      adopt_focus(ui, focused);
  }
  if (kind == TABLE_DIALOGUE)
    MOVE_ITEMS(ui, m, table, lines);
  array_reserve(&ui->allocator, &table->owners, m->count);
  if (m->count > 0)
    memcpy(table->owners.items, m->owner, m->count * sizeof *m->owner);
  table->owners.count = m->count;
}

// Returns the row of the widget's outermost panel; ROW_NONE if the widget is in no panel.
static uint32_t find_root_panel(const ui_o *ui, shoal_entity entity) {
  for (uint32_t depth = 0; depth < UI_DEPTH; ++depth) {
    uint32_t row = manager_row(ui->managers.transform, entity);
    shoal_entity parent = row == ROW_NONE ? 0 : ui->columns.transform.parent[row];
    if (parent == 0 || manager_row(ui->managers.widget, parent) == ROW_NONE)
      break;
    entity = parent;
  }
  return manager_row(ui->managers.kinds[UI_PANEL], entity);
}

// Replaces the stored children that last had the focus, because they belong to later ticks. If no widget has the focus,
// clears the children of all panels. Otherwise, stores the focused widget as the child of its outermost panel.
static void reset_last_children(ui_o *ui, uint32_t copy, uint32_t focused) {
  const manager_o *panels = ui->managers.kinds[UI_PANEL];
  shoal_entity *last = (void *)get_values(ui->machine, FIELD_LAST, copy, sizeof *last);
  shoal_entity entity = focused == ROW_NONE ? 0 : ui->managers.widget->owner[focused];
  uint32_t panel = entity == 0 ? ROW_NONE : find_root_panel(ui, entity);
  if (panels->count > 0 && focused == ROW_NONE)
    memset(last, 0, panels->count * sizeof *last);
  else if (panel != ROW_NONE)
    last[panel] = entity;
}

// Moves the focus of all local players to the widget that had the focus at the world's tick, unless the focus is
// already there or a script has removed it.
static void replace_focus(ui_o *ui) {
  const manager_o *m = ui->managers.widget;
  const uint32_t *requests = manager_column(m, SHOAL_COLUMN_INDEX(widget, focus_request));
  uint32_t *seen = ui->machine->tables[TABLE_WIDGET].requests.items, focused = find_focus_of_world(m);
  for (uint32_t copy = 0; m->count > 0 && copy < COPIES; ++copy) {
    if (focused != ROW_NONE && get_values(ui->machine, FIELD_HAD_FOCUS, copy, 1)[focused])
      continue;
    memset(get_values(ui->machine, FIELD_FOCUSED, copy, 1), 0, m->count);
    memset(get_values(ui->machine, FIELD_HAD_FOCUS, copy, 1), 0, m->count);
    reset_last_children(ui, copy, focused);
    if (focused != ROW_NONE)
      give_focus(ui->machine, copy, focused);
  }
  for (uint32_t i = 0; i < m->count; ++i)
    seen[i] = seen[i] == requests[i] ? seen[i] : 0;
  skip_followed_requests(ui);
}

static void adopt_values(ui_o *ui, uint32_t field) {
  ui_machine_o *machine = ui->machine;
  size_t bytes = get_element_bytes(ui, field);
  const manager_o *m = get_manager(ui, DERIVED_FIELDS[field].table);
  const uint8_t *world = manager_column(m, DERIVED_FIELDS[field].column);
  if (m->count == 0 || memcmp(machine->seen[field], world, m->count * bytes) == 0)
    return;
  for (uint32_t row = 0; row < m->count; ++row)
    if (memcmp(machine->seen[field] + row * bytes, world + row * bytes, bytes) != 0)
      memcpy(machine->values[field] + row * bytes, world + row * bytes, bytes);
  memcpy(machine->seen[field], world, m->count * bytes);
}

static void take_focus_requests(ui_o *ui) {
  const manager_o *m = ui->managers.widget;
  const uint32_t *requests = manager_column(m, SHOAL_COLUMN_INDEX(widget, focus_request));
  uint32_t *seen = ui->machine->tables[TABLE_WIDGET].requests.items;
  for (uint32_t row = 0; row < m->count; ++row) {
    if (requests[row] == seen[row])
      continue;
    seen[row] = requests[row];
    for (uint32_t copy = 0; requests[row] != 0 && copy < COPIES; ++copy) {
      uint8_t *focused = get_values(ui->machine, FIELD_FOCUSED, copy, 1) + row;
      if (requests[row] % 2 == 0)
        *focused = 0; // had_focus stays, so no other widget gets the focus
      else if (!*focused)
        *focused = 1, get_values(ui->machine, FIELD_HAD_FOCUS, copy, 1)[row] = 0;
    }
  }
}

// Starts the typewriter of dialogues that show a new line.
static void take_lines(ui_o *ui) {
  const manager_o *m = ui->managers.kinds[UI_DIALOGUE];
  dialogue_columns dialogues = dialogue_columns_of(m);
  uint64_t *lines = ui->machine->tables[TABLE_DIALOGUE].lines.items;
  for (uint32_t row = 0; row < m->count; ++row) {
    uint32_t line[] = {dialogues.says[row], dialogues.by[row], dialogues.options[row], dialogues.source[row]};
    uint64_t hash = hash_bytes(line, sizeof line, 1);
    if (hash == lines[row])
      continue;
    for (uint32_t i = 0; i < DERIVED_COUNT; ++i)
      if (DERIVED_FIELDS[i].table == TABLE_DIALOGUE && lines[row] != 0)
        ((float *)(void *)ui->machine->values[i])[row] = 0;
    lines[row] = hash;
  }
}

void machine_synchronize(ui_o *ui) {
  shoal_assert(!ui->machine->is_published, "the values of the machine are published");
  for (uint32_t i = 0; i < TABLE_COUNT; ++i)
    move_table(ui, (table_kind_t)i);
  if (ui->machine->follows_world)
    replace_focus(ui);
  ui->machine->follows_world = false;
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i)
    if (DERIVED_FIELDS[i].flags & ADOPTED)
      adopt_values(ui, i);
  take_focus_requests(ui);
  take_lines(ui);
}

void machine_redirect_columns(ui_o *ui) {
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i) {
    uint32_t copy = DERIVED_FIELDS[i].flags & OWN ? ui->machine->copy : 0;
    void *values = get_values(ui->machine, i, copy, get_element_bytes(ui, i));
    memcpy((char *)&ui->columns + DERIVED_FIELDS[i].offset, &values, sizeof values);
  }
}

// --- players

void machine_select_player(ui_o *ui, uint32_t local) {
  shoal_assert(local < ui->machine->player_count, "local player %u is out of range (count %u)", local,
               ui->machine->player_count);
  ui->machine->copy = local;
  machine_redirect_columns(ui);
}

// Returns true if the focus of this copy is on a widget that belongs to a single player.
static bool has_own_focus(const ui_o *ui, uint32_t copy) {
  const uint8_t *focused = get_values(ui->machine, FIELD_FOCUSED, copy, 1);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (ui->nodes.items[i].player != 0 && focused[ui->nodes.items[i].widget])
      return true;
  return false;
}

void machine_share_focus(ui_o *ui) {
  ui_machine_o *machine = ui->machine;
  if (machine->player_count < 2 || has_own_focus(ui, machine->copy))
    return;
  for (uint32_t copy = 0; copy < machine->player_count; ++copy) {
    if (copy == machine->copy || has_own_focus(ui, copy))
      continue;
    for (uint32_t field = FIELD_FOCUSED; field <= FIELD_HAD_FOCUS; ++field) {
      const uint8_t *from = get_values(machine, field, machine->copy, 1);
      uint8_t *to = get_values(machine, field, copy, 1);
      for (uint32_t i = 0; i < ui->nodes.count; ++i)
        if (ui->nodes.items[i].player == 0)
          to[ui->nodes.items[i].widget] = from[ui->nodes.items[i].widget];
    }
  }
}

void machine_select_all_players(ui_o *ui) {
  ui_machine_o *machine = ui->machine;
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i) {
    size_t bytes = get_element_bytes(ui, i) * machine->counts[i];
    if (!(DERIVED_FIELDS[i].flags & OWN) || bytes == 0)
      continue;
    uint8_t *all = machine->values[i] + ALL_PLAYERS * bytes;
    memcpy(all, machine->values[i], bytes);
    for (uint32_t k = 1; k < machine->player_count; ++k)
      for (size_t b = 0; i <= FIELD_HAD_FOCUS && b < bytes; ++b)
        all[b] |= machine->values[i][k * bytes + b];
  }
  machine->copy = ALL_PLAYERS;
  machine_redirect_columns(ui);
}

bool machine_can_use(const ui_o *ui, const ui_node_t *n) {
  const ui_machine_o *machine = ui->machine;
  bool is_own = n->player == 0;
  for (uint32_t i = 0; i < machine->player_count; ++i)
    is_own |= n->player == machine->numbers[i] && (machine->copy == i || machine->copy == ALL_PLAYERS);
  return is_own;
}

bool machine_is_confirmed(const ui_o *ui, shoal_entity entity) {
  return !ui->confirmed || snapshot_is_alive(ui->confirmed, entity);
}

bool machine_can_send(const ui_o *ui, const widget_action_t *action) {
  bool is_line_confirmed =
      action->kind != WIDGET_ACTION_ANSWER || !ui->confirmed ||
      snapshot_has_string(ui->confirmed, action->line, strings_text(world_strings(ui->world), action->line));
  return is_line_confirmed && machine_is_confirmed(ui, action->entity);
}

bool machine_shows(const ui_o *ui, uint32_t player) {
  uint32_t players = world_view_players(ui->world);
  return player == 0 || players == 0 || (player <= PLAYER_MAX && players >> (player - 1) & 1);
}

// --- values that systems in phase render read

static void exchange_columns(ui_o *ui, bool is_publishing) {
  ui_machine_o *machine = ui->machine;
  for (uint32_t i = 0; i < DERIVED_COUNT; ++i) {
    const manager_o *m = get_manager(ui, DERIVED_FIELDS[i].table);
    size_t bytes = m->count * get_element_bytes(ui, i);
    if (!(DERIVED_FIELDS[i].flags & SHOWN) || bytes == 0)
      continue;
    shoal_assert(machine->counts[i] == m->count, "%u rows were published, but there are %u", machine->counts[i],
                 m->count);
    void *world = manager_column(m, DERIVED_FIELDS[i].column);
    if (is_publishing) {
      memcpy(machine->hidden[i], world, bytes);
      memcpy(world, get_values(machine, i, DERIVED_FIELDS[i].flags & OWN ? ALL_PLAYERS : 0, get_element_bytes(ui, i)),
             bytes);
    } else {
      memcpy(world, machine->hidden[i], bytes);
    }
  }
  machine->is_published = is_publishing;
}

void machine_publish(ui_o *ui) {
  exchange_columns(ui, true);
}

void machine_unpublish(ui_o *ui) {
  if (ui->machine->is_published)
    exchange_columns(ui, false);
}

// --- actions

void machine_queue(ui_o *ui, const widget_action_t *action) {
  shoal_assert(ui->machine->copy < INPUT_PADS, "no local player is current");
  queue_t *queue = &ui->machine->queues[ui->machine->copy];
  uint8_t bytes[WIDGET_ACTION_MAX_BYTES];
  size_t size = widget_action_write(action, bytes);
  if (queue->size + size > QUEUE_BYTES) {
    log_warn(world_log(ui->world), "the match takes no more input: an action of player %u is dropped",
             ui->machine->numbers[ui->machine->copy]);
    return;
  }
  memcpy(queue->bytes + queue->size, bytes, size);
  queue->size += (uint32_t)size;
}

size_t ui_take_actions(ui_o *ui, uint32_t local, uint8_t *out, size_t capacity) {
  size_t end = 0, size = 1;
  widget_action_t action;
  if (!ui->machine || local >= INPUT_PADS)
    return 0;
  queue_t *queue = &ui->machine->queues[local];
  while (end < queue->size && (size = widget_action_read(queue->bytes + end, queue->size - end, &action)) > 0 &&
         end + size <= capacity)
    end += size;
  shoal_assert(size > 0, "a queued action is malformed");
  memcpy(out, queue->bytes, end);
  memmove(queue->bytes, queue->bytes + end, queue->size - end);
  queue->size -= (uint32_t)end;
  return end;
}

void ui_set_delayed(ui_o *ui, bool is_delayed) {
  if (ui->machine)
    ui->machine->is_delayed = is_delayed;
}

void ui_follow_world(ui_o *ui) {
  if (ui->machine)
    ui->machine->follows_world = true;
}

void ui_set_confirmed(ui_o *ui, const snapshot_o *confirmed) {
  ui->confirmed = confirmed;
}

double machine_get_sent(const ui_o *ui, const ui_node_t *n, double value) {
  const ui_machine_o *machine = ui->machine;
  bool is_sent = machine && machine->is_delayed && machine->sent_entity == n->entity &&
                 machine->clock_s - machine->sent_at_s < SENT_VALUE_S;
  return is_sent ? machine->sent_value : value;
}

void machine_set_sent(ui_o *ui, const ui_node_t *n, double value) {
  ui->machine->sent_entity = n->entity;
  ui->machine->sent_value = value;
  ui->machine->sent_at_s = ui->machine->clock_s;
}

// --- text

// Compares the world's text with the sent texts. A text that was not sent comes from a script or a different player,
// and replaces the machine's text.
static void confirm_text(ui_machine_o *machine, const char *text) {
  uint64_t hash = hash_text(text);
  uint32_t confirmed = 0;
  for (uint32_t i = 0; i < machine->sent_text_count; ++i)
    confirmed = machine->sent_texts[i] == hash ? i + 1 : confirmed;
  machine->sent_text_count -= confirmed;
  memmove(machine->sent_texts, machine->sent_texts + confirmed, machine->sent_text_count * sizeof hash);
  bool is_foreign = confirmed == 0 && hash != machine->seen_text;
  if (is_foreign || machine->clock_s - machine->edited_at_s > SENT_TEXT_S)
    machine->sent_text_count = 0;
  machine->seen_text = hash;
}

void machine_begin_edit(ui_o *ui, const ui_node_t *n, const char *composing) {
  ui_machine_o *machine = ui->machine;
  const char *text = ui_get_stored_text(ui, ui->columns.entry.text[n->row]);
  if (machine->edited != n->entity)
    machine->sent_text_count = 0, machine->seen_text = hash_text(text);
  machine->edited = n->entity;
  machine->is_editing = true;
  confirm_text(machine, text);
  if (machine->sent_text_count == 0)
    snprintf(machine->text, sizeof machine->text, "%.*s", (int)utf8_offset(text, 4096), text);
  snprintf(machine->composing, sizeof machine->composing, "%s", composing);
}

const char *machine_get_entry_text(const ui_o *ui, const ui_node_t *n) {
  bool is_edited = ui->machine && !ui->is_simulating && ui->machine->edited == n->entity;
  return is_edited ? ui->machine->text : ui_get_stored_text(ui, ui->columns.entry.text[n->row]);
}

const char *machine_get_composing(const ui_o *ui, const ui_node_t *n) {
  if (!ui->machine)
    return ui_get_text(ui, ui->columns.entry.composing[n->row]);
  return ui->machine->edited == n->entity ? ui->machine->composing : "";
}

static size_t count_common_prefix(const char *a, const char *b) {
  size_t at = 0;
  while (a[at] && a[at] == b[at])
    ++at;
  while (at > 0 && ((unsigned char)a[at] & 0xc0) == 0x80) // moves back to the start of a UTF-8 character
    --at;
  return at;
}

static size_t count_common_suffix(const char *a, const char *b) {
  size_t a_size = strlen(a), b_size = strlen(b), count = 0;
  while (count < a_size && count < b_size && a[a_size - 1 - count] == b[b_size - 1 - count])
    ++count;
  while (count > 0 && ((unsigned char)a[a_size - count] & 0xc0) == 0x80)
    --count;
  return count;
}

static uint32_t count_characters_n(const char *text, size_t bytes) {
  uint32_t count = 0;
  for (size_t i = 0, length; i<bytes; i += length> 0 ? length : 1, ++count)
    length = utf8_character_length_n(text + i, bytes - i);
  return count;
}

void machine_edit(ui_o *ui, const ui_node_t *n, const char *text) {
  ui_machine_o *machine = ui->machine;
  if (machine->edited != n->entity || strcmp(machine->text, text) == 0)
    return;
  size_t prefix = count_common_prefix(machine->text, text),
         suffix = count_common_suffix(machine->text + prefix, text + prefix);
  size_t inserted = strlen(text) - prefix - suffix;
  widget_action_t action = {.kind = WIDGET_ACTION_EDIT, .entity = n->entity};
  shoal_assert(inserted <= WIDGET_ACTION_TEXT_BYTES, "%zu bytes were typed in a sample", inserted);
  action.start = count_characters_n(text, prefix);
  action.erased = count_characters_n(machine->text + prefix, strlen(machine->text) - prefix - suffix);
  memcpy(action.text, text + prefix, inserted);
  machine_queue(ui, &action);
  snprintf(machine->text, sizeof machine->text, "%s", text);
  if (machine->sent_text_count == MAX_SENT_TEXTS)
    memmove(machine->sent_texts, machine->sent_texts + 1, --machine->sent_text_count * sizeof *machine->sent_texts);
  machine->sent_texts[machine->sent_text_count++] = hash_text(text);
  machine->edited_at_s = machine->clock_s;
}
