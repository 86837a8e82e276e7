// Paths of a served world's files outside its database, such as world.key.
#ifndef SHOAL_GAME_WORLD_FILES_H
#define SHOAL_GAME_WORLD_FILES_H

#include "game/game.h"

// Writes the base path of these files: the path of the database file or, for the address of a server, a path in a
// subfolder of the game's save folder. Creates the subfolder. Returns true on success, or false with an error.
bool world_files_find(const game_o *g, const char *database, char *out, size_t bytes, error_info_t *error);
// Like world_files_find, for the game with this id (save_slots_id). Creates no folder.
bool world_files_locate(const char *game, const char *database, char *out, size_t bytes, error_info_t *error);

#endif
