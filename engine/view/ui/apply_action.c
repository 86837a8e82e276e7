// Applies widget actions. The result depends on the world and the actions only: not on layout, focus or language.
#include "ui/apply_action.h"

#include "base/assert.h"
#include "components/name.h"
#include "ui/dialogue.h"
#include "ui/events.h"
#include "ui/machine.h"
#include "ui/measure.h"
#include "ui/text_edit.h"
#include "ui/tree.h"

#include <math.h>
#include <string.h>

#define KEYBOARD_EVENT "shoal.option" // event that opens the on-screen keyboard (scripts/shoal/kit/keyboard.lua)
#define MAX_TRANSLATED_LINES 1024u // maximum number of lines if the lines of a list or dialogue depend on the language

// --- applying

static void mark_changed(ui_o *ui, const ui_node_t *n, uint32_t column) {
  columns_mark_touched(&ui->managers.kinds[n->kind]->columns, column, n->row, 1);
}

static void set_slider(ui_o *ui, const ui_node_t *n, float value) {
  ui->columns.slider.value[n->row] = value;
  mark_changed(ui, n, SHOAL_COLUMN_INDEX(slider, value));
  ui_emit_changed(ui, n, (double)value, 0);
  ui_play_sound(ui, ui->theme.palette.change);
}

static void toggle_checkbox(ui_o *ui, const ui_node_t *n) {
  uint8_t *value = &ui->columns.checkbox.value[n->row];
  *value = !*value;
  mark_changed(ui, n, SHOAL_COLUMN_INDEX(checkbox, value));
  ui_emit_changed(ui, n, *value, 0);
  ui_play_sound(ui, ui->theme.palette.change);
}

static void choose(ui_o *ui, const ui_node_t *n, uint32_t number) {
  if (n->kind == UI_DIALOGUE) {
    ui->columns.dialogue.choice[n->row] = number;
    ui_play_sound(ui, ui->theme.palette.focus);
    return;
  }
  ui->columns.list.selected[n->row] = number;
  mark_changed(ui, n, SHOAL_COLUMN_INDEX(list, selected));
  ui_emit_changed(ui, n, number, 0);
  ui_play_sound(ui, ui->theme.palette.change);
}

static void answer(ui_o *ui, const ui_node_t *n, uint32_t number) {
  if (ui->columns.dialogue.options[n->row] != 0)
    ui->columns.dialogue.choice[n->row] = number;
  ui_end_dialogue(ui, n, number);
}

// Emits `focused`. In a game that declares players, also records the focus in the world, for the options screen, whose
// tabs open when they get the focus.
static void apply_focus(ui_o *ui, const ui_node_t *n) {
  if (ui->machine) {
    memset(ui->columns.widget.had_focus, 0, ui->managers.widget->count);
    ui->columns.widget.had_focus[n->widget] = 1;
  }
  ui_emit(ui, "focused", n, 0, 0);
}

static void apply(ui_o *ui, const ui_node_t *n, const widget_action_t *action) {
  switch (action->kind) {
  case WIDGET_ACTION_PRESS: ui_emit_pressed(ui, n, n->kind == UI_LIST ? ui->columns.list.selected[n->row] : 0); break;
  case WIDGET_ACTION_TOGGLE: toggle_checkbox(ui, n); break;
  case WIDGET_ACTION_SET: set_slider(ui, n, action->value); break;
  case WIDGET_ACTION_CHOOSE: choose(ui, n, action->number); break;
  case WIDGET_ACTION_ANSWER: answer(ui, n, action->number); break;
  case WIDGET_ACTION_EDIT: ui_apply_edit(ui, n, action->start, action->erased, action->text); break;
  case WIDGET_ACTION_SUBMIT: ui_emit_submitted(ui, n, ui->columns.entry.text[n->row]); break;
  case WIDGET_ACTION_KEYBOARD:
    ui_emit(ui, KEYBOARD_EVENT, n, 0, ui->machine ? strings_intern(world_strings(ui->world), action->text) : 0);
    break;
  case WIDGET_ACTION_CANCEL: ui_emit(ui, "cancelled", n, 0, 0); break;
  case WIDGET_ACTION_FOCUS: apply_focus(ui, n); break;
  default: shoal_assert(false, "widget action %d is out of range", (int)action->kind);
  }
}

// --- acting

