// A state from before a change of the code brings the queries and groups that the code of then had asked for. Here they become again
// those of the code of now.
#ifndef SHOAL_ECS_REGROUP_H
#define SHOAL_ECS_REGROUP_H

#include "ecs/snapshot.h"

// snapshot_restore, and then those queries are groups that were groups before. Where the state has the same groups nothing is moved,
// and the hash is the state's; likewise where no code has asked the world anything. `wake`: queries that the state does not know are
// made anew at once, and not when somebody opens them. False with a message; the world is as it was if the snapshot was refused.
bool snapshot_restore_regrouped(const snapshot_o *s, world_o *w, bool wake, error_t *error);

#endif
