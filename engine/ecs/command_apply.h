// Application of queued commands. Private to ecs and snapshot.
#ifndef SHOAL_ECS_COMMAND_APPLY_H
#define SHOAL_ECS_COMMAND_APPLY_H

#include "ecs/command_queue.h"

void command_apply(world_o *w);                                    // applies all queued commands
void command_drop(world_o *w, uint32_t first, uint32_t by);        // drops commands from index `first` on
void command_mark_doomed(world_o *w, const command_t *c, bool on); // sets or clears MARK_DOOMED

#endif
