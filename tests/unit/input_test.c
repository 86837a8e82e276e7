// Names and values of keys, gamepads and the mouse: platform/input.h.
#include "platform/input.h"
#include "input_fixture.h"
#include "game/players.h"
#include "journal/record.h"
#include "platform/ignored_input.h"
#include "platform/input_names.h"
#include "platform/input_latch.h"
#include "platform/platform.h"
#include "test.h"

#include <SDL2/SDL.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static input_binding_t parse_binding(const char *text) {
  input_binding_t b;
  if (!input_parse(text, &b))
    fail_msg("\"%s\" is refused", text);
  return b;
}

TEST(key_bindings_use_sdl_names_in_any_case) {
  assert_int_equal(parse_binding("key:up").code, SDL_SCANCODE_UP);
  assert_int_equal(parse_binding("KEY:Left Shift").code, SDL_SCANCODE_LSHIFT);
  assert_int_equal(parse_binding("key:w").code, SDL_SCANCODE_W);
  assert_int_equal(parse_binding("key:space").device, INPUT_KEY);
  assert_int_equal(parse_binding("key:enter").code, SDL_SCANCODE_RETURN);
  assert_int_equal(parse_binding("key:esc").code, SDL_SCANCODE_ESCAPE);
}

// A headless program does not load SDL, so the engine has its own copy of the names.
TEST(binding_names_match_sdl) {
  for (int32_t i = 0; i < INPUT_KEYS; ++i) {
    assert_string_equal(input_key_name(i), SDL_GetScancodeName((SDL_Scancode)i));
    if (input_key_name(i)[0])
      assert_int_equal(input_find_key(input_key_name(i)), SDL_GetScancodeFromName(input_key_name(i)));
  }
  for (int32_t i = 0; i < SDL_CONTROLLER_BUTTON_MAX; ++i) {
    assert_string_equal(input_button_name(i), SDL_GameControllerGetStringForButton((SDL_GameControllerButton)i));
    assert_int_equal(input_find_button(input_button_name(i)), i);
  }
  for (int32_t i = 0; i < INPUT_PAD_AXES; ++i) {
    assert_string_equal(input_axis_name(i), SDL_GameControllerGetStringForAxis((SDL_GameControllerAxis)i));
    assert_int_equal(input_find_axis(input_axis_name(i)), i);
  }
  assert_string_equal(input_key_name(-1), "");
  assert_int_equal(input_find_key("nosuchkey"), -1);
}

TEST(pad_bindings_name_buttons_axes_and_half_axes) {
  input_binding_t any = parse_binding("pad:a"), second = parse_binding("pad2:start");
  assert_int_equal(any.device, INPUT_PAD_BUTTON);
  assert_int_equal(any.pad, -1);
  assert_int_equal(second.code, SDL_CONTROLLER_BUTTON_START);
  assert_int_equal(second.pad, 1);
  input_binding_t whole = parse_binding("pad:leftx"), half = parse_binding("pad:lefty-"),
                  trigger = parse_binding("pad4:righttrigger+");
  assert_int_equal(whole.device, INPUT_PAD_AXIS);
  assert_true(whole.sign == 0.0f);
  assert_int_equal(half.code, SDL_CONTROLLER_AXIS_LEFTY);
  assert_true(half.sign == -1.0f && trigger.sign == 1.0f);
  assert_int_equal(trigger.pad, 3);
}

TEST(mouse_bindings_name_buttons_and_the_wheel) {
  assert_int_equal(parse_binding("mouse:left").code, 1);
  assert_int_equal(parse_binding("mouse:right").code, 3);
  assert_true(parse_binding("wheel:down").sign == -1.0f);
}

