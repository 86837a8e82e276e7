// What of an entity queries pass over: a row for each component, by its name, or "entity" for all of it. It has no
// fields; what a row means is ecs's (ecs/query.h).
#include "components/plain.h"

#include "schema/schema_build.h"

bool disabled_declare(world_o *w, error_t *error) {
  allocator_t *a = world_allocator(w);
  schema_t schema;
  schema_init(&schema, "disabled", SCHEMA_MANY, "C");
  schema_set_doc(&schema, a, "what queries pass over: a row for each component, or \"entity\"");
  bool good = world_declare(w, &schema, error) != 0;
  schema_fini(&schema, a);
  return good;
}
