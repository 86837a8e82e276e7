// Time travel in a headless host with a small game on disk: rewinding, editing code, and replaying recorded input.
#include "base/file_system.h"
#include "host/host.h"
#include "host/console.h"
#include "host/host_internal.h"
#include "host/playback.h"

#include "snapshot/compare.h"
#include "ecs/world_hash.h"
#include "input_fixture.h"
#include "platform/pad_buttons.h"
#include "platform/scancodes.h"
#include "saves/game_saves.h"
#include "session/history_abi.h"
#include "temporary_folder.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY 44 // scancode of Space

typedef struct case_t {
  char folder[64];
  options_t options;
  host_o *host;
  uint64_t hashes[4000]; // indexed by tick
} case_t;

static const char WALK[] = "return { phase = 'update', update = function()\n"
                           "  local w = world.single.walker\n"
                           "  if input.down('go') then w.x = w.x + 1 end\n"
                           "  w.noise = world.random()\n"
                           "end }\n";
static const char SMALL[] = "return { title = 'Walking' }\n";
// The world is so large that the history does not store every tick.
static const char LARGE[] = "return { title = 'Walking', start = function() world.spawn_many('weight', 50000) end }\n";
static const char RUN[] = "return { phase = 'update', update = function()\n"
                          "  local w = world.single.walker\n"
                          "  if input.down('go') then w.x = w.x + (world.tick > 60 and 2 or 1) end\n"
                          "  w.noise = world.random()\n"
                          "end }\n";

static const char MENU[] =
    "return { title = 'Walking', multiplayer = { players = { 1, 2 } }, start = function()\n"
    "  local menu = world.spawn(nil, { panel = {} })\n"
    "  for i = 1, 3 do world.spawn(nil, { button = { text = 'Press' }, transform = { parent = menu } }) end\n"
    "end }\n";

static int setup_with_game(void **state, const char *game, bool undo) {
  case_t *c = calloc(1, sizeof *c);
  temporary_folder_create(c->folder, sizeof c->folder, "past");
  char systems[128];
  snprintf(systems, sizeof systems, "%s/systems", c->folder);
  file_system_create_folder(systems, false);
  temporary_folder_write(c->folder, "game.lua", game);
  temporary_folder_write(c->folder, "assemblages.lua", "return { weight = { components = { mass = {} } } }\n");
  temporary_folder_write(c->folder, "input.lua", "return { go = { 'key:space', 'pad:a' }, hush = { 'key:p' } }\n");
  temporary_folder_write(
      c->folder, "components.lua",
      "local t = shoal.types\nreturn { walker = t.single { x = 0, noise = 0, hushes = 0 }, mass = { kg = 1 } }\n");
  temporary_folder_write(c->folder, "systems/walk.lua", WALK);
  c->options = (options_t){.command = OPTIONS_RUN,
                           .program = "",
                           .target = c->folder,
                           .headless = true,
                           .has_history = true,
                           .history_mb = 64,
                           .watch = undo ? FILE_WATCH_ON : FILE_WATCH_DEFAULT,
                           .log_level = LOG_NONE};
  error_info_t error = {0};
  c->host = host_create(&c->options, &error);
  if (!c->host)
    fail_msg("%s", error.text);
  *state = c;
  return 0;
}

static int setup(void **state) {
  return setup_with_game(state, SMALL, false);
}

static int setup_large(void **state) {
  return setup_with_game(state, LARGE, false);
}

static int setup_menu(void **state) {
  return setup_with_game(state, MENU, false);
}

static int setup_large_with_undo(void **state) {
  return setup_with_game(state, LARGE, true);
}

static int teardown(void **state) {
  case_t *c = *state;
  host_destroy(c->host);
  temporary_folder_remove(c->folder);
  free(c);
  return 0;
}
typedef case_t large_with_undo_case_t;
FIXTURE(large_with_undo_case_t, setup_large_with_undo, teardown)
typedef case_t menu_case_t;
FIXTURE(menu_case_t, setup_menu, teardown)
typedef case_t large_case_t;
FIXTURE(large_case_t, setup_large, teardown)
FIXTURE(case_t, setup, teardown)

static uint64_t get_tick(const case_t *c) {
  return world_tick(c->host->session.game->world);
}

static double read_walker(const case_t *c, const char *field) {
  manager_o *m = world_find_manager(c->host->session.game->world, "walker");
  return columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, field));
}

static double read_setting(const case_t *c, const char *name) {
  manager_o *m = world_find_manager(c->host->session.game->world, "settings");
  return columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, name));
}

static void set_key(case_t *c, int32_t key, bool down) {
  input_state_t s = {.wheel = 0};
  s.keys[key] = down;
  platform_set_input(c->host->session.platform, &s);
}

// Holds two buttons of a pad, which may be the same, for `frames` frames.
static void hold_pad(case_t *c, int button, int other, uint32_t frames) {
  input_state_t s = {.wheel = 0};
  s.pad_connected[0] = s.pad_buttons[0][button] = s.pad_buttons[0][other] = 1;
  platform_set_input(c->host->session.platform, &s);
  for (uint32_t i = 0; i < frames; ++i)
    assert_true(host_frame(c->host));
}

