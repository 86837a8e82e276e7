// Matches of real games: several games in one process, over a simulated network.
// slow: takes seconds under the sanitizers
#include "base/text_search.h"
#include "match_folder.h"

#include "ecs/world_hash.h"
#include "game/operator_events.h"
#include "game/players.h"
#include "game/save_slots.h"
#include "host/match_play_internal.h"
#include "poses/poses.h"
#include "ui/state.h"
#include "ui/widget_action.h"

#define GAMES 3u

typedef struct case_t {
  match_folder_t folder;
  host_o *hosts[GAMES];
  match_game_o *games[GAMES];
  char prints[GAMES][1 << 16]; // lines that each game has printed
  fixture_t *f;
} case_t;

// Counts the presses of each player, and moves, spawns and destroys entities at random.
static const char PLAY[] = "return {\n"
                           "  update = function()\n"
                           "    local s = world.single.score\n"
                           "    for n = 1, 3 do\n"
                           "      if input.pressed('fire', n) then\n"
                           "        if n == 1 then s.one = s.one + 1 elseif n == 2 then s.two = s.two + 1\n"
                           "        else s.three = s.three + 1 end\n"
                           "        print('tick ' .. world.tick .. ': player ' .. n .. ' fires')\n"
                           "        world.spawn(nil, { transform = { x = world.random() * 100 }, lifetime = { seconds "
                           "= 1 } })\n"
                           "      end\n"
                           "      s.x = s.x + input.axis('move', n) * world.random()\n"
                           "    end\n"
                           "  end,\n"
                           "}\n";

// Opens a menu for each player, and counts what its player does.
static const char MENU[] =
    "return {\n"
    "  phase = 'input',\n"
    "  on = {\n"
    "    player_joined = function(ev)\n"
    "      for i = 1, ev.count do world.spawn('menu', { widget = { player = ev.player[i] } }) end\n"
    "    end,\n"
    "    ready = function(ev) world.single.menus.ready = world.single.menus.ready + 10 ^ (ev.player[1] - 1) end,\n"
    "    changed = function(ev)\n"
    "      for i = 1, ev.count do\n"
    "        if ev.entity[i]:has('slider') then world.single.menus.volume = ev.value[i] end\n"
    "      end\n"
    "    end,\n"
    "    entry_submitted = function(ev) world.single.menus.name = ev.text[1] end,\n"
    "  },\n"
    "}\n";

SETUP(case_t, c) {
  match_folder_create(&c->folder);
  match_folder_write(&c->folder, "game.lua", "return { title = 'Duel', multiplayer = { players = { 1, 4 } } }\n");
  match_folder_write(
      &c->folder, "input.lua",
      "return { fire = { 'key:space' }, move = { negative = { 'key:left' }, positive = { 'key:right' } } }\n");
  match_folder_write(&c->folder, "components.lua",
                     "local t = shoal.types\nreturn { score = t.single { one = 0, two = 0, three = 0, x = 0.0 },\n"
                     "  menus = t.single { ready = 0, volume = 0.0, name = t.string '' } }\n");
  match_folder_write(&c->folder, "events.lua", "return { ready = { player = 0 } }\n");
  match_folder_write(
      &c->folder, "assemblages.lua",
      "return { menu = { components = { panel = {} }, children = {\n"
      "  { button = { text = 'Ready', emits = 'ready' } }, { slider = { step = 0.25 } }, { entry = {} } } } }\n");
  match_folder_write(&c->folder, "systems/menu.lua", MENU);
  match_folder_write(&c->folder, "systems/play.lua", PLAY);
}

TEARDOWN(case_t, c) {
  if (c->f)
    fixture_free(c->f);
  for (uint32_t i = 0; i < GAMES; ++i) {
    match_game_destroy(c->games[i]);
    host_destroy(c->hosts[i]);
  }
  match_folder_remove(&c->folder);
}

static game_o *get_game(const case_t *c, uint32_t i) {
  return c->hosts[i]->session.game;
}

static void append_line(void *context, log_level_t level, const char *line) {
  char *prints = context;
  size_t length = strlen(prints);
  (void)level;
  if (strncmp(line, "tick ", 5) == 0)
    snprintf(prints + length, sizeof((case_t *)0)->prints[0] - length, "%s\n", line);
}

static void create_host(case_t *c, uint32_t i) {
  c->hosts[i] = match_folder_start(&c->folder);
  log_set_listener(get_game(c, i)->desc.log, append_line, c->prints[i]);
}

static void start_games(case_t *c, const char *conditions) {
  c->f = fixture_create(1, conditions);
  for (uint32_t i = 0; i < GAMES; ++i) {
    create_host(c, i);
    c->games[i] = match_game_create(&(match_game_desc_t){.game = get_game(c, i)});
    match_world_t world = match_game_get_world(c->games[i]);
    machine_start_world(c->f, i == 0 ? MATCH_HOST : MATCH_PEER, 1, &world);
    if (i > 0)
      machine_join(&c->f->machines[i]);
  }
}

static uint32_t read_score(const case_t *c, const char *field) {
  manager_o *m = world_find_manager(get_game(c, 0)->world, "score");
  assert_non_null(m);
  return (uint32_t)columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, field));
}

