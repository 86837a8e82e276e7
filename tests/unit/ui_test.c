// Widgets in a world, driven by recorded input samples like those of a player.
#include "ui/machine.h"
#include "ui/measure.h"
#include "ui/state.h"
#include "ui/tree.h"
#include "ui/ui.h"
#include "ui/widget_action.h"
#include "ui/widgets.h"

#include "components/builtin.h"
#include "draw_fixture.h"
#include "platform/platform_internal.h"
#include "schema/schema_build.h"
#include "simulation/components.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"
#include "transform/transform.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kit_t {
  world_o *world;
  components_o *components;
  ui_o *ui;
  log_o *log;
  assets_t assets;
  input_state_t now, before;
} kit_t;

static kit_t kit; // the current test's world and input

#define SEEN_FIELDS(F) F(entity, entity) F(f64, value, 0) F(string, text, "")
SHOAL_EVENT(pressed, SEEN_FIELDS)
SHOAL_EVENT(changed, SEEN_FIELDS)
SHOAL_EVENT(entry_submitted, SEEN_FIELDS)
SHOAL_EVENT(cancelled, SEEN_FIELDS)
#define ENDED_FIELDS(F) F(entity, entity) F(i32, choice, 0)
SHOAL_EVENT(dialogue_ended, ENDED_FIELDS)
SHOAL_EVENT(resume, SEEN_FIELDS)
#define OPTIONS_FIELDS(F) F(f32, music, 0.5f) F(bool, shake, 0)
SHOAL_SINGLE(options, OPTIONS_FIELDS)

static void declare(const shoal_component *c) {
  error_info_t error;
  assert_true(world_declare_schema_desc(kit.world, &(schema_desc_t){.component = c, .origin = "[shoal]"}, &error) != 0);
}

static void setup(void) {
  error_info_t error;
  memset(&kit, 0, sizeof kit);
  kit.log = log_create(LOG_NONE);
  snprintf(kit.assets.engine, sizeof kit.assets.engine, "%s", "assets");
  kit.world = world_create(&(world_desc_t){.seed = 1, .log = kit.log});
  kit.components = components_create(kit.world, &kit.assets, &error);
  kit.ui =
      ui_create(&(ui_desc_t){kit.world, &kit.now, &kit.before, NULL, components_typesetter(kit.components)}, &error);
  assert_non_null(kit.ui);
  declare(&pressed_component), declare(&changed_component), declare(&entry_submitted_component);
  declare(&cancelled_component), declare(&dialogue_ended_component), declare(&resume_component);
  declare(&options_component);
}

static void teardown(void) {
  ui_destroy(kit.ui);
  components_destroy(kit.components);
  world_destroy(kit.world);
  log_destroy(kit.log);
}
STATIC_FIXTURE(fixture, setup, teardown)

static manager_o *get_manager(const char *name) {
  manager_o *m = world_find_manager(kit.world, name);
  assert_non_null(m);
  return m;
}

static double get_field(shoal_entity e, const char *component, const char *field) {
  const manager_o *m = get_manager(component);
  return columns_get(&m->columns, manager_row(m, e), (uint32_t)manager_find_column(m, field));
}

static void set_field(shoal_entity e, const char *component, const char *field, double value) {
  manager_o *m = get_manager(component);
  columns_set(&m->columns, manager_row(m, e), (uint32_t)manager_find_column(m, field), value);
}

static double string_id(const char *text) {
  return strings_intern(world_strings(kit.world), text);
}

static const char *text_of(shoal_entity e, const char *component, const char *field) {
  return strings_text(world_strings(kit.world), (uint32_t)get_field(e, component, field));
}

static shoal_entity add_widget(shoal_entity parent, const char *component) {
  error_info_t error;
  shoal_entity e = world_spawn(kit.world, 0, &error);
  assert_true(world_add_component(kit.world, e, get_manager("transform")->id, 0, &error));
  assert_true(world_add_component(kit.world, e, get_manager(component)->id, 0, &error));
  set_field(e, "transform", "parent", parent);
  return e;
}

static void run_tick(void) {
  ui_update(kit.ui, 1.0 / 60);
  ui_lay_out(kit.ui);
  kit.before = kit.now;
  memset(kit.now.text, 0, sizeof kit.now.text);
  kit.now.wheel = 0;
  world_end_tick(kit.world);
}

enum {
  KEY_A = 4,
  KEY_ENTER = 40,
  KEY_ESCAPE = 41,
  KEY_BACKSPACE = 42,
  KEY_TAB = 43,
  KEY_RIGHT = 79,
  KEY_LEFT,
  KEY_DOWN,
  KEY_UP
};

// Returns the number of events with this name.
static uint32_t count_events(const char *name) {
  const event_o *ev = world_find_event(kit.world, name);
  return (uint32_t)ev->first + ev->columns.count;
}

static void press_key(int key) {
  kit.now.keys[key] = 1;
  run_tick();
  kit.now.keys[key] = 0;
  run_tick();
}

static void point_at(shoal_entity e, float across) {
  kit.now.mouse_x = (float)(get_field(e, "widget", "at_x") + get_field(e, "widget", "at_width") * (double)across);
  kit.now.mouse_y = (float)(get_field(e, "widget", "at_y") + get_field(e, "widget", "at_height") / 2);
}

static void click_widget(shoal_entity e, float across) {
  point_at(e, across);
  kit.now.mouse_buttons[1] = 1;
  run_tick();
  kit.now.mouse_buttons[1] = 0;
  run_tick();
}

typedef struct menu_t {
  shoal_entity panel, first, second, third;
} menu_t;

static menu_t make_menu(const char *component) {
  menu_t m = {.panel = add_widget(0, "panel")};
  m.first = add_widget(m.panel, component);
  m.second = add_widget(m.panel, component);
  m.third = add_widget(m.panel, component);
  run_tick();
  return m;
}

// --- layout

TEST_WITH(ui_column_is_centred_and_stacks_its_children, fixture) {
  menu_t m = make_menu("button");
  double left = get_field(m.panel, "widget", "at_x"), width = get_field(m.panel, "widget", "at_width");
  assert_true(width > 10 && left + width / 2 > 639 && left + width / 2 < 641);
  assert_true(get_field(m.first, "widget", "at_y") + get_field(m.first, "widget", "at_height") <=
              get_field(m.second, "widget", "at_y"));
  assert_true(get_field(m.first, "widget", "at_width") == get_field(m.second, "widget", "at_width"));
}

TEST_WITH(growing_child_takes_the_free_space_of_a_ui_row, fixture) {
  menu_t m = make_menu("label");
  set_field(m.panel, "panel", "layout", LAYOUT_ROW);
  set_field(m.panel, "panel", "padding", 0);
  set_field(m.panel, "panel", "gap", 0);
  set_field(m.panel, "widget", "width", 600);
  set_field(m.second, "widget", "grow", 1);
  run_tick();
  assert_true(get_field(m.second, "widget", "at_width") == 600);
  assert_true(get_field(m.third, "widget", "at_x") == get_field(m.second, "widget", "at_x") + 600);
}

// Returns true if a widget is horizontally inside the screen, which is 1280 pixels wide.
static bool is_on_screen(shoal_entity e) {
  double left = get_field(e, "widget", "at_x");
  return left >= 0 && left + get_field(e, "widget", "at_width") <= 1280;
}

TEST_WITH(widgets_wider_than_the_screen_shrink_to_it, fixture) {
  menu_t m = make_menu("button");
  shoal_entity inner = add_widget(m.panel, "panel"), note = add_widget(inner, "label"),
               picture = add_widget(0, "label");
  run_tick();
  set_field(m.panel, "widget", "width", 1600);
  set_field(m.panel, "widget", "margin", 20);
  set_field(m.second, "widget", "width", 1500);
  set_field(inner, "widget", "width", 1400);
  set_field(note, "label", "wrap", 1);
  set_field(note, "label", "text",
            string_id("a long text that needs several lines on the screen, "
                      "a long text that needs several lines on the screen, "
                      "a long text that needs several lines on the screen, and its end"));
  set_field(picture, "label", "image", string_id("sky.png"));
  set_field(picture, "widget", "width", 1600);
  run_tick();
  assert_true(get_field(m.panel, "widget", "at_width") == 1240);
  assert_true(is_on_screen(m.panel) && is_on_screen(m.first) && is_on_screen(m.second));
  assert_true(is_on_screen(inner) && is_on_screen(note));
  assert_true(get_field(note, "widget", "at_height") > get_field(m.first, "widget", "at_height"));
  assert_true(get_field(picture, "widget", "at_width") == 1600); // an image may be a background
  set_field(m.panel, "widget", "width", 1280);                   // a panel that fits keeps its width
  run_tick();
  assert_true(get_field(m.panel, "widget", "at_width") == 1280);
}

#define LONG_TEXT "Hintergrundmusiklautstärke insgesamt"

TEST_WITH(long_slider_label_leaves_room_for_the_track, fixture) {
  menu_t m = make_menu("slider");
  set_field(m.panel, "widget", "width", 300);
  set_field(m.first, "slider", "text", string_id(LONG_TEXT));
  run_tick();
  float left, width;
  for (uint32_t i = 0; i < kit.ui->nodes.count; ++i) {
    const ui_node_t *n = &kit.ui->nodes.items[i];
    if (n->kind != UI_SLIDER)
      continue;
    ui_compute_slider_track(kit.ui, n, &left, &width);
    assert_true(left - n->x <= 0.6f * n->width);
    assert_true(width > 0.15f * n->width && left + width < n->x + n->width);
  }
}

TEST_WITH(label_without_wrap_stays_in_its_panel, fixture) {
  menu_t m = make_menu("button");
  shoal_entity row = add_widget(m.panel, "panel"), note = add_widget(m.panel, "label"),
               first = add_widget(row, "label"), second = add_widget(row, "label");
  set_field(m.panel, "widget", "width", 300);
  set_field(row, "panel", "layout", LAYOUT_ROW);
  set_field(note, "label", "text", string_id(LONG_TEXT LONG_TEXT));
  set_field(first, "label", "text", string_id(LONG_TEXT));
  set_field(second, "label", "text", string_id(LONG_TEXT));
  run_tick();
  double right = get_field(m.panel, "widget", "at_x") + 300;
  const shoal_entity LABELS[] = {note, first, second};
  for (size_t i = 0; i < sizeof LABELS / sizeof *LABELS; ++i)
    assert_true(get_field(LABELS[i], "widget", "at_x") + get_field(LABELS[i], "widget", "at_width") < right);
  float line_width, line_height;
  for (uint32_t i = 0; i < kit.ui->nodes.count; ++i) {
    const ui_node_t *n = &kit.ui->nodes.items[i];
    if (n->kind != UI_LABEL)
      continue;
    ui_measure_label(kit.ui, n, ui_get_look(kit.ui, n), n->width, &line_width, &line_height);
    assert_true(line_height <= n->height);
  }
}

