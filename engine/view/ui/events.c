// Emits the built-in events of widgets, and the events that widgets declare.
#include "ui/events.h"

#include "base/assert.h"
#include "base/nearest_name.h"
#include "components/builtin.h"
#include "ui/bound_fields.h"
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
  ui_write_bind(ui, n, value, text);
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
