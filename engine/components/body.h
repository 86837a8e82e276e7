// The body component: what an entity collides with. Columns here, the work in collision.c.
#ifndef SHOAL_COMPONENTS_BODY_H
#define SHOAL_COMPONENTS_BODY_H

#include "ecs/world.h"

// Indices of the columns, in schema order.
enum {
  BODY_KIND,
  BODY_RADIUS,
  BODY_WIDTH,
  BODY_HEIGHT,
  BODY_OFFSET_X,
  BODY_OFFSET_Y,
  BODY_CATEGORY,
  BODY_MASK,
  BODY_ENABLED,
  BODY_COLUMN_COUNT
};

enum { BODY_KIND_CIRCLE, BODY_KIND_BOX };

bool body_declare(world_o *w, error_t *error);

#endif
