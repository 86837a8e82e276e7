#include "components/body.h"

#include "components/fields.h"

static const char *const KINDS[] = {"circle", "box", NULL};

static const field_desc_t FIELDS[] = {
    [BODY_KIND] = FIELD(ENUM, "kind", .choices = KINDS),
    [BODY_RADIUS] = FIELD(F32, "radius", .initial = 10),
    [BODY_WIDTH] = FIELD(F32, "width", .initial = 20),
    [BODY_HEIGHT] = FIELD(F32, "height", .initial = 20),
    [BODY_OFFSET_X] = FIELD(F32, "offset_x"),
    [BODY_OFFSET_Y] = FIELD(F32, "offset_y"),
    [BODY_CATEGORY] = FIELD(U32, "category", .initial = 1),
    [BODY_MASK] = FIELD(U32, "mask", .initial = UINT32_MAX),
    [BODY_ENABLED] = FIELD(BOOL, "enabled", .initial = 1),
};

bool body_declare(world_o *w, error_t *error) {
  return fields_declare(w, "body", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}
