// A scene's text, checked against a world: entities, and steps to build them that can no longer fail. Private to store.
#ifndef SHOAL_STORE_SCENE_PLAN_H
#define SHOAL_STORE_SCENE_PLAN_H

#include "store/scene_internal.h"

#include <jansson.h>

#define SCENE_MAX_DEPTH 64u // maximum path length; deeper faults are reported at the line of their ancestor

typedef struct scene_item_t {
  json_t *json;
  uint32_t assemblage, state;
  uint32_t in_tree; // index of the entity within its spawned tree
  uint32_t number;  // 1-based index of its entry in the list
  int64_t parent;   // index of the item, or -1
  bool in_slot;
  bool has_transform;
  uint32_t first_step, step_count;
  shoal_entity e;
} scene_item_t;

typedef enum scene_step_kind_t { STEP_ADD, STEP_REMOVE, STEP_NUMBER, STEP_TEXT, STEP_ENTITY } scene_step_kind_t;

typedef struct scene_step_t {
  scene_step_kind_t kind;
  uint32_t item, manager, column;
  const char *instance; // borrowed from the text; may be NULL
  size_t instance_bytes;
  const char *text; // TEXT
  size_t text_bytes;
  double number;  // NUMBER
  uint32_t other; // ENTITY: index of the target item
} scene_step_t;

typedef struct scene_plan_t {
  world_o *world;
  const scene_desc_t *desc;
  allocator_t *memory;
  json_t *root;
  scene_fault_t *fault;
  manager_o *names, *transforms;
  uint32_t parent_column;
  json_t *ids, *by_name; // name → item index; -1 in `by_name` if not unique
  ARRAY(scene_item_t) items;
  ARRAY(scene_step_t) steps;
  ARRAY(uint32_t) lists; // items of the list, in order
  scene_parts_t parts;
  uint64_t wanted; // number of entities to spawn
  size_t parsed;   // bytes parsed
  uint32_t item;   // current item
  scene_place_t place[SCENE_MAX_DEPTH];
  uint32_t depth;
} scene_plan_t;

// Neither interns nor changes anything. Returns false with the fault; call scene_plan_fini in both cases.
bool scene_plan_init(scene_plan_t *x, world_o *w, const scene_desc_t *desc, allocator_t *a, scene_fault_t *fault);
void scene_plan_fini(scene_plan_t *x);

#endif
