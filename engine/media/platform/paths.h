// Locations of the installation and its games, determined once at startup.
#ifndef SHOAL_PLATFORM_PATHS_H
#define SHOAL_PLATFORM_PATHS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define PATH_MAX_BYTES 512

typedef struct paths_t {
  char root[PATH_MAX_BYTES];     // folder that contains scripts/shoal
  char engine[PATH_MAX_BYTES];   // <root>/scripts/shoal
  char games[PATH_MAX_BYTES];    // <root>/scripts/games
  char examples[PATH_MAX_BYTES]; // <root>/scripts/examples
  char menu[PATH_MAX_BYTES];     // <root>/scripts/shoal/menu
  char assets[PATH_MAX_BYTES];   // <root>/assets
  // Folder of the bundled plugins: plugins/ next to the executable's folder. In a package, plugins/ next to the
  // program. In an installation, lib/shoal/plugins. After paths_use_root, build/release/plugins in the root. "" if
  // unknown. The folder may be missing.
  char plugins[PATH_MAX_BYTES];
  // File shoal.code next to `plugins` or, in a package, in the archive: the engine's scripts compiled by the build. ""
  // if it is missing or older than the executable.
  char code[PATH_MAX_BYTES];
} paths_t;

// Finds the installation. The root is $SHOAL_ROOT if set. Otherwise, it is the folder closest above the executable that
// contains scripts/shoal, either directly or in its subfolder share/shoal, which is then the root. If the executable's
// path is unknown, the search starts at the current folder. In a package, all files are in its archive, except for
// plugins/ next to the program. `program` is argv[0], for systems that do not report the executable's path. Returns
// true on success, or false with a message if the installation is not found.
bool paths_find_installation(paths_t *p, const char *program, error_info_t *error);
// Uses the given root, or share/shoal in it, without a search. Ignores compiled scripts of the build. Returns true on
// success, or false with a message if neither contains scripts/shoal.
bool paths_use_root(paths_t *p, const char *root, error_info_t *error);

// Finds the folder of the game with this name ("asteroids"), of the example with this name, or of the game with this
// title ("rockfall"), in this order. Stores it in `out` (PATH_MAX_BYTES bytes). Returns true on success, or false with
// a message for users if no such game exists or paths_resolve_game_folder rejects its folder.
bool paths_find_game(const paths_t *p, const char *name, char *out, error_info_t *error);
// Like paths_find_game, but also accepts the path of a game's folder. A name takes precedence over a folder.
bool paths_find_game_or_folder(const paths_t *p, const char *target, char *out, error_info_t *error);
// Message for paths_is_ambiguous. Arguments of the format: target, folder, target.
#define PATHS_AMBIGUOUS "%s: uses the game in %s: write ./%s for the folder in the current folder"
// Returns true if `target`, which names the game in `folder`, is also a different folder with a game in the current
// folder.
bool paths_is_ambiguous(const char *target, const char *folder);
// Stores the absolute path of a game's folder in `out` (PATH_MAX_BYTES bytes). For a folder without game.lua that
// contains the steps 1, 2, … of a tutorial, stores the folder of the last step. Returns true on success. Returns false
// with a message if `folder` is not a readable folder with a readable game.lua, or if the absolute path is too long.
bool paths_resolve_game_folder(const char *folder, char *out, error_info_t *error);
// Returns true if `path` is the folder or is inside it.
bool paths_is_below(const char *path, const char *folder);

#endif
