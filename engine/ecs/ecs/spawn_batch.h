// Blocks: staged spawns of many entities of one assemblage. The ids of the entities exist, but the rows are stored in
// separate columns until the block is committed and applied. Private to ecs and snapshot.
#ifndef SHOAL_ECS_SPAWN_BATCH_H
#define SHOAL_ECS_SPAWN_BATCH_H

#include "ecs/world_internal.h"

spawn_batch_t *spawn_batch_find(world_o *w, uint32_t number);
uint32_t spawn_batch_take_number(world_o *w); // returns the number of the next block; part of the state
// Creates and returns a block of `count` entities. If `queued` is true, their rows are added when the queue is
// applied.
spawn_batch_t *spawn_batch_begin(world_o *w, uint32_t assemblage, uint32_t count, bool queued);
// Sets or clears MARK_STAGED of the block's entities.
void spawn_batch_set_staged_marks(world_o *w, spawn_batch_t *b, bool staged);
void spawn_batch_stage_columns(world_o *w, spawn_batch_t *b, uint32_t part); // allocates columns for the part
// Writes the template's values to the next few rows of all staged columns (`filled`): writing them separately for each
// appended row takes several times as long. The assemblage's plan must be up to date.
void spawn_batch_fill_ahead(world_o *w, spawn_batch_t *b);
void spawn_batch_apply(world_o *w, uint32_t number);
void spawn_batch_free(world_o *w, spawn_batch_t *b);
void spawn_batch_free_applied(world_o *w);
void spawn_batch_drop(world_o *w, spawn_batch_t *b, uint32_t destroyer); // drops the block and releases its ids
// Drops blocks that began at this deferral depth or deeper.
void spawn_batch_drop_deeper(world_o *w, uint32_t depth, uint32_t destroyer);
void spawn_batch_move_to_outer(world_o *w, uint32_t depth);
void spawn_batch_free_spares(world_o *w, const manager_o *m); // frees spare columns of m; NULL: all spare memory

#endif
