// Words at the entity's transform, or on the screen, drawn by the render room; and how they look besides.
#include "components/plain.h"

#include "components/builtin.h"

// clang-format off
#define TEXT_FIELDS(F)                                                                                                 \
  F(string, value, "") F(f32, size, 24) F(asset, font, "") F(vec4, colour, 1, 1, 1, 1)                                 \
  F(enum, align, "left center right") F(enum, space, "world screen") F(i32, layer, 0) F(bool, visible, 1)              \
  F(enum, blend, BUILTIN_BLEND) F(f32, wrap, 0) F(enum, valign, "top middle bottom") F(bool, markup, 0)
// shown: so many characters of the text, -1: all
#define TEXT_STYLE_FIELDS(F)                                                                                           \
  F(vec4, outline, 0, 0, 0, 1) F(f32, outline_width, 0) F(vec4, shadow, 0, 0, 0, 0.6f) F(f32, shadow_x, 0)             \
  F(f32, shadow_y, 0) F(f32, line_spacing, 1) F(i32, shown, -1)
// clang-format on
SHOAL_COMPONENT(text, TEXT_FIELDS)
SHOAL_COMPONENT(text_style, TEXT_STYLE_FIELDS)

bool text_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &text_component, error);
}

bool text_style_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &text_style_component, error);
}