TEST_IN(three_games_agree_after_rollbacks, case_t, c) {
  start_games(c, "120ms,40ms,5%");
  fixture_t *f = c->f;
  f->machines[0].incarnation = 1;
  fixture_run(f, 500);
  assert_int_equal(fixture_status(f, 0).present, 7);
  f->is_quiet = true;
  fixture_run(f, 60);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE);
  fixture_run(f, 60);
  for (uint32_t i = 0; i < GAMES; ++i) {
    match_status_t status = fixture_status(f, i);
    assert_int_equal(f->machines[i].desyncs, 0);
    assert_int_equal(status.predicted_tick, fixture_status(f, 0).tick);
    assert_true(i == 0 || status.rollbacks > 10);
    assert_int_equal(world_hash(get_game(c, i)->world), world_hash(get_game(c, 0)->world));
  }
  static const char *const fields[] = {"one", "two", "three"};
  for (uint32_t i = 1; i < GAMES; ++i) { // the fixture counts the host's presses from each connection on
    player_mask_t players = fixture_status(f, i).players;
    uint32_t player = (uint32_t)__builtin_ctz(players);
    assert_true(f->machines[i].presses[player][0] > 0);
    assert_int_equal(read_score(c, fields[player]), f->machines[i].presses[player][0]);
  }
  for (uint32_t i = 1; i < GAMES; ++i) { // prints of wrong predictions do not appear, and all other prints appear once
    size_t length = strlen(c->prints[i]), host_length = strlen(c->prints[0]);
    assert_in_range(length, 1000, host_length);
    assert_string_equal(c->prints[i], c->prints[0] + host_length - length);
  }
}

static external_result_t *create_event(const case_t *c, const char *json) {
  error_info_t error = {0};
  external_result_t *result = operator_event_create(get_game(c, 0)->world, "gift", json, &error);
  if (!result)
    fail_msg("%s", error.text);
  return result;
}

TEST_IN(all_machines_emit_an_operators_event_in_the_same_tick, case_t, c) {
  match_folder_write(&c->folder, "game.lua",
                     "return { title = 'Duel', multiplayer = { players = { 1, 4 } }, serve = { rooms = { town = {} } } "
                     "}\n");
  match_folder_write(&c->folder, "events.lua",
                     "return { ready = { player = 0 }, gift = { amount = 0, note = shoal.types.string '' } }\n");
  match_folder_write(&c->folder, "systems/gifts.lua",
                     "return { on = { gift = function(ev)\n"
                     "  for i = 1, ev.count do print('tick ' .. world.tick .. ': ' .. ev.amount[i] .. ev.note[i]) end\n"
                     "end } }\n");
  start_games(c, "120ms,40ms,5%");
  fixture_t *f = c->f;
  f->machines[0].incarnation = 1;
  fixture_run(f, 200);
  f->is_quiet = true;
  fixture_run(f, 60); // all machines have confirmed and printed the last presses
  memset(c->prints, 0, sizeof c->prints);
  for (int i = 0; i < 3; ++i) {
    external_result_t *event = create_event(c, i == 1 ? "{\"amount\": 7, \"note\": \" coins\"}" : "{\"amount\": 2}");
    match_game_add_result(c->games[0], event);
    external_result_release(event);
  }
  assert_int_equal(match_game_count_waiting_results(c->games[0]), 3);
  fixture_run(f, 60);
  assert_int_equal(match_game_count_waiting_results(c->games[0]), 0);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE);
  fixture_run(f, 60);
  unsigned long long ticks[3];
  const char *coins = strstr(c->prints[0], ": 7 coins\n");
  assert_non_null(coins);
  assert_null(strstr(coins + 8, "coins"));
  assert_int_equal(
      sscanf(c->prints[0], "tick %llu: 2\ntick %llu: 7 coins\ntick %llu: 2\n", &ticks[0], &ticks[1], &ticks[2]), 3);
  assert_int_equal(ticks[1], ticks[0] + 1); // a record contains one event, so the second event arrives a tick later
  assert_int_equal(ticks[2], ticks[0] + 2);
  for (uint32_t i = 1; i < GAMES; ++i) {
    assert_string_equal(c->prints[i], c->prints[0]);
    assert_int_equal(f->machines[i].desyncs, 0);
    assert_int_equal(world_hash(get_game(c, i)->world), world_hash(get_game(c, 0)->world));
  }
}

// Runs the next tick with `value` as the first action of player 1. Returns the world's hash.
static uint64_t run_tick(const match_world_t *world, uint64_t tick, int8_t value) {
  record_t record = {.number = tick, .kind = RECORD_TICK, .tick = tick, .inputs = {.present = 1}};
  uint64_t hash = 0;
  record.inputs.players[0].values[0] = value;
  assert_true(world->run(world->context, &record, MATCH_RUN_PREDICTED, &hash));
  return hash;
}

static int8_t get_previous_value(const case_t *c, uint32_t i) {
  return get_game(c, i)->input_before.players.players[0].values[0];
}

