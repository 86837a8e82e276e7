// The result of checking a scene's text against a world: the entities, and the steps that create them. The steps cannot
// fail. Private to store.
#ifndef SHOAL_STORE_SCENE_PLAN_H
#define SHOAL_STORE_SCENE_PLAN_H

#include "store/scene_internal.h"

#include <jansson.h>

#define SCENE_MAX_DEPTH 64u // maximum length of a path; a deeper fault is reported at the line of its ancestor

typedef struct scene_item_t {
  json_t *json;
  uint32_t assemblage, state;
  uint32_t tree_index; // index of the entity within its spawned tree
  uint32_t number;     // index in the list, starting at 1
  int64_t parent;      // index of the parent's item; -1 if the entity has no parent
  bool is_slot_child;
  bool has_transform;
  bool is_invalid; // true if scene_check_each has found a fault in the item
  uint32_t first_step, step_count;
  shoal_entity entity;
} scene_item_t;

typedef enum scene_step_kind_t { STEP_ADD, STEP_REMOVE, STEP_NUMBER, STEP_TEXT, STEP_ENTITY } scene_step_kind_t;

typedef struct scene_step_t {
  scene_step_kind_t kind;
  uint32_t item, manager, column;
  const char *instance; // name of the instance, borrowed from the text; may be NULL
  size_t instance_bytes;
  const char *text; // STEP_TEXT: value of the field
  size_t text_bytes;
  double number;   // STEP_NUMBER: value of the field
  uint32_t target; // STEP_ENTITY: index of the target item
} scene_step_t;

typedef struct scene_plan_t {
  world_o *world;
  const scene_desc_t *desc;
  allocator_t *memory;
  json_t *root;
  scene_fault_t *fault;
  const scene_check_t *check; // callback of scene_check_each; NULL for other callers
  manager_o *names, *transforms;
  uint32_t parent_column;
  json_t *ids, *by_name; // maps from id and from name to item index; -1 in `by_name` if the name is not unique
  ARRAY(scene_item_t) items;
  ARRAY(scene_step_t) steps;
  ARRAY(uint32_t) root_items; // items of the list, in order
  ARRAY(char) unresolved;     // lines of references, as in scene_spawned_t
  ARRAY(char) skipped;        // lines of skipped names, as in scene_spawned_t
  json_t *skipped_names;      // names in `skipped`, such as "component.field", as a set
  scene_parts_t parts;
  json_t *converted;     // components with former names, converted to current names; owned
  uint64_t spawn_count;  // number of entities to spawn
  size_t parsed_bytes;   // number of bytes parsed so far
  uint32_t current_item; // index of the item that is being read
  scene_path_key_t path[SCENE_MAX_DEPTH];
  uint32_t depth;
} scene_plan_t;

// Checks the text and fills the plan. Does not intern strings or change the world. Returns true on success, or false
// with the fault. Call scene_plan_fini in both cases.
bool scene_plan_init(scene_plan_t *plan, world_o *w, const scene_desc_t *desc, allocator_t *a, scene_fault_t *fault);
void scene_plan_fini(scene_plan_t *plan);

#endif
