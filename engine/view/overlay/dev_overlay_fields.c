// Fields of the selected entity. A drag changes a number. A click toggles a boolean, cycles an enum or selects a
// referenced entity; for other fields, it writes the console line that sets the value.
#include "overlay/dev_overlay_internal.h"

#include "base/assert.h"
#include "content/row_json.h"
#include "schema/bit_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW_HEIGHT 20.0f
#define PANEL_WIDTH 300.0f
#define PANEL_TOP 60.0f
#define SWATCH_WIDTH 24.0f
#define SWATCH_HEIGHT 12.0f

typedef struct fields_t {
  dev_overlay_o *overlay;
  gui_t *gui;
  const dev_overlay_view_t *view;
  shoal_entity entity;
  gui_rect_t rect;
  float y; // y of the next row
} fields_t;

static const char *get_string(world_o *w, double id) {
  return id > 0 ? strings_text(world_strings(w), (uint32_t)id) : "";
}

static void format_value(const fields_t *panel, const manager_o *manager, uint32_t row, uint32_t column, char *out,
                         size_t bytes) {
  const field_t *field = &manager->schema.fields[column];
  double number = field->type == FIELD_MAT4 ? 0 : columns_get(&manager->columns, row, column);
  if (field->flags & FIELD_IS_COUNT) {
    json_writer_t text;
    json_writer_init(&text, &panel->overlay->memory);
    row_json_write_field(panel->view->world, &manager->columns, row, column, &text);
    snprintf(out, bytes, "%s", json_writer_text(&text));
    json_writer_fini(&text);
    return;
  }
  switch (field->type) {
  case FIELD_MAT4: snprintf(out, bytes, "matrix"); break;
  case FIELD_STRING:
  case FIELD_ASSET: snprintf(out, bytes, "\"%s\"", get_string(panel->view->world, number)); break;
  case FIELD_BOOL: snprintf(out, bytes, "%s", number != 0 ? "true" : "false"); break;
  case FIELD_ENUM: snprintf(out, bytes, "%s", field_choice(field, (uint32_t)number)); break;
  case FIELD_ENTITY: snprintf(out, bytes, number > 0 ? "#%.0f" : "none", number); break;
  case FIELD_F32:
  case FIELD_F64: snprintf(out, bytes, "%.6g", number); break;
  case FIELD_U32: bit_names_format(field, (uint32_t)number, out, bytes); break;
  default: snprintf(out, bytes, "%.0f", number); break;
  }
}

static bool is_number(const field_t *field) {
  return field->type >= FIELD_F32 && field->type <= FIELD_U32 && !bit_names_exist(field);
}

static bool can_edit(const fields_t *panel, const field_t *field) {
  // lists can be edited only in the browser
  return !panel->view->read_only && field_is_settable(field) && !(field->flags & FIELD_IS_COUNT);
}

// Writes a set request up to and including "value":. The caller appends the value and the closing brace.
static void format_set_request_prefix(const dev_overlay_o *overlay, char *out, size_t bytes) {
  char component[2 * COMPONENT_NAME_MAX], instance[160], field[2 * FIELD_NAME_MAX];
  snprintf(out, bytes,
           "{\"do\":\"set\",\"entity\":%u,\"component\":\"%s\",\"instance\":\"%s\",\"field\":\"%s\",\"goes_on\":%s,"
           "\"value\":",
           overlay->field_entity, dev_overlay_quote(overlay->field_component, component, sizeof component),
           dev_overlay_quote(overlay->field_instance, instance, sizeof instance),
           dev_overlay_quote(overlay->field_name, field, sizeof field), overlay->drag_sent ? "true" : "false");
}

