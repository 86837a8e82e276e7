// Matches C declarations with schemas, and creates declarations from schemas.
#include "access/declaration_match.h"

#include "ecs/name_hint.h"

#include <stdio.h>
#include <string.h>

static bool match_column(const schema_t *s, const shoal_field *f, const char *axis, uint32_t *out,
                         error_info_t *error) {
  char name[FIELD_NAME_MAX], hint[HINT_BYTES];
  snprintf(name, sizeof name, axis ? "%s.%s" : "%s", f->name, axis);
  field_type_t wanted = axis ? FIELD_F32 : (field_type_t)f->type;
  int32_t column = schema_find_field(s, name);
  column = column < 0 ? schema_find_derived_field(s, name) : column;
  if (column < 0)
    return error_set(error, "%s has no field %s%s", s->name, name, hint_field(s, f->name, hint));
  if (s->fields[column].type != wanted)
    return error_set(error,
                     "%s.%s has the type %s in this world, but %s in the program's declaration: change one of them",
                     s->name, name, field_type_name(s->fields[column].type), field_type_name(wanted));
  *out = (uint32_t)column;
  return true;
}

bool access_match_columns(const schema_t *s, const shoal_component *c, uint32_t *columns, error_info_t *error) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < c->field_count; ++i) {
    uint32_t width = schema_column_count(c->fields[i].type);
    for (uint32_t k = 0; k < width; ++k)
      if (!match_column(s, &c->fields[i], schema_axis_suffix(c->fields[i].type, k), &columns[at++], error))
        return false;
  }
  return true;
}

#define DESCRIPTION_BYTES (sizeof(shoal_field) + FIELD_NAME_MAX) // size of a field and its name

shoal_component *access_create_description(allocator_t *a, const schema_t *s) {
  uint32_t count = s->field_count + s->derived_count;
  shoal_component *c = alloc_resize(a, NULL, 0, sizeof *c);
  shoal_field *fields = alloc_resize(a, NULL, 0, count * DESCRIPTION_BYTES);
  char *names = (char *)(fields + count);
  for (uint32_t i = 0; i < count; ++i)
    fields[i] = (shoal_field){.name = field_flat_name(&s->fields[i], names + (size_t)i * FIELD_NAME_MAX),
                              .type = (shoal_type)s->fields[i].type};
  *c = (shoal_component){.name = alloc_copy_text(a, s->name),
                         .kind = (shoal_component_kind)s->kind,
                         .fields = fields,
                         .field_count = count,
                         .column_count = count};
  return c;
}

void access_free_description(allocator_t *a, shoal_component *c) {
  alloc_free_text(a, (char *)(uintptr_t)c->name);
  alloc_resize(a, (void *)(uintptr_t)c->fields, c->field_count * DESCRIPTION_BYTES, 0);
  alloc_resize(a, c, sizeof *c, 0);
}
