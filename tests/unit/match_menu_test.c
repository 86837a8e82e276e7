// The menu of a match (host/match_menu.h) over a small game on disk, in a headless host: input, settings and key
// bindings, which must not change the hash of the game's world.
#include "match_folder.h"

#include "ecs/world_hash.h"
#include "game/players.h"
#include "host/match_menu.h"
#include "host/match_play_internal.h"
#include "platform/ignored_input.h"
#include "render/draw_internal.h"
#include "snapshot/state.h"

#include <SDL2/SDL_gamecontroller.h>
#include <SDL2/SDL_scancode.h>

typedef struct case_t {
  match_folder_t folder;
  char data[96];
  host_o *host;
  match_menu_o *menu;
  input_state_t devices, received; // `received`: input of the last frame that reaches the game
  char answer[1024], problem[1024];
} case_t;

#define MUSIC "string.format('%.2f', settings.music)"
#define SETTINGS_FILE "shoal/saves/menu_game/game.settings.json"

static void write_game(const case_t *c) {
  match_folder_write(&c->folder, "game.lua",
                     "return { title = 'Menu game', id = 'menu_game', multiplayer = { players = { 2, 4 } },\n"
                     "  start = function() world.single.score.starts = 1 end }\n");
  match_folder_write(
      &c->folder, "components.lua",
      "local t = shoal.types\n"
      "return { score = t.single { starts = 0 }, asked = t.single { code = t.string '', problem = '' } }\n");
  match_folder_write(&c->folder, "systems/ask.lua",
                     "return { phase = 'input', update = function()\n"
                     "  local asked = world.single.asked\n"
                     "  local ok, problem = pcall(loadstring(asked.code))\n"
                     "  asked.code, asked.problem = '', ok and '' or problem\n"
                     "end }\n");
  match_folder_write(&c->folder, "settings.lua",
                     "local t = shoal.types\n"
                     "return { music = t.f32(0.5, { min = 0, max = 1 }), best = t.i32(3),\n"
                     "  skill = t.enum { 'easy', 'hard' } }\n");
  match_folder_write(&c->folder, "input.lua", "return { fire = { 'key:space' }, jump = { 'key:j', 'pad:a' } }\n");
  match_folder_run("mkdir '%s/strings'", c->folder.path);
  match_folder_write(&c->folder, "strings/en.lua", "return { hello = 'Hello' }\n");
  match_folder_write(&c->folder, "strings/de.lua", "return { hello = 'Hallo' }\n");
}

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  snprintf(c->data, sizeof c->data, "%s/data", c->folder.path);
  match_folder_run("mkdir -p '%s/shoal/saves/menu_game'", c->data);
  setenv("XDG_DATA_HOME", c->data, 1);
  write_game(c);
  c->host = match_folder_start(&c->folder);
  players_set_match(c->host->session.game, true);
  c->menu = match_menu_create(c->host);
  assert_non_null(c->menu);
}

TEARDOWN(case_t, c) {
  match_menu_destroy(c->menu);
  host_destroy(c->host);
  match_folder_remove(&c->folder);
}

static void run_frame(case_t *c) {
  c->received = c->devices;
  match_menu_run_frame(c->menu, &c->received, true, false);
}

static void tap_key(case_t *c, int32_t scancode) {
  c->devices.keys[scancode] = 1;
  run_frame(c);
  c->devices.keys[scancode] = 0;
  run_frame(c);
  run_frame(c);
}

static void tap_button(case_t *c, int32_t button) {
  c->devices.pad_connected[0] = 1;
  c->devices.pad_buttons[0][button] = 1;
  run_frame(c);
  c->devices.pad_buttons[0][button] = 0;
  run_frame(c);
  run_frame(c);
}

static void open_options(case_t *c) {
  tap_key(c, SDL_SCANCODE_ESCAPE);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
}

static const char *run_lua(case_t *c, const char *code) {
  script_report_t report = {0};
  c->answer[0] = c->problem[0] = '\0';
  if (!vm_exec(c->host->session.game->vm, code, "asked", c->answer, sizeof c->answer, &report))
    snprintf(c->problem, sizeof c->problem, "%s", report.message);
  return c->answer;
}

static void assert_value(case_t *c, const char *code, const char *expected) {
  const char *got = run_lua(c, code);
  if (c->problem[0] || strcmp(got, expected) != 0)
    fail_msg("%s: \"%s\", expected \"%s\" %s", code, got, expected, c->problem);
}

// Runs the code in a system, and stores its error in c->problem.
static void run_in_simulation(case_t *c, const char *code) {
  char command[256], problem[sizeof c->problem];
  snprintf(command, sizeof command, "world.single.asked.code = [[%s]]", code);
  run_lua(c, command);
  assert_string_equal(c->problem, "");
  game_run(c->host->session.game, GAME_TICK, &(game_io_t){0});
  snprintf(problem, sizeof problem, "%s", run_lua(c, "world.single.asked.problem"));
  memcpy(c->problem, problem, sizeof problem);
}

