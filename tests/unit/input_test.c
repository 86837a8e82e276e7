// Names and values of keys, pads and the mouse: platform/input.h.
#include "platform/input.h"
#include "platform/platform.h"

#include <SDL2/SDL_gamecontroller.h>
#include <SDL2/SDL_scancode.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static input_binding_t parsed(const char *text) {
  input_binding_t b;
  if (!input_parse(text, &b))
    fail_msg("\"%s\" is refused", text);
  return b;
}

static void keys_are_named_as_sdl_names_them_in_any_case(void **state) {
  (void)state;
  assert_int_equal(parsed("key:up").code, SDL_SCANCODE_UP);
  assert_int_equal(parsed("KEY:Left Shift").code, SDL_SCANCODE_LSHIFT);
  assert_int_equal(parsed("key:w").code, SDL_SCANCODE_W);
  assert_int_equal(parsed("key:space").device, INPUT_KEY);
  assert_int_equal(parsed("key:enter").code, SDL_SCANCODE_RETURN);
  assert_int_equal(parsed("key:esc").code, SDL_SCANCODE_ESCAPE);
}

static void pads_name_buttons_axes_and_halves_of_axes(void **state) {
  (void)state;
  input_binding_t any = parsed("pad:a"), second = parsed("pad2:start");
  assert_int_equal(any.device, INPUT_PAD_BUTTON);
  assert_int_equal(any.pad, -1);
  assert_int_equal(second.code, SDL_CONTROLLER_BUTTON_START);
  assert_int_equal(second.pad, 1);
  input_binding_t whole = parsed("pad:leftx"), half = parsed("pad:lefty-"), trigger = parsed("pad4:righttrigger+");
  assert_int_equal(whole.device, INPUT_PAD_AXIS);
  assert_true(whole.sign == 0.0f);
  assert_int_equal(half.code, SDL_CONTROLLER_AXIS_LEFTY);
  assert_true(half.sign == -1.0f && trigger.sign == 1.0f);
  assert_int_equal(trigger.pad, 3);
}

static void the_mouse_has_buttons_and_a_wheel(void **state) {
  (void)state;
  assert_int_equal(parsed("mouse:left").code, 1);
  assert_int_equal(parsed("mouse:right").code, 3);
  assert_true(parsed("wheel:down").sign == -1.0f);
}

static void names_that_mean_nothing_are_refused(void **state) {
  (void)state;
  static const char *const NONSENSE[] = {"",       "key",    "key:",    "key:nosuchkey", "up",         "pad:",
                                         "pad5:a", "pad0:a", "pad:a-",  "pad:lefty-+",   "mouse:four", "wheel:left",
                                         "joy:a",  ":up",    "keys:up", "pad:-",         "pad12:a"};
  for (size_t i = 0; i < sizeof NONSENSE / sizeof *NONSENSE; ++i) {
    input_binding_t b = {.code = 77};
    if (input_parse(NONSENSE[i], &b))
      fail_msg("\"%s\" is taken", NONSENSE[i]);
    assert_int_equal(b.device, INPUT_NONE);
  }
}

static void the_name_that_was_meant_is_found(void **state) {
  static const struct {
    const char *wrong, *meant;
  } cases[] = {{"key:spce", "key:space"},       {"KEY:Retrun", "key:return"}, {"space", "key:space"},
               {"leftx", "pad:leftx"},          {"kye:up", "key:up"},         {"pad:leftshouldr", "pad:leftshoulder"},
               {"mouse:midle", "mouse:middle"}, {"wheel:upp", "wheel:up"}};
  char meant[64];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_true(input_similar(cases[i].wrong, meant, sizeof meant));
    assert_string_equal(meant, cases[i].meant);
  }
  assert_false(input_similar("key:supercalifragilistic", meant, sizeof meant));
  assert_false(input_similar("", meant, sizeof meant));
}

static void a_button_is_worth_0_or_1(void **state) {
  (void)state;
  input_state_t s = {0};
  input_binding_t up = parsed("key:up"), a = parsed("pad:a"), first = parsed("pad1:a"), left = parsed("mouse:left");
  assert_true(input_value(&s, &up) == 0.0f && input_value(&s, &a) == 0.0f);
  s.keys[SDL_SCANCODE_UP] = 1;
  s.pad_buttons[2][SDL_CONTROLLER_BUTTON_A] = 1;
  s.mouse_buttons[1] = 1;
  assert_true(input_value(&s, &up) == 1.0f);
  assert_true(input_value(&s, &a) == 1.0f);
  assert_true(input_value(&s, &first) == 0.0f);
  assert_true(input_value(&s, &left) == 1.0f);
}

static void an_axis_is_whole_or_one_half_of_it(void **state) {
  (void)state;
  input_state_t s = {0};
  input_binding_t whole = parsed("pad:lefty"), up = parsed("pad:lefty-"), down = parsed("pad:lefty+");
  s.pad_axes[1][SDL_CONTROLLER_AXIS_LEFTY] = -0.75f;
  s.pad_axes[3][SDL_CONTROLLER_AXIS_LEFTY] = 0.5f;
  assert_true(input_value(&s, &whole) == -0.75f);
  assert_true(input_value(&s, &up) == 0.75f);
  assert_true(input_value(&s, &down) == 0.5f);
}

