// Incremental layout of widgets: after any edits, the layout equals a layout of all widgets from the start.
#include "ui/measure.h"
#include "ui/state.h"
#include "ui/ui.h"

#include "base/random.h"
#include "components/builtin.h"
#include "schema/schema_build.h"
#include "simulation/components.h"
#include "ecs/world_hash.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WIDGETS 64u

#define SETTINGS_FIELDS(F) F(string, language, "")
SHOAL_SINGLE(settings, SETTINGS_FIELDS)

typedef struct fixture_t {
  world_o *world;
  components_o *components;
  ui_o *ui;
  log_o *log;
  assets_t assets;
  input_state_t now, before;
  random_t random;
  shoal_entity widgets[MAX_WIDGETS]; // may be dead
  uint32_t count;
  shoal_entity body; // has a transform, but is not a widget
  allocator_t memory;
  snapshot_o *snapshot;
  bool is_saved;
} fixture_t;

SETUP(fixture_t, f) {
  error_info_t error;
  f->log = log_create(LOG_NONE);
  snprintf(f->assets.engine, sizeof f->assets.engine, "%s", "assets");
  f->world = world_create(&(world_desc_t){.seed = 1, .log = f->log});
  f->components = components_create(f->world, &f->assets, &error);
  f->ui = ui_create(&(ui_desc_t){f->world, &f->now, &f->before, NULL, components_typesetter(f->components)}, &error);
  assert_non_null(f->ui);
  assert_true(world_declare_schema_desc(
                  f->world, &(schema_desc_t){.component = &settings_component, .origin = "[shoal]"}, &error) != 0);
  f->snapshot = snapshot_create(&f->memory);
}

TEARDOWN(fixture_t, f) {
  snapshot_release(f->snapshot);
  ui_destroy(f->ui);
  components_destroy(f->components);
  world_destroy(f->world);
  log_destroy(f->log);
}

static manager_o *get_manager(const fixture_t *f, const char *name) {
  manager_o *m = world_find_manager(f->world, name);
  assert_non_null(m);
  return m;
}

// Writes a field in place, like a script. Does nothing if the entity lacks the component.
static void set_field(fixture_t *f, shoal_entity e, const char *component, const char *field, double value) {
  manager_o *m = get_manager(f, component);
  uint32_t row = manager_row(m, e);
  int32_t column = manager_find_column(m, field);
  assert_true(column >= 0);
  if (row != ROW_NONE)
    columns_set(&m->columns, row, (uint32_t)column, value);
}

static double string_id(const fixture_t *f, const char *text) {
  return strings_intern(world_strings(f->world), text);
}

static void run_tick(fixture_t *f) {
  ui_update(f->ui, 1.0 / 60);
  ui_lay_out(f->ui);
  f->before = f->now;
  f->now.wheel = 0;
  world_end_tick(f->world);
}

static shoal_entity add_widget(fixture_t *f, shoal_entity parent, const char *component) {
  error_info_t error;
  shoal_entity e = world_spawn(f->world, 0, &error);
  assert_true(world_add_component(f->world, e, get_manager(f, "transform")->id, 0, &error));
  assert_true(world_add_component(f->world, e, get_manager(f, component)->id, 0, &error));
  set_field(f, e, "transform", "parent", parent);
  return e;
}

// --- random edits

static uint32_t below(fixture_t *f, uint32_t count) {
  return random_u32(&f->random) % count;
}

static float choose(fixture_t *f, const float *values, uint32_t count) {
  return values[below(f, count)];
}

#define CHOOSE(f, ...) choose(f, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

static double choose_text(fixture_t *f) {
  static const char *const TEXTS[] = {
      "",           "Fire",  "offline files", "a line that is long enough to wrap in a narrow panel",
      "two\nlines", "é ü ñ", "@greeting",     "[b]tags[/b] [color=#f00]red[/color]"};
  char text[64];
  uint32_t i = below(f, 12);
  snprintf(text, sizeof text, "gold %u of %u", below(f, 100000), below(f, 10));
  return string_id(f, i < sizeof TEXTS / sizeof *TEXTS ? TEXTS[i] : text);
}

