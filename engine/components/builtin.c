// The one call by which built-in components enter the world. Their names are Shoal's own, so that `name` may be one.
#include "components/builtin.h"

#include "schema/schema_build.h"

bool builtin_declare(world_o *w, const shoal_component *component, error_t *error) {
  return world_declare_desc(w, &(schema_desc_t){.component = component, .origin = "C", .any_name = true}, error) != 0;
}
