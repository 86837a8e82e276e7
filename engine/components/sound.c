// A sound that plays while the row says so; with sound_space, from where its entity is.
#include "components/plain.h"

#include "components/builtin.h"
#include "schema/schema_build.h"

SHOAL_COMPONENT(sound, SHOAL_SOUND_FIELDS)
SHOAL_COMPONENT(sound_space, SHOAL_SOUND_SPACE_FIELDS)

bool sound_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &sound_component, error);
}

bool sound_space_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &sound_space_component, error);
}

bool sound_listener_declare(world_o *w, error_t *error) {
  allocator_t *a = world_allocator(w);
  schema_t schema;
  schema_init(&schema, "sound_listener", SCHEMA_COMPONENT, "C");
  schema_set_doc(&schema, a, "sounds with sound_space are heard from where it is, and not from the camera");
  bool good = world_declare(w, &schema, error) != 0;
  schema_fini(&schema, a);
  return good;
}