static const char *const KINDS[] = {"panel", "label", "button", "slider",  "checkbox",
                                    "list",  "entry", "bar",    "dialogue"};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static const char *find_kind(const fixture_t *f, shoal_entity e) {
  for (uint32_t i = 0; i < KIND_COUNT; ++i)
    if (manager_row(get_manager(f, KINDS[i]), e) != ROW_NONE)
      return KINDS[i];
  return "";
}

static shoal_entity choose_widget(fixture_t *f) {
  return f->count > 0 ? f->widgets[below(f, f->count)] : 0;
}

static shoal_entity choose_parent(fixture_t *f) {
  return below(f, 6) == 0 ? 0 : choose_widget(f);
}

// Replaces an entity that is not a widget. This moves rows of `transform`.
static void replace_body(fixture_t *f) {
  error_info_t error;
  if (world_is_alive(f->world, f->body))
    world_destroy_entity(f->world, f->body);
  f->body = world_spawn(f->world, 0, &error);
  assert_true(world_add_component(f->world, f->body, get_manager(f, "transform")->id, 0, &error));
}

static void edit_tree(fixture_t *f) {
  static const char *const FREQUENT[] = {"panel", "label", "label", "panel"};
  shoal_entity e = choose_widget(f);
  uint32_t choice = below(f, 10);
  if (choice < 5 || f->count == 0) {
    uint32_t kind = below(f, KIND_COUNT + 8);
    e = add_widget(f, choose_parent(f), kind < KIND_COUNT ? KINDS[kind] : FREQUENT[kind % 4]);
    f->widgets[f->count < MAX_WIDGETS ? f->count++ : below(f, MAX_WIDGETS)] = e;
  } else if (choice < 6 && world_is_alive(f->world, e)) {
    world_destroy_entity(f->world, e);
  } else if (choice < 8 && world_is_alive(f->world, e)) {
    set_field(f, e, "transform", "parent", choose_parent(f));
  } else {
    set_field(f, e, "widget", "visible", below(f, 3) > 0);
  }
}

static void edit_widget(fixture_t *f, shoal_entity e) {
  switch (below(f, 9)) {
  case 0: set_field(f, e, "widget", "width", (double)CHOOSE(f, 0, 0, 40, 300, 1600)); break;
  case 1: set_field(f, e, "widget", "height", (double)CHOOSE(f, 0, 0, 30, 200, 900)); break;
  case 2: set_field(f, e, "widget", "margin", (double)CHOOSE(f, 0, 5, 30)); break;
  case 3: set_field(f, e, "widget", "grow", (double)CHOOSE(f, 0, 0, 1, 3)); break;
  case 4: set_field(f, e, "widget", "anchor", below(f, 10)); break;
  case 5: set_field(f, e, "widget", "layer", below(f, 3)); break;
  case 6: set_field(f, e, "transform", "x", (double)CHOOSE(f, 0, 12.5f, -300)); break;
  case 7: set_field(f, e, "transform", "y", (double)CHOOSE(f, 0, 7, -40)); break;
  default: set_field(f, e, "widget", "disabled", below(f, 2)); break;
  }
}

static void edit_panel(fixture_t *f, shoal_entity e) {
  switch (below(f, 8)) {
  case 0: set_field(f, e, "panel", "layout", below(f, 4)); break;
  case 1: set_field(f, e, "panel", "columns", below(f, 4)); break;
  case 2: set_field(f, e, "panel", "gap", (double)CHOOSE(f, -1, 0, 20)); break;
  case 3: set_field(f, e, "panel", "padding", (double)CHOOSE(f, -1, 0, 40)); break;
  case 4: set_field(f, e, "panel", "align", below(f, 4)); break;
  case 5: set_field(f, e, "panel", "justify", below(f, 4)); break;
  case 6: set_field(f, e, "panel", "scroll", (double)CHOOSE(f, 0, 50, 1e6f)); break;
  default: set_field(f, e, "panel", "modal", below(f, 4) == 0); break;
  }
}

