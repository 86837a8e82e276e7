// Built-in components without fields.
#include "components/data_components.h"

bool disabled_declare(world_o *w, error_t *error) {
  return builtin_declare_tag(w, "disabled", SHOAL_KIND_MANY,
                             "what queries pass over: a row for each component, or \"entity\"", error);
}

bool sensor_declare(world_o *w, error_t *error) {
  return builtin_declare_tag(w, "sensor", SHOAL_KIND_COMPONENT,
                             "its body has collisions, and neither stops movers nor is stopped by bodies", error);
}

bool sound_listener_declare(world_o *w, error_t *error) {
  return builtin_declare_tag(w, "sound_listener", SHOAL_KIND_COMPONENT,
                             "sounds with sound_space are heard from where it is, and not from the camera", error);
}