TEST_IN(state_contains_the_inputs_that_the_next_tick_reads_as_previous_inputs, case_t, c) {
  match_world_t worlds[2];
  const uint8_t *bytes;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < 2; ++i) {
    create_host(c, i);
    c->games[i] = match_game_create(&(match_game_desc_t){.game = get_game(c, i)});
    worlds[i] = match_game_get_world(c->games[i]);
  }
  run_tick(&worlds[0], 1, 50);
  assert_int_equal(get_previous_value(c, 0), 0);
  worlds[0].save(worlds[0].context, 1);
  run_tick(&worlds[0], 2, 70);
  run_tick(&worlds[0], 3, 80);
  assert_int_equal(get_previous_value(c, 0), 70);
  worlds[0].restore(worlds[0].context, 1);
  uint64_t hash_after_2 = run_tick(&worlds[0], 2, 60);
  assert_int_equal(get_previous_value(c, 0), 50);
  size_t size = worlds[0].write_snapshot(worlds[0].context, &bytes);
  assert_true(worlds[1].read_snapshot(worlds[1].context, bytes, size, &hash, NULL));
  assert_int_equal(hash, hash_after_2);
  run_tick(&worlds[1], 3, 10);
  assert_int_equal(get_previous_value(c, 1), 60);
}

// Runs a tick in which player 1 moves to the right or stands still.
static void run_move(const match_world_t *world, uint64_t tick, bool moves) {
  record_t record = {.number = tick, .kind = RECORD_TICK, .tick = tick, .inputs = {.present = 1}};
  uint64_t hash = 0;
  memset(record.inputs.players[0].values, moves ? 127 : 0, 2); // values of the actions `fire` and `move`
  assert_true(world->run(world->context, &record, MATCH_RUN_PREDICTED, &hash));
}

// Returns where the only entity with a transform is drawn.
static double find_drawn_x(const case_t *c, const pose_corrections_t *corrections) {
  poses_t poses = {.corrections = corrections};
  allocator_t memory = {0};
  affine_t pose;
  world_o *w = get_game(c, 0)->world;
  assert_int_equal(world_find_manager(w, "transform")->count, 1);
  poses_begin(&poses, w, 1);
  assert_true(poses_find(&poses, world_find_manager(w, "transform")->owner[0], &pose));
  poses_fini(&poses, &memory);
  return pose.x;
}

TEST_IN(rollback_is_drawn_as_a_smooth_correction_and_a_snapshot_immediately, case_t, c) {
  pose_corrections_t corrections = {0};
  const uint8_t *bytes;
  uint64_t hash;
  match_folder_write(&c->folder, "game.lua",
                     "return { title = 'Duel', multiplayer = { players = { 1, 4 } },\n"
                     "  start = function() world.spawn(nil, { transform = { x = 100 } }) end }\n");
  match_folder_write(&c->folder, "systems/menu.lua", "return { update = function() end }\n");
  match_folder_write(&c->folder, "systems/ships.lua",
                     "return { query = { 'transform' }, each = function(e)\n"
                     "  e.transform.x = e.transform.x + 10 * input.axis('move', 1)\nend }\n");
  create_host(c, 0);
  c->games[0] = match_game_create(&(match_game_desc_t){.game = get_game(c, 0), .corrections = &corrections});
  match_world_t world = match_game_get_world(c->games[0]);
  run_move(&world, 1, false);
  world.save(world.context, 1);
  for (uint64_t tick = 2; tick <= 4; ++tick)
    run_move(&world, tick, true);
  assert_float_equal(find_drawn_x(c, &corrections), 130, 1e-3);
  world.restore(world.context, 1);
  run_move(&world, 2, true);
  run_move(&world, 3, false);
  assert_true(corrections.is_stored); // the tick that was drawn has not run again
  run_move(&world, 4, false);
  assert_false(corrections.is_stored);
  assert_float_equal(find_drawn_x(c, &corrections), 130, 1e-3);
  pose_corrections_advance(&corrections, 0.025);
  run_move(&world, 5, false);
  assert_float_equal(find_drawn_x(c, &corrections), 120, 1e-3);
  size_t size = world.write_snapshot(world.context, &bytes);
  uint8_t *copy = malloc(size);
  memcpy(copy, bytes, size);
  assert_true(world.read_snapshot(world.context, copy, size, &hash, NULL));
  assert_float_equal(find_drawn_x(c, &corrections), 110, 1e-3);
  free(copy);
  pose_corrections_fini(&corrections);
}

static size_t measure_state(const case_t *c) {
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  assert_true(snapshot_take(s, get_game(c, 0)->world, NULL));
  size_t size = snapshot_size(s);
  snapshot_release(s);
  return size;
}

TEST_IN(damaged_snapshots_are_rejected, case_t, c) {
  const uint8_t *bytes;
  uint64_t hash = 0;
  error_info_t error = {0};
  create_host(c, 0);
  c->games[0] = match_game_create(&(match_game_desc_t){.game = get_game(c, 0)});
  match_world_t world = match_game_get_world(c->games[0]);
  size_t size = world.write_snapshot(world.context, &bytes);
  assert_true(size < measure_state(c) / 4); // the state is compressed
  uint8_t *copy = malloc(size);
  memcpy(copy, bytes, size);
  for (size_t shorter = 0; shorter < size; shorter += 1 + shorter / 8)
    assert_false(world.read_snapshot(world.context, copy, shorter, &hash, &error));
  uint8_t *frame = (uint8_t *)(uintptr_t)text_search_bytes(copy, size, "\x28\xb5\x2f\xfd", 4);
  assert_non_null(frame);
  memcpy(frame + 4, "\xe0\0\0\0\0\0\1\0\0", 9); // flags, and 2^40 bytes as the size of the state
  assert_false(world.read_snapshot(world.context, copy, size, &hash, &error));
  assert_non_null(strstr(error.text, "malformed"));
  copy[0] = 0x7f; // size of the head
  assert_false(world.read_snapshot(world.context, copy, size, &hash, &error));
  assert_non_null(strstr(error.text, "malformed"));
  free(copy);
}

