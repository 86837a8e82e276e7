// A behaviour: a Lua file that runs for this one entity. The script room loads and runs it.
#include "components/plain.h"

#include "components/fields.h"

static const field_desc_t FIELDS[] = {
    FIELD(STRING, "file"),
    FIELD(BOOL, "enabled", .initial = 1),
};

bool script_declare(world_o *w, error_t *error) {
  return fields_declare(w, "script", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}
