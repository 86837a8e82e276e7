// Scene files of one game. world.export and world.import write and read NAME.json in the folder of the game's saves.
// scenes/*.json are read with the game's sources; a changed file is applied to its open scene. See store/scene.h for
// the format.
#ifndef SHOAL_GAME_SCENE_FILES_H
#define SHOAL_GAME_SCENE_FILES_H

#include "ecs/world.h"
#include "script/sources.h"
#include "store/scene.h"
#include "time/external_input.h"

typedef struct game_o game_o;

typedef struct scene_files_o scene_files_o;

// Borrows both arguments, which must outlive the object. If `external` is NULL, scenes are read directly and are not
// recorded.
scene_files_o *scene_files_create(const game_o *game, external_o *external);
void scene_files_destroy(scene_files_o *s); // drops unwritten files; accepts NULL

// Keeps a copy of the text, to be written to the saves folder when the tick ends. Replaces a text kept under the same
// name. Returns true on success. Returns false with an error if 64 files are kept, none of them with this name.
bool scene_files_store(scene_files_o *s, const char *name, const char *text, size_t bytes, error_info_t *error);
// Returns the file's text, '\0'-terminated and borrowed until the next frame or call, or NULL with an error if the file
// cannot be read.
const char *scene_files_fetch(scene_files_o *s, const char *name, size_t *bytes, error_info_t *error);

// Returns the text that is kept under this name, '\0'-terminated and borrowed until the next call, and stores its size.
// Returns NULL if no such text is kept.
const char *scene_files_get_stored(const scene_files_o *s, const char *name, size_t *bytes);
// Drops the text that is kept under this name, if any.
void scene_files_drop(scene_files_o *s, const char *name);

// Drops the text kept in a tick that is being undone. Kept text is written only between two ticks, so trial ticks never
// write files.
void scene_files_discard(scene_files_o *s);
// Writes the next kept text to its file and stores the name in `name` (`bytes` long). `error` is empty on success.
// Returns true if a text was taken, or false if no text is left. The text is dropped without being written if `skip` is
// true, or if the backup copy of the file to be replaced could not be written.
bool scene_files_write_next(scene_files_o *s, bool skip, char *name, size_t bytes, error_info_t *error);

// After a reload: if the scene of the changed `file` is open, updates its entities. `listener` receives the log lines.
// Returns the number of changed entities. If the scene is open, *kept_values receives the number of values left
// unchanged because the game has set them.
uint32_t scene_files_apply_change(scene_files_o *s, const char *file, sources_o *old_sources, sources_o *new_sources,
                                  const scene_listener_t *listener, uint32_t *kept_values);

// Adds a scene whose file contains `saved = false` to the list of unsaved scenes (saves/unsaved_scenes.h).
void scene_files_add_unsaved(scene_files_o *s, const char *name);
bool scene_files_is_unsaved(const scene_files_o *s, const char *name, size_t length);
bool scene_files_has_unsaved(const scene_files_o *s); // returns true if the game has an unsaved scene

// Implements --export: writes all entities to a file. Returns true on success, or false with an error.
bool scene_files_export(world_o *world, const char *path, error_info_t *error);

#endif