// Releases all keys and buttons, and runs frames until the requested tick is shown.
static void release_all(case_t *c) {
  input_state_t s = {.wheel = 0};
  s.pad_connected[0] = 1;
  platform_set_input(c->host->session.platform, &s);
  do
    assert_true(host_frame(c->host));
  while (!scrub_is_settled(&c->host->session));
}

static void run_frame(case_t *c) {
  assert_true(host_frame(c->host));
  c->hashes[get_tick(c)] = world_hash(c->host->session.game->world);
}

// Plays to tick `to`; the key is down for seven of ten ticks.
static void play_to(case_t *c, uint64_t to) {
  while (get_tick(c) < to) {
    set_key(c, KEY, get_tick(c) % 10 < 7);
    run_frame(c);
  }
}

// Plays to tick `to` with the key up.
static void play_with_key_up(case_t *c, uint64_t to) {
  set_key(c, KEY, false);
  while (get_tick(c) < to)
    assert_true(host_frame(c->host));
}

static void rewind_ticks(case_t *c, int ticks) {
  playback_request_steps(c->host, -ticks);
  assert_true(host_frame(c->host));
}

static void edit_and_reload(case_t *c, const char *name, const char *text) {
  temporary_folder_write(c->folder, name, text);
  c->host->session.reload_requested = true;
  game_o *before = c->host->session.game;
  assert_true(host_frame(c->host));
  assert_ptr_not_equal(c->host->session.game, before);
}

TEST_IN(recorded_input_can_be_replayed_after_a_rewind, case_t, c) {
  play_to(c, 100);
  double x = read_walker(c, "x");
  uint64_t hash = c->hashes[100];
  rewind_ticks(c, 60);
  assert_int_equal(get_tick(c), 40);
  playback_toggle_replay(c->host);
  play_with_key_up(c, 100);
  assert_true(read_walker(c, "x") == x);
  assert_true(world_hash(c->host->session.game->world) == hash);
  assert_false(c->host->session.time.timelines.replaying);
  assert_false(c->host->session.time.timelines.diverged);
  play_with_key_up(c, 130);
  assert_true(read_walker(c, "x") == x); // live input again: no key is pressed
}
TEST_ALSO_IN(recorded_input_can_be_replayed_after_a_rewind, large_case_t, "large")

TEST_IN(large_world_can_be_rewound_to_every_tick, large_case_t, c) {
  play_to(c, 100);
  history_o *past = c->host->session.time.timelines.current.snapshots;
  assert_true(history_stats(past).interval > 2 && history_count(past) < 60);
  for (uint64_t to = 99; to > 80; --to) {
    rewind_ticks(c, 1);
    assert_int_equal(get_tick(c), to);
    assert_true(world_hash(c->host->session.game->world) == c->hashes[to]);
  }
  for (uint64_t to = 82; to <= 100; ++to) {
    playback_request_steps(c->host, 1);
    assert_true(host_frame(c->host));
    assert_int_equal(get_tick(c), to);
    assert_true(world_hash(c->host->session.game->world) == c->hashes[to]);
  }
  for (uint64_t to = 90; to > 6; to -= 7) {
    rewind_ticks(c, (int)(get_tick(c) - to));
    assert_int_equal(get_tick(c), to);
    assert_true(world_hash(c->host->session.game->world) == c->hashes[to]);
  }
}

TEST_IN(large_world_rewinds_exactly_across_a_parking_but_not_across_a_reload, large_case_t, c) {
  play_to(c, 50);
  edit_and_reload(c, "systems/fails.lua",
                  "return { phase = 'update', update = function()\n"
                  "  if world.tick == 80 then error('too late') end\n"
                  "  world.single.walker.hushes = world.single.walker.hushes + 1\n"
                  "end }\n");
  play_to(c, 100);
  assert_int_equal(c->host->session.game->parked.items.count, 1);
  for (uint64_t to = 99; to > 40; to -= to % 3 + 1) {
    rewind_ticks(c, (int)(get_tick(c) - to));
    assert_true(to > 50 ? get_tick(c) == to : get_tick(c) <= to && get_tick(c) + 16 > to);
    assert_true(world_hash(c->host->session.game->world) == c->hashes[get_tick(c)]);
    to = get_tick(c);
  }
}

// Playing on after a rewind must not make earlier ticks irreproducible.
TEST_IN(large_world_can_be_rewound_repeatedly, large_case_t, c) {
  play_to(c, 100);
  for (uint32_t i = 0; i < 8; ++i) {
    uint64_t to = get_tick(c) - 3;
    rewind_ticks(c, 3);
    assert_int_equal(get_tick(c), to);
    assert_true(world_hash(c->host->session.game->world) == c->hashes[to]);
    playback_toggle_pause(c->host);
    play_to(c, to + 1 + i);
  }
}

static void exec_lua(case_t *c, const char *code) {
  char out[64];
  script_report_t report;
  if (!vm_exec(c->host->session.game->vm, code, "test", out, sizeof out, &report))
    fail_msg("%s", report.message);
}

// Moves by `ticks` as a held key does, and runs frames until the tick is shown.
static void scrub_ticks(case_t *c, double ticks, bool kept_only) {
  session_t *s = &c->host->session;
  s->time.session_paused = true;
  assert_true(scrub_begin(s));
  scrub_move(s, ticks, kept_only);
  do
    assert_true(host_frame(c->host));
  while (get_tick(c) != s->time.scrub.target_tick);
}

