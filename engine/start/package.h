// A package: a game with all that it needs, for players. Beside the program, which is called as the game is, lies
// PROGRAM.data, an archive (base/archive.h) with scripts/shoal, assets, the game as games/ID, the engine's scripts
// as bytecode (shoal.code), and package.json, which says what it is. ./shoal package makes one.
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
  char program[64]; // "asteroids": its file's name, without a folder
  char title[128];
  char id[64]; // of its saves
  char version[64];
  char shoal[32];               // the version of the engine in it
  char folder[PATH_MAX_BYTES];  // that everything lies in
  char game[PATH_MAX_BYTES];    // the game's folder, in the archive
  uint64_t engine_hash;         // of the engine's scripts: recordings have it
  bool trust;                   // its maker grants it `native`
  char reports[PATH_MAX_BYTES]; // see package_reports; "" for none
} package_t;

typedef enum package_found_t {
  PACKAGE_NONE,   // this is the program of a tree
  PACKAGE_FOUND,  // mounted
  PACKAGE_DAMAGED // the message is for players
} package_found_t;

// Looks beside the running program; `argv0` is its name, for systems that do not tell. Called once, before there are
// other threads.
package_found_t package_find(const char *argv0, package_t *out, error_t *error);

// Where reports of a package's game go, into p->reports: <folder of the user's data>/shoal/reports/ID, made when it is
// not there. False with a message.
bool package_reports(package_t *p, error_t *error);

// --portable: what the game keeps lies in saved/, beside the program. False with a message when that cannot be written.
bool package_be_portable(const package_t *p, error_t *error);

typedef struct package_desc_t {
  const char *title, *id, *version, *shoal;
  const char *root;      // of the tree that it is made from
  const char *game;      // the game's folder
  const char *code_file; // the engine's scripts as bytecode; "" for none
  bool code_is_own;      // the LuaJIT of this program writes the same: the game's scripts are added
  bool trust;
  const codegen_object_t *objects; // compiled systems, as files of the archive
  uint32_t object_count;
} package_desc_t;

// Writes an archive for a package. The same files make the same bytes. False with a message: also when the game's
// folder holds a link that leads out of it.
bool package_write(const package_desc_t *desc, const char *path, error_t *error);

#endif
