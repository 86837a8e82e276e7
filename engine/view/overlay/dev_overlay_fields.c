// Fields of the selected entity. A drag changes a number. A click toggles a boolean, cycles an enum or selects a
// referenced entity; for other fields, it writes the console line that sets the value.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "content/row_json.h"
#include "schema/bit_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW 20.0f
#define WIDE 300.0f
#define TOP 60.0f
#define SWATCH_WIDTH 24.0f
#define SWATCH_HEIGHT 12.0f

typedef struct fields_t {
  dev_overlay_o *d;
  gui_t *b;
  const dev_overlay_view_t *v;
  shoal_entity entity;
  gui_rect_t r;
  float y; // y of the next row
} fields_t;

static const char *get_string(world_o *w, double id) {
  return id > 0 ? strings_text(world_strings(w), (uint32_t)id) : "";
}

static void format_value(const fields_t *f, const manager_o *m, uint32_t row, uint32_t column, char *out,
                         size_t bytes) {
  const field_t *field = &m->schema.fields[column];
  double number = field->type == FIELD_MAT4 ? 0 : columns_get(&m->columns, row, column);
  if (field->flags & FIELD_IS_COUNT) {
    json_writer_t text;
    json_writer_init(&text, &f->d->memory);
    row_json_write_field(f->v->world, &m->columns, row, column, &text);
    snprintf(out, bytes, "%s", json_writer_text(&text));
    json_writer_fini(&text);
    return;
  }
  switch (field->type) {
  case FIELD_MAT4: snprintf(out, bytes, "matrix"); break;
  case FIELD_STRING:
  case FIELD_ASSET: snprintf(out, bytes, "\"%s\"", get_string(f->v->world, number)); break;
  case FIELD_BOOL: snprintf(out, bytes, "%s", number != 0 ? "true" : "false"); break;
  case FIELD_ENUM: snprintf(out, bytes, "%s", field_choice(field, (uint32_t)number)); break;
  case FIELD_ENTITY: snprintf(out, bytes, number > 0 ? "#%.0f" : "none", number); break;
  case FIELD_F32:
  case FIELD_F64: snprintf(out, bytes, "%.6g", number); break;
  case FIELD_U32: bit_names_format(field, (uint32_t)number, out, bytes); break;
  default: snprintf(out, bytes, "%.0f", number); break;
  }
}

static bool is_number(const field_t *f) {
  return f->type >= FIELD_F32 && f->type <= FIELD_U32 && !bit_names_exist(f);
}

static bool can_edit(const fields_t *f, const field_t *field) {
  // lists can be edited only in the browser
  return !f->v->read_only && field_is_settable(field) && !(field->flags & FIELD_IS_COUNT);
}

// Writes a set request up to and including "value":. The caller appends the value and the closing brace.
static void format_set_request_head(const dev_overlay_o *d, char *out, size_t bytes) {
  char component[2 * COMPONENT_NAME_MAX], instance[160], field[2 * FIELD_NAME_MAX];
  snprintf(out, bytes,
           "{\"do\":\"set\",\"entity\":%u,\"component\":\"%s\",\"instance\":\"%s\",\"field\":\"%s\",\"goes_on\":%s,"
           "\"value\":",
           d->field_entity, dev_overlay_quote(d->field_component, component, sizeof component),
           dev_overlay_quote(d->field_instance, instance, sizeof instance),
           dev_overlay_quote(d->field_name, field, sizeof field), d->drag_began ? "true" : "false");
}

static void set_dragged_field(const fields_t *f, const manager_o *m, uint32_t row, const field_t *field,
                              const char *instance) {
  dev_overlay_o *d = f->d;
  double number = columns_get(&m->columns, row, (uint32_t)(field - m->schema.fields));
  shoal_assert(d->drag != DRAG_FIELD, "another field is already being dragged");
  d->field_entity = f->entity;
  snprintf(d->field_component, sizeof d->field_component, "%s", m->schema.name);
  snprintf(d->field_instance, sizeof d->field_instance, "%s", instance);
  snprintf(d->field_name, sizeof d->field_name, "%s", field->name);
  d->field_from = number;
  d->field_whole = field->type != FIELD_F32 && field->type != FIELD_F64;
  bool ranged = (field->flags & FIELD_HAS_MIN) && (field->flags & FIELD_HAS_MAX);
  d->field_step = ranged ? (field->max - field->min) / 200 : fmax(fabs(number), 1) / 100;
  d->drag_began = false;
}

