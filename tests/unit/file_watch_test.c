// Watching real folders: inotify and polling must report the same changes. The tests pass simulated time.
#include "platform/file_watch.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

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
  snprintf(p->folder, sizeof p->folder, "/tmp/shoal-watch-XXXXXX");
  assert_non_null(mkdtemp(p->folder));
  mkdir(path_below(p, "systems"), 0755);
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
  char command[128];
  file_watch_destroy(p->watch);
  snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
  assert_int_equal(system(command), 0);
  free(p);
  return 0;
}

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

static void unchanged_folder_reports_no_changes(void **state) {
  assert_int_equal(poll_until_batch(*state), 0);
}

static void saved_file_is_reported_once(void **state) {
  watch_fixture_t *p = *state;
  write_file(p, "systems/movement.lua", "return { phase = 'update' }");
  assert_batch(p, "systems/movement.lua");
}

// Restores the time of the last modification, as `cp -p` and `touch -r` do. Repeats this until the clock of the file
// system has advanced.
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

static void file_saved_with_its_old_size_and_time_is_reported(void **state) {
  watch_fixture_t *p = *state;
  change_file_and_restore_its_time(p, "game.lua", "return 12");
  assert_int_equal(poll_until_batch(p), 1);
  assert_string_equal(file_watch_path(p->watch, 0), "game.lua");
  assert_true(file_watch_may_be_equal(p->watch, 0));
  write_file(p, "game.lua", "return 1234");
  assert_int_equal(poll_until_batch(p), 1);
  assert_false(file_watch_may_be_equal(p->watch, 0));
}

static void file_saved_by_rename_is_reported(void **state) {
  watch_fixture_t *p = *state;
  write_file_by_rename(p, "systems/movement.lua", "return { name = 1 }");
  assert_batch(p, "systems/movement.lua");
}

static void created_and_deleted_files_are_reported(void **state) {
  watch_fixture_t *p = *state;
  write_file(p, "systems/drift.lua", "return {}");
  assert_batch(p, "systems/drift.lua");
  unlink(path_below(p, "systems/drift.lua"));
  assert_batch(p, "systems/drift.lua");
}

static void files_in_a_new_folder_are_reported(void **state) {
  watch_fixture_t *p = *state;
  mkdir(path_below(p, "lib"), 0755);
  mkdir(path_below(p, "lib/deep"), 0755);
  write_file(p, "lib/deep/rocks.lua", "return {}");
  assert_batch(p, "lib/deep/rocks.lua");
  write_file(p, "lib/deep/rocks.lua", "return { 1 }");
  assert_batch(p, "lib/deep/rocks.lua");
}

static void moved_folder_is_reported_at_its_new_path(void **state) {
  watch_fixture_t *p = *state;
  char from[PATH_MAX];
  snprintf(from, sizeof from, "%s", path_below(p, "systems"));
  assert_int_equal(rename(from, path_below(p, "moved")), 0);
  assert_int_equal(poll_until_batch(p), 2); // deleted at the old path, created at the new one
  write_file(p, "moved/movement.lua", "return { 1, 2, 3 }");
  assert_batch(p, "moved/movement.lua");
}

static void temporary_files_of_editors_are_ignored(void **state) {
  watch_fixture_t *p = *state;
  write_file(p, "systems/.movement.lua.swp", "x");
  write_file(p, "systems/4913", "x");
  write_file(p, "systems/movement.lua~", "x");
  write_file(p, "systems/#movement.lua#", "x");
  assert_int_equal(poll_until_batch(p), 0);
}

static void saved_files_are_reported_as_one_batch_without_duplicates(void **state) {
  watch_fixture_t *p = *state;
  char name[64];
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 20; ++i) {
      snprintf(name, sizeof name, "systems/s%02d.lua", i);
      write_file(p, name, round == 0 ? "a" : round == 1 ? "bb" : "ccc");
    }
  assert_int_equal(poll_until_batch(p), 20);
  assert_int_equal(poll_until_batch(p), 0);
}