static void assert_shows(const case_t *c, uint64_t tick) {
  assert_int_equal(get_tick(c), tick);
  assert_true(world_hash(c->host->session.game->world) == c->hashes[tick]);
}

TEST_IN(scrubbing_shows_every_tick_exactly, case_t, c) {
  const char *is_long = getenv("LONG"); // a normal run shows the last 80 ticks
  uint64_t first = is_long && is_long[0] ? 20 : 120;
  play_to(c, 200);
  for (uint64_t to = 199; to >= first; --to) {
    scrub_ticks(c, -1, false);
    assert_shows(c, to);
  }
  for (uint64_t to = first + 1; to <= 200; ++to) {
    scrub_ticks(c, 1, false);
    assert_shows(c, to);
  }
  scrub_ticks(c, 5, false);
  assert_shows(c, 200); // the newest known tick
  scrub_ticks(c, -130, false);
  assert_shows(c, 70);
  scrub_ticks(c, 64, false);
  assert_shows(c, 134);
  scrub_ticks(c, -1000, false);
  assert_int_equal(get_tick(c), 1);
}
TEST_ALSO_IN(scrubbing_shows_every_tick_exactly, large_case_t, "large")

TEST_IN(scrubbing_uses_less_memory_than_two_blocks_of_states, large_case_t, c) {
  play_to(c, 200);
  history_stats_t stats = history_stats(c->host->session.time.timelines.current.snapshots);
  uint64_t max_bytes = (stats.interval + 13) * (stats.snapshot_bytes + stats.snapshot_bytes / 16);
  for (uint32_t i = 0; i < 160; ++i) {
    scrub_ticks(c, i < 100 ? -1 : 1, false);
    assert_in_range(reel_bytes(c->host->session.time.scrub.reel), stats.interval * stats.snapshot_bytes, max_bytes);
  }
}

// Returns the first kept tick after tick 0.
static uint64_t get_first_kept_tick(const case_t *c) {
  history_snapshot_t kept = {.tick = 0};
  assert_true(history_get_packed(c->host->session.time.timelines.current.snapshots, 1, &kept));
  return kept.tick;
}

TEST_IN(scrubbing_fast_ends_at_the_exact_tick, case_t, c) {
  play_to(c, 200);
  history_o *history = c->host->session.time.timelines.current.snapshots;
  for (uint32_t i = 0; i < 20; ++i) {
    history_snapshot_t kept;
    scrub_ticks(c, -7, true);
    assert_shows(c, get_tick(c));
    assert_true(history_get_packed(history, history_find(history, get_tick(c)), &kept));
    assert_int_equal(kept.tick, get_tick(c));
  }
  scrub_settle(&c->host->session);
  while (!scrub_is_settled(&c->host->session))
    assert_true(host_frame(c->host));
  assert_shows(c, 60);
  scrub_ticks(c, -1000, true); // the first run of systems requires that the snapshot of tick 1 is kept
  assert_shows(c, 1);
  assert_int_equal(get_first_kept_tick(c), 1);
}
TEST_ALSO_IN(scrubbing_fast_ends_at_the_exact_tick, large_case_t, "large")

// On a slow machine, a tick takes longer to show than the pause after which scrubbing ends.
TEST_IN(scrubbing_waits_for_a_slow_tick, case_t, c) {
  session_t *s = &c->host->session;
  play_to(c, 200);
  scrub_ticks(c, -1, false);
  scrub_move(s, -130, false);
  scrub_run_frame(s, 2 * SCRUB_IDLE_S, 0);
  assert_int_equal(get_tick(c), 199);
  for (uint32_t frame = 0; frame < 1000 && get_tick(c) != 69; ++frame) {
    assert_non_null(s->time.scrub.reel);
    scrub_run_frame(s, 2 * SCRUB_IDLE_S, 0);
  }
  assert_shows(c, 69);
}

TEST_IN(released_key_stops_at_the_shown_tick, case_t, c) {
  session_t *s = &c->host->session;
  play_to(c, 200);
  scrub_ticks(c, -1, false);
  scrub_move(s, -130, false);
  scrub_run_frame(s, 0.02, 0);
  scrub_stop(s);
  scrub_step(s, 1);
  while (!scrub_is_settled(s))
    assert_true(host_frame(c->host));
  assert_shows(c, 200);
}

TEST_IN(pad_rewinds_steps_forward_and_resumes, case_t, c) {
  play_to(c, 200);
  hold_pad(c, PAD_BACK, PAD_LEFT_SHOULDER, 60);
  release_all(c);
  uint64_t tick = get_tick(c);
  assert_in_range(tick, 120, 190);
  assert_shows(c, tick);
  hold_pad(c, PAD_BACK, PAD_RIGHT_SHOULDER, 30);
  release_all(c);
  assert_in_range(get_tick(c), tick + 5, 199);
  assert_shows(c, get_tick(c));
  tick = get_tick(c);
  hold_pad(c, PAD_A, PAD_A, 3);
  assert_in_range(get_tick(c), tick + 1, tick + 3);
}

