// Template values of an entity in one state, converted to the components of another version of the game. Private to
// content.
#ifndef SHOAL_CONTENT_ASSEMBLAGE_MERGE_PARTS_H
#define SHOAL_CONTENT_ASSEMBLAGE_MERGE_PARTS_H

#include "ecs/world_internal.h"

typedef struct assemblage_merge_part_t {
  manager_o *m; // component of the new world
  uint32_t instance;
  bool in_old, in_new;
  bool is_split; // `old` comes from another component, which remains
  // Templates that define the part. A state's template takes precedence over template 0.
  const template_t *old_from, *now_from;
  // Values, indexed by column of m; `old` is valid if in_old, `now` if in_new.
  double old[SCHEMA_MAX_FIELDS], now[SCHEMA_MAX_FIELDS];
} assemblage_merge_part_t;

typedef ARRAY(assemblage_merge_part_t *) assemblage_merge_parts_t;

// Add each part of template 0 and of the state's template to `out` once; add nothing if `of` is NULL.
// assemblage_merge_parts_add_old converts components and fields, including renamed ones, to those of w by name.
void assemblage_merge_parts_add_old(world_o *from, const assemblage_t *of, uint32_t state, world_o *w,
                                    assemblage_merge_parts_t *out);
void assemblage_merge_parts_add_new(world_o *w, const assemblage_t *of, uint32_t state, assemblage_merge_parts_t *out);
void assemblage_merge_parts_free(world_o *w, assemblage_merge_parts_t *parts);
assemblage_merge_part_t *assemblage_merge_parts_find(const assemblage_merge_parts_t *parts, const manager_o *m,
                                                     uint32_t instance);
// Returns true if any column differs. The part must be in both versions.
bool assemblage_merge_part_differs(const assemblage_merge_part_t *p);

// Returns true if column k of this row, or any column of its list, was overridden. `values`: the template's values,
// indexed by column. With `by_value`, ignores marks and compares values.
bool assemblage_merge_is_field_overridden(const manager_o *m, uint32_t row, uint32_t k, const double *values,
                                          bool by_value);
// Returns true if any column was overridden. If `p` is NULL (the row does not come from a template), checks only marks.
bool assemblage_merge_is_row_overridden(const manager_o *m, uint32_t row, const assemblage_merge_part_t *p,
                                        bool by_value);

#endif
