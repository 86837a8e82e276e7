// An image at the entity's transform, drawn by the render room.
#include "components/plain.h"

#include "components/builtin.h"

// clang-format off
#define SPRITE_FIELDS(F)                                                                                               \
  F(asset, image, "") F(i32, frame, 1) F(i32, frames, 1) F(vec4, tint, 1, 1, 1, 1) F(f32, width, 0)                    \
  F(f32, height, 0) F(bool, flip, 0) F(bool, flip_y, 0) F(i32, layer, 0) F(bool, visible, 1)                           \
  F(enum, blend, BUILTIN_BLEND)
// clang-format on
SHOAL_COMPONENT(sprite, SPRITE_FIELDS)

bool sprite_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &sprite_component, error);
}
