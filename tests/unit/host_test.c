// The headless host with small games on disk: execution order, the effects of errors, and reloads that keep the world.
// slow: takes seconds under the sanitizers
#include "base/file_system.h"
#include "host/host.h"
#include "host/game_switch.h"
#include "host/host_internal.h"
#include "host/host_tools.h"
#include "draw_fixture.h"
#include "../slowdown.h"
#include "ecs/world_hash.h"
#include "saves/game_saves.h"
#include "temporary_folder.h"
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sqlite3.h>

typedef struct case_t {
  char folder[64];
  options_t options;
  host_o *host;
} case_t;

static const char COUNT_ONE[] = "return { update = function()\n"
                                "  local c = world.single.counter\n"
                                "  c.value = c.value + 1\n"
                                "end }\n";

SETUP(case_t, c) {
  temporary_folder_create(c->folder, sizeof c->folder, "host");
  char systems[128];
  snprintf(systems, sizeof systems, "%s/systems", c->folder);
  file_system_create_folder(systems, false);
  temporary_folder_write(c->folder, "game.lua",
                         "return { title = 'Counting', start = function() world.single.counter.starts = 1 end }\n");
  temporary_folder_write(c->folder, "components.lua",
                         "local t = shoal.types\n"
                         "return { counter = t.single { value = t.i32(0), starts = t.i32(0), woken = t.i32(0) } }\n");
  temporary_folder_write(c->folder, "systems/count.lua", COUNT_ONE);
  c->options =
      (options_t){.command = OPTIONS_RUN, .program = "", .target = c->folder, .headless = true, .log_level = LOG_NONE};
}

TEARDOWN(case_t, c) {
  host_destroy(c->host);
  temporary_folder_remove(c->folder);
}

static void open_host(case_t *c) {
  error_info_t error = {0};
  c->host = host_create(&c->options, &error);
  if (!c->host)
    fail_msg("%s", error.text);
}

static void run_frames(case_t *c, int frames) {
  for (int i = 0; i < frames; ++i)
    assert_true(host_frame(c->host));
}

static int read_counter(const case_t *c, const char *field) {
  manager_o *m = world_find_manager(c->host->session.game->world, "counter");
  assert_non_null(m);
  return (int)columns_get(&m->columns, 0, (uint32_t)manager_find_column(m, field));
}

static uint64_t get_tick(const case_t *c) {
  return world_tick(c->host->session.game->world);
}

// Runs frames until a reload has replaced the VM, or has shown or hidden an error card. The file watch waits in real
// time for writes to settle.
static void run_until_reload(case_t *c) {
  const char *text = c->host->card.message;
  bool had_card = text[0];
  for (time_t began = time(NULL); difftime(time(NULL), began) < 60 * wall_slowdown();) {
    const struct timespec pause = {.tv_nsec = 2000000};
    vm_o *before = c->host->session.game ? c->host->session.game->vm : NULL;
    nanosleep(&pause, NULL);
    if (c->options.own_clock)
      host_set_clock(c->host, c->host->clock_s + 1.0 / 60.0);
    assert_true(host_frame(c->host));
    vm_o *after = c->host->session.game ? c->host->session.game->vm : NULL;
    if (after != before || (text[0] != 0) != had_card)
      return;
  }
  fail_msg("no reload within a minute");
}

TEST_IN(headless_run_stops_at_its_tick, case_t, c) {
  c->options.has_ticks = true;
  c->options.ticks = 25;
  open_host(c);
  int frames = 1;
  while (host_frame(c->host))
    frames++;
  assert_int_equal(frames, 25);
  assert_int_equal(get_tick(c), 25);
  assert_int_equal(read_counter(c, "value"), 25);
  assert_int_equal(read_counter(c, "starts"), 1);
  assert_int_equal(host_exit_code(c->host), 0);
}

TEST_IN(run_of_zero_ticks_only_loads_and_starts, case_t, c) {
  c->options.has_ticks = true;
  open_host(c);
  assert_false(host_frame(c->host));
  assert_int_equal(read_counter(c, "value"), 0);
  assert_int_equal(read_counter(c, "starts"), 1);
}

