// How an entity's sprite is drawn otherwise than it is: lit up, with an outline, half dissolved.
#include "components/plain.h"

#include "components/builtin.h"

// flash: a colour and, as its w, how much of the picture has it. outline: a colour, and its w; as wide as
// outline_width, in texels. dissolve: 0 for all of the picture, 1 for nothing; what is about to go has dissolve_colour,
// whose w says how strongly.
// clang-format off
#define MATERIAL_FIELDS(F)                                                                                             \
  F(vec4, flash, 1, 1, 1, 0) F(vec4, outline, 0, 0, 0, 0) F(f32, outline_width, 1) F(f32, dissolve, 0)                 \
  F(vec4, dissolve_colour, 1, 0.6f, 0.2f, 1)
// clang-format on
SHOAL_COMPONENT(material, MATERIAL_FIELDS)

bool material_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &material_component, error);
}