static void begin_field_drag(const fields_t *panel, const manager_o *manager, uint32_t row, const field_t *field,
                             const char *instance) {
  dev_overlay_o *overlay = panel->overlay;
  double number = columns_get(&manager->columns, row, (uint32_t)(field - manager->schema.fields));
  shoal_assert(overlay->drag != DRAG_FIELD, "another field is already being dragged");
  overlay->field_entity = panel->entity;
  snprintf(overlay->field_component, sizeof overlay->field_component, "%s", manager->schema.name);
  snprintf(overlay->field_instance, sizeof overlay->field_instance, "%s", instance);
  snprintf(overlay->field_name, sizeof overlay->field_name, "%s", field->name);
  overlay->field_start_value = number;
  overlay->field_is_integer = field->type != FIELD_F32 && field->type != FIELD_F64;
  bool has_range = (field->flags & FIELD_HAS_MIN) && (field->flags & FIELD_HAS_MAX);
  overlay->field_step = has_range ? (field->max - field->min) / 200 : fmax(fabs(number), 1) / 100;
  overlay->drag_sent = false;
}

// Handles a click on a value: toggles a boolean, cycles an enum, or selects the referenced entity. For any other value,
// writes the console line that sets it, unless the row is a named instance.
static void handle_value_click(const fields_t *panel, const manager_o *manager, uint32_t row, const field_t *field,
                               const char *value) {
  char text[700], quoted[128], bits[400];
  double number = columns_get(&manager->columns, row, (uint32_t)(field - manager->schema.fields));
  format_set_request_prefix(panel->overlay, text, sizeof text);
  if (field->type == FIELD_ENTITY && number > 0)
    dev_overlay_request(panel->overlay, "{\"do\":\"pick\",\"entities\":[%.0f]}", number);
  else if (field->type == FIELD_BOOL)
    dev_overlay_request(panel->overlay, "%s%s}", text, number != 0 ? "false" : "true");
  else if (field->type == FIELD_ENUM && field->choice_count > 0)
    dev_overlay_request(
        panel->overlay, "%s\"%s\"}", text,
        dev_overlay_quote(field_choice(field, ((uint32_t)number + 1) % field->choice_count), quoted, sizeof quoted));
  else if (panel->overlay->field_instance[0] == '\0') {
    if (bit_names_exist(field))
      value = bit_names_format_lua(field, (uint32_t)number, bits, sizeof bits);
    snprintf(text, sizeof text, "e.%s.%s = %s", manager->schema.name, field->name, value);
    line_edit_set(&panel->overlay->line, text);
    panel->overlay->console_focused = true;
  }
}

static bool advance_row(fields_t *panel, gui_rect_t *out) {
  *out = (gui_rect_t){panel->rect.x + 6, panel->y, panel->rect.width - 12, ROW_HEIGHT};
  panel->y += ROW_HEIGHT;
  return out->y + ROW_HEIGHT > panel->rect.y && out->y < panel->rect.y + panel->rect.height;
}

// Returns true if the column is the first column of a colour. Schemas have no colour type, so colours are recognized by
// their usual names, as on the cockpit page (assets/cockpit/inspector.js).
static bool is_colour_start(const schema_t *schema, uint32_t column) {
  static const char *const names[] = {"colour", "color", "tint", "background", "outline", "shadow", "flash"};
  const char *name = schema->fields[column].name, *dot = strrchr(name, '.');
  const char *third_suffix = column + 2 < schema->field_count ? strrchr(schema->fields[column + 2].name, '.') : NULL;
  if (!(schema->fields[column].flags & FIELD_IS_AXIS) || !dot || strcmp(dot, ".x") != 0 || !third_suffix ||
      strcmp(third_suffix, ".z") != 0)
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strstr(name, names[i]))
      return true;
  return false;
}

// Draws the colour stored in the three columns starting at `column`.
static void draw_swatch(const fields_t *panel, const manager_o *manager, uint32_t row, uint32_t column, float x,
                        float y) {
  gui_box_t box = {.fill = {0, 0, 0, 1}, .line = {1, 1, 1, 0.3f}, .radius = 3, .border = 1};
  for (uint32_t i = 0; i < 3; ++i)
    box.fill[i] = (float)fmin(fmax(columns_get(&manager->columns, row, column + i), 0), 1);
  gui_draw_box(panel->gui, (gui_rect_t){x, y - SWATCH_HEIGHT / 2, SWATCH_WIDTH, SWATCH_HEIGHT}, &box);
}

