// Brings a snapshot of an older declaration of components to the one that the world has now: what a save of an earlier version of a
// game needs. A field that came since gets its default, one that is gone is dropped, one that has another name (field_t.renamed_from)
// or another type takes its values over. A value that would change on the way is refused. Nothing in the world is touched.
#ifndef SHOAL_ECS_CONVERT_H
#define SHOAL_ECS_CONVERT_H

#include "ecs/snapshot.h"

// One sentence for each thing that was not taken over as it was.
typedef void (*convert_say_t)(void *context, const char *line);

typedef struct convert_counts_t {
  uint32_t components_changed; // components, singles and events whose declaration differs
  uint32_t components_dropped; // that are gone, with their rows
  uint32_t fields_added, fields_dropped, fields_converted, fields_renamed;
  uint32_t components_migrated; // by a `migrate` of their own
  uint32_t rows;                // of all of them
} convert_counts_t;

// The rows of one component whose declaration says how its values come over: read-only old columns beside the new ones.
typedef struct migration_t migration_t;
// False with a message.
typedef bool (*convert_migrate_t)(void *context, world_o *w, const migration_t *m, error_t *error);

// False with a message that names the component, the field and the value; then the snapshot is as it was. Safe for any bytes. A
// snapshot that fits already is left alone. Components and events that the world lacks are left out, and with them the queries
// that name them.
bool snapshot_convert(snapshot_o *s, world_o *w, convert_say_t say, void *context, error_t *error);

#endif
