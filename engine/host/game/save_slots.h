// Files of a game's save slots, in $XDG_DATA_HOME/shoal/saves/ID, where ID is the `id` of game.lua or the name of the
// game's folder. For the contents of a save, see store/save.h.
#ifndef SHOAL_GAME_SAVE_SLOTS_H
#define SHOAL_GAME_SAVE_SLOTS_H

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct game_o game_o;

const char *save_slots_id(const game_o *g);
// Writes the path of the folder, which may not exist. In a run with temporary saves (game/temporary_saves.h), this is
// the user's folder until the run writes. Returns true on success, or false with an error if neither HOME nor
// XDG_DATA_HOME is an absolute path, or if the path is too long.
bool save_slots_folder(const game_o *g, char *out, size_t bytes, error_info_t *error);
// Write the path of `name` + `suffix` in that folder. Code that writes or deletes a file of the folder must call
// save_slots_prepare, which first creates the folder or, in a run with temporary saves, its copy. Both return true, or
// false with an error, for example if game.lua has no id and the folder has saves of a game with a different title.
bool save_slots_path(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes,
                     error_info_t *error);
bool save_slots_prepare(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes,
                        error_info_t *error);
// Creates the user's folder, even in a run with temporary saves, and writes the path of a file in it. Returns as above.
bool save_slots_prepare_user_path(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes,
                                  error_info_t *error);
// Writes the path of a file in the user's folder for the game with this id. Creates no folder. Returns true on success.
// Returns false with an error if the folder or the path cannot be determined, as in save_slots_folder.
bool save_slots_find_user_path(const char *id, const char *name, const char *suffix, char *out, size_t bytes,
                               error_info_t *error);
// Writes ": did you mean NAME?" to `out` (NEAREST_NAME_MAX_BYTES + 32 bytes), where NAME is a file with that suffix
// next to `path`, or "" if no name is similar. Returns `out`.
const char *save_slots_hint(const char *path, const char *name, const char *suffix, char *out);

// Implementations of external_read_t (time/external_input.h): read one save, and the list of all saves
// (store/save_list.h). `context`: a game_o. They return true on success, or false with an error.
bool save_slots_read(void *context, const char *name, allocator_t *a, void **bytes, size_t *size, error_info_t *error);
bool save_slots_list(void *context, const char *key, allocator_t *a, void **bytes, size_t *size, error_info_t *error);

#endif
