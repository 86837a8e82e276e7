// What the text of a scene says, checked against a world: entities, and steps that make them what they are, which
// cannot fail any more. Private to store.
#ifndef SHOAL_STORE_SCENE_PLAN_H
#define SHOAL_STORE_SCENE_PLAN_H

#include "store/scene_internal.h"

#include <jansson.h>

#define SCENE_MAX_DEPTH 64u // of a place in the text; a fault below it is told with the line of what it lies in

typedef struct scene_item_t {
  json_t *json;
  uint32_t assemblage, state;
  uint32_t in_tree; // which entity of what is spawned for the item of the list
  uint32_t number;  // in the list, from 1, of the one that it belongs to
  int64_t parent;   // item; -1 for none
  bool in_slot;
  bool has_transform;
  uint32_t first_step, step_count;
  shoal_entity e;
} scene_item_t;

typedef enum scene_step_kind_t { STEP_ADD, STEP_REMOVE, STEP_NUMBER, STEP_TEXT, STEP_ENTITY } scene_step_kind_t;

typedef struct scene_step_t {
  scene_step_kind_t kind;
  uint32_t item, manager, column;
  const char *instance; // borrowed from the text; NULL for none
  size_t instance_bytes;
  const char *text; // TEXT
  size_t text_bytes;
  double number;  // NUMBER
  uint32_t other; // ENTITY: the item that is meant
} scene_step_t;

typedef struct scene_plan_t {
  world_o *world;
  const scene_ask_t *ask;
  allocator_t *memory;
  json_t *root;
  scene_fault_t *fault;
  manager_o *names, *transforms;
  uint32_t parent_column;
  json_t *ids, *called; // → item; of `called` -1 when several are called that
  ARRAY(scene_item_t) items;
  ARRAY(scene_step_t) steps;
  ARRAY(uint32_t) lists; // the items of the list, in its order
  scene_parts_t parts;
  uint64_t wanted; // entities
  size_t parsed;   // bytes
  uint32_t item;   // that is read
  scene_place_t place[SCENE_MAX_DEPTH];
  uint32_t depth;
} scene_plan_t;

// Interns nothing and changes nothing. False with the fault; scene_plan_fini follows either way.
bool scene_plan_init(scene_plan_t *x, world_o *w, const scene_ask_t *ask, allocator_t *a, scene_fault_t *fault);
void scene_plan_fini(scene_plan_t *x);

#endif
