// Trials of reloads in a task: the same verdicts as those of a forked child, with the state of the running game.
#include "base/file_system.h"
#include "host/game_options.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "reload/reload_verdict.h"
#include "reload/trial_task.h"
#include "temporary_folder.h"
#include "test.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct case_t {
  char folder[64];
  options_t options;
  host_o *host;
  reload_verdict_t verdict;
  trial_task_t task;
  child_t child;
} case_t;

static void create_folder(const case_t *c, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", c->folder, name);
  assert_true(file_system_create_folder(path, false));
}

static const char COUNT[] = "return { update = function()\n"
                            "  local c = world.single.counter\n"
                            "  c.value = c.value + 1\n"
                            "end }\n";

SETUP(case_t, c) {
  error_info_t error = {0};
  temporary_folder_create(c->folder, sizeof c->folder, "trial");
  create_folder(c, "systems");
  temporary_folder_write(c->folder, "game.lua", "return { title = 'Trial' }\n");
  temporary_folder_write(c->folder, "components.lua", "return { counter = shoal.types.single { value = 0 } }\n");
  temporary_folder_write(c->folder, "systems/count.lua", COUNT);
  temporary_folder_write(c->folder, "systems/broken.lua", "return { update = function() error('always') end }\n");
  c->options =
      (options_t){.command = OPTIONS_RUN, .program = "", .target = c->folder, .headless = true, .log_level = LOG_NONE};
  c->host = host_create(&c->options, &error);
  if (!c->host)
    fail_msg("%s", error.text);
  for (int i = 0; i < 20; ++i)
    assert_true(host_frame(c->host));
}

TEARDOWN(case_t, c) {
  host_destroy(c->host);
  temporary_folder_remove(c->folder);
}

// Runs a trial of the files in the game's folder. Returns true if the task has answered.
static bool run(case_t *c, sources_o *sources) {
  game_desc_t desc = game_options_build_desc(c->host);
  desc.sources = sources;
  assert_true(trial_task_begin(&c->task, &c->child, c->host->session.game, &desc));
  bool has_answered = child_read(&c->child, &c->verdict, sizeof c->verdict);
  child_end(&c->child);
  return has_answered;
}

static void expect_pass(case_t *c) {
  if (!run(c, NULL) || !c->verdict.passed)
    fail_msg("refused: %s: %s", c->verdict.report.piece, c->verdict.report.message);
  trial_task_end(&c->task);
}

static void expect_failure(case_t *c, const char *file, const char *message) {
  assert_true(run(c, NULL));
  assert_false(c->verdict.passed);
  assert_string_equal(c->verdict.report.file, file);
  if (!strstr(c->verdict.report.message, message))
    fail_msg("expected \"%s\" in \"%s\"", message, c->verdict.report.message);
  trial_task_end(&c->task);
}

TEST_IN(change_that_works_passes_its_trial_with_a_list_of_changes, case_t, c) {
  temporary_folder_write(c->folder, "components.lua",
                         "return { counter = shoal.types.single { value = 0, best = 7 } }\n");
  temporary_folder_write(c->folder, "systems/best.lua",
                         "return { update = function() world.single.counter.best = 9 end }\n");
  expect_pass(c);
  assert_string_equal(c->verdict.news.names, "components.lua, systems/best.lua");
  assert_int_equal(c->verdict.news.systems_added, 1);
  assert_int_equal(c->verdict.news.migration.schemas.fields_added, 1);
  assert_int_equal(world_tick(c->host->session.game->world), 20); // the running game has not changed
}

TEST_IN(trial_tick_continues_from_the_state_of_the_running_game, case_t, c) {
  temporary_folder_write(
      c->folder, "systems/count.lua",
      "return { update = function()\n"
      "  if world.single.counter.value ~= 20 then error('value ' .. world.single.counter.value) end\n"
      "end }\n");
  expect_pass(c);
  temporary_folder_write(c->folder, "systems/count.lua",
                         "return { update = function() error('value ' .. world.single.counter.value) end }\n");
  expect_failure(c, "systems/count.lua", "value 20");
}

TEST_IN(file_that_does_not_compile_fails_its_trial, case_t, c) {
  temporary_folder_write(c->folder, "systems/count.lua", "return { update = function( end }\n");
  expect_failure(c, "systems/count.lua", "expected near");
}

TEST_IN(system_that_already_failed_does_not_fail_the_trial, case_t, c) {
  temporary_folder_write(c->folder, "systems/broken.lua", "return { update = function() error('still') end }\n");
  expect_pass(c);
  assert_int_equal(c->verdict.news.still_parked, 1);
  temporary_folder_write(c->folder, "systems/broken.lua", "return { update = function() end }\n");
  expect_pass(c);
  assert_int_equal(c->verdict.news.unparked, 1);
}

TEST_IN(endless_loop_is_stopped_in_the_trial, case_t, c) {
  temporary_folder_write(c->folder, "systems/count.lua", "return { update = function() while true do end end }\n");
  expect_failure(c, "systems/count.lua", "stopped after");
}

TEST_IN(crash_in_the_trial_names_the_system, case_t, c) {
  c->host->session.options.trust = true;
  temporary_folder_write(c->folder, "game.lua", "return { title = 'Trial', native = true }\n");
  temporary_folder_write(c->folder, "systems/count.lua",
                         "local ffi = require 'ffi'\n"
                         "return { update = function() ffi.cast('int *', 8)[0] = 1 end }\n");
  int signal_number = 0;
  if (run(c, NULL))
    fail_msg("answered: %s", c->verdict.report.message);
  assert_true(child_has_crashed(&c->child, &signal_number));
  assert_string_equal(c->task.system, "count");
  trial_task_end(&c->task);
}

// Changes that another machine of a match has sent are not in the folder.
TEST_IN(change_is_tried_from_texts_without_reading_files, case_t, c) {
  const source_change_t change = {.name = "systems/count.lua", .text = "return { update = 5 }", .bytes = 21};
  sources_o *running = c->host->session.game->desc.sources, *changed = sources_create_changed(running, &change, 1);
  temporary_folder_write(c->folder, "components.lua", "return 5\n");
  assert_true(run(c, running));
  assert_true(c->verdict.passed);
  assert_int_equal(c->verdict.news.file_count, 0);
  trial_task_end(&c->task);
  assert_true(run(c, changed));
  assert_false(c->verdict.passed);
  assert_string_equal(c->verdict.report.file, "systems/count.lua");
  trial_task_end(&c->task);
  sources_release(changed);
}
