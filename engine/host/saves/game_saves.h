// Saves and loads the running game: --save, --load, world.save, world.load and autosaves. store/save.h describes the
// format.
#ifndef SHOAL_SAVES_GAME_SAVES_H
#define SHOAL_SAVES_GAME_SAVES_H

#include "base/error.h"
#include "game/scene_files.h"
#include "script/script.h"

#include <stdbool.h>

typedef struct session_t session_t;

// game_saves_write saves the running game to a file. game_saves_load replaces the world with a saved world and runs the
// game's migrations. Both must be called between two ticks, and return true on success. On failure, both return false
// with an error, and leave the file (game_saves_write) or the world (game_saves_load) unchanged.
bool game_saves_write(session_t *s, const char *path, error_info_t *error);
bool game_saves_load(session_t *s, const char *path, error_info_t *error);

// Loads the save given by --load or, in a replay, the recorded save. It replaces the world that `start` created.
// Returns true on success, or if there is no save to load. Returns false with an error on failure. The caller must then
// not begin the run.
bool game_saves_load_initial(session_t *s, error_info_t *error);
// Writes the files given by --save and --export. A failure is logged and sets the exit code to 1.
void game_saves_write_exports(session_t *s);

// Handles requests from scripts between two ticks, in this order: writes exported scenes, writes and deletes saves in
// the order of the calls, and loads a save. Logs and shows the results.
void game_saves_run_requests(session_t *s, const script_requests_t *requests);
// Name of the settings file, and reserved prefix of the files beside it. Names of scenes never start with it.
#define GAME_SAVES_SETTINGS "game.settings"
// Writes the files that the scripts of a game have stored, and reports the results, except the success of settings
// files. If `skip` is true, drops the files instead of writing them.
void game_saves_write_files(session_t *s, scene_files_o *files, bool skip);
// Makes the screenshots of saves available as images named "save:NAME". Unless saves are temporary, also removes
// temporary files of killed processes from the saves folder.
void game_saves_register_screenshots(session_t *s);

// Starts an autosave on a thread if one is due (`autosave` in game.lua) and none is running. Logs failures. Call after
// each tick. Does not affect the world.
void game_saves_autosave_if_due(session_t *s);
// Waits until a running autosave has been written, and logs the result. Does nothing without a running autosave.
void game_saves_end_autosave(session_t *s);

#endif