TEST_WITH(panel_with_a_margin_moves_up_to_stay_on_the_screen, fixture) {
  menu_t m = make_menu("button");
  set_field(m.panel, "widget", "anchor", ANCHOR_TOP);
  set_field(m.panel, "widget", "margin", 300);
  set_field(m.second, "widget", "height", 300);
  run_tick();
  assert_true(is_on_screen(m.panel));
}

TEST_WITH(widget_size_does_not_depend_on_earlier_measurements, fixture) {
  shoal_entity a = add_widget(0, "label");
  set_field(a, "label", "text", string_id("A text of some length"));
  run_tick();
  double width = get_field(a, "widget", "at_width");
  set_field(a, "label", "text", string_id("short"));
  run_tick();
  set_field(a, "label", "text", string_id("A text of some length"));
  run_tick();
  assert_true(width > 50 && width == get_field(a, "widget", "at_width"));
}

TEST_WITH(layout_is_rebuilt_after_a_restore, fixture) {
  error_info_t error;
  allocator_t memory = {0};
  menu_t m = make_menu("button");
  run_tick();
  snapshot_o *s = snapshot_create(&memory);
  assert_true(snapshot_take(s, kit.world, &error));
  set_field(m.panel, "widget", "width", 700);
  run_tick();
  assert_true(get_field(m.panel, "widget", "at_width") == 700);
  uint64_t hash = world_hash(kit.world);
  assert_true(snapshot_restore(s, kit.world, &error));
  assert_true(get_field(m.panel, "widget", "at_width") != 700);
  set_field(m.panel, "widget", "width", 700);
  run_tick();
  assert_true(hash == world_hash(kit.world));
  snapshot_release(s);
  assert_int_equal(memory.bytes, 0);
}

TEST_WITH(panel_added_without_a_transform_can_have_children, fixture) {
  error_info_t error;
  shoal_entity panel = world_spawn(kit.world, 0, &error);
  assert_true(world_add_component(kit.world, panel, get_manager("panel")->id, 0, &error));
  shoal_entity button = add_widget(panel, "button");
  run_tick();
  assert_true(get_field(button, "widget", "at_width") > 10);
}

TEST_WITH(restored_world_is_drawn_with_its_restored_layout, fixture) {
  error_info_t error;
  allocator_t memory = {0};
  make_menu("button");
  run_tick();
  snapshot_o *s = snapshot_create(&memory);
  draw_o *d = draw_create();
  assert_true(snapshot_take(s, kit.world, &error));
  ui_draw(kit.ui, d, NULL, 0.016f);
  uint32_t drawn = draw_count(d);
  make_menu("button");
  run_tick();
  assert_true(snapshot_restore(s, kit.world, &error));
  uint64_t hash = world_hash(kit.world);
  draw_clear(d);
  ui_draw(kit.ui, d, NULL, 0.016f);
  assert_int_equal(draw_count(d), drawn);
  assert_true(hash == world_hash(kit.world)); // drawing does not change the world
  draw_destroy(d);
  snapshot_release(s);
}

static uint32_t count_drawn(void) {
  draw_o *d = draw_create();
  ui_draw(kit.ui, d, NULL, 0.016f);
  uint32_t count = draw_count(d);
  draw_destroy(d);
  return count;
}

TEST_WITH(menus_below_the_options_screen_are_not_drawn, fixture) {
  error_info_t error;
  shoal_component screen = options_component;
  screen.name = "shoal.options";
  screen.kind = SHOAL_KIND_COMPONENT;
  schema_desc_t desc = {.component = &screen, .origin = "[shoal]", .any_name = true};
  assert_true(world_declare_schema_desc(kit.world, &desc, &error) != 0);
  add_widget(add_widget(0, "panel"), "label"); // a display, which stays visible
  shoal_entity options = add_widget(0, "panel");
  add_widget(options, "button");
  set_field(options, "panel", "modal", 1);
  run_tick();
  set_field(options, "widget", "layer", 100);
  run_tick();
  uint32_t without_menu = count_drawn();
  make_menu("button");
  run_tick();
  assert_true(count_drawn() > without_menu);
  assert_true(world_add_component(kit.world, options, get_manager("shoal.options")->id, 0, &error));
  assert_int_equal(count_drawn(), without_menu);
}

TEST_WITH(placeholder_is_shown_while_an_entry_is_empty, fixture) {
  draw_o *d = draw_create();
  shoal_entity panel = add_widget(0, "panel"), e = add_widget(panel, "entry");
  run_tick();
  assert_true(get_field(e, "widget", "focused") == 1);
  ui_draw(kit.ui, d, NULL, 0.016f);
  uint32_t without = draw_count(d);
  set_field(e, "entry", "placeholder", string_id("Your name"));
  draw_clear(d);
  ui_draw(kit.ui, d, NULL, 0.016f);
  assert_true(draw_count(d) > without);
  draw_destroy(d);
}

static void assert_no_text_is_cut(void) {
  draw_o *d = draw_create();
  ui_draw(kit.ui, d, NULL, 0.016f);
  for (uint32_t i = 0; i < d->commands.count; ++i) {
    const char *text = d->commands.items[i].kind == DRAW_TEXT ? draw_get_text(d, d->commands.items[i].first) : "";
    if (strstr(text, "…"))
      fail_msg("a text is cut: “%s”", text);
  }
  draw_destroy(d);
}

TEST_WITH(row_shows_the_whole_texts_of_buttons_whose_widths_are_fractions, fixture) {
  shoal_entity row = add_widget(0, "panel"), button;
  set_field(row, "panel", "layout", LAYOUT_ROW);
  set_field(row, "panel", "gap", 12.727272);
  for (uint32_t i = 0; i < 8; ++i) {
    ui_set_theme_key(kit.world, "", UI_NORMAL, UI_KEY_SIZE, (const float[4]){20.0f + 0.31f * (float)i}, "");
    button = add_widget(row, "button");
    set_field(button, "button", "text", string_id("Refuse"));
    run_tick();
    assert_no_text_is_cut();
  }
}

TEST_WITH(narrow_bar_without_a_text_shows_no_ellipsis, fixture) {
  shoal_entity panel = add_widget(0, "panel"), bar = add_widget(panel, "bar");
  run_tick();
  set_field(bar, "widget", "width", 5);
  run_tick();
  assert_no_text_is_cut();
}

TEST_WITH(panel_image_is_drawn_below_its_children, fixture) {
  ui_set_theme_key(kit.world, "panel", UI_NORMAL, UI_KEY_IMAGE, NULL, "frame.png");
  make_menu("slider");
  run_tick();
  draw_o *d = draw_create();
  ui_draw(kit.ui, d, NULL, 0.016f);
  uint32_t picture = UINT32_MAX, box = 0;
  for (uint32_t i = 0; i < d->commands.count; ++i)
    if (d->commands.items[i].kind == DRAW_SLICED)
      picture = i;
    else if (d->commands.items[i].kind == DRAW_RECT && box == 0)
      box = i + 1; // index of the first rectangle, plus 1
  assert_true(picture != UINT32_MAX && box > picture + 1);
  draw_destroy(d);
}

TEST_WITH(nan_and_infinite_widget_sizes_do_not_crash_the_layout, fixture) {
  menu_t m = make_menu("button");
  set_field(m.panel, "widget", "width", (double)NAN);
  set_field(m.first, "widget", "margin", (double)INFINITY);
  set_field(m.second, "widget", "grow", (double)-INFINITY);
  set_field(m.third, "transform", "x", (double)NAN);
  set_field(m.panel, "panel", "columns", 0);
  for (uint32_t layout = LAYOUT_COLUMN; layout <= LAYOUT_STACK; ++layout) {
    set_field(m.panel, "panel", "layout", layout);
    run_tick();
  }
}

TEST_WITH(layout_terminates_if_widgets_form_a_parent_cycle, fixture) {
  shoal_entity a = add_widget(0, "panel"), b = add_widget(a, "panel");
  set_field(a, "transform", "parent", b);
  *world_links_written(kit.world) = 1;
  run_tick();
  run_tick();
}

TEST_WITH(layout_terminates_if_widgets_are_deeply_nested, fixture) {
  shoal_entity e = 0;
  for (int i = 0; i < 200; ++i)
    e = add_widget(e, "panel");
  run_tick();
}

// --- focus and keys

TEST_WITH(first_widget_has_the_focus_and_keys_wrap_around, fixture) {
  menu_t m = make_menu("button");
  run_tick();
  assert_true(get_field(m.first, "widget", "focused") == 1);
  press_key(KEY_DOWN);
  assert_true(get_field(m.second, "widget", "focused") == 1 && get_field(m.first, "widget", "focused") == 0);
  press_key(KEY_UP), press_key(KEY_UP);
  assert_true(get_field(m.third, "widget", "focused") == 1);
  press_key(KEY_TAB);
  assert_true(get_field(m.first, "widget", "focused") == 1);
}

TEST_WITH(resting_pointer_highlights_nothing_after_a_key_has_moved_the_focus, fixture) {
  menu_t m = make_menu("button");
  point_at(m.second, 0.5f);
  run_tick();
  assert_true(get_field(m.second, "widget", "hovered") == 1 && get_field(m.second, "widget", "focused") == 1);
  press_key(KEY_DOWN);
  assert_true(get_field(m.third, "widget", "focused") == 1);
  assert_true(get_field(m.second, "widget", "hovered") == 0);
  point_at(m.second, 0.6f);
  run_tick();
  assert_true(get_field(m.second, "widget", "hovered") == 1 && get_field(m.second, "widget", "focused") == 1);
}