TEST_IN(world_quit_ends_the_run_with_exit_code_0, case_t, c) {
  temporary_folder_write(c->folder, "systems/stop.lua",
                         "return { update = function() if world.tick == 4 then world.quit() end end }\n");
  open_host(c);
  for (int i = 0; host_frame(c->host); ++i)
    assert_true(i < 100);
  assert_int_equal(read_counter(c, "value"), 5);
  assert_int_equal(host_exit_code(c->host), 0);
}

TEST_IN(headless_render_phase_runs_without_changing_the_world, case_t, c) {
  temporary_folder_write(c->folder, "systems/paint.lua",
                         "return { phase = 'render', update = function() draw.line(0, 0, world.tick, 9, 1) end }\n");
  open_host(c);
  run_frames(c, 10);
  assert_int_equal(draw_count(c->host->session.draw), 1);
  uint64_t before = world_hash(c->host->session.game->world);
  for (int i = 0; i < 5; ++i)
    game_render(c->host->session.game, 0.1f);
  assert_int_equal(draw_count(c->host->session.draw), 6);
  assert_true(world_hash(c->host->session.game->world) == before);
}

TEST_IN(headless_run_reports_an_error_in_a_render_system, case_t, c) {
  temporary_folder_write(c->folder, "systems/paint.lua",
                         "return { phase = 'render', update = function() error('no paint') end }\n");
  open_host(c);
  run_frames(c, 3);
  assert_int_equal(host_exit_code(c->host), 1);
  assert_non_null(strstr(c->host->card.message, "no paint"));
}

TEST_IN(error_names_the_missing_folder_or_game_lua, case_t, c) {
  error_info_t error = {0};
  c->options.target = "/nowhere/at/all";
  assert_null(host_create(&c->options, &error));
  assert_non_null(strstr(error.text, "/nowhere/at/all"));
  char empty[128];
  snprintf(empty, sizeof empty, "%s/systems", c->folder);
  c->options.target = empty;
  assert_null(host_create(&c->options, &error));
  assert_non_null(strstr(error.text, "game.lua"));
}

TEST_IN(error_names_the_unknown_game, case_t, c) {
  error_info_t error = {0};
  c->options.command = OPTIONS_PLAY;
  c->options.target = "nosuch";
  assert_null(host_create(&c->options, &error));
  assert_non_null(strstr(error.text, "“nosuch”"));
  c->options.target = "../games/asteroids";
  assert_null(host_create(&c->options, &error));
}

TEST_IN(syntax_error_ends_a_headless_run_with_status_1, case_t, c) {
  temporary_folder_write(c->folder, "systems/count.lua", "return { update = function( end }\n");
  open_host(c);
  assert_false(host_frame(c->host));
  assert_int_equal(host_exit_code(c->host), 1);
  assert_int_equal(c->host->card.kind, ERROR_CARD_START);
  assert_non_null(strstr(c->host->card.location, "systems/count.lua:1"));
}

TEST_IN(error_in_start_ends_a_headless_run_with_status_1, case_t, c) {
  temporary_folder_write(c->folder, "game.lua", "return {\n  start = function() error('no luck') end }\n");
  open_host(c);
  assert_false(host_frame(c->host));
  assert_int_equal(host_exit_code(c->host), 1);
  assert_non_null(strstr(c->host->card.message, "no luck"));
  assert_string_equal(c->host->card.location, "game.lua:2");
}

TEST_IN(failing_system_is_parked_and_the_run_exits_with_status_1, case_t, c) {
  temporary_folder_write(c->folder, "systems/bad.lua",
                         "return { update = function()\n  if world.tick == 3 then error('third') end\nend }\n");
  c->options.has_ticks = true;
  c->options.ticks = 20;
  open_host(c);
  while (host_frame(c->host))
    ;
  assert_int_equal(read_counter(c, "value"), 20);
  assert_int_equal(host_exit_code(c->host), 1);
  assert_int_equal(c->host->card.kind, ERROR_CARD_RUN);
  assert_int_equal(c->host->card.total, 1);
  assert_string_equal(c->host->card.location, "systems/bad.lua:2");
}

