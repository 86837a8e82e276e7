// Saves while a game runs: --save and --load, world.save and world.load, and `shoal sql FILE`. What a save is: tools/save.h.
#ifndef SHOAL_HOST_KEEP_H
#define SHOAL_HOST_KEEP_H

#include "base/error.h"
#include "host/options.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct host_o host_o;

// --load: in place of the world that `start` made. False with a message: the run does not begin.
bool keep_load_first(host_o *h, error_t *error);
// The file `name` + `suffix` in the folder of a game's saves, which is made when it is not there. False with a message.
bool keep_path(const char *game_folder, const char *name, const char *suffix, char *out, size_t bytes, error_t *error);

// --save and --export. A failure is logged and makes the exit code 1.
void keep_save_last(host_o *h);
// What scripts have asked for, between two ticks: scenes as files; `save` and `load` are names, "" for none. A failure is logged and shown.
void keep_requests(host_o *h, const char *save, const char *load);

// After each tick: what game.lua's `autosave` asks for, written by a thread. Nothing of the world depends on it.
void keep_autosave(host_o *h);
// Waits for the one that is being written.
void keep_autosave_end(host_o *h);

// `shoal sql FILE`: asks the save, prints the answers, and gives the exit code. False when the options ask for something else: for
// that a host is needed.
bool keep_answers(const options_t *o, int *exit_code);

#endif
