// Where the world is seen from: the transform is the centre of the view. The render room uses the first active one.
#include "components/plain.h"

#include "components/fields.h"

static const field_desc_t FIELDS[] = {
    FIELD(BOOL, "active", .initial = 1),
    FIELD(F32, "zoom", .initial = 1),
    FIELD(F32, "shake"),
    FIELD(F32, "bloom"),
    FIELD_VEC4("background", 0.02f, 0.02f, 0.05f, 1),
};

bool camera_declare(world_o *w, error_t *error) {
  return fields_declare(w, "camera", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}