// An action of the game is bound to the control.
TEST_IN(control_that_resumes_is_ignored_until_it_is_released, case_t, c) {
  for (uint32_t pad = 0; pad < 2; ++pad) {
    release_all(c);
    play_with_key_up(c, get_tick(c) + 10);
    scrub_ticks(c, -5, false);
    release_all(c);
    double x = read_walker(c, "x");
    uint64_t tick = get_tick(c);
    for (uint32_t press = 0; press < 2; ++press) {
      if (pad)
        hold_pad(c, PAD_A, PAD_A, 1);
      else
        set_key(c, KEY, true);
      while (get_tick(c) < tick + 5 + press * 10)
        assert_true(host_frame(c->host));
      assert_true(press ? read_walker(c, "x") > x : read_walker(c, "x") == x);
      release_all(c);
    }
  }
}

TEST_IN(rewinding_with_a_pad_does_not_leave_the_game, case_t, c) {
  const game_o *game = c->host->session.game;
  c->host->started_from_menu = true;
  play_to(c, 100);
  for (uint32_t i = 0; i < 2; ++i) {
    hold_pad(c, PAD_BACK, PAD_BACK, 1);
    hold_pad(c, PAD_BACK, PAD_LEFT_SHOULDER, 10);
    release_all(c);
    hold_pad(c, PAD_A, PAD_A, 3);
    release_all(c);
    assert_ptr_equal(c->host->session.game, game);
  }
}

// Without the old code, tick 1 cannot be reproduced from the snapshot of tick 0.
TEST_IN(scrubbing_to_the_start_ends_at_a_kept_tick_after_a_reload, large_case_t, c) {
  play_to(c, 100);
  edit_and_reload(c, "systems/walk.lua", RUN);
  play_to(c, 150);
  for (uint32_t i = 0; i < 2; ++i) {
    scrub_ticks(c, -1000, i == 0);
    assert_shows(c, get_first_kept_tick(c));
    scrub_ticks(c, 60, false);
  }
}

// Returns the widget with the focus; 0: none.
static shoal_entity get_focus(const case_t *c) {
  game_o *g = c->host->session.game;
  const manager_o *m = world_find_manager(g->world, "widget");
  uint32_t column = (uint32_t)manager_find_column(m, "focused");
  shoal_entity focus = 0;
  ui_begin_render(g->ui);
  for (uint32_t row = 0; row < m->count; ++row)
    focus = columns_get(&m->columns, row, column) != 0 ? m->owner[row] : focus;
  ui_end_render(g->ui);
  return focus;
}

// Plays to tick `to` without input, except for the down key in the ticks 30 and 60.
static void play_menu_to(case_t *c, uint64_t to, shoal_entity *focus) {
  while (get_tick(c) < to) {
    set_key(c, KEY_DOWN, get_tick(c) == 29 || get_tick(c) == 59);
    run_frame(c);
    focus[get_tick(c)] = get_focus(c);
  }
}

TEST_IN(player_focus_follows_the_history, menu_case_t, c) {
  shoal_entity focus[101] = {0}, again[101];
  uint64_t hash;
  play_menu_to(c, 100, focus);
  assert_true(focus[1] == 0 && focus[2] != 0 && focus[30] > focus[29] && focus[60] > focus[59]);
  hash = c->hashes[100];
  for (uint64_t tick = 99; tick >= 1; --tick) {
    scrub_ticks(c, -1, false);
    assert_shows(c, tick);
    assert_int_equal(get_focus(c), focus[tick]);
  }
  scrub_ticks(c, 40, false);
  assert_int_equal(get_focus(c), focus[41]);
  rewind_ticks(c, 21);
  assert_int_equal(get_focus(c), focus[20]);
  playback_request_steps(c->host, 15);
  assert_true(host_frame(c->host));
  assert_int_equal(get_focus(c), focus[35]);
  rewind_ticks(c, 34);
  playback_toggle_pause(c->host);
  play_menu_to(c, 100, again); // the same focus, except at tick 1, before any action
  assert_memory_equal(again + 2, focus + 2, 99 * sizeof *focus);
  assert_true(c->hashes[100] == hash);
}

TEST_IN(player_focus_follows_a_replay, menu_case_t, c) {
  shoal_entity focus[111], again[111];
  play_menu_to(c, 100, focus);
  rewind_ticks(c, 80);
  playback_toggle_replay(c->host);
  while (get_tick(c) < 110) {
    assert_true(host_frame(c->host));
    again[get_tick(c)] = get_focus(c);
  }
  assert_false(c->host->session.time.timelines.diverged);
  assert_memory_equal(again + 21, focus + 21, 80 * sizeof *focus);
  assert_int_equal(again[110], focus[100]);
}

TEST_IN(game_continues_from_the_scrubbed_tick, case_t, c) {
  uint64_t hashes[200];
  play_to(c, 199);
  memcpy(hashes, c->hashes, sizeof hashes);
  for (uint32_t i = 0; i < 4; ++i) {
    scrub_ticks(c, -40, false);
    scrub_ticks(c, 10 + i, false);
    uint64_t tick = get_tick(c);
    for (uint32_t frame = 0; frame < i * 4; ++frame) // without and with time to prepare the history
      assert_true(host_frame(c->host));
    playback_toggle_pause(c->host);
    assert_null(c->host->session.time.scrub.reel);
    play_to(c, 199);
    for (; tick < 200; ++tick)
      assert_true(c->hashes[tick] == hashes[tick]);
    rewind_ticks(c, 60); // the new snapshots are intact
    assert_true(world_hash(c->host->session.game->world) == hashes[get_tick(c)]);
    playback_toggle_pause(c->host);
    play_to(c, 199);
  }
}
TEST_ALSO_IN(game_continues_from_the_scrubbed_tick, large_case_t, "large")