TEST(invalid_binding_names_are_rejected) {
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

TEST(misspelled_binding_gets_the_nearest_name) {
  static const struct {
    const char *wrong, *suggestion;
  } cases[] = {{"key:spce", "key:space"},       {"KEY:Retrun", "key:return"}, {"space", "key:space"},
               {"leftx", "pad:leftx"},          {"kye:up", "key:up"},         {"pad:leftshouldr", "pad:leftshoulder"},
               {"mouse:midle", "mouse:middle"}, {"wheel:upp", "wheel:up"}};
  char suggestion[64];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_true(input_suggest_binding(cases[i].wrong, suggestion, sizeof suggestion));
    assert_string_equal(suggestion, cases[i].suggestion);
  }
  assert_false(input_suggest_binding("key:supercalifragilistic", suggestion, sizeof suggestion));
  assert_false(input_suggest_binding("", suggestion, sizeof suggestion));
}

TEST(button_value_is_0_or_1) {
  input_state_t s = {0};
  input_binding_t up = parse_binding("key:up"), a = parse_binding("pad:a"), first = parse_binding("pad1:a"),
                  left = parse_binding("mouse:left");
  assert_true(input_value(&s, &up, -1) == 0.0f && input_value(&s, &a, -1) == 0.0f);
  s.keys[SDL_SCANCODE_UP] = 1;
  s.pad_buttons[2][SDL_CONTROLLER_BUTTON_A] = 1;
  s.mouse_buttons[1] = 1;
  assert_true(input_value(&s, &up, -1) == 1.0f);
  assert_true(input_value(&s, &a, -1) == 1.0f);
  assert_true(input_value(&s, &first, -1) == 0.0f);
  assert_true(input_value(&s, &left, -1) == 1.0f);
}

TEST(binding_reads_a_whole_axis_or_one_half) {
  input_state_t s = {0};
  input_binding_t whole = parse_binding("pad:lefty"), up = parse_binding("pad:lefty-"),
                  down = parse_binding("pad:lefty+");
  s.pad_axes[1][SDL_CONTROLLER_AXIS_LEFTY] = -0.75f;
  s.pad_axes[3][SDL_CONTROLLER_AXIS_LEFTY] = 0.5f;
  assert_true(input_value(&s, &whole, -1) == -0.75f);
  assert_true(input_value(&s, &up, -1) == 0.75f);
  assert_true(input_value(&s, &down, -1) == 0.5f);
}

TEST(wheel_binding_counts_only_its_direction) {
  input_state_t s = {.wheel = 3.0f};
  input_binding_t up = parse_binding("wheel:up"), down = parse_binding("wheel:down");
  assert_true(input_value(&s, &up, -1) == 1.0f);
  assert_true(input_value(&s, &down, -1) == 0.0f);
}

// Returns the presses of "wheel:up" minus those of "wheel:down" in the next samples.
static int count_wheel_presses(latch_t *l, int samples) {
  input_binding_t up = parse_binding("wheel:up"), down = parse_binding("wheel:down");
  input_state_t previous = l->sampled, sample;
  int presses = 0;
  for (int i = 0; i < samples; ++i, previous = sample) {
    latch_sample(l, &sample);
    presses += input_value(&sample, &up, -1) > 0.5f && !(input_value(&previous, &up, -1) > 0.5f);
    presses -= input_value(&sample, &down, -1) > 0.5f && !(input_value(&previous, &down, -1) > 0.5f);
  }
  return presses;
}

TEST(fractions_of_wheel_notches_add_up) {
  const struct {
    float movement;
    int events, presses;
  } CASES[] = {{0.25f, 4, 1},     {-0.5f, 2, -1}, {0.1f, 3, 0}, {0.1f, 10, 1},
               {-0.125f, 24, -3}, {1.0f, 1, 1},   {3.0f, 1, 3}, {0.75f, 4, 3}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    latch_t latch = {0};
    int presses = 0;
    for (int k = 0; k < CASES[i].events; ++k) {
      latch_wheel(&latch, CASES[i].movement);
      presses += count_wheel_presses(&latch, 1);
      assert_true(latch.sampled.wheel == CASES[i].movement); // `wheel` itself stays exact
    }
    presses += count_wheel_presses(&latch, 20);
    if (presses != CASES[i].presses)
      fail_msg("%d × %.3f: %d presses instead of %d", CASES[i].events, (double)CASES[i].movement, presses,
               CASES[i].presses);
  }
}

