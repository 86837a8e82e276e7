// Reads the visible widgets: identity, focus, and layout.
#include "walk.h"

#include "base/hash.h"
#include "components/name.h"
#include "render/draw_internal.h"
#include "ui/layout.h"
#include "ui/machine.h"
#include "ui/measure.h"
#include "ui/scroll.h"
#include "ui/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

ui_o *walk_ui(walk_t *w) {
  ui_o *ui = w->host->session.game->ui;
  ui_get_columns(ui);
  if (ui->machine) {
    ui_lay_out(ui);
    machine_select_player(ui, 0);
  }
  if (ui->managers.widget->count == 0)
    ui->nodes.count = 0;
  return ui;
}

// --- identity

// Returns the text of a field of the entity; "" if it lacks the component or the field.
static const char *read_text(world_o *world, shoal_entity e, const char *component, const char *field) {
  const manager_o *m = world_find_manager(world, component);
  uint32_t row = m ? manager_row(m, e) : ROW_NONE;
  int32_t column = row != ROW_NONE ? manager_find_column(m, field) : -1;
  return column < 0 ? ""
                    : strings_text(world_strings(world), (uint32_t)columns_get(&m->columns, row, (uint32_t)column));
}

// Returns the widget's text, as a reference to the game's strings if it is one.
static const char *get_text(const ui_o *ui, const ui_node_t *n) {
  const uint32_t *const TEXTS[UI_KIND_COUNT] = {
      [UI_LABEL] = ui->columns.label.text,   [UI_BUTTON] = ui->columns.button.text,
      [UI_SLIDER] = ui->columns.slider.text, [UI_CHECKBOX] = ui->columns.checkbox.text,
      [UI_LIST] = ui->columns.list.text,     [UI_ENTRY] = ui->columns.entry.placeholder,
  };
  return TEXTS[n->kind] ? strings_text(world_strings(ui->world), TEXTS[n->kind][n->row]) : "";
}

void screen_describe_widget(walk_t *w, const ui_node_t *n, char *out, size_t bytes) {
  ui_o *ui = walk_ui(w);
  const char *text = game_strings_resolve(ui->game_strings, get_text(ui, n)), *kind = ui_kind_name(n->kind);
  const char *name = read_text(ui->world, n->entity, "name", "value");
  const char *shown = text[0] && text[0] != ' ' ? text : name;
  snprintf(out, bytes, shown[0] ? "%s \"%.60s\"" : "%s", kind, shown);
}

static uint64_t hash_without_digits(const char *text, uint64_t seed) {
  char kept[128];
  size_t count = 0;
  for (; *text && count < sizeof kept; ++text)
    if (!isdigit((unsigned char)*text))
      kept[count++] = *text;
  return hash_bytes(kept, count, seed);
}

// Returns true for a button of the options that shows the keys of an action, shortened if there are many.
static bool shows_keys(const ui_o *ui, const ui_node_t *n) {
  return strcmp(read_text(ui->world, n->entity, "shoal.option", "does"), "key") == 0;
}

uint64_t screen_widget_hash(const ui_o *ui, const ui_node_t *n) {
  world_o *world = ui->world;
  const char *does = read_text(world, n->entity, "shoal.option", "does");
  bool is_key = shows_keys(ui, n);
  uint64_t hash = hash_bytes(&n->kind, sizeof n->kind, hash_text(does));
  hash = hash_without_digits(read_text(world, n->entity, "name", "value"), hash);
  hash = hash_without_digits(read_text(world, n->entity, "shoal.option", "name"), hash);
  if (n->kind != UI_LABEL && !is_key)
    hash = hash_without_digits(get_text(ui, n), hash);
  return hash;
}

// --- scope

static uint32_t find_modal(const ui_o *ui) {
  uint32_t found = UI_NO_NODE;
  for (uint32_t i = 0; i < ui->nodes.count; i = ui->nodes.items[i].end)
    found = ui_is_modal(ui, &ui->nodes.items[i]) ? i : found;
  return found;
}

static bool follows_entity(const ui_o *ui, const ui_node_t *n) {
  return manager_row(ui->managers.follow, ui->nodes.items[n->root].entity) != ROW_NONE;
}

bool screen_takes_pointer(const ui_o *ui, uint32_t node) {
  uint32_t modal = find_modal(ui);
  return ui_can_focus(ui, &ui->nodes.items[node]) && (modal == UI_NO_NODE || node >= modal);
}

bool screen_takes_keys(const ui_o *ui, uint32_t node) {
  uint32_t modal = find_modal(ui);
  const ui_node_t *n = &ui->nodes.items[node], *root = &ui->nodes.items[n->root];
  bool accepts = root->kind != UI_PANEL || ui->columns.panel.keys[root->row];
  return ui_can_focus(ui, n) && accepts && (modal == UI_NO_NODE || n->root == modal);
}