static bool settings_file_has(const case_t *c, const char *text) {
  char path[256], content[1024] = "";
  FILE *file = fopen(path_join(path, sizeof path, c->data, SETTINGS_FILE), "r");
  if (file) {
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
  }
  return strstr(content, text) != NULL;
}

// --- input

TEST_IN(escape_opens_the_menu_and_closes_it, case_t, c) {
  run_frame(c);
  assert_false(match_menu_is_open(c->menu));
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_true(match_menu_is_open(c->menu));
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_false(match_menu_is_open(c->menu));
}

TEST_IN(start_button_of_a_pad_opens_the_menu_and_closes_each_page, case_t, c) {
  tap_button(c, SDL_CONTROLLER_BUTTON_START);
  assert_true(match_menu_is_open(c->menu));
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_DOWN);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  assert_true(match_menu_is_open(c->menu));
  tap_button(c, SDL_CONTROLLER_BUTTON_START);
  assert_false(match_menu_is_open(c->menu));
}

TEST_IN(menu_opens_only_while_the_match_is_played, case_t, c) {
  c->devices.keys[SDL_SCANCODE_ESCAPE] = 1;
  c->received = c->devices;
  match_menu_run_frame(c->menu, &c->received, false, false);
  assert_false(match_menu_is_open(c->menu));
  assert_int_equal(c->received.keys[SDL_SCANCODE_ESCAPE], 1);
  c->devices.keys[SDL_SCANCODE_ESCAPE] = 0;
  run_frame(c);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_true(match_menu_is_open(c->menu));
  match_menu_run_frame(c->menu, &c->received, false, false);
  assert_false(match_menu_is_open(c->menu));
}

TEST_IN(game_receives_no_input_while_the_menu_is_open, case_t, c) {
  c->devices.mouse_x = 100;
  c->devices.mouse_y = 50;
  c->devices.keys[SDL_SCANCODE_D] = 1;
  run_frame(c);
  assert_int_equal(c->received.keys[SDL_SCANCODE_D], 1);
  c->devices.keys[SDL_SCANCODE_ESCAPE] = 1;
  run_frame(c);
  input_state_t neutral = {.mouse_x = 100, .mouse_y = 50};
  assert_memory_equal(&c->received, &neutral, sizeof neutral);
  c->devices = (input_state_t){.mouse_x = 300, .mouse_y = 20, .wheel = 1, .text = "x"};
  c->devices.keys[SDL_SCANCODE_SPACE] = c->devices.mouse_buttons[1] = c->devices.pad_buttons[2][3] = 1;
  c->devices.pad_axes[1][0] = -0.5f;
  run_frame(c);
  assert_memory_equal(&c->received, &neutral, sizeof neutral);
}

TEST_IN(control_held_while_the_menu_closes_is_ignored_until_it_is_released, case_t, c) {
  tap_key(c, SDL_SCANCODE_ESCAPE);
  c->devices.keys[SDL_SCANCODE_RETURN] = 1; // “Back to the game” has the focus
  for (int i = 0; i < 3; ++i)
    run_frame(c);
  assert_false(match_menu_is_open(c->menu));
  c->devices.keys[SDL_SCANCODE_D] = 1;
  run_frame(c);
  assert_int_equal(c->received.keys[SDL_SCANCODE_RETURN], 0);
  assert_int_equal(c->received.keys[SDL_SCANCODE_D], 1);
  c->devices.keys[SDL_SCANCODE_RETURN] = 0;
  run_frame(c);
  c->devices.keys[SDL_SCANCODE_RETURN] = 1;
  run_frame(c);
  assert_int_equal(c->received.keys[SDL_SCANCODE_RETURN], 1);
}

TEST_IN(control_held_while_the_menu_opens_does_not_press_its_buttons, case_t, c) {
  c->devices.keys[SDL_SCANCODE_SPACE] = 1;
  run_frame(c);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  for (int i = 0; i < 10; ++i)
    run_frame(c);
  assert_true(match_menu_is_open(c->menu));
}

// --- pages

TEST_IN(leaving_requires_confirmation, case_t, c) {
  tap_key(c, SDL_SCANCODE_ESCAPE);
  tap_key(c, SDL_SCANCODE_UP); // selects the last button
  tap_key(c, SDL_SCANCODE_RETURN);
  assert_false(match_menu_leaves(c->menu));
  tap_key(c, SDL_SCANCODE_RETURN); // presses “Stay”
  assert_true(match_menu_is_open(c->menu));
  tap_key(c, SDL_SCANCODE_UP);
  tap_key(c, SDL_SCANCODE_RETURN);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
  assert_true(match_menu_leaves(c->menu));
}

