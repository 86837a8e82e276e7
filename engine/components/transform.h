// The transform tree: local position, angle and scale, parents, and the world matrix that the host keeps. Links are
// entities in hidden columns, so that nothing has to be mended when rows move. A parent that is dead or has no
// transform counts as none; a cycle is broken at the entity that closed it, with one log line.
//
// `parent` may be written at any time; the lists follow when rows are added, at the next update, or when children are
// asked for. An entity that dies takes along the children in its list; with `orphan` they lose their parent and keep
// their place, angle and scale in the world (a shear, from turning inside an uneven scale, is lost).
#ifndef SHOAL_COMPONENTS_TRANSFORM_H
#define SHOAL_COMPONENTS_TRANSFORM_H

#include "schedule/schedule.h"
#include "ecs/world.h"

// Indices of the columns, in schema order.
enum {
  TRANSFORM_X,
  TRANSFORM_Y,
  TRANSFORM_Z,
  TRANSFORM_ANGLE,
  TRANSFORM_SCALE_X,
  TRANSFORM_SCALE_Y,
  TRANSFORM_PARENT,
  TRANSFORM_ORPHAN,
  TRANSFORM_WORLD,
  TRANSFORM_WORLD_BEFORE,
  TRANSFORM_FIRST_CHILD,
  TRANSFORM_NEXT_SIBLING,
  TRANSFORM_PREV_SIBLING,
  TRANSFORM_LINKED_PARENT, // whose list of children the row is in, 0 for none; follows TRANSFORM_PARENT
  TRANSFORM_FRESH,         // added since the last update: world_before is not yet of a tick
  TRANSFORM_COLUMN_COUNT
};

bool transform_declare(world_o *w, error_t *error);
bool transform_schedule(world_o *w, schedule_o *s, error_t *error);

// Recomputes every world matrix, parents before children, after relinking what changed its `parent` column. The
// matrices of the tick before move to world_before (equal to world for new rows). Run by shoal.transform; also called
// after `start`.
void transform_update(world_o *w);

// Children of e in the order in which they were attached, into `out` (caller's, `max` long). Returns how many there
// are.
uint32_t transform_children(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max);
shoal_entity transform_parent(world_o *w, shoal_entity e);

#endif
