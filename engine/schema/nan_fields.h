// Fields in which a NaN is reported, because it spreads to the positions of entities. They are checked in Lua, in
// compiled loops and after code of plugins and embedding programs.
#ifndef SHOAL_SCHEMA_NAN_FIELDS_H
#define SHOAL_SCHEMA_NAN_FIELDS_H

#include "schema/schema.h"

// Returns the i-th field as "transform.x"; NULL after the last one. The type of every listed field is f32.
const char *nan_field_name(uint32_t i);
// Returns the index of the field in this list; NAN_FIELD_NONE if a NaN is not reported. At most 32 fields are listed.
#define NAN_FIELD_NONE UINT32_MAX
uint32_t nan_field_find(const char *component, const char *field);
// Returns true if a NaN in this column is reported.
bool nan_is_reported(const schema_t *s, uint32_t column);

#endif
