// The lobby of a match and the game after it: several real games in one process, over a simulated network that loses
// datagrams. The machines send the widget actions of their players as commands.
#include "match_folder.h"

#include "ecs/world_hash.h"
#include "game/players.h"
#include "host/game_switch.h"
#include "host/match_play_internal.h"
#include "platform/pad_buttons.h"
#include "ui/widget_action.h"

#define GAMES 4u

typedef struct case_t case_t;

typedef struct seat_t {
  case_t *c;
  uint32_t index;
  host_o *host;
  match_game_o *game;
  char lines[1 << 14]; // the lobby's lines in the log
} seat_t;

struct case_t {
  match_folder_t folder;
  seat_t seats[GAMES];
  fixture_t *f;
};

static const char *const NAMES[GAMES] = {"Ada", "Böb", "@lobby", "Ada"};

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  match_folder_write(&c->folder, "game.lua", "return { title = 'Race', multiplayer = { players = { 2, 4 } } }\n");
  match_folder_write(&c->folder, "input.lua", "return { fire = { 'key:space' } }\n");
  match_folder_write(&c->folder, "components.lua", "return { tag = { name = shoal.types.string '', red = 0.0 } }\n");
  match_folder_write(&c->folder, "systems/names.lua",
                     "return { on = { player_joined = function(ev)\n"
                     "  for i, p in ipairs(players.list()) do\n"
                     "    world.spawn(nil, { tag = { name = p.name, red = p.colour.r + world.random() } })\n"
                     "  end\n"
                     "end } }\n");
}

TEARDOWN(case_t, c) {
  if (c->f)
    fixture_free(c->f);
  for (uint32_t i = 0; i < GAMES; ++i) {
    match_game_destroy(c->seats[i].game);
    host_destroy(c->seats[i].host);
  }
  match_folder_remove(&c->folder);
}

// --- machines

static game_o *get_game(const case_t *c, uint32_t i) {
  return c->seats[i].host->session.game;
}

static void keep_line(void *context, log_level_t level, const char *line) {
  seat_t *seat = context;
  size_t length = strlen(seat->lines);
  (void)level;
  if (strncmp(line, "lobby: ", 7) == 0)
    snprintf(seat->lines + length, sizeof seat->lines - length, "%s\n", line);
}

static game_o *enter(void *context, bool is_lobby, uint64_t seed) {
  seat_t *seat = context;
  char folder[PATH_MAX_BYTES];
  path_join(folder, sizeof folder, seat->host->session.paths.engine, "lobby");
  game_o *game = game_switch_enter_in_match(seat->host, is_lobby ? folder : seat->c->folder.path, NULL, NULL, seed);
  for (uint32_t i = 0; !is_lobby && i < seat->index; ++i) // stands for different settings on each machine
    world_spawn(game->world, 0, NULL);
  return game;
}

static void start_game(case_t *c, uint32_t i) {
  seat_t *seat = &c->seats[i];
  *seat = (seat_t){.c = c, .index = i, .host = match_folder_start(&c->folder)};
  log_set_listener(seat->host->session.log, keep_line, seat);
  seat->game = match_game_create(&(match_game_desc_t){.game = get_game(c, i), .enter = enter, .context = seat});
  if (i == 0)
    assert_true(match_game_enter_lobby(seat->game));
  match_world_t world = match_game_get_world(seat->game);
  machine_start_world(c->f, i == 0 ? MATCH_HOST : MATCH_PEER, 1, &world);
  if (i > 0)
    machine_join(&c->f->machines[i]);
}

// The host begins the game as match_play does.
static void step(case_t *c) {
  fixture_step(c->f);
  if (get_game(c, 0)->requests.begin_match && match_game_is_in_lobby(c->seats[0].game))
    match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_SWITCH);
  for (uint32_t i = 0; i < c->f->count; ++i)
    get_game(c, i)->requests = (script_requests_t){0};
}

static void run(case_t *c, uint32_t steps) {
  for (uint32_t i = 0; i < steps; ++i)
    step(c);
}

static void start_games(case_t *c, uint32_t count, const char *conditions) {
  c->f = fixture_create(1, conditions);
  c->f->is_quiet = true;
  c->f->names = NAMES;
  for (uint32_t i = 0; i < count; ++i)
    start_game(c, i);
  run(c, 150);
  assert_int_equal(fixture_status(c->f, 0).present, (1u << count) - 1);
}

