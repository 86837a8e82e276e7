// Blocks: staged spawns of many entities from one template. Their ids exist, but their rows are stored in separate
// columns until the block is committed and applied. Private to ecs and snapshot.
#ifndef SHOAL_ECS_SPAWN_BATCH_H
#define SHOAL_ECS_SPAWN_BATCH_H

#include "base/array.h"
#include "ecs/command_queue.h"
#include "schema/columns.h"

typedef struct spawn_batch_part_t {
  uint32_t manager, instance;
  // true if the columns were requested; otherwise, the rows get the template's values when the block is applied
  bool staged;
  columns_t columns;
} spawn_batch_part_t;

typedef struct spawn_batch_t {
  uint32_t number, assemblage, count;
  uint32_t deaths; // value of entities.deaths when the block was begun
  uint32_t depth;  // depth of deferral when the block was begun
  bool marked;     // its entities have MARK_STAGED
  bool committed;
  bool applied; // true for an empty block that stays in the list until the queue is cleared
  ARRAY(shoal_entity) entities;
  ARRAY(spawn_batch_part_t) parts; // in the order of the spawn plan
  commands_t descendants;          // spawns of children
} spawn_batch_t;

// Consecutive single spawns of one assemblage. The first few are separate commands.
typedef struct spawn_run_t {
  uint32_t assemblage, length, depth; // `depth`: depth of deferral
  // `first`: index of its first command; `end`: index after its last one, or 0 without a run
  uint32_t first, end;
  spawn_batch_t *batch; // NULL until the run is long enough
} spawn_run_t;

spawn_batch_t *spawn_batch_find(world_o *w, uint32_t number);
spawn_batch_t *spawn_batch_begin(world_o *w, uint32_t assemblage, uint32_t count);
void spawn_batch_set_staged_marks(world_o *w, spawn_batch_t *b, bool on); // sets or clears MARK_STAGED of its entities
void spawn_batch_stage_columns(world_o *w, spawn_batch_t *b, uint32_t part); // allocates columns for the part
void spawn_batch_apply(world_o *w, uint32_t number);
void spawn_batch_free(world_o *w, spawn_batch_t *b);
void spawn_batch_free_applied(world_o *w);
void spawn_batch_drop(world_o *w, spawn_batch_t *b, uint32_t by); // drops the block and releases its ids
// Drops blocks that began at this depth of deferral or deeper.
void spawn_batch_drop_deeper(world_o *w, uint32_t depth, uint32_t by);
void spawn_batch_move_to_outer(world_o *w, uint32_t depth);
void spawn_batch_free_spares(world_o *w, const manager_o *m); // frees spare columns of m; NULL: all spare memory

#endif
