// The overlay: entities under the mouse (overlay/picking.h), and the commands for clicks, drags and typed text.
#include "components_fixture.h"
#include "draw_fixture.h"
#include "overlay/dev_overlay.h"
#include "overlay/line_edit.h"
#include "platform/platform.h"
#include "ecs/world_hash.h"

#include <stdio.h>

typedef struct stage_t {
  fixture_t *f;
  dev_overlay_o *overlay;
  draw_o *draw;
  typesetter_o *type;
  log_o *log;
  latch_t input;
  dev_overlay_view_t view;
  shoal_entity picked[4];
} stage_t;

SETUP(stage_t, s) {
  s->f = fixture_open();
  s->overlay = dev_overlay_create();
  s->draw = draw_create();
  s->log = log_create(LOG_ERROR); // hides warnings, because no font is loaded
  s->type = typesetter_create(NULL, s->log);
  s->view = (dev_overlay_view_t){.world = s->f->world,
                                 .type = s->type,
                                 .draw = s->draw,
                                 .input = &s->input,
                                 .now_s = 1,
                                 .width = 1280,
                                 .height = 720,
                                 .held = true,
                                 .has_past = true,
                                 .first_tick = 0,
                                 .tick = 50,
                                 .last_tick = 100,
                                 .speed = 1,
                                 .tick_rate = 60,
                                 .selected = s->picked};
}

TEARDOWN(stage_t, s) {
  dev_overlay_destroy(s->overlay);
  draw_destroy(s->draw);
  typesetter_destroy(s->type);
  log_destroy(s->log);
  fixture_close(s->f);
}

static shoal_entity spawn_rect(fixture_t *f, double x, double y, double size, double layer) {
  shoal_entity e = place(f, x, y);
  add(f, e, "shape");
  set(f, e, "shape", "kind", 1);
  set(f, e, "shape", "width", size);
  set(f, e, "shape", "height", size);
  set(f, e, "shape", "layer", layer);
  return e;
}

static uint32_t list_entities_at(stage_t *s, float x, float y, shoal_entity *out) {
  picking_view_t v = {.world = s->f->world, .width = 1280, .height = 720};
  transform_update_child_lists(s->f->world);
  return picking_list_entities_at(&v, x, y, out, PICKING_MAX_HITS);
}

// --- picking

TEST_IN(picking_lists_the_topmost_entity_first, stage_t, s) {
  shoal_entity stack[PICKING_MAX_HITS],
      low = spawn_rect(s->f, 100, 100, 40, -1), mid = spawn_rect(s->f, 100, 100, 40, 0),
      later = spawn_rect(s->f, 105, 100, 40, 0), high = spawn_rect(s->f, 100, 100, 10, 3);
  assert_int_equal(list_entities_at(s, 100, 100, stack), 4);
  assert_int_equal(stack[0], high);
  assert_int_equal(stack[1], later);
  assert_int_equal(stack[2], mid);
  assert_int_equal(stack[3], low);
  assert_int_equal(list_entities_at(s, 112, 100, stack), 3);
  assert_int_equal(stack[0], later);
  assert_int_equal(list_entities_at(s, 400, 400, stack), 0);
  assert_int_equal(picking_next_in_stack((shoal_entity[]){7, 8, 9}, 3, 8), 9);
  assert_int_equal(picking_next_in_stack((shoal_entity[]){7, 8, 9}, 3, 9), 7);
  assert_int_equal(picking_next_in_stack((shoal_entity[]){7, 8, 9}, 3, 1), 7);
  assert_int_equal(picking_next_in_stack(NULL, 0, 1), 0);
}

TEST_IN(picking_tests_the_visible_shape_instead_of_its_bounding_box, stage_t, s) {
  shoal_entity stack[PICKING_MAX_HITS], disc = place(s->f, 200, 200), turned = spawn_rect(s->f, 500, 200, 100, 0);
  add(s->f, disc, "shape");
  set(s->f, disc, "shape", "radius", 50);
  set(s->f, turned, "transform", "angle", 0.7853981);
  assert_int_equal(list_entities_at(s, 245, 200, stack), 1);
  assert_int_equal(stack[0], disc);
  assert_int_equal(list_entities_at(s, 240, 240, stack), 0); // outside the disc, but inside its bounding box
  assert_int_equal(list_entities_at(s, 565, 200, stack), 1); // the corner of a square rotated by 45 degrees
  assert_int_equal(list_entities_at(s, 540, 240, stack), 0);
  set(s->f, turned, "shape", "visible", 0);
  assert_int_equal(list_entities_at(s, 500, 200, stack), 0);
}

