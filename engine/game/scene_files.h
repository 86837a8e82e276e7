// Scenes as text for the scripts of one game: world.export, world.import, scenes/*.json. What a scene is:
// store/scene.h. Files lie where the game's saves lie, as NAME.json.
#ifndef SHOAL_GAME_SCENE_FILES_H
#define SHOAL_GAME_SCENE_FILES_H

#include "ecs/world.h"
#include "script/sources.h"
#include "store/scene.h"
#include "time/external_input.h"

typedef struct game_o game_o;

typedef struct scene_files_o scene_files_o;

// All borrowed, and longer alive. `outside` NULL: scenes are read from their files, and that is no part of a recording.
scene_files_o *scene_files_create(const game_o *game, external_o *outside);
void scene_files_destroy(scene_files_o *s); // what is not written yet is forgotten; NULL is fine

// Keeps a copy of the text until the tick ends, when it is written into the game's folder of saves.
bool scene_files_keep(scene_files_o *s, const char *name, const char *text, size_t bytes, error_t *error);
// Returns the file's text, terminated; borrowed until the next frame or the next call. NULL with a message.
const char *scene_files_fetch(scene_files_o *s, const char *name, size_t *bytes, error_t *error);

// What scripts have exported into files is written between two ticks: of a tick that is undone it is forgotten, and a
// tick that is only tried never comes here.
void scene_files_forget(scene_files_o *s);
// True when `name` (caller's, `bytes` long) holds the next one that was tried, with `error` empty when it went well;
// false when there is no more. Names that begin with `but` are passed over and not written; NULL: none.
bool scene_files_write_next(scene_files_o *s, const char *but, char *name, size_t bytes, error_t *error);

// After a reload: the entities of the scene that runs follow its text, `file` of these sources. Lines for the log go to
// `to`; returns how many entities were touched, and in *kept the values that stay as the game has set them.
uint32_t scene_files_follow(scene_files_o *s, const char *file, sources_o *before, sources_o *now,
                            const scene_listener_t *to, uint32_t *kept);

// --export: all entities into any file. False with a message.
bool scene_files_export(world_o *world, const char *path, error_t *error);

#endif
