// Content of a game in a world: assemblages defined at run time (definitions.h), former names (former_names.h) and
// parked pieces (parked_pieces.h). Functions that change these require content_attach. Main thread only.
#ifndef SHOAL_CONTENT_CONTENT_H
#define SHOAL_CONTENT_CONTENT_H

#include "ecs/world.h"

// Gives the world content, unless it has content. The world owns it. Worlds that track touched fields
// (world_track_touched_fields) need content to restore states without marks.
void content_attach(world_o *w);

#endif