TEST(reversed_or_released_wheel_forgets_its_pending_notches) {
  latch_t latch = {0};
  latch_wheel(&latch, 3.75f);
  latch_wheel(&latch, -0.5f);
  assert_int_equal(count_wheel_presses(&latch, 20), 0);
  latch_wheel(&latch, -0.5f);
  assert_int_equal(count_wheel_presses(&latch, 20), -1);
  latch_wheel(&latch, 2.75f);
  latch_release_all(&latch);
  latch_wheel(&latch, 0.5f);
  assert_int_equal(count_wheel_presses(&latch, 20), 0);
  latch_wheel(&latch, NAN);
  latch_wheel(&latch, INFINITY);
  latch_wheel(&latch, 900.0f);
  assert_int_equal(count_wheel_presses(&latch, 100), 8);
}

TEST(out_of_range_input_codes_have_value_0) {
  input_state_t s;
  memset(&s, 1, sizeof s);
  const input_binding_t wrong[] = {{.device = INPUT_KEY, .code = INPUT_KEYS, .pad = -1},
                                   {.device = INPUT_PAD_AXIS, .code = -1, .pad = -1},
                                   {.device = INPUT_PAD_BUTTON, .code = INPUT_PAD_BUTTONS, .pad = 0},
                                   {.device = INPUT_MOUSE_BUTTON, .code = 1000, .pad = -1},
                                   {.device = INPUT_NONE}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    assert_true(input_value(&s, &wrong[i], -1) == 0.0f);
}

TEST(key_tapped_between_samples_is_down_for_one_sample) {
  platform_o *p = platform_create(&(platform_desc_t){.headless = true}, NULL);
  input_state_t up = {0}, down = {.wheel = 1.0f}, got;
  down.keys[SDL_SCANCODE_SPACE] = 1;
  down.pad_buttons[0][SDL_CONTROLLER_BUTTON_A] = 1;
  platform_set_input(p, &down);
  platform_set_input(p, &up);
  platform_sample_input(p, &got);
  assert_int_equal(got.keys[SDL_SCANCODE_SPACE], 1);
  assert_int_equal(got.pad_buttons[0][SDL_CONTROLLER_BUTTON_A], 1);
  assert_true(got.wheel == 1.0f);
  platform_sample_input(p, &got);
  assert_int_equal(got.keys[SDL_SCANCODE_SPACE], 0);
  assert_int_equal(got.pad_buttons[0][SDL_CONTROLLER_BUTTON_A], 0);
  assert_true(got.wheel == 0.0f);
  platform_destroy(p);
}

TEST(mouse_movements_add_up_until_the_next_sample) {
  latch_t latch = {0};
  input_state_t got;
  latch_mouse_motion(&latch, 2.5f, -1);
  latch_mouse_motion(&latch, 4, -1);
  latch_sample(&latch, &got);
  assert_true(got.mouse_dx == 6.5f && got.mouse_dy == -2);
  latch_sample(&latch, &got);
  assert_true(got.mouse_dx == 0 && got.mouse_dy == 0);
  latch_mouse_motion(&latch, 1, 1);
  latch_release_all(&latch);
  latch_sample(&latch, &got);
  assert_true(got.mouse_dx == 0 && got.mouse_dy == 0);
}

TEST(rest_of_a_mouse_movement_is_in_the_next_sample) {
  latch_t latch = {0};
  input_state_t got;
  float sum = 0;
  for (uint32_t i = 0; i < 300; ++i) {
    latch_mouse_motion(&latch, 1.0f / 3, -0.001f);
    latch_sample(&latch, &got);
    assert_true(got.mouse_dx * PLAYER_MOTION_UNITS == roundf(got.mouse_dx * PLAYER_MOTION_UNITS));
    assert_true(got.mouse_dy == 0 || got.mouse_dy == -1.0f / PLAYER_MOTION_UNITS);
    sum += got.mouse_dx;
  }
  assert_true(fabsf(sum - 100) <= 1.0f / PLAYER_MOTION_UNITS);
  latch_mouse_motion(&latch, INFINITY, NAN);
  latch_sample(&latch, &got);
  assert_true(got.mouse_dx == 0 && got.mouse_dy == 0);
  latch_mouse_motion(&latch, 2, 2);
  latch_sample(&latch, &got);
  assert_true(got.mouse_dx == 2 && got.mouse_dy == 2);
  latch_release_all(&latch);
  latch_sample(&latch, &got);
  assert_true(got.mouse_dx == 0 && got.mouse_dy == 0);
}

TEST(sample_keeps_all_inputs_of_its_players) {
  player_inputs_t in, out;
  input_state_t sample = {0};
  memset(&in, 0, sizeof in);
  in.present = 0x81;
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    in.players[i] = (player_input_t){.values = {1, [63] = -1}, .pressed = i, .released = UINT64_MAX - i};
    in.players[i].pointer_x = (float)i;
    in.players[i].pointer_y = -(float)i;
    in.players[i].motion_x = INT32_MAX - (int32_t)i;
    in.players[i].motion_y = INT32_MIN + (int32_t)i;
  }
  input_set_players(&sample, &in);
  memset(&out, 0, sizeof out);
  input_get_players(&sample, &out);
  assert_memory_equal(&in, &out, sizeof in);
  players_hold(&sample); // clears the edges, as for a repeated sample
  input_get_players(&sample, &out);
  for (uint32_t i = 0; i < PLAYER_MAX; ++i) {
    player_input_clear_edges(&in.players[i]);
    assert_true(player_input_equals(&in.players[i], &out.players[i]));
  }
}

