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

bool nan_is_reported(const schema_t *s, uint32_t column) {
  shoal_assert(column < s->field_count, "column %u of %s is out of range (count %u)", column, s->name, s->field_count);
  char name[256];
  const char *field;
  snprintf(name, sizeof name, "%s.%s", s->name, s->fields[column].name);
  for (uint32_t i = 0; (field = nan_field_name(i)) != NULL; ++i)
    if (strcmp(name, field) == 0)
      return s->fields[column].type == FIELD_F32;
  return false;
}
