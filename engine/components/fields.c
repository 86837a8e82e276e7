#include "components/fields.h"

const char *const FIELD_BLEND_CHOICES[] = {"alpha", "add", NULL};

static bool add_field(schema_t *s, const field_desc_t *d, allocator_t *a, error_t *error) {
  if (d->vector != 0)
    return schema_add_vector(s, d->name, d->vector, d->initial_vector, error);
  field_t *f = schema_add(s, d->name, d->type, d->initial, error);
  if (f == NULL)
    return false;
  f->flags |= d->flags;
  if (d->text != NULL)
    field_set_text(f, a, d->text);
  if (d->choices != NULL) {
    uint32_t n = 0;
    while (d->choices[n] != NULL)
      ++n;
    field_set_choices(f, a, d->choices, n);
  }
  return true;
}

uint32_t fields_declare(world_o *w, const char *name, schema_kind_t kind, const field_desc_t *fields, uint32_t count,
                        error_t *error) {
  allocator_t *a = world_allocator(w);
  schema_t schema;
  schema_init(&schema, name, kind, "C");
  bool ok = true;
  for (uint32_t i = 0; i < count && ok; ++i)
    ok = add_field(&schema, &fields[i], a, error);
  uint32_t id = ok ? world_declare(w, &schema, error) : 0;
  schema_fini(&schema, a);
  return id;
}