static void the_wheel_counts_in_its_direction_only(void **state) {
  (void)state;
  input_state_t s = {.wheel = 3.0f};
  input_binding_t up = parsed("wheel:up"), down = parsed("wheel:down");
  assert_true(input_value(&s, &up) == 1.0f);
  assert_true(input_value(&s, &down) == 0.0f);
}

static void codes_out_of_range_are_worth_nothing(void **state) {
  (void)state;
  input_state_t s;
  memset(&s, 1, sizeof s);
  const input_binding_t wrong[] = {{.device = INPUT_KEY, .code = INPUT_KEYS, .pad = -1},
                                   {.device = INPUT_PAD_AXIS, .code = -1, .pad = -1},
                                   {.device = INPUT_PAD_BUTTON, .code = INPUT_PAD_BUTTONS, .pad = 0},
                                   {.device = INPUT_MOUSE_BUTTON, .code = 1000, .pad = -1},
                                   {.device = INPUT_NONE}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    assert_true(input_value(&s, &wrong[i]) == 0.0f);
}

static void a_key_pressed_and_released_between_two_samples_is_down_for_one(void **state) {
  (void)state;
  platform_o *p = platform_create(&(platform_desc_t){.headless = true}, NULL);
  input_state_t up = {0}, down = {.wheel = 1.0f}, got;
  down.keys[SDL_SCANCODE_SPACE] = 1;
  down.pad_buttons[0][SDL_CONTROLLER_BUTTON_A] = 1;
  platform_feed(p, &down);
  platform_feed(p, &up);
  platform_sample(p, &got);
  assert_int_equal(got.keys[SDL_SCANCODE_SPACE], 1);
  assert_int_equal(got.pad_buttons[0][SDL_CONTROLLER_BUTTON_A], 1);
  assert_true(got.wheel == 1.0f);
  platform_sample(p, &got);
  assert_int_equal(got.keys[SDL_SCANCODE_SPACE], 0);
  assert_int_equal(got.pad_buttons[0][SDL_CONTROLLER_BUTTON_A], 0);
  assert_true(got.wheel == 0.0f);
  platform_destroy(p);
}

static void a_key_that_is_held_stays_down(void **state) {
  (void)state;
  platform_o *p = platform_create(&(platform_desc_t){.headless = true}, NULL);
  input_state_t down = {.mouse_x = 12.0f}, got;
  down.keys[SDL_SCANCODE_A] = 1;
  platform_feed(p, &down);
  for (int i = 0; i < 3; ++i) {
    platform_sample(p, &got);
    assert_int_equal(got.keys[SDL_SCANCODE_A], 1);
    assert_true(got.mouse_x == 12.0f);
  }
  platform_destroy(p);
}

static void a_wish_to_close_the_window_is_in_one_sample_and_its_size_in_all(void **state) {
  (void)state;
  platform_o *p = platform_create(&(platform_desc_t){.headless = true}, NULL);
  input_state_t fed = {.window = {.width = 640, .height = 480, .unfocused = 1, .closed = 1}}, got;
  platform_feed(p, &fed);
  for (int i = 0; i < 3; ++i) {
    platform_sample(p, &got);
    assert_int_equal(got.window.closed, i == 0);
    assert_int_equal(got.window.width, 640);
    assert_int_equal(got.window.unfocused, 1);
  }
  platform_destroy(p);
}

static void nan_in_a_sample_from_a_file_becomes_0(void **state) {
  (void)state;
  input_state_t s = {.mouse_x = 3, .wheel = -1};
  memset(&s.mouse_y, 0xff, sizeof s.mouse_y); // a NaN that Lua cannot read
  memset(&s.pad_axes[3][5], 0xff, sizeof s.pad_axes[3][5]);
  input_clean(&s);
  assert_true(s.mouse_x == 3 && s.mouse_y == 0 && s.wheel == -1 && s.pad_axes[3][5] == 0);
}

int input_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_are_named_as_sdl_names_them_in_any_case),
      cmocka_unit_test(pads_name_buttons_axes_and_halves_of_axes),
      cmocka_unit_test(the_mouse_has_buttons_and_a_wheel),
      cmocka_unit_test(names_that_mean_nothing_are_refused),
      cmocka_unit_test(the_name_that_was_meant_is_found),
      cmocka_unit_test(a_button_is_worth_0_or_1),
      cmocka_unit_test(an_axis_is_whole_or_one_half_of_it),
      cmocka_unit_test(the_wheel_counts_in_its_direction_only),
      cmocka_unit_test(codes_out_of_range_are_worth_nothing),
      cmocka_unit_test(a_key_pressed_and_released_between_two_samples_is_down_for_one),
      cmocka_unit_test(a_key_that_is_held_stays_down),
      cmocka_unit_test(a_wish_to_close_the_window_is_in_one_sample_and_its_size_in_all),
      cmocka_unit_test(nan_in_a_sample_from_a_file_becomes_0),
  };
  return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
