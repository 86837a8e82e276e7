// Words at the entity's transform, or on the screen, drawn by the render room.
#include "components/plain.h"

#include "components/builtin.h"

// clang-format off
#define TEXT_FIELDS(F)                                                                                                 \
  F(string, value, "") F(f32, size, 24) F(asset, font, "") F(vec4, colour, 1, 1, 1, 1)                                 \
  F(enum, align, "left center right") F(enum, space, "world screen") F(i32, layer, 0) F(bool, visible, 1)              \
  F(enum, blend, BUILTIN_BLEND)
// clang-format on
SHOAL_COMPONENT(text, TEXT_FIELDS)

bool text_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &text_component, error);
}
