// Components that no file and no plugin of the new version declares, but that contain data. They stay in the world,
// with their rows, until a file or a plugin declares them again: a file may be missing only for a moment, for example
// while a folder is replaced. Scripts cannot use them; SQL, saves and the cockpit show them (schema_is_kept).
#ifndef SHOAL_MIGRATE_KEPT_COMPONENTS_H
#define SHOAL_MIGRATE_KEPT_COMPONENTS_H

#include "migrate/schema_migrate.h"

// Declares in `new_world` the missing components of `old_world` that have rows or storage of their own or, as
// singletons, values that differ from the defaults. Omits components that were renamed, or that `new_world` declares as
// removed (world_declare_removed_component). Calls `log_line` (may be NULL) for each component that was not kept
// before.
void kept_components_declare(world_o *old_world, world_o *new_world, schema_migrate_log_t log_line, void *context);

#endif
