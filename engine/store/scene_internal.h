// What writing and reading scenes share: what an entity would be if it were as its assemblage says. Private to store.
#ifndef SHOAL_STORE_SCENE_INTERNAL_H
#define SHOAL_STORE_SCENE_INTERNAL_H

#include "base/array.h"
#include "ecs/inspect.h"
#include "store/scene.h"

typedef ARRAY(assemblage_part_t) scene_parts_t;

// The parts of an entity of this assemblage in this state, into `out`, which is emptied first. `state` is a string id;
// 0, or one that the assemblage does not have, is the initial one. Where template and state both have a part, the
// state's is meant, which has the template's values where it names none.
void scene_parts(const world_o *w, uint32_t assemblage, uint32_t state, allocator_t *a, scene_parts_t *out);
const assemblage_part_t *scene_part(const scene_parts_t *parts, uint32_t manager, uint32_t instance);

// The state that is meant: `state`, or the initial one.
uint32_t scene_state(world_o *w, uint32_t assemblage, uint32_t state);

// How many columns from `column` on are one vector; 1 when it is no vector. `base_bytes` is the length of its name
// without ".x".
uint32_t scene_vector(const schema_t *s, uint32_t column, size_t *base_bytes);

void scene_ids_push(scene_ids_t *ids, allocator_t *a, shoal_entity e, const char *id);

// One step of the way to a place in a text: into an object by a key, or into a list.
typedef struct scene_place_t {
  const char *key; // NULL: the index-th element
  size_t index;
} scene_place_t;

// The line, from 1, at which this place begins; of as much of the way as there is. The text is JSON.
uint32_t scene_line(const char *text, size_t bytes, const scene_place_t *way, uint32_t steps);

#endif
