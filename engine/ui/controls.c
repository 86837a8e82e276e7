// What buttons, sliders, checkboxes and lists do, and what they say: events, and the single's field that they are bound
// to.
#include "ui/ui_internal.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/similar.h"
#include "components/builtin.h"
#include "components/name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VOICE 0x7fff0000u // of the sounds of widgets: a few, so that a fast hand does not fill the mixer
#define VOICES 4u

// --- words

void ui_say_once(ui_o *ui, const ui_node_t *n, const char *field, const char *words, const char *hint) {
  char name[NAME_DESCRIPTION_MAX];
  uint64_t key = hash_bytes(&n->entity, sizeof n->entity, hash_text(words) ^ hash_text(hint));
  for (uint32_t i = 0; i < ui->said.count; ++i)
    if (ui->said.items[i] == key)
      return;
  if (ui->said.count < 1024)
    array_push(&ui->allocator, &ui->said, key);
  name_describe(ui->world, n->entity, name, sizeof name);
  log_warn(world_log(ui->world), "%s: %s: %s%s", name, field, words, hint);
}

void ui_sound(ui_o *ui, const char *name) {
  if (ui->desc.audio && name[0])
    audio_play_as(ui->desc.audio, VOICE + (uint32_t)(world_tick(ui->world) % VOICES), name,
                  &(audio_sound_t){.volume = 0.6f, .pitch = 1.0f, .bus = "ui"});
}

// --- events

static void set_field(const ui_o *ui, const event_o *ev, uint32_t ticket, const char *field, bool fits, double value) {
  int32_t column = schema_find(&ev->schema, field);
  (void)fits;
  if (column >= 0)
    world_emit_set(ui->world, ticket, (uint32_t)column, value);
}

static bool is_of_type(const event_o *ev, const char *field, field_type_t type) {
  int32_t column = schema_find(&ev->schema, field);
  return column >= 0 && ev->schema.fields[column].type == type;
}

// With those of its fields that there is something for.
static void emit(ui_o *ui, const event_o *ev, const ui_node_t *n, double value, uint32_t text) {
  uint32_t ticket = world_emit(ui->world, ev->id);
  if (is_of_type(ev, "entity", FIELD_ENTITY))
    set_field(ui, ev, ticket, "entity", true, (double)n->entity);
  if (is_of_type(ev, "text", FIELD_STRING))
    set_field(ui, ev, ticket, "text", true, text);
  for (int i = 0; i < 2; ++i) {
    const char *field = i == 0 ? "value" : "choice";
    int32_t column = schema_find(&ev->schema, field);
    if (column >= 0 && ev->schema.fields[column].type <= FIELD_BOOL)
      world_emit_set(ui->world, ticket, (uint32_t)column, value);
  }
}

void ui_emit(ui_o *ui, const char *event, const ui_node_t *n, double value, uint32_t text) {
  const event_o *ev = builtin_event(ui->world, event);
  shoal_assert(world_is_deferring(ui->world), "%s is emitted in the middle of a step", event);
  if (ev)
    emit(ui, ev, n, value, text);
}

// The game's own event that the widget names.
static void emit_named(ui_o *ui, const ui_node_t *n, uint32_t name, double value, uint32_t text) {
  char hint[SIMILAR_MOST + 32], words[160];
  const char *event = ui_text(ui, name);
  const event_o *ev = name != 0 ? world_find_event(ui->world, event) : NULL;
  if (ev)
    emit(ui, ev, n, value, text);
  if (ev || name == 0)
    return;
  similar_t s;
  similar_begin(&s, event);
  for (uint32_t id = 1; id <= world_event_count(ui->world); ++id)
    if (strncmp(world_event(ui->world, id)->schema.name, "shoal.", 6) != 0)
      similar_offer(&s, world_event(ui->world, id)->schema.name);
  snprintf(words, sizeof words, "there is no event %.64s", event);
  ui_say_once(ui, n, "emits", words, similar_hint(&s, hint, sizeof hint));
}

// --- bound to a field of a single

typedef struct ui_target_t {
  manager_o *m; // NULL: there is none
  uint32_t column;
  bool is_enum, is_text;
} ui_target_t;

