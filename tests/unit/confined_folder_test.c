// Tests of symbolic links: lists of files, and confined folders (base/confined_folder.h).
#include "base/confined_folder.h"
#include "base/file_system.h"
#include "base/files.h"
#include "temporary_folder.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static void folder_setup(void) {
  temporary_folder_create(folder, sizeof folder, "base-test");
}

static void folder_teardown(void) {
  temporary_folder_remove(folder);
}
STATIC_FIXTURE(fixture, folder_setup, folder_teardown)

static void write_text(const char *name, const char *text) {
  char path[256];
  error_info_t error;
  if (!file_write(path_join(path, sizeof path, folder, name), text, strlen(text), &error))
    fail_msg("%s", error.text);
}

static void make_folder(const char *name) {
  char path[256];
  assert_true(file_system_create_folder(path_join(path, sizeof path, folder, name), false));
}

TEST_WITH(listing_a_folder_with_a_symlink_cycle_terminates, fixture) {
  allocator_t a = {0};
  char path[256];
  write_text("a.txt", "");
  assert_int_equal(symlink(".", path_join(path, sizeof path, folder, "again")), 0);
  file_list_t list;
  assert_true(file_list(&a, folder, "", &list, NULL));
  assert_true(list.count >= 1 && list.count < 100);
  file_list_free(&a, &list);
}

static void make_link(const char *target, const char *name) {
  char path[256];
  assert_int_equal(symlink(target, path_join(path, sizeof path, folder, name)), 0);
}

// Creates a game's folder with symbolic links, some of which lead to a file outside the folder.
static void make_links(void) {
  char target[256];
  make_folder("game");
  make_folder("game/deep");
  make_folder("outside");
  write_text("outside/secret.txt", "secret");
  write_text("game/a.txt", "a");
  write_text("game/deep/b.txt", "b");
  make_link("deep/b.txt", "game/to_b");
  make_link("../a.txt", "game/deep/up");
  make_link("deep", "game/to_deep");
  make_link("to_deep/up", "game/chain");
  make_link("../outside/secret.txt", "game/relative_secret");
  make_link("deep/../../outside", "game/folder_outside");
  make_link("to_deep/../../outside/secret.txt", "game/by_link");
  make_link(path_join(target, sizeof target, folder, "outside/secret.txt"), "game/absolute_secret");
  make_link(path_join(target, sizeof target, folder, "game/a.txt"), "game/absolute_inside");
  make_link("self", "game/self");
  make_link("nowhere", "game/broken");
}

static const struct {
  const char *path; // relative to the confined folder
  int reason;       // expected errno; 0 if the file can be opened
} LINKS[] = {{"a.txt", 0},
             {"./deep//../a.txt", 0},
             {"to_b", 0},
             {"deep/up", 0},
             {"to_deep/b.txt", 0},
             {"chain", 0},
             {"deep/..", 0},
             {"relative_secret", EXDEV},
             {"folder_outside/secret.txt", EXDEV},
             {"by_link", EXDEV},
             {"absolute_secret", EXDEV},
             {"absolute_inside", EXDEV},
             {"../outside/secret.txt", EXDEV},
             {"..", EXDEV},
             {"self", ELOOP},
             {"broken", ENOENT},
             {"missing/b.txt", ENOENT},
             {"a.txt/b.txt", ENOTDIR}};

TEST_WITH(confined_paths_cannot_leave_their_folder, fixture) {
  char game[256], path[512];
  make_links();
  confine_folder(path_join(game, sizeof game, folder, "game"));
  int root = open(game, O_RDONLY | O_DIRECTORY);
  for (size_t i = 0; i < sizeof LINKS / sizeof *LINKS; ++i) {
    path_join(path, sizeof path, game, LINKS[i].path);
    for (int walks = 0; walks < 2; ++walks) {
      errno = 0;
      int file =
          walks ? confined_open_by_walking(root, LINKS[i].path, CONFINED_READ) : confined_open(path, CONFINED_READ);
      if ((file >= 0) != (LINKS[i].reason == 0) || (file < 0 && errno != LINKS[i].reason))
        fail_msg("%s, %s: %s", LINKS[i].path, walks ? "walking" : "openat2", file < 0 ? strerror(errno) : "opened");
      if (file >= 0)
        close(file);
    }
  }
  close(root);
}

TEST_WITH(links_out_of_a_confined_folder_are_not_followed, fixture) {
  allocator_t a = {0};
  char game[256], path[512], outside[256];
  size_t bytes = 0;
  error_info_t error = {0};
  file_list_t list;
  make_links();
  confine_folder(path_join(game, sizeof game, folder, "game"));
  path_join(outside, sizeof outside, folder, "outside");
  path_join(path, sizeof path, game, "relative_secret");
  assert_false(file_exists(path));
  assert_null(file_read(&a, path, &bytes, &error));
  assert_non_null(strstr(error.text, "relative_secret: the link to ../outside/secret.txt leaves the game's folder"));
  path_join(path, sizeof path, game, "folder_outside/new.txt");
  assert_false(file_write(path, "x", 1, &error));
  assert_non_null(strstr(error.text, "folder_outside: the link to deep/../../outside leaves the game's folder"));
  assert_int_equal(file_create(path, &error), -1);
  assert_true(file_list(&a, outside, "", &list, NULL));
  assert_int_equal(list.count, 1);
  file_list_free(&a, &list);
  assert_true(file_list(&a, game, "secret.txt", &list, NULL));
  assert_int_equal(list.count, 0);
  file_list_free(&a, &list);
  path_join(path, sizeof path, game, "to_deep/new.txt");
  assert_true(file_write(path, "x", 1, NULL));
  path_join(path, sizeof path, game, "deep/new.txt");
  char *text = file_read(&a, path, &bytes, NULL);
  assert_string_equal(text, "x");
  file_free(&a, text, bytes);
  assert_int_equal(a.bytes, 0);
}
