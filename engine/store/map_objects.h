// Objects of maps (tiles/map.h) as entities. What an object says becomes the text of a scene (store/scene.h): its class
// names the assemblage, its properties are values. So whatever holds for scenes holds for them: what is checked, what
// is said, and how an edited text reaches the entities that are there.
//
// Each becomes a child of its tilemap in the tree of transforms, and has the component map_object { map, id, width,
// height }, by which it is found again.
#ifndef SHOAL_STORE_MAP_OBJECTS_H
#define SHOAL_STORE_MAP_OBJECTS_H

#include "ecs/world.h"
#include "schedule/schedule.h"
#include "store/scene.h"
#include "tiles/map.h"

// shoal.map_objects, first of the phase input behind scenes: tilemaps that are new get their objects.
bool map_objects_schedule(world_o *w, schedule_o *s, error_t *error);

// A map that was edited, outside of ticks: its objects in every tilemap that has it. New ones come, those that are gone
// go, and of the others what the edit has changed, where the game has not set it since.
typedef struct map_objects_follow_t {
  const char *name, *level;
  const map_t *before, *now; // the first may be NULL
  scene_listener_t to;
} map_objects_follow_t;
void map_objects_follow(world_o *w, const map_objects_follow_t *ask);

#endif