// Handles a click on a value: toggles a boolean, cycles an enum, or selects the referenced entity. For any other value,
// writes the console line that sets it, unless the row is a named instance.
static void handle_value_click(const fields_t *f, const manager_o *m, uint32_t row, const field_t *field,
                               const char *value) {
  char set[700], quoted[128], names[400];
  double number = columns_get(&m->columns, row, (uint32_t)(field - m->schema.fields));
  format_set_request_head(f->d, set, sizeof set);
  if (field->type == FIELD_ENTITY && number > 0)
    dev_overlay_request(f->d, "{\"do\":\"pick\",\"entities\":[%.0f]}", number);
  else if (field->type == FIELD_BOOL)
    dev_overlay_request(f->d, "%s%s}", set, number != 0 ? "false" : "true");
  else if (field->type == FIELD_ENUM && field->choice_count > 0)
    dev_overlay_request(
        f->d, "%s\"%s\"}", set,
        dev_overlay_quote(field_choice(field, ((uint32_t)number + 1) % field->choice_count), quoted, sizeof quoted));
  else if (f->d->field_instance[0] == '\0') {
    if (bit_names_exist(field))
      value = bit_names_format_lua(field, (uint32_t)number, names, sizeof names);
    snprintf(set, sizeof set, "e.%s.%s = %s", m->schema.name, field->name, value);
    line_edit_set(&f->d->line, set);
    f->d->console_focused = true;
  }
}

static bool advance_row(fields_t *f, gui_rect_t *out) {
  *out = (gui_rect_t){f->r.x + 6, f->y, f->r.width - 12, ROW};
  f->y += ROW;
  return out->y + ROW > f->r.y && out->y < f->r.y + f->r.height;
}

// Returns true if the column is the first one of a colour. Schemas have no colour type, so colours are recognized by
// their usual names, as on the cockpit page (assets/cockpit/inspector.js).
static bool begins_colour(const schema_t *s, uint32_t column) {
  static const char *const words[] = {"colour", "color", "tint", "background", "outline", "shadow", "flash"};
  const char *name = s->fields[column].name, *dot = strrchr(name, '.');
  const char *third = column + 2 < s->field_count ? strrchr(s->fields[column + 2].name, '.') : NULL;
  if (!(s->fields[column].flags & FIELD_IS_AXIS) || !dot || strcmp(dot, ".x") != 0 || !third ||
      strcmp(third, ".z") != 0)
    return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strstr(name, words[i]))
      return true;
  return false;
}

// Draws the colour of the three columns from `column` on.
static void draw_swatch(const fields_t *f, const manager_o *m, uint32_t row, uint32_t column, float x, float y) {
  gui_box_t box = {.fill = {0, 0, 0, 1}, .line = {1, 1, 1, 0.3f}, .radius = 3, .border = 1};
  for (uint32_t i = 0; i < 3; ++i)
    box.fill[i] = (float)fmin(fmax(columns_get(&m->columns, row, column + i), 0), 1);
  gui_draw_box(f->b, (gui_rect_t){x, y - SWATCH_HEIGHT / 2, SWATCH_WIDTH, SWATCH_HEIGHT}, &box);
}

static void draw_field(fields_t *f, const manager_o *m, uint32_t row, uint32_t column, const char *instance) {
  const field_t *field = &m->schema.fields[column];
  char value[160], name[FIELD_NAME_MAX];
  gui_rect_t r;
  shoal_assert(row < m->count && column < m->schema.field_count,
               "field %u (count %u) or row %u (count %u) is out of range", column, m->schema.field_count, row,
               m->count);
  if (!advance_row(f, &r))
    return;
  format_value(f, m, row, column, value, sizeof value);
  bool is_writable = can_edit(f, field), over = gui_is_over(f->b, r) && gui_is_over(f->b, f->r);
  if (is_writable && over)
    gui_fill_rect(f->b, r, BRUSH_TEXT, 0.08f);
  float named = gui_draw_text(f->b, r.x + 16, r.y + ROW / 2, BRUSH_DIM, field_label(field, name), 150);
  if (begins_colour(&m->schema, column)) {
    draw_swatch(f, m, row, column, r.x + 24 + named, r.y + ROW / 2);
    named += 8 + SWATCH_WIDTH;
  }
  float max_width = r.width - named - 36, width = gui_text_width(f->b, BRUSH_MONO, value);
  gui_draw_text(f->b, r.x + r.width - 8 - fminf(width, max_width), r.y + ROW / 2,
                is_writable ? BRUSH_MONO : BRUSH_MONO_DIM, value, max_width);
  bool touched = columns_is_touched(&m->columns, row, column);
  if (touched)
    gui_fill_rect(f->b, (gui_rect_t){r.x + 6, r.y + ROW / 2 - 2, 4, 4}, BRUSH_ACCENT, 1);
  if (!over || !f->b->pressed || (!is_writable && field->type != FIELD_ENTITY))
    return;
  set_dragged_field(f, m, row, field, instance);
  if (is_number(field))
    f->d->drag = DRAG_FIELD;
  else
    handle_value_click(f, m, row, field, value);
}

