// How an entity's sprite is drawn otherwise than it is: lit up, with an outline, half dissolved.
#include "components/plain.h"

#include "components/builtin.h"

// flash: a colour and, as its w, how much of the picture has it. outline: a colour, and its w; as wide as
// outline_width, in texels. dissolve: 0 for all of the picture, 1 for nothing; what is about to go has dissolve_colour,
// whose w says how strongly.
SHOAL_COMPONENT(material, SHOAL_MATERIAL_FIELDS)

bool material_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &material_component, error);
}