static ui_target_t find_bound(ui_o *ui, const ui_node_t *n, uint32_t path) {
  char name[COMPONENT_NAME_MAX], hint[SIMILAR_MOST + 32], words[200];
  const char *text = ui_text(ui, path), *dot = strchr(text, '.');
  size_t length = dot ? (size_t)(dot - text) : 0;
  if (path == 0)
    return (ui_target_t){0};
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
  manager_o *m = world_find_manager(ui->world, name);
  bool single = m && m->schema.kind == SCHEMA_SINGLE && m->count > 0;
  int32_t column = single ? manager_find_column(m, dot + 1) : -1;
  const field_t *f = column >= 0 ? &m->schema.fields[column] : NULL;
  if (f && f->type != FIELD_ENTITY && f->type != FIELD_MAT4 && !(f->flags & FIELD_READ_ONLY))
    return (ui_target_t){m, (uint32_t)column, f->type == FIELD_ENUM, f->type == FIELD_STRING};
  similar_t s;
  similar_begin(&s, single ? dot + 1 : text);
  for (uint32_t i = 0; single && i < m->schema.field_count; ++i)
    similar_offer(&s, m->schema.fields[i].name);
  snprintf(words, sizeof words, "%.96s is no field of a single", text);
  ui_say_once(ui, n, "bind", words, similar_hint(&s, hint, sizeof hint));
  return (ui_target_t){0};
}

static uint32_t bind_of(const ui_o *ui, const ui_node_t *n) {
  switch (n->kind) {
  case UI_SLIDER: return ui->at.slider.bind[n->row];
  case UI_CHECKBOX: return ui->at.checkbox.bind[n->row];
  case UI_LIST: return ui->at.list.bind[n->row];
  case UI_ENTRY: return ui->at.entry.bind[n->row];
  case UI_BAR: return ui->at.bar.bind[n->row];
  default: return 0;
  }
}

// A list counts from 1, an enum from 0; a text is one of the items.
static uint32_t item_of(ui_o *ui, const ui_node_t *n, const char *wanted) {
  const char *items = ui_text_as_it_is(ui, ui->at.list.items[n->row]);
  size_t length = strlen(wanted), bytes = 0;
  for (uint32_t i = 1;; ++i) {
    const char *line = ui_line(items, i, &bytes);
    if (!line || (bytes == length && memcmp(line, wanted, bytes) == 0))
      return line ? i : 0;
  }
}

static void read_bind(ui_o *ui, const ui_node_t *n) {
  uint32_t path = bind_of(ui, n);
  ui_target_t t = find_bound(ui, n, path);
  if (!t.m)
    return;
  double value = columns_get(&t.m->columns, 0, t.column);
  switch (n->kind) {
  case UI_SLIDER: ui->at.slider.value[n->row] = (float)value; break;
  case UI_CHECKBOX: ui->at.checkbox.value[n->row] = value != 0; break;
  case UI_BAR: ui->at.bar.value[n->row] = (float)value; break;
  case UI_LIST:
    ui->at.list.selected[n->row] = t.is_text   ? item_of(ui, n, ui_text_as_it_is(ui, (uint32_t)value))
                                   : value < 0 ? 0
                                               : (uint32_t)value + (t.is_enum ? 1 : 0);
    break;
  case UI_ENTRY:
    if (t.is_text)
      ui->at.entry.text[n->row] = (uint32_t)value;
    break;
  default: break;
  }
}

void ui_read_binds(ui_o *ui) {
  static const ui_kind_t KINDS[] = {UI_SLIDER, UI_CHECKBOX, UI_LIST, UI_ENTRY, UI_BAR};
  for (uint32_t i = 0; i < sizeof KINDS / sizeof *KINDS; ++i) {
    const manager_o *m = ui->managers.kinds[KINDS[i]];
    for (uint32_t row = 0; row < m->count; ++row) {
      ui_node_t n = {.entity = m->owner[row], .kind = KINDS[i], .row = row};
      read_bind(ui, &n);
    }
  }
}

static void write_bind(ui_o *ui, const ui_node_t *n, double value, uint32_t text) {
  ui_target_t t = find_bound(ui, n, bind_of(ui, n));
  size_t bytes = 0;
  if (!t.m)
    return;
  if (t.is_text && n->kind == UI_LIST) {
    char item[256];
    const char *line = ui_line(ui_text_as_it_is(ui, ui->at.list.items[n->row]), (uint32_t)value, &bytes);
    snprintf(item, sizeof item, "%.*s", line ? (int)bytes : 0, line ? line : "");
    text = strings_intern(world_strings(ui->world), item);
  }
  double put = t.is_text ? text : t.is_enum && n->kind == UI_LIST ? value - 1 : value;
  if (!t.is_text || n->kind == UI_LIST || n->kind == UI_ENTRY)
    columns_set(&t.m->columns, 0, t.column, put);
}