static void assert_games_agree(case_t *c) {
  run(c, 60);
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_PAUSE);
  run(c, 60);
  for (uint32_t i = 0; i < c->f->count; ++i) {
    if (c->f->machines[i].desyncs > 0 || c->f->machines[i].failed > 0)
      fail_msg("machine %u: %u desyncs, %s", i, c->f->machines[i].desyncs, c->f->machines[i].problem);
    assert_int_equal(match_game_is_in_lobby(c->seats[i].game), match_game_is_in_lobby(c->seats[0].game));
    assert_int_equal(world_hash(get_game(c, i)->world), world_hash(get_game(c, 0)->world));
    assert_memory_equal(get_game(c, i)->player_infos, get_game(c, 0)->player_infos,
                        sizeof get_game(c, 0)->player_infos);
  }
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_RESUME);
}

// --- widgets

static shoal_entity find_widget(const case_t *c, const char *format, uint32_t player) {
  char name[64];
  world_o *w = get_game(c, 0)->world;
  const manager_o *m = world_find_manager(w, "name");
  snprintf(name, sizeof name, format, player);
  for (uint32_t row = 0; row < m->count; ++row)
    if (strcmp(strings_text(world_strings(w), (uint32_t)columns_get(&m->columns, row, 0)), name) == 0)
      return m->owner[row];
  fail_msg("no widget %s", name);
  return 0;
}

static void act(case_t *c, uint32_t machine, const widget_action_t *action) {
  uint8_t bytes[WIDGET_ACTION_MAX_BYTES];
  size_t size = widget_action_write(action, bytes);
  assert_true(match_add_command(c->f->machines[machine].match, 0, bytes, size));
}

static void toggle_ready(case_t *c, uint32_t machine, uint32_t player) {
  act(c, machine, &(widget_action_t){.kind = WIDGET_ACTION_TOGGLE, .entity = find_widget(c, "ready_box_%u", player)});
}

// Appends `text` to the player's entry, in pieces, and submits it.
static void say(case_t *c, uint32_t machine, const char *text) {
  shoal_entity entry = find_widget(c, "chat_entry_%u", machine + 1);
  for (uint32_t at = 0; text[at];) {
    widget_action_t edit = {.kind = WIDGET_ACTION_EDIT, .entity = entry, .start = 4096};
    size_t length = strlen(text + at) < WIDGET_ACTION_TEXT_BYTES ? strlen(text + at) : WIDGET_ACTION_TEXT_BYTES;
    memcpy(edit.text, text + at, length);
    act(c, machine, &edit);
    at += (uint32_t)length;
  }
  act(c, machine, &(widget_action_t){.kind = WIDGET_ACTION_SUBMIT, .entity = entry});
}

static uint32_t count_lines(const seat_t *seat, const char *text) {
  uint32_t count = 0;
  for (const char *at = seat->lines; (at = strstr(at, text)) != NULL; ++at)
    ++count;
  return count;
}

static void clear_chat(case_t *c, uint32_t machine) {
  act(c, machine,
      &(widget_action_t){
          .kind = WIDGET_ACTION_EDIT, .entity = find_widget(c, "chat_entry_%u", machine + 1), .erased = 4096});
}

// --- keys

#define MAX_CONTROLS 16u
#define MAX_STEPS 200u
enum { PAD_UP = 11 };                              // number of the button; down, left and right follow
static const uint32_t ARROWS[] = {82, 81, 80, 79}; // scancodes: up, down, left, right

typedef struct walk_t {
  shoal_entity controls[MAX_CONTROLS];      // controls that have had the focus
  shoal_entity neighbours[MAX_CONTROLS][4]; // controls that have the focus after each direction; 0: not tried
  uint32_t count;
} walk_t;

// Runs a step of the machine's widgets, as between two ticks.
static void run_widgets(case_t *c, uint32_t machine, const input_state_t *previous, const input_state_t *sample) {
  player_inputs_t ignored;
  players_compute_inputs(get_game(c, machine), previous, sample, &ignored);
}

static void press_direction(case_t *c, uint32_t machine, uint32_t direction, bool by_pad) {
  input_state_t released = {.pad_connected = {1}}, pressed = released;
  if (by_pad)
    pressed.pad_buttons[0][PAD_UP + direction] = 1;
  else
    pressed.keys[ARROWS[direction]] = 1;
  run_widgets(c, machine, &released, &pressed);
  run_widgets(c, machine, &pressed, &released);
}