// The layout of a match lobby: a wide widget above the right end of a row.
TEST_WITH(left_and_right_stay_in_the_row_of_widgets, fixture) {
  shoal_entity panel = add_widget(0, "panel"), above = add_widget(panel, "button"), row = add_widget(panel, "panel"),
               first = add_widget(row, "button"), last = add_widget(row, "button");
  run_tick();
  set_field(panel, "panel", "align", ALIGN_END);
  set_field(panel, "panel", "gap", 4);
  set_field(above, "widget", "width", 700);
  set_field(row, "panel", "layout", LAYOUT_ROW);
  set_field(row, "widget", "width", 1000);
  set_field(row, "panel", "justify", JUSTIFY_SPACE_BETWEEN);
  set_field(first, "widget", "width", 100);
  set_field(last, "widget", "width", 100);
  run_tick();
  set_field(last, "widget", "focused", 1);
  run_tick();
  press_key(KEY_LEFT);
  assert_true(get_field(first, "widget", "focused") == 1);
  press_key(KEY_RIGHT);
  assert_true(get_field(last, "widget", "focused") == 1);
  press_key(KEY_UP);
  assert_true(get_field(above, "widget", "focused") == 1);
}

TEST_WITH(held_key_repeats_but_does_not_wrap_around, fixture) {
  menu_t m = make_menu("button");
  kit.now.keys[KEY_DOWN] = 1;
  for (int i = 0; i < 120; ++i)
    run_tick();
  assert_true(get_field(m.third, "widget", "focused") == 1);
}

TEST_WITH(disabled_and_hidden_widgets_get_no_focus, fixture) {
  menu_t m = make_menu("button");
  set_field(m.second, "widget", "disabled", 1);
  set_field(m.first, "widget", "visible", 0);
  run_tick();
  run_tick();
  assert_true(get_field(m.third, "widget", "focused") == 1);
}

TEST_WITH(writing_the_focused_field_sets_and_clears_the_focus, fixture) {
  menu_t m = make_menu("button");
  set_field(m.third, "widget", "focused", 1);
  run_tick();
  assert_true(get_field(m.third, "widget", "focused") == 1 && get_field(m.first, "widget", "focused") == 0);
  set_field(m.third, "widget", "focused", 0);
  run_tick();
  run_tick();
  assert_true(get_field(m.third, "widget", "focused") + get_field(m.first, "widget", "focused") == 0);
  press_key(KEY_TAB);
  assert_true(get_field(m.first, "widget", "focused") == 1);
}

TEST_WITH(modal_panel_takes_all_input_and_restores_the_focus, fixture) {
  menu_t m = make_menu("button");
  press_key(KEY_DOWN);
  assert_int_equal(kit.ui->captured, 0);
  menu_t above = {.panel = add_widget(0, "panel")};
  above.first = add_widget(above.panel, "button");
  set_field(above.panel, "panel", "modal", 1);
  run_tick();
  assert_int_equal(kit.ui->captured, UI_CAPTURES_ALL);
  assert_true(get_field(above.first, "widget", "focused") == 1);
  press_key(KEY_DOWN);
  assert_true(get_field(above.first, "widget", "focused") == 1);
  press_key(KEY_ESCAPE);
  assert_int_equal(count_events("cancelled"), 1);
  world_destroy_entity(kit.world, above.panel);
  run_tick();
  assert_int_equal(kit.ui->captured, 0);
  assert_true(get_field(m.second, "widget", "focused") == 1);
}

// --- behaviour of each widget

TEST_WITH(button_emits_pressed_for_key_and_mouse, fixture) {
  menu_t m = make_menu("button");
  set_field(m.second, "button", "emits", string_id("resume"));
  kit.now.keys[KEY_ENTER] = 1;
  run_tick();
  assert_int_equal(count_events("pressed"), 1);
  kit.now.keys[KEY_ENTER] = 0;
  run_tick();
  click_widget(m.second, 0.5f);
  assert_int_equal(count_events("pressed"), 2);
  assert_int_equal(count_events("resume"), 1);
  point_at(m.second, 0.5f); // pressed on the button, released elsewhere
  kit.now.mouse_buttons[1] = 1;
  run_tick();
  kit.now.mouse_x = 1;
  run_tick();
  kit.now.mouse_buttons[1] = 0;
  run_tick();
  assert_int_equal(count_events("pressed"), 2);
}

TEST_WITH(button_with_an_unknown_event_can_be_pressed_repeatedly, fixture) {
  menu_t m = make_menu("button");
  set_field(m.first, "button", "emits", string_id("resum"));
  press_key(KEY_ENTER), press_key(KEY_ENTER);
}

#define KEY_P 19

// Declares an action with the keys P and Escape and the pad button Start, which presses the button of the event
// `resume`.
static void declare_pause_action(void) {
  input_binding_t bindings[3];
  assert_true(input_parse("key:p", &bindings[0]) && input_parse("key:escape", &bindings[1]) &&
              input_parse("pad:start", &bindings[2]));
  ui_declare_action_bindings(kit.world, "pause", 0, bindings, 3);
  ui_declare_action_button(kit.world, "pause", "resume");
}

TEST_WITH(action_presses_its_button_in_the_panel_that_receives_the_keys, fixture) {
  declare_pause_action();
  menu_t m = make_menu("button");
  set_field(m.panel, "panel", "modal", 1);
  press_key(KEY_P);
  assert_int_equal(count_events("pressed"), 0); // no button emits the event
  set_field(m.second, "button", "emits", string_id("resume"));
  press_key(KEY_P);
  assert_int_equal(count_events("resume"), 1);
  set_field(m.second, "button", "cancel", 1);
  press_key(KEY_ESCAPE); // the key also presses ui_back
  assert_int_equal(count_events("resume"), 2);
  set_field(m.second, "widget", "disabled", 1);
  press_key(KEY_P);
  assert_int_equal(count_events("resume"), 2);
  set_field(m.second, "widget", "disabled", 0);
  menu_t above = make_menu("button");
  set_field(above.panel, "panel", "modal", 1);
  run_tick();
  press_key(KEY_P);
  assert_int_equal(count_events("resume"), 2);
  world_destroy_entity(kit.world, above.panel);
  run_tick();
  kit.now.keys[KEY_P] = 1; // held: pressed once
  run_tick(), run_tick();
  assert_int_equal(count_events("resume"), 3);
}

TEST_WITH(action_presses_no_button_while_the_player_types, fixture) {
  declare_pause_action();
  menu_t m = make_menu("button");
  shoal_entity entry = add_widget(m.panel, "entry");
  set_field(m.first, "button", "emits", string_id("resume"));
  run_tick();
  set_field(entry, "widget", "focused", 1);
  run_tick();
  press_key(KEY_P);
  assert_int_equal(count_events("resume"), 0);
  kit.now.pad_connected[0] = kit.now.pad_buttons[0][6] = 1; // Start
  run_tick();
  assert_int_equal(count_events("resume"), 1);
}

TEST_WITH(slider_moves_in_steps_and_can_be_dragged, fixture) {
  menu_t m = make_menu("slider");
  set_field(m.first, "slider", "max", 10);
  set_field(m.first, "slider", "step", 4);
  press_key(KEY_RIGHT);
  assert_true(get_field(m.first, "slider", "value") == 4);
  press_key(KEY_RIGHT), press_key(KEY_RIGHT), press_key(KEY_RIGHT);
  assert_true(get_field(m.first, "slider", "value") <= 10);
  click_widget(m.second, 0.02f);
  assert_true(get_field(m.second, "slider", "value") == 0);
  point_at(m.second, 0.4f);
  kit.now.mouse_buttons[1] = 1;
  run_tick();
  kit.now.mouse_x += 500;
  run_tick();
  assert_true(get_field(m.second, "slider", "value") == 1);
}

TEST_WITH(slider_with_min_above_max_does_not_move, fixture) {
  menu_t m = make_menu("slider");
  set_field(m.first, "slider", "min", 5);
  set_field(m.first, "slider", "max", 2);
  set_field(m.first, "slider", "value", 3);
  press_key(KEY_RIGHT), press_key(KEY_LEFT);
  click_widget(m.first, 0.7f);
  assert_true(get_field(m.first, "slider", "value") == 3);
}

TEST_WITH(bound_slider_reads_and_writes_a_singleton_field, fixture) {
  menu_t m = make_menu("slider");
  manager_o *options = get_manager("options");
  set_field(m.first, "slider", "bind", string_id("options.music"));
  set_field(m.second, "slider", "bind", string_id("options.musik"));
  run_tick();
  assert_true(get_field(m.first, "slider", "value") == 0.5);
  press_key(KEY_RIGHT);
  assert_true(columns_get(&options->columns, 0, 0) > 0.59);
  columns_set(&options->columns, 0, 0, 0.25);
  run_tick();
  assert_true(get_field(m.first, "slider", "value") == 0.25);
}

TEST_WITH(slider_bound_to_an_entity_field_reads_and_writes_it_and_ignores_input_without_it, fixture) {
  menu_t m = make_menu("slider");
  error_info_t error;
  shoal_entity lamp = world_spawn(kit.world, 0, &error), bare = world_spawn(kit.world, 0, &error);
  assert_true(world_add_component(kit.world, lamp, get_manager("transform")->id, 0, &error));
  set_field(lamp, "transform", "angle", 0.5);
  set_field(m.first, "slider", "bind", string_id("transform.angle"));
  set_field(m.first, "widget", "of", lamp);
  set_field(m.second, "slider", "bind", string_id("transform.angle"));
  set_field(m.second, "widget", "of", bare);
  run_tick();
  assert_true(get_field(m.first, "slider", "value") == 0.5);
  press_key(KEY_RIGHT);
  assert_true(get_field(lamp, "transform", "angle") > 0.59);
  click_widget(m.second, 0.7f); // `bare` has no transform
  assert_true(get_field(m.second, "slider", "value") == 0);
  double last = get_field(m.first, "slider", "value");
  assert_true(world_destroy_entity(kit.world, lamp));
  run_tick();
  click_widget(m.first, 0.1f);
  assert_true(get_field(m.first, "slider", "value") == last);
}

static uint32_t count_parsed_paths(void) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < UI_BIND_PATHS; ++i)
    count += kit.ui->bind_paths[i].parse_count;
  return count;
}