static void draw_component(fields_t *f, const manager_o *m, uint32_t row) {
  gui_rect_t r;
  const char *instance = m->schema.kind == SCHEMA_MANY ? get_string(f->v->world, m->instance[row]) : "";
  char name[COMPONENT_NAME_MAX + 70];
  snprintf(name, sizeof name, "%s%s%s", m->schema.name, instance[0] ? " " : "", instance);
  f->y += 5;
  if (advance_row(f, &r))
    gui_draw_text(f->b, r.x + 6, r.y + ROW / 2, BRUSH_TITLE, name, r.width - 12);
  for (uint32_t i = 0; i < m->schema.field_count; ++i)
    if (!(m->schema.fields[i].flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT)))
      draw_field(f, m, row, i, instance);
}

static void draw_components(fields_t *f) {
  world_o *w = f->v->world;
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    const manager_o *m = world_manager(w, id);
    if (!m || m->schema.kind == SCHEMA_SINGLE)
      continue;
    for (uint32_t row = manager_row(m, f->entity); row != ROW_NONE;
         row = m->schema.kind == SCHEMA_MANY ? m->next[row] : ROW_NONE) {
      shoal_assert(row < m->count, "row %u of %s is out of range (count %u)", row, m->schema.name, m->count);
      draw_component(f, m, row);
    }
  }
}

static void draw_title(const fields_t *f) {
  world_o *w = f->v->world;
  const manager_o *names = world_find_manager(w, "name");
  uint32_t row = names ? manager_row(names, f->entity) : ROW_NONE;
  char text[160];
  const char *name = row != ROW_NONE ? get_string(w, columns_get(&names->columns, row, 0)) : "";
  const char *kind = get_string(w, world_entities(w)->assemblage[shoal_entity_index(f->entity)]);
  snprintf(text, sizeof text, "#%u %s%s%s", f->entity, name, name[0] && kind[0] ? ", " : "", kind);
  gui_draw_text(f->b, f->r.x + 12, f->r.y + 17, BRUSH_ACCENT, text, f->r.width - 110);
  snprintf(text, sizeof text, f->v->picked_count > 1 ? "one of %u" : "selected", f->v->picked_count);
  gui_draw_text_right(f->b, f->r.x + f->r.width - 12, f->r.y + 17, BRUSH_DIM, text);
}

void dev_overlay_drag_field(dev_overlay_o *d, gui_t *b) {
  char set[700];
  double value = d->field_from + round((double)(b->x - d->from_x) / 2) * d->field_step;
  if (d->drag != DRAG_FIELD || !b->down)
    return;
  if (fabsf(b->x - d->last_x) < 2 || (!d->drag_began && fabsf(b->x - d->from_x) < 4))
    return;
  d->last_x = b->x;
  format_set_request_head(d, set, sizeof set);
  dev_overlay_request(d, "%s%.9g}", set, d->field_whole ? round(value) : value);
  d->drag_began = true;
}

// Ends a drag. If the number was clicked but not dragged, writes the console line that sets it, unless the row is a
// named instance.
static void end_drag(fields_t *f) {
  dev_overlay_o *d = f->d;
  char line[256];
  if (d->drag != DRAG_FIELD || f->b->down || d->drag_began || d->field_instance[0])
    return;
  snprintf(line, sizeof line, "e.%s.%s = %.9g", d->field_component, d->field_name, d->field_from);
  line_edit_set(&d->line, line);
  d->console_focused = true;
}

void dev_overlay_draw_fields(dev_overlay_o *d, gui_t *b, const dev_overlay_view_t *v) {
  fields_t f = {.d = d, .b = b, .v = v, .entity = v->picked_count > 0 ? v->picked[0] : 0};
  if (!v->world || !f.entity || !world_is_alive(v->world, f.entity))
    return;
  f.r = (gui_rect_t){b->width - WIDE - 8, TOP, WIDE, b->height - TOP - 8};
  gui_draw_panel(b, f.r);
  draw_title(&f);
  f.r = (gui_rect_t){f.r.x, f.r.y + 32, f.r.width, f.r.height - 38};
  if (gui_is_over(b, f.r))
    d->scroll -= d->wheel * 3 * ROW;
  f.y = f.r.y - d->scroll;
  gui_set_clip(b, f.r);
  draw_components(&f);
  gui_set_clip(b, (gui_rect_t){0, 0, 0, 0});
  float over = f.y + d->scroll - f.r.y - f.r.height;
  d->scroll = fmaxf(fminf(d->scroll, over), 0);
  dev_overlay_drag_field(d, b);
  end_drag(&f);
}