TEST_IN(options_that_the_game_opens_close_the_menu, case_t, c) {
  run_frame(c);
  match_menu_open_options(c->menu);
  run_frame(c);
  run_frame(c);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_LEFT);
  assert_value(c, MUSIC, "0.45");
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_false(match_menu_is_open(c->menu));
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_true(match_menu_is_open(c->menu));
}

TEST_IN(question_that_the_game_opens_closes_the_menu_or_leaves, case_t, c) {
  run_frame(c);
  for (int i = 0; i < 2; ++i) {
    match_menu_open_question(c->menu);
    run_frame(c);
    run_frame(c);
    tap_key(c, i == 0 ? SDL_SCANCODE_ESCAPE : SDL_SCANCODE_RETURN); // “Stay” has the focus
    assert_false(match_menu_is_open(c->menu));
    assert_false(match_menu_leaves(c->menu));
  }
  match_menu_open_question(c->menu);
  run_frame(c);
  run_frame(c);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
  assert_true(match_menu_leaves(c->menu));
}

// Calls the function with arguments that are not players, and expects an error that contains the fix.
static void assert_player_is_required(case_t *c, const char *function) {
  static const char *const BAD[] = {"", "0", "5", "1.5", "'1'", "0/0", "-1", "false", "true"};
  char code[64], fix[64];
  snprintf(fix, sizeof fix, "%s(ev.player", function);
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i) {
    snprintf(code, sizeof code, "%s(%s)", function, BAD[i]);
    run_in_simulation(c, code);
    if (!strstr(c->problem, "the player must be a number from 1 to 4") || !strstr(c->problem, fix))
      fail_msg("%s: %s", code, c->problem);
  }
}

TEST_IN(options_function_requests_the_options_for_one_player, case_t, c) {
  assert_value(c, "world.options(2)", "");
  assert_int_equal(c->host->session.game->requests.options_of, 2);
  assert_value(c, "world.count 'shoal.options'", "0");
  assert_player_is_required(c, "world.options");
}

TEST_IN(quit_function_requests_the_question_for_one_player, case_t, c) {
  run_in_simulation(c, "world.quit(2) world.quit(4)");
  assert_int_equal(c->host->session.game->requests.quit_of, 2 + 8);
  assert_int_equal(c->host->session.game->requests.quit, 0);
  assert_player_is_required(c, "world.quit");
  assert_int_equal(c->host->session.game->requests.quit, 0);
  run_lua(c, "world.quit()"); // the console quits the program
  assert_int_equal(c->host->session.game->requests.quit, 1);
}

// --- the chat

static void tap_key_with_text(case_t *c, int32_t scancode, const char *text) {
  c->devices.keys[scancode] = 1;
  snprintf(c->devices.text, sizeof c->devices.text, "%s", text);
  run_frame(c);
  c->devices.text[0] = '\0';
  c->devices.keys[scancode] = 0;
  run_frame(c);
  run_frame(c);
}

// Types a text, and presses Return.
static void submit_line(case_t *c, const char *text) {
  tap_key_with_text(c, SDL_SCANCODE_UNKNOWN, text);
  tap_key(c, SDL_SCANCODE_RETURN);
}

TEST_IN(chat_key_opens_an_entry_whose_line_is_sent, case_t, c) {
  run_frame(c);
  for (int i = 0; i < 2; ++i) {                 // the second entry is empty again
    tap_key_with_text(c, SDL_SCANCODE_T, "hé"); // the text is typed in the same frame, after the key
    assert_true(match_menu_is_open(c->menu));
    assert_int_equal(c->received.keys[SDL_SCANCODE_T], 0);
    assert_string_equal(c->received.text, "");
    assert_null(match_menu_get_line(c->menu));
    submit_line(c, "llo, T");
    assert_string_equal(match_menu_get_line(c->menu), "héllo, T");
    match_menu_answer_line(c->menu, MATCH_CHAT_SENT);
    assert_null(match_menu_get_line(c->menu));
    assert_false(match_menu_is_open(c->menu));
    run_frame(c);
  }
}

