// Input for plugins (service/input.c): mouse, typed text and actions, and the places where they can be read.
#include "plugin_fixture.h"

#include "shoal/input.h"

static const shoal_plugin def = {.name = "test"};

static plugged_t *t; // the current test's plugin host
static shoal_context *c;
static context_t held;
static input_state_t now, before;

static void set_context(plugin_call_kind_t where) {
  static run_t run = {.name = "test.work"};
  held = plugin_build_context(t->p->list.items[0], where);
  held.run = &run;
  c = &held.shared;
}

static int setup(void **state) {
  plugged_setup(state);
  t = *state;
  plugged_open_and_bind(t, &def);
  memset(&now, 0, sizeof now);
  memset(&before, 0, sizeof before);
  t->p->desc.input = &now;
  t->p->desc.previous_input = &before;
  set_context(PLUGIN_CALL_SYSTEM);
  return 0;
}
FIXTURE(fixture, setup, plugged_teardown)

static void assert_call_failed(const char *words) {
  if (!held.failed || !strstr(held.problem.text, words))
    fail_msg("got '%s', expected '%s'", held.failed ? held.problem.text : "nothing", words);
  held.failed = false;
}

TEST_WITH(plugin_mouse_state_has_position_wheel_and_all_button_states, fixture) {
  now.mouse_x = 120.5f;
  now.mouse_y = -3;
  now.wheel = 2;
  now.mouse_buttons[1] = now.mouse_buttons[3] = 1; // the left and the right button
  before.mouse_buttons[2] = 1;                     // the middle button
  shoal_mouse_state mouse = shoal_get_mouse(c);
  assert_true(mouse.x == 120.5f && mouse.y == -3 && mouse.wheel == 2);
  assert_int_equal(mouse.buttons, 1u | 4u);
  assert_int_equal(mouse.previous_buttons, 2);
  before = now;
  now.mouse_buttons[3] = 0;
  mouse = shoal_get_mouse(c);
  assert_int_equal(mouse.buttons, 1);
  assert_int_equal(mouse.previous_buttons, 1u | 4u);
  assert_false(held.failed);
}

TEST_WITH(plugins_read_the_mouse_movement_of_this_tick, fixture) {
  float dx = 9, dy = 9;
  now.mouse_dx = 4.5f;
  now.mouse_dy = -2;
  before.mouse_dx = before.mouse_dy = 100; // movements of the previous tick do not count
  shoal_get_mouse_motion(c, &dx, &dy);
  assert_true(dx == 4.5f && dy == -2);
  t->p->desc.input = t->p->desc.previous_input = NULL;
  shoal_get_mouse_motion(c, &dx, &dy);
  assert_true(dx == 0 && dy == 0);
  assert_false(held.failed);
  t->p->desc.input = &now;
  set_context(PLUGIN_CALL_LOADING);
  shoal_get_mouse_motion(c, &dx, &dy);
  assert_true(dx == 0 && dy == 0);
  assert_call_failed("shoal_get_mouse_motion cannot be called while loading");
}

TEST_WITH(typed_text_is_terminated_even_if_the_sample_is_full, fixture) {
  assert_string_equal(shoal_text_input(c), "");
  memcpy(now.text, "h\xc3\xa9llo", 7);
  assert_string_equal(shoal_text_input(c), "h\xc3\xa9llo");
  memset(now.text, 'x', sizeof now.text); // fills the text without a terminating zero
  assert_int_equal(strlen(shoal_text_input(c)), INPUT_TEXT);
  memset(now.text, 0, sizeof now.text);
  assert_string_equal(shoal_text_input(c), "");
}

TEST_WITH(plugin_input_is_empty_without_a_sample, fixture) {
  t->p->desc.input = t->p->desc.previous_input = NULL;
  shoal_mouse_state mouse = shoal_get_mouse(c);
  assert_true(mouse.x == 0 && mouse.buttons == 0 && mouse.previous_buttons == 0);
  assert_string_equal(shoal_text_input(c), "");
  assert_false(held.failed);
}

TEST_WITH(reading_input_where_it_is_unavailable_fails_with_a_message, fixture) {
  static const struct {
    plugin_call_kind_t where;
    const char *words;
  } places[] = {{PLUGIN_CALL_LOADING, "while loading"}, {PLUGIN_CALL_MANAGER, "in a manager"}};
  char words[100];
  now.mouse_x = 7;
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    set_context(places[i].where);
    assert_true(shoal_get_mouse(c).x == 0);
    snprintf(words, sizeof words, "shoal_get_mouse cannot be called %s", places[i].words);
    assert_call_failed(words);
    assert_string_equal(shoal_text_input(c), "");
    assert_call_failed("shoal_text_input cannot be called");
  }
  set_context(PLUGIN_CALL_PART); // text uses one buffer per plugin, but parts run in parallel
  assert_true(shoal_get_mouse(c).x == 7);
  assert_string_equal(shoal_text_input(c), "");
  assert_call_failed("shoal_text_input cannot be called in a parallel or .concurrent system");
  set_context(PLUGIN_CALL_RENDER);
  assert_true(shoal_get_mouse(c).x == 7);
  assert_false(held.failed);
}

TEST_WITH(unknown_player_or_action_fails_with_a_message, fixture) {
  assert_true(shoal_action_value(c, "jump", 5) == 0);
  assert_call_failed("shoal_action_value: player must be from 1 to 4, or 0 for any player, got 5");
  assert_false(shoal_action_pressed(c, "jump", -1));
  assert_call_failed("shoal_action_value: player must be from 1 to 4, or 0 for any player, got -1");
  assert_true(shoal_action_value(c, NULL, 0) == 0);
  assert_call_failed("input.lua has no action NULL");
}
