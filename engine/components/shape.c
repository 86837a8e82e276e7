// A circle, rectangle, polygon or line at the entity's transform, drawn by the render room.
#include "components/plain.h"

#include "components/fields.h"

static const char *const KINDS[] = {"circle", "rect", "polygon", "line", NULL};

static const field_desc_t FIELDS[] = {
    FIELD(ENUM, "kind", .choices = KINDS),
    FIELD(F32, "radius", .initial = 10),
    FIELD(F32, "width", .initial = 20),
    FIELD(F32, "height", .initial = 20),
    FIELD(STRING, "points"),
    FIELD_VEC4("colour", 1, 1, 1, 1),
    FIELD(BOOL, "filled", .initial = 1),
    FIELD(F32, "thickness", .initial = 2),
    FIELD(I32, "layer"),
    FIELD(BOOL, "visible", .initial = 1),
    FIELD(ENUM, "blend", .choices = FIELD_BLEND_CHOICES),
};

bool shape_declare(world_o *w, error_t *error) {
  return fields_declare(w, "shape", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}
