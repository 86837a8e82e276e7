// Random edits: each changes a game's folder in a way that some editor, tool or tired designer has done before.
#ifndef SHOAL_TESTS_RELOAD_EDITS_H
#define SHOAL_TESTS_RELOAD_EDITS_H

#include "base/random.h"
#include "folder.h"

typedef struct edit_t {
  const char *name;
  // Changes `f` somewhere and writes the path of the affected file to `path` (1024 bytes). Returns false if nothing
  // can be changed this way.
  bool (*make)(folder_t *f, random_t *r, char *path);
  bool harmless; // the game behaves the same afterwards
} edit_t;

extern const edit_t EDITS[];
extern const uint32_t EDIT_COUNT;

#endif
