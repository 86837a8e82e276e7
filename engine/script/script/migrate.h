// Gives a component's `migrate` access to rows of an older declaration. Called by the engine's Lua through the FFI.
#ifndef SHOAL_SCRIPT_MIGRATE_H
#define SHOAL_SCRIPT_MIGRATE_H

#include "migrate/schema_migrate.h"

uint32_t migration_manager(const migration_t *migration);
uint32_t migration_count(const migration_t *migration);
const schema_t *migration_schema(const migration_t *migration);
void *migration_data(const migration_t *migration, uint32_t field);
const uint32_t *migration_rows(const migration_t *migration);

#endif