TEST_IN(line_that_cannot_be_sent_stays_in_the_entry, case_t, c) {
  char text[202];
  run_frame(c);
  tap_key(c, SDL_SCANCODE_T);
  submit_line(c, "again");
  match_menu_answer_line(c->menu, MATCH_CHAT_TOO_FAST);
  run_frame(c);
  assert_true(match_menu_is_open(c->menu));
  tap_key(c, SDL_SCANCODE_RETURN);
  assert_string_equal(match_menu_get_line(c->menu), "again");
  match_menu_answer_line(c->menu, MATCH_CHAT_SENT);
  run_frame(c);
  tap_key(c, SDL_SCANCODE_T);
  for (size_t i = 0; i < sizeof text - 1; i += 2)
    memcpy(text + i, "é", 2); // fills 202 bytes; the next line cuts the text to 100 characters, 200 bytes
  text[sizeof text - 2] = '\0';
  for (size_t i = 0; i < 200; i += 20) {
    char part[21];
    snprintf(part, sizeof part, "%.20s", text + i);
    tap_key_with_text(c, SDL_SCANCODE_UNKNOWN, part);
  }
  submit_line(c, "é");
  assert_null(match_menu_get_line(c->menu));
  assert_true(match_menu_is_open(c->menu));
  tap_key(c, SDL_SCANCODE_BACKSPACE);
  tap_key(c, SDL_SCANCODE_RETURN);
  assert_int_equal(strlen(match_menu_get_line(c->menu)), 200);
}

TEST_IN(escape_closes_the_chat_without_sending_a_line, case_t, c) {
  run_frame(c);
  tap_key(c, SDL_SCANCODE_T);
  tap_key_with_text(c, SDL_SCANCODE_UNKNOWN, "hello");
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_false(match_menu_is_open(c->menu));
  assert_null(match_menu_get_line(c->menu));
  tap_key(c, SDL_SCANCODE_T);
  submit_line(c, " ");
  assert_false(match_menu_is_open(c->menu));
  assert_null(match_menu_get_line(c->menu));
}

TEST_IN(chat_key_that_the_game_uses_reaches_the_game, case_t, c) {
  run_frame(c);
  open_options(c);
  for (int i = 0; i < 3; ++i)
    tap_key(c, SDL_SCANCODE_RIGHT); // selects the tab Keys
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
  tap_key(c, SDL_SCANCODE_T); // binds T to the first action
  tap_button(c, SDL_CONTROLLER_BUTTON_START);
  assert_false(match_menu_is_open(c->menu));
  c->devices.keys[SDL_SCANCODE_T] = 1;
  run_frame(c);
  assert_false(match_menu_is_open(c->menu));
  assert_int_equal(c->received.keys[SDL_SCANCODE_T], 1);
  c->devices.keys[SDL_SCANCODE_T] = 0;
  tap_key(c, SDL_SCANCODE_ESCAPE);
  tap_key(c, SDL_SCANCODE_UP); // selects “Leave the match”, then “Chat”
  tap_key(c, SDL_SCANCODE_UP);
  tap_key(c, SDL_SCANCODE_RETURN);
  submit_line(c, "hello");
  assert_string_equal(match_menu_get_line(c->menu), "hello");
}

TEST_IN(chat_can_be_written_with_a_pad, case_t, c) {
  run_frame(c);
  tap_button(c, SDL_CONTROLLER_BUTTON_START);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_UP);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_UP);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  tap_button(c, SDL_CONTROLLER_BUTTON_A); // opens the keyboard
  tap_button(c, SDL_CONTROLLER_BUTTON_A); // types the first letter of the keyboard
  assert_null(match_menu_get_line(c->menu));
  for (int i = 0; i < 3; ++i)
    tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_DOWN); // selects “Shift”
  for (int i = 0; i < 5; ++i)
    tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_RIGHT);
  tap_button(c, SDL_CONTROLLER_BUTTON_A); // presses “Done”
  assert_non_null(match_menu_get_line(c->menu));
  assert_string_equal(match_menu_get_line(c->menu), "q");
}

// --- players

// Ada is on this machine; Bo is connected; Cleo has lost the connection, and her chat is hidden.
static script_match_menu_t list_players(bool is_host) {
  return (script_match_menu_t){.names = {"Ada", "Bo", "Cleo"},
                               .is_host = is_host,
                               .present = 7,
                               .own = 1,
                               .lost = 4,
                               .muted = 4,
                               .reserved_s = {0, 0, 42},
                               .bans = is_host ? 3 : 0};
}

static void open_players(case_t *c, bool is_host) {
  script_match_menu_t players = list_players(is_host);
  run_frame(c);
  match_menu_set_players(c->menu, &players);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
}

static void expect_moderation(case_t *c, match_moderation_t expected, uint32_t player) {
  match_moderation_t action;
  uint32_t number;
  assert_true(match_menu_pop_moderation(c->menu, &action, &number));
  assert_int_equal(action, expected);
  assert_int_equal(number, player);
  assert_false(match_menu_pop_moderation(c->menu, &action, &number));
  assert_true(match_menu_is_open(c->menu));
}

static void expect_no_moderation(case_t *c) {
  match_moderation_t action;
  uint32_t number;
  assert_false(match_menu_pop_moderation(c->menu, &action, &number));
}