TEST_IN(copied_snapshot_is_not_compressed_and_restores_the_same_state, case_t, c) {
  match_world_t worlds[2];
  const uint8_t *bytes;
  uint64_t hash = 0;
  error_info_t error = {0};
  for (uint32_t i = 0; i < 2; ++i) {
    create_host(c, i);
    c->games[i] = match_game_create(&(match_game_desc_t){.game = get_game(c, i)});
    worlds[i] = match_game_get_world(c->games[i]);
  }
  uint64_t hash_after_1 = run_tick(&worlds[0], 1, 50);
  size_t size = worlds[0].copy_snapshot(worlds[0].context, &bytes);
  assert_true(size > measure_state(c));
  uint8_t *copy = malloc(size);
  memcpy(copy, bytes, size);
  assert_true(worlds[1].read_snapshot(worlds[1].context, copy, size, &hash, NULL));
  assert_int_equal(hash, hash_after_1);
  assert_int_equal(run_tick(&worlds[1], 2, 10), run_tick(&worlds[0], 2, 10));
  for (size_t shorter = 0; shorter < size; shorter += 1 + shorter / 8)
    assert_false(worlds[1].read_snapshot(worlds[1].context, copy, shorter, &hash, &error));
  free(copy);
}

TEST_IN(replacing_game_keeps_the_match_and_removes_players_that_it_does_not_have, case_t, c) {
  create_host(c, 0);
  match_folder_write(&c->folder, "game.lua", "return { title = 'Duel', multiplayer = { players = { 2, 2 } } }\n");
  create_host(c, 1);
  game_o *old = get_game(c, 0), *fresh = get_game(c, 1);
  players_set_local(old, (uint8_t[]){4, 2}, 2);
  players_set_match(old, true);
  fresh->input.players.present = fresh->input_before.players.present = 0xf;
  fresh->input.players.players[2].pressed = 1;
  players_take_over(fresh, old);
  assert_true(fresh->in_match);
  assert_int_equal(fresh->local_player_count, 1);
  assert_int_equal(fresh->local_players[0], 2);
  assert_int_equal(fresh->input.players.present, 3);
  assert_int_equal(fresh->input_before.players.present, 3);
  assert_int_equal(fresh->input.players.players[2].pressed, 0);
  players_set_match(old, false);
  players_set_match(fresh, false);
  players_take_over(fresh, old); // a single machine has at least the game's minimum of players
  assert_false(fresh->in_match);
  assert_int_equal(fresh->local_player_count, 2);
  assert_int_equal(fresh->local_players[1], 1);
}

// Returns the pointer of player 1 in the world for a mouse at 30, 20.
static double compute_pointer_x(const case_t *c) {
  input_state_t sample = {.mouse_x = 30, .mouse_y = 20};
  player_inputs_t inputs;
  players_compute_inputs(get_game(c, 0), &sample, &sample, &inputs);
  return (double)inputs.players[0].pointer_x;
}

static void reload_game(case_t *c) {
  c->hosts[0]->session.reload_requested = true;
  assert_true(host_frame(c->hosts[0]));
  assert_string_equal(c->hosts[0]->card.message, "");
}

TEST_IN(pointers_are_computed_only_for_games_that_read_them, case_t, c) {
  static const char *const READERS[] = {
      "return { update = function() return input.mouse(1) end }\n",
      "local input = input\nreturn { update = function() return input.mouse end }\n",
      "local names = { 'mouse' }\nreturn { update = function() return input[names[1]](1) end }\n",
  };
  create_host(c, 0);
  assert_float_equal(compute_pointer_x(c), 0, 0);
  for (uint32_t i = 0; i < sizeof READERS / sizeof *READERS; ++i) {
    match_folder_write(&c->folder, "systems/aim.lua", READERS[i]);
    reload_game(c);
    assert_float_equal(compute_pointer_x(c), 30, 0);
    match_folder_write(&c->folder, "systems/aim.lua", "return { update = function() end } -- no input.mouse(1)\n");
    reload_game(c);
    assert_float_equal(compute_pointer_x(c), 0, 0);
  }
  match_folder_write(&c->folder, "systems/aim.lua", "return { update = function() require 'aim' end }\n");
  match_folder_write(&c->folder, "aim.lua", "return input.mouse\n"); // runs in the first tick
  reload_game(c);
  assert_float_equal(compute_pointer_x(c), 30, 0);
}