static uint32_t emits_of(const ui_o *ui, const ui_node_t *n) {
  switch (n->kind) {
  case UI_BUTTON: return ui->at.button.emits[n->row];
  case UI_SLIDER: return ui->at.slider.emits[n->row];
  case UI_CHECKBOX: return ui->at.checkbox.emits[n->row];
  case UI_LIST: return ui->at.list.emits[n->row];
  case UI_ENTRY: return ui->at.entry.emits[n->row];
  default: return 0;
  }
}

void ui_changed(ui_o *ui, const ui_node_t *n, double value, uint32_t text) {
  write_bind(ui, n, value, text);
  ui_emit(ui, "changed", n, value, text);
  emit_named(ui, n, emits_of(ui, n), value, text);
}

void ui_pressed(ui_o *ui, const ui_node_t *n, double value) {
  ui_emit(ui, "pressed", n, value, 0);
  emit_named(ui, n, emits_of(ui, n), value, 0);
  ui_sound(ui, ui->theme.palette.press);
}

void ui_submitted(ui_o *ui, const ui_node_t *n, uint32_t text) {
  ui_emit(ui, "entry_submitted", n, 0, text);
  ui_sound(ui, ui->theme.palette.press);
}

// --- sliders

static void mark(ui_o *ui, const ui_node_t *n, uint32_t column) {
  columns_touch(&ui->managers.kinds[n->kind]->columns, column, n->row, 1);
}

static void set_slider(ui_o *ui, const ui_node_t *n, float value) {
  shoal_assert(n->kind == UI_SLIDER, "widget of kind %d slides", (int)n->kind);
  const slider_columns *s = &ui->at.slider;
  float min = s->min[n->row], max = s->max[n->row], step = s->step[n->row];
  if (!(min <= max)) {
    ui_say_once(ui, n, "slider", "min is above max: it cannot be moved", "");
    return;
  }
  if (step > 0)
    value = min + floorf((value - min) / step + 0.5f) * step;
  value = value < min ? min : value > max ? max : value;
  if (value == s->value[n->row] || !isfinite(value))
    return;
  s->value[n->row] = value;
  mark(ui, n, SHOAL_INDEX(slider, value));
  ui_changed(ui, n, (double)value, 0);
  ui_sound(ui, ui->theme.palette.change);
}

static void slide_to(ui_o *ui, const ui_node_t *n, float x) {
  float left, width;
  ui_track(ui, n, &left, &width);
  float part = width > 0 ? (x - left) / width : 0, min = ui->at.slider.min[n->row], max = ui->at.slider.max[n->row];
  part = part < 0 ? 0 : part > 1 ? 1 : part;
  set_slider(ui, n, min + (max - min) * part);
}

static void slide_by(ui_o *ui, const ui_node_t *n, int step) {
  float by = ui->at.slider.step[n->row], range = ui->at.slider.max[n->row] - ui->at.slider.min[n->row];
  set_slider(ui, n, ui->at.slider.value[n->row] + (float)step * (by > 0 ? by : range / 10));
}

// --- checkboxes

static void toggle(ui_o *ui, const ui_node_t *n) {
  uint8_t *value = &ui->at.checkbox.value[n->row];
  *value = !*value;
  mark(ui, n, SHOAL_INDEX(checkbox, value));
  ui_changed(ui, n, *value, 0);
  ui_sound(ui, ui->theme.palette.change);
}

// --- lists

static uint32_t items_of(const ui_o *ui, const ui_node_t *n) {
  return ui_line_count(ui_text(ui, ui->at.list.items[n->row]));
}

static void scroll_to(ui_o *ui, const ui_node_t *n, uint32_t count) {
  shoal_assert(n->kind == UI_LIST, "widget of kind %d scrolls", (int)n->kind);
  uint32_t *first = &ui->at.list.first[n->row], rows = ui_rows(ui, n), at = ui->at.list.selected[n->row];
  uint32_t last = count > rows ? count - rows + 1 : 1;
  if (at > 0 && at < *first)
    *first = at;
  if (at >= *first + rows)
    *first = at - rows + 1;
  *first = *first > last ? last : *first < 1 ? 1 : *first;
}

static bool select_item(ui_o *ui, const ui_node_t *n, uint32_t item) {
  uint32_t *selected = &ui->at.list.selected[n->row], count = items_of(ui, n);
  if (item < 1 || item > count)
    return false;
  bool same = *selected == item;
  *selected = item;
  if (ui->at.list.rows[n->row] > 1)
    scroll_to(ui, n, count);
  if (same)
    return true;
  mark(ui, n, SHOAL_INDEX(list, selected));
  ui_changed(ui, n, item, 0);
  ui_sound(ui, ui->theme.palette.change);
  return true;
}