TEST(released_sample_contains_no_mouse_movement) {
  input_state_t sample = {.mouse_x = 3, .mouse_dx = 5, .mouse_dy = -5};
  input_release_all(&sample);
  assert_true(sample.mouse_x == 3 && sample.mouse_dx == 0 && sample.mouse_dy == 0);
}

TEST(held_key_stays_down) {
  platform_o *p = platform_create(&(platform_desc_t){.headless = true}, NULL);
  input_state_t down = {.mouse_x = 12.0f}, got;
  down.keys[SDL_SCANCODE_A] = 1;
  platform_set_input(p, &down);
  for (int i = 0; i < 3; ++i) {
    platform_sample_input(p, &got);
    assert_int_equal(got.keys[SDL_SCANCODE_A], 1);
    assert_true(got.mouse_x == 12.0f);
  }
  platform_destroy(p);
}

TEST(window_close_is_in_one_sample_and_window_size_in_every_sample) {
  platform_o *p = platform_create(&(platform_desc_t){.headless = true}, NULL);
  input_state_t fed = {.window = {.width = 640, .height = 480, .unfocused = 1, .closed = 1}}, got;
  platform_set_input(p, &fed);
  for (int i = 0; i < 3; ++i) {
    platform_sample_input(p, &got);
    assert_int_equal(got.window.closed, i == 0);
    assert_int_equal(got.window.width, 640);
    assert_int_equal(got.window.unfocused, 1);
  }
  platform_destroy(p);
}

TEST(nan_in_a_loaded_sample_becomes_0) {
  input_state_t s = {.mouse_x = 3, .wheel = -1};
  memset(&s.mouse_y, 0xff, sizeof s.mouse_y); // a NaN pattern that Lua cannot represent
  memset(&s.pad_axes[3][5], 0xff, sizeof s.pad_axes[3][5]);
  memset(&s.mouse_dx, 0xff, sizeof s.mouse_dx);
  input_sanitize(&s);
  assert_true(s.mouse_dx == 0);
  assert_true(s.mouse_x == 3 && s.mouse_y == 0 && s.wheel == -1 && s.pad_axes[3][5] == 0);
}

