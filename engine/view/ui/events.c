// Emits widget events, and copies values between widgets and the fields to which they are bound.
#include "ui/events.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "components/builtin.h"
#include "ui/measure.h"

#include <stdio.h>
#include <string.h>

static void set_event_field(const ui_o *ui, const event_o *ev, uint32_t ticket, const char *field, double value) {
  int32_t column = schema_find_field(&ev->schema, field);
  if (column >= 0)
    world_set_event_field(ui->world, ticket, (uint32_t)column, value);
}

static bool has_field_of_type(const event_o *ev, const char *field, field_type_t type) {
  int32_t column = schema_find_field(&ev->schema, field);
  return column >= 0 && ev->schema.fields[column].type == type;
}

// Emits an event. Sets the standard fields (entity, text, value, choice and player) that the event declares with a
// suitable type.
static void emit_event(ui_o *ui, const event_o *ev, const ui_node_t *n, double value, uint32_t text) {
  uint32_t ticket = world_emit_event(ui->world, ev->id);
  if (has_field_of_type(ev, "entity", FIELD_ENTITY))
    set_event_field(ui, ev, ticket, "entity", (double)n->entity);
  if (has_field_of_type(ev, "text", FIELD_STRING))
    set_event_field(ui, ev, ticket, "text", text);
  int32_t player = ui->acting_player > 0 ? schema_find_field(&ev->schema, "player") : -1;
  if (player >= 0 && ev->schema.fields[player].type <= FIELD_U32)
    world_set_event_field(ui->world, ticket, (uint32_t)player, ui->acting_player);
  for (int i = 0; i < 2; ++i) {
    const char *field = i == 0 ? "value" : "choice";
    int32_t column = schema_find_field(&ev->schema, field);
    if (column >= 0 && ev->schema.fields[column].type <= FIELD_BOOL)
      world_set_event_field(ui->world, ticket, (uint32_t)column, value);
  }
}

void ui_emit(ui_o *ui, const char *event, const ui_node_t *n, double value, uint32_t text) {
  const event_o *ev = builtin_find_event(ui->world, event);
  shoal_assert(world_is_deferring(ui->world), "%s must be emitted while commands are deferred", event);
  if (ev)
    emit_event(ui, ev, n, value, text);
}

// Emits the game event that the widget's `emits` names. Logs a warning if the event is unknown.
static void emit_declared_event(ui_o *ui, const ui_node_t *n, uint32_t name, double value, uint32_t text) {
  char hint[NEAREST_NAME_MAX_BYTES + 32], message[160];
  const char *event = ui_get_text(ui, name);
  const event_o *ev = name != 0 ? world_find_event(ui->world, event) : NULL;
  if (ev)
    emit_event(ui, ev, n, value, text);
  if (ev || name == 0)
    return;
  nearest_name_t nearest;
  nearest_name_init(&nearest, event);
  for (uint32_t id = 1; id <= world_event_count(ui->world); ++id)
    if (strncmp(world_event(ui->world, id)->schema.name, "shoal.", 6) != 0)
      nearest_name_offer(&nearest, world_event(ui->world, id)->schema.name);
  snprintf(message, sizeof message, "unknown event %.64s", event);
  ui_warn_once(ui, n, "emits", message, nearest_name_hint(&nearest, hint, sizeof hint));
}

// --- paths of bound fields, from the field `bind` of a widget, such as "health.hp" and "weapon.left.damage"

typedef struct bind_path_t {
  manager_o *manager; // component of the path; NULL if the component is unknown or not of the expected kind
  int32_t column;
  uint32_t instance;
  const char *field; // name of the field in the path; "" if the path has no dot
} bind_path_t;

static bind_path_t parse_path(const ui_o *ui, const char *text, bool of_entity) {
  char instance[COMPONENT_NAME_MAX];
  bind_path_t bind = {.column = -1, .field = ""};
  manager_o *manager = world_find_manager_by_path(ui->world, text, &bind.field);
  const char *dot = strchr(bind.field, '.');
  if (!manager || (manager->schema.kind == SCHEMA_SINGLE) == of_entity || (!of_entity && manager->count == 0))
    return bind;
  bind.manager = manager;
  bind.column = manager_find_column(manager, bind.field);
  if (bind.column >= 0 || !dot || manager->schema.kind != SCHEMA_MANY)
    return bind;
  snprintf(instance, sizeof instance, "%.*s", (int)(dot - bind.field), bind.field);
  bind.instance = strings_find(world_strings(ui->world), instance);
  bind.field = dot + 1;
  bind.column = manager_find_column(manager, bind.field);
  return bind;
}

// Returns true if the path contains the name of an instance, between its component and its field.
static bool has_instance(const ui_o *ui, const bind_path_t *bind, const char *text) {
  const char *first_field = NULL;
  world_find_manager_by_path(ui->world, text, &first_field);
  return bind->manager->schema.kind == SCHEMA_MANY && first_field != bind->field;
}

