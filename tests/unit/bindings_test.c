// Input rebinding in a headless host with a small game on disk: scripts/shoal/kit/input.lua and the file that stores
// the bindings (scripts/shoal/kit/settings.lua). Also the options screen and the on-screen keyboard (kit/keyboard.lua).
#include "base/file_system.h"
#include "host/host.h"
#include "host/host_internal.h"

#include "input_fixture.h"
#include "temporary_folder.h"
#include "test.h"

#include <SDL2/SDL_gamecontroller.h>
#include <SDL2/SDL_scancode.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct case_t {
  char folder[64], data[96];
  options_t options;
  host_o *host;
  input_state_t input;
  char answer[1024], problem[1024];
} case_t;

#define SETTINGS_FILE "shoal/saves/pressed/game.settings.json"

static void open_host(case_t *c) {
  error_info_t error = {0};
  c->host = host_create(&c->options, &error);
  if (!c->host)
    fail_msg("%s", error.text);
}

SETUP(case_t, c) {
  temporary_folder_create(c->folder, sizeof c->folder, "keys");
  snprintf(c->data, sizeof c->data, "%s/data", c->folder);
  char command[256];
  snprintf(command, sizeof command, "mkdir -p %s/shoal/saves/pressed", c->data);
  assert_int_equal(system(command), 0);
  setenv("XDG_DATA_HOME", c->data, 1);
  temporary_folder_write(c->folder, "game.lua", "return { title = 'Pressed', id = 'pressed' }\n");
  temporary_folder_write(c->folder, "settings.lua", "return { music = 1 }\n");
  temporary_folder_write(c->folder, "input.lua",
                         "return { jump = { 'key:space', 'pad:a' }, fire = { 'key:x', 'key2:m', 'pad:righttrigger' },\n"
                         "  turn = { axis = 'pad:leftx', negative = 'key:left', positive = 'key:right' },\n"
                         "  accept = { 'key:return', 'key:space' } }\n");
  c->options = (options_t){.command = OPTIONS_RUN,
                           .program = "",
                           .target = c->folder,
                           .headless = true,
                           .has_history = true,
                           .history_mb = 8,
                           .log_level = LOG_NONE};
}

TEARDOWN(case_t, c) {
  host_destroy(c->host);
  temporary_folder_remove(c->folder);
}

static const char *read_settings_file(case_t *c) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/" SETTINGS_FILE, c->data);
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(c->answer, 1, sizeof c->answer - 1, file) : 0;
  c->answer[size] = '\0';
  if (file)
    fclose(file);
  return c->answer;
}

static void run_frame(case_t *c) {
  platform_set_input(c->host->session.platform, &c->input);
  assert_true(host_frame(c->host));
}

static void set_key(case_t *c, int32_t scancode, bool down) {
  c->input.keys[scancode] = down;
  run_frame(c);
}

static void set_button(case_t *c, int32_t pad, int32_t number, bool down) {
  c->input.pad_connected[pad] = 1;
  c->input.pad_buttons[pad][number] = down;
  run_frame(c);
}

static void tap_key(case_t *c, int32_t scancode) {
  set_key(c, scancode, true);
  set_key(c, scancode, false);
}

// Evaluates the code. Returns the result as text, and stores the error in c->problem; "": no error.
static const char *run_lua(case_t *c, const char *code) {
  script_report_t report = {0};
  c->answer[0] = c->problem[0] = '\0';
  if (!vm_exec(c->host->session.game->vm, code, "asked", c->answer, sizeof c->answer, &report))
    snprintf(c->problem, sizeof c->problem, "%s", report.message);
  return c->answer;
}

static void assert_value(case_t *c, const char *code, const char *wanted) {
  const char *got = run_lua(c, code);
  if (c->problem[0] || strcmp(got, wanted) != 0)
    fail_msg("%s: \"%s\", not \"%s\" %s", code, got, wanted, c->problem);
}

static void assert_problem(case_t *c, const char *code, const char *words) {
  run_lua(c, code);
  if (!strstr(c->problem, words))
    fail_msg("%s: \"%s\" does not say \"%s\"", code, c->problem, words);
}

#define BINDINGS "table.concat(input.bindings 'jump', ' ')"

