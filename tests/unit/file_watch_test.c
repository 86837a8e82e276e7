// Watching real folders: inotify and polling must report the same changes. The tests pass simulated time.
#include "base/file_system.h"
#include "platform/file_watch.h"
#include "temporary_folder.h"
#include "test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct watch_fixture_t {
  char folder[64];
  file_watch_o *watch;
  double now_s;
} watch_fixture_t;

static char path_text[PATH_MAX];

static const char *path_below(const watch_fixture_t *p, const char *name) {
  snprintf(path_text, sizeof path_text, "%s/%s", p->folder, name);
  return path_text;
}

static void write_file(const watch_fixture_t *p, const char *name, const char *text) {
  FILE *file = fopen(path_below(p, name), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void write_file_by_rename(const watch_fixture_t *p, const char *name, const char *text) {
  char from[PATH_MAX];
  snprintf(from, sizeof from, "%s/.%s.new", p->folder, "x");
  FILE *file = fopen(from, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  assert_int_equal(rename(from, path_below(p, name)), 0);
}

static int setup(void **state, bool polling) {
  watch_fixture_t *p = calloc(1, sizeof *p);
  temporary_folder_create(p->folder, sizeof p->folder, "watch");
  file_system_create_folder(path_below(p, "systems"), false);
  write_file(p, "game.lua", "return {}");
  write_file(p, "systems/movement.lua", "return {}");
  p->watch = file_watch_create(&(file_watch_desc_t){.polling = polling});
  file_watch_add(p->watch, p->folder, "");
  p->now_s = 100;
  assert_int_equal(file_watch_poll(p->watch, p->now_s), 0);
  *state = p;
  return 0;
}

static int setup_inotify(void **state) {
  return setup(state, false);
}

static int setup_polling(void **state) {
  return setup(state, true);
}

static int teardown(void **state) {
  watch_fixture_t *p = *state;
  file_watch_destroy(p->watch);
  temporary_folder_remove(p->folder);
  free(p);
  return 0;
}
typedef watch_fixture_t polling_watch_fixture_t;
FIXTURE(polling_watch_fixture_t, setup_polling, teardown)
FIXTURE(watch_fixture_t, setup_inotify, teardown)

// Advances the simulated time in steps of 20 ms until a batch is reported, for at most 2 s. Returns the number of
// changes in the batch, or 0.
static uint32_t poll_until_batch(watch_fixture_t *p) {
  for (int i = 0; i < 100; ++i) {
    p->now_s += 0.02;
    uint32_t count = file_watch_poll(p->watch, p->now_s);
    if (count)
      return count;
  }
  return 0;
}

static void assert_batch(watch_fixture_t *p, const char *path) {
  assert_int_equal(poll_until_batch(p), 1);
  assert_string_equal(file_watch_path(p->watch, 0), path);
  assert_int_equal(poll_until_batch(p), 0);
}

TEST_IN(unchanged_folder_reports_no_changes, watch_fixture_t, p) {
  assert_int_equal(poll_until_batch(p), 0);
}
TEST_ALSO_IN(unchanged_folder_reports_no_changes, polling_watch_fixture_t, "polling")

TEST_IN(saved_file_is_reported_once, watch_fixture_t, p) {
  write_file(p, "systems/movement.lua", "return { phase = 'update' }");
  assert_batch(p, "systems/movement.lua");
}
TEST_ALSO_IN(saved_file_is_reported_once, polling_watch_fixture_t, "polling")

// Writes the file and restores its modification time, as `cp -p` and `touch -r` do. Repeats this until the change time
// in the file system has advanced.
static void change_file_and_restore_its_time(const watch_fixture_t *p, const char *name, const char *text) {
  struct stat before, after;
  assert_int_equal(stat(path_below(p, name), &before), 0);
  do {
    write_file(p, name, text);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    assert_int_equal(utimensat(AT_FDCWD, path_below(p, name), times, 0), 0);
    assert_int_equal(stat(path_below(p, name), &after), 0);
  } while (memcmp(&before.st_ctim, &after.st_ctim, sizeof before.st_ctim) == 0);
}

TEST_IN(file_saved_with_its_old_size_and_time_is_reported, watch_fixture_t, p) {
  change_file_and_restore_its_time(p, "game.lua", "return 12");
  assert_int_equal(poll_until_batch(p), 1);
  assert_string_equal(file_watch_path(p->watch, 0), "game.lua");
  assert_true(file_watch_may_be_equal(p->watch, 0));
  write_file(p, "game.lua", "return 1234");
  assert_int_equal(poll_until_batch(p), 1);
  assert_false(file_watch_may_be_equal(p->watch, 0));
}
TEST_ALSO_IN(file_saved_with_its_old_size_and_time_is_reported, polling_watch_fixture_t, "polling")

TEST_IN(file_saved_by_rename_is_reported, watch_fixture_t, p) {
  write_file_by_rename(p, "systems/movement.lua", "return { name = 1 }");
  assert_batch(p, "systems/movement.lua");
}
TEST_ALSO_IN(file_saved_by_rename_is_reported, polling_watch_fixture_t, "polling")

TEST_IN(created_and_deleted_files_are_reported, watch_fixture_t, p) {
  write_file(p, "systems/drift.lua", "return {}");
  assert_batch(p, "systems/drift.lua");
  unlink(path_below(p, "systems/drift.lua"));
  assert_batch(p, "systems/drift.lua");
}
TEST_ALSO_IN(created_and_deleted_files_are_reported, polling_watch_fixture_t, "polling")

TEST_IN(files_in_a_new_folder_are_reported, watch_fixture_t, p) {
  file_system_create_folder(path_below(p, "lib"), false);
  file_system_create_folder(path_below(p, "lib/deep"), false);
  write_file(p, "lib/deep/rocks.lua", "return {}");
  assert_batch(p, "lib/deep/rocks.lua");
  write_file(p, "lib/deep/rocks.lua", "return { 1 }");
  assert_batch(p, "lib/deep/rocks.lua");
}
TEST_ALSO_IN(files_in_a_new_folder_are_reported, polling_watch_fixture_t, "polling")

TEST_IN(moved_folder_is_reported_at_its_new_path, watch_fixture_t, p) {
  char from[PATH_MAX];
  snprintf(from, sizeof from, "%s", path_below(p, "systems"));
  assert_int_equal(rename(from, path_below(p, "moved")), 0);
  assert_int_equal(poll_until_batch(p), 2); // deleted at the old path, created at the new one
  write_file(p, "moved/movement.lua", "return { 1, 2, 3 }");
  assert_batch(p, "moved/movement.lua");
}
TEST_ALSO_IN(moved_folder_is_reported_at_its_new_path, polling_watch_fixture_t, "polling")

TEST_IN(temporary_files_of_editors_are_ignored, watch_fixture_t, p) {
  write_file(p, "systems/.movement.lua.swp", "x");
  write_file(p, "systems/4913", "x");
  write_file(p, "systems/movement.lua~", "x");
  write_file(p, "systems/#movement.lua#", "x");
  assert_int_equal(poll_until_batch(p), 0);
}
TEST_ALSO_IN(temporary_files_of_editors_are_ignored, polling_watch_fixture_t, "polling")

TEST_IN(saved_files_are_reported_as_one_batch_without_duplicates, watch_fixture_t, p) {
  char name[64];
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 20; ++i) {
      snprintf(name, sizeof name, "systems/s%02d.lua", i);
      write_file(p, name, round == 0 ? "a" : round == 1 ? "bb" : "ccc");
    }
  assert_int_equal(poll_until_batch(p), 20);
  assert_int_equal(poll_until_batch(p), 0);
}
TEST_ALSO_IN(saved_files_are_reported_as_one_batch_without_duplicates, polling_watch_fixture_t, "polling")

TEST_IN(file_change_batch_waits_until_writes_have_settled, watch_fixture_t, p) {
  write_file(p, "game.lua", "return { 1 }");
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.01), 0);
  write_file(p, "game.lua", "return { 1, 2 }");
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.05), 0);
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.05), 0);
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.02), 1);
}

