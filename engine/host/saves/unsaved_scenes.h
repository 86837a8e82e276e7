// Scenes whose file contains `saved = false`, such as a pause menu. Saves contain neither the entities nor the names of
// these scenes, as if the scenes had been closed before saving.
#ifndef SHOAL_SAVES_UNSAVED_SCENES_H
#define SHOAL_SAVES_UNSAVED_SCENES_H

#include "game/game.h"
#include "snapshot/snapshot.h"

// Closes the unsaved scenes in the game's world, between two ticks: destroys the entities and removes the names of
// these scenes from the lists of open and requested scenes.
void unsaved_scenes_close(game_o *g);
// Closes the unsaved scenes so that the world can be saved. Returns a snapshot of the previous world, for
// unsaved_scenes_restore. Returns NULL and closes nothing if no unsaved scene is open or requested. Returns NULL with
// an error if the snapshot fails.
snapshot_o *unsaved_scenes_detach(game_o *g, error_info_t *error);
// Restores the snapshot that unsaved_scenes_detach has returned, and releases the snapshot. Accepts NULL.
void unsaved_scenes_restore(game_o *g, snapshot_o *snapshot);

#endif
