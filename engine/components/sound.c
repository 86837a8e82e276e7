// A sound that plays while the row says so. The host starts and stops the voices.
#include "components/plain.h"

#include "components/fields.h"

static const field_desc_t FIELDS[] = {
    FIELD(ASSET, "file"), FIELD(F32, "volume", .initial = 1),   FIELD(F32, "pan"),
    FIELD(BOOL, "loop"),  FIELD(BOOL, "playing", .initial = 1),
};

bool sound_declare(world_o *w, error_t *error) {
  return fields_declare(w, "sound", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}
