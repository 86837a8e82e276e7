// The edits of a bad day: each changes a game's folder in one way that some editor, tool or tired designer has done it
// before.
#ifndef SHOAL_TESTS_RELOAD_EDITS_H
#define SHOAL_TESTS_RELOAD_EDITS_H

#include "base/random.h"
#include "folder.h"

typedef struct edit_t {
  const char *name;
  // Changes `f` somewhere. `path` (1024 bytes) gets the file that it concerns. False when there is nothing to do it to.
  bool (*make)(folder_t *f, random_t *r, char *path);
  bool harmless; // the game means the same afterwards
} edit_t;

extern const edit_t EDITS[];
extern const uint32_t EDIT_COUNT;

#endif