// The ticks between the start of the program and the saved tick never ran.
TEST_IN(scrubbing_ends_at_the_first_tick_after_a_load, case_t, c) {
  char path[160];
  error_info_t error = {0};
  play_to(c, 100);
  snprintf(path, sizeof path, "%s/walk.sqlite", c->folder);
  assert_true(game_saves_write(&c->host->session, path, &error));
  host_destroy(c->host);
  c->options.load = path;
  c->host = host_create(&c->options, &error);
  assert_non_null(c->host);
  play_to(c, 120);
  c->host->session.time.session_paused = true;
  assert_true(scrub_begin(&c->host->session));
  scrub_move(&c->host->session, -1000, false);
  for (int i = 0; i < 60; ++i)
    assert_true(host_frame(c->host));
  assert_non_null(c->host->session.time.scrub.reel); // no failure has ended the reel
  assert_shows(c, 101);
}

// Settings belong to the player: a rewind shows earlier values, and play continues with the current ones.
TEST_IN(settings_survive_a_rewind, case_t, c) {
  temporary_folder_write(c->folder, "settings.lua", "return { music = shoal.types.f32(1, { min = 0, max = 1 }) }\n");
  c->host->session.reload_requested = true;
  play_to(c, 50);
  exec_lua(c, "settings.music = 0.25");
  play_to(c, 100);
  for (uint32_t i = 0; i < 2; ++i) {
    scrub_ticks(c, -60 - (int)i, false); // the tick from which the game continued has the current settings
    assert_true(read_setting(c, "music") == 1);
    playback_toggle_pause(c->host);
    play_to(c, get_tick(c) + 1);
    assert_true(read_setting(c, "music") == 0.25);
    rewind_ticks(c, 1);
    playback_toggle_pause(c->host);
    play_to(c, 100);
  }
}

// --- recordings of the last seconds

// Runs code in the console, which is recorded.
static void run_in_console(case_t *c, const char *code) {
  char out[64];
  script_report_t report = {0};
  if (!console_run(c->host, code, out, sizeof out, &report))
    fail_msg("%s", report.message);
}

// Records in memory, as a window does.
static void begin_recording(host_o *h) {
  session_t *s = &h->session;
  recording_head_t head = {.seed = s->game->desc.seed,
                           .tick_rate = s->game->config.tick_rate,
                           .history_mb = time_travel_history_mb(s),
                           .history_is_set = 1,
                           .undo = s->game->desc.undo_failures,
                           .memory_mb = s->game->desc.block_mb};
  snprintf(head.game, sizeof head.game, "%s", s->game->config.title);
  s->recording.recorder = recorder_create(s->journal, &head, NULL, NULL);
  assert_non_null(s->recording.recorder);
  recording_control_add_results(s, true);
}

// Replays the recording, and checks that it holds at least `ticks` ticks.
static void check_replay(const case_t *c, const char *path, uint64_t ticks) {
  error_info_t error = {0};
  options_t options = c->options;
  options.replay = path;
  host_o *host = host_create(&options, &error);
  if (!host)
    fail_msg("%s", error.text);
  while (host_frame(host)) {
  }
  if (host_exit_code(host) != 0 || host->session.recording.played_ticks < ticks)
    fail_msg("%s: exit code %d after %llu ticks", options.target, host_exit_code(host),
             (unsigned long long)host->session.recording.played_ticks);
  host_destroy(host);
}

// Raises the game's best score, rewinds before that, plays on, and replays what F12 would save now.
static void check_recording_with_rewind(case_t *c, const char *raise_best) {
  char path[160];
  error_info_t error = {0};
  snprintf(path, sizeof path, "%s/seconds.replay", c->folder);
  begin_recording(c->host);
  play_to(c, 300);
  run_in_console(c, raise_best);
  play_to(c, 400);
  scrub_ticks(c, -200, false);
  playback_toggle_pause(c->host);
  play_to(c, 300);
  assert_true(recording_control_write(&c->host->session, path, &error));
  check_replay(c, path, 400 + 100);
  for (uint32_t i = 0; i < 2; ++i) { // back, a little forward, and on
    scrub_ticks(c, -40, false);
    scrub_ticks(c, 10, false);
    playback_toggle_pause(c->host);
    play_to(c, get_tick(c) + 50);
  }
  assert_true(recording_control_write(&c->host->session, path, &error));
  check_replay(c, path, 400 + 100 + 100);
}

// The recording begins at the tick to which the player went back: only the settings differ from its snapshot.
TEST_IN(recording_that_begins_at_a_rewind_contains_the_settings, case_t, c) {
  char path[160];
  error_info_t error = {0};
  temporary_folder_write(c->folder, "settings.lua", "return { best = shoal.types.i32(90) }\n");
  snprintf(path, sizeof path, "%s/seconds.replay", c->folder);
  host_destroy(c->host);
  c->host = host_create(&c->options, &error);
  assert_non_null(c->host);
  begin_recording(c->host);
  play_to(c, 100);
  recorder_discard_recent(c->host->session.recording.recorder);
  run_in_console(c, "settings.best = 100");
  play_to(c, 300);
  scrub_ticks(c, -250, false); // the recorder knows no earlier tick
  playback_toggle_pause(c->host);
  assert_true(read_setting(c, "best") == 90);
  play_to(c, 150);
  assert_true(read_setting(c, "best") == 100);
  assert_true(recording_control_write(&c->host->session, path, &error));
  check_replay(c, path, 100);
}

