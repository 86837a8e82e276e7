// Where things lie: the installation and the games in it. Plain paths, found once.
#ifndef SHOAL_PLATFORM_PATHS_H
#define SHOAL_PLATFORM_PATHS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define PATH_MAX_BYTES 512

typedef struct paths_t {
  char root[PATH_MAX_BYTES];     // holds scripts/shoal
  char engine[PATH_MAX_BYTES];   // <root>/scripts/shoal
  char games[PATH_MAX_BYTES];    // <root>/scripts/games
  char examples[PATH_MAX_BYTES]; // <root>/scripts/examples
  char menu[PATH_MAX_BYTES];     // <root>/scripts/shoal/menu
  char assets[PATH_MAX_BYTES];   // <root>/assets
  char plugins[PATH_MAX_BYTES];  // that come with Shoal: plugins/ beside the folder of the executable, or
                                 // lib/shoal/plugins where it is installed; "" for none
  char code[PATH_MAX_BYTES]; // shoal.code beside that folder: the engine's scripts as the build compiled them; "" when
                             // it is not there, or older than the executable
} paths_t;

// Absolute path of the running program into `out` (PATH_MAX of limits.h); false when nothing tells it.
bool paths_program(const char *argv0, char *out);

// In a package everything lies in its archive, and plugins/ beside the program. Else the root is $SHOAL_ROOT, or the
// nearest folder above the executable that holds scripts/shoal, or share/shoal where Shoal is installed. `program` is
// argv[0], for systems that do not tell where the executable is. False with a message that says where it was looked
// for.
bool paths_find(paths_t *p, const char *program, error_t *error);
// The same below a root that somebody else has found. What the build has compiled is not looked for.
bool paths_find_at(paths_t *p, const char *root, error_t *error);

// The folder of a game, or else of an example, by name ("asteroids") into `out` (caller's, PATH_MAX_BYTES). False with
// a sentence for people when there is none.
bool paths_game(const paths_t *p, const char *name, char *out, error_t *error);
// A game folder from anywhere, as an absolute path. False with a sentence when it is missing, unreadable or no game.
bool paths_folder(const char *folder, char *out, error_t *error);
// Is `path` that folder, or in it?
bool paths_is_below(const char *path, const char *folder);

#endif
