// A temporary folder with a game, and hosts that run it without a window, for tests of matches in one process.
#ifndef SHOAL_TESTS_MATCH_FOLDER_H
#define SHOAL_TESTS_MATCH_FOLDER_H

#include "match_fixture.h"
#include "temporary_folder.h"

#include "base/files.h"
#include "game/game.h"
#include "host/host.h"
#include "host/host_internal.h"
#include "match/match_game.h"

#include <unistd.h>

typedef struct match_folder_t {
  char path[64];
  options_t options; // options of the hosts
} match_folder_t;

static inline void match_folder_run(const char *format, const char *path) {
  char command[256];
  snprintf(command, sizeof command, format, path);
  assert_int_equal(system(command), 0);
}

// Creates an empty folder, except for the folder of systems. The struct must not be moved.
static inline void match_folder_create(match_folder_t *folder) {
  temporary_folder_create(folder->path, sizeof folder->path, "match");
  match_folder_run("mkdir '%s/systems'", folder->path);
  folder->options = (options_t){
      .command = OPTIONS_RUN, .program = "", .target = folder->path, .headless = true, .log_level = LOG_INFO};
}

static inline void match_folder_remove(const match_folder_t *folder) {
  match_folder_run("rm -rf '%s'", folder->path);
}

static inline void match_folder_write(const match_folder_t *folder, const char *name, const char *text) {
  char path[PATH_MAX_BYTES];
  assert_true(file_write(path_join(path, sizeof path, folder->path, name), text, strlen(text), NULL));
}

// Replaces the game with Asteroids.
static inline void match_folder_copy_asteroids(const match_folder_t *folder) {
  match_folder_run("rm -rf '%1$s'/* && cp -r scripts/games/asteroids/. '%1$s'", folder->path);
}

// Starts the game in a new host, which prints nothing to the terminal; free it with host_destroy.
static inline host_o *match_folder_start(const match_folder_t *folder) {
  error_info_t error = {0};
  host_o *h = host_create(&folder->options, &error);
  if (!h || !h->session.game)
    fail_msg("%s", error.text);
  log_set_terminal(h->session.game->desc.log, false);
  return h;
}

#endif