TEST_IN(bind_replaces_only_bindings_of_the_same_device, case_t, c) {
  open_host(c);
  run_frame(c);
  assert_value(c, BINDINGS, "key:space pad:a");
  run_lua(c, "input.bind('jump', 'key:J')");
  assert_value(c, BINDINGS, "key:j pad:a");
  run_lua(c, "input.bind('jump', 'pad:lb')");
  assert_value(c, BINDINGS, "key:j pad:leftshoulder");
  run_lua(c, "input.bind('jump', { 'mouse:left', 'key:k' })");
  assert_value(c, BINDINGS, "mouse:left key:k");
  set_key(c, SDL_SCANCODE_SPACE, true);
  assert_value(c, "input.down 'jump'", "false");
  set_key(c, SDL_SCANCODE_K, true);
  assert_value(c, "input.pressed 'jump'", "true");
  run_lua(c, "input.bind('turn', 'key:q', 'negative')");
  assert_value(c, "table.concat(input.bindings('turn', 'negative'), ' ')", "key:q");
  set_key(c, SDL_SCANCODE_Q, true);
  assert_value(c, "input.axis 'turn'", "-1");
  run_lua(c, "input.reset 'jump'");
  assert_value(c, BINDINGS, "key:space pad:a");
  run_lua(c, "input.reset()");
  assert_value(c, "table.concat(input.bindings('turn', 'negative'), ' ')", "key:left");
}

TEST_IN(binding_conflicts_list_the_actions_that_share_a_key, case_t, c) {
  open_host(c);
  run_frame(c);
  assert_value(c, "#input.conflicts()", "0"); // keys that input.lua itself binds twice are not conflicts
  assert_value(c, "table.concat(input.bind('jump', 'key:x'), ' ')", "fire");
  assert_value(c, "input.conflicts()[1].binding .. ' ' .. table.concat(input.conflicts 'fire'[1].actions, ' ')",
               "key:x fire jump");
  assert_value(c, "#input.conflicts 'turn'", "0");
  run_lua(c, "input.bind('fire', 'key:m')"); // player 2 uses key2:m, which is a different key
  assert_value(c, "#input.conflicts()", "0");
}

TEST_IN(invalid_binding_is_rejected_and_the_previous_one_is_kept, case_t, c) {
  open_host(c);
  run_frame(c);
  assert_problem(c, "input.bind('jump', 'key:spce')", "did you mean key:space?");
  assert_problem(c, "input.bind('jump', { 'key:a', 7 })", "7 is not a key");
  assert_problem(c, "input.bind('jmp', 'key:a')", "did you mean jump?");
  assert_problem(c, "input.bind('turn', 'key:a', 'negativ')", "did you mean negative?");
  assert_problem(c, "input.bind('jump', 'key:a', 'negative')", "only an axis");
  assert_problem(c, "input.listen 'jmp'", "did you mean jump?");
  assert_problem(c, "input.down('jump', 5)", "a number from 1 to 4");
  assert_problem(c, "input.rumble(2, 1)", "strength must be a number from 0 to 1");
  assert_value(c, BINDINGS, "key:space pad:a");
}

TEST_IN(input_listen_binds_the_next_key_and_consumes_it, case_t, c) {
  open_host(c);
  set_key(c, SDL_SCANCODE_RETURN, true);
  assert_value(c, "input.down 'accept'", "true");
  assert_value(c, "input.listen 'jump'", "jump\taxis");
  run_frame(c);
  assert_value(c, BINDINGS, "key:space pad:a"); // the key that was down when listening began is ignored
  assert_value(c, "input.down 'accept'", "false");
  set_key(c, SDL_SCANCODE_RETURN, false);
  set_key(c, SDL_SCANCODE_X, true);
  assert_value(c, BINDINGS, "key:x pad:a");
  assert_value(c, "tostring(input.listen())", "nil");
  assert_value(c, "input.down 'fire'", "false");
  set_key(c, SDL_SCANCODE_X, false);
  run_frame(c);
  set_key(c, SDL_SCANCODE_X, true);
  assert_value(c, "input.pressed 'fire' and input.pressed 'jump'", "true");
}

TEST_IN(escape_key_and_input_listen_false_cancel_listening, case_t, c) {
  open_host(c);
  run_frame(c);
  run_lua(c, "input.listen 'jump'");
  run_frame(c);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  run_frame(c);
  assert_value(c, "tostring(input.listen())", "nil");
  run_lua(c, "input.listen 'jump'");
  assert_value(c, "tostring(input.listen(false))", "nil");
  run_frame(c);
  tap_key(c, SDL_SCANCODE_B);
  assert_value(c, BINDINGS, "key:space pad:a");
}