TEST_IN(entity_without_a_visible_shape_is_picked_at_its_position, stage_t, s) {
  shoal_entity stack[PICKING_MAX_HITS], plain = place(s->f, 300, 300), broken = place(s->f, NAN, 300);
  assert_int_equal(list_entities_at(s, 304, 296, stack), 1);
  assert_int_equal(stack[0], plain);
  assert_int_equal(list_entities_at(s, 312, 300, stack), 0);
  (void)broken;
}

TEST_IN(box_selection_finds_the_entities_inside, stage_t, s) {
  shoal_entity found[8], first = spawn_rect(s->f, 100, 100, 10, 0), second = spawn_rect(s->f, 150, 120, 10, 0);
  spawn_rect(s->f, 400, 100, 10, 0);
  picking_view_t v = {.world = s->f->world, .width = 1280, .height = 720};
  transform_update_child_lists(s->f->world);
  assert_int_equal(picking_list_in_box(&v, 200, 200, 50, 50, found, 8), 2); // the corners can be given in any order
  assert_int_equal(found[0], first);
  assert_int_equal(found[1], second);
  assert_int_equal(picking_list_in_box(&v, 200, 200, 50, 50, found, 1), 1);
}

TEST_IN(screen_drag_is_converted_to_parent_space, stage_t, s) {
  shoal_entity parent = place(s->f, 100, 100), child = place(s->f, 10, 0);
  double by[2];
  set(s->f, parent, "transform", "scale_x", 2);
  set(s->f, parent, "transform", "angle", 1.5707963267948966);
  set(s->f, child, "transform", "parent", parent);
  transform_update_child_lists(s->f->world);
  picking_view_t v = {.world = s->f->world, .width = 1280, .height = 720};
  assert_true(picking_compute_move(&v, child, 0, 20, by)); // the screen's y axis is the parent's x axis, scaled by 2
  assert_near(by[0], 10, 1e-4);
  assert_near(by[1], 0, 1e-4);
  set(s->f, parent, "transform", "scale_x", 0);
  transform_update_child_lists(s->f->world);
  assert_false(picking_compute_move(&v, child, 0, 20, by));
}

// --- the overlay

static void run_frame(stage_t *s) {
  draw_clear(s->draw);
  transform_update_child_lists(s->f->world);
  dev_overlay_draw(s->overlay, &s->view);
  latch_clear_pressed(&s->input);
}

static void move_mouse(stage_t *s, float x, float y, bool down) {
  s->input.current.mouse_x = x;
  s->input.current.mouse_y = y;
  latch_mouse_button(&s->input, 1, down);
  run_frame(s);
}

static void assert_command(stage_t *s, const char *wanted) {
  const char *request = dev_overlay_next_request(s->overlay);
  if (!wanted)
    assert_null(request);
  else
    assert_string_equal(request ? request : "nothing", wanted);
}

TEST_IN(closed_overlay_takes_no_input_and_is_drawn_only_while_the_game_is_held, stage_t, s) {
  run_frame(s);
  assert_true(draw_count(s->draw) > 0);
  assert_int_equal(dev_overlay_get_captured_input(s->overlay), 0);
  s->view.held = false;
  run_frame(s);
  assert_int_equal(draw_count(s->draw), 0);
  dev_overlay_toggle(s->overlay);
  run_frame(s);
  // the game still gets the keys
  assert_int_equal(dev_overlay_get_captured_input(s->overlay), PLATFORM_CAPTURE_MOUSE | PLATFORM_CAPTURE_SHORTCUTS);
  s->view.held = true;
  run_frame(s);
  assert_true(dev_overlay_get_captured_input(s->overlay) & PLATFORM_CAPTURE_KEYS);
}