TEST_WITH(binding_path_is_parsed_once_and_after_each_change, fixture) {
  menu_t m = make_menu("slider");
  error_info_t error;
  shoal_entity lamp = world_spawn(kit.world, 0, &error);
  assert_true(world_add_component(kit.world, lamp, get_manager("transform")->id, 0, &error));
  set_field(lamp, "transform", "angle", 0.5);
  set_field(lamp, "transform", "x", 0.25);
  set_field(m.first, "slider", "bind", string_id("transform.angle"));
  set_field(m.first, "widget", "of", lamp);
  set_field(m.second, "slider", "bind", string_id("options.music"));
  for (int i = 0; i < 5; ++i)
    run_tick();
  assert_int_equal(count_parsed_paths(), 2);
  set_field(m.first, "slider", "bind", string_id("transform.x"));
  for (int i = 0; i < 5; ++i)
    run_tick();
  assert_true(get_field(m.first, "slider", "value") == 0.25);
  assert_int_equal(count_parsed_paths(), 3);
}

TEST_WITH(checkbox_can_be_toggled, fixture) {
  menu_t m = make_menu("checkbox");
  press_key(KEY_ENTER);
  assert_true(get_field(m.first, "checkbox", "value") == 1);
  click_widget(m.first, 0.5f);
  assert_true(get_field(m.first, "checkbox", "value") == 0);
}

// Returns the number of filled shapes in the accent colour, which means "on".
static uint32_t count_accent_shapes(void) {
  draw_o *d = draw_create();
  uint32_t count = 0;
  ui_draw(kit.ui, d, NULL, 10); // long enough to complete the focus animation
  for (uint32_t i = 0; i < d->commands.count; ++i) {
    const draw_command_t *command = &d->commands.items[i];
    count += command->kind == DRAW_RECT && command->filled && command->colour[3] > 0.9f &&
             memcmp(command->colour, kit.ui->theme.palette.look.accent, 3 * sizeof(float)) == 0;
  }
  draw_destroy(d);
  return count;
}

TEST_WITH(focused_checkbox_that_is_off_does_not_look_on, fixture) {
  shoal_entity box = add_widget(add_widget(0, "panel"), "checkbox");
  run_tick();
  assert_true(get_field(box, "widget", "focused") == 1);
  assert_int_equal(count_accent_shapes(), 0);
  set_field(box, "checkbox", "value", 1);
  assert_int_equal(count_accent_shapes(), 1);
}

TEST_WITH(focused_slider_at_its_minimum_does_not_look_full, fixture) {
  shoal_entity slider = add_widget(add_widget(0, "panel"), "slider");
  run_tick();
  assert_true(get_field(slider, "widget", "focused") == 1);
  assert_int_equal(count_accent_shapes(), 1); // the knob
}

TEST_WITH(long_list_scrolls_to_the_selected_item, fixture) {
  static char items[800000];
  size_t at = 0;
  for (int i = 1; i <= 100000; ++i)
    at += (size_t)snprintf(items + at, sizeof items - at, "%06d\n", i);
  shoal_entity e = add_widget(0, "list");
  set_field(e, "list", "items", string_id(items));
  run_tick();
  for (int i = 0; i < 9; ++i)
    press_key(KEY_DOWN);
  assert_true(get_field(e, "list", "selected") == 10 && get_field(e, "list", "first") == 3);
  point_at(e, 0.5f);
  kit.now.wheel = -1000000;
  run_tick();
  assert_true(get_field(e, "list", "first") == 99993);
  click_widget(e, 0.5f);
  assert_true(get_field(e, "list", "selected") > 99993);
  draw_o *d = draw_create();
  ui_draw(kit.ui, d, NULL, 0.016f);
  assert_true(draw_count(d) < 40); // draws only the visible rows
  draw_destroy(d);
}

TEST_WITH(disabled_lines_of_a_list_are_skipped_and_cannot_be_pressed, fixture) {
  shoal_entity e = add_widget(0, "list");
  set_field(e, "list", "items", string_id("free\n\tfull\n\told\nopen"));
  run_tick();
  press_key(KEY_DOWN);
  assert_true(get_field(e, "list", "selected") == 4);
  press_key(KEY_UP);
  assert_true(get_field(e, "list", "selected") == 1);
  set_field(e, "list", "rows", 4);
  run_tick();
  click_widget(e, 0.5f); // a disabled line
  assert_true(get_field(e, "list", "selected") == 1);
  assert_int_equal(count_events("pressed"), 0);
  set_field(e, "list", "selected", 2); // the match has become full
  run_tick();
  press_key(KEY_ENTER);
  assert_int_equal(count_events("pressed"), 0);
  set_field(e, "list", "selected", 4);
  run_tick();
  press_key(KEY_ENTER);
  assert_int_equal(count_events("pressed"), 1);
}

TEST_WITH(one_row_list_is_operated_with_the_left_and_right_keys, fixture) {
  shoal_entity e = add_widget(0, "list");
  set_field(e, "list", "items", string_id("English\nDeutsch"));
  set_field(e, "list", "rows", 1);
  run_tick();
  press_key(KEY_RIGHT);
  assert_true(get_field(e, "list", "selected") == 2);
  press_key(KEY_RIGHT);
  assert_true(get_field(e, "list", "selected") == 1);
}

// --- text input

static void type_text(const char *text) {
  snprintf(kit.now.text, sizeof kit.now.text, "%s", text);
  run_tick();
}

TEST_WITH(focused_entry_consumes_text_and_keys, fixture) {
  shoal_entity e = add_widget(0, "entry");
  run_tick();
  run_tick();
  assert_int_equal(kit.ui->captured, UI_CAPTURES_KEYS);
  type_text("Zoë");
  assert_string_equal(text_of(e, "entry", "text"), "Zoë");
  press_key(KEY_LEFT), press_key(KEY_BACKSPACE);
  assert_string_equal(text_of(e, "entry", "text"), "Zë");
  type_text("o\n");
  assert_string_equal(text_of(e, "entry", "text"), "Zoë");
  snprintf(kit.now.composing, sizeof kit.now.composing, "に");
  press_key(KEY_ENTER);
  assert_int_equal(count_events("entry_submitted"), 0);
  assert_string_equal(text_of(e, "entry", "composing"), "に");
  kit.now.composing[0] = '\0';
  kit.now.keys[KEY_ENTER] = 1;
  memset(kit.now.composing, 0, sizeof kit.now.composing);
  run_tick();
  assert_int_equal(count_events("entry_submitted"), 1);
}

// The latest text input state and rectangle, in a window that shows the game at (10, 20), scaled by 2.
static struct {
  bool on;
  int x, y, width, height;
} text_input;

static void record_text_input(platform_o *p, bool on, int x, int y, int width, int height) {
  (void)p;
  text_input.on = on;
  text_input.x = x, text_input.y = y, text_input.width = width, text_input.height = height;
}

static platform_area_t get_double_area(const platform_o *p) {
  return (platform_area_t){10, 20, 2 * p->width, 2 * p->height};
}

TEST_WITH(composed_text_is_inserted_and_its_candidate_window_is_placed_at_the_entry, fixture) {
  const platform_backend_t backend = {.set_text_input = record_text_input, .area = get_double_area};
  platform_o platform = {.backend = &backend, .width = 1280, .height = 720};
  shoal_entity e = add_widget(0, "entry");
  draw_o *d = draw_create();
  run_tick(), run_tick();
  snprintf(kit.now.composing, sizeof kit.now.composing, "にほ");
  press_key(KEY_LEFT);
  ui_draw(kit.ui, d, &platform, 0.016f);
  assert_string_equal(text_of(e, "entry", "composing"), "にほ");
  assert_string_equal(text_of(e, "entry", "text"), "");
  assert_true(text_input.on);
  assert_int_equal(text_input.x, 10 + (int)(2 * get_field(e, "widget", "at_x")));
  assert_int_equal(text_input.y, 20 + (int)(2 * get_field(e, "widget", "at_y")));
  assert_int_equal(text_input.width, (int)(2 * get_field(e, "widget", "at_width")));
  assert_int_equal(text_input.height, (int)(2 * get_field(e, "widget", "at_height")));
  memset(kit.now.composing, 0, sizeof kit.now.composing);
  type_text("日本");
  assert_string_equal(text_of(e, "entry", "text"), "日本");
  assert_string_equal(text_of(e, "entry", "composing"), "");
  set_field(e, "widget", "focused", 0);
  set_field(e, "widget", "disabled", 1);
  run_tick();
  ui_draw(kit.ui, d, &platform, 0.016f);
  assert_false(text_input.on); // closes the candidate window
  draw_destroy(d);
}

TEST_WITH(entry_limits_its_length_and_rejects_invalid_text, fixture) {
  shoal_entity e = add_widget(0, "entry");
  set_field(e, "entry", "max", 3);
  run_tick();
  type_text("a\xff\xc3"
            "b\x01\xe3\x81");
  assert_string_equal(text_of(e, "entry", "text"), "ab");
  type_text("ééé");
  assert_string_equal(text_of(e, "entry", "text"), "abé");
  set_field(e, "entry", "text", string_id("\xff\xfe broken \xc3"));
  set_field(e, "entry", "cursor", 700);
  type_text("x");
  press_key(KEY_BACKSPACE);
  draw_o *d = draw_create();
  ui_draw(kit.ui, d, NULL, 0.016f);
  draw_destroy(d);
}

// --- dialogues

TEST_WITH(dialogue_reveals_its_text_and_ends_with_the_choice, fixture) {
  shoal_entity e = add_widget(0, "dialogue");
  set_field(e, "dialogue", "text", string_id("Where are you going, with that lantern?"));
  set_field(e, "dialogue", "choices", string_id("Home\nAway"));
  for (int i = 0; i < 20; ++i)
    run_tick();
  double shown = get_field(e, "dialogue", "shown");
  assert_true(shown > 5 && shown < 30);
  press_key(KEY_ENTER);
  assert_true(get_field(e, "dialogue", "shown") >= 39);
  press_key(KEY_DOWN);
  kit.now.keys[KEY_ENTER] = 1;
  run_tick();
  assert_int_equal(count_events("dialogue_ended"), 1);
  assert_true(get_field(e, "dialogue", "text") == 0);
  run_tick();
  assert_int_equal(kit.ui->captured, 0);
}