TEST_IN(input_listen_binds_a_stick_to_an_axis_and_half_a_stick_to_an_action, case_t, c) {
  open_host(c);
  run_frame(c);
  run_lua(c, "input.listen 'turn'");
  run_frame(c);
  tap_key(c, SDL_SCANCODE_B);
  assert_value(c, "input.listen()", "turn\taxis");
  c->input.pad_axes[1][SDL_CONTROLLER_AXIS_RIGHTY] = -0.8f;
  run_frame(c);
  assert_value(c, "input.bindings('turn')[1]", "pad:righty");
  c->input.pad_axes[1][SDL_CONTROLLER_AXIS_RIGHTY] = 0.0f;
  run_frame(c);
  run_lua(c, "input.listen 'jump'");
  run_frame(c);
  c->input.pad_axes[1][SDL_CONTROLLER_AXIS_LEFTY] = -0.8f;
  run_frame(c);
  assert_value(c, BINDINGS, "key:space pad:lefty-");
}

TEST_IN(bindings_are_rewound_with_the_world, case_t, c) {
  open_host(c);
  for (int i = 0; i < 20; ++i)
    run_frame(c);
  run_lua(c, "input.bind('jump', 'key:j')");
  for (int i = 0; i < 20; ++i)
    run_frame(c);
  assert_value(c, BINDINGS, "key:j pad:a");
  assert_true(time_travel_rewind(&c->host->session, 30, false));
  assert_value(c, BINDINGS, "key:space pad:a");
}

TEST_IN(bindings_persist_across_runs, case_t, c) {
  open_host(c);
  run_frame(c);
  run_lua(c, "input.bind('jump', 'key:j') input.bind('turn', {}, 'negative')");
  run_frame(c);
  assert_string_equal(read_settings_file(c),
                      "{\"bindings\":{\"jump\":[\"key:j\",\"pad:a\"],\"turn\":{\"negative\":{}}},"
                      "\"format\":1,\"settings\":{\"fullscreen\":false,\"music\":1,"
                      "\"scale\":\"fit\",\"vsync\":true}}\n");
  host_destroy(c->host);
  open_host(c);
  run_frame(c);
  assert_value(c, BINDINGS, "key:j pad:a");
  assert_value(c, "#input.bindings('turn', 'negative')", "0");
  run_lua(c, "input.reset()");
  run_frame(c);
  assert_string_equal(read_settings_file(c), "{\"format\":1,\"settings\":{\"fullscreen\":false,\"music\":1,"
                                             "\"scale\":\"fit\",\"vsync\":true}}\n");
}

TEST_IN(invalid_saved_bindings_fall_back_to_input_lua, case_t, c) {
  temporary_folder_write(
      c->data, SETTINGS_FILE,
      "{\"format\":1,\"settings\":{\"music\":0.5},\"bindings\":{\"jump\":[\"key:spce\"],\"fire\":[\"key:f\"],"
      "\"turn\":{\"negative\":[\"key:q\"],\"up\":[\"key:u\"]},\"gone\":[\"key:g\"],\"accept\":{\"axis\":3}}}");
  open_host(c);
  run_frame(c);
  assert_value(c, BINDINGS, "key:space pad:a");
  assert_value(c, "input.bindings('fire')[1] .. input.bindings('turn', 'negative')[1] .. input.bindings('accept')[1]",
               "key:fkey:qkey:return");
  run_lua(c, "input.bind('jump', 'key:j')");
  run_frame(c);
  assert_non_null(strstr(read_settings_file(c), "\"gone\":[\"key:g\"]"));
}

TEST_IN(saved_bindings_of_a_later_format_fall_back_to_input_lua, case_t, c) {
  temporary_folder_write(c->data, SETTINGS_FILE, "{\"format\":9,\"settings\":{},\"bindings\":{\"jump\":[\"key:j\"]}}");
  open_host(c);
  run_frame(c);
  assert_value(c, BINDINGS, "key:space pad:a");
}

TEST_IN(each_player_has_their_own_pad_and_keys, case_t, c) {
  open_host(c);
  set_button(c, 1, SDL_CONTROLLER_BUTTON_A, true);
  assert_value(c, "input.down 'jump', input.down('jump', 1), input.down('jump', 2)", "true\tfalse\ttrue");
  set_key(c, SDL_SCANCODE_X, true);
  assert_value(c, "input.down 'fire', input.down('fire', 1), input.down('fire', 2)", "true\ttrue\tfalse");
  set_key(c, SDL_SCANCODE_X, false);
  set_key(c, SDL_SCANCODE_M, true);
  assert_value(c, "input.down 'fire', input.down('fire', 1), input.down('fire', 2)", "true\tfalse\ttrue");
  c->input.pad_connected[1] = 0; // disconnects the pad while a button is held
  c->input.pad_buttons[1][SDL_CONTROLLER_BUTTON_A] = 0;
  run_frame(c);
  assert_value(c, "input.released('jump', 2), #input.pads()", "true\t0");
}