static void edit_text(fixture_t *f, shoal_entity e, const char *kind) {
  static const char *const STYLES[] = {"", "title", "dim", "plain", "box", "unknown"};
  uint32_t choice = below(f, 6);
  bool is_label = strcmp(kind, "label") == 0;
  if (choice == 0)
    set_field(f, e, kind, "style", string_id(f, STYLES[below(f, 6)]));
  else if (is_label && choice == 1)
    set_field(f, e, kind, "wrap", below(f, 2));
  else if (is_label && choice == 2)
    set_field(f, e, kind, "markup", below(f, 2));
  else if (is_label && choice == 3)
    set_field(f, e, kind, "image", below(f, 3) == 0 ? string_id(f, "sky.png") : 0);
  else if (strcmp(kind, "list") == 0 && choice == 1)
    set_field(f, e, kind, "rows", below(f, 6));
  else
    set_field(f, e, kind, strcmp(kind, "list") == 0 && choice == 2 ? "items" : "text", choose_text(f));
}

static void declare_strings(fixture_t *f) {
  static const char *const GREETINGS[] = {"Hello", "Welcome to a longer greeting"};
  ui_strings_begin(f->world);
  ui_add_string(f->world, "en", "greeting", PLURAL_OTHER, GREETINGS[below(f, 2)]);
  ui_add_string(f->world, "de", "greeting", PLURAL_OTHER, "Seid gegrüßt");
}

static void edit_settings(fixture_t *f) {
  manager_o *settings = get_manager(f, "settings");
  float number = 16 + (float)below(f, 3) * 5;
  switch (below(f, 6)) {
  case 0: ui_set_screen(f->ui, below(f, 2) ? 1280 : 640, below(f, 2) ? 720 : 480); break;
  case 1: ui_set_theme_key(f->world, below(f, 2) ? "" : "label", UI_NORMAL, UI_KEY_SIZE, &number, ""); break;
  case 2: ui_set_theme_key(f->world, "", UI_NORMAL, UI_KEY_GAP, &number, ""); break;
  case 3: typesetter_set_fallbacks(components_typesetter(f->components), below(f, 2) ? "fonts/mono.ttf" : ""); break;
  case 4: declare_strings(f); break;
  default:
    columns_set(&settings->columns, 0, (uint32_t)manager_find_column(settings, "language"),
                string_id(f, below(f, 2) ? "de" : "en"));
  }
}

static void save_or_restore(fixture_t *f) {
  error_info_t error;
  if (f->is_saved && below(f, 2))
    assert_true(snapshot_restore(f->snapshot, f->world, &error));
  else
    f->is_saved = snapshot_take(f->snapshot, f->world, &error);
}

static void move_pointer(fixture_t *f) {
  f->now.mouse_x = (float)below(f, 1280);
  f->now.mouse_y = (float)below(f, 720);
  f->now.wheel = (float)below(f, 3) - 1;
  f->now.mouse_buttons[1] = below(f, 4) == 0;
}

// Frees the strings with ids from `first` to `last`, although widgets may use them.
static void sweep_strings(fixture_t *f, uint32_t first, uint32_t last) {
  strings_o *strings = world_strings(f->world);
  strings_unmark_all(strings);
  for (uint32_t id = 1; id < strings_count(strings); ++id)
    if (id < first || id > last)
      strings_mark(strings, id);
  strings_sweep(strings);
}

// Gives a few string ids, which widgets may use, different texts.
static void edit_strings(fixture_t *f) {
  uint32_t count = strings_count(world_strings(f->world)), first = below(f, count), last = first + below(f, 10);
  char text[32];
  sweep_strings(f, first, last);
  for (uint32_t id = first; id <= last && id < count; ++id) {
    snprintf(text, sizeof text, "%u, %.*s", random_u32(&f->random), (int)below(f, 20), "a text of any length");
    string_id(f, text);
  }
}

