// Shared by the writer and the reader of scenes: the default content of entities by assemblage and state. Private to
// store.
#ifndef SHOAL_STORE_SCENE_INTERNAL_H
#define SHOAL_STORE_SCENE_INTERNAL_H

#include "base/array.h"
#include "ecs/assemblage_inspect.h"
#include "store/scene.h"

typedef ARRAY(assemblage_part_t) scene_parts_t;

// Writes the parts of an entity with this assemblage and state to `out`, replacing its content. `state` is a string id,
// as returned by scene_resolve_state. If it is 0 or unknown, parts that belong to a state are omitted. If both the
// template and the state have a part, the state's part is used. It also contains the template's values of the fields
// that the state does not set.
void scene_list_parts(const world_o *w, uint32_t assemblage, uint32_t state, allocator_t *a, scene_parts_t *out);
const assemblage_part_t *scene_find_part(const scene_parts_t *parts, uint32_t manager, uint32_t instance);

// Returns `state`, or the assemblage's initial state if the assemblage does not have `state`; 0 for assemblage 0.
uint32_t scene_resolve_state(world_o *w, uint32_t assemblage, uint32_t state);

// Returns the number of columns of the vector or list that starts at `column`, or 1 for any other field. `base_bytes`
// receives the length of the field's name without ".x" or ".count".
uint32_t scene_count_field_columns(const schema_t *s, uint32_t column, size_t *base_bytes);

void scene_ids_push(scene_ids_t *ids, allocator_t *a, shoal_entity entity, const char *id);

// One step of a path into the text of a scene: an object key or a list index.
typedef struct scene_path_key_t {
  const char *key; // key in an object; NULL: element `index` of a list
  size_t index;
} scene_path_key_t;

// Returns the line, starting at 1, where the path's target begins. Follows the path as far as possible. The text must
// be JSON.
uint32_t scene_find_line(const char *text, size_t bytes, const scene_path_key_t *path, uint32_t depth);

#endif
