// The body component's fields.
#include "components/body.h"

#include "components/builtin.h"

SHOAL_COMPONENT(body, SHOAL_BODY_FIELDS)
_Static_assert(SHOAL_INDEX(body, mask) == BODY_MASK && sizeof(body_columns) / sizeof(void *) == BODY_COLUMN_COUNT,
               "the fields are in the order of their numbers");

bool body_declare(world_o *w, error_t *error) {
  return builtin_declare(w, &body_component, error);
}
