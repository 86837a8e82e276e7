// Applying what is queued. Private to ecs, snapshot and relation.
#ifndef SHOAL_ECS_COMMAND_APPLY_H
#define SHOAL_ECS_COMMAND_APPLY_H

#include "ecs/command_queue.h"

void command_apply(world_o *w);                                    // everything that is queued
void command_drop(world_o *w, uint32_t first, uint32_t by);        // the commands from number `first` on
void command_mark_doomed(world_o *w, const command_t *c, bool on); // MARK_DOOMED of what it destroys, if it does

#endif
