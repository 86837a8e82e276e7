// Declares the components "kept:NAME", in which states retain component values.
#include "content/retained_values.h"

#include "base/assert.h"
#include "ecs/assemblage.h"
#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

// For each former name OLD of the component, declares that rows of "kept:OLD" become rows of `retained_manager`.
static void declare_renames(world_o *w, uint32_t manager, uint32_t retained_manager) {
  char former_name[COMPONENT_NAME_MAX];
  uint32_t count = w->renames.count;
  for (uint32_t i = 0; i < count; ++i)
    if (w->renames.items[i].manager == retained_manager)
      return; // already declared for another state that retains the component
  for (uint32_t i = 0; i < count; ++i) {
    rename_t renaming = w->renames.items[i];
    if (renaming.manager != manager || strlen(renaming.from) + strlen("kept:") >= sizeof former_name)
      continue;
    snprintf(former_name, sizeof former_name, "kept:%.58s", renaming.from);
    world_declare_renamed_field(w, former_name, retained_manager, renaming.column, renaming.field);
  }
}

bool retained_values_declare(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,
                             uint32_t instance, uint32_t retained_instance, error_info_t *error) {
  assemblage_t *owner = assemblage_get(w, assemblage);
  bool is_valid = owner && template_number != 0 && template_number < owner->templates.count;
  part_t *part = is_valid ? template_find_part(&owner->templates.items[template_number], manager, instance) : NULL;
  shoal_assert(part, "component %u is not in template %u", manager, template_number);
  const char *name = world_manager(w, manager)->schema.name;
  if (!part || strlen("kept:") + strlen(name) >= COMPONENT_NAME_MAX)
    return error_set(error, "cannot retain %s: the component's name is too long (at most %zu bytes)", name,
                     COMPONENT_NAME_MAX - sizeof "kept:");
  schema_t schema;
  schema_copy(&schema, &world_manager(w, manager)->schema, &w->allocator);
  snprintf(schema.name, sizeof schema.name, "kept:%.58s", name);
  schema.kind = SCHEMA_MANY;
  part->retained_manager = world_declare_schema(w, &schema, error);
  part->retained_instance = retained_instance;
  if (part->retained_manager)
    declare_renames(w, manager, part->retained_manager);
  schema_fini(&schema, &w->allocator);
  return part->retained_manager != 0;
}
