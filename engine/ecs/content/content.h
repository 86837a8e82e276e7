// Content of a game in a world: assemblages defined at run time (definitions.h), former names (former_names.h) and
// parked pieces (parked_pieces.h). Functions that change these require content_attach. Main thread only.
#ifndef SHOAL_CONTENT_CONTENT_H
#define SHOAL_CONTENT_CONTENT_H

#include "ecs/world.h"

// Creates the world's content, unless it exists. The world owns its content. Worlds that track touched fields
// (world_track_touched_fields) need content to restore states without marks.
void content_attach(world_o *w);

#endif
