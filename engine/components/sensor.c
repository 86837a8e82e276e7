// A tag: the entity's body reports collisions but does not block movers, nor is blocked by bodies. It has no fields.
#include "components/plain.h"

#include "schema/schema_build.h"

bool sensor_declare(world_o *w, error_t *error) {
  allocator_t *a = world_allocator(w);
  schema_t schema;
  schema_init(&schema, "sensor", SCHEMA_COMPONENT, "C");
  schema_set_doc(&schema, a, "its body has collisions, and neither stops movers nor is stopped by bodies");
  bool good = world_declare(w, &schema, error) != 0;
  schema_fini(&schema, a);
  return good;
}