// Parses `path`, a string id. `of_entity`: the path names a field of a component, not of a singleton. In the result,
// `column` is -1 if the path is invalid.
//
// Valid paths are cached: widgets look up their fields several times per tick. A cached path is compared with its text,
// because a restored world may use its string id for a different string. Instances are looked up again each time: their
// names may be interned later.
static bind_path_t find_bind_path(const ui_o *ui, uint32_t path, bool of_entity) {
  const char *text = ui_get_text(ui, path);
  ui_cached_path_t *cached = &ui->bind_paths[(path * 2 + of_entity) % UI_BIND_PATHS];
  shoal_assert(path != 0, "the widget is not bound");
  if (cached->manager && cached->path == path && cached->of_entity == of_entity && strcmp(cached->text, text) == 0 &&
      (of_entity || cached->manager->count > 0))
    return (bind_path_t){cached->manager, cached->column, 0, text + cached->field};
  ++cached->parse_count;
  bind_path_t bind = parse_path(ui, text, of_entity);
  if (bind.column < 0 || strlen(text) >= sizeof cached->text || has_instance(ui, &bind, text))
    return bind;
  cached->manager = bind.manager;
  cached->path = path;
  cached->of_entity = of_entity;
  cached->column = bind.column;
  cached->field = (uint32_t)(bind.field - text);
  snprintf(cached->text, sizeof cached->text, "%s", text);
  return bind;
}

// --- bound fields

typedef struct ui_target_t {
  // Component of the bound field; NULL if the widget is not bound, the binding is invalid, or the entity lacks it.
  manager_o *m;
  uint32_t column, row;
  bool is_enum, is_text;
} ui_target_t;

static void warn_unknown_path(ui_o *ui, const ui_node_t *n, uint32_t path, const bind_path_t *bind, bool of_entity) {
  char hint[NEAREST_NAME_MAX_BYTES + 32], message[200];
  const char *text = ui_get_text(ui, path);
  nearest_name_t nearest;
  nearest_name_init(&nearest, bind->manager ? bind->field : text);
  for (uint32_t i = 0; bind->manager && i < bind->manager->schema.field_count; ++i)
    nearest_name_offer(&nearest, bind->manager->schema.fields[i].name);
  bool lacks_entity = !of_entity && find_bind_path(ui, path, true).column >= 0;
  snprintf(message, sizeof message, "%.96s is not a writable field of a %s%s", text,
           of_entity ? "component" : "singleton",
           lacks_entity ? ": set `of` to the entity that has the component" : "");
  ui_warn_once(ui, n, "bind", message, nearest_name_hint(&nearest, hint, sizeof hint));
}

static shoal_entity get_bound_entity(const ui_o *ui, const ui_node_t *n) {
  uint32_t row = manager_row(ui->managers.widget, n->entity);
  return row != ROW_NONE ? ui->columns.widget.of[row] : 0;
}

static bool is_writable(const bind_path_t *bind) {
  const field_t *field = bind->column >= 0 ? &bind->manager->schema.fields[bind->column] : NULL;
  return field && field->type != FIELD_ENTITY && field->type != FIELD_MAT4 &&
         !(field->flags & (FIELD_READ_ONLY | FIELD_IS_OF_LIST));
}

static ui_target_t find_target(const bind_path_t *bind, shoal_entity entity) {
  uint32_t row = entity == 0 ? 0 : manager_find_instance_row(bind->manager, entity, bind->instance);
  field_type_t type = bind->manager->schema.fields[bind->column].type;
  return row == ROW_NONE
             ? (ui_target_t){0}
             : (ui_target_t){bind->manager, (uint32_t)bind->column, row, type == FIELD_ENUM, type == FIELD_STRING};
}

// Finds the bound field. If the widget is not bound, or if the path is invalid, which is logged, the result's `m` is
// NULL.
static ui_target_t find_bound_field(ui_o *ui, const ui_node_t *n, uint32_t path) {
  if (path == 0)
    return (ui_target_t){0};
  shoal_entity entity = get_bound_entity(ui, n);
  bind_path_t bind = find_bind_path(ui, path, entity != 0);
  if (is_writable(&bind))
    return find_target(&bind, entity);
  warn_unknown_path(ui, n, path, &bind, entity != 0);
  return (ui_target_t){0};
}

static uint32_t get_bind_path(const ui_o *ui, const ui_node_t *n) {
  switch (n->kind) {
  case UI_SLIDER: return ui->columns.slider.bind[n->row];
  case UI_CHECKBOX: return ui->columns.checkbox.bind[n->row];
  case UI_LIST: return ui->columns.list.bind[n->row];
  case UI_ENTRY: return ui->columns.entry.bind[n->row];
  case UI_BAR: return ui->columns.bar.bind[n->row];
  default: return 0;
  }
}