// Players join while a game of Asteroids runs on the host.
TEST_IN(machines_play_asteroids, case_t, c) {
  match_folder_copy_asteroids(&c->folder);
  match_folder_write(&c->folder, "systems/zz_stage.lua",
                     "return { update = function() if world.tick == 10 then world.emit('play') end end }\n");
  start_games(c, "120ms,40ms,5%");
  fixture_t *f = c->f;
  f->machines[0].incarnation = 1;
  fixture_run(f, 120);
  assert_int_equal(fixture_status(f, 0).present, 7);
  f->is_quiet = true;
  fixture_run(f, 30);
  match_add_record(f->machines[0].match, f->now_us, RECORD_PAUSE);
  fixture_run(f, 60);
  manager_o *ships = world_find_manager(get_game(c, 0)->world, "ship");
  assert_int_equal(ships->count, 3);
  for (uint32_t i = 0; i < GAMES; ++i) {
    assert_int_equal(f->machines[i].desyncs, 0);
    assert_true(i == 0 || fixture_status(f, i).rollbacks > 3);
    assert_int_equal(world_hash(get_game(c, i)->world), world_hash(get_game(c, 0)->world));
  }
}

enum { KEY_ENTER = 40, KEY_TAB = 43, KEY_RIGHT = 79 };

static void send_actions(case_t *c, uint32_t i) {
  uint8_t bytes[MATCH_MAX_COMMAND_BYTES];
  size_t size = players_take_actions(get_game(c, i), 0, bytes, sizeof bytes);
  assert_true(size == 0 || match_add_command(c->f->machines[i].match, 0, bytes, size));
}

// The player of machine `i` presses and releases a key, or types a text.
static void use_keyboard(case_t *c, uint32_t i, int key, const char *text) {
  input_state_t up = {0}, down = {0};
  player_inputs_t inputs;
  uint8_t player = (uint8_t)(__builtin_ctz(fixture_status(c->f, i).players) + 1);
  players_set_local(get_game(c, i), &player, 1);
  down.keys[key] = 1;
  memcpy(down.text, text, strlen(text));
  match_status_t status = fixture_status(c->f, i);
  ui_set_confirmed(get_game(c, i)->ui, match_game_get_confirmed(c->games[i], &status));
  players_compute_inputs(get_game(c, i), &up, &down, &inputs);
  send_actions(c, i);
  players_compute_inputs(get_game(c, i), &down, &up, &inputs);
  send_actions(c, i);
  ui_set_confirmed(get_game(c, i)->ui, NULL);
  fixture_run(c->f, 3);
}

static double read_menus(const case_t *c, uint32_t i, const char *field) {
  manager_o *m = world_find_manager(get_game(c, i)->world, "menus");
  assert_non_null(m);
  return columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, field));
}

static void assert_games_agree(case_t *c) {
  fixture_run(c->f, 120);
  match_add_record(c->f->machines[0].match, c->f->now_us, RECORD_PAUSE);
  fixture_run(c->f, 60);
  for (uint32_t i = 0; i < GAMES; ++i) {
    assert_int_equal(c->f->machines[i].desyncs, 0);
    assert_int_equal(world_hash(get_game(c, i)->world), world_hash(get_game(c, 0)->world));
  }
}

TEST_IN(games_stay_in_sync_while_one_machine_uses_menus, case_t, c) {
  start_games(c, "120ms,40ms,5%");
  c->f->is_quiet = true;
  fixture_run(c->f, 300);
  get_game(c, 1)->ui->width = 333; // a different layout
  use_keyboard(c, 1, 0, "");
  use_keyboard(c, 1, KEY_ENTER, "");
  use_keyboard(c, 1, KEY_ENTER, "");
  use_keyboard(c, 1, KEY_TAB, "");
  use_keyboard(c, 1, KEY_RIGHT, "");
  use_keyboard(c, 1, KEY_RIGHT, ""); // changes the value that the match has not applied yet
  use_keyboard(c, 1, KEY_TAB, "");
  use_keyboard(c, 1, 0, "Zo");
  use_keyboard(c, 1, 0, "ë");
  use_keyboard(c, 1, KEY_ENTER, "");
  assert_games_agree(c);
  uint32_t player = (uint32_t)__builtin_ctz(fixture_status(c->f, 1).players);
  for (uint32_t i = 0; i < GAMES; ++i) {
    assert_float_equal(read_menus(c, i, "ready"), player == 1 ? 20 : player == 2 ? 200 : 2000, 0);
    assert_float_equal(read_menus(c, i, "volume"), 0.5, 0);
    assert_string_equal(strings_text(world_strings(get_game(c, i)->world), (uint32_t)read_menus(c, i, "name")), "Zoë");
  }
}