TEST_IN(repeated_clicks_cycle_through_stacked_entities, stage_t, s) {
  char wanted[64];
  shoal_entity low = spawn_rect(s->f, 640, 300, 60, 0), high = spawn_rect(s->f, 640, 300, 60, 1);
  uint64_t before = world_hash(s->f->world);
  dev_overlay_toggle(s->overlay);
  move_mouse(s, 640, 300, true);
  move_mouse(s, 640, 300, false);
  snprintf(wanted, sizeof wanted, "{\"do\":\"pick\",\"entities\":[%u]}", high);
  assert_command(s, wanted);
  s->picked[0] = high;
  s->view.selected_count = 1;
  move_mouse(s, 641, 300, true);
  move_mouse(s, 641, 300, false);
  snprintf(wanted, sizeof wanted, "{\"do\":\"pick\",\"entities\":[%u]}", low);
  assert_command(s, wanted);
  move_mouse(s, 500, 500, true);
  move_mouse(s, 500, 500, false);
  assert_command(s, "{\"do\":\"pick\",\"entities\":[]}");
  move_mouse(s, 50, 734, true); // the click hits the time bar
  move_mouse(s, 50, 734, false);
  assert_command(s, NULL);
  assert_true(world_hash(s->f->world) == before);
}

TEST_IN(dragging_moves_the_selection_as_one_change, stage_t, s) {
  char wanted[96];
  shoal_entity e = spawn_rect(s->f, 640, 300, 60, 0);
  s->picked[0] = e;
  s->view.selected_count = 1;
  dev_overlay_toggle(s->overlay);
  move_mouse(s, 650, 300, true);
  assert_command(s, NULL);
  move_mouse(s, 690, 310, true);
  snprintf(wanted, sizeof wanted, "{\"do\":\"move\",\"goes_on\":false,\"places\":[[%u,680,310]]}", e);
  assert_command(s, wanted);
  move_mouse(s, 700, 320, true);
  snprintf(wanted, sizeof wanted, "{\"do\":\"move\",\"goes_on\":true,\"places\":[[%u,690,320]]}", e);
  assert_command(s, wanted);
  move_mouse(s, 700, 320, false);
  assert_command(s, NULL);
}

TEST_IN(dragging_a_box_selects_entities, stage_t, s) {
  char wanted[64];
  shoal_entity a = spawn_rect(s->f, 600, 300, 10, 0), b = spawn_rect(s->f, 640, 320, 10, 0);
  dev_overlay_toggle(s->overlay);
  move_mouse(s, 560, 260, true);
  move_mouse(s, 660, 340, true);
  move_mouse(s, 700, 400, true);
  assert_command(s, NULL);
  move_mouse(s, 700, 400, false);
  snprintf(wanted, sizeof wanted, "{\"do\":\"pick\",\"entities\":[%u,%u]}", a, b);
  assert_command(s, wanted);
}

TEST_IN(dragging_a_number_changes_its_field, stage_t, s) {
  shoal_entity e = place(s->f, 200, 300);
  char wanted[160];
  s->picked[0] = e;
  s->view.selected_count = 1;
  dev_overlay_toggle(s->overlay);
  move_mouse(s, 1100, 130, true); // clicks the field transform.x
  move_mouse(s, 1120, 130, true);
  snprintf(
      wanted, sizeof wanted,
      "{\"do\":\"set\",\"entity\":%u,\"component\":\"transform\",\"instance\":\"\",\"field\":\"x\",\"goes_on\":false,"
      "\"value\":220}",
      e);
  assert_command(s, wanted);
}

// Returns the number of filled rectangles with this colour in the drawn frame.
static uint32_t count_filled(const stage_t *s, float red, float green, float blue) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->draw->commands.count; ++i) {
    const draw_command_t *c = &s->draw->commands.items[i];
    count += c->filled && c->colour[0] == red && c->colour[1] == green && c->colour[2] == blue && c->colour[3] == 1;
  }
  return count;
}

TEST_IN(colour_field_has_a_swatch_of_its_colour, stage_t, s) {
  shoal_entity e = place(s->f, 200, 300);
  add(s->f, e, "shape");
  set(s->f, e, "shape", "colour.x", 0.25);
  set(s->f, e, "shape", "colour.y", 0.75);
  set(s->f, e, "shape", "colour.z", 2); // outside the displayable range: shown as 1
  s->picked[0] = e;
  s->view.selected_count = 1;
  dev_overlay_toggle(s->overlay);
  run_frame(s);
  assert_int_equal(count_filled(s, 0.25f, 0.75f, 1), 1);
  assert_int_equal(count_filled(s, 0.0f, 0.0f, 0.0f), 0); // fields such as transform.scale are not colours
}

