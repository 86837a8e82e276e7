// Words at the entity's transform, or on the screen, drawn by the render room; and how they look besides.
#include "components/plain.h"

#include "components/builtin.h"

// shown: so many characters of the text, -1: all
SHOAL_COMPONENT(text, SHOAL_TEXT_FIELDS)
SHOAL_COMPONENT(text_style, SHOAL_TEXT_STYLE_FIELDS)

bool text_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &text_component, error);
}

bool text_style_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &text_style_component, error);
}
