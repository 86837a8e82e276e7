// Reverts renames, so that the running world survives when a rename is undone in the files or an earlier version is
// checked out. The earlier version does not declare the later names; only the replaced world does.
#ifndef SHOAL_MIGRATE_REVERSE_RENAMES_H
#define SHOAL_MIGRATE_REVERSE_RENAMES_H

#include "ecs/world.h"

// Declares in `earlier_world` the reverse of each rename in `later_world` if `earlier_world` has the old name and lacks
// the new name. Call before the state of `later_world` is converted. The renames last until the next
// world_clear_renames.
void reverse_renames_declare(world_o *later_world, world_o *earlier_world);

#endif
