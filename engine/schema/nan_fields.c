// The list of fields in which a NaN is reported.
#include "schema/nan_fields.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

const char *nan_field_name(uint32_t i) {
  static const char *const FIELDS[] = {"transform.x",       "transform.y", "transform.angle", "transform.scale_x",
                                       "transform.scale_y", "body.radius", "body.width",      "body.height"};
  return i < sizeof FIELDS / sizeof *FIELDS ? FIELDS[i] : NULL;
}

uint32_t nan_field_find(const char *component, const char *field) {
  char name[256];
  const char *listed;
  snprintf(name, sizeof name, "%s.%s", component, field);
  for (uint32_t i = 0; (listed = nan_field_name(i)) != NULL; ++i)
    if (strcmp(name, listed) == 0)
      return i;
  return NAN_FIELD_NONE;
}

bool nan_is_reported(const schema_t *s, uint32_t column) {
  shoal_assert(column < s->field_count, "column %u of %s is out of range (count %u)", column, s->name, s->field_count);
  const field_t *f = &s->fields[column];
  return f->type == FIELD_F32 && nan_field_find(s->name, f->name) != NAN_FIELD_NONE;
}
