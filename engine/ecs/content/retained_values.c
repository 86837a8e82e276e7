// Declares the components "kept:NAME", in which states retain values of other components.
#include "content/retained_values.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

// For each former name OLD of the component, declares that rows of "kept:OLD" become rows of `kept`.
static void declare_renames(world_o *w, uint32_t manager, uint32_t kept) {
  char from[COMPONENT_NAME_MAX];
  uint32_t count = w->renames.count;
  for (uint32_t i = 0; i < count; ++i)
    if (w->renames.items[i].manager == kept)
      return; // another state retains the component, too
  for (uint32_t i = 0; i < count; ++i) {
    rename_t x = w->renames.items[i];
    if (x.manager != manager || strlen(x.from) + strlen("kept:") >= sizeof from)
      continue;
    snprintf(from, sizeof from, "kept:%.58s", x.from);
    world_declare_renamed_field(w, from, kept, x.column, x.field);
  }
}

bool retained_values_declare(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                             uint32_t instance, uint32_t as, error_info_t *error) {
  assemblage_t *a = assemblage_get(w, assemblage);
  bool known = a && template_number != 0 && template_number < a->templates.count;
  part_t *p = known ? template_find_part(&a->templates.items[template_number], manager, instance) : NULL;
  shoal_assert(p, "component %u is not in template %u", manager, template_number);
  const char *name = world_manager(w, manager)->schema.name;
  if (!p || strlen("kept:") + strlen(name) >= COMPONENT_NAME_MAX)
    return error_set(error, "cannot retain %s: the component's name is too long (at most %zu bytes)", name,
                     COMPONENT_NAME_MAX - sizeof "kept:");
  schema_t schema;
  schema_copy(&schema, &world_manager(w, manager)->schema, &w->allocator);
  snprintf(schema.name, sizeof schema.name, "kept:%.58s", name);
  schema.kind = SCHEMA_MANY;
  p->retained_manager = world_declare_schema(w, &schema, error);
  p->retained_instance = as;
  if (p->retained_manager)
    declare_renames(w, manager, p->retained_manager);
  schema_fini(&schema, &w->allocator);
  return p->retained_manager != 0;
}
