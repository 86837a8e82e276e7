// Columns of the item views (served/owned_views.h). The world's owner creates the views of the release, and the process
// that rewrites rows creates the views of live code.
#ifndef SHOAL_ROOM_OWNED_COLUMNS_H
#define SHOAL_ROOM_OWNED_COLUMNS_H

#include "served/owned_views.h"

typedef struct game_o game_o;

// Adds the fields of all components that an entity can have once, and that the rows of `owned` contain.
void owned_columns_add(const game_o *g, owned_columns_list_t *out);

#endif