TEST_IN(recordings_of_games_contain_rewinds_before_a_best_score, case_t, c) {
  // the first three are tested in every run, because the best score of their demos rises; the other ones with LONG set
  static const char *const GAMES[] = {"asteroids", "invaders",   "tron",          "lantern",
                                      "pong",      "rpg_battle", "bounty_hunter", "rectangle_eater"};
  size_t count = getenv("LONG") && getenv("LONG")[0] ? sizeof GAMES / sizeof *GAMES : 3;
  char target[64];
  c->options.temporary_saves = true;
  c->options.target = target;
  c->options.seed = 1;
  c->options.has_seed = true;
  for (size_t i = 0; i < count; ++i) {
    error_info_t error = {0};
    snprintf(target, sizeof target, "scripts/games/%s", GAMES[i]);
    host_destroy(c->host);
    c->host = host_create(&c->options, &error);
    if (!c->host)
      fail_msg("%s: %s", target, error.text);
    check_recording_with_rewind(c, strcmp(GAMES[i], "lantern") == 0 ? "settings.best_time = 100"
                                                                    : "settings.best = settings.best + 10");
  }
  c->options.target = c->folder;
}

// A copy of each recent tick is kept, so that the first step back re-runs no tick.
TEST_IN(large_world_shows_the_first_step_back_immediately, large_with_undo_case_t, c) {
  session_t *s = &c->host->session;
  play_to(c, 100);
  uint32_t interval = history_stats(s->time.timelines.current.snapshots).interval;
  assert_true(interval > 1);
  assert_int_equal(s->time.timelines.states.items.count, interval);
  for (uint64_t to = 99; to > 99 - interval; --to) {
    s->time.session_paused = true;
    assert_true(scrub_begin(s));
    scrub_step(s, -1);
    assert_true(host_frame(c->host));
    assert_shows(c, to);
  }
  playback_toggle_pause(c->host);
  play_to(c, 100); // different states follow the shown tick now
  scrub_ticks(c, -3, false);
  assert_shows(c, 97);
}

TEST_IN(reload_while_scrubbing_uses_the_shown_tick, case_t, c) {
  play_to(c, 100);
  double x = read_walker(c, "x");
  scrub_ticks(c, -30, false);
  edit_and_reload(c, "systems/walk.lua", RUN);
  assert_int_equal(get_tick(c), 70);
  playback_toggle_replay(c->host);
  play_with_key_up(c, 100);
  assert_true(read_walker(c, "x") == x + 21);
}
TEST_ALSO_IN(reload_while_scrubbing_uses_the_shown_tick, large_case_t, "large")

TEST_IN(input_is_live_after_a_rewind_without_replay, case_t, c) {
  play_to(c, 100);
  rewind_ticks(c, 60);
  double x = read_walker(c, "x");
  playback_toggle_pause(c->host);
  play_with_key_up(c, 100);
  assert_true(read_walker(c, "x") == x);
  assert_non_null(c->host->session.time.timelines.abandoned.snapshots); // the abandoned timeline is kept, too
}
TEST_ALSO_IN(input_is_live_after_a_rewind_without_replay, large_case_t, "large")

TEST_IN(edited_code_replays_recorded_input, case_t, c) {
  play_to(c, 100);
  double x = read_walker(c, "x");
  rewind_ticks(c, 60);
  uint64_t there = world_hash(c->host->session.game->world);
  edit_and_reload(c, "systems/walk.lua", RUN);
  assert_int_equal(get_tick(c), 40);
  assert_true(world_hash(c->host->session.game->world) == there);
  playback_toggle_replay(c->host);
  play_with_key_up(c, 60);
  assert_true(world_hash(c->host->session.game->world) == c->hashes[60]);
  assert_false(c->host->session.time.timelines.diverged);
  play_with_key_up(c, 100);
  assert_true(read_walker(c, "x") == x + 27); // x grows faster by one from tick 61 on, while the key is down
  assert_true(c->host->session.time.timelines.diverged);
  assert_false(c->host->session.time.timelines.replaying);
}
TEST_ALSO_IN(edited_code_replays_recorded_input, large_case_t, "large")

TEST_IN(old_and_new_timelines_can_be_compared, case_t, c) {
  session_t *s = &c->host->session;
  timeline_info_t info;
  compare_item_t items[4];
  snapshot_o *then = snapshot_create(&c->host->session.memory), *now = snapshot_create(&c->host->session.memory);
  play_to(c, 100);
  rewind_ticks(c, 60);
  edit_and_reload(c, "systems/walk.lua", RUN);
  playback_toggle_replay(c->host);
  play_with_key_up(c, 80);
  history_abi_get_info(s, &info);
  assert_true(info.replaying && info.last_tick == 80 && info.abandoned_last_tick == 100);
  assert_true(history_abi_get_snapshot(s, 60, true, then, NULL) && history_abi_get_snapshot(s, 60, false, now, NULL));
  assert_int_equal(snapshot_compare(then, now, c->host->session.game->world, items, 4, NULL), 0);
  assert_true(history_abi_get_snapshot(s, 75, true, then, NULL) && history_abi_get_snapshot(s, 75, false, now, NULL));
  assert_int_equal(snapshot_compare(then, now, c->host->session.game->world, items, 4, NULL), 1);
  assert_string_equal(items[0].component, "walker");
  assert_string_equal(items[0].field, "x");
  assert_false(history_abi_get_snapshot(s, 90, false, now, NULL));
  assert_true(history_abi_get_snapshot(s, 90, true, then, NULL));
  snapshot_release(then);
  snapshot_release(now);
}