TEST(binding_names_round_trip) {
  static const char *const NAMES[] = {"key:space",  "key2:left shift", "pad:a",      "pad3:dpup",      "pad:lefty-",
                                      "pad:rightx", "mouse:middle",    "wheel:down", "pad:lefttrigger"};
  char name[INPUT_NAME_BYTES];
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    input_binding_t b = parse_binding(NAMES[i]);
    assert_string_equal(input_name(&b, name), NAMES[i]);
  }
}

TEST(button_labels_match_the_pad_model) {
  static const struct {
    const char *name, *other, *xbox, *playstation, *nintendo;
  } cases[] = {{"pad:a", "A", "A", "Cross", "A"},
               {"pad:start", "Start", "Menu", "Options", "Plus"},
               {"pad:r2", "RT", "RT", "R2", "ZR"},
               {"pad:dpup", "D-Pad Up", "D-Pad Up", "D-Pad Up", "D-Pad Up"},
               {"pad:lefty-", "Left Stick Up", "Left Stick Up", "Left Stick Up", "Left Stick Up"},
               {"pad:rightx", "Right Stick", "Right Stick", "Right Stick", "Right Stick"},
               {"key:space", "Space", "Space", "Space", "Space"}};
  char label[INPUT_NAME_BYTES];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    input_binding_t b = parse_binding(cases[i].name);
    assert_string_equal(input_label(&b, INPUT_PAD_OTHER, false, label), cases[i].other);
    assert_string_equal(input_label(&b, INPUT_PAD_XBOX, false, label), cases[i].xbox);
    assert_string_equal(input_label(&b, INPUT_PAD_PLAYSTATION, false, label), cases[i].playstation);
    assert_string_equal(input_label(&b, INPUT_PAD_NINTENDO, false, label), cases[i].nintendo);
  }
}

TEST(input_find_pressed_returns_the_newly_pressed_binding) {
  input_state_t before = {0}, now = {0};
  input_binding_t b;
  char name[INPUT_NAME_BYTES];
  assert_false(input_find_pressed(&before, &now, &b));
  before.keys[SDL_SCANCODE_A] = now.keys[SDL_SCANCODE_A] = 1;
  assert_false(input_find_pressed(&before, &now, &b));
  now.keys[SDL_SCANCODE_B] = 1;
  assert_true(input_find_pressed(&before, &now, &b));
  assert_string_equal(input_name(&b, name), "key:b");
  now.keys[SDL_SCANCODE_B] = 0;
  now.pad_axes[2][SDL_CONTROLLER_AXIS_TRIGGERRIGHT] = 0.9f;
  assert_true(input_find_pressed(&before, &now, &b));
  assert_string_equal(input_name(&b, name), "pad:righttrigger");
  now.pad_axes[2][SDL_CONTROLLER_AXIS_TRIGGERRIGHT] = 0.4f; // below the threshold for a press
  now.wheel = -1;
  assert_true(input_find_pressed(&before, &now, &b));
  assert_string_equal(input_name(&b, name), "wheel:down");
}

TEST(mouse_position_is_in_logical_pixels_in_every_scale_mode) {
  static const struct {
    letterbox_mode_t mode;
    float x, y; // position of the point (500, 300) in a 1000 × 600 window that shows a 320 × 180 picture
  } cases[] = {{LETTERBOX_FIT, 160, 90},
               {LETTERBOX_INTEGER, 160, 90},
               {LETTERBOX_STRETCH, 160, 90},
               {LETTERBOX_EXPAND, 160, 90}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    letterbox_t box = letterbox_fit(320, 180, 0, 1000, 600, cases[i].mode);
    float x, y, left, top;
    letterbox_to_logical(&box, 500, 300, &x, &y);
    letterbox_to_logical(&box, (float)box.x, (float)box.y, &left, &top);
    assert_true(x > cases[i].x - 0.51f && x < cases[i].x + 0.51f);
    assert_true(y > cases[i].y - 0.51f && y < cases[i].y + 0.51f);
    assert_true(left == 0 && top == 0);
    letterbox_to_logical(&box, (float)(box.x + box.width), (float)(box.y + box.height), &x, &y);
    assert_true(x > 319 && x < 321 && y > 179 && y < 181);
  }
}

