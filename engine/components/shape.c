// A circle, rectangle, polygon or line at the entity's transform, drawn by the render room.
#include "components/plain.h"

#include "components/builtin.h"

SHOAL_COMPONENT(shape, SHOAL_SHAPE_FIELDS)

bool shape_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &shape_component, error);
}
