// Brings a snapshot of an older declaration of components to the one that the world has now: what a save of an earlier version of a
// game needs. A field that came since gets its default, one that is gone is dropped, one that has another name (field_t.renamed_from)
// or another type takes its values over. A value that would change on the way is refused. Nothing in the world is touched.
#ifndef SHOAL_ECS_CONVERT_H
#define SHOAL_ECS_CONVERT_H

#include "ecs/snapshot.h"

// One sentence for each thing that was not taken over as it was.
typedef void (*convert_say_t)(void *context, const char *line);

// False with a message that names the component, the field and the value; then the snapshot is as it was. Safe for any bytes. A
// snapshot that fits already is left alone. Components and events that the world lacks are left out, and with them the queries
// that name them.
bool snapshot_convert(snapshot_o *s, world_o *w, convert_say_t say, void *context, error_t *error);

#endif