static void file_change_batch_waits_until_writes_have_settled(void **state) {
  watch_fixture_t *p = *state;
  write_file(p, "game.lua", "return { 1 }");
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.01), 0);
  write_file(p, "game.lua", "return { 1, 2 }");
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.05), 0);
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.05), 0);
  assert_int_equal(file_watch_poll(p->watch, p->now_s += 0.02), 1);
}

static void changes_are_reported_during_continuous_saving(void **state) {
  watch_fixture_t *p = *state;
  uint32_t reported = 0;
  for (int i = 0; i < 40 && !reported; ++i) {
    write_file(p, "game.lua", i % 2 ? "a" : "bb");
    reported = file_watch_poll(p->watch, p->now_s += 0.03);
  }
  assert_int_equal(reported, 1);
}

static void recreated_game_folder_is_watched_again(void **state) {
  watch_fixture_t *p = *state;
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(poll_until_batch(p), 2);
  mkdir(p->folder, 0755);
  write_file(p, "game.lua", "return {}");
  assert_batch(p, "game.lua");
  write_file(p, "game.lua", "return { 2 }");
  assert_batch(p, "game.lua");
}

static void new_symlink_is_reported(void **state) {
  watch_fixture_t *p = *state;
  char from[PATH_MAX];
  snprintf(from, sizeof from, "%s", path_below(p, "game.lua"));
  assert_int_equal(symlink(from, path_below(p, "systems/link.lua")), 0);
  assert_batch(p, "systems/link.lua");
}

static void watching_a_symlink_cycle_terminates(void **state) {
  watch_fixture_t *p = *state;
  for (int i = 0; i < 4; ++i) {
    char name[64];
    snprintf(name, sizeof name, "systems/again%d", i);
    assert_int_equal(symlink(p->folder, path_below(p, name)), 0);
  }
  write_file(p, "systems/movement.lua", "return { 4 }");
  assert_batch(p, "systems/movement.lua");
}

static void file_in_two_watched_folders_is_reported_once_with_the_first_prefix(void **state) {
  watch_fixture_t *p = *state;
  char inner[PATH_MAX];
  snprintf(inner, sizeof inner, "%s", path_below(p, "systems"));
  file_watch_clear(p->watch);
  file_watch_add(p->watch, p->folder, "shoal/");
  // The folder is inside the first folder: changes are reported once, with the first prefix.
  file_watch_add(p->watch, inner, "");
  write_file(p, "systems/movement.lua", "return { 7 }");
  assert_batch(p, "shoal/systems/movement.lua");
}

static void cleared_folder_is_no_longer_watched(void **state) {
  watch_fixture_t *p = *state;
  file_watch_clear(p->watch);
  write_file(p, "game.lua", "return { 3 }");
  assert_int_equal(poll_until_batch(p), 0);
}

#define WAY(name, way)                                                                                                 \
  { #name " (" #way ")", name, setup_##way, teardown, NULL }
#define EACH_WAY(name) WAY(name, inotify), WAY(name, polling)

int file_watch_tests(void);
int file_watch_tests(void) {
  const struct CMUnitTest tests[] = {
      EACH_WAY(unchanged_folder_reports_no_changes),
      EACH_WAY(saved_file_is_reported_once),
      EACH_WAY(file_saved_with_its_old_size_and_time_is_reported),
      EACH_WAY(file_saved_by_rename_is_reported),
      EACH_WAY(created_and_deleted_files_are_reported),
      EACH_WAY(files_in_a_new_folder_are_reported),
      EACH_WAY(moved_folder_is_reported_at_its_new_path),
      EACH_WAY(temporary_files_of_editors_are_ignored),
      EACH_WAY(saved_files_are_reported_as_one_batch_without_duplicates),
      cmocka_unit_test_setup_teardown(file_change_batch_waits_until_writes_have_settled, setup_inotify, teardown),
      EACH_WAY(changes_are_reported_during_continuous_saving),
      EACH_WAY(recreated_game_folder_is_watched_again),
      EACH_WAY(new_symlink_is_reported),
      EACH_WAY(watching_a_symlink_cycle_terminates),
      EACH_WAY(file_in_two_watched_folders_is_reported_once_with_the_first_prefix),
      EACH_WAY(cleared_folder_is_no_longer_watched),
  };
  return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