// Returns the control of the machine's player that has the focus; 0: none.
static shoal_entity find_focus(const case_t *c, uint32_t machine) {
  ui_o *ui = get_game(c, machine)->ui;
  shoal_entity focused = 0;
  ui_begin_render(ui); // the world's columns contain the values of the machine
  const manager_o *m = world_find_manager(get_game(c, machine)->world, "widget");
  uint32_t column = (uint32_t)manager_find_column(m, "focused");
  for (uint32_t row = 0; row < m->count; ++row)
    focused = columns_get(&m->columns, row, column) != 0 ? m->owner[row] : focused;
  ui_end_render(ui);
  return focused;
}

static uint32_t find_or_add_control(walk_t *walk, shoal_entity control) {
  uint32_t i = 0;
  while (i < walk->count && walk->controls[i] != control)
    ++i;
  assert_true(control != 0 && i < MAX_CONTROLS);
  if (i == walk->count)
    walk->controls[walk->count++] = control;
  return i;
}

// Returns the first direction on the shortest known path from a control to a control with an untried direction, or 4 if
// all directions have been tried.
static uint32_t choose_direction(walk_t *walk, uint32_t from) {
  uint32_t queue[MAX_CONTROLS] = {from}, first[MAX_CONTROLS] = {0}, count = 1;
  bool is_found[MAX_CONTROLS] = {false};
  is_found[from] = true;
  for (uint32_t k = 0; k < count; ++k)
    for (uint32_t direction = 0; direction < 4; ++direction) {
      shoal_entity next = walk->neighbours[queue[k]][direction];
      uint32_t begin = k == 0 ? direction : first[queue[k]];
      if (next == 0)
        return begin;
      uint32_t i = find_or_add_control(walk, next);
      if (is_found[i])
        continue;
      is_found[i] = true;
      first[i] = begin;
      queue[count++] = i;
    }
  return 4;
}

// Walks until each direction of each control has been tried.
static void walk_controls(case_t *c, uint32_t machine, bool by_pad, walk_t *walk) {
  *walk = (walk_t){0};
  uint32_t steps = 0, at = find_or_add_control(walk, find_focus(c, machine)), direction;
  for (; (direction = choose_direction(walk, at)) < 4 && steps < MAX_STEPS; ++steps) {
    press_direction(c, machine, direction, by_pad);
    shoal_entity next = find_focus(c, machine);
    walk->neighbours[at][direction] = next;
    at = find_or_add_control(walk, next);
  }
  assert_true(steps < MAX_STEPS);
}

static bool has_control(const walk_t *walk, shoal_entity control) {
  for (uint32_t i = 0; i < walk->count; ++i)
    if (walk->controls[i] == control)
      return true;
  return false;
}

// Returns true if a chain of directions leads from one control to another.
static bool is_connected(walk_t *walk, shoal_entity from, shoal_entity to) {
  bool is_found[MAX_CONTROLS] = {false};
  is_found[find_or_add_control(walk, from)] = true;
  for (uint32_t pass = 0; pass < walk->count; ++pass)
    for (uint32_t i = 0; i < walk->count; ++i)
      for (uint32_t direction = 0; is_found[i] && direction < 4; ++direction)
        is_found[find_or_add_control(walk, walk->neighbours[i][direction])] = true;
  return is_found[find_or_add_control(walk, to)];
}

TEST_IN(arrows_and_pad_reach_every_control_from_every_control, case_t, c) {
  walk_t walk;
  start_games(c, 2, "60ms,10ms,5%");
  for (uint32_t machine = 0; machine < 2; ++machine) {
    players_set_local(get_game(c, machine), (const uint8_t[]){(uint8_t)(machine + 1)}, 1);
    run_widgets(c, machine, &(input_state_t){0}, &(input_state_t){0});
    shoal_entity controls[] = {find_widget(c, "name_entry_%u", machine + 1),
                               find_widget(c, "colour_button_%u", machine + 1),
                               find_widget(c, "ready_box_%u", machine + 1),
                               find_widget(c, "chat_entry_%u", machine + 1),
                               find_widget(c, "actions_button", 0),
                               machine == 0 ? find_widget(c, "begin_button", 0) : 0,
                               machine == 0 ? find_widget(c, "address_box", 0) : 0};
    uint32_t named_count = machine == 0 ? 7 : 5, count = named_count + 1; // the button to leave has no name
    for (int by_pad = 0; by_pad < 2; ++by_pad) {
      walk_controls(c, machine, by_pad, &walk);
      assert_int_equal(walk.count, count);
      for (uint32_t i = 0; i < named_count; ++i)
        assert_true(has_control(&walk, controls[i]));
      for (uint32_t i = 0; i < count * count; ++i)
        assert_true(is_connected(&walk, walk.controls[i / count], walk.controls[i % count]));
    }
  }
}

