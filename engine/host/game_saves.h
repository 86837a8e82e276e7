// Saves while a game runs: --save and --load, world.save and world.load, and `shoal sql FILE`. What a save is:
// store/save.h.
#ifndef SHOAL_HOST_GAME_SAVES_H
#define SHOAL_HOST_GAME_SAVES_H

#include "base/alloc.h"
#include "base/error.h"
#include "start/options.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct host_o host_o;
typedef struct game_o game_o;

// --load: in place of the world that `start` made. False with a message: the run does not begin.
bool game_saves_load_first(host_o *h, error_t *error);
// ": did you mean NAME?", of the files beside `path` that end like it, into `out` (SIMILAR_MOST + 32); "" for none.
const char *game_saves_hint(const char *path, const char *name, const char *suffix, char *out);
// The file `name` + `suffix` in the folder of a game's saves, which is made when it is not there. False with a
// message: also when the folder holds the saves of a game with another title, and no id in game.lua says that it is
// the same one.
bool game_saves_path(const game_o *g, const char *name, const char *suffix, char *out, size_t bytes, error_t *error);

// The pictures that are kept with the saves of the game that runs are images from now on, "save:NAME".
void game_saves_use_pictures(host_o *h);

// outside_read_t of a game's save; `context` is its game_o.
bool game_saves_read(void *context, const char *name, allocator_t *a, void **bytes, size_t *size, error_t *error);

// The same of the list of all saves (store/save_list.h).
bool game_saves_list(void *context, const char *key, allocator_t *a, void **bytes, size_t *size, error_t *error);

// --save and --export. A failure is logged and makes the exit code 1.
void game_saves_save_last(host_o *h);
// What scripts have asked for, between two ticks: scenes as files; `save`, `drop`, to be deleted, and `wanted`, to be
// loaded, are names, "" for none. A failure is logged and shown.
void game_saves_requests(host_o *h, const char *save, const char *drop, const char *wanted);

// After each tick: what game.lua's `autosave` asks for, written by a thread. Nothing of the world depends on it.
void game_saves_autosave(host_o *h);
// Waits for the one that is being written.
void game_saves_autosave_end(host_o *h);

// `shoal sql FILE`: asks the save, prints the answers, and gives the exit code. False when the options ask for
// something else: for that a host is needed.
bool game_saves_answers(const options_t *o, int *exit_code);

#endif
