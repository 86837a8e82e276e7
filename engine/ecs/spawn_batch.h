// Blocks: staged spawns of many entities from one template. Their ids exist, their rows wait in columns of their own
// until the block is committed and applied. Private to ecs and snapshot.
#ifndef SHOAL_ECS_SPAWN_BATCH_H
#define SHOAL_ECS_SPAWN_BATCH_H

#include "base/array.h"
#include "ecs/command_queue.h"
#include "schema/columns.h"

typedef struct spawn_batch_part_t {
  uint32_t manager, instance;
  bool staged; // somebody has asked for the columns; the others get the template's values when the block applies
  columns_t columns;
} spawn_batch_part_t;

typedef struct spawn_batch_t {
  uint32_t number, assemblage, count;
  uint32_t deaths; // entities.deaths when it was begun
  uint32_t depth;  // of deferral when it was begun
  bool marked;     // its entities carry MARK_STAGED
  bool committed;
  bool applied; // gone but for its place in the list
  ARRAY(shoal_entity) entities;
  ARRAY(spawn_batch_part_t) parts; // in the order of the plan
  commands_t descendants;          // spawns of the children
} spawn_batch_t;

// Spawns one by one of the same assemblage that follow each other. The first ones are commands of their own.
typedef struct spawn_run_t {
  uint32_t assemblage, length, depth; // of deferral
  uint32_t first, end;                // command of the batch, or of the first of them; where commands end; 0 for none
  spawn_batch_t *batch;               // NULL while they are few
} spawn_run_t;

spawn_batch_t *spawn_batch_find(world_o *w, uint32_t number);
spawn_batch_t *spawn_batch_begin(world_o *w, uint32_t assemblage, uint32_t count);
void spawn_batch_mark(world_o *w, spawn_batch_t *b, bool on);        // MARK_STAGED of its entities
void spawn_batch_stage(world_o *w, spawn_batch_t *b, uint32_t part); // gives the part columns of its own
void spawn_batch_apply(world_o *w, uint32_t number);
void spawn_batch_free(world_o *w, spawn_batch_t *b);
void spawn_batch_free_applied(world_o *w);
void spawn_batch_drop(world_o *w, spawn_batch_t *b, uint32_t by); // its ids go back as well
void spawn_batch_drop_deeper(world_o *w, uint32_t depth,
                             uint32_t by); // those begun at this depth of deferral or deeper
void spawn_batch_lift(world_o *w, uint32_t depth);
void spawn_batch_forget_spares(world_o *w, const manager_o *m); // NULL: of all components

#endif