// --- tests

TEST_IN(game_begins_on_all_machines_when_all_are_ready, case_t, c) {
  start_games(c, 3, "80ms,20ms,10%");
  for (uint32_t i = 0; i < 3; ++i) {
    assert_true(match_game_is_in_lobby(c->seats[i].game));
    toggle_ready(c, i, i + 1);
  }
  run(c, 60);
  for (uint32_t i = 0; i < 3; ++i)
    assert_string_equal(get_game(c, i)->config.title, "Race");
  assert_games_agree(c);
  assert_int_equal(world_find_manager(get_game(c, 2)->world, "tag")->count, 3);
}

TEST_IN(lobby_names_and_colours_reach_the_game, case_t, c) {
  start_games(c, 3, "60ms,10ms,5%");
  shoal_entity entry = find_widget(c, "name_entry_%u", 2);
  act(c, 1, &(widget_action_t){.kind = WIDGET_ACTION_EDIT, .entity = entry, .erased = 24, .text = "  Grace "});
  run(c, 30);
  for (uint32_t i = 0; i < 3; ++i)
    toggle_ready(c, i, i + 1);
  run(c, 60);
  assert_games_agree(c);
  const player_info_t *infos = get_game(c, 1)->player_infos;
  assert_string_equal(infos[0].name, "Ada");
  assert_string_equal(infos[1].name, "Grace");
  assert_string_equal(infos[2].name, "@lobby");
  for (uint32_t i = 0; i < 3; ++i)
    assert_int_equal(infos[i].colour, player_colours[i]);
}

static const char *get_text(const case_t *c, const char *component, shoal_entity e) {
  world_o *w = get_game(c, 0)->world;
  const manager_o *m = world_find_manager(w, component);
  int32_t column = manager_find_column(m, "text");
  return strings_text(world_strings(w), (uint32_t)columns_get(&m->columns, manager_row(m, e), (uint32_t)column));
}

TEST_IN(name_that_is_too_long_is_shortened_in_its_entry, case_t, c) {
  start_games(c, 2, "60ms,10ms,5%");
  shoal_entity entry = find_widget(c, "name_entry_%u", 2);
  widget_action_t edit = {.kind = WIDGET_ACTION_EDIT, .entity = entry, .erased = 24, .text = "ÄÖÜÄÖÜÄÖÜÄÖÜ "};
  act(c, 1, &edit); // 25 bytes
  run(c, 30);
  assert_string_equal(get_text(c, "entry", entry), "ÄÖÜÄÖÜÄÖÜÄÖÜ "); // the entry keeps the space
  assert_string_equal(get_game(c, 1)->player_infos[1].name, "ÄÖÜÄÖÜÄÖÜÄÖÜ");
  edit = (widget_action_t){.kind = WIDGET_ACTION_EDIT, .entity = entry, .start = 24, .text = "Äbc"};
  act(c, 1, &edit);
  run(c, 30);
  assert_string_equal(get_text(c, "entry", entry), "ÄÖÜÄÖÜÄÖÜÄÖÜ Ä"); // 27 bytes
  assert_string_equal(get_game(c, 0)->player_infos[1].name, "ÄÖÜÄÖÜÄÖÜÄÖÜ Ä");
  assert_games_agree(c);
}

TEST_IN(machine_that_joins_the_game_gets_all_names, case_t, c) {
  start_games(c, 2, "60ms,10ms,5%");
  toggle_ready(c, 0, 1);
  toggle_ready(c, 1, 2);
  run(c, 60);
  assert_false(match_game_is_in_lobby(c->seats[0].game));
  start_game(c, 2);
  run(c, 120);
  assert_int_equal(fixture_status(c->f, 0).present, 7);
  assert_games_agree(c);
  assert_string_equal(get_game(c, 2)->player_infos[1].name, "Böb");
  assert_string_equal(get_game(c, 1)->player_infos[2].name, "@lobby");
}

TEST_IN(joining_machine_sees_the_lobby, case_t, c) {
  start_games(c, 2, "60ms,10ms,5%");
  say(c, 0, "hello");
  run(c, 30);
  start_game(c, 2);
  run(c, 120);
  assert_int_equal(fixture_status(c->f, 0).present, 7);
  assert_true(match_game_is_in_lobby(c->seats[2].game));
  assert_games_agree(c);
}