static void play_sound(ui_o *ui, const ui_node_t *n, widget_action_kind_t kind) {
  const ui_palette_t *palette = &ui->theme.palette;
  switch (kind) {
  case WIDGET_ACTION_PRESS:
  case WIDGET_ACTION_ANSWER:
  case WIDGET_ACTION_SUBMIT: ui_play_sound(ui, palette->press); break;
  case WIDGET_ACTION_TOGGLE:
  case WIDGET_ACTION_SET: ui_play_sound(ui, palette->change); break;
  case WIDGET_ACTION_CHOOSE: ui_play_sound(ui, n->kind == UI_DIALOGUE ? palette->focus : palette->change); break;
  default: break;
  }
}

void ui_act(ui_o *ui, const ui_node_t *n, const widget_action_t *action) {
  widget_action_t sent = *action;
  if (!ui->machine) {
    apply(ui, n, action);
    return;
  }
  sent.entity = n->entity;
  if (!machine_can_send(ui, &sent))
    return;
  machine_queue(ui, &sent);
  play_sound(ui, n, sent.kind);
}

// --- player actions

// Finds the widget row and the kind of an entity. Returns true on success, or false if the entity has no enabled kind.
static bool find_kind(const ui_o *ui, shoal_entity entity, ui_node_t *out) {
  uint32_t widget = manager_row(ui->managers.widget, entity);
  *out = (ui_node_t){.entity = entity, .widget = widget};
  for (uint32_t kind = UI_NONE + 1; out->kind == UI_NONE && widget != ROW_NONE && kind < UI_KIND_COUNT; ++kind) {
    const manager_o *m = ui->managers.kinds[kind];
    out->row = manager_row(m, entity);
    if (out->row != ROW_NONE && !world_is_disabled(ui->world, entity, m->id))
      out->kind = (ui_kind_t)kind;
  }
  return out->kind != UI_NONE;
}

static bool is_visible_for(const ui_o *ui, uint32_t widget, uint32_t player) {
  int32_t owner = ui->columns.widget.player[widget];
  return ui->columns.widget.visible[widget] && (owner == 0 || owner == (int32_t)player) &&
         !world_is_disabled(ui->world, ui->managers.widget->owner[widget], ui->managers.widget->id);
}

// Returns true if the entity is a modal root that the player sees above the root `widget`. Roots anchored to an entity
// do not count, because each machine's camera determines their positions.
static bool covers(const ui_o *ui, shoal_entity entity, uint32_t widget, uint32_t player) {
  ui_node_t n;
  return find_kind(ui, entity, &n) && ui_is_modal(ui, &n) && ui_is_root(ui, n.widget) &&
         manager_row(ui->managers.follow, entity) == ROW_NONE && is_visible_for(ui, n.widget, player) &&
         (n.kind != UI_DIALOGUE || ui_is_dialogue_shown(ui, n.row)) && ui_compare_roots(ui, widget, n.widget) < 0;
}

static bool is_covered(const ui_o *ui, uint32_t widget, uint32_t player) {
  const ui_kind_t kinds[] = {UI_PANEL, UI_DIALOGUE};
  for (uint32_t i = 0; i < 2; ++i) {
    const manager_o *m = ui->managers.kinds[kinds[i]];
    for (uint32_t row = 0; row < m->count; ++row)
      if (covers(ui, m->owner[row], widget, player))
        return true;
  }
  return false;
}

// Finds the entity's widget. Returns true on success. Returns false if the entity has no widget, or if the widget is
// hidden, disabled, below a modal root, or belongs to a different player; `is_foreign` is set in the last case. Does
// not fill in members that depend on the layout.
static bool find_widget(ui_o *ui, shoal_entity entity, uint32_t player, ui_node_t *out, bool *is_foreign) {
  *is_foreign = false;
  if (!find_kind(ui, entity, out) || ui_is_disabled(ui, out))
    return false;
  uint32_t root = out->widget;
  for (uint32_t depth = 0; entity != 0; ++depth) {
    uint32_t row = manager_row(ui->managers.widget, entity), transform = manager_row(ui->managers.transform, entity);
    if (row == ROW_NONE)
      break;
    int32_t owner = ui->columns.widget.player[row];
    *is_foreign = owner != 0 && owner != (int32_t)player;
    if (depth == UI_DEPTH || !is_visible_for(ui, row, player))
      return false;
    root = row;
    entity = transform == ROW_NONE ? 0 : ui->columns.transform.parent[transform];
  }
  return !ui->machine || !is_covered(ui, root, player);
}