TEST_IN(clicking_a_mask_writes_its_layers_to_the_console_line, stage_t, s) {
  world_set_layers(s->f->world, "hero\0foe\0shot", 3);
  error_info_t error;
  s->picked[0] = world_spawn(s->f->world, 0, &error);
  add(s->f, s->picked[0], "body");
  set(s->f, s->picked[0], "body", "mask", 6);
  s->view.selected_count = 1;
  dev_overlay_toggle(s->overlay);
  move_mouse(s, 1100, 267, true); // the field body.mask
  move_mouse(s, 1100, 267, false);
  latch_key(&s->input, KEY_RETURN, true);
  run_frame(s);
  assert_command(s, "{\"do\":\"console\",\"text\":\"e.body.mask = { \\\"foe\\\", \\\"shot\\\" }\"}");
}

TEST_IN(commands_run_by_key_and_from_the_palette, stage_t, s) {
  static const dev_overlay_command_t commands[] = {{"Hold, or go on", "Space", "F6", "{\"do\":\"hold\"}", false, ""},
                                                   {"Undo", "Ctrl+Z", "", "{\"do\":\"undo\"}", false, ""},
                                                   {"Open the page", "", "", "page", true, ""}};
  s->view.commands = commands;
  s->view.command_count = 3;
  dev_overlay_toggle(s->overlay);
  latch_key(&s->input, 44, true); // space
  run_frame(s);
  assert_command(s, "{\"do\":\"hold\"}");
  latch_key(&s->input, 44, false);
  s->view.held = false;
  latch_key(&s->input, 44, true);
  run_frame(s);
  assert_command(s, NULL); // only the running game gets the key
  latch_key(&s->input, KEY_LEFT_CONTROL, true);
  latch_key(&s->input, 29, true); // Z
  run_frame(s);
  assert_command(s, "{\"do\":\"undo\"}");
  latch_key(&s->input, 14, true); // K
  run_frame(s);
  assert_true(dev_overlay_get_captured_input(s->overlay) & PLATFORM_CAPTURE_TEXT);
  latch_text(&s->input, "page open");
  run_frame(s);
  latch_key(&s->input, KEY_RETURN, true);
  run_frame(s);
  assert_command(s, "!page");
  assert_false(dev_overlay_get_captured_input(s->overlay) & PLATFORM_CAPTURE_TEXT);
}

static void click_console_button(stage_t *s) {
  move_mouse(s, 1092, 742, true);
  move_mouse(s, 1092, 742, false);
}

TEST_IN(console_line_is_quoted_and_stored_in_history, stage_t, s) {
  dev_overlay_toggle(s->overlay);
  click_console_button(s);
  latch_text(&s->input, "log.info(\"é\\n\")");
  run_frame(s);
  latch_key(&s->input, KEY_RETURN, true);
  run_frame(s);
  assert_command(s, "{\"do\":\"console\",\"text\":\"log.info(\\\"é\\\\n\\\")\"}");
  latch_key(&s->input, KEY_RETURN, false);
  latch_key(&s->input, KEY_UP, true);
  run_frame(s);
  latch_key(&s->input, KEY_RETURN, true);
  run_frame(s);
  assert_command(s, "{\"do\":\"console\",\"text\":\"log.info(\\\"é\\\\n\\\")\"}");
}

// Enters a line in the console, which must have the focus.
static void enter_line(stage_t *s, const char *line) {
  latch_text(&s->input, line);
  run_frame(s);
  latch_key(&s->input, KEY_RETURN, true);
  run_frame(s);
  latch_key(&s->input, KEY_RETURN, false);
}

TEST_IN(console_runs_overlay_actions_by_name_and_completes_names, stage_t, s) {
  static const dev_overlay_command_t commands[] = {
      {"Spawn bee", "", "", "{\"do\":\"spawn\"}", false, ""},
      {"Spawn bear", "", "", "{\"do\":\"spawn\"}", false, ""},
      {"Open the page", "", "", "page", true, ""},
  };
  s->view.commands = commands;
  s->view.command_count = 3;
  dev_overlay_toggle(s->overlay);
  click_console_button(s);
  latch_text(&s->input, "sp");
  run_frame(s);
  latch_key(&s->input, KEY_TAB, true);
  run_frame(s);
  latch_key(&s->input, KEY_TAB, false);
  enter_line(s, "e");
  assert_command(s, "{\"do\":\"console\",\"text\":\"Spawn bee\"}");
  enter_line(s, "open the PAGE");
  assert_command(s, "!page");
  enter_line(s, "help bear");
  assert_command(s, NULL); // the palette opens and shows one command
  enter_line(s, "");
  assert_command(s, "{\"do\":\"spawn\"}");
}