TEST_IN(players_never_share_a_colour, case_t, c) {
  start_games(c, 3, "60ms,10ms,5%");
  shoal_entity button = find_widget(c, "colour_button_%u", 1);
  for (uint32_t i = 0; i < 5; ++i) {
    act(c, 0, &(widget_action_t){.kind = WIDGET_ACTION_PRESS, .entity = button});
    run(c, 10);
    const player_info_t *infos = get_game(c, 0)->player_infos;
    assert_true(infos[0].colour != infos[1].colour && infos[0].colour != infos[2].colour);
  }
  assert_int_equal(get_game(c, 0)->player_infos[0].colour, player_colours[7]);
  assert_games_agree(c);
}

TEST_IN(chat_refuses_long_lines_and_floods, case_t, c) {
  char line[202];
  start_games(c, 2, "60ms,10ms,5%");
  memset(line, 'x', 200);
  line[200] = '\0';
  say(c, 1, line);
  run(c, 60);
  assert_int_equal(count_lines(&c->seats[0], "lobby: Böb: xxx"), 1);
  assert_int_equal(count_lines(&c->seats[1], "lobby: Böb: xxx"), 1);
  memcpy(line + 198, "é", 2); // 199 characters, 200 bytes
  say(c, 1, line);
  run(c, 60);
  assert_int_equal(count_lines(&c->seats[0], "lobby: Böb: xxx"), 2);
  memcpy(line + 195, "ééé", sizeof "ééé"); // 198 characters, 201 bytes
  say(c, 1, line);
  run(c, 60);
  assert_int_equal(count_lines(&c->seats[0], "refused a line of player 2: chat_too_long"), 1);
  clear_chat(c, 1);
  run(c, 90);
  for (uint32_t i = 0; i < 8; ++i)
    say(c, 1, "hi");
  run(c, 60);
  uint32_t sent = count_lines(&c->seats[0], "lobby: Böb: hi");
  assert_true(sent >= 5 && sent <= 7); // more than 5, because the allowance grows while lines arrive
  assert_true(count_lines(&c->seats[0], "refused a line of player 2: chat_too_fast") >= 1);
  assert_string_equal(strstr(c->seats[1].lines, "refused"), strstr(c->seats[0].lines, "refused"));
  assert_games_agree(c);
}

// Sends commands that an unmodified lobby would not send.
TEST_IN(lying_machine_changes_only_its_own_widgets, case_t, c) {
  widget_action_t press = {.kind = WIDGET_ACTION_PRESS};
  start_games(c, 3, "40ms,10ms,2%");
  toggle_ready(c, 2, 1);
  toggle_ready(c, 2, 2);
  press.entity = find_widget(c, "begin_button", 0);
  act(c, 2, &press);
  press.entity = find_widget(c, "colour_button_%u", 1);
  act(c, 2, &press);
  say(c, 2, "tab\tand\x1b[31mescape");
  act(c, 2,
      &(widget_action_t){
          .kind = WIDGET_ACTION_EDIT, .entity = find_widget(c, "name_entry_%u", 3), .erased = 24, .text = "\x01\x02"});
  uint8_t junk[MATCH_MAX_COMMAND_BYTES];
  memset(junk, 0xfe, sizeof junk);
  assert_true(match_add_command(c->f->machines[2].match, 0, junk, sizeof junk));
  run(c, 90);
  assert_true(match_game_is_in_lobby(c->seats[0].game));
  assert_int_equal(fixture_status(c->f, 0).present, 7);
  assert_int_equal(get_game(c, 0)->player_infos[0].colour, player_colours[0]);
  for (const char *at = c->seats[0].lines; *at; ++at)
    assert_true((unsigned char)*at >= 0x20 || *at == '\n');
  assert_games_agree(c);
  toggle_ready(c, 2, 3);
  run(c, 30);
  assert_true(match_game_is_in_lobby(c->seats[0].game)); // the remaining players are not ready
}

TEST_IN(host_begins_immediately_with_enough_players, case_t, c) {
  start_games(c, 1, "0ms,0ms,0%");
  widget_action_t press = {.kind = WIDGET_ACTION_PRESS, .entity = find_widget(c, "begin_button", 0)};
  toggle_ready(c, 0, 1);
  act(c, 0, &press);
  run(c, 30);
  assert_true(match_game_is_in_lobby(c->seats[0].game)); // the game needs two players
  start_game(c, 1);
  run(c, 60);
  act(c, 0, &press);
  run(c, 30);
  assert_false(match_game_is_in_lobby(c->seats[1].game));
  assert_games_agree(c);
}