TEST_IN(strict_run_stops_at_the_first_error, case_t, c) {
  temporary_folder_write(c->folder, "systems/bad.lua",
                         "return { update = function()\n  if world.tick == 3 then error('third') end\nend }\n");
  c->options.strict = true;
  open_host(c);
  for (int i = 0; host_frame(c->host); ++i)
    assert_true(i < 100);
  assert_int_equal(get_tick(c), 4);
  assert_int_equal(host_exit_code(c->host), 1);
}

TEST_IN(saved_file_reloads_code_and_keeps_the_world, case_t, c) {
  c->options.watch = FILE_WATCH_ON;
  open_host(c);
  run_frames(c, 10);
  temporary_folder_write(
      c->folder, "systems/count.lua",
      "return { update = function()\n  local c = world.single.counter\n  c.value = c.value + 100000\nend }\n");
  run_until_reload(c);
  uint64_t before = get_tick(c);
  assert_true(read_counter(c, "value") >= 100010);
  int value = read_counter(c, "value");
  run_frames(c, 5);
  assert_int_equal(read_counter(c, "value"), value + 500000);
  assert_int_equal(get_tick(c), before + 5);
  assert_int_equal(read_counter(c, "starts"), 1);
  assert_int_equal(host_exit_code(c->host), 0);
}

TEST_IN(saved_syntax_error_keeps_the_old_code_until_fixed, case_t, c) {
  c->options.watch = FILE_WATCH_ON;
  open_host(c);
  run_frames(c, 3);
  temporary_folder_write(c->folder, "systems/count.lua", "return { update = function(\n");
  run_until_reload(c);
  assert_int_equal(c->host->card.kind, ERROR_CARD_RELOAD);
  assert_non_null(strstr(c->host->card.location, "systems/count.lua"));
  int value = read_counter(c, "value");
  run_frames(c, 5);
  assert_int_equal(read_counter(c, "value"), value + 5);
  temporary_folder_write(c->folder, "systems/count.lua", COUNT_ONE);
  run_until_reload(c);
  assert_int_equal(c->host->card.kind, ERROR_CARD_NONE);
  value = read_counter(c, "value");
  run_frames(c, 5);
  assert_int_equal(read_counter(c, "value"), value + 5);
}

static const char *get_last_notice(const case_t *c) {
  const notices_t *n = &c->host->session.notices; // a headless host never shows them
  return n->count > 0 ? n->items[n->count - 1].text : "";
}

static void save_empty_count(const case_t *c) {
  temporary_folder_write(c->folder, "systems/count.lua", "return { update = function() end }\n");
}

TEST_IN(reload_notice_names_the_file_and_the_duration, case_t, c) {
  unsigned ms = 0;
  c->options.watch = FILE_WATCH_ON;
  c->options.own_clock = true;
  open_host(c);
  run_frames(c, 3);
  save_empty_count(c);
  run_until_reload(c);
  if (sscanf(get_last_notice(c), "Reloaded systems/count.lua, %u ms: 1 system changed", &ms) != 1)
    fail_msg("%s", get_last_notice(c));
}

TEST_IN(reload_notice_omits_the_duration_without_real_time, case_t, c) {
  c->options.watch = FILE_WATCH_ON;
  open_host(c);
  run_frames(c, 3);
  save_empty_count(c);
  run_until_reload(c);
  assert_string_equal(get_last_notice(c), "Reloaded systems/count.lua: 1 system changed");
}

// Runs frames until the file watch has handled all saves.
static void run_until_settled(case_t *c) {
  while (game_switch_has_unsettled_files(c->host)) {
    const struct timespec pause = {.tv_nsec = 2000000};
    nanosleep(&pause, NULL);
    assert_true(host_frame(c->host));
  }
}

TEST_IN(file_that_is_saved_without_a_change_is_not_reloaded, case_t, c) {
  c->options.watch = FILE_WATCH_ON;
  open_host(c);
  run_frames(c, 3);
  vm_o *before = c->host->session.game->vm;
  temporary_folder_write(c->folder, "systems/count.lua", COUNT_ONE);
  assert_true(game_switch_has_unsettled_files(c->host));
  run_until_settled(c);
  run_frames(c, 3);
  assert_ptr_equal(c->host->session.game->vm, before);
  save_empty_count(c);
  run_until_reload(c);
}

