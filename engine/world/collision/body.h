// The body component: the collision shape of an entity. This file only declares its columns; collision.c uses them.
#ifndef SHOAL_COLLISION_BODY_H
#define SHOAL_COLLISION_BODY_H

#include "components/builtin.h"

enum { BODY_KIND_CIRCLE, BODY_KIND_BOX };

BUILTIN_COMPONENT(body, SHOAL_BODY_FIELDS)

// Makes an entity without a body take part in spatial queries, as a circle around its transform.
BUILTIN_COMPONENT(findable, SHOAL_FINDABLE_FIELDS)

#endif