// Returns the answer to a press of a button of the second pad while the button `held` is held; -1: no button is held.
static match_answer_t press_pad(uint32_t button, int held, bool in_lobby) {
  input_state_t before = {0}, now;
  if (held >= 0)
    before.pad_buttons[1][held] = 1;
  now = before;
  now.pad_buttons[1][button] = 1;
  assert_int_equal(match_question_read_pads(&now, &now, in_lobby), 0); // already held in the previous frame
  assert_int_equal(match_question_read_pads(&before, &now, in_lobby), 0);
  return match_question_read_pads(&now, &before, in_lobby);
}

TEST(pad_can_answer_a_join_request) {
  assert_int_equal(press_pad(PAD_Y, -1, true), MATCH_ANSWER_ACCEPT);
  assert_int_equal(press_pad(PAD_X, -1, true), MATCH_ANSWER_REFUSE);
  assert_int_equal(press_pad(PAD_LEFT_SHOULDER, -1, true), MATCH_ANSWER_REFUSE_ALWAYS);
  assert_int_equal(press_pad(PAD_LEFT_SHOULDER, -1, false), MATCH_ANSWER_NONE); // the game's button
  assert_int_equal(press_pad(PAD_LEFT_SHOULDER, PAD_BACK, false), MATCH_ANSWER_REFUSE_ALWAYS);
  assert_int_equal(press_pad(PAD_A, PAD_BACK, true), MATCH_ANSWER_NONE);
  assert_int_equal(press_pad(PAD_Y, -1, false), MATCH_ANSWER_NONE); // the game's button
  assert_int_equal(press_pad(PAD_X, -1, false), MATCH_ANSWER_NONE);
  assert_int_equal(press_pad(PAD_Y, PAD_BACK, false), MATCH_ANSWER_ACCEPT);
  assert_int_equal(press_pad(PAD_X, PAD_BACK, false), MATCH_ANSWER_REFUSE);
  assert_int_equal(press_pad(PAD_BACK, PAD_Y, false), MATCH_ANSWER_NONE);
  assert_int_equal(press_pad(PAD_A, PAD_BACK, false), MATCH_ANSWER_NONE);
}

TEST_IN(damaged_snapshot_headers_are_rejected, case_t, c) {
  uint8_t copy[512];
  const uint8_t *bytes;
  uint64_t hash;
  error_info_t error = {0};
  start_games(c, 1, "0ms,0ms,0%");
  match_world_t world = match_game_get_world(c->seats[0].game);
  size_t size = world.write_snapshot(world.context, &bytes);
  assert_true(size > sizeof copy);
  memcpy(copy, bytes, sizeof copy);
  for (size_t length = 0; length < sizeof copy; ++length)
    assert_false(world.read_snapshot(world.context, copy, length, &hash, &error));
  copy[0] = 2;
  assert_false(world.read_snapshot(world.context, copy, sizeof copy, &hash, &error));
}

static void count_scale_warning(void *context, log_level_t level, const char *line) {
  (void)level;
  *(uint32_t *)context += strstr(line, "scale") != NULL;
}

TEST_IN(scale_of_a_game_is_passed_on_only_if_the_next_game_has_it, case_t, c) {
  static const char *const SCALES[] = {"'expand', 'fit'", "'integer', 'fit'", "'fit', 'integer'"};
  uint32_t warnings = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    char text[128];
    snprintf(text, sizeof text, "return { scale = shoal.types.enum { %s } }\n", SCALES[i]);
    match_folder_write(&c->folder, "settings.lua", text);
    c->seats[i].host = match_folder_start(&c->folder);
    log_set_listener(get_game(c, i)->desc.log, count_scale_warning, &warnings);
  }
  for (uint32_t from = 0; from < 3; from += 2) {
    char out[64] = "";
    script_report_t report = {0};
    allocator_t memory = {0};
    vm_settings_t settings = {0};
    vm_copy_settings(get_game(c, from)->vm, &memory, &settings);
    vm_apply_settings_of_other_game(get_game(c, 1)->vm, settings.items, true);
    array_free(&memory, &settings);
    assert_true(vm_exec(get_game(c, 1)->vm, "return settings.scale", "=test", out, sizeof out, &report));
    assert_string_equal(out, from == 0 ? "integer" : "fit");
  }
  assert_int_equal(warnings, 0);
}