TEST_IN(host_removes_a_player_with_keys, case_t, c) {
  open_players(c, true);
  tap_key(c, SDL_SCANCODE_RETURN); // opens Bo's page
  expect_no_moderation(c);
  tap_key(c, SDL_SCANCODE_DOWN); // selects the button below “Mute chat”
  tap_key(c, SDL_SCANCODE_RETURN);
  expect_moderation(c, MATCH_MODERATION_REMOVE, 2);
  tap_key(c, SDL_SCANCODE_RETURN); // opens Bo's page again
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
  expect_moderation(c, MATCH_MODERATION_BAN, 2);
}

TEST_IN(host_gives_away_a_seat_with_a_pad, case_t, c) {
  script_match_menu_t players = list_players(true);
  run_frame(c);
  match_menu_set_players(c->menu, &players);
  tap_button(c, SDL_CONTROLLER_BUTTON_START);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_DOWN);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_DOWN);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_DOWN); // selects Cleo
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  tap_button(c, SDL_CONTROLLER_BUTTON_DPAD_DOWN);
  tap_button(c, SDL_CONTROLLER_BUTTON_A);
  expect_moderation(c, MATCH_MODERATION_GIVE_AWAY, 3);
}

TEST_IN(host_lifts_all_bans, case_t, c) {
  open_players(c, true);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
  expect_moderation(c, MATCH_MODERATION_LIFT_BANS, 0);
}

// Players 2, 9 and 32 of a room, and player 12 of this machine.
TEST_IN(machine_can_mute_each_of_32_players, case_t, c) {
  script_match_menu_t players = {.is_world = true, .present = 1u << 1 | 1u << 8 | 1u << 11 | 1u << 31, .own = 1u << 11};
  run_frame(c);
  match_menu_set_players(c->menu, &players);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
  static const uint32_t NUMBERS[] = {2, 9, 32};
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint32_t k = 0; k < i; ++k)
      tap_key(c, SDL_SCANCODE_DOWN);
    tap_key(c, SDL_SCANCODE_RETURN); // opens the player's page
    tap_key(c, SDL_SCANCODE_RETURN);
    expect_moderation(c, MATCH_MODERATION_MUTE, NUMBERS[i]);
  }
}

TEST_IN(machine_that_joined_can_only_mute, case_t, c) {
  open_players(c, false);
  tap_key(c, SDL_SCANCODE_RETURN); // opens Bo's page
  tap_key(c, SDL_SCANCODE_RETURN);
  expect_moderation(c, MATCH_MODERATION_MUTE, 2);
  tap_key(c, SDL_SCANCODE_DOWN); // selects Cleo
  tap_key(c, SDL_SCANCODE_RETURN);
  tap_key(c, SDL_SCANCODE_RETURN);
  expect_moderation(c, MATCH_MODERATION_UNMUTE, 3);
  tap_key(c, SDL_SCANCODE_RETURN); // opens Bo's page
  tap_key(c, SDL_SCANCODE_DOWN);   // selects “Back”
  tap_key(c, SDL_SCANCODE_RETURN);
  expect_no_moderation(c);
  assert_true(match_menu_is_open(c->menu));
}

TEST_IN(player_who_leaves_closes_the_page_with_the_players_actions, case_t, c) {
  script_match_menu_t players = list_players(true);
  open_players(c, true);
  tap_key(c, SDL_SCANCODE_RETURN); // opens Bo's page
  tap_key(c, SDL_SCANCODE_DOWN);   // selects “Remove”
  players.present = 5;             // Bo has left
  match_menu_set_players(c->menu, &players);
  run_frame(c);
  run_frame(c);
  tap_key(c, SDL_SCANCODE_RETURN); // opens the page of Cleo
  expect_no_moderation(c);
  tap_key(c, SDL_SCANCODE_RETURN);
  expect_moderation(c, MATCH_MODERATION_UNMUTE, 3);
}

TEST_IN(escape_leads_from_the_players_to_the_lobby_or_the_menu, case_t, c) {
  open_players(c, true);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_true(match_menu_is_open(c->menu)); // the main page is open
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_false(match_menu_is_open(c->menu));
  match_menu_open_players(c->menu);
  run_frame(c);
  run_frame(c);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_false(match_menu_is_open(c->menu));
}

// --- settings

TEST_IN(setting_changed_in_the_menu_reaches_the_game_but_not_its_hash, case_t, c) {
  world_o *w = c->host->session.game->world;
  run_frame(c);
  uint64_t hash = world_hash(w);
  snapshot_o *before = snapshot_create(&c->host->session.memory);
  assert_true(snapshot_take(before, w, NULL));
  open_options(c);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RIGHT);
  assert_value(c, MUSIC, "0.55");
  assert_true(world_hash(w) == hash);
  assert_true(snapshot_restore(before, w, NULL)); // a rollback restores the world in this way
  assert_value(c, MUSIC, "0.55");
  assert_true(world_hash(w) == hash);
  snapshot_release(before);
}