// --- virtual SDL devices

typedef struct devices_t {
  SDL_Window *window;
  platform_o *platform;
  SDL_Joystick *raw[2];
  int device[2];
} devices_t;

static int add_device(uint16_t model) {
  SDL_VirtualJoystickDesc desc = {.version = SDL_VIRTUAL_JOYSTICK_DESC_VERSION,
                                  .type = SDL_JOYSTICK_TYPE_GAMECONTROLLER,
                                  .naxes = SDL_CONTROLLER_AXIS_MAX,
                                  .nbuttons = SDL_CONTROLLER_BUTTON_MAX,
                                  .vendor_id = 0x1234,
                                  .product_id = model,
                                  .name = model == 1 ? "first" : "second"};
  return SDL_JoystickAttachVirtualEx(&desc);
}

// Passes the devices' SDL events to the platform, as a program that embeds Shoal does, and samples the input.
static void pump_devices(devices_t *d, input_state_t *out) {
  SDL_Event e;
  platform_events_t events;
  SDL_PumpEvents();
  while (SDL_PollEvent(&e))
    platform_handle_event(d->platform, &e);
  platform_pump_events(d->platform, &events);
  platform_sample_input(d->platform, out);
}

SETUP(devices_t, d) {
  setenv("SDL_VIDEODRIVER", "dummy", 1);
  SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
  assert_int_equal(SDL_Init(SDL_INIT_VIDEO | SDL_INIT_GAMECONTROLLER), 0);
  d->window = SDL_CreateWindow("", 0, 0, 640, 400, 0);
  assert_non_null(d->window);
  d->platform = platform_create(&(platform_desc_t){.window = d->window, .width = 320, .height = 180}, NULL);
  assert_non_null(d->platform);
}

TEARDOWN(devices_t, d) {
  platform_destroy(d->platform);
  SDL_DestroyWindow(d->window);
  SDL_Quit();
  unsetenv("SDL_VIDEODRIVER");
}

TEST_IN(pads_keep_their_numbers_when_another_pad_reconnects, devices_t, d) {
  input_state_t s;
  int first = add_device(1);
  pump_devices(d, &s);
  int second = add_device(2);
  pump_devices(d, &s);
  assert_true(s.pad_connected[0] && s.pad_connected[1] && !s.pad_connected[2]);
  SDL_Joystick *raw = SDL_JoystickOpen(first);
  SDL_JoystickSetVirtualButton(raw, SDL_CONTROLLER_BUTTON_A, 1);
  SDL_JoystickSetVirtualAxis(raw, SDL_CONTROLLER_AXIS_LEFTX, 32767);
  pump_devices(d, &s);
  pump_devices(d, &s);
  assert_true(s.pad_buttons[0][SDL_CONTROLLER_BUTTON_A] && s.pad_axes[0][SDL_CONTROLLER_AXIS_LEFTX] > 0.99f);
  assert_int_equal(s.used, 1);
  SDL_JoystickClose(raw);
  SDL_JoystickDetachVirtual(first);
  pump_devices(d, &s);
  pump_devices(d, &s);
  assert_true(!s.pad_connected[0] && s.pad_connected[1]);
  assert_true(!s.pad_buttons[0][SDL_CONTROLLER_BUTTON_A] && s.pad_axes[0][SDL_CONTROLLER_AXIS_LEFTX] == 0.0f);
  assert_int_equal(s.used, 0);
  add_device(3); // becomes pad 2, the first number that was never used
  pump_devices(d, &s);
  assert_true(!s.pad_connected[0] && s.pad_connected[1] && s.pad_connected[2]);
  add_device(1);
  pump_devices(d, &s);
  assert_true(s.pad_connected[0]);
  (void)second;
}