TEST_IN(prompts_show_the_last_used_device, case_t, c) {
  open_host(c);
  c->input.pad_kinds[0] = INPUT_PAD_PLAYSTATION;
  c->input.pad_kinds[2] = INPUT_PAD_XBOX;
  run_frame(c);
  assert_value(c, "input.prompt 'jump', input.prompt 'turn', input.device()", "Space\tLeft / Right\tkeyboard");
  set_button(c, 0, SDL_CONTROLLER_BUTTON_B, true);
  assert_value(c, "input.prompt 'jump', input.prompt 'turn', input.device()", "Cross\tLeft Stick\tplaystation");
  assert_value(c, "input.prompt 'accept'", "Return"); // `accept` has no pad binding
  assert_value(c, "input.pads()[1].kind", "playstation");
  set_button(c, 2, SDL_CONTROLLER_BUTTON_B, true);
  assert_value(c, "input.prompt 'jump', input.prompt 'fire', input.device()", "A\tRT\txbox");
  assert_value(c, "input.prompt('fire', 2), input.prompt('fire', 1), input.prompt('fire', 3)", "M\tX\tRT");
  tap_key(c, SDL_SCANCODE_B);
  assert_value(c, "input.prompt 'jump', input.device(3)", "Space\txbox");
  assert_value(c, "input.label 'mouse:left', input.label('pad:lb', 'playstation')", "Left Click\tL1");
}

TEST_IN(prompts_in_labels_are_updated_when_the_device_or_the_binding_changes, case_t, c) {
  static const char WIDE[] = "for e in world.each 'label' do return e.widget.at_width > 45 end";
  char systems[128];
  snprintf(systems, sizeof systems, "%s/systems", c->folder);
  file_system_create_folder(systems, false);
  temporary_folder_write(
      c->folder, "systems/says.lua",
      "return { start = function() world.spawn(nil, { transform = {}, widget = { anchor = 'top_left' },\n"
      "  label = { text = '[prompt=jump]', markup = true } }) end }\n");
  open_host(c);
  run_frame(c);
  run_frame(c);
  run_lua(c, WIDE);
  assert_string_equal(c->answer, "true");
  c->input.pad_kinds[0] = INPUT_PAD_PLAYSTATION;
  set_button(c, 0, SDL_CONTROLLER_BUTTON_B, true);
  run_frame(c);
  run_lua(c, WIDE);
  assert_string_equal(c->answer, "false");
  tap_key(c, SDL_SCANCODE_B);
  run_lua(c, "input.bind('jump', 'key:j')");
  run_frame(c);
  run_frame(c);
  run_lua(c, WIDE);
  assert_string_equal(c->answer, "false");
}

TEST_IN(bind_fails_in_a_game_without_an_id, case_t, c) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/settings.lua", c->folder);
  remove(path);
  temporary_folder_write(c->folder, "game.lua", "return { title = 'Pressed' }\n");
  open_host(c);
  run_frame(c);
  assert_problem(c, "input.bind('jump', 'key:j')", "bindings cannot be saved without an id");
  assert_value(c, "tostring(input.listen())", "nil");
  assert_value(c, BINDINGS, "key:space pad:a");
}

// --- the options screen

// Begins a game that opens its options screen in tick 2. Its settings are a volume, a choice, and `best`, which has no
// widget.
static void begin_options(case_t *c) {
  char systems[128];
  snprintf(systems, sizeof systems, "%s/systems", c->folder);
  file_system_create_folder(systems, false);
  temporary_folder_write(c->folder, "game.lua",
                         "return { title = 'Pressed', id = 'pressed', buses = { music = 1 } }\n");
  temporary_folder_write(c->folder, "settings.lua",
                         "local t = shoal.types\n"
                         "return { music = t.f32(0.5, { min = 0, max = 1 }), best = t.i32(0), shake = true,\n"
                         "  language = t.enum { 'en', 'de' } }\n");
  temporary_folder_write(
      c->folder, "systems/opens.lua",
      "return { phase = 'input', update = function() if world.tick == 2 then world.options() end end,\n"
      "  on = { options_closed = function() settings.best = settings.best + 1 end } }\n");
  open_host(c);
  for (int i = 0; i < 6; ++i)
    run_frame(c);
}

