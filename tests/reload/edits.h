// Random edits to a game's folder, like those that editors, tools and designers make, including mistakes.
#ifndef SHOAL_TESTS_RELOAD_EDITS_H
#define SHOAL_TESTS_RELOAD_EDITS_H

#include "base/random.h"
#include "folder.h"

typedef struct edit_t {
  const char *name;
  // Changes a random place in `f` and writes the path of the changed file to `path` (1024 bytes). Returns false if `f`
  // contains no place for this edit.
  bool (*make)(folder_t *f, random_t *r, char *path);
  bool harmless; // the game behaves the same afterwards
} edit_t;

extern const edit_t EDITS[];
extern const uint32_t EDIT_COUNT;

#endif
