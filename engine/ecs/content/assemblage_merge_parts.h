// Template values of an entity in one state, converted to the components of a different version. Private to content.
#ifndef SHOAL_CONTENT_ASSEMBLAGE_MERGE_PARTS_H
#define SHOAL_CONTENT_ASSEMBLAGE_MERGE_PARTS_H

#include "ecs/world_internal.h"

typedef struct assemblage_merge_part_t {
  manager_o *m; // component of the new world
  uint32_t instance;
  bool in_old, in_new;
  bool is_split; // true if `old_values` comes from a different component, which still exists
  // Templates that define the part. A state's template takes precedence over template 0.
  const template_t *old_template, *new_template;
  // Values, indexed by column of m; `old_values` is valid if in_old, `new_values` if in_new.
  double old_values[SCHEMA_MAX_FIELDS], new_values[SCHEMA_MAX_FIELDS];
} assemblage_merge_part_t;

typedef ARRAY(assemblage_merge_part_t *) assemblage_merge_parts_t;

// Add each part of template 0 and of the state's template to `out` once; add nothing if `assemblage` is NULL.
// assemblage_merge_parts_add_old converts components and fields, including renamed ones, to the components and fields
// of w by name.
void assemblage_merge_parts_add_old(world_o *old_world, const assemblage_t *assemblage, uint32_t state, world_o *w,
                                    assemblage_merge_parts_t *out);
void assemblage_merge_parts_add_new(world_o *w, const assemblage_t *assemblage, uint32_t state,
                                    assemblage_merge_parts_t *out);
void assemblage_merge_parts_free(world_o *w, assemblage_merge_parts_t *parts);
assemblage_merge_part_t *assemblage_merge_parts_find(const assemblage_merge_parts_t *parts, const manager_o *m,
                                                     uint32_t instance);
// Returns true if any column differs. The part must be in both versions.
bool assemblage_merge_part_differs(const assemblage_merge_part_t *part);

#endif