TEST_IN(match_options_contain_only_machine_settings, case_t, c) {
  open_options(c);
  // Tabs: Sound, Display, Game (only the language), Keys. The next widget in the tab Game is the language.
  tap_key(c, SDL_SCANCODE_RIGHT);
  tap_key(c, SDL_SCANCODE_RIGHT);
  tap_key(c, SDL_SCANCODE_DOWN);
  assert_value(c, "settings.language .. settings.skill", "eneasy");
  tap_key(c, SDL_SCANCODE_RIGHT);
  assert_value(c, "settings.language .. settings.skill", "deeasy");
  tap_key(c, SDL_SCANCODE_DOWN); // selects “Back”
  tap_key(c, SDL_SCANCODE_RETURN);
  tap_key(c, SDL_SCANCODE_ESCAPE);
  assert_false(match_menu_is_open(c->menu));
}

TEST_IN(key_rebound_in_the_menu_is_used_by_the_game, case_t, c) {
  run_frame(c);
  uint64_t hash = world_hash(c->host->session.game->world);
  open_options(c);
  for (int i = 0; i < 3; ++i)
    tap_key(c, SDL_SCANCODE_RIGHT); // selects the tab Keys
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RETURN);
  tap_button(c, SDL_CONTROLLER_BUTTON_START); // binds Start, and does not close the menu
  assert_true(match_menu_is_open(c->menu));
  tap_key(c, SDL_SCANCODE_RETURN);
  tap_key(c, SDL_SCANCODE_X);
  assert_value(c, "table.concat(input.bindings 'fire', ' ')", "key:x pad:start");
  assert_true(world_hash(c->host->session.game->world) == hash);
}

TEST_IN(game_values_are_shown_when_the_menu_opens, case_t, c) {
  run_frame(c);
  run_lua(c, "settings.music = 0.2");
  open_options(c);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RIGHT);
  assert_value(c, MUSIC, "0.25");
}

TEST_IN(machine_that_joined_stores_its_own_settings_not_the_hosts, case_t, c) {
  run_frame(c);
  run_lua(c, "settings.best, settings.skill = 99, 'hard'"); // a snapshot of the host sets values in this way
  c->host->session.options.join = "host";
  open_options(c);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RIGHT);
  assert_true(host_frame(c->host));
  assert_true(host_frame(c->host));
  assert_true(settings_file_has(c, "\"music\":0.55"));
  assert_true(settings_file_has(c, "\"best\":3"));
  assert_true(settings_file_has(c, "\"skill\":\"easy\""));
}

TEST_IN(match_host_stores_all_its_settings, case_t, c) {
  run_frame(c);
  run_lua(c, "settings.best = 99");
  open_options(c);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RIGHT);
  assert_false(settings_file_has(c, "music"));
  assert_true(host_frame(c->host));
  assert_true(settings_file_has(c, "\"music\":0.55"));
  assert_true(settings_file_has(c, "\"best\":99"));
}

TEST_IN(restarted_game_gets_the_menus_settings, case_t, c) {
  open_options(c);
  tap_key(c, SDL_SCANCODE_DOWN);
  tap_key(c, SDL_SCANCODE_RIGHT);
  c->host->restart_requested = true; // the game restarts before the file is written
  c->host->session.options.join = "host";
  assert_true(host_frame(c->host));
  assert_value(c, MUSIC, "0.50");
  run_frame(c);
  assert_value(c, MUSIC, "0.55");
}

TEST_IN(only_window_and_volume_settings_apply_to_a_different_game, case_t, c) {
  vm_o *vm = c->host->session.game->vm;
  static const char other[] =
      "{\"format\":1,\"settings\":{\"music\":2,\"voice\":0.1,\"scale\":\"stretch\",\"vsync\":false,"
      "\"language\":\"de\",\"best\":9},\"bindings\":{\"fire\":{\"axis\":[\"key:x\"]}}}";
  static const char all[] = "settings.music, settings.scale, settings.vsync, settings.language, settings.best, "
                            "table.concat(input.bindings 'fire', ' ')";
  run_frame(c);
  uint64_t hash = world_hash(c->host->session.game->world);
  vm_apply_settings_of_other_game(vm, other, false);
  assert_value(c, all, "0.5\tstretch\tfalse\ten\t3\tkey:space");
  vm_apply_settings_of_other_game(vm, other, true);
  assert_value(c, all, "1\tstretch\tfalse\ten\t3\tkey:space"); // the volume is limited to its range
  vm_apply_settings_of_other_game(vm, "{\"format\":1,\"settings\":{\"music\":\"loud\",\"scale\":\"x\",\"vsync\":3}}",
                                  true);
  vm_apply_settings_of_other_game(vm, "", true);
  assert_value(c, all, "1\tstretch\tfalse\ten\t3\tkey:space");
  assert_true(world_hash(c->host->session.game->world) == hash);
}

