// An image at the entity's transform, drawn by the render room.
#include "components/plain.h"

#include "components/fields.h"

static const field_desc_t FIELDS[] = {
    FIELD(ASSET, "image"),
    FIELD(I32, "frame", .initial = 1),
    FIELD(I32, "frames", .initial = 1),
    FIELD_VEC4("tint", 1, 1, 1, 1),
    FIELD(F32, "width"),
    FIELD(F32, "height"),
    FIELD(BOOL, "flip"),
    FIELD(BOOL, "flip_y"),
    FIELD(I32, "layer"),
    FIELD(BOOL, "visible", .initial = 1),
    FIELD(ENUM, "blend", .choices = FIELD_BLEND_CHOICES),
};

bool sprite_declare(world_o *w, error_t *error) {
  return fields_declare(w, "sprite", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}