TEST_IN(hostile_widget_actions_are_ignored, case_t, c) {
  start_games(c, "0ms,0ms,0%");
  c->f->is_quiet = true;
  fixture_run(c->f, 120);
  uint32_t random = 1;
  for (uint32_t i = 0; i < 300; ++i) {
    uint8_t bytes[MATCH_MAX_COMMAND_BYTES];
    for (uint32_t k = 0; k < sizeof bytes; ++k)
      bytes[k] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    match_add_command(c->f->machines[1].match, 0, bytes, i % sizeof bytes);
    // presses of the other players' widgets
    widget_action_t press = {.kind = WIDGET_ACTION_PRESS + i % (WIDGET_ACTION_KIND_COUNT - 1)};
    const manager_o *widgets = world_find_manager(get_game(c, 0)->world, "widget");
    uint32_t player = (uint32_t)__builtin_ctz(fixture_status(c->f, 1).players) + 1;
    shoal_entity other = widgets->owner[i % widgets->count];
    press.entity = other;
    const manager_o *transforms = world_find_manager(get_game(c, 0)->world, "transform");
    shoal_entity parent = (shoal_entity)columns_get(&transforms->columns, manager_row(transforms, other),
                                                    (uint32_t)manager_find_column(transforms, "parent"));
    shoal_entity root = parent ? parent : other;
    if (columns_get(&widgets->columns, manager_row(widgets, root), (uint32_t)manager_find_column(widgets, "player")) !=
        player)
      match_add_command(c->f->machines[1].match, 0, bytes, widget_action_write(&press, bytes));
    fixture_run(c->f, 1);
  }
  assert_games_agree(c);
  assert_float_equal(read_menus(c, 0, "ready"), 0, 0);
  assert_float_equal(read_menus(c, 0, "volume"), 0, 0);
  assert_float_equal(read_menus(c, 0, "name"), 0, 0);
}

// Imports a scene of the saves folder, then never ends.
static const char OUTSIDE[] = "return {\n"
                              "  update = function()\n"
                              "    if world.tick == 0 then\n"
                              "      local is_found, made = pcall(world.import, 'cave')\n"
                              "      world.single.score.one = is_found and #made or 77\n"
                              "    end\n"
                              "    if world.tick == 2 then while true do end end\n"
                              "  end,\n"
                              "}\n";

static uint64_t run_on_host(const match_world_t *world, uint64_t tick, record_t *out) {
  uint64_t hash = 0;
  *out = (record_t){.number = tick, .kind = RECORD_TICK, .tick = tick, .inputs = {.present = 1}};
  assert_true(world->run(world->context, out, MATCH_RUN_HOST, &hash));
  return hash;
}

// Predicts the tick without the record's items, which fails if there are any, and then runs it with the record.
static void run_on_peer(const match_world_t *world, record_t *record, uint64_t host_hash) {
  uint64_t hash = 0;
  record_t predicted = *record;
  predicted.item_count = 0;
  world->save(world->context, 0);
  assert_int_equal(world->run(world->context, &predicted, MATCH_RUN_PREDICTED, &hash), record->item_count == 0);
  world->restore(world->context, 0);
  assert_true(world->run(world->context, record, MATCH_RUN_CONFIRMED, &hash));
  assert_int_equal(hash, host_hash);
  world->confirm(world->context, record->tick, hash);
}

static void count_report(void *context, const script_report_t *report) {
  (void)report;
  ++*(uint32_t *)context;
}

TEST_IN(peers_use_the_hosts_results_and_park_the_pieces_that_it_stopped, case_t, c) {
  char path[PATH_MAX_BYTES + 80];
  match_world_t worlds[2];
  uint32_t report_count = 0;
  match_folder_write(&c->folder, "game.lua",
                     "return { title = 'Duel', multiplayer = { players = { 1, 4 } }, budget = { system = 20 } }\n");
  match_folder_write(&c->folder, "systems/outside.lua", OUTSIDE);
  for (uint32_t i = 0; i < 2; ++i) {
    create_host(c, i);
    c->games[i] = match_game_create(
        &(match_game_desc_t){.game = get_game(c, i), .report = count_report, .context = &report_count});
    worlds[i] = match_game_get_world(c->games[i]);
  }
  assert_true(save_slots_path(get_game(c, 0), "cave", ".json", path, sizeof path, NULL));
  static const char CAVE[] = "{ \"entities\": [ { \"name\": \"bat\" }, { \"name\": \"rat\" } ] }\n";
  char folder[sizeof path];
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  assert_true(file_create_folders(folder, NULL));
  assert_true(file_write(path, CAVE, sizeof CAVE - 1, NULL));
  record_t record;
  uint64_t hash = run_on_host(&worlds[0], 1, &record);
  assert_int_equal(record.item_count, 1);
  assert_int_equal(record.items[0].kind, RECORD_ITEM_RESULT);
  assert_int_equal(read_score(c, "one"), 2);
  assert_int_equal(remove(path), 0);
  run_on_peer(&worlds[1], &record, hash);
  for (uint64_t tick = 2; tick < 6; ++tick) {
    hash = run_on_host(&worlds[0], tick, &record);
    assert_int_equal(record.item_count, tick == 3);
    assert_true(tick != 3 || record.items[0].kind == RECORD_ITEM_PARK);
    run_on_peer(&worlds[1], &record, hash);
  }
  assert_int_equal(report_count, 0); // the stop of the predicted tick has no effect
  assert_int_equal(get_game(c, 1)->parked.items.count, 1);
}

