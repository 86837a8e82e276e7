// The swept component: the path of a body since the last collision check, so that a fast body collides with everything
// on its path instead of only at its end.
#ifndef SHOAL_COLLISION_SWEPT_BODIES_H
#define SHOAL_COLLISION_SWEPT_BODIES_H

#include "base/array.h"
#include "collision/body.h"
#include "transform/transform.h"

// clang-format off
#define SWEPT_FIELDS(F)                                                                                                \
  F(f32, from_x, 0, .unit = "px", .doc = "start of the next path: centre of the body at the last collision check")     \
  F(f32, from_y, 0, .unit = "px")                                                                                      \
  F(bool, jumped, 1, .doc = "set when the entity is teleported: no path in this tick; reset after the tick")           \
  F(f32, time, 1, .doc = "fraction of the path before the contact with `hit`, 0 to 1; 1 without contact")              \
  F(entity, hit, .doc = "first body on the path in this tick, except sensors")                                         \
  F(f32, stop_x, 0, .unit = "px", .doc = "position of the entity at the contact with `hit`, or its current position")  \
  F(f32, stop_y, 0, .unit = "px")
// clang-format on
BUILTIN_COMPONENT(swept, SWEPT_FIELDS)

typedef struct displacement_t {
  double dx, dy;
} displacement_t;

// Paths of the swept bodies. Zero-initialize; memory is reused between ticks.
typedef struct sweeps_t {
  manager_o *manager; // manager of the component `swept`; NULL if no entity has it
  const manager_o *bodies, *transforms;
  swept_columns columns;
  body_columns body;
  ARRAY(displacement_t) displacements; // paths, indexed by row
} sweeps_t;

// Computes all paths from the previous to the current positions, stores the current positions for the next tick, and
// clears the results of the previous tick.
void sweeps_begin(sweeps_t *s, world_o *w, transform_matrices_t *matrices);
void sweeps_free(sweeps_t *s, allocator_t *a);

// Returns the path of an entity, or (0, 0) if it is not swept.
static inline displacement_t sweeps_get_path(const sweeps_t *s, shoal_entity e) {
  uint32_t row = s->manager ? manager_row(s->manager, e) : ROW_NONE;
  return row != ROW_NONE ? s->displacements.items[row] : (displacement_t){0, 0};
}

// Stores a contact of `e` with `hit_entity` after this fraction of the path. Keeps only the earliest contact.
void sweeps_record_hit(const sweeps_t *s, shoal_entity e, shoal_entity hit_entity, float time);

#endif
