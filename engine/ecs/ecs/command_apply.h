// Applies queued commands. Private to ecs and snapshot.
#ifndef SHOAL_ECS_COMMAND_APPLY_H
#define SHOAL_ECS_COMMAND_APPLY_H

#include "ecs/command_queue.h"

void command_apply(world_o *w); // applies all queued commands
// Completes a single change that was applied without the queue because changes are not deferred (the caller has set
// `applying`): calls pending `added` hooks, and applies the changes that hooks have queued.
void command_end_single_change(world_o *w);
// Drops the queued commands from index `first` on, and releases the ids of spawned entities. `destroyer` (string id of
// the system) is recorded as their destroyer.
void command_drop_queued(world_o *w, uint32_t first, uint32_t destroyer);
void command_mark_doomed(world_o *w, const command_t *c, bool doomed); // sets or clears MARK_DOOMED
void command_mark_queued(world_o *w, const command_t *c);              // sets MARK_QUEUED, for a restored queue

#endif