TEST_IN(malformed_settings_change_nothing, case_t, c) {
  static const char *const BAD[] = {
      "",
      "{",
      "[]",
      "null",
      "{\"format\":1,\"settings\":5}",
      "{\"format\":9,\"settings\":{\"music\":1}}",
      "{\"format\":1,\"settings\":{\"music\":\"loud\",\"best\":7},\"bindings\":4}",
      "{\"format\":1,\"settings\":{\"music\":1e300},\"bindings\":{\"fire\":{\"a\":[1]}}}"};
  uint64_t hash = world_hash(c->host->session.game->world);
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; ++i)
    vm_apply_machine_settings(c->host->session.game->vm, BAD[i]);
  assert_value(c, "settings.music, settings.best, table.concat(input.bindings 'fire', ' ')", "0.5\t3\tkey:space");
  assert_true(world_hash(c->host->session.game->world) == hash);
}

// --- boxes in front of the game

static const script_match_box_t NO_BOXES[MATCH_BOX_COUNT];
static const script_match_chat_line_t NO_LINES[MATCH_CHAT_LINES_SHOWN];

static script_match_box_t create_box(uint32_t buttons) {
  script_match_box_t box = {.title = "Bob wants to join", .lines = {"Players: 1"}};
  for (uint32_t i = 0; i < buttons; ++i) {
    snprintf(box.buttons[i], sizeof box.buttons[i], "Answer %u", i + 1);
    snprintf(box.keys[i], sizeof box.keys[i], "F%u", i + 7);
  }
  return box;
}

static void show_question(case_t *c, uint32_t buttons) {
  script_match_box_t boxes[MATCH_BOX_COUNT] = {create_box(buttons)};
  match_menu_set_boxes(c->menu, boxes, NO_LINES);
}

// Clicks at a point. Returns the number of the button that was pressed.
static uint32_t click(case_t *c, float x, float y) {
  c->devices.mouse_x = x;
  c->devices.mouse_y = y;
  run_frame(c);
  c->devices.mouse_buttons[1] = 1;
  run_frame(c);
  bool is_received = c->received.mouse_buttons[1];
  c->devices.mouse_buttons[1] = 0;
  run_frame(c);
  run_frame(c); // handles the event of the button
  uint32_t button = match_menu_pop_button(c->menu, MATCH_BOX_QUESTION);
  if (button > 0)
    assert_false(is_received);
  return button;
}

// Clicks at many points of the upper half of the screen. Returns the bits of the buttons that were pressed, and the
// point at which the first button was pressed.
static uint32_t click_everywhere(case_t *c, float *x, float *y) {
  uint32_t pressed = 0;
  for (float at_y = 8; at_y < 360; at_y += 12)
    for (float at_x = 8; at_x < 1280; at_x += 24) {
      uint32_t button = click(c, at_x, at_y);
      if (button == 1)
        *x = at_x, *y = at_y;
      pressed |= 1u << button;
    }
  return pressed;
}

TEST_IN(each_button_of_a_box_is_pressed_by_a_click_that_the_game_does_not_receive, case_t, c) {
  float x = 0, y = 0;
  show_question(c, 3);
  assert_int_equal(click_everywhere(c, &x, &y), 1u << 0 | 1u << 1 | 1u << 2 | 1u << 3);
  assert_false(match_menu_is_open(c->menu));
  match_menu_set_boxes(c->menu, NO_BOXES, NO_LINES);
  assert_int_equal(click(c, x, y), 0);
  c->devices.mouse_buttons[1] = 1;
  run_frame(c);
  assert_int_equal(c->received.mouse_buttons[1], 1);
}

TEST_IN(box_leaves_the_keys_and_pads_to_the_game, case_t, c) {
  show_question(c, 3);
  run_frame(c);
  c->devices.keys[SDL_SCANCODE_RETURN] = c->devices.pad_buttons[0][0] = 1;
  run_frame(c);
  assert_int_equal(c->received.keys[SDL_SCANCODE_RETURN], 1);
  assert_int_equal(c->received.pad_buttons[0][0], 1);
  assert_int_equal(match_menu_pop_button(c->menu, MATCH_BOX_QUESTION), 0);
}