TEST_IN(dragging_the_time_bar_seeks, stage_t, s) {
  dev_overlay_toggle(s->overlay);
  move_mouse(s, 400, 742, true);
  const char *request = dev_overlay_next_request(s->overlay);
  assert_non_null(request);
  assert_non_null(strstr(request, "\"seek\""));
  move_mouse(s, -500, 742, true);
  assert_command(s, "{\"do\":\"time\",\"action\":\"seek\",\"tick\":0}");
}

TEST(line_edit_never_splits_a_utf8_character) {
  line_edit_t l;
  latch_t input = {0};
  line_edit_set(&l, "aé");
  latch_key(&input, KEY_LEFT, true);
  line_edit_apply(&l, &input);
  assert_int_equal(l.cursor, 1);
  latch_release_all(&input);
  latch_text(&input, "ß\n");
  assert_true(line_edit_apply(&l, &input));
  assert_string_equal(l.text, "aß é");
  latch_release_all(&input);
  latch_key(&input, KEY_BACKSPACE, true);
  line_edit_apply(&l, &input);
  line_edit_apply(&l, &input);
  assert_string_equal(l.text, "aé");
  char large[LINE_EDIT_BYTES + 9];
  memset(large, 'x', sizeof large);
  memcpy(large + LINE_EDIT_BYTES - 2, "é", 3);
  line_edit_set(&l, large);
  assert_int_equal(strlen(l.text), LINE_EDIT_BYTES - 2); // a character is never split
}

// Draws a game's panel next to the list of keys (a label, a value, a slider, a button and plots), a table below it, and
// a panel that fails.
TEST_IN(panel_widgets_send_commands_and_clicking_a_title_collapses_the_panel, stage_t, s) {
  static const double points[][2] = {{1, 2}, {2, -3}, {3, 1e30}};
  static const char *const cells[] = {"entity", "price", "1",
                                      "2",      "12",    "an é that is longer than its column has room"};
  const dev_overlay_widget_t widgets[] = {
      {.kind = DEV_OVERLAY_LABEL, .label = "What is sold"},
      {.kind = DEV_OVERLAY_VALUE,
       .label = "fruit",
       .text = "a text that is far too long to stand beside its name in one line"},
      {.kind = DEV_OVERLAY_SLIDER,
       .label = "price",
       .value = 3,
       .max = 10,
       .is_integer = true,
       .request = "{\"do\":\"set\""},
      {.kind = DEV_OVERLAY_BUTTON, .label = "One more", .request = "{\"do\":\"press\""},
      {.kind = DEV_OVERLAY_PLOT, .label = "sum", .points = points, .point_count = 3},
      {.kind = DEV_OVERLAY_PLOT, .label = "one", .points = points, .point_count = 1},
      {.kind = DEV_OVERLAY_PLOT, .label = "none"}};
  const dev_overlay_panel_t panels[] = {
      {.title = "Stall", .widgets = widgets, .widget_count = sizeof widgets / sizeof *widgets},
      {.title = "Rows", .cells = cells, .columns = 2, .rows = 3, .is_truncated = true},
      {.title = "Fails",
       .error = "cockpit.lua:20: ééééééééééééééééééééééééééééééééééééééééééééééééé and words that go on"}};
  s->view.panels = panels;
  s->view.panel_count = 3;
  dev_overlay_toggle(s->overlay);
  move_mouse(s, 136, 171, true);
  assert_command(s, "{\"do\":\"set\",\"value\":0,\"goes_on\":false}");
  move_mouse(s, 246, 171, true);
  assert_command(s, "{\"do\":\"set\",\"value\":10,\"goes_on\":true}");
  move_mouse(s, 246, 171, false);
  move_mouse(s, 168, 195, true);
  assert_command(s, "{\"do\":\"press\"}");
  move_mouse(s, 168, 195, false);
  s->view.read_only = true;
  move_mouse(s, 136, 171, true);
  assert_command(s, NULL);
  move_mouse(s, 136, 171, false);
  uint32_t open = (uint32_t)draw_count(s->draw);
  assert_true(dev_overlay_shows_panel(s->overlay, "Stall"));
  move_mouse(s, 92, 100, true);
  move_mouse(s, 92, 100, false);
  assert_false(dev_overlay_shows_panel(s->overlay, "Stall"));
  assert_true(draw_count(s->draw) < open);
  assert_true(dev_overlay_shows_panel(s->overlay, "Rows"));
  move_mouse(s, 92, 100, true);
  assert_true(dev_overlay_shows_panel(s->overlay, "Stall"));
}
