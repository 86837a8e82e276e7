// Converts an opened state to the declarations of a world (see snapshot/state.h).
#ifndef SHOAL_MIGRATE_STATE_MIGRATE_H
#define SHOAL_MIGRATE_STATE_MIGRATE_H

#include "migrate/schema_migrate.h"
#include "snapshot/state.h"

// state_migrate converts the state to the declarations of `w` (schema_migrate.h). A state that already matches the
// declarations is not changed. Drops components and events that the world lacks. Drops queries on components that the
// world lacks, that have changed their kind, or that received rows of former components. Returns true on success. On
// failure, returns false with a message; the state must then be closed.
//
// state_declare_missing first declares the state's components that `w` lacks, so that their rows and storage are kept
// until a file or a plugin declares them again (schema_is_kept), except components that `w` declares as renamed or
// removed.
void state_declare_missing(const state_view_t *v, world_o *w);
// Like snapshot_restore, for a snapshot from a different machine, recording or moment, which may contain kept
// components that `w` lacks: declares these components first.
bool state_restore_with_kept(const snapshot_o *s, world_o *w, error_info_t *error);
bool state_migrate(state_view_t *v, world_o *w, const schema_migrate_desc_t *desc, error_info_t *error);

#endif