static void step_list(ui_o *ui, const ui_node_t *n, int step) {
  uint32_t count = items_of(ui, n), at = ui->at.list.selected[n->row];
  if (count > 0)
    select_item(ui, n, step > 0 ? at % count + 1 : at > 1 ? at - 1 : count);
}

static uint32_t item_at(ui_o *ui, const ui_node_t *n, float y) {
  const ui_look_t *look = ui_look(ui, n);
  float row = floorf((y - n->y - look->padding / 2) / ui_row_height(ui, look));
  return row >= 0 && row < (float)ui_rows(ui, n) ? ui->at.list.first[n->row] + (uint32_t)row : 0;
}

// --- what the player does

void ui_accept(ui_o *ui, uint32_t node) {
  const ui_node_t *n = &ui->nodes.items[node];
  shoal_assert(ui_takes_focus(ui, n), "node %u is used and cannot be", node);
  if (n->kind == UI_BUTTON)
    ui_pressed(ui, n, 0);
  else if (n->kind == UI_CHECKBOX)
    toggle(ui, n);
  else if (n->kind == UI_LIST && ui->at.list.rows[n->row] <= 1)
    step_list(ui, n, 1);
  else if (n->kind == UI_LIST && ui->at.list.selected[n->row] > 0)
    ui_pressed(ui, n, ui->at.list.selected[n->row]);
  else if (n->kind == UI_DIALOGUE)
    ui_read_on(ui, n);
}

void ui_press(ui_o *ui, uint32_t node, const ui_input_t *in) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_SLIDER)
    slide_to(ui, n, in->mouse_x);
  else if (n->kind == UI_ENTRY)
    ui_point_at_text(ui, n, in->mouse_x, ui->desc.input->keys[225] || ui->desc.input->keys[229]);
}

void ui_drag(ui_o *ui, uint32_t node, const ui_input_t *in) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_SLIDER && in->mouse_moved)
    slide_to(ui, n, in->mouse_x);
  else if (n->kind == UI_ENTRY && in->mouse_moved)
    ui_point_at_text(ui, n, in->mouse_x, true);
}

void ui_release(ui_o *ui, uint32_t node, const ui_input_t *in) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_LIST && ui->at.list.rows[n->row] <= 1) {
    step_list(ui, n, in->mouse_x < n->x + n->width * 0.66f ? -1 : 1);
  } else if (n->kind == UI_LIST) {
    if (select_item(ui, n, item_at(ui, n, in->mouse_y)))
      ui_pressed(ui, n, ui->at.list.selected[n->row]);
  } else if (n->kind == UI_DIALOGUE) {
    ui_click_dialogue(ui, n, in->mouse_y);
  } else if (n->kind != UI_SLIDER) {
    ui_accept(ui, node);
  }
}

void ui_wheel(ui_o *ui, uint32_t node, float notches) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_LIST && ui->at.list.rows[n->row] > 1) {
    uint32_t count = items_of(ui, n), rows = ui_rows(ui, n), *first = &ui->at.list.first[n->row];
    int64_t last = count > rows ? (int64_t)(count - rows) + 1 : 1;
    int64_t to = (int64_t)*first - (int64_t)fmaxf(fminf(roundf(notches * 3), 1e6f), -1e6f);
    *first = (uint32_t)(to < 1 ? 1 : to > last ? last : to);
  } else if (n->kind == UI_SLIDER) {
    slide_by(ui, n, notches > 0 ? 1 : -1);
  }
}

bool ui_go_aside(ui_o *ui, uint32_t node, int step) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_SLIDER)
    slide_by(ui, n, step);
  else if (n->kind == UI_LIST && ui->at.list.rows[n->row] <= 1)
    step_list(ui, n, step);
  else
    return false;
  return true;
}

bool ui_go_along(ui_o *ui, uint32_t node, int step) {
  const ui_node_t *n = &ui->nodes.items[node];
  if (n->kind == UI_LIST && ui->at.list.rows[n->row] > 1) {
    uint32_t at = ui->at.list.selected[n->row];
    return select_item(ui, n, step > 0 ? at + 1 : at > 0 ? at - 1 : 0);
  }
  return n->kind == UI_DIALOGUE && ui_choose(ui, n, step);
}
