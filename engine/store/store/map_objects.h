// Spawns entities for the objects of maps (tiles/map.h). An object is converted to an entry of a scene (store/scene.h),
// with its class as the assemblage and its properties as values. The scene code then checks the entry, reports errors
// and applies edits.
//
// An object that cannot be spawned, because its class, a component or a value is invalid, is reported and listed in the
// tilemap. It is spawned as soon as the file, the assemblage or the component has been corrected. Until then,
// references to it from other objects are null. Objects whose entity the game has destroyed are not listed, so they
// never return.
//
// Each entity gets the component map_object { map, id, width, height }, which identifies its object. If the tilemap has
// a transform, the entity becomes its child.
#ifndef SHOAL_STORE_MAP_OBJECTS_H
#define SHOAL_STORE_MAP_OBJECTS_H

#include "ecs/world.h"
#include "schedule/schedule.h"
#include "store/scene.h"
#include "tiles/map.h"

// Adds the system shoal.map_objects, which spawns the objects of new tilemaps and the listed objects. The system runs
// in phase `input`, directly after the scenes are spawned. Returns true on success, or false with an error.
bool map_objects_schedule(world_o *w, schedule_o *s, error_info_t *error);

// Spawns the objects of all new tilemaps. Must not be called while commands are queued.
void map_objects_fill(world_o *w);

// Spawns the listed objects that have become valid, after a reload. Returns the number spawned. Call outside ticks.
uint32_t map_objects_retry(world_o *w);

// Input and results of map_objects_update, which applies an edited map to every tilemap that uses it. It spawns new
// objects and listed objects that have become valid, destroys the entities of removed objects, and sets edited values
// that the game has not changed since. It reports how many objects and values it has changed. Call it outside ticks.
typedef struct map_objects_update_t {
  const char *name, *level;
  const map_t *old_map, *new_map; // `old_map` may be NULL
  scene_listener_t listener;
  void (*log_problem)(void *context, const char *line); // logs problems in the file; receives the context of `listener`
} map_objects_update_t;
void map_objects_update(world_o *w, const map_objects_update_t *desc);

#endif