TEST_IN(changes_are_reported_during_continuous_saving, watch_fixture_t, p) {
  uint32_t reported = 0;
  for (int i = 0; i < 40 && !reported; ++i) {
    write_file(p, "game.lua", i % 2 ? "a" : "bb");
    reported = file_watch_poll(p->watch, p->now_s += 0.03);
  }
  assert_int_equal(reported, 1);
}
TEST_ALSO_IN(changes_are_reported_during_continuous_saving, polling_watch_fixture_t, "polling")

TEST_IN(recreated_game_folder_is_watched_again, watch_fixture_t, p) {
  temporary_folder_remove(p->folder);
  assert_int_equal(poll_until_batch(p), 2);
  file_system_create_folder(p->folder, false);
  write_file(p, "game.lua", "return {}");
  assert_batch(p, "game.lua");
  write_file(p, "game.lua", "return { 2 }");
  assert_batch(p, "game.lua");
}
TEST_ALSO_IN(recreated_game_folder_is_watched_again, polling_watch_fixture_t, "polling")

TEST_IN(new_symlink_is_reported, watch_fixture_t, p) {
  char from[PATH_MAX];
  snprintf(from, sizeof from, "%s", path_below(p, "game.lua"));
  assert_int_equal(symlink(from, path_below(p, "systems/link.lua")), 0);
  assert_batch(p, "systems/link.lua");
}
TEST_ALSO_IN(new_symlink_is_reported, polling_watch_fixture_t, "polling")

TEST_IN(watching_a_symlink_cycle_terminates, watch_fixture_t, p) {
  for (int i = 0; i < 4; ++i) {
    char name[64];
    snprintf(name, sizeof name, "systems/again%d", i);
    assert_int_equal(symlink(p->folder, path_below(p, name)), 0);
  }
  write_file(p, "systems/movement.lua", "return { 4 }");
  assert_batch(p, "systems/movement.lua");
}
TEST_ALSO_IN(watching_a_symlink_cycle_terminates, polling_watch_fixture_t, "polling")

TEST_IN(file_in_two_watched_folders_is_reported_once_with_the_first_prefix, watch_fixture_t, p) {
  char inner[PATH_MAX];
  snprintf(inner, sizeof inner, "%s", path_below(p, "systems"));
  file_watch_clear(p->watch);
  file_watch_add(p->watch, p->folder, "shoal/");
  // The folder is inside the first folder: changes are reported once, with the first prefix.
  file_watch_add(p->watch, inner, "");
  write_file(p, "systems/movement.lua", "return { 7 }");
  assert_batch(p, "shoal/systems/movement.lua");
}
TEST_ALSO_IN(file_in_two_watched_folders_is_reported_once_with_the_first_prefix, polling_watch_fixture_t, "polling")

TEST_IN(cleared_folder_is_no_longer_watched, watch_fixture_t, p) {
  file_watch_clear(p->watch);
  write_file(p, "game.lua", "return { 3 }");
  assert_int_equal(poll_until_batch(p), 0);
}
TEST_ALSO_IN(cleared_folder_is_no_longer_watched, polling_watch_fixture_t, "polling")