bool screen_has_controls(walk_t *w) {
  const ui_o *ui = walk_ui(w);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (screen_takes_pointer(ui, i))
      return true;
  return false;
}

shoal_entity screen_focus(walk_t *w) {
  const ui_o *ui = walk_ui(w);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (ui->columns.widget.focused[ui->nodes.items[i].widget])
      return ui->nodes.items[i].entity;
  return 0;
}

const ui_node_t *screen_find(walk_t *w, shoal_entity e) {
  const ui_o *ui = walk_ui(w);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (ui->nodes.items[i].entity == e)
      return &ui->nodes.items[i];
  return NULL;
}

const ui_node_t *screen_find_hovered(walk_t *w) {
  const ui_o *ui = walk_ui(w);
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    if (ui->columns.widget.hovered[ui->nodes.items[i].widget])
      return &ui->nodes.items[i];
  return NULL;
}

// --- signature

// Returns true for a singleton of the game whose choices distinguish screens. The player's settings do not.
static bool has_phases(const schema_t *s) {
  return s->kind == SCHEMA_SINGLE && strcmp(s->name, "settings") != 0 && strstr(s->origin, ".lua") != NULL;
}

static uint64_t hash_choices(world_o *world, uint64_t hash) {
  for (uint32_t id = 1; id <= world_manager_count(world); ++id) {
    const manager_o *m = world_manager(world, id);
    for (uint32_t c = 0; has_phases(&m->schema) && m->count > 0 && c < m->schema.field_count; ++c) {
      double value = columns_get(&m->columns, 0, c);
      if (m->schema.fields[c].type == FIELD_ENUM)
        hash = hash_bytes(&value, sizeof value, hash);
    }
  }
  return hash;
}

uint64_t screen_signature(walk_t *w) {
  ui_o *ui = walk_ui(w);
  uint64_t hash = hash_choices(ui->world, w->host->session.game->paused);
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    if (follows_entity(ui, n))
      continue;
    uint64_t parts[3] = {screen_widget_hash(ui, n), ui_is_disabled(ui, n), screen_takes_keys(ui, i)};
    hash = hash_bytes(parts, sizeof parts, hash);
  }
  return hash;
}

uint64_t screen_menu(walk_t *w) {
  ui_o *ui = walk_ui(w);
  uint64_t hash = 0;
  for (uint32_t i = find_modal(ui); i < ui->nodes.count; ++i) {
    uint64_t parts[2] = {screen_widget_hash(ui, &ui->nodes.items[i]), ui_is_disabled(ui, &ui->nodes.items[i])};
    hash = hash_bytes(parts, sizeof parts, hash);
  }
  return hash;
}

uint64_t screen_geometry(walk_t *w) {
  ui_o *ui = walk_ui(w);
  uint64_t hash = 0;
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    float box[4] = {n->x, n->y, n->width, n->height};
    if (ui_can_focus(ui, n) && !follows_entity(ui, n))
      hash = hash_bytes(box, sizeof box, hash);
  }
  return hash;
}

// --- layout

// Returns true if the node's own text does not fit into its box.
static bool text_overflows(ui_o *ui, uint32_t node) {
  ui_node_t before = ui->nodes.items[node], *n = &ui->nodes.items[node];
  bool has_text = n->kind == UI_LABEL || n->kind == UI_BUTTON || n->kind == UI_CHECKBOX || n->kind == UI_DIALOGUE ||
                  n->kind == UI_SLIDER || (n->kind == UI_LIST && ui->columns.list.rows[n->row] <= 1);
  if (!has_text)
    return false;
  float *width = &ui->columns.widget.width[n->widget], *height = &ui->columns.widget.height[n->widget];
  float fixed_width = *width, fixed_height = *height;
  *width = n->kind == UI_DIALOGUE ? n->width : 0;
  *height = 0;
  ui_measure(ui, node, n->width);
  float needed_width = n->min_width, needed_height = n->min_height;
  *width = fixed_width;
  *height = fixed_height;
  *n = before;
  bool is_slider = n->kind == UI_SLIDER; // the track may shrink
  bool has_image = n->kind == UI_LABEL && ui->columns.label.image[n->row] != 0;
  return !has_image && (needed_width > n->width + 1 + (is_slider ? 100.0f : 0) || needed_height > n->height + 1);
}

static bool is_outside(const ui_node_t *n, float x, float y, float width, float height) {
  return n->x < x - 1 || n->y < y - 1 || n->x + n->width > x + width + 1 || n->y + n->height > y + height + 1;
}

// --- contrast

#define MIN_CONTRAST 3.0f // minimum contrast of text in a focused widget, as WCAG 2.1 requires for large text