static void draw_field(fields_t *panel, const manager_o *manager, uint32_t row, uint32_t column, const char *instance) {
  const field_t *field = &manager->schema.fields[column];
  char value[160], name[FIELD_NAME_MAX];
  gui_rect_t rect;
  shoal_assert(row < manager->count && column < manager->schema.field_count,
               "field %u (count %u) or row %u (count %u) is out of range", column, manager->schema.field_count, row,
               manager->count);
  if (!advance_row(panel, &rect))
    return;
  format_value(panel, manager, row, column, value, sizeof value);
  bool is_writable = can_edit(panel, field),
       is_hovered = gui_is_over(panel->gui, rect) && gui_is_over(panel->gui, panel->rect);
  if (is_writable && is_hovered)
    gui_fill_rect(panel->gui, rect, GUI_LOOK_TEXT, 0.08f);
  float label_width =
      gui_draw_text(panel->gui, rect.x + 16, rect.y + ROW_HEIGHT / 2, GUI_LOOK_DIM, field_label(field, name), 150);
  if (is_colour_start(&manager->schema, column)) {
    draw_swatch(panel, manager, row, column, rect.x + 24 + label_width, rect.y + ROW_HEIGHT / 2);
    label_width += 8 + SWATCH_WIDTH;
  }
  float max_width = rect.width - label_width - 36, width = gui_measure_text_width(panel->gui, GUI_LOOK_MONO, value);
  gui_draw_text(panel->gui, rect.x + rect.width - 8 - fminf(width, max_width), rect.y + ROW_HEIGHT / 2,
                is_writable ? GUI_LOOK_MONO : GUI_LOOK_MONO_DIM, value, max_width);
  bool is_touched = columns_is_touched(&manager->columns, row, column);
  if (is_touched)
    gui_fill_rect(panel->gui, (gui_rect_t){rect.x + 6, rect.y + ROW_HEIGHT / 2 - 2, 4, 4}, GUI_LOOK_ACCENT, 1);
  if (!is_hovered || !panel->gui->pressed || (!is_writable && field->type != FIELD_ENTITY))
    return;
  begin_field_drag(panel, manager, row, field, instance);
  if (is_number(field))
    panel->overlay->drag = DRAG_FIELD;
  else
    handle_value_click(panel, manager, row, field, value);
}

static void draw_component(fields_t *panel, const manager_o *manager, uint32_t row) {
  gui_rect_t rect;
  const char *instance =
      manager->schema.kind == SCHEMA_MANY ? get_string(panel->view->world, manager->instance[row]) : "";
  char name[COMPONENT_NAME_MAX + 70];
  snprintf(name, sizeof name, "%s%s%s", manager->schema.name, instance[0] ? " " : "", instance);
  panel->y += 5;
  if (advance_row(panel, &rect))
    gui_draw_text(panel->gui, rect.x + 6, rect.y + ROW_HEIGHT / 2, GUI_LOOK_TITLE, name, rect.width - 12);
  for (uint32_t i = 0; i < manager->schema.field_count; ++i)
    if (!(manager->schema.fields[i].flags & (FIELD_HIDDEN | FIELD_IS_ELEMENT)))
      draw_field(panel, manager, row, i, instance);
}

static void draw_components(fields_t *panel) {
  world_o *w = panel->view->world;
  for (uint32_t id = 1; id <= world_manager_count(w); ++id) {
    const manager_o *manager = world_manager(w, id);
    if (!manager || manager->schema.kind == SCHEMA_SINGLE)
      continue;
    for (uint32_t row = manager_row(manager, panel->entity); row != ROW_NONE;
         row = manager->schema.kind == SCHEMA_MANY ? manager->next[row] : ROW_NONE) {
      shoal_assert(row < manager->count, "row %u of %s is out of range (count %u)", row, manager->schema.name,
                   manager->count);
      draw_component(panel, manager, row);
    }
  }
}

