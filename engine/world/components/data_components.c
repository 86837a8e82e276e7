// Declarations of built-in components without fields.
#include "components/data_components.h"

bool disabled_declare(world_o *w, error_info_t *error) {
  return builtin_declare_tag(w, "disabled", SHOAL_KIND_MANY,
                             "Hides its entity (row \"entity\") or single components (one row each) from queries.",
                             error);
}

bool sensor_declare(world_o *w, error_info_t *error) {
  return builtin_declare_tag(w, "sensor", SHOAL_KIND_COMPONENT,
                             "The entity's body reports collisions, but does not stop movers and is not stopped.",
                             error);
}

bool one_way_declare(world_o *w, error_info_t *error) {
  return builtin_declare_tag(w, "one_way", SHOAL_KIND_COMPONENT,
                             "The entity's body stops, carries and pushes movers only from above.", error);
}
