// A private copy of a game's saves folder, for runs without a player (options_use_temporary_saves in start/options.h).
// Such a run reads the user's saves and settings, and its own written files, but never changes the user's files. Until
// its first write, it reads the user's folder. The first write copies that folder into a new folder in $TMPDIR
// (default: /tmp), and the run uses the copy from then on. The copy is deleted with this object. If the process is
// killed, a later run deletes the copy.
#ifndef SHOAL_GAME_TEMPORARY_SAVES_H
#define SHOAL_GAME_TEMPORARY_SAVES_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct temporary_saves_o temporary_saves_o;

temporary_saves_o *temporary_saves_create(allocator_t *a);
void temporary_saves_destroy(temporary_saves_o *t); // accepts NULL

// Writes the path of the folder to read: the copy of the game's saves (`id`), or `user_folder` if no copy exists.
void temporary_saves_find(const temporary_saves_o *t, const char *id, const char *user_folder, char *out, size_t bytes);
// Like temporary_saves_find, but creates the copy if it is missing. Returns true on success. Returns false with an
// error if the folder cannot be copied. The run then keeps reading the user's folder.
bool temporary_saves_prepare(temporary_saves_o *t, const char *id, const char *user_folder, char *out, size_t bytes,
                             error_info_t *error);

#endif