static const char TEXTS[] = "local out = {} for _, row in ipairs(world.sql 'SELECT text FROM button') do "
                            "out[#out + 1] = row.text end return table.concat(out, ' ')";

static void assert_text_shown(case_t *c, const char *words, bool wanted) {
  run_lua(c, TEXTS);
  if (c->problem[0] || (strstr(c->answer, words) != NULL) != wanted)
    fail_msg("\"%s\" is %sthere: %s %s", words, wanted ? "not " : "", c->answer, c->problem);
}

TEST_IN(options_screen_lists_settings_and_sections, case_t, c) {
  begin_options(c);
  assert_text_shown(c, "Sound Display Game Keys", true);
  assert_value(c, "#world.sql 'SELECT 1 FROM slider'", "1");
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RIGHT);
  assert_value(c, "settings.music > 0.5", "true");
  run_lua(c, "for e in world.each('shoal.option') do if e['shoal.option'].name == 'game' then world.focus(e) end end");
  run_frame(c);
  run_frame(c);
  // the game has no folder strings/ and so no list of languages
  assert_value(c, "world.sql('SELECT text FROM checkbox')[1].text, #world.sql 'SELECT 1 FROM list'", "Shake\t0");
}

TEST_IN(options_screen_binds_a_key_and_names_its_conflict, case_t, c) {
  begin_options(c);
  for (int i = 0; i < 3; ++i)
    tap_key(c, SDL_SCANCODE_RIGHT);
  run_frame(c);
  assert_text_shown(c, "Reset keys", true);
  run_lua(c, "for e in world.each('shoal.option') do local o = e['shoal.option'] "
             "if o.name == 'jump' and not o.pad then world.focus(e) end end");
  run_frame(c);
  tap_key(c, SDL_SCANCODE_RETURN);
  run_frame(c);
  assert_value(c, "input.listen()", "jump\taxis");
  assert_text_shown(c, "press", true);
  tap_key(c, SDL_SCANCODE_X);
  run_frame(c);
  run_frame(c);
  assert_value(c, BINDINGS, "key:x pad:a");
  assert_value(c, "#world.sql \"SELECT 1 FROM label WHERE text LIKE 'X is used by Fire, Jump'\"", "1");
  tap_key(c, SDL_SCANCODE_ESCAPE);
  run_frame(c);
  assert_value(c, "world.count 'shoal.options', settings.best", "0\t1");
}

TEST_IN(options_screen_closes_without_an_event_handler, case_t, c) {
  begin_options(c);
  temporary_folder_write(
      c->folder, "systems/opens.lua",
      "return { phase = 'input', update = function() if world.tick == 2 then world.options() end end }\n");
  host_destroy(c->host);
  open_host(c);
  for (int i = 0; i < 6; ++i)
    run_frame(c);
  assert_value(c, "world.count 'shoal.options'", "1");
  tap_key(c, SDL_SCANCODE_ESCAPE);
  run_frame(c);
  assert_value(c, "world.count 'shoal.options'", "0");
  assert_int_equal(host_exit_code(c->host), 0);
}

TEST_IN(options_screen_opens_in_a_game_whose_files_do_not_call_it, case_t, c) {
  open_host(c);
  run_frame(c);
  run_lua(c, "world.options()");
  run_frame(c);
  assert_value(c, "world.count 'shoal.options'", "1");
}

// --- the on-screen keyboard

static void tap_button(case_t *c, int32_t number) {
  set_button(c, 0, number, true);
  set_button(c, 0, number, false);
  run_frame(c);
}

// Begins a game with an entry of at most five characters, and presses the entry with a pad.
static void begin_keyboard(case_t *c) {
  char systems[128];
  snprintf(systems, sizeof systems, "%s/systems", c->folder);
  file_system_create_folder(systems, false);
  temporary_folder_write(c->folder, "game.lua",
                         "return { title = 'Pressed', id = 'pressed', start = function()\n"
                         "  world.spawn(nil, { name = 'entry', entry = { max = 5 } }) end }\n");
  temporary_folder_write(c->folder, "components.lua",
                         "local t = shoal.types\n"
                         "return { form = t.single { submitted = t.string '', changes = 0 } }\n");
  temporary_folder_write(
      c->folder, "systems/form.lua",
      "return { phase = 'input', on = {\n"
      "  entry_submitted = function(ev) world.single.form.submitted = ev.text[ev.count] end,\n"
      "  changed = function(ev) world.single.form.changes = world.single.form.changes + ev.count end } }\n");
  open_host(c);
  for (int i = 0; i < 4; ++i)
    run_frame(c);
}

