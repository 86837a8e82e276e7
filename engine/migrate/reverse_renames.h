// Reverts renames, so that undoing one in the files, or checking out an earlier version, keeps the running world. The
// earlier version knows nothing of the later names; only the world that is replaced declares them.
#ifndef SHOAL_MIGRATE_REVERSE_RENAMES_H
#define SHOAL_MIGRATE_REVERSE_RENAMES_H

#include "ecs/world.h"

// Declares in `to` the reverse of each rename in `from` whose new name `to` lacks and whose old name it has. Call
// before the state of `from` is converted. The renames last until the next world_clear_renames.
void reverse_renames_declare(world_o *from, world_o *to);

#endif
