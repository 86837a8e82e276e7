// A package contains a game and everything that players need to run it. The program is named after the game. Next to it
// is GAME.data, an archive (base/archive.h) with scripts/shoal, assets, the game as games/ID, the engine's scripts
// as bytecode (shoal.code), and package.json, which describes the package. ./shoal package creates it.
#ifndef SHOAL_START_PACKAGE_H
#define SHOAL_START_PACKAGE_H

#include "base/error.h"
#include "native/codegen.h"
#include "platform/paths.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKAGE_FORMAT 1

typedef struct package_t {
  char program[64]; // name of the program's file: "asteroids", on Windows "asteroids.exe"
  char title[128];
  char id[64]; // id under which the game's saves are stored
  char version[64];
  char shoal[32];               // version of the engine
  char folder[PATH_MAX_BYTES];  // folder of the program
  char game[PATH_MAX_BYTES];    // path of the game's folder, in the mounted archive
  uint64_t engine_hash;         // hash of the engine's scripts; stored in recordings
  bool trusted;                 // true if the packager allows `native = true` in game.lua
  char reports[PATH_MAX_BYTES]; // folder for reports (package_create_report_folder); "" if not set
} package_t;

typedef enum package_status_t {
  PACKAGE_NONE,   // the program is not part of a package
  PACKAGE_FOUND,  // found and mounted
  PACKAGE_DAMAGED // a file of the package is damaged or missing; the error is a message for players
} package_status_t;

// Looks for a package next to the running program. `argv0` is used on systems that do not report the program's path.
// Call once, before other threads exist.
package_status_t package_find_and_mount(const char *argv0, package_t *out, error_info_t *error);

// Sets p->reports to the folder for reports of a package's game, <user data>/shoal/reports/ID, and creates the folder
// if necessary. Returns true on success, or false with a message.
bool package_create_report_folder(package_t *p, error_info_t *error);

// Implements --portable: the game stores its data in the folder saved/ next to the program. Returns true on success, or
// false with a message if the folder is not writable.
bool package_use_portable_folder(const package_t *p, error_info_t *error);

typedef struct package_addon_t {
  const char *name, *folder;
} package_addon_t;

typedef struct package_desc_t {
  const char *title, *id, *version, *shoal;
  const char *root;              // root of the source tree
  const char *game;              // folder of the game
  const package_addon_t *addons; // add-ons to pack as addons/NAME in the game's folder
  uint32_t addon_count;
  const char *code_file; // file with the engine's scripts as bytecode; "" if missing
  bool compiles_game;    // true if this program's LuaJIT writes the same format, so that the game's scripts are added
  bool trusted;
  const codegen_object_t *objects; // compiled systems, written as files of the archive
  uint32_t object_count;
} package_desc_t;

// Writes the archive of a package. Equal inputs give identical bytes. Returns true on success, or false with a message,
// for example if the game's folder contains a link to a file outside the folder.
bool package_write(const package_desc_t *desc, const char *path, error_info_t *error);

#endif
