// Reverts renames, so that the running world survives when a rename is undone in the files or an earlier version is
// checked out. The earlier version does not declare the later names; only the replaced world does.
#ifndef SHOAL_MIGRATE_REVERSE_RENAMES_H
#define SHOAL_MIGRATE_REVERSE_RENAMES_H

#include "base/array.h"
#include "ecs/world.h"

// A field that has received former names.
typedef struct reversed_field_t {
  field_t *field;
  size_t former_bytes; // previous length of field->renamed_from, in bytes
} reversed_field_t;

// The state of a world before reverse_renames_declare. Zero-initialize it.
typedef struct reverse_renames_t {
  uint32_t components, systems, former_names; // numbers of declared renames
  ARRAY(reversed_field_t) fields;
} reverse_renames_t;

// Declares in `earlier_world` the reverse of each rename in `later_world` if `earlier_world` has the old name and lacks
// the new name. Call before the state of `later_world` is converted. The renames last until the next
// world_clear_renames, or until reverse_renames_end. `before` receives the previous state of `earlier_world`.
void reverse_renames_declare(world_o *later_world, world_o *earlier_world, reverse_renames_t *before);
// Frees `before`. If `forgets`, first removes the renames of reverse_renames_declare. Returns the number of renames.
uint32_t reverse_renames_end(world_o *earlier_world, reverse_renames_t *before, bool forgets);

#endif
