// Brings an opened state to the declarations of a world (see snapshot/state.h).
#ifndef SHOAL_MIGRATE_STATE_MIGRATE_H
#define SHOAL_MIGRATE_STATE_MIGRATE_H

#include "migrate/schema_migrate.h"
#include "snapshot/state.h"

// Brings the state to the declarations of `w` (schema_migrate.h). One that fits already is left alone. False with a
// message that names the component, the field and the value; then it is only to be closed. Components and events that
// the world lacks are left out, and with them the queries that name them; so are queries whose components are of
// another kind now.
bool state_migrate(state_view_t *v, world_o *w, const schema_migrate_desc_t *desc, error_t *error);

#endif
