// Scenes as text for the scripts of one game: world.export, world.import, scenes/*.json. What a scene is: tools/scene.h. Files lie
// where the game's saves lie, as NAME.json.
#ifndef SHOAL_HOST_SCENES_H
#define SHOAL_HOST_SCENES_H

#include "ecs/world.h"
#include "script/scene_port.h"

typedef struct scenes_o scenes_o;

// Both borrowed, and longer alive.
scenes_o *scenes_create(world_o *world, const char *game_folder);
void scenes_destroy(scenes_o *s); // what is not written yet is forgotten; NULL is fine
scene_port_t scenes_port(scenes_o *s);

// What scripts have exported into files is written between two ticks: of a tick that is undone it is forgotten, and a tick that is only
// tried never comes here.
void scenes_forget(scenes_o *s);
// True when `name` (caller's, `bytes` long) holds the next one that was tried, with `error` empty when it went well; false when there is
// no more.
bool scenes_write_next(scenes_o *s, char *name, size_t bytes, error_t *error);

// --export: all entities into any file. False with a message.
bool scenes_export(world_o *world, const char *path, error_t *error);

#endif
