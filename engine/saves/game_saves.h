// Saves of the running game: --save and --load, world.save and world.load, the autosave. What a save is: store/save.h.
#ifndef SHOAL_SAVES_GAME_SAVES_H
#define SHOAL_SAVES_GAME_SAVES_H

#include "base/error.h"

#include <stdbool.h>

typedef struct session_t session_t;

// Writes the running game to a file, or replaces its world with that of a file (migrations included). Between two
// ticks. False with a message; then the file, or the world, is as it was.
bool game_saves_write(session_t *s, const char *path, error_t *error);
bool game_saves_load(session_t *s, const char *path, error_t *error);

// --load: replaces the world that `start` made. False with a message: the run does not begin.
bool game_saves_load_first(session_t *s, error_t *error);
// --save and --export. A failure is logged and makes the exit code 1.
void game_saves_save_last(session_t *s);

// What scripts have requested, between two ticks: scenes as files; then the slots `save`, `drop` (deleted) and `wanted`
// (loaded), "" for none. A failure is logged and shown.
void game_saves_requests(session_t *s, const char *save, const char *drop, const char *wanted);
// Makes the pictures next to the saves of the running game available as images "save:NAME".
void game_saves_use_pictures(session_t *s);

// After each tick: starts the autosave that game.lua's `autosave` asks for, on a thread. It does not affect the world.
void game_saves_autosave(session_t *s);
// Waits for the autosave that is being written.
void game_saves_autosave_end(session_t *s);

#endif