static float read_action(const char *name) {
  float value, previous;
  assert_true(ui_read_action(kit.world, name, -1, &value, &previous));
  return value;
}

TEST_WITH(dialogue_leaves_only_actions_that_open_menus_to_the_game, fixture) {
  input_binding_t binding;
  declare_pause_action();
  assert_true(input_parse("key:p", &binding));
  ui_declare_action_bindings(kit.world, "fire", 0, &binding, 1);
  set_field(add_widget(0, "dialogue"), "dialogue", "text", string_id("Halt!"));
  run_tick();
  kit.now.keys[KEY_P] = 1;
  run_tick();
  assert_true(read_action("pause") == 1 && read_action("fire") == 0);
  set_field(add_widget(0, "panel"), "panel", "modal", 1);
  run_tick();
  assert_true(read_action("pause") == 0 && read_action("fire") == 0);
}

// --- pressing instead of holding

#define SETTINGS_FIELDS(F) F(bool, press_to_hold, 0)
SHOAL_SINGLE(settings, SETTINGS_FIELDS)

static void choose_to_press(bool enabled) {
  columns_set(&get_manager("settings")->columns, 0, 0, enabled);
}

static void declare_boost(void) {
  input_binding_t bindings[2];
  declare(&settings_component);
  assert_true(input_parse("key:p", &bindings[0]) && input_parse("pad:a", &bindings[1]));
  ui_declare_action_bindings(kit.world, "boost", 0, bindings, 2);
  ui_declare_action_bindings(kit.world, "ahead", 0, bindings, 1); // keeps its values
  ui_declare_held_action(kit.world, "boost", true);
}

static void toggle_and_run_tick(void) {
  ui_toggle_actions(kit.ui, &kit.before, &kit.now);
  run_tick();
}

static void set_key_and_run_ticks(bool is_down) {
  kit.now.keys[KEY_P] = is_down;
  for (int i = 0; i < 3; ++i)
    toggle_and_run_tick();
}

static void check_that_settings_menus_and_lost_focus_release_a_held_action(void) {
  for (int i = 0; i < 3; ++i) {
    choose_to_press(true);
    set_key_and_run_ticks(true);
    set_key_and_run_ticks(false);
    assert_true(read_action("boost") == 1);
    shoal_entity panel = i == 1 ? add_widget(0, "panel") : 0;
    if (panel)
      set_field(panel, "panel", "modal", 1);
    choose_to_press(i != 0);
    kit.now.window.unfocused = i == 2;
    set_key_and_run_ticks(false);
    kit.now.window.unfocused = 0;
    if (panel)
      world_destroy_entity(kit.world, panel);
    set_key_and_run_ticks(false);
    assert_true(read_action("boost") == 0);
  }
}

TEST_WITH(press_keeps_a_held_action_down_only_with_press_to_hold, fixture) {
  declare_boost();
  set_key_and_run_ticks(true);
  assert_true(read_action("boost") == 1);
  set_key_and_run_ticks(false);
  assert_true(read_action("boost") == 0);
  choose_to_press(true);
  set_key_and_run_ticks(true);
  set_key_and_run_ticks(false);
  assert_true(read_action("boost") == 1 && read_action("ahead") == 0);
  set_key_and_run_ticks(true);
  assert_true(read_action("boost") == 1); // the key is down
  set_key_and_run_ticks(false);
  assert_true(read_action("boost") == 0);
  kit.now.pad_buttons[1][0] = 1;
  toggle_and_run_tick();
  kit.now.pad_buttons[1][0] = 0;
  toggle_and_run_tick();
  assert_true(read_action("boost") == 1);
  kit.now.pad_buttons[1][0] = 1;
  toggle_and_run_tick();
  kit.now.pad_buttons[1][0] = 0;
  toggle_and_run_tick();
  assert_true(read_action("boost") == 0);
  check_that_settings_menus_and_lost_focus_release_a_held_action();
}

#define SAYING_FIELDS(F) F(string, text, "") F(string, who, "") F(string, choices, "") F(i32, answer, 0)
SHOAL_COMPONENT(saying, SAYING_FIELDS)

TEST_WITH(dialogue_shows_its_next_source_and_ends_with_the_last, fixture) {
  declare(&saying_component);
  shoal_entity box = add_widget(0, "dialogue"), anna = add_widget(0, "saying"), ben = add_widget(0, "saying");
  set_field(anna, "saying", "text", string_id("Hello"));
  set_field(ben, "saying", "text", string_id("You too"));
  run_tick();
  assert_int_equal(kit.ui->captured, UI_CAPTURES_DIALOGUE);
  press_key(KEY_ENTER), press_key(KEY_ENTER);
  assert_true(get_field(anna, "saying", "answer") == 1 && get_field(ben, "saying", "answer") == 0);
  world_destroy_entity(kit.world, anna);
  run_tick();
  assert_true(get_field(box, "dialogue", "source") == (double)ben);
  world_destroy_entity(kit.world, ben);
  run_tick();
  assert_int_equal(kit.ui->captured, 0);
}

// --- name conflicts

TEST_WITH(builtin_component_is_renamed_if_a_game_declares_its_name, fixture) {
  assert_true(builtin_release_name(kit.world, "label", "the game"));
  assert_null(world_find_manager(kit.world, "label"));
  assert_non_null(world_find_manager(kit.world, "shoal.label"));
  assert_false(builtin_release_name(kit.world, "transform", "the game"));
  assert_false(builtin_release_name(kit.world, "shoal.label", "the game"));
  assert_ptr_equal(builtin_find(kit.world, "label"), world_find_manager(kit.world, "shoal.label"));
  assert_true(builtin_release_name(kit.world, "path", "the game"));
}

// --- text selection

static void press_with_modifier(int modifier, int key) {
  kit.now.keys[modifier] = 1;
  press_key(key);
  kit.now.keys[modifier] = 0;
}

TEST_WITH(shift_arrows_select_and_typing_replaces_the_selection, fixture) {
  enum { SHIFT = 225 };
  shoal_entity e = add_widget(0, "entry");
  set_field(e, "entry", "text", string_id("Shøal"));
  run_tick();
  press_with_modifier(SHIFT, KEY_LEFT), press_with_modifier(SHIFT, KEY_LEFT);
  assert_true(get_field(e, "entry", "cursor") == 3 && get_field(e, "entry", "selection") == 2);
  snprintf(kit.now.text, sizeof kit.now.text, "rt");
  run_tick();
  assert_string_equal(text_of(e, "entry", "text"), "Shørt");
  assert_true(get_field(e, "entry", "selection") == 0 && get_field(e, "entry", "cursor") == -1);
  press_with_modifier(SHIFT, KEY_LEFT);
  press_key(KEY_LEFT); // collapses the selection to its start
  assert_true(get_field(e, "entry", "cursor") == 4 && get_field(e, "entry", "selection") == 0);
  press_with_modifier(SHIFT, 74); // Home
  press_key(KEY_BACKSPACE);
  assert_string_equal(text_of(e, "entry", "text"), "t");
}

TEST_WITH(text_can_be_copied_and_cut_except_in_secret_entries, fixture) {
  enum { CONTROL = 224, KEY_C = 6, KEY_X = 27 };
  shoal_entity e = add_widget(0, "entry");
  set_field(e, "entry", "text", string_id("ab"));
  run_tick();
  press_with_modifier(CONTROL, KEY_A), press_with_modifier(CONTROL, KEY_C);
  assert_string_equal(kit.ui->clipboard_text.items, "ab");
  assert_string_equal(text_of(e, "entry", "text"), "ab");
  kit.ui->clipboard_text.count = 0;
  set_field(e, "entry", "secret", 1);
  press_with_modifier(CONTROL, KEY_C), press_with_modifier(CONTROL, KEY_X);
  assert_true(kit.ui->clipboard_text.count == 0 && get_field(e, "entry", "selection") == -2);
  set_field(e, "entry", "secret", 0);
  press_with_modifier(CONTROL, KEY_X);
  assert_string_equal(kit.ui->clipboard_text.items, "ab");
  assert_string_equal(text_of(e, "entry", "text"), "");
}

TEST_WITH(pointer_sets_the_cursor_and_selects_text, fixture) {
  shoal_entity e = add_widget(0, "entry");
  set_field(e, "entry", "text", string_id("mmmm"));
  set_field(e, "entry", "selection", 99); // beyond the end of the text
  run_tick();
  kit.now.mouse_x = (float)get_field(e, "widget", "at_x") + 2;
  kit.now.mouse_y = (float)get_field(e, "widget", "at_y") + 10;
  kit.now.mouse_buttons[1] = 1;
  run_tick();
  assert_true(get_field(e, "entry", "cursor") == 0 && get_field(e, "entry", "selection") == 0);
  kit.now.mouse_x += 290;
  run_tick();
  kit.now.mouse_buttons[1] = 0;
  run_tick();
  assert_true(get_field(e, "entry", "cursor") == -1 && get_field(e, "entry", "selection") == -4);
}

TEST_WITH(held_key_repeats_in_real_time_during_a_pause, fixture) {
  menu_t m = make_menu("slider");
  run_tick();
  set_field(m.first, "slider", "value", 0.5);
  kit.now.keys[KEY_RIGHT] = 1;
  kit.now.paused_ms = 100;
  for (int i = 0; i < 5; ++i) {
    ui_update(kit.ui, 0);
    kit.before = kit.now;
  }
  assert_true(get_field(m.first, "slider", "value") > 0.65);
}

// --- widgets on entities