TEST_IN(mouse_button_that_is_held_when_a_box_appears_presses_nothing, case_t, c) {
  float x = 0, y = 0;
  show_question(c, 2);
  click_everywhere(c, &x, &y);
  assert_int_equal(click(c, x, y), 1);
  match_menu_set_boxes(c->menu, NO_BOXES, NO_LINES);
  c->devices.mouse_buttons[1] = 1;
  run_frame(c);
  show_question(c, 2);
  for (int i = 0; i < 3; ++i)
    run_frame(c);
  c->devices.mouse_buttons[1] = 0;
  for (int i = 0; i < 2; ++i)
    run_frame(c);
  assert_int_equal(match_menu_pop_button(c->menu, MATCH_BOX_QUESTION), 0);
  assert_int_equal(click(c, x, y), 1);
}

// Returns true if the menu draws a text that contains `text`.
static bool draws(const case_t *c, const char *text) {
  draw_o *d = c->host->session.draw;
  bool result = false;
  draw_clear(d);
  match_menu_draw(c->menu, 0.016f);
  for (uint32_t i = 0; i < d->commands.count; ++i)
    result |=
        d->commands.items[i].kind == DRAW_TEXT && strstr(draw_get_text(d, d->commands.items[i].first), text) != NULL;
  return result;
}

TEST_IN(chat_lines_and_boxes_are_drawn_while_the_menu_is_closed, case_t, c) {
  static const script_match_chat_line_t LINES[MATCH_CHAT_LINES_SHOWN + 1] = {{"Bob: hello", 0xff0000},
                                                                             {"@Ada: hi", 0xff00}};
  const script_match_box_t boxes[MATCH_BOX_COUNT] = {create_box(1)};
  match_menu_set_boxes(c->menu, boxes, LINES);
  run_frame(c);
  assert_true(draws(c, "Bob: hello") && draws(c, "@Ada: hi") && draws(c, "Bob wants to join") && draws(c, "Answer 1"));
  assert_false(match_menu_is_open(c->menu));
  match_menu_set_boxes(c->menu, NO_BOXES, LINES + 1);
  run_frame(c);
  assert_true(draws(c, "@Ada: hi"));
  assert_false(draws(c, "Bob: hello") || draws(c, "Bob wants to join"));
  match_menu_set_boxes(c->menu, NO_BOXES, NO_LINES);
  run_frame(c);
  assert_false(draws(c, "@Ada: hi"));
}

TEST_IN(without_a_menu_a_notice_shows_each_new_title_of_a_box_and_its_keys, case_t, c) {
  notices_t *notices = &c->host->session.notices;
  match_play_o *p = alloc_object(sizeof *p);
  p->host = c->host;
  p->boxes[MATCH_BOX_QUESTION] = create_box(2);
  for (int i = 0; i < 3; ++i)
    match_panel_show_boxes(p);
  assert_int_equal(notices->count, 1);
  assert_string_equal(notices->items[0].text, "Bob wants to join   F7 Answer 1   F8 Answer 2");
  p->boxes[MATCH_BOX_QUESTION] = (script_match_box_t){0};
  match_panel_show_boxes(p);
  p->boxes[MATCH_BOX_QUESTION] = create_box(2);
  match_panel_show_boxes(p);
  assert_int_equal(notices->count, 2);
  free(p);
}

// Presses random controls that the menu uses, and releases them again.
TEST_IN(random_input_changes_neither_the_hash_nor_the_input_below_the_menu, case_t, c) {
  static const int32_t KEYS[] = {SDL_SCANCODE_ESCAPE, SDL_SCANCODE_RETURN, SDL_SCANCODE_UP,  SDL_SCANCODE_DOWN,
                                 SDL_SCANCODE_LEFT,   SDL_SCANCODE_RIGHT,  SDL_SCANCODE_TAB, SDL_SCANCODE_X};
  random_t random;
  uint32_t open_frames = 0;
  random_seed(&random, 7);
  run_frame(c);
  uint64_t hash = world_hash(c->host->session.game->world);
  for (uint32_t i = 0; i < 3000 && !match_menu_leaves(c->menu); ++i) {
    bool was_open = match_menu_is_open(c->menu);
    c->devices.keys[KEYS[random_u32(&random) % 8]] ^= 1;
    c->devices.pad_buttons[0][random_u32(&random) % INPUT_PAD_BUTTONS] = random_u32(&random) % 4 == 0;
    c->devices.mouse_buttons[1] = random_u32(&random) % 3 == 0;
    c->devices.mouse_x = (float)(random_u32(&random) % 1280);
    c->devices.mouse_y = (float)(random_u32(&random) % 720);
    run_frame(c);
    input_state_t neutral = c->received;
    input_release_all(&neutral);
    if (was_open)
      assert_memory_equal(&c->received, &neutral, sizeof neutral);
    open_frames += was_open;
  }
  assert_true(open_frames > 50);
  assert_true(world_hash(c->host->session.game->world) == hash);
  assert_value(c, "settings.best, settings.skill, world.count 'shoal.options'", "3\teasy\t0");
}
