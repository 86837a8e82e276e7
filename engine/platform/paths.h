// Locations of the installation and its games, found once at startup.
#ifndef SHOAL_PLATFORM_PATHS_H
#define SHOAL_PLATFORM_PATHS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define PATH_MAX_BYTES 512

typedef struct paths_t {
  char root[PATH_MAX_BYTES];     // contains scripts/shoal
  char engine[PATH_MAX_BYTES];   // <root>/scripts/shoal
  char games[PATH_MAX_BYTES];    // <root>/scripts/games
  char examples[PATH_MAX_BYTES]; // <root>/scripts/examples
  char menu[PATH_MAX_BYTES];     // <root>/scripts/shoal/menu
  char assets[PATH_MAX_BYTES];   // <root>/assets
  // Bundled plugins: plugins/ next to the executable's folder, or lib/shoal/plugins if installed; "" if none.
  char plugins[PATH_MAX_BYTES];
  // The engine's scripts compiled by the build: shoal.code in that folder; "" if missing or older than the
  // executable.
  char code[PATH_MAX_BYTES];
} paths_t;

// Stores the absolute path of the running program in `out` (PATH_MAX of limits.h). Returns false if it cannot be
// determined.
bool paths_program(const char *argv0, char *out);

// Finds the installation. In a package, everything is in its archive, and plugins/ is next to the program. Otherwise
// the root is $SHOAL_ROOT, the closest folder above the executable that contains scripts/shoal, or share/shoal if
// installed. `program` is argv[0], for systems that do not report the executable's path. Returns false with a message
// that names the places searched.
bool paths_find(paths_t *p, const char *program, error_t *error);
// Uses a root known to the caller. Does not look for the build's compiled scripts.
bool paths_find_at(paths_t *p, const char *root, error_t *error);

// Stores the folder of a game, or else of an example, by name ("asteroids"), in `out` (caller's, PATH_MAX_BYTES).
// Returns false with a message for users if neither exists.
bool paths_game(const paths_t *p, const char *name, char *out, error_t *error);
// Stores the absolute path of any game folder. Returns false with a message if it is missing, unreadable or not a
// game.
bool paths_folder(const char *folder, char *out, error_t *error);
// Returns true if `path` is the folder or inside it.
bool paths_is_below(const char *path, const char *folder);

#endif