// Returns the number of lines, or an upper bound if it depends on the language.
static uint32_t count_lines(const ui_o *ui, uint32_t text) {
  const char *stored = ui_get_stored_text(ui, text);
  return stored[0] == '@' || strstr(stored, "\n@") ? MAX_TRANSLATED_LINES : ui_count_lines(stored);
}

static bool is_enabled_line(const ui_o *ui, const ui_node_t *n, uint32_t number) {
  return !ui_is_line_disabled(ui_get_stored_text(ui, ui->columns.list.items[n->row]), number);
}

static bool is_valid_choice(const ui_o *ui, const ui_node_t *n, uint32_t number) {
  uint32_t text = n->kind == UI_LIST ? ui->columns.list.items[n->row] : ui->columns.dialogue.options[n->row];
  return number >= 1 && number <= count_lines(ui, text) && (n->kind != UI_LIST || is_enabled_line(ui, n, number));
}

static bool is_valid_answer(const ui_o *ui, const ui_node_t *n, const widget_action_t *action) {
  bool has_choices = ui->columns.dialogue.options[n->row] != 0;
  return action->line == ui->columns.dialogue.says[n->row] && ui_is_dialogue_shown(ui, n->row) &&
         (has_choices ? is_valid_choice(ui, n, action->number) : action->number == 1);
}

static bool can_apply(const ui_o *ui, const ui_node_t *n, const widget_action_t *action) {
  switch (action->kind) {
  case WIDGET_ACTION_PRESS:
    return n->kind == UI_BUTTON || (n->kind == UI_LIST && ui->columns.list.selected[n->row] > 0 &&
                                    is_enabled_line(ui, n, ui->columns.list.selected[n->row]));
  case WIDGET_ACTION_TOGGLE: return n->kind == UI_CHECKBOX;
  case WIDGET_ACTION_SET:
    return n->kind == UI_SLIDER && action->value >= ui->columns.slider.min[n->row] &&
           action->value <= ui->columns.slider.max[n->row];
  case WIDGET_ACTION_CHOOSE:
    return (n->kind == UI_LIST || (n->kind == UI_DIALOGUE && ui_is_dialogue_shown(ui, n->row))) &&
           is_valid_choice(ui, n, action->number);
  case WIDGET_ACTION_ANSWER: return n->kind == UI_DIALOGUE && is_valid_answer(ui, n, action);
  case WIDGET_ACTION_EDIT:
  case WIDGET_ACTION_SUBMIT:
  case WIDGET_ACTION_KEYBOARD: return n->kind == UI_ENTRY;
  case WIDGET_ACTION_CANCEL: return true;
  case WIDGET_ACTION_FOCUS: return n->kind != UI_PANEL && n->kind != UI_LABEL && n->kind != UI_BAR;
  default: return false;
  }
}

// Logs only the first invalid action of each player, for developers: a correct machine sends only valid actions.
static void warn(ui_o *ui, uint32_t player, const char *reason) {
  if (ui->warned_players >> (player - 1) & 1)
    return;
  ui->warned_players |= player_mask_of(player - 1);
  log_warn(world_log(ui->world), "ignored a widget action of player %u: %s (further actions are not logged)", player,
           reason);
}

static void apply_actions_of(ui_o *ui, uint32_t player, const player_actions_t *actions) {
  widget_action_t action;
  ui_node_t n;
  for (size_t at = 0, size, end = actions->size; at < end; at += size) {
    size = widget_action_read(actions->bytes + at, end - at, &action);
    if (size == 0) {
      warn(ui, player, "malformed bytes");
      return;
    }
    bool is_foreign;
    if (!find_widget(ui, action.entity, player, &n, &is_foreign)) {
      // Only a widget of a different player causes a warning. The simulation may have removed, hidden or disabled the
      // widget since the machine sent the action, and a machine also sends actions that its player did not make, for
      // example when a button gets the focus.
      if (is_foreign)
        warn(ui, player, "the widget belongs to a different player");
    } else if (!can_apply(ui, &n, &action)) {
      warn(ui, player, "the widget does not support the action, or a value is out of range");
    } else {
      apply(ui, &n, &action);
    }
  }
}

void ui_apply_actions(ui_o *ui) {
  shoal_assert(ui->is_simulating, "actions must be applied in a tick");
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    if (!(ui->desc.input->players.present >> i & 1))
      continue;
    ui->acting_player = i + 1;
    apply_actions_of(ui, i + 1, &ui->desc.input->actions[i]);
  }
  ui->acting_player = 0;
}