TEST_IN(malformed_results_and_stops_from_a_hostile_host_are_ignored, case_t, c) {
  uint8_t bytes[64];
  uint32_t random = 7;
  create_host(c, 0);
  c->games[0] = match_game_create(&(match_game_desc_t){.game = get_game(c, 0)});
  match_world_t world = match_game_get_world(c->games[0]);
  for (uint64_t tick = 1; tick < 500; ++tick) {
    record_t record = {.number = tick, .kind = RECORD_TICK, .tick = tick, .inputs = {.present = 1}, .item_count = 1};
    uint64_t hash = 0;
    for (uint32_t k = 0; k < sizeof bytes; ++k)
      bytes[k] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    bytes[1] %= 80;
    if (tick % 2)
      bytes[0] %= 80;
    record.items[0] = (record_item_t){tick % 2 ? RECORD_ITEM_PARK : RECORD_ITEM_RESULT, 0,
                                      (uint16_t)(random >> 8) % (sizeof bytes + 1), bytes};
    assert_true(world.run(world.context, &record, MATCH_RUN_CONFIRMED, &hash));
  }
  assert_int_equal(get_game(c, 0)->parked.items.count, 0);
}

// --- commands about predicted entities

// A press of player 1 opens the shop, and the menu opens in tick 400.
static const char TWO_MENUS[] =
    "return {\n"
    "  phase = 'input',\n"
    "  on = {\n"
    "    ready = function(ev) world.single.menus.ready = world.single.menus.ready + ev.count end,\n"
    "    bought = function(ev) world.single.menus.volume = world.single.menus.volume + ev.count end,\n"
    "  },\n"
    "  update = function()\n"
    "    if input.pressed('fire', 1) then world.spawn('shop') end\n"
    "    if world.tick == 399 then world.spawn('menu') end\n"
    "  end,\n"
    "}\n";

static void press_fire_on_host(case_t *c) {
  player_input_t down = {.pressed = 1}, up = {.released = 1};
  down.values[0] = 127;
  match_add_input(c->f->machines[0].match, 0, &down);
  fixture_run(c->f, 1);
  match_add_input(c->f->machines[0].match, 0, &up);
}

static uint32_t count_buttons(const case_t *c, uint32_t i) {
  return world_find_manager(get_game(c, i)->world, "button")->count;
}

// The peer predicts that the menu opens, and gives it the id that the shop has on the host.
TEST_IN(press_on_a_predicted_widget_does_not_reach_a_different_widget_on_the_host, case_t, c) {
  uint32_t presses = 0;
  match_folder_write(&c->folder, "events.lua", "return { ready = { player = 0 }, bought = { player = 0 } }\n");
  match_folder_write(&c->folder, "assemblages.lua",
                     "return {\n"
                     "  menu = { components = { panel = {} }, children = { { button = { emits = 'ready' } } } },\n"
                     "  shop = { components = { panel = {} }, children = { { button = { emits = 'bought' } } } } }\n");
  match_folder_write(&c->folder, "systems/menu.lua", TWO_MENUS);
  match_folder_write(&c->folder, "systems/play.lua", "return { update = function() end }\n");
  start_games(c, "200ms,0ms,0%");
  c->f->is_quiet = true;
  while (fixture_status(c->f, 0).tick < 396)
    fixture_run(c->f, 1);
  press_fire_on_host(c);
  while (count_buttons(c, 1) == 0) // waits until the peer has predicted the menu
    fixture_run(c->f, 1);
  assert_true(fixture_status(c->f, 1).tick < 396); // the peer has not received the record that opens the shop
  for (; fixture_status(c->f, 1).tick < 396; ++presses)
    use_keyboard(c, 1, KEY_ENTER, "");
  assert_true(presses > 0);
  fixture_run(c->f, 60);
  assert_int_equal(count_buttons(c, 1), 2);
  assert_float_equal(read_menus(c, 0, "volume"), 0, 0);
  assert_float_equal(read_menus(c, 0, "ready"), 0, 0);
  use_keyboard(c, 1, KEY_ENTER, ""); // presses a button of the confirmed menu
  assert_games_agree(c);
  assert_float_equal(read_menus(c, 0, "volume"), 0, 0);
  assert_float_equal(read_menus(c, 0, "ready"), 1, 0);
}

// --- requests of scripts

static const char REQUESTS[] = "return {\n"
                               "  update = function()\n"
                               "    if input.pressed('fire', 1) then\n"
                               "      print('tick ' .. world.tick)\n"
                               "      world.options(2)\n"
                               "      world.quit(1)\n"
                               "      input.rumble(0.5, 1, 1)\n"
                               "    end\n"
                               "  end,\n"
                               "}\n";

static match_world_t start_requesting_game(case_t *c) {
  match_folder_write(&c->folder, "systems/menu.lua", "return { update = function() end }\n");
  match_folder_write(&c->folder, "systems/play.lua", REQUESTS);
  create_host(c, 0);
  players_set_local(get_game(c, 0), (uint8_t[]){1}, 1);
  c->games[0] = match_game_create(&(match_game_desc_t){.game = get_game(c, 0)});
  match_world_t world = match_game_get_world(c->games[0]);
  world.save(world.context, 0);
  return world;
}

static uint64_t run_press(const match_world_t *world, uint64_t tick, match_run_t mode, bool presses) {
  record_t record = {.number = tick, .kind = RECORD_TICK, .tick = tick, .inputs = {.present = 3}};
  uint64_t hash = 0;
  record.inputs.players[0].pressed = presses;
  record.inputs.players[0].values[0] = presses ? 127 : 0;
  assert_true(world->run(world->context, &record, mode, &hash));
  return hash;
}