// As after a change that was undone before the reload read it, for example because an editor saved twice in a row.
TEST_IN(reload_that_finds_no_change_is_not_reported, case_t, c) {
  c->options.watch = FILE_WATCH_ON;
  open_host(c);
  run_frames(c, 3);
  vm_o *before = c->host->session.game->vm;
  c->host->session.reload_requested = true;
  run_frames(c, 2);
  assert_ptr_not_equal(c->host->session.game->vm, before);
  assert_string_equal(get_last_notice(c), "");
  host_request_reload(c->host);
  run_frames(c, 2);
  assert_non_null(strstr(get_last_notice(c), "Reloaded all files"));
}

TEST_IN(parked_system_resumes_after_the_next_save, case_t, c) {
  c->options.watch = FILE_WATCH_ON;
  temporary_folder_write(c->folder, "systems/count.lua", "return { update = function() error('not yet') end }\n");
  open_host(c);
  run_frames(c, 5);
  assert_int_equal(c->host->card.total, 1);
  assert_int_equal(read_counter(c, "value"), 0);
  temporary_folder_write(c->folder, "systems/count.lua", COUNT_ONE);
  run_until_reload(c);
  run_frames(c, 5);
  assert_true(read_counter(c, "value") >= 5);
  assert_int_equal(c->host->card.kind, ERROR_CARD_NONE);
}

TEST_IN(reload_with_an_incompatible_schema_is_rejected, case_t, c) {
  c->options.watch = FILE_WATCH_ON;
  temporary_folder_write(c->folder, "components.lua",
                         "return { counter = shoal.types.single { value = 0, starts = 0 }, mark = { x = 1 } }\n");
  temporary_folder_write(c->folder, "game.lua",
                         "return { start = function() world.spawn(nil, { mark = { x = 7 } }) end }\n");
  open_host(c);
  run_frames(c, 2);
  uint64_t before = get_tick(c);
  temporary_folder_write(
      c->folder, "components.lua",
      "return { counter = shoal.types.single { value = 0, starts = 0 }, mark = { x = shoal.types.string 'a' } }\n");
  run_until_reload(c);
  assert_int_equal(c->host->card.kind, ERROR_CARD_RELOAD);
  manager_o *m = world_find_manager(c->host->session.game->world, "mark");
  assert_int_equal(m->count, 1);
  assert_true(columns_get(&m->columns, 0, 0) == 7.0);
  run_frames(c, 3);
  assert_true(get_tick(c) >= before + 3);
}

TEST_IN(requested_reload_creates_a_new_vm_and_keeps_the_world, case_t, c) {
  open_host(c);
  run_frames(c, 3);
  vm_o *before = c->host->session.game->vm;
  c->host->session.game->requests.reload = true;
  run_frames(c, 2);
  assert_ptr_not_equal(c->host->session.game->vm, before);
  assert_int_equal(read_counter(c, "value"), 5);
}

// Reloads a component whose `migrate` runs the loop `slow`, but not in its trial: the trial starts before the counter
// is large enough.
static void reload_slow_migrate(case_t *c, const char *slow) {
  char components[512];
  c->options.own_clock = true;
  open_host(c);
  host_set_clock(c->host, 1.0);
  run_frames(c, 2);
  snprintf(components, sizeof components,
           "local t, sum = shoal.types, 0\n"
           "return { counter = t.single { value = t.f32(0), starts = t.i32(0), woken = t.i32(0),\n"
           "  migrate = function(old, new)\n"
           "    if old.value[1] > %d then %s sum = sum + math.sin(sum) end end\n"
           "    new.value[1] = old.value[1]\n"
           "  end } }\n",
           read_counter(c, "value") + 2, slow);
  temporary_folder_write(c->folder, "components.lua", components);
  c->host->session.reload_requested = true;
  run_until_reload(c);
}