static void edit(fixture_t *f) {
  shoal_entity e = choose_widget(f);
  const char *kind = find_kind(f, e);
  uint32_t choice = below(f, 100);
  if (f->count < 30 || choice < 5)
    edit_tree(f);
  else if (choice < 7)
    edit_settings(f);
  else if (choice < 12)
    save_or_restore(f);
  else if (choice < 16)
    move_pointer(f);
  else if (choice < 18)
    replace_body(f);
  else if (choice < 20)
    edit_strings(f);
  else if (choice < 42)
    edit_widget(f, e);
  else if (strcmp(kind, "panel") == 0)
    edit_panel(f, e);
  else if (strcmp(kind, "entry") != 0 && kind[0])
    edit_text(f, e, kind);
}

// --- comparison

typedef struct layout_t {
  ui_node_t *nodes;
  uint32_t node_count;
  uint64_t hash;
} layout_t;

static layout_t copy_layout(const fixture_t *f) {
  layout_t layout = {.node_count = f->ui->nodes.count, .hash = world_hash(f->world)};
  size_t bytes = layout.node_count * sizeof *layout.nodes;
  layout.nodes = malloc(bytes + 1);
  memcpy(layout.nodes, f->ui->nodes.items, bytes);
  return layout;
}

static void assert_same_float(float a, float b, uint32_t node, const char *what, uint32_t step) {
  if (memcmp(&a, &b, sizeof a) != 0)
    fail_msg("edit %u: node %u: %s is %.9g, but %.9g in a complete layout", step, node, what, (double)a, (double)b);
}

static void assert_same_nodes(const layout_t *incremental, const ui_o *ui, uint32_t step) {
  assert_int_equal(incremental->node_count, ui->nodes.count);
  for (uint32_t i = 0; i < ui->nodes.count; ++i) {
    const ui_node_t *a = &incremental->nodes[i], *b = &ui->nodes.items[i];
    assert_true(a->entity == b->entity && a->kind == b->kind && a->row == b->row && a->end == b->end &&
                a->player == b->player && a->style == b->style);
    assert_same_float(a->min_width, b->min_width, i, "min_width", step);
    assert_same_float(a->min_height, b->min_height, i, "min_height", step);
    assert_same_float(a->x, b->x, i, "x", step);
    assert_same_float(a->y, b->y, i, "y", step);
    assert_same_float(a->width, b->width, i, "width", step);
    assert_same_float(a->height, b->height, i, "height", step);
    assert_same_float(a->overflow, b->overflow, i, "overflow", step);
    if (a->scroller != b->scroller)
      fail_msg("edit %u: node %u: scroller is %u, but %u in a complete layout", step, i, a->scroller, b->scroller);
  }
}

static void compare_with_complete_layout(fixture_t *f, uint32_t step) {
  ui_lay_out(f->ui);
  layout_t incremental = copy_layout(f);
  f->ui->has_layout = false;
  ui_lay_out(f->ui);
  assert_same_nodes(&incremental, f->ui, step);
  assert_true(incremental.hash == world_hash(f->world)); // including the columns with the results
  free(incremental.nodes);
}

TEST_IN(layout_after_random_edits_equals_a_complete_layout, fixture_t, f) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    random_seed(&f->random, seed);
    for (uint32_t step = 0; step < 3000; ++step) {
      edit(f);
      if (below(f, 3) > 0)
        run_tick(f);
      if (below(f, 5) == 0)
        compare_with_complete_layout(f, step);
    }
  }
}

