// Undo of destroyed entities.
#ifndef SHOAL_COCKPIT_EDIT_UNDO_H
#define SHOAL_COCKPIT_EDIT_UNDO_H

#include "base/array.h"
#include "base/json_writer.h"
#include "ecs/world.h"

typedef struct cockpit_o cockpit_o;

typedef ARRAY(shoal_entity) id_list_t;

// Writes a Lua chunk that re-creates the entities of `list` and all entities that are destroyed along with them. Adds
// these additional entities to `list`. The chunk returns pairs of ids for edit_record_id_changes. Writes nothing if a
// string of these entities is not valid UTF-8, because such entities cannot be exported.
void edit_write_restore_chunk(cockpit_o *cockpit, world_o *w, id_list_t *list, json_writer_t *t);

#endif