TEST_IN(recorded_run_accepts_a_migrate_that_takes_longer_than_in_its_trial, case_t, c) {
  char tape[96];
  snprintf(tape, sizeof tape, "%s/tape", c->folder);
  c->options.record = tape;
  reload_slow_migrate(c, "for i = 1, 2e7 do");
  assert_string_equal(c->host->card.message, "");
}

TEST_IN(migrate_that_takes_longer_than_in_its_trial_is_reported_with_its_limit, case_t, c) {
  unsigned limit_ms = 0;
  reload_slow_migrate(c, "while true do");
  const char *stopped = strstr(c->host->card.message, "stopped after ");
  assert_non_null(stopped);
  assert_int_equal(sscanf(stopped, "stopped after %u ms, because it took more than twice the time", &limit_ms), 1);
  assert_in_range(limit_ms, 50, BUDGET_LOAD_MS - 1);
  assert_null(strstr(c->host->card.message, "budget.load"));
}

TEST_IN(restart_creates_a_new_world, case_t, c) {
  open_host(c);
  run_frames(c, 7);
  c->host->restart_requested = true;
  run_frames(c, 1);
  assert_int_equal(get_tick(c), 1);
  assert_int_equal(read_counter(c, "value"), 1);
  assert_int_equal(read_counter(c, "starts"), 1);
}

TEST_IN(failed_restart_keeps_the_running_game, case_t, c) {
  open_host(c);
  run_frames(c, 7);
  temporary_folder_write(c->folder, "systems/count.lua", "return {{\n");
  c->host->restart_requested = true;
  run_frames(c, 1);
  assert_int_equal(get_tick(c), 8);
  assert_int_equal(c->host->card.kind, ERROR_CARD_RESTART);
}

TEST_IN(restart_whose_start_fails_keeps_the_sound_buses_of_the_running_game, case_t, c) {
  temporary_folder_write(c->folder, "game.lua", "return { buses = { engines = 0.5 } }\n");
  open_host(c);
  run_frames(c, 2);
  assert_true(audio_has_bus(c->host->audio, "engines"));
  temporary_folder_write(c->folder, "game.lua", "return { start = function() error('no level') end }\n");
  c->host->restart_requested = true;
  run_frames(c, 1);
  assert_int_equal(c->host->card.kind, ERROR_CARD_RESTART);
  assert_true(audio_has_bus(c->host->audio, "engines"));
}

TEST_IN(paused_game_runs_input_systems_but_does_not_tick, case_t, c) {
  temporary_folder_write(c->folder, "systems/count.lua",
                         "return { update = function()\n"
                         "  local c = world.single.counter\n"
                         "  c.value = c.value + 1\n"
                         "  if c.value == 5 then world.pause(true) end\n"
                         "end }\n");
  temporary_folder_write(c->folder, "systems/wake.lua",
                         "return { phase = 'input', update = function(dt)\n"
                         "  if dt > 0 then return end\n"
                         "  local c = world.single.counter\n"
                         "  c.woken = c.woken + 1\n"
                         "  if c.woken == 3 then world.pause(false) end\n"
                         "end }\n");
  open_host(c);
  run_frames(c, 5);
  assert_true(c->host->session.game->paused);
  run_frames(c, 2);
  assert_int_equal(get_tick(c), 5);
  assert_int_equal(read_counter(c, "woken"), 2);
  run_frames(c, 4); // the third save resumes the system
  assert_false(c->host->session.game->paused);
  assert_int_equal(get_tick(c), 8);
  assert_int_equal(read_counter(c, "value"), 8);
}

TEST_IN(pause_without_an_input_system_ends_a_headless_run, case_t, c) {
  temporary_folder_write(c->folder, "systems/nap.lua", "return { update = function() world.pause(true) end }\n");
  open_host(c);
  int frames = 0;
  while (host_frame(c->host))
    assert_true(++frames < 5000);
  assert_int_equal(host_exit_code(c->host), 1);
  assert_int_equal(get_tick(c), 1);
}