static void draw_title(const fields_t *panel) {
  world_o *w = panel->view->world;
  const manager_o *names = world_find_manager(w, "name");
  uint32_t row = names ? manager_row(names, panel->entity) : ROW_NONE;
  char text[160];
  const char *name = row != ROW_NONE ? get_string(w, columns_get(&names->columns, row, 0)) : "";
  const char *assemblage = get_string(w, world_entities(w)->assemblage[shoal_entity_index(panel->entity)]);
  snprintf(text, sizeof text, "#%u %s%s%s", panel->entity, name, name[0] && assemblage[0] ? ", " : "", assemblage);
  gui_draw_text(panel->gui, panel->rect.x + 12, panel->rect.y + 17, GUI_LOOK_ACCENT, text, panel->rect.width - 110);
  snprintf(text, sizeof text, panel->view->selected_count > 1 ? "one of %u" : "selected", panel->view->selected_count);
  gui_draw_text_right(panel->gui, panel->rect.x + panel->rect.width - 12, panel->rect.y + 17, GUI_LOOK_DIM, text);
}

void dev_overlay_drag_field(dev_overlay_o *overlay, gui_t *gui) {
  char request[700];
  double value = overlay->field_start_value + round((double)(gui->x - overlay->press_x) / 2) * overlay->field_step;
  if (overlay->drag != DRAG_FIELD || !gui->held)
    return;
  if (fabsf(gui->x - overlay->last_x) < 2 || (!overlay->drag_sent && fabsf(gui->x - overlay->press_x) < 4))
    return;
  overlay->last_x = gui->x;
  format_set_request_prefix(overlay, request, sizeof request);
  dev_overlay_request(overlay, "%s%.9g}", request, overlay->field_is_integer ? round(value) : value);
  overlay->drag_sent = true;
}

// Ends a drag. If the number was clicked but not dragged, writes the console line that sets it, unless the row is a
// named instance.
static void end_drag(fields_t *panel) {
  dev_overlay_o *overlay = panel->overlay;
  char line[256];
  if (overlay->drag != DRAG_FIELD || panel->gui->held || overlay->drag_sent || overlay->field_instance[0])
    return;
  snprintf(line, sizeof line, "e.%s.%s = %.9g", overlay->field_component, overlay->field_name,
           overlay->field_start_value);
  line_edit_set(&overlay->line, line);
  overlay->console_focused = true;
}

void dev_overlay_draw_fields(dev_overlay_o *overlay, gui_t *gui, const dev_overlay_view_t *view) {
  fields_t panel = {
      .overlay = overlay, .gui = gui, .view = view, .entity = view->selected_count > 0 ? view->selected[0] : 0};
  if (!view->world || !panel.entity || !world_is_alive(view->world, panel.entity))
    return;
  panel.rect = (gui_rect_t){gui->width - PANEL_WIDTH - 8, PANEL_TOP, PANEL_WIDTH, gui->height - PANEL_TOP - 8};
  gui_draw_panel(gui, panel.rect);
  draw_title(&panel);
  panel.rect = (gui_rect_t){panel.rect.x, panel.rect.y + 32, panel.rect.width, panel.rect.height - 38};
  if (gui_is_over(gui, panel.rect))
    overlay->scroll -= overlay->wheel * 3 * ROW_HEIGHT;
  panel.y = panel.rect.y - overlay->scroll;
  gui_set_clip(gui, panel.rect);
  draw_components(&panel);
  gui_set_clip(gui, (gui_rect_t){0, 0, 0, 0});
  float max_scroll = panel.y + overlay->scroll - panel.rect.y - panel.rect.height;
  overlay->scroll = fmaxf(fminf(overlay->scroll, max_scroll), 0);
  dev_overlay_drag_field(overlay, gui);
  end_drag(&panel);
}
