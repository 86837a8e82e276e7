// Undo of destroyed entities.
#ifndef SHOAL_COCKPIT_EDIT_UNDO_H
#define SHOAL_COCKPIT_EDIT_UNDO_H

#include "base/array.h"
#include "base/json_text.h"
#include "cockpit/cockpit.h"
#include "ecs/world.h"

typedef ARRAY(shoal_entity) id_list_t;

// Writes the chunk that re-creates these entities and all that are destroyed with them, which join the list. It returns
// pairs of ids for edit_returned. Writes nothing if their texts cannot be written.
void edit_put_return(cockpit_o *c, world_o *w, id_list_t *list, json_text_t *t);

#endif
