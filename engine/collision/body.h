// The body component: what an entity collides with. Columns here, the work in collision.c.
#ifndef SHOAL_COLLISION_BODY_H
#define SHOAL_COLLISION_BODY_H

#include "components/builtin.h"

enum { BODY_KIND_CIRCLE, BODY_KIND_BOX };

BUILTIN_COMPONENT(body, SHOAL_BODY_FIELDS)

#endif