TEST_IN(same_seed_gives_the_same_world, case_t, c) {
  temporary_folder_write(c->folder, "systems/dice.lua",
                         "return { update = function() world.single.counter.woken = world.random(1000000) end }\n");
  uint64_t hashes[3];
  for (int i = 0; i < 3; ++i) {
    c->options.has_seed = true;
    c->options.seed = i == 2 ? 8 : 7;
    open_host(c);
    run_frames(c, 30);
    hashes[i] = world_hash(c->host->session.game->world);
    host_destroy(c->host);
    c->host = NULL;
  }
  assert_true(hashes[0] == hashes[1]);
  assert_true(hashes[0] != hashes[2]);
}

// Removes the parts of a save that engine versions before 2026-11-24 did not write.
static void remove_saved_assemblages(const char *path) {
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db,
                                "DROP TABLE assemblage_defaults; DROP TABLE assemblage_children;"
                                "DELETE FROM checksums WHERE name IN ('assemblage_defaults', 'assemblage_children')",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  sqlite3_close(db);
}

TEST_IN(entities_of_an_older_save_gain_components_and_a_toast_reports_it, case_t, c) {
  error_info_t error = {0};
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/old.sqlite", c->folder);
  temporary_folder_write(
      c->folder, "game.lua",
      "return { title = 'Split', start = function() world.spawn('hero', { drive = { vx = 7 } }) end }\n");
  temporary_folder_write(c->folder, "components.lua", "return { drive = { vx = 1 } }\n");
  temporary_folder_write(c->folder, "assemblages.lua", "return { hero = { components = { drive = {} } } }\n");
  temporary_folder_write(c->folder, "systems/count.lua", "return { update = function() end }\n");
  open_host(c);
  run_frames(c, 2);
  assert_true(game_saves_write(&c->host->session, path, &error));
  host_destroy(c->host);
  remove_saved_assemblages(path);
  temporary_folder_write(c->folder, "components.lua", "return { drive = { vx = 1 }, steering = { rate = 3 } }\n");
  temporary_folder_write(c->folder, "assemblages.lua",
                         "return { hero = { components = { drive = { vx = 2 }, steering = {} } } }\n");
  c->options.load = path;
  open_host(c);
  run_frames(c, 1);
  world_o *w = c->host->session.game->world;
  const manager_o *drive = world_find_manager(w, "drive"), *steering = world_find_manager(w, "steering");
  assert_int_equal(steering->count, 1);
  assert_true(columns_get(&steering->columns, 0, 0) == 3);
  assert_true(columns_get(&drive->columns, 0, 0) == 7);
  assert_int_equal(c->host->session.notices.count, 1);
  assert_string_equal(c->host->session.notices.items[0].text, "Old save: added 1 missing component: see the log");
}

TEST_IN(reloads_do_not_grow_world_memory, case_t, c) {
  open_host(c);
  for (int i = 0; i < 10; ++i) {
    c->host->session.reload_requested = true;
    run_frames(c, 1);
  }
  size_t before = world_allocator(c->host->session.game->world)->bytes;
  for (int i = 0; i < 90; ++i) {
    c->host->session.reload_requested = true;
    run_frames(c, 1);
  }
  assert_int_equal(world_allocator(c->host->session.game->world)->bytes, before);
  assert_int_equal(read_counter(c, "value"), 100);
}

TEST_IN(reloading_unchanged_code_keeps_the_world_hash, case_t, c) {
  uint64_t hashes[2];
  c->options.command = OPTIONS_PLAY;
  c->options.target = "asteroids";
  for (int i = 0; i < 2; ++i) {
    open_host(c);
    for (int frame = 0; frame < 400; ++frame) {
      c->host->session.reload_requested = i == 1 && frame % 37 == 36;
      run_frames(c, 1);
    }
    assert_int_equal(host_exit_code(c->host), 0);
    hashes[i] = world_hash(c->host->session.game->world);
    host_destroy(c->host);
    c->host = NULL;
  }
  assert_true(hashes[0] == hashes[1]);
}

TEST_IN(failing_exec_makes_the_run_fail, case_t, c) {
  c->options.exec[c->options.exec_count++] = "world.single.counter.value = 41";
  c->options.exec[c->options.exec_count++] = "error('not this')";
  open_host(c);
  assert_int_equal(read_counter(c, "value"), 41);
  assert_int_equal(host_exit_code(c->host), 1);
  assert_non_null(strstr(c->host->card.message, "not this"));
}