bool ui_has_broken_bind(const ui_o *ui, const ui_node_t *n) {
  shoal_entity entity = get_bound_entity(ui, n);
  uint32_t path = entity != 0 ? get_bind_path(ui, n) : 0;
  if (path == 0)
    return false;
  bind_path_t bind = find_bind_path(ui, path, true);
  return !(is_writable(&bind) && find_target(&bind, entity).m);
}

// Returns the 1-based index of the list item with this text; 0 if not found.
static uint32_t find_item(ui_o *ui, const ui_node_t *n, const char *text) {
  const char *items = ui_get_stored_text(ui, ui->columns.list.items[n->row]);
  size_t length = strlen(text), bytes = 0;
  for (uint32_t i = 1;; ++i) {
    const char *line = ui_get_line(items, i, &bytes);
    if (!line || (bytes == length && memcmp(line, text, bytes) == 0))
      return line ? i : 0;
  }
}

static void read_bind(ui_o *ui, const ui_node_t *n) {
  uint32_t path = get_bind_path(ui, n);
  ui_target_t target = find_bound_field(ui, n, path);
  if (!target.m)
    return;
  double value = columns_get(&target.m->columns, target.row, target.column);
  switch (n->kind) {
  case UI_SLIDER: ui->columns.slider.value[n->row] = (float)value; break;
  case UI_CHECKBOX: ui->columns.checkbox.value[n->row] = value != 0; break;
  case UI_BAR: ui->columns.bar.value[n->row] = (float)value; break;
  case UI_LIST:
    ui->columns.list.selected[n->row] = target.is_text ? find_item(ui, n, ui_get_stored_text(ui, (uint32_t)value))
                                        : value < 0    ? 0
                                                       : (uint32_t)value + (target.is_enum ? 1 : 0);
    break;
  case UI_ENTRY:
    if (target.is_text)
      ui->columns.entry.text[n->row] = (uint32_t)value;
    break;
  default: break;
  }
}

void ui_read_binds(ui_o *ui) {
  static const ui_kind_t KINDS[] = {UI_SLIDER, UI_CHECKBOX, UI_LIST, UI_ENTRY, UI_BAR};
  for (uint32_t i = 0; i < sizeof KINDS / sizeof *KINDS; ++i) {
    const manager_o *manager = ui->managers.kinds[KINDS[i]];
    for (uint32_t row = 0; row < manager->count; ++row) {
      ui_node_t n = {.entity = manager->owner[row], .kind = KINDS[i], .row = row};
      read_bind(ui, &n);
    }
  }
}

static void write_bind(ui_o *ui, const ui_node_t *n, double value, uint32_t text) {
  ui_target_t target = find_bound_field(ui, n, get_bind_path(ui, n));
  size_t bytes = 0;
  if (!target.m)
    return;
  if (target.is_text && n->kind == UI_LIST) {
    char item[256];
    const char *line = ui_get_line(ui_get_stored_text(ui, ui->columns.list.items[n->row]), (uint32_t)value, &bytes);
    snprintf(item, sizeof item, "%.*s", line ? (int)bytes : 0, line ? line : "");
    text = strings_intern(world_strings(ui->world), item);
  }
  double stored_value = target.is_text ? text : target.is_enum && n->kind == UI_LIST ? value - 1 : value;
  if (!target.is_text || n->kind == UI_LIST || n->kind == UI_ENTRY)
    columns_set(&target.m->columns, target.row, target.column, stored_value);
}

static uint32_t get_event_name(const ui_o *ui, const ui_node_t *n) {
  switch (n->kind) {
  case UI_BUTTON: return ui->columns.button.emits[n->row];
  case UI_SLIDER: return ui->columns.slider.emits[n->row];
  case UI_CHECKBOX: return ui->columns.checkbox.emits[n->row];
  case UI_LIST: return ui->columns.list.emits[n->row];
  case UI_ENTRY: return ui->columns.entry.emits[n->row];
  default: return 0;
  }
}

void ui_emit_changed(ui_o *ui, const ui_node_t *n, double value, uint32_t text) {
  write_bind(ui, n, value, text);
  ui_emit(ui, "changed", n, value, text);
  emit_declared_event(ui, n, get_event_name(ui, n), value, text);
}

void ui_emit_pressed(ui_o *ui, const ui_node_t *n, double value) {
  ui_emit(ui, "pressed", n, value, 0);
  emit_declared_event(ui, n, get_event_name(ui, n), value, 0);
  ui_play_sound(ui, ui->theme.palette.press);
}

void ui_emit_submitted(ui_o *ui, const ui_node_t *n, uint32_t text) {
  ui_emit(ui, "entry_submitted", n, 0, text);
  ui_play_sound(ui, ui->theme.palette.press);
}
