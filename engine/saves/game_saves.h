// Saves of the running game: --save and --load, world.save and world.load, autosaves. The format is in store/save.h.
#ifndef SHOAL_SAVES_GAME_SAVES_H
#define SHOAL_SAVES_GAME_SAVES_H

#include "base/error.h"

#include <stdbool.h>

typedef struct session_t session_t;

// Writes the running game to a file, or replaces its world with that of a file, including migrations. Call between two
// ticks. Returns false with an error; the file or the world is then unchanged.
bool game_saves_write(session_t *s, const char *path, error_t *error);
bool game_saves_load(session_t *s, const char *path, error_t *error);

// Loads the save of --load in place of the world that `start` made. Returns false with an error; the run must then not
// begin.
bool game_saves_load_first(session_t *s, error_t *error);
// Writes the files of --save and --export. A failure is logged and sets the exit code to 1.
void game_saves_finish(session_t *s);

// Handles scripts' requests between two ticks, in this order: writes exported scenes, saves slot `save`, deletes slot
// `drop`, loads slot `wanted`; "" means no request. Failures are logged and shown.
void game_saves_requests(session_t *s, const char *save, const char *drop, const char *wanted);
// Makes the thumbnails of saves available as images "save:NAME".
void game_saves_use_pictures(session_t *s);

// Starts an autosave on a thread if game.lua's `autosave` is due. Call after each tick. Does not affect the world.
void game_saves_autosave(session_t *s);
// Waits until a running autosave is written.
void game_saves_autosave_end(session_t *s);

#endif