TEST_IN(controller_mappings_of_a_game_add_controllers_unknown_to_sdl, devices_t, d) {
  input_state_t s;
  SDL_VirtualJoystickDesc desc = {.version = SDL_VIRTUAL_JOYSTICK_DESC_VERSION,
                                  .type = SDL_JOYSTICK_TYPE_FLIGHT_STICK, // SDL has no mapping for it
                                  .naxes = 2,
                                  .nbuttons = 4,
                                  .vendor_id = 0x1234,
                                  .product_id = 9,
                                  .name = "stick"};
  int device = SDL_JoystickAttachVirtualEx(&desc);
  char guid[33], text[512];
  pump_devices(d, &s);
  assert_false(s.pad_connected[0]);
  SDL_JoystickGetGUIDString(SDL_JoystickGetDeviceGUID(device), guid, sizeof guid);
  snprintf(text, sizeof text,
           "# comment\r\nnot a mapping\n%s,Stick,a:b0,platform:Windows,\n%s,Stick,a:b3,leftx:a0,platform:%s,\r\n", guid,
           guid, SDL_GetPlatform());
  platform_set_pad_mappings(d->platform, text);
  pump_devices(d, &s);
  assert_true(s.pad_connected[0]);
  SDL_Joystick *raw = SDL_JoystickOpen(device);
  SDL_JoystickSetVirtualButton(raw, 3, 1);
  pump_devices(d, &s);
  pump_devices(d, &s);
  assert_true(s.pad_buttons[0][SDL_CONTROLLER_BUTTON_A]);
  SDL_JoystickClose(raw);
  SDL_JoystickDetachVirtual(device);
}

TEST_IN(stick_has_a_round_dead_zone, devices_t, d) {
  input_state_t s;
  platform_set_dead_zone(d->platform, 0.5f);
  int device = add_device(1);
  pump_devices(d, &s);
  SDL_Joystick *raw = SDL_JoystickOpen(device);
  // 0.35 is in the dead zone while the other axis is 0
  SDL_JoystickSetVirtualAxis(raw, SDL_CONTROLLER_AXIS_LEFTX, 11468);
  pump_devices(d, &s);
  pump_devices(d, &s);
  assert_true(s.pad_axes[0][SDL_CONTROLLER_AXIS_LEFTX] == 0.0f);
  SDL_JoystickSetVirtualAxis(raw, SDL_CONTROLLER_AXIS_LEFTY, 32767); // together, both axes are outside the dead zone
  pump_devices(d, &s);
  pump_devices(d, &s);
  assert_true(s.pad_axes[0][SDL_CONTROLLER_AXIS_LEFTX] > 0.2f && s.pad_axes[0][SDL_CONTROLLER_AXIS_LEFTY] > 0.9f);
  platform_rumble(d->platform, -1, 2.0f, 0.1f); // ignored without a rumble motor
  SDL_JoystickClose(raw);
}

TEST_IN(mouse_position_is_recomputed_when_scale_mode_or_viewport_changes, devices_t, d) {
  input_state_t s;
  SDL_Event e = {.motion = {.type = SDL_MOUSEMOTION, .x = 320, .y = 200}};
  platform_handle_event(d->platform, &e);
  pump_devices(d, &s);
  assert_true(s.mouse_x == 160 && s.mouse_y == 90);
  platform_set_window(d->platform, &(platform_window_t){.scale = LETTERBOX_STRETCH});
  platform_set_viewport(d->platform, 320, 200, 320, 200);
  pump_devices(d, &s);
  assert_true(s.mouse_x == 0 && s.mouse_y == 0);
  assert_int_equal(s.scale, LETTERBOX_STRETCH);
}