#define IS_OPEN "world.count 'shoal.options'"
#define TEXT "world.find('entry').entry.text"

// Moves the focus to the key with this label, and presses it with a pad.
static void press_label(case_t *c, const char *label) {
  char code[256];
  snprintf(code, sizeof code,
           "local found for e in world.each 'button' do found = e.button.text == '%s' and e or found end "
           "world.focus(found)",
           label);
  run_lua(c, code);
  if (c->problem[0])
    fail_msg("no key %s: %s", label, c->problem);
  run_frame(c);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
}

TEST_IN(keyboard_types_into_an_entry_that_a_pad_presses, case_t, c) {
  begin_keyboard(c);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  assert_value(c, IS_OPEN, "1");
  press_label(c, "Shift");
  press_label(c, "J");
  press_label(c, "o"); // Shift applies to one character
  press_label(c, "Space");
  assert_value(c, TEXT, "Jo ");
  press_label(c, "Delete");
  assert_value(c, TEXT ", world.single.form.changes", "Jo\t4");
  press_label(c, "éèê");
  press_label(c, "é");
  assert_value(c, TEXT, "Joé");
  press_label(c, "Done");
  assert_value(c, IS_OPEN ", world.single.form.submitted", "0\tJoé");
  assert_value(c, "world.focus() == world.find('entry')", "true");
}

TEST_IN(keyboard_is_navigated_by_the_d_pad_and_keeps_the_maximum_length, case_t, c) {
  begin_keyboard(c);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_RIGHT);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_UP);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_DOWN);
  for (int i = 0; i < 7; ++i)
    tap_button(c, SDL_CONTROLLER_BUTTON_A);
  assert_value(c, TEXT, "wwwww");
}

TEST_IN(keyboard_restores_the_text_when_it_is_cancelled, case_t, c) {
  begin_keyboard(c);
  run_lua(c, TEXT " = 'Ann'");
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  press_label(c, "a");
  assert_value(c, TEXT, "Anna");
  tap_button(c, SDL_CONTROLLER_BUTTON_B);
  assert_value(c, IS_OPEN ", " TEXT, "0\tAnn");
}

TEST_IN(keyboard_does_not_open_for_keys, case_t, c) {
  begin_keyboard(c);
  tap_key(c, SDL_SCANCODE_RETURN);
  tap_key(c, SDL_SCANCODE_SPACE);
  run_frame(c);
  assert_value(c, IS_OPEN, "0");
}

TEST_IN(pad_can_leave_an_entry_sideways_but_keys_cannot, case_t, c) {
  begin_keyboard(c);
  run_lua(c, "world.spawn(nil, { button = { text = 'B' }, widget = { anchor = 'right' } })");
  run_frame(c);
  tap_key(c, SDL_SCANCODE_RIGHT);
  assert_value(c, "world.focus() == world.find('entry')", "true");
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_RIGHT);
  assert_value(c, "world.focus() == world.find('entry')", "false");
}

TEST_IN(keyboard_closes_when_its_entry_is_destroyed, case_t, c) {
  begin_keyboard(c);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  run_lua(c, "world.find('entry'):destroy()");
  run_frame(c);
  run_frame(c);
  assert_value(c, IS_OPEN, "0");
}

TEST_IN(keyboard_has_the_letters_of_the_current_language, case_t, c) {
  begin_keyboard(c);
  char strings[128];
  snprintf(strings, sizeof strings, "%s/strings", c->folder);
  file_system_create_folder(strings, false);
  temporary_folder_write(c->folder, "strings/de.lua", "return { word = 'Wort' }\n");
  temporary_folder_write(c->folder, "strings/ja.lua", "return { word = '単語' }\n");
  temporary_folder_write(c->folder, "settings.lua", "return { language = shoal.types.enum { 'de', 'ja' } }\n");
  host_destroy(c->host);
  open_host(c);
  for (int i = 0; i < 4; ++i)
    run_frame(c);
  run_lua(c, "settings.language = 'ja'");
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  press_label(c, "か");
  press_label(c, "@shoal.shift");
  press_label(c, "タ");
  press_label(c, "@shoal.done");
  assert_value(c, TEXT, "かタ");
  run_lua(c, "settings.language = 'de'");
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  press_label(c, "ü");
  assert_value(c, TEXT, "かタü");
}