TEST_IN(steps_after_an_edit_run_the_new_code_with_the_old_input, case_t, c) {
  play_to(c, 100);
  rewind_ticks(c, 30);
  double x = read_walker(c, "x");
  edit_and_reload(c, "systems/walk.lua", RUN);
  playback_request_steps(c->host, 5); // ticks 71 to 75: the key was down
  play_with_key_up(c, 75);
  assert_true(read_walker(c, "x") == x + 10);
  assert_true(c->host->session.time.session_paused);
  rewind_ticks(c, 5);
  assert_true(read_walker(c, "x") == x);
  edit_and_reload(c, "systems/walk.lua", WALK);
  playback_toggle_replay(c->host);
  play_with_key_up(c, 100);
  // the first timeline's input was replayed to completion
  assert_true(world_hash(c->host->session.game->world) == c->hashes[100]);
}
TEST_ALSO_IN(steps_after_an_edit_run_the_new_code_with_the_old_input, large_case_t, "large")

TEST_IN(schema_can_change_after_a_rewind, case_t, c) {
  play_to(c, 100);
  double x = read_walker(c, "x");
  rewind_ticks(c, 50);
  edit_and_reload(c, "components.lua",
                  "local t = shoal.types\n"
                  "return { walker = t.single { hushes = 0, speed = 4, x = shoal.types.f64(0), noise = 0 },\n"
                  "  mass = { kg = 1 } }\n");
  assert_true(read_walker(c, "speed") == 4);
  rewind_ticks(c, 20);
  assert_int_equal(get_tick(c), 30);
  assert_true(read_walker(c, "x") == 21 && read_walker(c, "speed") == 4);
  playback_toggle_replay(c->host);
  play_with_key_up(c, 100);
  assert_true(read_walker(c, "x") == x);
}

// Pauses the game at tick 51 and resumes it in a frame during the pause. Then rewinds to `tick` and replays.
static void assert_pause_replayed_from(case_t *c, int tick) {
  edit_and_reload(c, "systems/hush.lua",
                  "return { phase = 'input', update = function()\n"
                  "  if input.pressed('hush') then\n"
                  "    local w = world.single.walker\n"
                  "    w.hushes = w.hushes + 1\n"
                  "    world.pause(w.hushes % 2 == 1)\n"
                  "  end\n"
                  "end }\n");
  play_to(c, 50);
  for (int i = 0; i < 8; ++i) { // pauses in a tick and resumes in a frame during the pause
    set_key(c, 19, i == 0 || i == 4);
    run_frame(c);
  }
  play_to(c, 100);
  assert_true(read_walker(c, "hushes") == 2);
  uint64_t hash = c->hashes[100];
  rewind_ticks(c, 100 - tick);
  assert_true(read_walker(c, "hushes") == (tick > 50));
  playback_toggle_replay(c->host);
  play_with_key_up(c, 100);
  assert_true(read_walker(c, "hushes") == 2);
  assert_true(world_hash(c->host->session.game->world) == hash);
}

TEST_IN(recorded_pauses_are_replayed, case_t, c) {
  assert_pause_replayed_from(c, 20);
}
TEST_ALSO_IN(recorded_pauses_are_replayed, large_case_t, "large")

TEST_IN(replay_can_start_in_the_middle_of_a_pause, case_t, c) {
  assert_pause_replayed_from(c, 51);
}
TEST_ALSO_IN(replay_can_start_in_the_middle_of_a_pause, large_case_t, "large")

TEST_IN(replay_is_unavailable_at_the_end_of_the_timeline, case_t, c) {
  play_to(c, 100);
  rewind_ticks(c, 60);
  playback_toggle_pause(c->host);
  play_with_key_up(c, 80); // live input on a new timeline; the first timeline ends at tick 100
  assert_non_null(c->host->session.time.timelines.abandoned.snapshots);
  playback_toggle_replay(c->host);
  assert_false(c->host->session.time.timelines.replaying);
  rewind_ticks(c, 1);
  playback_request_steps(c->host, 1);
  assert_true(host_frame(c->host));
  edit_and_reload(c, "systems/walk.lua", RUN);
  assert_false(c->host->session.time.timelines.replaying);
}

TEST_IN(requested_rewind_with_replay_repeats_the_recorded_input, case_t, c) {
  play_to(c, 100);
  c->host->session.game->requests.restore = c->host->session.game->requests.restore_replay = true;
  c->host->session.game->requests.restore_tick = 41;
  set_key(c, KEY, false);
  assert_true(host_frame(c->host)); // one more tick runs before the restore
  assert_int_equal(get_tick(c), 41);
  play_with_key_up(c, 100);
  assert_true(world_hash(c->host->session.game->world) == c->hashes[100]);
}
TEST_ALSO_IN(requested_rewind_with_replay_repeats_the_recorded_input, large_case_t, "large")