TEST_IN(positions_of_a_restored_world_are_computed_again, fixture_t, f) {
  error_info_t error;
  shoal_entity panel = add_widget(f, 0, "panel");
  run_tick(f);
  set_field(f, panel, "widget", "width", 300);
  assert_true(snapshot_take(f->snapshot, f->world, &error)); // a state with the positions of the previous width
  run_tick(f);
  uint64_t hash = world_hash(f->world);
  assert_true(snapshot_restore(f->snapshot, f->world, &error));
  run_tick(f);
  assert_true(hash == world_hash(f->world));
}

// --- cost

// A row of two labels in a panel with many labels.
typedef struct board_t {
  shoal_entity panel, first, second;
} board_t;

static board_t make_board(fixture_t *f) {
  board_t board = {.panel = add_widget(f, 0, "panel")};
  shoal_entity row = add_widget(f, board.panel, "panel");
  set_field(f, row, "panel", "layout", LAYOUT_ROW);
  board.first = add_widget(f, row, "label");
  board.second = add_widget(f, row, "label");
  for (uint32_t i = 0; i < 20; ++i)
    set_field(f, add_widget(f, board.panel, "label"), "label", "text", string_id(f, "a line of the board"));
  set_field(f, board.first, "label", "text", string_id(f, "gold 100"));
  set_field(f, board.second, "label", "text", string_id(f, "wood"));
  run_tick(f);
  return board;
}

// Sets each widget's result to a value that the next layout replaces if it places the widget.
static void forget_results(fixture_t *f) {
  const manager_o *widget = get_manager(f, "widget");
  float *at_x = manager_column(widget, (uint32_t)manager_find_column(widget, "at_x"));
  for (uint32_t row = 0; row < widget->count; ++row)
    at_x[row] = -1;
}

static uint32_t count_placed(const fixture_t *f) {
  const manager_o *widget = get_manager(f, "widget");
  const float *at_x = manager_column(widget, (uint32_t)manager_find_column(widget, "at_x"));
  uint32_t count = 0;
  for (uint32_t row = 0; row < widget->count; ++row)
    count += at_x[row] != -1;
  return count;
}

TEST_IN(text_of_the_same_size_moves_no_widget, fixture_t, f) {
  board_t board = make_board(f);
  forget_results(f);
  set_field(f, board.first, "label", "text", string_id(f, "gold 001"));
  run_tick(f);
  assert_int_equal(count_placed(f), 0);
}

TEST_IN(wider_text_moves_only_the_widgets_of_its_row, fixture_t, f) {
  board_t board = make_board(f);
  forget_results(f);
  set_field(f, board.first, "label", "text", string_id(f, "gold 10000"));
  run_tick(f);
  // the label, its neighbour, the row and the panel, whose children are placed again
  assert_in_range(count_placed(f), 3, 4);
}

TEST_IN(sweep_of_unused_strings_measures_no_widget, fixture_t, f) {
  make_board(f);
  uint32_t unused = (uint32_t)string_id(f, "not the text of a label");
  run_tick(f);
  uint64_t measured = f->ui->measured_count;
  sweep_strings(f, unused, unused);
  run_tick(f);
  assert_int_equal(f->ui->measured_count, measured);
}

TEST_IN(label_is_measured_again_when_its_string_id_gets_a_different_text, fixture_t, f) {
  make_board(f);
  uint32_t id = (uint32_t)string_id(f, "wood");
  uint64_t measured = f->ui->measured_count;
  sweep_strings(f, id, id);
  assert_int_equal(string_id(f, "hardwood and softwood"), id);
  run_tick(f);
  assert_in_range(f->ui->measured_count - measured, 1, 4);
  compare_with_complete_layout(f, 0);
}

TEST_IN(text_of_a_label_with_a_fixed_size_moves_no_widget, fixture_t, f) {
  board_t board = make_board(f);
  set_field(f, board.first, "widget", "width", 100);
  set_field(f, board.first, "widget", "height", 30);
  run_tick(f);
  forget_results(f);
  set_field(f, board.first, "label", "text", string_id(f, "a text that is much longer than before"));
  run_tick(f);
  assert_int_equal(count_placed(f), 0);
}