// Returns the relative luminance of an sRGB colour (WCAG 2.1).
static float get_luminance(const float colour[4]) {
  static const float SHARES[3] = {0.2126f, 0.7152f, 0.0722f};
  float luminance = 0;
  for (int i = 0; i < 3; ++i) {
    float c = fminf(fmaxf(colour[i], 0), 1);
    luminance += SHARES[i] * (c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f));
  }
  return luminance;
}

static void lay_over(float below[4], const float colour[4]) {
  for (int i = 0; i < 3; ++i)
    below[i] += (colour[i] - below[i]) * colour[3];
  below[3] += (1 - below[3]) * colour[3];
}

// Writes the colour of the panels below a node. Its alpha is the opacity of all panels together.
static void find_background(const ui_o *ui, const ui_node_t *n, float out[4]) {
  memset(out, 0, 4 * sizeof *out);
  if (n->parent == UI_NO_NODE)
    return;
  const ui_node_t *parent = &ui->nodes.items[n->parent];
  find_background(ui, parent, out);
  const float *fill = theme_get_look(&ui->theme, parent->style, UI_NORMAL)->fill;
  if (out[3] == 0)
    memcpy(out, fill, 3 * sizeof *out);
  lay_over(out, fill);
}

// Returns the contrast between a focused widget's text and its background, 1 to 21. Returns 21 if the text is
// invisible, because the game draws it, or if the game itself is the background.
static float measure_focus_contrast(const ui_o *ui, const ui_node_t *n) {
  const ui_look_t *look = theme_get_look(&ui->theme, n->style, UI_FOCUS);
  float background[4], text[4];
  find_background(ui, n, background);
  if (background[3] == 0)
    memcpy(background, look->fill, 3 * sizeof *background);
  lay_over(background, look->fill);
  if (look->text[3] == 0 || background[3] < 0.5f)
    return 21;
  memcpy(text, background, sizeof text);
  lay_over(text, look->text);
  float a = get_luminance(text), b = get_luminance(background);
  return (fmaxf(a, b) + 0.05f) / (fminf(a, b) + 0.05f);
}

static void report_widget(walk_t *w, const ui_node_t *n, const char *problem) {
  char name[96], message[192];
  screen_describe_widget(w, n, name, sizeof name);
  snprintf(message, sizeof message, "%s %s", name, problem);
  walk_report(w, message);
}

void screen_check_focus(walk_t *w) {
  ui_o *ui = walk_ui(w);
  uint32_t count = 0;
  ui_begin_render(ui);
  const uint8_t *focused = widget_columns_of(ui->managers.widget).focused;
  for (uint32_t i = 0; i < ui->nodes.count; ++i)
    count += ui->nodes.items[i].player == 0 && focused[ui->nodes.items[i].widget];
  ui_end_render(ui);
  if (count > 1)
    walk_report(w, "several widgets have the focus");
}

// Games draw the names of single keys with input.prompt, which follows the device in use. Words for several keys are
// their own, and must follow it as well.
void screen_check_prompts(walk_t *w) {
  static const char *const KEYS[] = {"WASD",   "rrows or", "or arrows", ", arrows",
                                     "rrows:", "Space:",   "Up, down:", "Escape:"};
  const draw_o *draw = w->host->session.draw;
  char message[192];
  if (w->devices.used == 0)
    return;
  for (uint32_t i = 0; i < draw->commands.count; ++i) {
    const draw_command_t *c = &draw->commands.items[i];
    const char *text = c->kind == DRAW_TEXT ? draw_get_text(draw, c->first) : "", *found = NULL;
    for (size_t k = 0; k < sizeof KEYS / sizeof *KEYS && !found; ++k)
      found = strstr(text, KEYS[k]);
    snprintf(message, sizeof message, "the text \"%.100s\" names keys while a pad is in use", text);
    if (found && !strstr(text, " pad")) // "Arrow keys, WASD or a pad"
      walk_report(w, message);
  }
}

void screen_check_layout(walk_t *w) {
  ui_o *ui = walk_ui(w);
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    const ui_node_t *n = &ui->nodes.items[i];
    const ui_node_t *parent = n->parent == UI_NO_NODE ? NULL : &ui->nodes.items[n->parent];
    bool scrolls = n->scroller != UI_NO_NODE, moved = n->offset_x != 0 || n->offset_y != 0;
    if (follows_entity(ui, n))
      continue;
    if (!shows_keys(ui, n) && text_overflows(ui, i))
      report_widget(w, n, "is too small for its text");
    else if (!scrolls && is_outside(n, 0, 0, ui->width, ui->height))
      report_widget(w, n, "is partly outside the screen");
    else if (!scrolls && parent && !moved && is_outside(n, parent->x, parent->y, parent->width, parent->height))
      report_widget(w, n, "is partly outside its panel");
    if (ui_can_focus(ui, n) && measure_focus_contrast(ui, n) < MIN_CONTRAST)
      report_widget(w, n, "has too little contrast between text and background while focused");
  }
}