// Sets a flag that is not a cascade after the game has been loaded.
TEST_IN(field_flags_other_than_cascades_do_not_make_a_component_a_pair, case_t, c) {
  temporary_folder_write(
      c->folder, "components.lua",
      "local t = shoal.types\n"
      "return { counter = t.single { value = t.i32(0), starts = t.i32(0) }, aim = { at = t.entity } }\n");
  open_host(c);
  world_find_manager(c->host->session.game->world, "aim")->schema.fields[0].flags |= FIELD_IS_ADDED;
  script_report_t report = {0};
  if (!vm_exec(c->host->session.game->vm, "world.spawn(nil, {}):add('aim', shoal.none)", "test", NULL, 0, &report))
    fail_msg("%s", report.message);
}

TEST_IN(enter_handler_is_not_repeated_when_another_system_fails, case_t, c) {
  temporary_folder_write(
      c->folder, "game.lua",
      "return { title = 'Entering', start = function() world.spawn(nil, { lifetime = { seconds = 9 } }) end }\n");
  temporary_folder_write(c->folder, "systems/a.lua",
                         "return { query = { 'lifetime' }, enter = function()\n"
                         "  world.single.counter.woken = world.single.counter.woken + 1\n"
                         "end }\n");
  temporary_folder_write(
      c->folder, "systems/b.lua",
      "return { after = 'a', update = function() if world.tick == 0 then error('b is broken') end end }\n");
  open_host(c);
  run_frames(c, 3);
  assert_non_null(strstr(c->host->card.message, "b is broken"));
  assert_int_equal(read_counter(c, "woken"), 1);
}

static void append_line(void *context, log_level_t level, const char *line) {
  char *logged = context;
  (void)level;
  snprintf(logged + strlen(logged), 2048 - strlen(logged), "%s\n", line);
}

TEST_IN(diverged_replay_names_the_component_and_both_values, case_t, c) {
  static const char GAME[] =
      "return { title = 'Naming', start = function()\n"
      "  local ada, bob = world.spawn(nil, { name = 'ada' }), world.spawn(nil, { name = 'bob' })\n"
      "  bob:set('name', { value = '%s' })\n"
      "end }\n";
  char tape[96], game[256], logged[2048] = "";
  snprintf(tape, sizeof tape, "%s/tape", c->folder);
  snprintf(game, sizeof game, GAME, "bob");
  temporary_folder_write(c->folder, "game.lua", game);
  c->options.record = tape;
  open_host(c);
  assert_string_equal(world_manager(c->host->session.game->world, 1)->schema.name, "name");
  run_frames(c, 3);
  host_destroy(c->host);
  snprintf(game, sizeof game, GAME, "ada");
  temporary_folder_write(c->folder, "game.lua", game);
  c->options.record = NULL;
  c->options.replay = tape;
  c->options.log_level = LOG_ERROR;
  open_host(c);
  log_set_listener(c->host->session.log, append_line, logged);
  host_frame(c->host);
  assert_non_null(strstr(logged, "tick 1 is the first that differs: name\n"));
  assert_non_null(strstr(logged, "name.value: \"bob\" and \"ada\""));
  assert_int_equal(host_exit_code(c->host), 1);
}

// Opens a match whose host has one player and waits for others.
static void open_match(case_t *c) {
  temporary_folder_write(c->folder, "game.lua",
                         "return { title = 'Counting', multiplayer = { players = { 2, 4 } } }\n");
  c->options.host = c->options.has_port = true;
  c->options.port = 0;
  open_host(c);
  run_frames(c, 2);
}

TEST_IN(refused_change_in_a_match_stays_on_the_screen, case_t, c) {
  open_match(c);
  c->host->session.reload_requested = true;
  run_frames(c, 30);
  assert_int_equal(c->host->card.kind, ERROR_CARD_RELOAD);
  assert_false(c->host->card.hidden);
  assert_non_null(strstr(c->host->card.message, "start it with --share-code on each machine"));
  assert_int_equal(c->host->session.exit_code, 0);
}