// Returns the state of a key in the next samples, one character per sample.
static const char *sample_key(latch_t *l, int32_t scancode, uint32_t count) {
  static char out[16];
  input_state_t got;
  assert_true(count < sizeof out);
  for (uint32_t i = 0; i < count; ++i) {
    latch_sample(l, &got);
    out[i] = got.keys[scancode] ? '1' : '0';
  }
  out[count] = '\0';
  return out;
}

TEST(each_press_between_two_samples_is_reported) {
  latch_t l = {0};
  latch_key(&l, 40, true);
  latch_key(&l, 40, false);
  assert_string_equal(sample_key(&l, 40, 2), "10");
  latch_key(&l, 40, true);
  assert_string_equal(sample_key(&l, 40, 2), "11");
  latch_key(&l, 40, false);
  latch_key(&l, 40, true);
  assert_string_equal(sample_key(&l, 40, 3), "011");
  latch_key(&l, 40, false);
  latch_key(&l, 40, true);
  latch_key(&l, 40, false);
  assert_string_equal(sample_key(&l, 40, 3), "010");
  for (int i = 0; i < 2; ++i) {
    latch_key(&l, 40, true);
    latch_key(&l, 40, false);
  }
  assert_string_equal(sample_key(&l, 40, 5), "10100");
  for (int i = 0; i < 9; ++i) { // queues nine presses in a long frame
    latch_key(&l, 40, true);
    latch_key(&l, 40, false);
  }
  assert_string_equal(sample_key(&l, 40, 8), "10100000");
}

TEST(typed_text_is_split_across_samples_at_character_boundaries) {
  latch_t l = {0};
  input_state_t got;
  char all[256] = "";
  for (int i = 0; i < 50; ++i)
    latch_text(&l, "に"); // 50 × 3 = 150 bytes
  latch_text(&l, "\xff\xe3\x81");
  for (int i = 0; i < 4; ++i) {
    latch_sample(&l, &got);
    assert_true(strnlen(got.text, INPUT_TEXT) % 3 == 0);
    strncat(all, got.text, INPUT_TEXT);
  }
  assert_int_equal(strlen(all), 150);
  latch_sample(&l, &got);
  assert_int_equal(got.text[0], 0);
}

TEST(typed_text_over_the_buffer_capacity_is_dropped) {
  latch_t l = {0};
  for (int i = 0; i < 3000; ++i)
    latch_text(&l, "é");
  assert_true(l.typed_bytes < LATCH_TEXT && l.typed[l.typed_bytes] == 0);
}

TEST(composed_text_is_kept_until_it_changes) {
  latch_t l = {0};
  input_state_t got;
  latch_set_composing(&l, "にほ");
  latch_sample(&l, &got);
  latch_sample(&l, &got);
  assert_string_equal(got.composing, "にほ");
  latch_set_composing(&l, "");
  latch_sample(&l, &got);
  assert_int_equal(got.composing[0], 0);
}

TEST(ignored_control_counts_again_after_its_release) {
  ignored_input_t ignored = {0};
  input_state_t held = {0}, sample;
  held.keys[SDL_SCANCODE_A] = held.pad_buttons[1][2] = held.mouse_buttons[1] = 1;
  held.pad_axes[3][0] = 0.5f;
  ignored_input_add(&ignored, &held);
  sample = held;
  sample.keys[SDL_SCANCODE_B] = 1;
  ignored_input_remove_from(&ignored, &sample);
  input_state_t expected = {0};
  expected.keys[SDL_SCANCODE_B] = 1;
  assert_memory_equal(&sample, &expected, sizeof sample);
  sample = (input_state_t){0};
  ignored_input_remove_from(&ignored, &sample);
  sample = held;
  ignored_input_remove_from(&ignored, &sample);
  assert_memory_equal(&sample, &held, sizeof sample);
}
