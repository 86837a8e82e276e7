// What an entity in some state has from its template, in the words of another version of the game. Private to ecs.
#ifndef SHOAL_ECS_ASSEMBLAGE_MERGE_PARTS_H
#define SHOAL_ECS_ASSEMBLAGE_MERGE_PARTS_H

#include "ecs/world_internal.h"

typedef struct assemblage_merge_part_t {
  manager_o *m; // of the world that the words are of
  uint32_t instance;
  bool in_old, in_new;
  const template_t *old_from, *now_from;                 // who says so: the state, where template 0 does too
  double old[SCHEMA_MAX_FIELDS], now[SCHEMA_MAX_FIELDS]; // by column of m; `old` is there if in_old, …
} assemblage_merge_part_t;

typedef ARRAY(assemblage_merge_part_t *) assemblage_merge_parts_t;

// The parts of template 0 and of the state, each once. `of` NULL adds nothing. Those of the old version go to `old`, in
// the terms of w: by the names of components and fields, with renames.
void assemblage_merge_parts_old(world_o *from, const assemblage_t *of, uint32_t state, world_o *w,
                                assemblage_merge_parts_t *out);
void assemblage_merge_parts_new(world_o *w, const assemblage_t *of, uint32_t state, assemblage_merge_parts_t *out);
void assemblage_merge_parts_free(world_o *w, assemblage_merge_parts_t *parts);
assemblage_merge_part_t *assemblage_merge_parts_find(const assemblage_merge_parts_t *parts, const manager_o *m,
                                                     uint32_t instance);
bool assemblage_merge_part_differs(const assemblage_merge_part_t *p); // in any column of those that are in both

// Somebody has set column k of this row, whose template said `value`. `by_value`: marks are not looked at.
bool assemblage_merge_is_touched(const manager_o *m, uint32_t row, uint32_t k, double value, bool by_value);
// Any column; `p` NULL: it is in no template, and only marks tell.
bool assemblage_merge_is_row_touched(const manager_o *m, uint32_t row, const assemblage_merge_part_t *p, bool by_value);

#endif