TEST_IN(requests_of_a_tick_that_was_predicted_without_them_are_applied, case_t, c) {
  match_world_t world = start_requesting_game(c);
  const script_requests_t *requests = &get_game(c, 0)->requests;
  run_press(&world, 1, MATCH_RUN_PREDICTED, false);
  run_press(&world, 2, MATCH_RUN_PREDICTED, false);
  world.restore(world.context, 0);
  uint64_t hash = run_press(&world, 1, MATCH_RUN_CONFIRMED, true);
  assert_true(requests->rumbles[0] && requests->rumble[0][0] == 0.5f);
  world.confirm(world.context, 1, hash);
  assert_int_equal(requests->options_of, 2);
  assert_int_equal(requests->quit_of, 1);
}

TEST_IN(requests_of_a_wrong_prediction_are_dropped, case_t, c) {
  match_world_t world = start_requesting_game(c);
  script_requests_t *requests = &get_game(c, 0)->requests;
  run_press(&world, 1, MATCH_RUN_PREDICTED, true);
  assert_true(requests->rumbles[0]); // starts immediately
  assert_int_equal(requests->options_of, 0);
  *requests = (script_requests_t){0}; // simulates that the program has applied the requests
  world.restore(world.context, 0);
  uint64_t hash = run_press(&world, 1, MATCH_RUN_CONFIRMED, false);
  assert_false(requests->rumbles[0]); // the rumble stops later: after 16 ticks without the request
  world.confirm(world.context, 1, hash);
  assert_int_equal(requests->options_of, 0);
  assert_int_equal(requests->quit_of, 0);
}

TEST_IN(rumble_of_a_wrong_prediction_ends_16_ticks_later, case_t, c) {
  match_world_t world = start_requesting_game(c);
  script_requests_t *requests = &get_game(c, 0)->requests;
  run_press(&world, 1, MATCH_RUN_PREDICTED, true);
  *requests = (script_requests_t){0};
  world.restore(world.context, 0);
  for (uint64_t tick = 1; tick <= 17; ++tick) {
    assert_false(requests->rumbles[0]);
    world.confirm(world.context, tick, run_press(&world, tick, MATCH_RUN_CONFIRMED, false));
  }
  assert_true(requests->rumbles[0] && requests->rumble[0][0] == 0);
}

TEST_IN(rumble_that_a_correction_delays_is_requested_once, case_t, c) {
  match_world_t world = start_requesting_game(c);
  script_requests_t *requests = &get_game(c, 0)->requests;
  run_press(&world, 1, MATCH_RUN_PREDICTED, true);
  *requests = (script_requests_t){0};
  world.restore(world.context, 0);
  for (uint64_t tick = 1; tick < 40; ++tick) {
    world.confirm(world.context, tick, run_press(&world, tick, MATCH_RUN_CONFIRMED, tick == 9));
    assert_false(requests->rumbles[0]);
  }
}

TEST_IN(requests_of_a_correct_prediction_are_applied_once, case_t, c) {
  match_world_t world = start_requesting_game(c);
  script_requests_t *requests = &get_game(c, 0)->requests;
  run_press(&world, 1, MATCH_RUN_PREDICTED, true);
  *requests = (script_requests_t){0};
  world.restore(world.context, 0);
  uint64_t hash = run_press(&world, 1, MATCH_RUN_PREDICTED, true);
  assert_false(requests->rumbles[0]);
  world.confirm(world.context, 1, hash);
  assert_int_equal(requests->options_of, 2);
  *requests = (script_requests_t){0};
  world.confirm(world.context, 1, hash);
  assert_int_equal(requests->options_of, 0);
}

TEST_IN(new_host_drops_the_outputs_of_its_predicted_ticks, case_t, c) {
  match_world_t world = start_requesting_game(c);
  const script_requests_t *requests = &get_game(c, 0)->requests;
  run_press(&world, 1, MATCH_RUN_PREDICTED, true);
  world.restore(world.context, 0);
  uint64_t hash = run_press(&world, 1, MATCH_RUN_HOST, false);
  world.confirm(world.context, 1, hash);
  assert_string_equal(c->prints[0], "");
  assert_int_equal(requests->options_of, 0);
  run_press(&world, 2, MATCH_RUN_HOST, true);
  assert_string_equal(c->prints[0], "tick 1\n");
  assert_int_equal(requests->options_of, 2);
}

TEST(badge_shows_a_long_wait_for_the_host) {
  match_status_t status = {.role = MATCH_PEER, .is_waiting = true, .waiting_us = 150000, .present = 3, .connected = 3};
  char value[24];
  assert_null(match_status_get_badge(&status, true, value).key);
  status.waiting_us = 250000;
  assert_string_equal(match_status_get_badge(&status, true, value).key, "match_waits_for_host");
  status.silent_us = status.waiting_us = 2500000;
  match_text_t badge = match_status_get_badge(&status, true, value);
  assert_string_equal(badge.key, "match_silent");
  assert_string_equal(badge.values[0].text, "2");
  status = (match_status_t){.role = MATCH_PEER, .present = 7, .connected = 7, .silent = 2};
  badge = match_status_get_badge(&status, true, value);
  assert_string_equal(badge.key, "match_unanswered");
  assert_string_equal(badge.values[0].text, "2");
  status.connected = 5;
  assert_string_equal(match_status_get_badge(&status, true, value).key, "match_lost");
}
