// Copies values between widgets and the fields to which they are bound.
#include "ui/bound_fields.h"

#include "base/nearest_name.h"
#include "ui/bind_path.h"
#include "ui/measure.h"

#include <stdio.h>
#include <string.h>

typedef struct ui_target_t {
  // Component of the bound field; NULL if the widget is not bound, the binding is invalid, or the entity lacks it.
  manager_o *m;
  uint32_t column, row;
  bool is_enum, is_text;
} ui_target_t;

static void warn_unknown_path(ui_o *ui, const ui_node_t *n, uint32_t path, const ui_bind_path_t *bind, bool of_entity) {
  char hint[NEAREST_NAME_MAX_BYTES + 32], message[200];
  const char *text = ui_get_text(ui, path);
  nearest_name_t nearest;
  nearest_name_init(&nearest, bind->manager ? bind->field : text);
  for (uint32_t i = 0; bind->manager && i < bind->manager->schema.field_count; ++i)
    nearest_name_offer(&nearest, bind->manager->schema.fields[i].name);
  bool lacks_entity = !of_entity && ui_find_bind_path(ui, path, true).column >= 0;
  snprintf(message, sizeof message, "%.96s is not a writable field of a %s%s", text,
           of_entity ? "component" : "singleton",
           lacks_entity ? ": set `of` to the entity that has the component" : "");
  ui_warn_once(ui, n, "bind", message, nearest_name_hint(&nearest, hint, sizeof hint));
}

static shoal_entity get_bound_entity(const ui_o *ui, const ui_node_t *n) {
  uint32_t row = manager_row(ui->managers.widget, n->entity);
  return row != ROW_NONE ? ui->columns.widget.of[row] : 0;
}

static bool is_writable(const ui_bind_path_t *bind) {
  const field_t *field = bind->column >= 0 ? &bind->manager->schema.fields[bind->column] : NULL;
  return field && field->type != FIELD_ENTITY && field->type != FIELD_MAT4 &&
         !(field->flags & (FIELD_READ_ONLY | FIELD_IS_OF_LIST));
}

static ui_target_t find_target(const ui_bind_path_t *bind, shoal_entity entity) {
  uint32_t row = entity == 0 ? 0 : manager_find_instance_row(bind->manager, entity, bind->instance);
  field_type_t type = bind->manager->schema.fields[bind->column].type;
  return row == ROW_NONE
             ? (ui_target_t){0}
             : (ui_target_t){bind->manager, (uint32_t)bind->column, row, type == FIELD_ENUM, type == FIELD_STRING};
}

// Finds the bound field. In the result, `m` is NULL if the widget is not bound, if the entity lacks the component, or
// if the path is invalid. Logs invalid paths.
static ui_target_t find_bound_field(ui_o *ui, const ui_node_t *n, uint32_t path) {
  if (path == 0)
    return (ui_target_t){0};
  shoal_entity entity = get_bound_entity(ui, n);
  ui_bind_path_t bind = ui_find_bind_path(ui, path, entity != 0);
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
  ui_bind_path_t bind = ui_find_bind_path(ui, path, true);
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

void ui_write_bind(ui_o *ui, const ui_node_t *n, double value, uint32_t text) {
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
