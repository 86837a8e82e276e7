// Words at the entity's transform, or on the screen, drawn by the render room.
#include "components/plain.h"

#include "components/fields.h"

static const char *const ALIGNMENTS[] = {"left", "center", "right", NULL};
static const char *const SPACES[] = {"world", "screen", NULL};

static const field_desc_t FIELDS[] = {
    FIELD(STRING, "value"),
    FIELD(F32, "size", .initial = 24),
    FIELD(ASSET, "font"),
    FIELD_VEC4("colour", 1, 1, 1, 1),
    FIELD(ENUM, "align", .choices = ALIGNMENTS),
    FIELD(ENUM, "space", .choices = SPACES),
    FIELD(I32, "layer"),
    FIELD(BOOL, "visible", .initial = 1),
    FIELD(ENUM, "blend", .choices = FIELD_BLEND_CHOICES),
};

bool text_declare(world_o *w, error_t *error) {
  return fields_declare(w, "text", SCHEMA_COMPONENT, FIELDS, FIELD_COUNT(FIELDS), error) != 0;
}