TEST_WITH(widget_follows_its_entity_and_dies_with_it, fixture) {
  error_info_t error;
  shoal_entity enemy = world_spawn(kit.world, 0, &error), bar = add_widget(0, "bar"), child;
  assert_true(world_add_component(kit.world, enemy, get_manager("transform")->id, 0, &error));
  assert_true(world_add_component(kit.world, bar, get_manager("ui_follow")->id, 0, &error));
  set_field(enemy, "transform", "x", 300), set_field(enemy, "transform", "y", 200);
  set_field(bar, "ui_follow", "target", (double)enemy), set_field(bar, "ui_follow", "offset_y", -30);
  run_tick();
  set_field(bar, "widget", "width", 40), set_field(bar, "widget", "height", 8);
  run_tick();
  assert_true(get_field(bar, "widget", "at_x") == 280 && get_field(bar, "widget", "at_y") == 166);
  set_field(enemy, "transform", "x", 310);
  run_tick();
  assert_true(get_field(bar, "widget", "at_x") == 290);
  child = add_widget(enemy, "label"); // a label without a target follows its parent
  assert_true(world_add_component(kit.world, child, get_manager("ui_follow")->id, 0, &error));
  set_field(child, "label", "text", string_id("Rat"));
  run_tick();
  assert_true(fabs(get_field(child, "widget", "at_x") + get_field(child, "widget", "at_width") / 2 - 310) <= 1);
  set_field(enemy, "transform", "x", (double)NAN); // the target's position is invalid
  run_tick();
  assert_true(world_is_alive(kit.world, bar));
  assert_true(world_destroy_entity(kit.world, enemy));
  run_tick();
  run_tick();
  assert_false(world_is_alive(kit.world, bar));
  assert_false(world_is_alive(kit.world, child));
}

TEST_WITH(widgets_that_follow_entities_are_behind_other_widgets_of_their_layer, fixture) {
  error_info_t error;
  shoal_entity box = add_widget(0, "dialogue"), enemy = world_spawn(kit.world, 0, &error), bar, label;
  assert_true(world_add_component(kit.world, enemy, get_manager("transform")->id, 0, &error));
  set_field(box, "dialogue", "text", string_id("Stop there!"));
  run_tick();
  bar = add_widget(enemy, "bar"), label = add_widget(enemy, "label"); // newer than the dialogue
  assert_true(world_add_component(kit.world, bar, get_manager("ui_follow")->id, 0, &error));
  assert_true(world_add_component(kit.world, label, get_manager("ui_follow")->id, 0, &error));
  run_tick();
  run_tick();
  assert_int_equal(kit.ui->nodes.count, 3);
  assert_true(kit.ui->nodes.items[2].entity == box); // the box is in front of the bar and the label
  set_field(bar, "widget", "layer", 1);
  run_tick();
  assert_true(kit.ui->nodes.items[2].entity == bar);
}

// Returns the number of commands that draw a bar of this size.
static uint32_t count_bar_commands(shoal_entity bar, double width, double height, double value) {
  draw_o *d = draw_create();
  set_field(bar, "bar", "value", value);
  set_field(bar, "widget", "width", width), set_field(bar, "widget", "height", height);
  run_tick();
  ui_draw(kit.ui, d, NULL, 0.016f);
  uint32_t count = draw_count(d);
  draw_destroy(d);
  return count;
}

TEST_WITH(full_bar_is_filled_at_any_size, fixture) {
  shoal_entity bar = add_widget(0, "bar");
  run_tick();
  for (int size = 1; size <= 12; ++size) {
    assert_true(count_bar_commands(bar, 40, size, 1) > count_bar_commands(bar, 40, size, 0));
    assert_true(count_bar_commands(bar, size, 40, 1) > count_bar_commands(bar, size, 40, 0));
    assert_true(count_bar_commands(bar, size, size, 1) > count_bar_commands(bar, size, size, 0));
  }
}

// --- scrolling

TEST_WITH(overflowing_panel_scrolls, fixture) {
  shoal_entity panel = add_widget(0, "panel"), button[12];
  for (int i = 0; i < 12; ++i)
    button[i] = add_widget(panel, "button"), set_field(button[i], "button", "text", string_id("x"));
  run_tick();
  set_field(panel, "widget", "height", 200);
  run_tick();
  double first = get_field(button[0], "widget", "at_y");
  kit.now.mouse_x = 640;
  kit.now.mouse_y = 360;
  kit.now.wheel = -1;
  run_tick();
  run_tick();
  assert_true(get_field(panel, "panel", "scroll") == 60 && get_field(button[0], "widget", "at_y") == first - 60);
  kit.now.wheel = -1000;
  run_tick();
  run_tick();
  double end = get_field(panel, "panel", "scroll");
  assert_true(get_field(button[11], "widget", "at_y") + get_field(button[11], "widget", "at_height") <= 360 + 100);
  set_field(panel, "panel", "scroll", (double)NAN);
  run_tick();
  assert_true(get_field(panel, "panel", "scroll") == 0);
  set_field(panel, "panel", "scroll", 1e9);
  run_tick();
  assert_true(get_field(panel, "panel", "scroll") == end);
  set_field(panel, "widget", "height", 0);
  run_tick();
  assert_true(get_field(panel, "panel", "scroll") == 0);
}

// Moves the pointer to a position in a widget, with the button down or up. The position is measured in pixels from the
// right edge and from the top.
static void move_pointer(shoal_entity e, double from_right, double y, bool down) {
  kit.now.mouse_x = (float)(get_field(e, "widget", "at_x") + get_field(e, "widget", "at_width") - from_right);
  kit.now.mouse_y = (float)(get_field(e, "widget", "at_y") + y);
  kit.now.mouse_buttons[1] = down;
  run_tick();
}

TEST_WITH(panel_scrollbar_can_be_dragged_and_clicked, fixture) {
  shoal_entity panel = add_widget(0, "panel");
  for (int i = 0; i < 12; ++i)
    set_field(add_widget(panel, "button"), "button", "text", string_id("x"));
  run_tick();
  set_field(panel, "widget", "height", 200);
  run_tick();
  move_pointer(panel, 7, 30, false);
  assert_int_equal(kit.ui->captured, 2);
  move_pointer(panel, 7, 30, true);
  assert_true(get_field(panel, "panel", "scroll") == 0); // pressing the handle does not scroll
  for (int y = 31; y <= 60; ++y)
    move_pointer(panel, 7, y, true);
  double there = get_field(panel, "panel", "scroll");
  assert_true(there > 30);
  move_pointer(panel, 400, 60, true); // the pointer may leave the bar sideways
  assert_true(get_field(panel, "panel", "scroll") == there);
  move_pointer(panel, 7, -500, true);
  assert_true(get_field(panel, "panel", "scroll") == 0);
  move_pointer(panel, 7, -400, true); // past the end, nothing moves until the pointer reaches the handle again
  assert_true(get_field(panel, "panel", "scroll") == 0);
  move_pointer(panel, 7, -400, false);
  move_pointer(panel, 7, 80, false);
  assert_true(get_field(panel, "panel", "scroll") == 0 && get_field(panel, "widget", "held") == 0);
  move_pointer(panel, 7, 185, true);
  assert_true(get_field(panel, "panel", "scroll") == 200); // scrolls by a page
  move_pointer(panel, 7, 185, false);
  move_pointer(panel, 7, 18, true);
  assert_true(get_field(panel, "panel", "scroll") == 0);
}

TEST_WITH(dragging_a_list_scrollbar_selects_nothing, fixture) {
  char items[400] = "";
  for (int i = 1; i <= 40; ++i)
    strcat(items, "item\n");
  shoal_entity e = add_widget(0, "list");
  set_field(e, "list", "items", string_id(items));
  run_tick();
  uint32_t before = count_events("pressed");
  double high = get_field(e, "widget", "at_height");
  move_pointer(e, 5, 12, true);
  for (double y = 12; y < high * 2; y += 1.37) // moves by less than a row at a time
    move_pointer(e, 5, y, true);
  assert_true(get_field(e, "list", "first") == 33); // the largest value of `first` with which 8 rows are visible
  move_pointer(e, 60, high * 0.5, true);
  double there = get_field(e, "list", "first");
  assert_true(there > 10 && there < 33);
  move_pointer(e, 60, high * 0.5, false); // releasing over an item selects nothing
  assert_true(get_field(e, "list", "selected") == 1 && count_events("pressed") == before);
  move_pointer(e, 5, high - 12, true);
  assert_true(get_field(e, "list", "first") == fmin(there + 8, 33));
  move_pointer(e, 5, high - 12, false);
  move_pointer(e, 60, high * 0.5, true);
  move_pointer(e, 60, high * 0.5, false);
  assert_true(get_field(e, "list", "selected") > 10 && count_events("pressed") == before + 1);
  press_key(KEY_UP);
  assert_true(get_field(e, "list", "first") > 10); // keys still scroll
}

TEST_WITH(focused_widget_is_scrolled_into_view_and_clipped_ones_ignore_clicks, fixture) {
  shoal_entity panel = add_widget(0, "panel"), button[12];
  for (int i = 0; i < 12; ++i)
    button[i] = add_widget(panel, "button"), set_field(button[i], "button", "text", string_id("x"));
  run_tick();
  set_field(panel, "widget", "height", 200);
  run_tick();
  press_key(KEY_UP); // wraps around to the last item
  assert_true(get_field(button[11], "widget", "focused") == 1 && get_field(panel, "panel", "scroll") > 0);
  double y = get_field(button[11], "widget", "at_y"), top = get_field(panel, "widget", "at_y");
  assert_true(y > top && y + get_field(button[11], "widget", "at_height") < top + 200);
  uint32_t before = count_events("pressed");
  kit.now.mouse_x = 640;
  kit.now.mouse_y = (float)get_field(button[4], "widget", "at_y") + 4;
  assert_true(kit.now.mouse_y < top);
  kit.now.mouse_buttons[1] = 1;
  run_tick();
  kit.now.mouse_buttons[1] = 0;
  run_tick();
  assert_int_equal(count_events("pressed"), before);
}

TEST_WITH(tall_text_panel_fits_the_screen_and_scrolls_by_keys, fixture) {
  shoal_entity panel = add_widget(0, "panel");
  for (int i = 0; i < 60; ++i)
    set_field(add_widget(panel, "label"), "label", "text", string_id("words"));
  run_tick();
  assert_true(get_field(panel, "widget", "at_height") == 720 && get_field(panel, "widget", "at_y") == 0);
  kit.now.keys[KEY_DOWN] = 1;
  for (int i = 0; i < 30; ++i)
    run_tick();
  assert_true(get_field(panel, "panel", "scroll") > 200);
}

// --- games that declare players

