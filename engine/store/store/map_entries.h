// Map objects as entries of a scene's list (store/scene.h): an object's class is the assemblage, its properties are the
// values, and its number is the id, such as "#12". This header also declares sets of object ids. Private to store.
#ifndef SHOAL_STORE_MAP_ENTRIES_H
#define SHOAL_STORE_MAP_ENTRIES_H

#include "store/scene_internal.h"
#include "tiles/map.h"

#include <jansson.h>

// Returns true if the object becomes an entity. Objects with neither a class nor a name are decoration.
static inline bool map_object_is_entity(const map_object_t *object) {
  return object->class_name[0] || object->name[0];
}

// A set of object ids or indices, in ascending order. Empty when zero-initialized. Free it with array_free.
typedef struct map_ids_t {
  uint32_t *items;
  uint32_t count, capacity;
} map_ids_t;

bool map_ids_has(const map_ids_t *ids, uint32_t id);
void map_ids_sort(map_ids_t *ids); // restores the order after array_push, and removes repeated ids
// Adds the ids of all objects that become entities. `map` may be NULL.
void map_ids_collect(map_ids_t *out, allocator_t *a, const map_t *map);
// Adds the ids of `source` that are also in `filter` or, if `contained` is false, the ids that are not in `filter`.
void map_ids_add_filtered(map_ids_t *out, allocator_t *a, const map_ids_t *source, const map_ids_t *filter,
                          bool contained);

// Adds the indices of the objects that have the id of an earlier object. These objects are ignored.
void map_ids_find_duplicates(map_ids_t *out, allocator_t *a, const map_t *map);

typedef struct map_entries_t {
  world_o *world;
  const map_t *map;
  const map_ids_t *ids;
  allocator_t memory;
  json_t *list;            // entities, parallel to `objects`; callers may edit them
  ARRAY(uint32_t) objects; // indices of the map's objects, in file order
  scene_parts_t parts;     // parts of the current object's assemblage
} map_entries_t;

// Converts the objects whose ids are in `ids`, if they become entities. References to objects that are not converted
// become null. Borrows the arguments.
void map_entries_init(map_entries_t *t, world_o *w, const map_t *map, const map_ids_t *ids);
void map_entries_fini(map_entries_t *t);
// Returns the object at the position `number` of the list, counted from 1.
const map_object_t *map_entries_object(const map_entries_t *t, uint32_t number);

#endif