TEST_IN(edit_without_a_rewind_keeps_one_timeline, case_t, c) {
  play_to(c, 50);
  edit_and_reload(c, "systems/walk.lua", RUN);
  play_to(c, 80);
  assert_null(c->host->session.time.timelines.abandoned.snapshots);
  rewind_ticks(c, 40);
  assert_int_equal(get_tick(c), 40);
  assert_true(world_hash(c->host->session.game->world) == c->hashes[40]);
}

static const char DRIVE[] = "return { phase = 'update', query = { 'transform' }, each = function(e)\n"
                            "  e.transform.x = e.transform.x + (input.down('go') and 3 or 1) + world.random()\n"
                            "  if e.transform.x > 300 then e:destroy() end\n"
                            "end }\n";

static double get_x(const case_t *c, shoal_entity e) {
  manager_o *m = world_find_manager(c->host->session.game->world, "transform");
  return columns_get(&m->columns, manager_row(m, e), 0);
}

// Adds systems/drive.lua to the game, spawns an entity named `mover` and returns it.
static shoal_entity spawn_mover(case_t *c) {
  edit_and_reload(c, "systems/drive.lua", DRIVE);
  exec_lua(c, "world.spawn(nil, { transform = { x = 10, y = 5 }, name = { value = 'mover' } })");
  manager_o *m = world_find_manager(c->host->session.game->world, "transform");
  assert_int_equal(m->count, 1);
  return m->owner[0];
}

TEST_IN(ghost_predicts_the_position_of_its_entity, case_t, c) {
  shoal_entity e = spawn_mover(c);
  play_to(c, 30);
  exec_lua(c, "world.ghosts('mover', 40)");
  uint64_t before = world_hash(c->host->session.game->world);
  ghosts_advance(c->host->session.time.ghosts, c->host->session.game, NULL, 60);
  assert_true(world_hash(c->host->session.game->world) == before);
  assert_int_equal(ghosts_count(c->host->session.time.ghosts), 1);
  ghost_trail_t t;
  ghosts_get(c->host->session.time.ghosts, 0, &t);
  assert_int_equal(t.entity, e);
  assert_int_equal(t.count, 41);
  assert_false(t.dies);
  float there = t.poses[40].x;
  set_key(c, KEY, c->host->session.game->input.keys[KEY]);
  while (get_tick(c) < 70)
    assert_true(host_frame(c->host));
  assert_true((float)get_x(c, e) == there); // the ghost assumes that the last input continues
}

TEST_IN(ghost_uses_recorded_input_after_a_rewind, case_t, c) {
  shoal_entity e = spawn_mover(c);
  exec_lua(c, "world.ghosts({ 'transform' }, 30)");
  play_to(c, 60);
  double there = get_x(c, e);
  rewind_ticks(c, 30);
  ghosts_advance(c->host->session.time.ghosts, c->host->session.game, c->host->session.time.timelines.current.inputs,
                 60);
  ghost_trail_t t;
  assert_int_equal(ghosts_count(c->host->session.time.ghosts), 1);
  ghosts_get(c->host->session.time.ghosts, 0, &t);
  assert_true(t.poses[30].x == (float)there);
}
TEST_ALSO_IN(ghost_uses_recorded_input_after_a_rewind, large_case_t, "large")

TEST_IN(ghost_ends_when_its_entity_dies_and_is_recomputed_after_an_edit, case_t, c) {
  spawn_mover(c);
  exec_lua(c, "world.ghosts(world.find('mover'), 2000)");
  ghosts_advance(c->host->session.time.ghosts, c->host->session.game, NULL, 60);
  ghost_trail_t t;
  ghosts_get(c->host->session.time.ghosts, 0, &t);
  assert_true(t.dies);
  assert_true(t.count > 60 && t.count < 400);
  c->host->session.time.session_paused = true;
  edit_and_reload(c, "systems/drive.lua",
                  "return { query = { 'transform' }, each = function(e) e.transform.x = e.transform.x - 1 end }");
  ghosts_advance(c->host->session.time.ghosts, c->host->session.game, NULL, 600);
  ghosts_get(c->host->session.time.ghosts, 0, &t);
  assert_false(t.dies);
  assert_true(t.poses[100].x < t.poses[0].x);
  exec_lua(c, "world.ghosts()");
  assert_false(ghosts_are_enabled(c->host->session.time.ghosts));
  assert_int_equal(ghosts_count(c->host->session.time.ghosts), 0);
}

static uint32_t count_poses(const ghosts_o *ghosts) {
  ghost_trail_t t;
  assert_int_equal(ghosts_count(ghosts), 1);
  ghosts_get(ghosts, 0, &t);
  return t.count;
}

TEST_IN(ghosts_grow_by_a_tick_per_frame_without_spare_time, case_t, c) {
  spawn_mover(c);
  exec_lua(c, "world.ghosts('transform', 3000)");
  ghosts_o *ghosts = c->host->session.time.ghosts;
  assert_int_equal(ghosts_count(ghosts), 0);
  for (uint32_t frame = 1; frame <= 3000; ++frame) {
    ghosts_advance(ghosts, c->host->session.game, NULL, 0);
    if (frame <= 100) // the mover dies later
      assert_int_equal(count_poses(ghosts), frame + 1);
  }
  uint32_t poses = count_poses(ghosts);
  ghosts_advance(ghosts, c->host->session.game, NULL, 0); // they are already up to date
  assert_int_equal(count_poses(ghosts), poses);
}
