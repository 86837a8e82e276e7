// An image at the entity's transform, drawn by the render room.
#include "components/plain.h"

#include "components/builtin.h"

SHOAL_COMPONENT(sprite, SHOAL_SPRITE_FIELDS)

bool sprite_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &sprite_component, error);
}