static void run_player_tick(const uint8_t *numbers, uint32_t count) {
  ui_run_machine_step(kit.ui, &kit.before, &kit.now, numbers, count, 1.0 / 60);
  kit.now.has_players = 1;
  kit.now.players.present = 3;
  for (uint32_t i = 0; i < count; ++i) {
    player_actions_t *actions = &kit.now.actions[numbers[i] - 1];
    actions->size = (uint8_t)ui_take_actions(kit.ui, i, actions->bytes, sizeof actions->bytes);
  }
  ui_update(kit.ui, 1.0 / 60);
  transform_update_child_lists(kit.world); // the system shoal.layout does this
  kit.before = kit.now;
  memset(kit.now.text, 0, sizeof kit.now.text);
  memset(kit.now.actions, 0, sizeof kit.now.actions);
  world_end_tick(kit.world);
}

static const uint8_t BOTH[] = {1, 2};

static shoal_entity add_menu_of(uint32_t player, shoal_entity *first, shoal_entity *second) {
  shoal_entity panel = add_widget(0, "panel");
  error_info_t error;
  assert_true(world_add_component(kit.world, panel, get_manager("widget")->id, 0, &error));
  set_field(panel, "widget", "player", player);
  *first = add_widget(panel, "checkbox");
  *second = add_widget(panel, "checkbox");
  return panel;
}

TEST_WITH(local_players_use_their_own_menus_by_keyboard_and_pad, fixture) {
  shoal_entity a[2], b[2];
  ui_set_players(kit.ui, 2);
  world_set_view_players(kit.world, 3);
  add_menu_of(1, &a[0], &a[1]);
  add_menu_of(2, &b[0], &b[1]);
  run_player_tick(BOTH, 2);
  run_player_tick(BOTH, 2);
  kit.now.keys[KEY_ENTER] = 1; // player 1: the first checkbox
  kit.now.pad_connected[1] = 1;
  kit.now.pad_buttons[1][12] = 1; // player 2: down
  run_player_tick(BOTH, 2);
  kit.now.keys[KEY_ENTER] = 0;
  kit.now.pad_buttons[1][12] = 0;
  run_player_tick(BOTH, 2);
  kit.now.pad_buttons[1][0] = 1; // player 2: accept
  run_player_tick(BOTH, 2);
  assert_true(get_field(a[0], "checkbox", "value") == 1 && get_field(a[1], "checkbox", "value") == 0);
  assert_true(get_field(b[0], "checkbox", "value") == 0 && get_field(b[1], "checkbox", "value") == 1);
}

TEST_WITH(action_of_any_local_player_presses_a_button_of_all_players, fixture) {
  ui_set_players(kit.ui, 2);
  world_set_view_players(kit.world, 3);
  declare_pause_action();
  shoal_entity panel = add_widget(0, "panel"), button = add_widget(panel, "button");
  set_field(panel, "panel", "modal", 1);
  set_field(button, "button", "emits", string_id("resume"));
  run_player_tick(BOTH, 2);
  run_player_tick(BOTH, 2);
  kit.now.pad_connected[1] = kit.now.pad_buttons[1][6] = 1; // player 2: Start
  run_player_tick(BOTH, 2);
  assert_int_equal(count_events("resume"), 1);
  kit.now.keys[KEY_P] = 1;
  run_player_tick(BOTH, 2);
  assert_int_equal(count_events("resume"), 2);
}

// Returns true if the widget gets the highlight of the focus when it is drawn.
static bool can_show_focus(shoal_entity e) {
  bool found = false;
  machine_select_all_players(kit.ui);
  for (uint32_t i = 0; i < kit.ui->nodes.count; ++i)
    found |= kit.ui->nodes.items[i].entity == e && ui_can_focus(kit.ui, &kit.ui->nodes.items[i]);
  machine_select_player(kit.ui, 0);
  return found;
}

TEST_WITH(focus_is_shown_on_widgets_of_each_local_player, fixture) {
  shoal_entity a[2], b[2], c[2];
  ui_set_players(kit.ui, 3);
  add_menu_of(1, &a[0], &a[1]);
  add_menu_of(2, &b[0], &b[1]);
  add_menu_of(3, &c[0], &c[1]);
  run_player_tick(BOTH, 2);
  run_player_tick(BOTH, 2);
  assert_true(can_show_focus(a[0]) && can_show_focus(b[0]));
  assert_false(can_show_focus(c[0]));
}

static double read_focus(shoal_entity e) {
  ui_begin_render(kit.ui);
  double focused = get_field(e, "widget", "focused");
  ui_end_render(kit.ui);
  return focused;
}

TEST_WITH(local_players_share_the_focus_on_widgets_of_all_players, fixture) {
  shoal_entity item[2];
  ui_set_players(kit.ui, 2);
  add_menu_of(0, &item[0], &item[1]);
  run_player_tick(BOTH, 2);
  run_player_tick(BOTH, 2);
  assert_float_equal(read_focus(item[0]), 1, 0);
  for (int i = 0; i < 2; ++i) { // player 1 moves down by the keyboard, player 2 up by the pad
    kit.now.keys[KEY_DOWN] = i == 0;
    kit.now.pad_connected[1] = 1;
    kit.now.pad_buttons[1][11] = i == 1;
    run_player_tick(BOTH, 2);
    kit.now.keys[KEY_DOWN] = 0;
    kit.now.pad_buttons[1][11] = 0;
    run_player_tick(BOTH, 2);
    assert_true(read_focus(item[i]) == 0 && read_focus(item[1 - i]) == 1);
  }
}

TEST_WITH(layout_hover_and_focus_of_a_machine_are_not_in_the_world, fixture) {
  shoal_entity menu[2];
  uint64_t hashes[2];
  ui_set_players(kit.ui, 2);
  add_menu_of(1, &menu[0], &menu[1]);
  run_player_tick(BOTH, 1);
  run_player_tick(BOTH, 1);
  hashes[0] = world_hash(kit.world);
  kit.now.mouse_x = 640;
  kit.now.mouse_y = 360;
  ui_set_screen(kit.ui, 500, 400);
  ui_run_machine_step(kit.ui, &kit.before, &kit.now, BOTH, 1, 1.0 / 60);
  hashes[1] = world_hash(kit.world);
  assert_int_equal(hashes[0], hashes[1]);
  assert_float_equal(get_field(menu[0], "widget", "at_width"), 0, 0);
  ui_begin_render(kit.ui);
  assert_true(get_field(menu[0], "widget", "at_width") > 0);
  assert_true(get_field(menu[0], "widget", "focused") + get_field(menu[1], "widget", "focused") == 1);
  assert_int_equal(world_hash(kit.world), hashes[0]);
  ui_end_render(kit.ui);
  assert_float_equal(get_field(menu[0], "widget", "at_width"), 0, 0);
}

TEST_WITH(restore_keeps_the_machines_focus, fixture) {
  shoal_entity menu[2];
  allocator_t memory = {0};
  error_info_t error;
  ui_set_players(kit.ui, 2);
  add_menu_of(1, &menu[0], &menu[1]);
  run_player_tick(BOTH, 1); // adds the rows of `widget`
  run_player_tick(BOTH, 1);
  snapshot_o *s = snapshot_create(&memory);
  assert_true(snapshot_take(s, kit.world, &error));
  kit.now.keys[KEY_DOWN] = 1;
  run_player_tick(BOTH, 1);
  kit.now.keys[KEY_DOWN] = 0;
  run_player_tick(BOTH, 1);
  assert_true(snapshot_restore(s, kit.world, &error));
  ui_begin_render(kit.ui);
  assert_float_equal(get_field(menu[1], "widget", "focused"), 1, 0);
  ui_end_render(kit.ui);
  snapshot_release(s);
}

// Replaces the machine with an empty one, as after a load: all rows are new to it.
static void forget_machine(void) {
  ui_machine_o *empty = machine_create(kit.ui);
  machine_replace(kit.ui, empty);
  machine_free(kit.ui, empty);
}

TEST_WITH(load_keeps_the_focus_without_an_action, fixture) {
  shoal_entity menu[2];
  uint8_t bytes[PLAYER_ACTION_BYTES];
  ui_set_players(kit.ui, 2);
  add_menu_of(0, &menu[0], &menu[1]);
  run_player_tick(BOTH, 1);                   // adds the rows of `widget`
  set_field(menu[0], "widget", "focused", 1); // a script's request, which the load must not repeat
  run_player_tick(BOTH, 1);
  run_player_tick(BOTH, 1);
  kit.now.keys[KEY_DOWN] = 1;
  run_player_tick(BOTH, 1);
  kit.now.keys[KEY_DOWN] = 0;
  run_player_tick(BOTH, 1);
  forget_machine();
  ui_run_machine_step(kit.ui, &kit.before, &kit.now, BOTH, 1, 1.0 / 60);
  assert_int_equal(ui_take_actions(kit.ui, 0, bytes, sizeof bytes), 0);
  assert_true(read_focus(menu[1]) == 1 && read_focus(menu[0]) == 0);
}

TEST_WITH(load_applies_a_focus_request_of_the_last_tick, fixture) {
  shoal_entity menu[2];
  ui_set_players(kit.ui, 2);
  add_menu_of(0, &menu[0], &menu[1]);
  run_player_tick(BOTH, 1);
  run_player_tick(BOTH, 1);
  set_field(menu[1], "widget", "focused", 1);
  run_player_tick(BOTH, 1);
  forget_machine();
  run_player_tick(BOTH, 1);
  assert_true(read_focus(menu[1]) == 1 && read_focus(menu[0]) == 0);
}

// Applies an action of player 1, and returns true if the checkbox has changed.
static bool applies(shoal_entity checkbox, const widget_action_t *action) {
  double before = get_field(checkbox, "checkbox", "value");
  player_actions_t *actions = &kit.now.actions[0];
  actions->size = (uint8_t)widget_action_write(action, actions->bytes);
  kit.now.players.present = 1;
  ui_update(kit.ui, 1.0 / 60);
  actions->size = 0;
  return get_field(checkbox, "checkbox", "value") != before;
}

