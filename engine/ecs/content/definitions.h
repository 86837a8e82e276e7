// Assemblages defined at run time (world.define), stored as rows of the singleton shoal.definitions, so snapshots,
// saves and hashes include them. Before a state with different definitions is restored, scripts declare its
// definitions.
#ifndef SHOAL_CONTENT_DEFINITIONS_H
#define SHOAL_CONTENT_DEFINITIONS_H

#include "ecs/world.h"

#define DEFINITIONS_COMPONENT "shoal.definitions" // columns name and json; one row per definition, after row 0
bool definitions_declare(world_o *w, error_info_t *error);

// Returns all definitions, including definitions that are not applied yet; "" if there are no definitions. Borrowed
// until the next call.
const char *definitions_list(world_o *w);
// Returns the list last passed to definitions_end_change; "" if the assemblages have been cleared since then. Borrowed
// until the next change.
const char *definitions_declared_list(const world_o *w);
// Builds a list from strings of another world: begin, add each definition, end. Skips empty names. The result is
// borrowed like the result of definitions_list.
void definitions_list_begin(world_o *w);
void definitions_list_add(world_o *w, const char *name, size_t name_bytes, const char *json, size_t json_bytes);
const char *definitions_list_end(world_o *w);
// Callback that declares the assemblages of a state before the state is restored. If the restore fails, the callback is
// called again with the world's own list.
typedef struct definitions_definer_t {
  void (*run)(void *context, world_o *w, const char *definitions); // declares the assemblages; may be NULL
  void *context;
} definitions_definer_t;
void definitions_set_definer(world_o *w, const definitions_definer_t *definer); // `definer` may be NULL
// Calls the definer of `w` (definitions_set_definer) with this list, unless this is the most recently declared list.
void definitions_ensure_declared(world_o *w, const char *list);

// Removes all assemblages (world_assemblages_clear), the last declared list and the pending definitions.
void definitions_clear_assemblages(world_o *w);

// Begin and end a change to the definitions. In between, retire and declare every assemblage that changes
// (world_assemblage_declare …). `name` and `json` are string ids of the changed definition. Name 0 denotes a change to
// the game's files or to the state, and updates no entity. For other names, living entities are updated once the
// commands have been applied (immediately outside of systems). Values that still equal the old assemblage's values are
// replaced by the new values, as when a file is edited (content/assemblage_merge.h).
void definitions_begin_change(world_o *w, uint32_t name, uint32_t json);
// Retires the current version of an assemblage. Call before redeclaring or removing the assemblage.
void definitions_retire_assemblage(world_o *w, uint32_t name);
void definitions_end_change(world_o *w, const char *list); // `list`: all definitions after the change
// Stores changed definitions and updates their entities. Call after all commands have been applied. Private to content.
void definitions_update_entities(world_o *w);

#endif
