// A circle, rectangle, polygon or line at the entity's transform, drawn by the render room.
#include "components/plain.h"

#include "components/builtin.h"

// clang-format off
#define SHAPE_FIELDS(F)                                                                                                \
  F(enum, kind, "circle rect polygon line") F(f32, radius, 10) F(f32, width, 20) F(f32, height, 20)                    \
  F(string, points, "") F(vec4, colour, 1, 1, 1, 1) F(bool, filled, 1) F(f32, thickness, 2) F(i32, layer, 0)           \
  F(bool, visible, 1) F(enum, blend, BUILTIN_BLEND)
// clang-format on
SHOAL_COMPONENT(shape, SHAPE_FIELDS)

bool shape_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &shape_component, error);
}