TEST_WITH(actions_on_widgets_that_a_player_cannot_use_are_ignored, fixture) {
  shoal_entity menu[2];
  ui_set_players(kit.ui, 2);
  shoal_entity panel = add_menu_of(1, &menu[0], &menu[1]);
  ui_update(kit.ui, 1.0 / 60);
  widget_action_t toggle = {.kind = WIDGET_ACTION_TOGGLE, .entity = menu[0]};
  assert_true(applies(menu[0], &toggle));
  set_field(panel, "widget", "player", 2);
  assert_false(applies(menu[0], &toggle));
  set_field(panel, "widget", "player", 0);
  set_field(panel, "widget", "visible", 0);
  assert_false(applies(menu[0], &toggle));
  set_field(panel, "widget", "visible", 1);
  set_field(menu[0], "widget", "disabled", 1);
  assert_false(applies(menu[0], &toggle));
  set_field(menu[0], "widget", "disabled", 0);
  toggle.entity = menu[0] + 77;
  assert_false(applies(menu[0], &toggle));
  toggle.entity = panel;
  assert_false(applies(menu[0], &toggle));
  toggle.entity = menu[0];
  assert_true(applies(menu[0], &toggle));
}

TEST_WITH(actions_on_widgets_below_a_modal_panel_are_ignored, fixture) {
  shoal_entity menu[2], question[2];
  ui_set_players(kit.ui, 2);
  add_menu_of(0, &menu[0], &menu[1]);
  shoal_entity panel = add_menu_of(0, &question[0], &question[1]);
  set_field(panel, "panel", "modal", 1);
  ui_update(kit.ui, 1.0 / 60);
  widget_action_t below = {.kind = WIDGET_ACTION_TOGGLE, .entity = menu[0]},
                  inside = {.kind = WIDGET_ACTION_TOGGLE, .entity = question[0]};
  assert_false(applies(menu[0], &below));
  assert_true(applies(question[0], &inside));
  set_field(panel, "widget", "player", 2); // a panel of a different player
  assert_true(applies(menu[0], &below));
  set_field(panel, "widget", "player", 1);
  assert_false(applies(menu[0], &below));
  set_field(panel, "widget", "layer", -1);
  assert_true(applies(menu[0], &below));
  set_field(panel, "widget", "layer", 0);
  set_field(panel, "widget", "visible", 0);
  assert_true(applies(menu[0], &below));
  set_field(panel, "widget", "visible", 1);
  assert_false(applies(menu[0], &below));
}

TEST_WITH(actions_below_a_dialogue_are_ignored_while_it_has_a_line, fixture) {
  ui_set_players(kit.ui, 2);
  shoal_entity box = add_widget(0, "checkbox"), dialogue = add_widget(0, "dialogue");
  widget_action_t toggle = {.kind = WIDGET_ACTION_TOGGLE, .entity = box};
  ui_update(kit.ui, 1.0 / 60);
  assert_true(applies(box, &toggle));
  set_field(dialogue, "dialogue", "text", string_id("Well?"));
  ui_update(kit.ui, 1.0 / 60);
  assert_false(applies(box, &toggle));
  set_field(dialogue, "dialogue", "modal", 0);
  assert_true(applies(box, &toggle));
}

TEST_WITH(out_of_range_values_and_answers_to_different_lines_are_ignored, fixture) {
  ui_set_players(kit.ui, 2);
  shoal_entity box = add_widget(0, "checkbox"), slider = add_widget(0, "slider"), list = add_widget(0, "list"),
               dialogue = add_widget(0, "dialogue");
  set_field(list, "list", "items", string_id("a\nb"));
  set_field(dialogue, "dialogue", "text", string_id("Well?"));
  set_field(dialogue, "dialogue", "modal", 0);
  ui_update(kit.ui, 1.0 / 60);
  applies(box, &(widget_action_t){.kind = WIDGET_ACTION_SET, .entity = slider, .value = 1.5f});
  assert_float_equal(get_field(slider, "slider", "value"), 0, 0);
  applies(box, &(widget_action_t){.kind = WIDGET_ACTION_SET, .entity = slider, .value = 0.5f});
  assert_float_equal(get_field(slider, "slider", "value"), 0.5, 0);
  applies(box, &(widget_action_t){.kind = WIDGET_ACTION_CHOOSE, .entity = list, .number = 3});
  assert_float_equal(get_field(list, "list", "selected"), 1, 0);
  applies(box, &(widget_action_t){.kind = WIDGET_ACTION_CHOOSE, .entity = list, .number = 2});
  assert_float_equal(get_field(list, "list", "selected"), 2, 0);
  uint32_t line = (uint32_t)string_id("Well?");
  applies(box, &(widget_action_t){.kind = WIDGET_ACTION_ANSWER, .entity = dialogue, .number = 1, .line = line + 1});
  assert_int_equal(count_events("dialogue_ended"), 0);
  applies(box, &(widget_action_t){.kind = WIDGET_ACTION_ANSWER, .entity = dialogue, .number = 1, .line = line});
  assert_int_equal(count_events("dialogue_ended"), 1);
}

// --- predicted widgets of a match

// Makes the current state the one that the host has confirmed.
static snapshot_o *confirm_state(allocator_t *memory) {
  error_info_t error;
  snapshot_o *s = snapshot_create(memory);
  assert_true(snapshot_take(s, kit.world, &error));
  ui_set_confirmed(kit.ui, s);
  return s;
}

static void press_and_release(int key) {
  kit.now.keys[key] = 1;
  run_player_tick(BOTH, 1);
  kit.now.keys[key] = 0;
  run_player_tick(BOTH, 1);
}

static void click(shoal_entity e) {
  const ui_node_t *n = kit.ui->nodes.items;
  while (n->entity != e)
    ++n;
  kit.now.mouse_x = n->x + 4;
  kit.now.mouse_y = n->y + 4;
  kit.now.mouse_buttons[1] = 1;
  run_player_tick(BOTH, 1);
  kit.now.mouse_buttons[1] = 0;
  run_player_tick(BOTH, 1);
}

TEST_WITH(unconfirmed_widgets_ignore_keys_and_clicks, fixture) {
  shoal_entity below[2], menu[2];
  allocator_t memory = {0};
  ui_set_players(kit.ui, 2);
  add_menu_of(0, &below[0], &below[1]);
  run_player_tick(BOTH, 1);
  snapshot_o *s = confirm_state(&memory);
  set_field(add_menu_of(0, &menu[0], &menu[1]), "panel", "modal", 1);
  run_player_tick(BOTH, 1); // adds the rows of `widget`
  press_and_release(KEY_DOWN);
  press_and_release(KEY_ENTER);
  press_and_release(KEY_ESCAPE);
  click(menu[1]);
  assert_int_equal(count_events("changed"), 0);
  assert_int_equal(count_events("cancelled"), 0);
  assert_true(read_focus(menu[0]) == 0 && read_focus(menu[1]) == 0);
  assert_true(kit.ui->captured == UI_CAPTURES_ALL); // the game does not get the input, either
  ui_set_confirmed(kit.ui, NULL);
  snapshot_release(s);
  click(menu[1]);
  press_and_release(KEY_ENTER);
  press_and_release(KEY_ESCAPE);
  assert_int_equal(count_events("changed"), 2);
  assert_int_equal(count_events("cancelled"), 1);
}

TEST_WITH(focus_waits_until_the_first_menu_is_confirmed, fixture) {
  shoal_entity below[2], old[2], menu[2];
  allocator_t memory = {0};
  ui_set_players(kit.ui, 2);
  add_menu_of(0, &below[0], &below[1]);
  shoal_entity closed = add_menu_of(0, &old[0], &old[1]);
  run_player_tick(BOTH, 1);
  run_player_tick(BOTH, 1);
  assert_float_equal(read_focus(old[0]), 1, 0);
  snapshot_o *s = confirm_state(&memory);
  add_menu_of(0, &menu[0], &menu[1]);
  run_player_tick(BOTH, 1); // adds the rows of `widget`
  assert_true(world_destroy_entity(kit.world, closed));
  set_field(menu[1], "widget", "focused", 1); // simulates a script that sets the focus
  for (int i = 0; i < 3; ++i)
    run_player_tick(BOTH, 1);
  assert_true(read_focus(below[0]) == 0 && read_focus(below[1]) == 0);
  ui_set_confirmed(kit.ui, NULL);
  snapshot_release(s);
  run_player_tick(BOTH, 1);
  assert_true(read_focus(menu[1]) == 1 && read_focus(menu[0]) == 0 && read_focus(below[0]) == 0);
}

TEST_WITH(answer_waits_until_the_line_is_confirmed, fixture) {
  allocator_t memory = {0};
  ui_set_players(kit.ui, 2);
  shoal_entity dialogue = add_widget(0, "dialogue");
  set_field(dialogue, "dialogue", "text", string_id("Well?"));
  set_field(dialogue, "dialogue", "speed", 0);
  run_player_tick(BOTH, 1);
  run_player_tick(BOTH, 1);
  snapshot_o *s = confirm_state(&memory);
  set_field(dialogue, "dialogue", "text", string_id("Another id, or another line with the same id"));
  run_player_tick(BOTH, 1);
  press_and_release(KEY_ENTER);
  assert_int_equal(count_events("dialogue_ended"), 0);
  set_field(dialogue, "dialogue", "text", string_id("Well?"));
  run_player_tick(BOTH, 1);
  press_and_release(KEY_ENTER);
  assert_int_equal(count_events("dialogue_ended"), 1);
  ui_set_confirmed(kit.ui, NULL);
  snapshot_release(s);
}

TEST_WITH(encoded_actions_round_trip_and_malformed_ones_are_refused, fixture) {
  widget_action_t out, edit = {.kind = WIDGET_ACTION_EDIT, .entity = 4711, .start = 200, .erased = 3, .text = "äö"};
  uint8_t bytes[WIDGET_ACTION_MAX_BYTES];
  size_t size = widget_action_write(&edit, bytes);
  assert_int_equal(widget_action_read(bytes, size, &out), size);
  assert_memory_equal(&out, &edit, sizeof edit);
  for (size_t i = 0; i < size; ++i)
    assert_int_equal(widget_action_read(bytes, i, &out), 0);
  bytes[size - 1] = 0xff; // invalid UTF-8
  assert_int_equal(widget_action_read(bytes, size, &out), 0);
  bytes[0] = WIDGET_ACTION_KIND_COUNT;
  assert_int_equal(widget_action_read(bytes, size, &out), 0);
  widget_action_t set = {.kind = WIDGET_ACTION_SET, .entity = 1, .value = NAN};
  assert_int_equal(widget_action_read(bytes, widget_action_write(&set, bytes), &out), 0);
}
